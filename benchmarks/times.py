"""How long things take, on this machine: writes benchmarks/times.json and the README's table.

    env/run python benchmarks/times.py

Works in a fresh clone of HEAD, so that nothing is there that a reader would not have. Takes a few
minutes; keep the machine otherwise idle. The fresh-machine time clones, makes the Python
environment and builds, with Debian packages installed and the guest image made before; those two
are timed apart (the image by building it into an empty cache).
"""

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SNAKEMAKE = ["env/run", "snakemake", "--cores", "4"]


def timed(folder: Path, *command: str, **environment: str) -> float:
    """Seconds that `command` took; stops everything if it failed."""
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return round(time.monotonic() - start, 2)


def lab_ready(folder: Path, topology: str) -> float:
    """Seconds until every guest of a topology answers, from inside its namespaces."""
    script = ("import time; from remeasure.lab import namespace; namespace.enter()\n"
              "from remeasure.lab.lab import Lab\n"
              "from remeasure.lab.topology import load_topology\n"
              "start = time.monotonic()\n"
              f"with Lab(load_topology('{topology}')): print(time.monotonic() - start)\n")
    path = folder / "lab_ready.py"
    path.write_text(script)
    done = subprocess.run(["env/run", "python", str(path)], cwd=folder, capture_output=True,
                          text=True, check=True)
    path.unlink()
    return round(float(done.stdout.split()[-1]), 2)


def measure_all() -> dict[str, dict]:
    """name -> seconds (or share), target, and what was done."""
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        image = timed(clone, "env/guest/build", XDG_CACHE_HOME=f"{temporary}/cache")
        environment = timed(clone, "env/run", "true")
        build = timed(clone, *SNAKEMAKE)
        unchanged = timed(clone, *SNAKEMAKE)
        (clone / "notebooks/psk_rsa.ipynb").touch()
        notebook = timed(clone, *SNAKEMAKE)
        trials = pd.read_parquet(clone / "results/tidy/psk-rsa/trials.parquet")
        return {
            "environment": {"value": environment, "target": None,
                            "what": "`env/run true` in a fresh clone, Debian packages and guest "
                                    "image there"},
            "image": {"value": image, "target": None, "what": "guest image, empty cache"},
            "second_call": {"value": timed(clone, "env/run", "true"), "target": 0.5,
                            "what": "`env/run true`, everything there"},
            "build": {"value": build, "target": 90,
                      "what": "released raw data to paper, environment there"},
            "unchanged": {"value": unchanged, "target": 5, "what": "the same again, nothing to do"},
            "notebook": {"value": notebook, "target": 25, "what": "one notebook changed"},
            "lab": {"value": lab_ready(clone, "site-to-site"), "target": 3,
                    "what": "lab of four guests ready"},
            "probe_share": {"value": round(float(trials["probe_share"].mean()), 3), "target": 0.9,
                            "what": "share of a paper-profile trial inside probes (released "
                                    "campaign)"},
        }


def table(document: dict) -> str:
    lines = [f"Measured on {document['date']} with {document['cpus']} cores by "
             "`benchmarks/times.py`, one run each, in a fresh clone.", "",
             "| what | measured | target |", "|---|---|---|"]
    for entry in document["times"].values():
        unit = "" if entry["what"].startswith("share") else " s"
        target = "" if entry["target"] is None else f"{entry['target']}{unit}"
        lines.append(f"| {entry['what']} | {entry['value']}{unit} | {target} |")
    return "\n".join(lines)


if __name__ == "__main__":
    document = {"date": datetime.date.today().isoformat(), "cpus": os.cpu_count(),
                "times": measure_all()}
    (ROOT / "benchmarks/times.json").write_text(json.dumps(document, indent=1) + "\n")
    text = re.sub(r"(<!-- times:.*?-->\n).*?(<!-- end of times -->)",
                  lambda match: match[1] + table(document) + "\n" + match[2],
                  README.read_text(), flags=re.S)
    README.write_text(text)
    print(table(document))
