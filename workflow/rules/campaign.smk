"""The blocks of each scenario, and the rules that measure missing ones."""

import fcntl
import functools
import re
import sys
from pathlib import Path

from remeasure.campaign.build import PATH, read_build
from remeasure.campaign.folder import (
    block_path,
    check_profile,
    check_settings,
    choose_scenario,
)
from remeasure.campaign.kernels import prepare_kernels
from remeasure.campaign.plan import block_seconds, require_time
from remeasure.campaign.release import released_files, verify_campaign
from remeasure.campaign.virtual_blocks import fits
from remeasure.errors import UserError, advice
from remeasure.paths import ROOT
from remeasure.lab.testbeds import LabTestbed, document_of, load_testbed
from remeasure.lab.virtual.testbed import VirtualTestbed
from remeasure.publish.execution.part_folders import remove_parts
from remeasure.temporary import claim, open_own, remove_left
from remeasure.workflow_parent import say_parent
from remeasure.yaml_files import read_yaml
from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

if not os.access(".", os.W_OK):
    raise WorkflowError(
        f"{os.getcwd()}: not writable; results are built here: copy it, or make it so"
    )


# Whatever ends Snakemake, its jobs end, too.
say_parent()

verified = functools.cache(verify_campaign)


@functools.cache
def scenario_of_campaign(campaign: str, name: str):
    """A scenario as a campaign has it, or would have it."""
    return choose_scenario(campaign, name, BUILD.profile)


@functools.cache
def seconds_of_block(campaign: str, name: str) -> float:
    return block_seconds(scenario_of_campaign(campaign, name))


def settings() -> object:
    """config/config.yaml, overlaid by `--config`. Not by the directive `configfile`, whose reader
    takes the last of a key given twice."""
    document = read_yaml(PATH)
    if isinstance(document, dict):
        update_config(document, config)
    return document


def scenario_blocks(name: str, campaign: str) -> list[str]:
    """Block archives of a scenario in a campaign, measured or yet to be measured."""
    released = released_files(campaign)
    if released is not None:
        verified(campaign)
        check_profile(campaign, BUILD.profile)
        own = [f for f in released if f.startswith(f"{name}/") and f.endswith(".zip")]
        blocks = [f"data/raw/{campaign}/{f}" for f in own]
        if not blocks:
            raise UserError(
                f"data/raw/{campaign}: released without scenario {name}; name another campaign"
            )
        return blocks
    scenario, testbed = scenario_of_campaign(campaign, name), load_testbed(BUILD.testbed)
    check_settings(campaign, scenario, BUILD.seed, document_of(testbed))
    return [
        str(block_path(campaign, name, block).relative_to(ROOT))
        for block in range(1, scenario.design.blocks + 1)
    ]


def can_be_had(name: str, campaigns: tuple[str, ...]) -> bool:
    """Whether these campaigns have a scenario, or the testbed can answer what it asks."""
    testbed = load_testbed(BUILD.testbed)
    return all(
        released_files(campaign) is not None or fits(scenario_of_campaign(campaign, name), testbed)
        for campaign in campaigns
    )


try:
    BUILD = read_build(settings())
    BLOCKS = {
        name: [block for campaign in campaigns for block in scenario_blocks(name, campaign)]
        for name, campaigns in BUILD.campaigns.items()
        if can_be_had(name, campaigns)
    }
    LEFT_OUT = [name for name in BUILD.campaigns if name not in BLOCKS]
    # A block that exists is a source, not the output of a job, so nothing can make Snakemake delete
    # it and measure it again. The rule below matches only missing blocks.
    MISSING = [b for blocks in BLOCKS.values() for b in blocks if not os.path.exists(b)]
    require_time(
        "blocks that are missing",
        sum(seconds_of_block(*Path(block).parts[-3:-1]) for block in MISSING),
        BUILD.hours,
    )
except UserError as error:
    raise WorkflowError(str(error))


TESTBED = load_testbed(BUILD.testbed) if MISSING else None

# Snakemake takes as a target only a rule's name or a rule's output. A block that is there is neither,
# so where the command line names one, a rule that does nothing has its name.
for _block in sorted({b for blocks in BLOCKS.values() for b in blocks} & {*sys.argv} - {*MISSING}):

    rule:
        name:
            _block
        input:
            _block,


