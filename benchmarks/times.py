"""Measure how long things take on this machine; write benchmarks/times.json and docs/times.md.

    env/run python benchmarks/times.py
    env/run python benchmarks/times.py --suite    # and of the whole test suite, six minutes more
    env/run python benchmarks/times.py data/raw/mine/*/block-*.zip    # shares of these alone

Works in a fresh clone of HEAD, which has only what a reader has. Takes a few minutes; keep the
machine otherwise idle. Debian packages must be installed; the time to install them is not measured.
"""

import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from remeasure.campaign.archive import BlockArchive
from remeasure.probes import PROBES

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/times.md"
SNAKEMAKE = ["env/run", "snakemake", "--cores", "4"]
FIVE = {
    f"link{i}": {f"host{i}": f"192.0.2.{4 * i + 1}/30", f"host{i + 1}": f"192.0.2.{4 * i + 2}/30"}
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


def lab_ready(folder: Path, links: dict) -> float:
    """Time until every guest of a topology with these links answers, inside its namespaces [s]."""
    script = (
        "import time\n"
        "from remeasure.lab import namespace\n"
        "namespace.enter()\n"
        "from remeasure.lab.backends import make_backend\n"
        "from remeasure.lab.lab import Lab\n"
        "from remeasure.topology import Topology\n"
        f"topology = Topology.model_validate({{'name': 'row', 'links': {links!r}}})\n"
        "start = time.monotonic()\n"
        "with Lab(topology, make_backend('uml', 256)):\n"
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


def copies(blocks: list[Path], times: int, campaign: Path) -> list[Path]:
    """So many copies of each of the blocks of one campaign in a folder `campaign`, under numbers of
    their own: a block that is given twice would be refused."""
    folder = campaign / blocks[0].parent.name
    folder.mkdir(parents=True)
    shutil.copy(blocks[0].parents[1] / "campaign.yaml", campaign)
    made = []
    for number, block in enumerate(blocks * times, 1):
        made.append(folder / f"block-{number:02d}.zip")
        with zipfile.ZipFile(block) as old, zipfile.ZipFile(made[-1], "w", 8) as new:
            for member in old.infolist():
                content = old.read(member)
                if member.filename == "block.json":
                    content = json.dumps(json.loads(content) | {"block": number}).encode()
                new.writestr(member, content)
    return made


def tidy(folder: Path, blocks: list[Path]) -> tuple[float, int]:
    """Duration [s] and peak memory [KiB] of making tables from `blocks`."""
    start = time.monotonic()
    code = (
        "import resource, sys; from pathlib import Path; "
        "from remeasure.tidy.tables import write_tables; "
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


def tested(clone: Path) -> dict[str, dict]:
    """The measurement of the whole test suite, all built."""
    value = timed(clone, "env/run", "pytest")
    return {"suite": {"value": value, "target": 330, "what": "`env/run pytest`, all built"}}


def measure_all(suite: bool) -> dict[str, dict]:
    """All measurements: name -> {value [s, or a share or ratio], target, what: what was done}.
    `suite`: also time the whole test suite."""
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        environment = timed(clone, "env/run", "true")
        build = timed(clone, *SNAKEMAKE, "results/paper.pdf")
        site = timed(clone, *SNAKEMAKE)
        unchanged = timed(clone, *SNAKEMAKE)
        of_suite = tested(clone) if suite else {}
        change_words(clone / "notebooks/psk_rsa.ipynb")
        notebook = timed(clone, *SNAKEMAKE, "results/paper.pdf")
        its_site = timed(clone, *SNAKEMAKE)
        campaigns = (clone / "data/raw").glob("*/psk-rsa")
        blocks = max((sorted(c.glob("block-*.zip")) for c in campaigns), key=len)
        ten_times = copies(blocks, 10, Path(temporary) / "campaign")
        return {
            "environment": {
                "value": environment,
                "target": None,
                "what": "`env/run true` in a fresh clone, Debian packages there",
            },
            "build": {
                "value": build,
                "target": 30,
                "what": "released raw data to paper, environment there",
            },
            "site": {
                "value": site,
                "target": 20,
                "what": "then the site and the tables of estimates and claims",
            },
            "fresh": {
                "value": round(environment + build, 2),
                "target": 75,
                "what": "a fresh clone to the paper, Debian packages there: environment and build",
            },
            "image": {
                "value": timed(clone, "env/guest/build", XDG_CACHE_HOME=f"{temporary}/cache"),
                "target": None,
                "what": "guest image, empty cache: before anything is measured the first time",
            },
            "second_call": {
                "value": timed(clone, "env/run", "true"),
                "target": 0.5,
                "what": "`env/run true`, everything there",
            },
            "unchanged": {"value": unchanged, "target": 2, "what": "the same again, nothing to do"},
            "notebook": {
                "value": notebook,
                "target": 12,
                "what": "one notebook changed, to the paper",
            },
            "notebook_site": {
                "value": its_site,
                "target": None,
                "what": "then the site and the tables of estimates and claims",
            },
            "lab": {
                "value": lab_ready(clone, FIVE),
                "target": 1.5,
                "what": "lab of five guests ready",
            },
            **of_suite,
            "probe_share": {
                "value": probe_share(blocks),
                "target": 0.9,
                "what": "share of a paper-profile block inside probes, from the "
                "released campaign, boot of the lab aside",
            },
            **{
                f"traffic_share_{name.replace('-', '_')}": {
                    "value": traffic_share(sorted((clone / "data/raw").glob(f"*/{name}/*.zip"))),
                    "target": 0.7,
                    "what": f"share of a block of {name} that is traffic, from the released "
                    "campaign, boot of the lab aside",
                }
                for name in ("algorithm-sweep", "ah-esp-ciphers")
            },
            "tidy": {
                "value": tidy(clone, blocks)[0],
                "target": None,
                "what": f"tidy, {len(blocks)} blocks",
            },
            "tidy_ten": {
                "value": tidy(clone, ten_times)[0],
                "target": None,
                "what": f"tidy, {10 * len(blocks)} blocks",
            },
            "memory": {
                "value": round(tidy(clone, ten_times)[1] / tidy(clone, blocks)[1], 2),
                "target": None,
                "what": "ratio of their peak memory",
            },
        }


def table(document: dict) -> str:
    lines = [
        f"Measured on {document['date']} with {document['cpus']} cores by "
        "`benchmarks/times.py`, one run each, in a fresh clone.",
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
    suite = sys.argv[1:] == ["--suite"]
    if paths := [] if suite else [Path(argument) for argument in sys.argv[1:]]:
        print(f"in probes {probe_share(paths)}, traffic {traffic_share(paths)}")
        sys.exit()
    document = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cpus": os.cpu_count(),
        "times": measure_all(suite),
    }
    (ROOT / "benchmarks/times.json").write_text(json.dumps(document, indent=1) + "\n")
    text = re.sub(
        r"(<!-- times:.*?-->\n).*?(<!-- end of times -->)",
        lambda match: match[1] + table(document) + "\n" + match[2],
        PAGE.read_text(),
        flags=re.DOTALL,
    )
    PAGE.write_text(text)
    print(table(document))
