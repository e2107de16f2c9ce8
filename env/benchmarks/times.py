"""Measure how long things take on this machine; write times.json here, docs/times.md, and the
minutes of a smoke campaign in the README.

    env/run python env/benchmarks/times.py
    env/run python env/benchmarks/times.py data/raw/mine/*/block-*.zip    # only shares of these

Works in a fresh clone of HEAD, which has only a reader's files. Takes minutes; keep the machine
otherwise idle. Debian packages must be installed; the time to install them is not measured.
"""

import datetime
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.image import is_built
from remeasure.bench.probes import PROBES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/times.md"
SAYS_SMOKE = ("README.md", "docs/measuring.md", "site/reproduce.md")
"""pages with the minutes of a smoke campaign"""
SNAKEMAKE = ["env/run", "snakemake", "--cores", "4"]
TESTS = ["env/run", "pytest"]
FIVE = {
    f"wire{i}": {f"host{i}": f"192.0.2.{4 * i + 1}/30", f"host{i + 1}": f"192.0.2.{4 * i + 2}/30"}
    for i in range(1, 5)
}
"""links of five hosts in a row; addresses are of a documentation prefix (RFC 5737)"""


def timed(folder: Path, *command: str, **environment: str) -> float:
    """Run `command` in `folder`. Returns its duration [s]. Raises SystemExit if it failed."""
    start = time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return round(time.monotonic() - start, 2)


def lab_ready(folder: Path, links: dict, backend: str = "uml") -> float:
    """Time until every guest of a topology with these links answers, inside its namespaces [s]."""
    script = (
        "import time\n"
        "from remeasure.bench.lab import namespace\n"
        "namespace.enter()\n"
        "from remeasure.bench.lab.testbeds import LabTestbed\n"
        "from remeasure.bench.lab.lab import Lab\n"
        "from remeasure.bench.testbed.treatments.instructions import ANY\n"
        "from remeasure.bench.base.topology import Topology\n"
        f"topology = Topology.model_validate({{'name': 'row', 'links': {links!r}}})\n"
        "start = time.monotonic()\n"
        f"backend = LabTestbed(name='lab', backend={backend!r}).backend_for(ANY)\n"
        "with Lab(topology, backend):\n"
        "    print(time.monotonic() - start)\n"
    )
    # The program is a file, since entering the namespaces starts it again.
    path = folder / "lab_ready.py"
    path.write_text(script)
    done = subprocess.run(
        ["env/run", "python", str(path)], cwd=folder, capture_output=True, text=True
    )
    path.unlink()
    if done.returncode:
        sys.exit(f"lab of {len(links) + 1} guests failed:\n{done.stderr}")
    return round(float(done.stdout.split()[-1]), 2)


def change_words(notebook: Path) -> None:
    """Add a cell of text at the end of a notebook."""
    document = json.loads(notebook.read_text())
    cell = {"cell_type": "markdown", "id": "benchmark", "metadata": {}, "source": ["Again."]}
    document["cells"].append(cell)
    notebook.write_text(json.dumps(document, indent=1) + "\n")


def probe_share(blocks: list[Path]) -> float:
    """Share of the time from the check of hosts to the end of the last trial in probes, 0 to 1."""
    inside = spent = 0
    for path in blocks:
        archive = BlockArchive(path)
        inside += sum(trial.record["probe_ns"] for trial in archive.trials)
        spent += sum(s["end_ns"] - s["start_ns"] for s in archive.block["sessions"])
    return round(inside / spent, 3)


def traffic_share(blocks: list[Path]) -> float:
    """Share of the time from the check of hosts to the end of the last trial in which a probe of a
    rate had traffic on its way, 0 to 1."""
    inside = spent = 0.0
    for path in blocks:
        archive = BlockArchive(path)
        spent += sum(s["end_ns"] - s["start_ns"] for s in archive.block["sessions"]) / 1e9
        for trial in archive.trials:
            runs: dict[str, dict[str, float]] = {}
            for entry, content in archive.logs(trial):
                run = f"{entry['name']} {entry.get('levels')} {entry['repeat']}"
                for o in PROBES[entry["probe"]].parse(entry["file"], content):
                    runs.setdefault(run, {})[o.metric] = o.value
            inside += sum(map(_seconds, runs.values()))
    return round(inside / spent, 3)


def _seconds(seen: dict[str, float]) -> float:
    """Time from the first payload of a run to the last [s]; 0 for a probe of no rate. `seen`:
    metric -> value."""
    for time_seen in ("elapsed", "duration"):
        if time_seen in seen:
            return seen[time_seen]
    rate = seen.get("goodput", seen.get("throughput"))
    return seen.get("received_bytes", 0.0) * 8e-6 / rate if rate else 0.0


def tidy(folder: Path, blocks: list[Path]) -> tuple[float, int]:
    """Duration [s] and peak memory [KiB] of making tables from `blocks`."""
    start = time.monotonic()
    code = (
        "import resource, sys; from pathlib import Path; "
        "from remeasure.paper.tidy.tables import write_tables; "
        "write_tables([Path(p) for p in sys.argv[2:]], Path(sys.argv[1])); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, folder / "tidied", *blocks],
        capture_output=True,
        text=True,
        check=True,
    )
    return round(time.monotonic() - start, 2), int(done.stdout)


def entry(value: float, what: str, target: float | None = None) -> dict:
    """A measurement: its value [s, or a share or ratio], the work, and the target."""
    return {"value": value, "target": target, "what": what}


