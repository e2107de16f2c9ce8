"""Resources of a job that measures a block, if a cluster runs the workflow's jobs."""

import math

from remeasure.bench.campaign.plan import block_seconds
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.lab.testbeds import LabTestbed, Testbed
from remeasure.bench.testbed.inventory import Inventory

RESOURCES = ("cpus_per_task", "mem_mb", "runtime", "slurm_extra")
"""names of the resources of such a job"""
_TIMES_LONGER = 3
"""run time of a job over the plan of its probes; released blocks took 0.3 to 1.6 times their plan
if it was over a minute"""
_BEFORE_AND_BETWEEN_MIN = 15
"""run time beyond it, for guests that start and trials that begin [min]"""
_HARNESS_MIB = 2048
"""memory of the harness, and of files kept in memory [MiB]"""
_ALL = -1
"""number by which Snakemake's executor for Slurm leaves the number of processors out; an exclusive
job then has them all"""


def resources_of(scenario: Scenario, testbed: Testbed) -> dict[str, int | str]:
    """Resources of the job of one block, by Snakemake's names. A block that computes on its node
    has the whole node. In virtual time, and with machines elsewhere, it has one processor."""
    alone = isinstance(testbed, LabTestbed)
    guests = len(scenario.topology.hosts) if alone else 1
    guests_mib = 0 if isinstance(testbed, Inventory) else guests * testbed.memory_mib
    minutes = math.ceil(_TIMES_LONGER * block_seconds(scenario) / 60)
    return {
        "cpus_per_task": _ALL if alone else 1,
        "slurm_extra": "--exclusive" if alone else "",
        "mem_mb": guests_mib + _HARNESS_MIB,
        "runtime": minutes + _BEFORE_AND_BETWEEN_MIN,
    }
