"""Measure one block: the job that Snakemake runs."""

import datetime
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from remeasure.campaign.archive import FORMAT
from remeasure.campaign.folder import block_path, choose_scenario, freeze
from remeasure.campaign.hosts import Hosts, backend_of, beyond
from remeasure.campaign.plan import block_order, probe_order, trial_seconds
from remeasure.campaign.scenario import Scenario, key_of
from remeasure.campaign.staging import Staging
from remeasure.campaign.trial import TrialRun, not_run
from remeasure.errors import UserError
from remeasure.ipsec.pki import Credentials
from remeasure.lab import namespace
from remeasure.lab.backends import Backend
from remeasure.lab.image import get_image
from remeasure.paths import ROOT
from remeasure.testbed.check import require_ready
from remeasure.testbed.facts import host_facts, machine_facts
from remeasure.testbed.inventory import LabTestbed, document_of, load_testbed
from remeasure.testbed.remote import Remote
from remeasure.testbed.shaping import TOOLS as SHAPING_TOOLS


@dataclass(frozen=True)
class BlockOrder:
    """What to measure."""

    campaign: str
    scenario: str
    block: int
    profile: str | None
    testbed: str
    seed: int


def measure_block(order: BlockOrder) -> Path:
    """Measure what is missing of a block, and pack it. Returns the archive.

    Raises UserError; every finished trial is kept, and the next call goes on after it.
    """
    archive = block_path(order.campaign, order.scenario, order.block)
    if archive.exists():
        raise UserError(f"{archive}: measured already")
    scenario = choose_scenario(order.campaign, order.scenario, order.profile)
    testbed = load_testbed(order.testbed)
    if not isinstance(testbed, LabTestbed):
        raise UserError(f"testbed {order.testbed}: backend {testbed.backend}: measuring on "
                        "machines of your own is not built yet; it would overwrite their IPsec "
                        "set-up")
    # What guests are made of is built where there is a way to a mirror.
    wanted = {scenario.settings(cell).cpus for cell in scenario.cells}
    possible = {cpus for cpus in wanted if not beyond(cpus)}
    if not possible:
        raise UserError(f"scenario {scenario.name}: {beyond(min(wanted))}: none of its cells "
                        "can be measured here")
    for cpus in possible:
        backend_of(testbed, cpus)
    namespace.enter()
    software = software_commit()
    freeze(order.campaign, scenario, order.seed, document_of(testbed), software)
    archive.parent.mkdir(parents=True, exist_ok=True)
    try:
        with Staging(archive) as staging:
            _measure(order, scenario, testbed, staging, software)
            staging.pack()
    except OSError as error:
        raise UserError(f"{error.filename or archive}: {error.strerror}; finished trials are kept "
                        f"in {archive.with_suffix('.staging')}, run again to go on") from error
    return archive


def _measure(order: BlockOrder, scenario: Scenario, testbed: LabTestbed,
             staging: Staging, software: str) -> None:
    cells = block_order(scenario, order.seed, order.block)
    block = staging.read_block() or {
        "format": FORMAT, "campaign": order.campaign, "scenario": order.scenario,
        "block": order.block, "profile": scenario.profile, "seed": order.seed,
        "order": cells, "sessions": [],
    }
    todo = [i for i in range(1, len(cells) + 1) if i not in staging.finished]
    if not todo:
        return
    credentials = Credentials(ROOT / ".secrets" / order.campaign)

    def on_boot(backend: Backend, remotes: dict[str, Remote]) -> None:
        tools = _tools(scenario)
        require_ready(remotes, tools)
        block["sessions"].append(_session(testbed, backend, remotes, tools, software))
        staging.write_block(block)

    def on_end() -> None:
        block["sessions"][-1]["end_ns"] = time.time_ns()
        staging.write_block(block)

    with Hosts(testbed, scenario.topology, on_boot, on_end) as hosts:
        bar = _bar(order, sum(trial_seconds(scenario, cells[i - 1]) for i in todo))
        for i in todo:
            cell = cells[i - 1]
            cpus = scenario.settings(cell).cpus
            folder, attempt = staging.begin(i)
            if reason := beyond(cpus):
                record = not_run(reason)
            else:
                run = TrialRun(scenario, cell, folder, hosts.with_cpus(cpus), credentials,
                               order.seed, probe_order(scenario, order.seed, order.block, cell))
                record = run.run(_progress(bar, f"trial {i}/{len(cells)} {key_of(cell)}"))
            staging.finish(i, {"order": i, "attempt": attempt, "cell": cell, **record})
            if record["verdict"] != "accepted":
                bar.write(f"trial {i} {key_of(cell)}: {record['verdict']}: "
                          f"{'; '.join(record['reasons'])}", file=sys.stderr)
        bar.close()


def software_commit() -> str:
    """Commit of this repository, with '+' if tracked files differ from it."""
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)

    head = git("rev-parse", "HEAD")
    if head.returncode:
        return "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    return head.stdout.strip() + ("+" if changed else "")


def _tools(scenario: Scenario) -> dict[str, list[str]]:
    return {tool: command for cell in scenario.cells
            for probe in scenario.settings(cell).probes.values()
            for tool, command in probe.tools.items()} | SHAPING_TOOLS


def _session(testbed: LabTestbed, backend: Backend, remotes: dict[str, Remote], tools: dict,
             software: str) -> dict:
    """One stretch of measuring: a block that was interrupted has more than one, and so has one
    whose cells differ in the processors of their guests."""
    image = get_image()
    return {
        "start_ns": time.time_ns(), "software": software,
        "start": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "testbed": document_of(testbed),
        "guests": {"backend": backend.name, "accelerator": backend.accelerator,
                   "cpus": backend.cpus},
        "hosts": {role: host_facts(remote, tools) for role, remote in remotes.items()},
        "image": {**image.facts, "packages": image.packages},
        "machine": machine_facts(),
    }


def _bar(order: BlockOrder, seconds: float) -> tqdm:
    return tqdm(
        total=round(seconds), unit="s", file=sys.stderr, dynamic_ncols=True,
        mininterval=0.5 if sys.stderr.isatty() else 20,
        desc=f"{order.scenario} block {order.block}",
        bar_format="{desc} {percentage:3.0f}%|{bar:12}| {remaining} left {postfix}",
    )


def _progress(bar: tqdm, trial: str):
    last = {"seconds": 0.0}

    def on_probe(name: str, seconds: float) -> None:
        bar.update(min(last["seconds"], bar.total - bar.n))
        last["seconds"] = seconds
        bar.set_postfix_str(f"{trial} {name}", refresh=sys.stderr.isatty())

    return on_probe
