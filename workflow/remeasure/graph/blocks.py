"""The blocks of a build: present ones, and those yet to be measured; and resources of a job that
measures one, if a cluster runs the workflow's jobs."""

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.build import Build, nearest
from remeasure.bench.campaign.plan import block_seconds, require_time
from remeasure.bench.campaign.profiles import profile_of
from remeasure.bench.campaign.register import check_claims
from remeasure.bench.campaign.release import released_files, verify_campaign
from remeasure.bench.campaign.rounds import progress, require_begun, require_finished, require_whole
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.virtual_blocks import fits
from remeasure.bench.lab.testbeds import LabTestbed, Testbed, document_of, load_testbed
from remeasure.bench.testbed.inventory import Inventory

RESOURCES = ("cpus_per_task", "mem_mb", "runtime", "slurm_extra")
"""names of the resources of a Slurm job that measures a block"""
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


class Blocks:
    """The blocks of all scenarios of a build."""

    def __init__(self, build: Build):
        """Verifies the hashes of released campaigns. Raises UserError for a campaign that the build
        does not fit, and for blocks that would take longer to measure than the build allows."""
        _require_meant(build)
        self._build = build
        self._testbed = load_testbed(build.testbed)
        self._scenario = functools.cache(
            lambda campaign, name: folder.choose_scenario(campaign, name, build.profile)
        )
        self._released = functools.cache(released_files)
        self._verified = functools.cache(verify_campaign)
        self.of: Mapping[str, Sequence[str]] = {
            name: [block for campaign in campaigns for block in self._blocks(name, campaign)]
            for name, campaigns in build.campaigns.items()
            if self._can_be_had(name, campaigns)
        }
        """scenario -> archives of its blocks, for scenarios that are built"""
        self.left_out = [name for name in build.campaigns if name not in self.of]
        """scenarios that the testbed cannot answer, or that the profile leaves out"""
        self.every = [block for blocks in self.of.values() for block in blocks]
        """archives of all these blocks"""
        self.missing = [block for block in self.every if not Path(block).exists()]
        """archives of blocks that are yet to be measured"""
        for scenario in self.scenarios_of(self.missing):
            check_claims(scenario)
        counts = Counter(Path(block).parts[-3:-1] for block in self.missing)
        seconds = sum(
            count * block_seconds(self._scenario(campaign, name))
            for (campaign, name), count in counts.items()
        )
        require_time("blocks that are missing", seconds, build.hours)

    def is_released(self, block: str) -> bool:
        """Whether a block archive belongs to a released campaign."""
        return self._released(Path(block).parent.parent.name) is not None

    def scenario_of(self, block: str) -> Scenario:
        """The scenario of a block, as its campaign has it, or would have it."""
        campaign, name = Path(block).parts[-3:-1]
        return self._scenario(campaign, name)

    def scenarios_of(self, blocks: Iterable[str]) -> list[Scenario]:
        """The scenarios of some blocks, once for each campaign."""
        firsts = {Path(block).parent: block for block in sorted(blocks, reverse=True)}
        return [self.scenario_of(firsts[place]) for place in sorted(firsts)]

    def published(
        self, scenarios: Iterable[str], published_from: Mapping[str, Sequence[str]]
    ) -> bool:
        """Whether scenarios are all built from the released campaigns from which the paper is
        published. `published_from`: scenario -> these campaigns."""
        return all(
            scenario in self.of
            and self._build.campaigns[scenario] == published_from.get(scenario)
            and all(map(self.is_released, self.of[scenario]))
            for scenario in scenarios
        )

    def mark_of(self, scenario: str) -> str:
        """The mark of a preview from the blocks of a scenario; empty if it is none."""
        return require_whole(map(Path, self.of[scenario]), self._build.preview)

    def _blocks(self, name: str, campaign: str) -> list[str]:
        released = self._released(campaign)
        if released is not None:
            self._verified(campaign)
            if self._build.profile and (frozen := folder.read_frozen(campaign)):
                frozen.require_profile(self._build.profile)
            own = [f for f in released if f.startswith(f"{name}/") and f.endswith(".zip")]
            if not own:
                raise UserError(
                    f"data/raw/{campaign}: released without scenario {name}; name another campaign"
                )
            return [f"data/raw/{campaign}/{f}" for f in own]
        scenario = self._scenario(campaign, name)
        require_begun(campaign, scenario.profile)
        if frozen := folder.read_frozen(campaign):
            frozen.require_settings(scenario, self._build.seed, document_of(self._testbed))
        numbers = range(1, scenario.design.blocks + 1)
        paths = [folder.block_path(campaign, name, number) for number in numbers]
        if self._in_rounds(campaign):
            paths = [path for path in paths if path.exists()]
        return [str(path.relative_to(ROOT)) for path in paths]

    def _in_rounds(self, campaign: str) -> bool:
        """Whether a campaign has rounds, whose missing blocks `remeasure round` measures. Raises
        UserError if they are not all measured, unless this is a preview."""
        frozen = folder.read_frozen(campaign)
        if frozen and not self._build.preview:
            require_finished(campaign, progress(frozen))
        return frozen is not None and frozen.rounds is not None

    def _can_be_had(self, name: str, campaigns: Sequence[str]) -> bool:
        """Whether these campaigns have a scenario, or their profiles name it, and the testbed can
        answer its question."""

        def can(campaign: str) -> bool:
            if self._released(campaign) is not None:
                return True
            if self._in_rounds(campaign):
                return any((folder.campaign_folder(campaign) / name).glob("block-*.zip"))
            scenario = self._scenario(campaign, name)
            return profile_of(scenario.profile).measures(name) and fits(scenario, self._testbed)

        return all(map(can, campaigns))


def _require_meant(build: Build) -> None:
    """Raises UserError naming a campaign of config/config.yaml without a folder, whose name is like
    another's: it would be measured. Names in `--config campaign=` are intended."""
    for scenario, campaigns in build.campaigns.items():
        for campaign in () if build.campaign else campaigns:
            if not folder.campaign_folder(campaign).exists() and (question := nearest(campaign)):
                raise UserError(
                    f"config/config.yaml: scenarios.{scenario}: no campaign {campaign}{question} "
                    f"Begin a new one by --config campaign={campaign}"
                )


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
