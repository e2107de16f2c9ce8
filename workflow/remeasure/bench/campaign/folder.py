"""A campaign's folder: data/raw/<campaign>/ with campaign.yaml and <scenario>/block-NN.zip."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from filelock import FileLock
from pydantic import AfterValidator

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.names import plain_name
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.archive import FORMAT, check_format
from remeasure.bench.campaign.build import if_sparse, nearest, read_build
from remeasure.bench.campaign.formats import upgrade_campaign
from remeasure.bench.campaign.machine_kind import Machine, MachineKind, kind_with
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.register import Standing, check_claims, register
from remeasure.bench.campaign.round_plan import RoundPlan
from remeasure.bench.campaign.rules_file import rules_of_version
from remeasure.bench.campaign.scenario import Scenario, load_scenario
from remeasure.bench.claims.rules import PRESENT, RULES, Rules

MANIFEST = "manifest.json"
"""name of the manifest in the folder of a released campaign"""


def campaign_folder(campaign: str) -> Path:
    """data/raw/<campaign>. Raises UserError unless `campaign` is a plain name, since it also names
    hosts and files."""
    return RAW / plain_name("campaign", campaign)


def block_path(campaign: str, scenario: str, block: int) -> Path:
    return campaign_folder(campaign) / scenario / f"block-{block:02d}.zip"


def _known_rules(version: int) -> int:
    if version not in RULES:
        raise ValueError(f"found version {version}, expected one of {', '.join(map(str, RULES))}")
    return version


class Frozen(config.Strict):
    """Settings that the first block of a campaign fixed for the later ones (campaign.yaml)."""

    format: Annotated[int, AfterValidator(check_format)]
    """version of the format of this file"""
    campaign: str
    profile: str
    seed: int
    testbed: dict[str, Any]
    machine: MachineKind | None = None
    """kind of machine that measures; none for hosts elsewhere or in virtual time, and in campaigns
    begun before it was kept"""
    created: str
    """time at which the campaign began, in UTC"""
    software: str
    """commit of this repository when the campaign began; its code decides"""
    rules_file: dict[str, str] = {}
    """name, commit and SHA-256 of the file that names measuring and deciding code (rules_file.py);
    none if the campaign's name ends in no version that has one"""
    scenarios: dict[str, dict[str, Any]] = {}
    """scenario -> its file's content under the profile"""
    topologies: dict[str, dict[str, Any]] = {}
    """topology of a scenario or a cell -> its file's content; none in campaigns begun before it was
    kept"""
    registered: dict[str, dict[str, str]] = {}
    """scenario -> claim -> its hash when the campaign began to measure the scenario (see
    register.py); without scenarios that it began before a register was kept"""
    deciding: dict[str, str] = {}
    """scenario -> a hash of code; in campaigns begun before `software` named the code that decides
    (paper/publish/decided_then.py)"""
    rules: Annotated[int, AfterValidator(_known_rules)] = 1
    """version of the rules by which statements are judged (claims/rules.py)"""
    rounds: RoundPlan | None = None
    """plan; none if blocks are measured in any order"""

    def scenario(self, name: str, path: Path) -> Scenario:
        """The scenario `name`; `path` is the campaign's file. Raises UserError if the campaign has
        no such scenario."""
        if name not in self.scenarios:
            known = ", ".join(self.scenarios) or "none"
            raise UserError(f"{path}: scenarios.{name}: not there; found {known}")
        document, source = self.scenarios[name], f"{path}: scenarios.{name}"
        return Scenario(name, document, self.profile, source, self.topologies)

    def require_profile(self, profile: str | None) -> None:
        """Raises UserError unless the campaign has this profile; None: any will do."""
        if profile not in (None, self.profile):
            raise UserError(
                f"{frozen_path(self.campaign)}: campaign {self.campaign!r} was begun with profile "
                f"{self.profile}, found profile={profile}; name another campaign"
            )

    def require_settings(self, scenario: Scenario, seed: int, testbed: dict[str, Any]) -> None:
        """Compare the settings given now, and the scenario's file, with the campaign's first ones.
        Raises UserError naming the difference."""
        name = scenario.name
        # A scenario that the campaign does not have yet has just been read from its file.
        in_file = load_scenario(name, self.profile) if name in self.scenarios else scenario
        pairs = {
            "seed": (self.seed, seed),
            "testbed": (self.testbed, testbed),
            f"scenarios.{name}": (self.scenarios.get(name, in_file.document), in_file.document),
        }
        for network, now in in_file.documents.items():
            pairs[f"topologies.{network}"] = (self.topologies.get(network, now), now)
        differing = [f + _where(then, now) for f, (then, now) in pairs.items() if then != now]
        if differing:
            raise UserError(
                f"{frozen_path(self.campaign)}: campaign {self.campaign!r} was begun with other "
                f"settings ({'; '.join(differing)}); restore them, name another campaign, "
                f"or seal this one as it is: remeasure release {self.campaign}"
            )

    def with_scenario(self, scenario: Scenario) -> Self:
        """The campaign with a scenario, and the register of its claims if it is new."""
        name = scenario.name
        added: dict[str, dict[str, Any]] = {
            "scenarios": self.scenarios | {name: scenario.document},
            "topologies": self.topologies | scenario.documents,
        }
        if name not in self.scenarios:
            added["registered"] = self.registered | {name: register(name, self.rules)}
        return self.model_copy(update=added)


def read_frozen(campaign: str) -> Frozen | None:
    """Read campaign.yaml; None for a campaign that has not begun. Raises UserError if the file is
    wrong."""
    path = frozen_path(campaign)
    return load_frozen(path) if path.exists() else None


