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
    """One profile of config/profiles.yaml. A field that it does not give is as in the profile that
    it is like, else the default."""

    meaning: str = ""
    """purpose of the profile, in words"""
    like: str | None = None
    """another profile, whose value counts if a scenario gives no value under this profile's name"""
    scenarios: list[str] | None = None
    """scenarios that a campaign measures; null: all"""
    blocks: int | None = Field(None, ge=1, le=1000)
    """blocks of each scenario that gives no number under this profile's name; null: as the profile
    that it is like, or as the scenario says for all profiles"""
    compile: bool = True
    """whether a kernel may be compiled for guests"""
    kernel: Literal["debian", "instructions"] = "debian"
    """kernel of guests if neither testbed nor scenario chooses: Debian's own, or one compiled with
    code for the processor's instructions"""
    pace: bool = True
    """whether the pace of the machine is recorded around each trial, and trials at another pace
    than their block are measured again (campaign/pace.py)"""
    rounds: int | None = Field(None, ge=1, le=100)
    """number of rounds in which a campaign is measured (campaign/rounds.py); null: it has none"""
    least: int | None = Field(None, ge=1)
    """number of complete rounds with which a campaign may be released; null: all"""
    gate: Gate = Gate()
    """bounds of disturbances of a round"""

    def measures(self, scenario: str) -> bool:
        """Whether a campaign measures a scenario."""
        return self.scenarios is None or scenario in self.scenarios


class Profiles(RootModel[dict[str, Profile]]):
    """The content of config/profiles.yaml, from the shortest profile to the longest."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        if not self.root:
            raise ValueError("no profile; expected at least one")
        known = scenario_names()
        for name, profile in self.root.items():
            for scenario in profile.scenarios or ():
                if scenario not in known:
                    raise ValueError(
                        f"{name}.scenarios: no scenario {scenario!r}; known: {', '.join(known)}"
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


def profile_of(name: str) -> Profile:
    """The profile `name`, with the fields of those that it is like; for a name that is not in the
    file (any more) all defaults. Raises UserError."""
    known, found = profiles(), Profile()
    for one in reversed([*known.chain(name)]):
        given = known.root.get(one, found)
        found = found.model_copy(update={f: getattr(given, f) for f in given.model_fields_set})
    return found


def check_profile_name(name: str) -> None:
    """Check that there is a profile `name`. Raises UserError if not."""
    if name not in profile_names():
        raise UserError(f"profile {name!r}: unknown; {profiles().known} ({PATH})")


def _own_blocks(value: object, profile: str) -> int | None:
    """`blocks` of the profile, unless `value`, of a scenario, has a number that is nearer to it."""
    by_name = value if isinstance(value, dict) else {}
    chain = ((name, profiles().root[name].blocks) for name in profiles().chain(profile))
    return next((None if name in by_name else n for name, n in chain if n or name in by_name), None)


def under_profile(value: object, profile: str, field: str = "") -> Any:
    """`value` with every mapping of profiles to values replaced by the profile's value. Its keys
    are names of profiles, and nothing else. `field` is the place of `value` in its document. Raises
    ValueError naming the field."""
    if field == ".blocks" and (blocks := _own_blocks(value, profile)):
        return blocks
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