def measure_all() -> dict[str, dict]:
    """All measurements: name -> its `entry`."""
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        found = builds(clone) | tests(clone, f"{temporary}/empty")
        image = timed(clone, "env/guest/build", XDG_CACHE_HOME=f"{temporary}/cache")
        what = "guest image, empty cache: before anything is measured the first time"
        found["image"] = entry(image, what)
        second = timed(clone, "env/run", "true")
        found["second_call"] = entry(second, "`env/run true`, everything there", 0.5)
        ready = "lab of five guests ready"
        found["lab"] = entry(lab_ready(clone, FIVE), ready, 1.5)
        if is_built("instructions"):
            on_kernel = lab_ready(clone, FIVE, "uml-instructions")
            what = f"{ready}, on the kernel with instructions, built before"
            found["lab_instructions"] = entry(on_kernel, what, 2)
        found |= of_campaigns(clone)
        smoke = timed(clone, *SNAKEMAKE, "--config", "campaign=times", "profile=smoke")
        what = "a smoke campaign of all scenarios, measured and built, environment and image there"
        return found | {"smoke": entry(smoke, what, 360)}


def tests(clone: Path, empty: str) -> dict[str, dict]:
    """How long the tests take after a build, with image and kernels there, and without."""
    subprocess.run(["git", "checkout", "-q", "."], cwd=clone, check=True)  # the changed notebook
    timed(clone, *SNAKEMAKE)
    bare, full = timed(clone, *TESTS, XDG_CACHE_HOME=empty), timed(clone, *TESTS)
    what = f"`{' '.join(TESTS)}`, all built, with"
    return {
        "suite_empty": entry(bare, f"{what} an empty cache: image and kernel are made, too"),
        "suite": entry(full, f"{what} a full cache", 330),
    }


def builds(clone: Path) -> dict[str, dict]:
    """Build times of a fresh clone and a changed one."""
    environment = timed(clone, "env/run", "true")
    build, site = timed(clone, *SNAKEMAKE, "results/paper.pdf"), timed(clone, *SNAKEMAKE)
    fresh = "a fresh clone to the paper, Debian packages there: environment and build"
    tables = "then the site and the tables of estimates and claims"
    found = {
        "environment": entry(environment, "`env/run true` in a fresh clone, Debian packages there"),
        "build": entry(build, "released raw data to paper, environment there", 30),
        "site": entry(site, tables, 20),
        "fresh": entry(round(environment + build, 2), fresh, 75),
        "unchanged": entry(timed(clone, *SNAKEMAKE), "the same again, nothing to do", 2),
    }
    change_words(clone / "notebooks/psk_rsa/psk_rsa.ipynb")
    notebook = timed(clone, *SNAKEMAKE, "results/paper.pdf")
    found["notebook"] = entry(notebook, "one notebook changed, to the paper", 12)
    return found | {"notebook_site": entry(timed(clone, *SNAKEMAKE), tables)}


def of_campaigns(clone: Path) -> dict[str, dict]:
    """Shares of released blocks, and the times to make tables from one of them and from all."""
    # A campaign that is not released may be unfinished, and then no table is made of it.
    released = [path.parent for path in (clone / "data/raw").glob("*/manifest.json")]
    blocks = max((sorted(one.glob("psk-rsa/block-*.zip")) for one in released), key=len)
    where = "from the released campaign, boot of the lab aside"
    probes = f"share of a paper-profile block inside probes, {where}"
    found = {"probe_share": entry(probe_share(blocks), probes, 0.9)}
    for name in ("algorithm-sweep", "ah-esp-ciphers"):
        share = traffic_share(sorted(b for one in released for b in one.glob(f"{name}/*.zip")))
        what = f"share of a block of {name} that is traffic, {where}"
        found[f"traffic_share_{name.replace('-', '_')}"] = entry(share, what, 0.7)
    (seconds, memory), (longer, larger) = tidy(clone, blocks[:1]), tidy(clone, blocks)
    return found | {
        "tidy": entry(seconds, "tidy, 1 block"),
        "tidy_ten": entry(longer, f"tidy, {len(blocks)} blocks"),
        "memory": entry(round(larger / memory, 2), "ratio of their peak memory"),
    }


def table(document: dict) -> str:
    lines = [
        f"Measured on {document['date']} with {document['cpus']} cores by "
        "`env/benchmarks/times.py`, one run each, in a fresh clone.",
        "",
        "| what | measured | target |",
        "|---|---|---|",
    ]
    for entry in document["times"].values():
        unit = "" if entry["what"].startswith(("share", "ratio")) else " s"
        target = "" if entry["target"] is None else f"{entry['target']}{unit}"
        lines.append(f"| {entry['what']} | {entry['value']}{unit} | {target} |")
    return "\n".join(lines)


if __name__ == "__main__":
    paths = [Path(argument) for argument in sys.argv[1:]]
    if paths:
        print(f"in probes {probe_share(paths)}, traffic {traffic_share(paths)}")
        sys.exit()
    document = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cpus": os.cpu_count(),
        "times": measure_all(),
    }
    (ROOT / "env/benchmarks/times.json").write_text(json.dumps(document, indent=1) + "\n")
    text = re.sub(
        r"(<!-- times:.*?-->\n).*?(<!-- end of times -->)",
        lambda match: match[1] + table(document) + "\n" + match[2],
        PAGE.read_text(),
        flags=re.DOTALL,
    )
    PAGE.write_text(text)
    minutes = math.ceil(document["times"]["smoke"]["value"] / 60)
    for page in (ROOT / name for name in SAYS_SMOKE):
        page.write_text(re.sub(r"up to \d+ minutes", f"up to {minutes} minutes", page.read_text()))
    print(table(document))
