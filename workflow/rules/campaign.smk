"""Which blocks the campaign has, and how those that are missing come to be."""

import fcntl

from remeasure.campaign.folder import block_path, choose_scenario
from remeasure.campaign.release import released_files, verify_campaign
from remeasure.errors import UserError
from remeasure.paths import ROOT
from snakemake.exceptions import WorkflowError

CAMPAIGN = config["campaign"]
SCENARIOS = config["scenarios"]


def campaign_blocks() -> dict[str, list[str]]:
    """scenario -> its block archives, there or yet to be measured."""
    released = released_files(CAMPAIGN)
    if released is not None:
        verify_campaign(CAMPAIGN)
        folder = f"data/raw/{CAMPAIGN}"
        return {
            s: [f"{folder}/{f}" for f in released if f.startswith(f"{s}/")] for s in SCENARIOS
        }
    scenarios = {s: choose_scenario(CAMPAIGN, s, config["profile"]) for s in SCENARIOS}
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

# A block that is there is a source, and no job's output: nothing can make Snakemake measure it
# again or delete it.
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
            "data/raw/{campaign}/{scenario}/block-{block}.zip",
        wildcard_constraints:
            campaign=CAMPAIGN,
        resources:
            testbed=1,
        priority: 10
        params:
            profile=f"--profile {config['profile']}" if config["profile"] else "",
        shell:
            # exec: the job must see its parent end, whatever ends it
            "exec remeasure measure {wildcards.campaign} {wildcards.scenario} {wildcards.block}"
            " {params.profile} --testbed {config[testbed]} --seed {config[seed]} >/dev/null"
