"""The blocks of each scenario, and the rules that measure missing ones."""

import functools
import re
import sys
from pathlib import Path

from remeasure.bench.campaign.build import PATH, read_build, require_as_written
from remeasure.bench.campaign.folder import read_frozen
from remeasure.bench.campaign.kernels import prepare_kernels
from remeasure.bench.campaign.staging import remove_packed
from remeasure.bench.base.errors import UserError
from remeasure.graph.blocks import RESOURCES, Blocks, resources_of
from remeasure.graph.clone import lock
from remeasure.bench.lab.testbeds import LabTestbed, VirtualTestbed, load_testbed
from remeasure.paper.publish.execution.part_folders import remove_others, remove_parts
from remeasure.bench.base.interruption import say_parent
from remeasure.bench.base.files import read_yaml
from snakemake.exceptions import WorkflowError
from snakemake.persistence import PersistenceBase
from snakemake.utils import update_config

if not os.access(".", os.W_OK):
    raise WorkflowError(
        f"{os.getcwd()}: not writable; results are built here: copy it, or make it so"
    )
if workflow.resource_settings.cores is not None and workflow.resource_settings.cores < 0:
    raise WorkflowError(f"--cores: found {workflow.resource_settings.cores}, expected 1 or more")


# No parameter of a rule is a table. To look whether one is, Snakemake would load pandas at every start.
PersistenceBase._serialize_param = PersistenceBase._serialize_param_builtin


# Whatever ends Snakemake, its jobs end, too.
say_parent()


def settings() -> object:
    """config/config.yaml, overlaid by `--config`. Not by the directive `configfile`, whose reader
    takes the last of a key given twice."""
    document = read_yaml(PATH)
    if isinstance(document, dict):
        require_as_written(config, sys.argv)
        update_config(document, config)
    return document


try:
    BUILD = read_build(settings())
    BLOCKS = Blocks(BUILD)
except UserError as error:
    raise WorkflowError(str(error))


RESULTS = BUILD.results
TAKEN = {"begun", "compare", "dataset", "handed", "jupyter", "notebooks", "paper", "release"}
TAKEN |= {"copied", "repeat", "site", "tidy"}
if taken := TAKEN & {*BUILD.campaign}:
    raise WorkflowError(
        f"campaign {min(taken)}: a folder of results/ has this name; choose another"
    )
TESTBED = load_testbed(BUILD.testbed) if BLOCKS.missing else None

# Snakemake takes as a target only a rule's name or a rule's output. A block that is there is neither,
# so where the command line names one, a rule that does nothing has its name. A block that is there is
# a source, not the output of a job, so nothing can make Snakemake delete it and measure it again.
for _block in sorted({*BLOCKS.every} & {*sys.argv} - {*BLOCKS.missing}):

    rule:
        name:
            _block
        input:
            _block,


# Where the testbed is this machine, a measuring job asks for every core, so nothing of the workflow
# runs at the same time. This is a matter of the schedule and not of the graph: an analysis whose inputs
# were all missing blocks would wait for those that fail, too (--keep-going), and be made again when
# they are no longer missing. Snakemake scales the number down to --cores, whatever the machine has.
# Beside machines elsewhere, and on other nodes of a cluster, analysis may go on; and in virtual time,
# which nothing disturbs, so that as many blocks are measured at once as there are cores.
# A job on a node reads these rules again, there without the number of nodes.
CLUSTER = workflow.nodes is not None or workflow.remote_exec
HERE = isinstance(TESTBED, LabTestbed) and not CLUSTER
APART = (VirtualTestbed, LabTestbed) if CLUSTER else VirtualTestbed
"""testbeds on which several blocks may be measured at once"""
EVERY_CORE = 1_000_000
# More than all that could run instead, since the scheduler adds up the priorities of jobs that it
# starts together. So every block is measured before the first analysis.
BEFORE_ALL = 1000


def prepare() -> None:
    """Before anything starts: make kernels that take seconds, say which ones are to be compiled."""
    measuring = [job for job in workflow.dag.needrun_jobs() if job.rule.name == "measure"]
    scenarios = BLOCKS.scenarios_of(job.wildcards.archive for job in measuring)
    for line in prepare_kernels(TESTBED, scenarios):
        print(line, file=sys.stderr)


