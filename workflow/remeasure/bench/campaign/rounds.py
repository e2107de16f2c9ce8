"""The rounds of a campaign: stretches in which every scenario is measured. A campaign that is cut
short then has blocks of each scenario, and a machine that changes over days changes all alike.

A scenario's blocks are spread evenly: of 16 in eight rounds, two in each; of 6, one in six of them;
of 4, one in every second round. The longest blocks choose first at which round their spread begins:
rounds should be equally long, then have equally many blocks. The seed draws among equals. Lengths
are the planned times of probes, since a plan must not change with what was measured.

Nobody looks at the results of a campaign with rounds that is not finished: anyone who still decides
whether to go on would decide by them."""

import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.campaign.folder import (
    Frozen,
    block_path,
    choose_scenario,
    frozen_path,
    load_frozen,
    read_frozen,
)
from remeasure.bench.campaign.plan import block_seconds
from remeasure.bench.campaign.profiles import PATH, check_profile_name, profile_of
from remeasure.bench.campaign.round_plan import Block, Round
from remeasure.bench.campaign.scenario import Scenario


class Part(NamedTuple):
    """The blocks of one scenario in a campaign."""

    blocks: int
    """number of its blocks"""
    seconds: float
    """planned duration of one block [s]"""


def draw_rounds(parts: Mapping[str, Part], seed: int, rounds: int) -> list[Round]:
    """Every block of every scenario once, in `rounds` rounds. Blocks of a scenario are numbered
    from round to round; the order within a round is random. Depends on the arguments only."""
    lengths, counts = [0.0] * rounds, [0] * rounds
    drawn: list[list[str]] = [[] for _ in range(rounds)]
    for name, part in sorted(parts.items(), key=lambda item: (-item[1].seconds, item[0])):
        every, more = divmod(part.blocks, rounds)
        chance = random.Random(f"{seed}/rounds/{name}")

        def unevenness(places: list[int], seconds: float = part.seconds) -> tuple[float, int]:
            """Sums of squares after a scenario's odd blocks went to rounds at `places`."""
            odd = [i in places for i in range(rounds)]
            return (
                round(sum((lengths[i] + seconds * odd[i]) ** 2 for i in range(rounds)), 3),
                sum((counts[i] + odd[i]) ** 2 for i in range(rounds)),
            )

        starts = chance.sample(range(rounds), rounds)
        spreads = [[(i * rounds // more + at) % rounds for i in range(more)] for at in starts]
        chosen = min(spreads, key=unevenness)
        for i in range(rounds):
            here = every + (i in chosen)
            lengths[i] += here * part.seconds
            counts[i] += here
            drawn[i] += [name] * here
    return _numbered(drawn, seed)


def _numbered(drawn: list[list[str]], seed: int) -> list[Round]:
    """The blocks of each round in random order, with their numbers."""
    before: dict[str, int] = {}
    rounds: list[Round] = []
    for number, names in enumerate(drawn, 1):
        random.Random(f"{seed}/round {number}").shuffle(names)
        rounds.append([])
        for name in names:
            before[name] = before.get(name, 0) + 1
            rounds[-1].append(Block(name, before[name]))
    return rounds


class Rounds(NamedTuple):
    """The plan of a campaign."""

    rounds: list[Round]
    scenarios: dict[str, Scenario]
    """the scenarios in rounds, under the profile; those that the campaign began, as it froze
    them"""


def campaign_rounds(campaign: str, profile: str | None, seed: int) -> Rounds:
    """The rounds of a campaign, begun or not; `profile` may be None if it has begun. Raises
    UserError for an unknown profile, one without rounds, and one other than the campaign began
    with."""
    frozen = read_frozen(campaign)
    if frozen:
        frozen.require_profile(profile)
        profile, seed = frozen.profile, frozen.seed
    elif profile is not None:
        check_profile_name(profile)
    own = profile_of(profile or "")
    every = {
        name: choose_scenario(campaign, name, profile)
        for name in scenario_names()
        if own.measures(name)
    }
    if own.rounds is None:
        raise UserError(
            f"profile {profile}: has no rounds; choose one that has, or add `rounds` to it ({PATH})"
        )
    if frozen and frozen.rounds:
        begun = {name: one for name, one in every.items() if name in frozen.scenarios}
        return Rounds(frozen.rounds.rounds, begun)
    parts = {name: Part(one.design.blocks, block_seconds(one)) for name, one in every.items()}
    return Rounds(draw_rounds(parts, seed, own.rounds), every)


def require_begun(campaign: str, profile: str) -> None:
    """Raises UserError if the profile has rounds, and the campaign has no plan of them yet."""
    if profile_of(profile).rounds and read_frozen(campaign) is None:
        raise UserError(
            f"{frozen_path(campaign)}: not there, and profile {profile} has rounds; begin the "
            f"campaign by remeasure round {campaign} --profile {profile}"
        )


def missing_blocks(frozen: Frozen) -> list[Round]:
    """For each round of a campaign the blocks that are yet to be measured; none without rounds."""
    return [
        [block for block in blocks if not block_path(frozen.campaign, *block).exists()]
        for blocks in (frozen.rounds.rounds if frozen.rounds else ())
    ]


def progress(frozen: Frozen) -> str:
    """'3 of 8 rounds'; empty if the campaign is finished, or has no rounds."""
    missing = missing_blocks(frozen)
    done = sum(not one for one in missing)
    return f"{done} of {len(missing)} rounds" if done < len(missing) else ""


def require_whole(blocks: Iterable[Path], preview: bool) -> str:
    """The mark of everything that is made from `blocks`: 'PREVIEW: lab-1.0, 3 of 8 rounds; do not
    cite' if their campaigns are unfinished; empty if they are whole. Raises UserError for an
    unfinished campaign unless this is a `preview`."""
    files = dict.fromkeys(block.parent.parent / "campaign.yaml" for block in blocks)
    found = {}
    for path in filter(Path.exists, files):
        frozen = load_frozen(path)
        if said := progress(frozen):
            found[frozen.campaign] = said
    if found and not preview:
        require_finished(*next(iter(found.items())))
    return f"PREVIEW: {', '.join(f'{c}, {n}' for c, n in found.items())}; do not cite" * bool(found)


def require_finished(campaign: str, said: str) -> None:
    """Raises UserError if a campaign has `progress` to make."""
    if said:
        raise UserError(
            f"{campaign}: {said} measured, and nothing is looked at before the last one; go on: "
            f"remeasure round {campaign}; or look, with a mark on everything: --preview "
            "(snakemake: --config preview=true)"
        )
