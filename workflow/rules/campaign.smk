"""Which blocks the campaign has, and how those that are missing come to be."""

import fcntl
from pathlib import Path

import re

from remeasure.campaign.folder import (
    block_path,
    check_profile,
    check_settings,
    choose_scenario,
)
from remeasure.campaign.release import released_files, verify_campaign
from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.testbed.inventory import load_testbed
from snakemake.exceptions import WorkflowError

CAMPAIGN = str(config["campaign"])
SCENARIOS = config["scenarios"]


def campaign_blocks() -> dict[str, list[str]]:
    """scenario -> its block archives, there or yet to be measured."""
    released = released_files(CAMPAIGN)
    if released is not None:
        verify_campaign(CAMPAIGN)
        check_profile(CAMPAIGN, config["profile"])
        folder = f"data/raw/{CAMPAIGN}"
        return {
            s: [f"{folder}/{f}" for f in released if f.startswith(f"{s}/")] for s in SCENARIOS
        }
    scenarios = {s: choose_scenario(CAMPAIGN, s, config["profile"]) for s in SCENARIOS}
    testbed = load_testbed(config["testbed"]).model_dump(mode="json")
    for scenario in scenarios.values():
        check_settings(CAMPAIGN, scenario, config["seed"], testbed)
    return {
        s: [
            str(block_path(CAMPAIGN, s, block).relative_to(ROOT))
            for block in range(1, scenario.design.blocks + 1)
        ]
        for s, scenario in scenarios.items()
    }


try:
    BLOCKS = campaign_blocks()
except UserError as error:
    raise WorkflowError(str(error))

# A block that is there is a source, and no job's output, so nothing can make Snakemake delete it and
# measure it again. The rule below matches the missing ones and no other.
MISSING = [b for blocks in BLOCKS.values() for b in blocks if not os.path.exists(b)]


onstart:
    # Unlike Snakemake's own lock, this one ends with the process, however that is killed.
    global _lock
    _lock = open(".snakemake/running", "w")
    try:
        fcntl.flock(_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another snakemake is at work in this folder; wait for it to end")


if MISSING:

    rule measure:
        output:
            "{archive}",
        wildcard_constraints:
            archive="|".join(map(re.escape, MISSING)),
        resources:
            testbed=1,
        priority: 10
        params:
            scenario=lambda wildcards: Path(wildcards.archive).parent.name,
            block=lambda wildcards: int(Path(wildcards.archive).stem.removeprefix("block-")),
            profile=f"--profile {config['profile']}" if config["profile"] else "",
        shell:
            # exec: the job must see its parent end, whatever ends it
            "exec remeasure measure {CAMPAIGN} {params.scenario} {params.block}"
            " {params.profile} --testbed {config[testbed]} --seed {config[seed]} >/dev/null"
