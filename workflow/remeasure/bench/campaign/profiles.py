"""Profiles decide how long and how often a campaign measures: config/profiles.yaml."""

import functools
from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import Field, RootModel, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.campaign.round_plan import Gate

PATH = CONFIG / "profiles.yaml"


class Profile(config.Strict):
    """One profile of config/profiles.yaml."""

    meaning: str = ""
    """purpose of the profile, in words"""
    like: str | None = None
    """another profile, whose value counts if a scenario gives no value under this profile's name"""
    scenarios: list[str] | None = None
    """scenarios that a campaign measures; null: as in the profile that this one is like, else
    all"""
    compile: bool | None = None
    """whether a kernel may be compiled for guests; null: as in the profile that this one is like,
    else true"""
    kernel: Literal["debian", "instructions"] | None = None
    """kernel of guests if neither testbed nor scenario chooses: Debian's own, or one compiled with
    code for the processor's instructions; null: as in the profile that this one is like, else
    Debian's"""
    rounds: int | None = Field(None, ge=1, le=100)
    """number of rounds in which a campaign is measured (campaign/rounds.py); null: as in the
    profile that this one is like, else a campaign has none"""
    gate: Gate | None = None
    """bounds of disturbances of a round; null: as in the profile that this one is like, else the
    default of each"""
    virtual: list[str] | None = None
    """scenarios that are measured in virtual time only, and belong to no round; null: as in the
    profile that this one is like, else none"""


class Profiles(RootModel[dict[str, Profile]]):
    """The content of config/profiles.yaml, from the shortest profile to the longest."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        if not self.root:
            raise ValueError("no profile; expected at least one")
        known = scenario_names()
        for name, profile in self.root.items():
            for field in ("scenarios", "virtual"):
                for scenario in getattr(profile, field) or ():
                    if scenario not in known:
                        raise ValueError(
                            f"{name}.{field}: no scenario {scenario!r}; known: {', '.join(known)}"
                        )
            seen: list[str] = []
            for one in self.chain(name):
                if one not in self.root:
                    raise ValueError(f"{seen[-1]}.like: no profile {one!r}; {self.known}")
                if one in seen:
                    raise ValueError(f"{name}.like: goes round: {' like '.join([*seen, one])}")
                seen.append(one)
        return self

    def chain(self, name: str) -> Iterator[str]:
        """Yield `name`, the profile that it is `like`, the profile that that one is `like`, and so
        on."""
        following: str | None = name
        while following is not None:
            yield following
            following = self.root[following].like if following in self.root else None

    @property
    def known(self) -> str:
        return f"known: {', '.join(self.root)}"


@functools.cache
def profiles() -> Profiles:
    """Read config/profiles.yaml. Raises UserError if the file is missing or wrong."""
    return config.load(Profiles, PATH)


def profile_names() -> tuple[str, ...]:
    """Names of all profiles, the shortest first. Raises UserError."""
    return tuple(profiles().root)


def measures(profile: str, scenario: str) -> bool:
    """Whether a campaign of this profile measures a scenario. Raises UserError."""
    chosen = _given(profile, "scenarios", None)
    return chosen is None or scenario in chosen


def may_compile(profile: str) -> bool:
    """Whether a kernel may be compiled under this profile. Raises UserError."""
    return bool(_given(profile, "compile", True))


def kernel_of(profile: str) -> str:
    """The kernel of guests under this profile, if nothing else decides. Raises UserError."""
    return str(_given(profile, "kernel", "debian"))


def rounds_of(profile: str) -> int | None:
    """Number of rounds of a campaign under this profile; None: it has none. Raises UserError."""
    number: int | None = _given(profile, "rounds", None)
    return number


def gate_of(profile: str) -> Gate:
    """Bounds of disturbances of a round under this profile. Raises UserError."""
    gate: Gate | None = _given(profile, "gate", None)
    return gate or Gate()


def in_virtual_time(profile: str, scenario: str) -> bool:
    """Whether a scenario is measured in virtual time only. Raises UserError."""
    return scenario in _given(profile, "virtual", ())


def _given(profile: str, field: str, otherwise: Any) -> Any:
    """A field of a profile, or of the first profile that it is like with this field."""
    known = profiles()
    given = (
        getattr(known.root[name], field) for name in known.chain(profile) if name in known.root
    )
    return next((value for value in given if value is not None), otherwise)


def check_profile_name(name: str) -> None:
    """Check that there is a profile `name`. Raises UserError if not."""
    if name not in profile_names():
        raise UserError(f"profile {name!r}: unknown; {profiles().known} ({PATH})")


def under_profile(value: object, profile: str, field: str = "") -> Any:
    """`value` with every mapping of profiles to values replaced by the profile's value. Its keys
    are names of profiles, and nothing else. `field` is the place of `value` in its document. Raises
    ValueError naming the field."""
    if isinstance(value, list):
        return [under_profile(item, profile, f"{field}.{i}") for i, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    here = field.removeprefix(".") or "document"
    given = [key for key in value if key in profile_names()]
    if not given:
        return {key: under_profile(item, profile, f"{field}.{key}") for key, item in value.items()}
    if others := [str(key) for key in value if key not in given]:
        raise ValueError(
            f"{here}: found {', '.join(given)}, which are profiles, and {', '.join(others)}, "
            "which are not; expected values by profile, or no name of a profile"
        )
    for name in profiles().chain(profile):
        if name in value:
            return under_profile(value[name], profile, f"{field}.{name}")
    raise ValueError(
        f"{here}: no value for profile {profile}; found {', '.join(given)}; give one, "
        f"or a field `like` of {profile} in {PATH.name}"
    )