onstart:
    try:
        lock()
    except UserError as error:
        raise WorkflowError(str(error))
    remove_packed(BLOCKS.every)
    remove_parts(f"{RESULTS}/handed")
    remove_others(f"{RESULTS}/handed", ALL_NOTEBOOKS)
    remove_others(f"{RESULTS}/notebooks", ALL_NOTEBOOKS)
    remove_others(f"{RESULTS}/tidy", BLOCKS.of)
    if BLOCKS.left_out:
        print(
            f"left out, since the profile does not name them or testbed {BUILD.testbed} cannot"
            f" answer what they ask: {', '.join(BLOCKS.left_out)}",
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


onsuccess:
    remove_packed(BLOCKS.every)


onerror:
    remove_packed(BLOCKS.every)
    for name in remove_parts(f"{RESULTS}/handed"):
        print(
            f"notebooks/{name}/{name}.ipynb: its job was killed (by hand, or because memory was short); run"
            " it again",
            file=sys.stderr,
        )


@functools.cache
def to_begin(campaign: str) -> list[str]:
    """Scenarios of a campaign that its campaign.yaml lacks, and whose blocks are missing."""
    frozen = read_frozen(campaign)
    begun = frozen.scenarios if frozen else {}
    missing = {Path(block).parts[-2] for block in BLOCKS.missing if campaign in Path(block).parts}
    return sorted(missing - {*begun})


def asked(name: str):
    """A resource that a block asks of its node, as a function of wildcards."""
    return lambda wildcards: resources_of(BLOCKS.scenario_of(wildcards.archive), TESTBED)[name]


SETTINGS = " ".join(
    [
        *([f"--profile {BUILD.profile}"] if BUILD.profile else []),
        f"--testbed '{BUILD.testbed}' --seed {BUILD.seed}",
    ]
)

# The mark of a campaign's beginning must not outlast its campaign.yaml.
for _campaign in {Path(block).parts[-3] for block in BLOCKS.missing}:
    if workflow.is_main_process and to_begin(_campaign):
        Path(f"results/begun/{_campaign}").unlink(missing_ok=True)

if BLOCKS.missing:

    # Here and not on a node of a cluster: common parts of blocks are made once, before the first one.
    localrules:
        begin,

    rule begin:
        output:
            touch("results/begun/{campaign}"),
        priority: BEFORE_ALL
        threads: EVERY_CORE if HERE else 1
        params:
            scenarios=lambda wildcards: to_begin(wildcards.campaign),
            build="--build" if CLUSTER else "",
        shell:
            "remeasure begin {wildcards.campaign} {params.scenarios} {SETTINGS} {params.build} >/dev/null"

    rule measure:
        input:
            # Of a campaign that has begun nothing is waited for, nor looked at.
            lambda wildcards: (
                [f"results/begun/{campaign}"]
                if to_begin(campaign := Path(wildcards.archive).parts[-3])
                else []
            ),
        output:
            "{archive}",
        wildcard_constraints:
            archive="|".join(map(re.escape, BLOCKS.missing)),
        priority: BEFORE_ALL
        threads: EVERY_CORE if HERE else 1
        resources:
            **({name: asked(name) for name in RESOURCES} if CLUSTER else {}),
            # In virtual time one block does not disturb another. Labs on nodes are separate.
            testbed=0 if isinstance(TESTBED, APART) else 1,
        params:
            campaign=lambda wildcards: Path(wildcards.archive).parent.parent.name,
            scenario=lambda wildcards: Path(wildcards.archive).parent.name,
            block=lambda wildcards: int(Path(wildcards.archive).stem.removeprefix("block-")),
            hours=BUILD.hours,
            prepared="REMEASURE_PREPARED=yes" if CLUSTER else "",
        shell:
            # exec: the job must notice the end of its parent, whatever ended it
            "{params.prepared} exec remeasure measure {params.campaign} {params.scenario}"
            " {params.block} {SETTINGS} --hours {params.hours} --keep-staging >/dev/null"


localrules:
    blocks,


rule blocks:
    input:
        BLOCKS.missing,
