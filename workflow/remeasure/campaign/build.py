"""What `snakemake` builds: config/config.yaml, with what `--config` sets laid over it."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from remeasure import config
from remeasure.campaign.profiles import check_profile_name
from remeasure.campaign.scenario import scenario_names
from remeasure.paths import CONFIG

PATH = CONFIG / "config.yaml"


def _names(value: object) -> tuple[str, ...]:
    """Names from a YAML list, or from text with commas. Snakemake makes `--config campaign=2026` a
    number, and `campaign=` nothing."""
    if value is None:
        return ()
    names = value if isinstance(value, list | tuple) else str(value).replace(",", " ").split()
    if isinstance(value, bool | float | dict) or not all(isinstance(n, str | int) for n in names):
        raise ValueError("expected a name, or several as a,b")
    return tuple(map(str, names))


_Given = str | int | list[str | int] | None
Names = Annotated[tuple[str, ...], BeforeValidator(_names, json_schema_input_type=_Given)]


class Build(config.Strict):
    """One run of the workflow. The defaults of `remeasure measure` are of the file as well."""

    campaign: Names = ()
    """campaigns to build all scenarios from, instead of those in `scenarios`"""
    profile: str | None = None
    """name of a profile in config/profiles.yaml, for campaigns that have no block yet"""
    without: Names = ()
    """scenarios to leave out"""
    wagner_raw: str | None = None
    """folder with the raw files of study wagner; fetch: they are downloaded; null: they are not at
    hand"""
    testbed: str
    """name of a file in config/testbeds, without suffix"""
    seed: int = Field(strict=True)
    """seed of the order of trials in each block"""
    scenarios: dict[str, Names]
    """scenario -> the campaigns to build it from"""

    @field_validator("profile")
    @classmethod
    def _is_a_profile(cls, name: str | None) -> str | None:
        if name is not None:
            check_profile_name(name)
        return name

    @field_validator("without", "scenarios")
    @classmethod
    def _have_files(cls, names):
        known = scenario_names()
        for name in names:
            if name not in known:
                raise ValueError(f"no scenario {name!r}; known: {', '.join(known)}")
        return names

    @property
    def campaigns(self) -> dict[str, tuple[str, ...]]:
        """Scenario -> campaigns, of the scenarios to build: those of the file in its order, then
        all others that have a file. One without a campaign is left out."""
        every = dict.fromkeys([*self.scenarios, *scenario_names()])
        found = {name: self.campaign or self.scenarios.get(name, ()) for name in every}
        return {name: of for name, of in found.items() if of and name not in self.without}


def read_build(settings: dict | None = None) -> Build:
    """`settings`: the file's with those of `--config`; by default the file's. Raises UserError."""
    if settings is None:
        return config.load(Build, PATH)
    return config.validate(Build, settings, f"{Path(PATH.parent.name) / PATH.name} or --config")