def choose_scenario(campaign: str, name: str, profile: str | None) -> Scenario:
    """The scenario as the campaign froze it, or as it would begin with `profile`. Raises UserError
    if the campaign began with another profile, or if it has not begun and `profile` is None."""
    frozen = read_frozen(campaign)
    if frozen is None:
        if profile is None:
            raise UserError(
                f"campaign {campaign!r} has no blocks yet{nearest(campaign)}; say how long to "
                f"measure: profile={'|'.join(profile_names())}{if_sparse()}"
            )
        return load_scenario(name, profile)
    frozen.require_profile(profile)
    if name in frozen.scenarios:
        return frozen.scenario(name, frozen_path(campaign))
    return load_scenario(name, frozen.profile)


def check_block(scenario: Scenario, block: int) -> None:
    """Raises UserError unless the scenario has a block of this number."""
    if not 1 <= block <= scenario.design.blocks:
        raise UserError(
            f"block {block}: expected 1 to {scenario.design.blocks}, which scenario "
            f"{scenario.name} has under profile {scenario.profile}"
        )


def configured_blocks(scenario: str) -> list[Path]:
    """Block archives of a scenario's campaigns in config/config.yaml. Raises UserError if there is
    no campaign, or no block."""
    campaigns = read_build().campaigns.get(scenario, ())
    blocks = [b for of in campaigns for b in sorted((RAW / of / scenario).glob("block-*.zip"))]
    if not blocks:
        raise UserError(
            f"{scenario}: no blocks in the campaigns that config/config.yaml names "
            f"({', '.join(campaigns) or 'none'})"
        )
    return blocks


def measured_scenario(block: Path) -> Scenario:
    """The scenario of a block as its campaign froze it. Raises UserError."""
    return frozen_with(block)[1]


def frozen_with(block: Path) -> tuple[Frozen, Scenario]:
    """Frozen settings of the campaign of a block, and the block's scenario in it. Raises
    UserError."""
    path = block.parent.parent / "campaign.yaml"
    frozen = load_frozen(path)
    return frozen, frozen.scenario(block.parent.name, path)


def rules_of(campaign: Path) -> Rules:
    """The rules by which a campaign's statements are judged; `campaign` is its folder. Raises
    UserError."""
    return RULES[load_frozen(campaign / "campaign.yaml").rules]


def stood_before(campaign: Path, scenario: str) -> dict[str, Standing]:
    """Each claim on trials of `scenario` -> whether it is older than they are; `campaign` is the
    folder of their campaign. Raises UserError."""
    frozen = load_frozen(campaign / "campaign.yaml")
    now, then = register(scenario, frozen.rules), frozen.registered.get(scenario)
    if then is None:
        return dict.fromkeys(now, "no record")
    return {
        claim: "before" if then.get(claim) == found else "changed since"
        for claim, found in now.items()
    }


def freeze(
    campaign: str,
    scenarios: Sequence[Scenario],
    seed: int,
    testbed: dict[str, Any],
    software: str,
    machine: Machine | None = None,
    rounds: RoundPlan | None = None,
) -> None:
    """Write campaign.yaml, or check that a new measurement belongs to the same campaign: scenarios
    of one profile, all or none. The register stays as it was first written, since a registered
    claim must be older than every block. `machine`: the one that measures. `rounds`: their plan, to
    begin a campaign whose profile has some. Raises UserError naming the difference, or the error in
    a claim."""
    for scenario in scenarios:
        check_claims(scenario)
    path = frozen_path(campaign)
    begun = Frozen(
        format=FORMAT,
        campaign=campaign,
        profile=scenarios[0].profile,
        seed=seed,
        testbed=testbed,
        software=software,
        rules_file={} if path.exists() else rules_of_version(campaign),
        rules=PRESENT,
        rounds=rounds,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    with FileLock(_made_folder(campaign) / ".lock"):
        frozen = load_frozen(path) if path.exists() else begun
        for scenario in scenarios:
            frozen.require_profile(scenario.profile)
            frozen.require_settings(scenario, seed, testbed)
            frozen = frozen.with_scenario(scenario)
        text = _as_text(frozen, kind_with("this machine", machine, frozen.machine, path))
        if not path.exists() or path.read_text() != text:
            atomic_write(path, text)


def _as_text(frozen: Frozen, kind: MachineKind | None) -> str:
    absent = {name for name in ("rounds", "rules_file") if not getattr(frozen, name)}
    document = frozen.model_dump(exclude=absent)
    text: str = yaml.safe_dump(document | {"machine": kind}, sort_keys=False, width=100)
    return text


def _made_folder(campaign: str) -> Path:
    """The folder of a campaign, which is made if it is missing. Raises UserError if another
    campaign's name differs only in case: some file systems take both for one."""
    folder = campaign_folder(campaign)
    for other in folder.parent.glob("*"):
        if other.name != folder.name and other.name.lower() == folder.name.lower():
            raise UserError(
                f"campaign {folder.name!r}: found {other.name}, expected more than case to differ; "
                "choose another name"
            )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def load_frozen(path: Path) -> Frozen:
    """Read campaign.yaml and convert it to the present format. Raises UserError."""
    frozen = config.load(Frozen, path)
    if frozen.format == FORMAT:
        return frozen
    document = frozen.model_dump()
    if frozen.format <= 2:
        document = upgrade_campaign(document)
    return Frozen(**document | {"format": FORMAT})


def frozen_path(campaign: str) -> Path:
    return campaign_folder(campaign) / "campaign.yaml"


def _where(then: object, now: object, prefix: str = "") -> str:
    """The first place where two documents differ, in words."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in [*then, *now]:
            if then.get(key) != now.get(key):
                return _where(then.get(key), now.get(key), f"{prefix}.{key}")
    return f"{prefix}: then {then!r}, now {now!r}"