# Where the testbed is this machine, a measuring job asks for every core, so nothing of the workflow
# runs beside it. This is a matter of the schedule and not of the graph: an analysis whose inputs
# were all missing blocks would wait for those that fail, too (--keep-going), and be made again when
# they are no longer missing. Snakemake scales the number down to --cores, whatever the machine has.
# Beside machines elsewhere, and on other nodes of a cluster, analysis may go on; and in virtual time,
# which nothing disturbs, so that as many blocks are measured at once as there are cores.
HERE = isinstance(TESTBED, LabTestbed) and workflow.nodes is None
EVERY_CORE = 1_000_000
# More than all that could run instead, since the scheduler adds up the priorities of jobs that it
# starts together. So every block is measured before the first analysis.
BEFORE_ALL = 1000


def prepare() -> None:
    """Before anything starts: make kernels that take seconds, say which ones are to be compiled."""
    measuring = [job for job in workflow.dag.needrun_jobs() if job.rule.name == "measure"]
    names = {(job.params.campaign, job.params.scenario) for job in measuring}
    for line in prepare_kernels(TESTBED, [scenario_of_campaign(*pair) for pair in sorted(names)]):
        print(line, file=sys.stderr)


def lock_clone() -> list:
    """Files that no other Snakemake has locked. Unlike Snakemake's own lock, these locks end with
    the process, even if the process is killed."""
    locked, path = [], Path(".snakemake/running")
    try:
        locked.append(open_own(path))
        fcntl.flock(locked[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Results may be a link to a folder that another clone has, too.
        path = Path("results")
        path.mkdir(exist_ok=True)
        locked.append(os.open(path, os.O_RDONLY))
        fcntl.flock(locked[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        place = path if len(locked) > 1 else "this folder"
        raise WorkflowError(f"another snakemake is at work in {place}; wait for it to end")
    except UserError as error:
        raise WorkflowError(str(error))
    except OSError as error:
        error.filename = error.filename or path
        raise WorkflowError(advice(error) or f"{error.filename}: {error.strerror}")
    return locked


onstart:
    global _locks, _temporary
    _locks = lock_clone()
    remove_left(_locks[0])
    _temporary = claim(_locks[0], Path(workflow.snakemake_tmp_dir))
    remove_parts("results/handed")
    start_all_servers(Path(workflow.snakemake_tmp_dir))
    if LEFT_OUT:
        print(
            f"left out, since testbed {BUILD.testbed} cannot answer what they ask:"
            f" {', '.join(LEFT_OUT)}",
            file=sys.stderr,
        )
    if workflow.nodes is None:
        # To limit how many jobs it starts a second, Snakemake looks at all jobs and their files
        # again every second, and once more a second for each job that has ended. It is to sleep
        # while blocks are measured here, and costs seconds of a build.
        workflow.scheduler.job_rate_limiter = None
    if HERE:
        try:
            prepare()
        except UserError as error:
            raise WorkflowError(str(error))


onerror:
    for name in remove_parts("results/handed"):
        print(
            f"notebooks/{name}.ipynb: its job was killed (by hand, or because memory was short); run"
            " it again",
            file=sys.stderr,
        )


if MISSING:

    rule measure:
        output:
            "{archive}",
        wildcard_constraints:
            archive="|".join(map(re.escape, MISSING)),
        priority: BEFORE_ALL
        threads: EVERY_CORE if HERE else 1
        resources:
            testbed=0 if isinstance(TESTBED, VirtualTestbed) else 1,
        params:
            campaign=lambda wildcards: Path(wildcards.archive).parent.parent.name,
            scenario=lambda wildcards: Path(wildcards.archive).parent.name,
            block=lambda wildcards: int(Path(wildcards.archive).stem.removeprefix("block-")),
            profile=f"--profile {BUILD.profile}" if BUILD.profile else "",
            testbed=BUILD.testbed,
            seed=BUILD.seed,
            hours=BUILD.hours,
        shell:
            # exec: the job must notice the end of its parent, whatever ended it
            "exec remeasure measure {params.campaign} {params.scenario} {params.block}"
            " {params.profile} --testbed {params.testbed:q} --seed {params.seed}"
            " --hours {params.hours} >/dev/null"
