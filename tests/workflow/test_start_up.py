"""What every start of snakemake imports."""

import re
import subprocess
import sys

from remeasure.bench.base.paths import ROOT


def test_rules_import_nothing_that_takes_seconds():
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    modules = sorted(set(re.findall(r"^from (remeasure[\w.]*)", rules, flags=re.MULTILINE)))
    script = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    heavy = {"altair", "cryptography", "fabric", "pandas", "pyarrow", "scipy", "statsmodels"}
    assert heavy.isdisjoint(done.stdout.split())
