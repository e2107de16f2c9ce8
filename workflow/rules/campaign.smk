"""The blocks of each scenario, and the rules that measure missing ones."""

import fcntl
import functools
import re
from pathlib import Path

from remeasure.campaign.build import read_build
from remeasure.campaign.folder import (
    block_path,
    check_profile,
    check_settings,
    choose_scenario,
)
from remeasure.campaign.release import released_files, verify_campaign
from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.lab.testbeds import document_of, load_testbed
from snakemake.exceptions import WorkflowError


verified = functools.cache(verify_campaign)


def scenario_blocks(name: str, campaign: str) -> list[str]:
    """Block archives of a scenario in a campaign, measured or yet to be measured."""
    released = released_files(campaign)
    if released is not None:
        verified(campaign)
        check_profile(campaign, BUILD.profile)
        blocks = [f"data/raw/{campaign}/{f}" for f in released if f.startswith(f"{name}/")]
        if not blocks:
            raise UserError(
                f"data/raw/{campaign}: released without scenario {name}; name another campaign"
            )
        return blocks
    scenario = choose_scenario(campaign, name, BUILD.profile)
    check_settings(campaign, scenario, BUILD.seed, document_of(load_testbed(BUILD.testbed)))
    return [
        str(block_path(campaign, name, block).relative_to(ROOT))
        for block in range(1, scenario.design.blocks + 1)
    ]


try:
    BUILD = read_build(config)
    BLOCKS = {
        name: [block for campaign in campaigns for block in scenario_blocks(name, campaign)]
        for name, campaigns in BUILD.campaigns.items()
    }
except UserError as error:
    raise WorkflowError(str(error))

# A block that exists is a source, not the output of a job, so nothing can make Snakemake delete it
# and measure it again. The rule below matches only missing blocks.
MISSING = [b for blocks in BLOCKS.values() for b in blocks if not os.path.exists(b)]


def has_processors(block: str) -> bool:
    """True if a cell sets its guests' processors, for which a kernel may have to be compiled."""
    campaign, scenario = Path(block).parent.parent.name, Path(block).parent.name
    scenario = choose_scenario(campaign, scenario, BUILD.profile)
    return any(scenario.settings(cell).cpus for cell in scenario.cells)


onstart:
    # Unlike Snakemake's own lock, this one ends with the process, even if the process is killed.
    global _lock
    _lock = open(".snakemake/running", "w")
    try:
        fcntl.flock(_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another snakemake is at work in this folder; wait for it to end")


LAST = [block for block in MISSING if has_processors(block)]
FIRST = [block for block in MISSING if block not in LAST]
NOTHING = "(?!)"

if MISSING:

    rule measure:
        output:
            "{archive}",
        wildcard_constraints:
            archive="|".join(map(re.escape, FIRST)) or NOTHING,
        resources:
            testbed=1,
        priority: 10
        params:
            campaign=lambda wildcards: Path(wildcards.archive).parent.parent.name,
            scenario=lambda wildcards: Path(wildcards.archive).parent.name,
            block=lambda wildcards: int(Path(wildcards.archive).stem.removeprefix("block-")),
            profile=f"--profile {BUILD.profile}" if BUILD.profile else "",
            testbed=BUILD.testbed,
            seed=BUILD.seed,
        shell:
            # exec: the job must notice the end of its parent, whatever ended it
            "exec remeasure measure {params.campaign} {params.scenario} {params.block}"
            " {params.profile} --testbed {params.testbed:q} --seed {params.seed} >/dev/null"

    # Blocks that can be measured at once do not wait until a kernel is compiled.
    use rule measure as measure_processors with:
        output:
            "{archive}",
        wildcard_constraints:
            archive="|".join(map(re.escape, LAST)) or NOTHING,
        priority: 5
