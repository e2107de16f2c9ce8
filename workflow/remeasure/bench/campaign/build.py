"""The build of `snakemake`: config/config.yaml, overlaid by settings of `--config`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import CONFIG, RAW
from remeasure.bench.campaign.profiles import check_profile_name

PATH = CONFIG / "config.yaml"


def _names(value: object) -> tuple[str, ...]:
    """Names from a YAML list, or from text with commas. Snakemake reads `--config campaign=2026` as
    a number, and `campaign=` as no value."""
    if value is None:
        return ()
    names = value if isinstance(value, list | tuple) else str(value).replace(",", " ").split()
    if isinstance(value, bool | float | dict) or not all(isinstance(n, str | int) for n in names):
        raise ValueError("expected a name, or several as a,b")
    found = tuple(map(str, names))
    for name in found:
        if found.count(name) > 1:
            raise ValueError(f"found {name!r} {found.count(name)} times, expected each name once")
    return found


_Given = str | int | list[str | int] | None
Names = Annotated[tuple[str, ...], BeforeValidator(_names, json_schema_input_type=_Given)]


class Build(config.Strict):
    """The settings of one run of the workflow, also the defaults of `remeasure measure`."""

    campaign: Names = ()
    """campaigns from which all scenarios are built, instead of those in `scenarios`"""
    profile: str | None = None
    """name of a profile in config/profiles.yaml, for campaigns that have no block yet"""
    without: Names = ()
    """scenarios to leave out"""
    testbed: str
    """name of a file in config/testbeds, without suffix"""
    seed: int = Field(strict=True)
    """seed of the order of trials in each block"""
    hours: float = Field(48, gt=0)
    """longest time that the probes of all missing blocks may take by estimate [h]; a longer plan is
    refused"""
    preview: bool = False
    """build from campaigns whose rounds are not all measured, with a mark on everything"""
    draft: bool = False
    """make a release though CITATION.cff is not filled in"""
    scenarios: dict[str, Names]
    """scenario -> the campaigns from which it is built"""

    @field_validator("profile")
    @classmethod
    def _is_a_profile(cls, name: str | None) -> str | None:
        if name is not None:
            check_profile_name(name)
        return name

    @field_validator("without", "scenarios")
    @classmethod
    def _have_files(cls, names: list[str]) -> list[str]:
        known = scenario_names()
        for name in names:
            if name not in known:
                raise ValueError(f"no scenario {name!r}; known: {', '.join(known)}")
        return names

    @property
    def results(self) -> str:
        """The folder of all that is built. Campaigns of `--config campaign=` have their own."""
        return f"results/{'+'.join(self.campaign)}".rstrip("/")

    @property
    def campaigns(self) -> dict[str, tuple[str, ...]]:
        """The scenarios to build: scenario -> its campaigns. The scenarios of config.yaml come
        first, in its order, then all others with a file. A scenario without a campaign is left
        out."""
        every = dict.fromkeys([*self.scenarios, *scenario_names()])
        found = {name: self.campaign or self.scenarios.get(name, ()) for name in every}
        return {name: of for name, of in found.items() if of and name not in self.without}


def read_build(settings: dict[str, Any] | None = None) -> Build:
    """Validate config/config.yaml. `settings` is its content, already overlaid by `--config`; None:
    read the file. Raises UserError."""
    if settings is None:
        return config.load(Build, PATH)
    return config.validate(Build, settings, f"{Path(PATH.parent.name) / PATH.name} or --config")


def require_as_written(settings: Mapping[str, object], words: Iterable[str]) -> None:
    """Raises UserError for a setting of `--config` that Snakemake read as another number than the
    command line (`words`) shows: campaign=010 is not campaign 10."""
    for name, _, text in (word.partition("=") for word in words):
        found = settings.get(name)
        if type(found) is int and text != str(found):
            expected = f"expected {name}={found}, or a name that is no number"
            raise UserError(f"--config {name}={text}: found the number {found}, {expected}")


def nearest(campaign: str) -> str:
    """A question that suggests the campaign with the name most like `campaign`, which has no
    folder; empty if none is like it."""
    return config.near(campaign, (folder.name for folder in RAW.glob("*")))


def if_sparse() -> str:
    """The end of a message on a campaign that is not there, maybe since git left out its folder."""
    there = (RAW.parent / "manifests.sha256").exists()
    return "" if there else f"; without {RAW.parent}: git sparse-checkout disable"
