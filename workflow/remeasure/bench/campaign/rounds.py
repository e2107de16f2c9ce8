"""The rounds of a campaign: stretches in which every scenario is measured. A campaign that is cut
short then has blocks of each scenario, and a machine that changes over days changes all alike.

A scenario's blocks are spread evenly: of 16 in eight rounds, two in each; of 6, one in six of them;
of 4, one in every second round. The longest blocks choose first at which round their spread begins:
rounds should be equally long, then have equally many blocks. The seed draws among equals. Lengths
are the planned times of probes, since a plan must not change with what was measured.

Nobody looks at the results of a campaign with rounds that is not finished: anyone who still decides
whether to go on would decide by them. A campaign is finished once all rounds are measured, or once
it is released after `least` complete rounds: nothing is measured afterwards. All its blocks are
then used, also if their round is not complete. The plan and the time at the end have chosen
them, not their results, and a scenario's blocks are replicates whichever round they belong to.

Each kind of machine measures a campaign of its own by the same plan. The one with most complete
rounds is the main one (of equals, the one begun first). It needs `least` of them. The others are
released next to it, whatever the number of their rounds."""

import random
import string
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.worktree import require_commit
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.machine_kind import in_words
from remeasure.bench.campaign.plan import block_seconds
from remeasure.bench.campaign.profiles import PATH, check_profile_name, profile_of
from remeasure.bench.campaign.round_plan import PlannedBlock, Round
from remeasure.bench.campaign.scenario import Scenario


class ScenarioBlocks(NamedTuple):
    """The blocks of one scenario in a campaign."""

    blocks: int
    """number of its blocks"""
    seconds: float
    """planned duration of one block [s]"""


def draw_rounds(parts: Mapping[str, ScenarioBlocks], seed: int, rounds: int) -> list[Round]:
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
            rounds[-1].append(PlannedBlock(name, before[name]))
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
    frozen = folder.read_frozen(campaign)
    if frozen:
        frozen.require_profile(profile)
        profile, seed = frozen.profile, frozen.seed
    elif profile is not None:
        check_profile_name(profile)
    own = profile_of(profile or "")
    every = {
        name: folder.choose_scenario(campaign, name, profile)
        for name in scenario_names()
        if own.measures(name)
    }
    if own.rounds is None:
        raise UserError(
            f"profile {profile}: has no rounds; choose one that has, or add `rounds` to it ({PATH})"
        )
    if (own.least or 1) > own.rounds:
        raise UserError(
            f"{PATH}: {profile}.least: found {own.least}, expected at most {own.rounds} (rounds)"
        )
    if frozen and frozen.rounds:
        begun = {name: one for name, one in every.items() if name in frozen.scenarios}
        return Rounds(frozen.rounds.rounds, begun)
    parts = {
        name: ScenarioBlocks(one.design.blocks, block_seconds(one)) for name, one in every.items()
    }
    return Rounds(draw_rounds(parts, seed, own.rounds), every)


def require_begun(campaign: str, profile: str) -> None:
    """For a campaign that has not begun: raises UserError if the commit of the code is unknown, or
    if the profile has rounds, whose plan comes first."""
    if folder.read_frozen(campaign) is not None:
        return
    require_commit(campaign)
    if profile_of(profile).rounds:
        raise UserError(
            f"{folder.frozen_path(campaign)}: not there, and profile {profile} has rounds; begin "
            f"the campaign by remeasure round {campaign} --profile {profile}"
        )


def missing_blocks(frozen: folder.Frozen) -> list[Round]:
    """For each round of a campaign the blocks that are yet to be measured; none without rounds."""
    return [
        [block for block in blocks if not folder.block_path(frozen.campaign, *block).exists()]
        for blocks in (frozen.rounds.rounds if frozen.rounds else ())
    ]


def progress(frozen: folder.Frozen) -> str:
    """'3 of 8 rounds'; empty if all are measured, or the campaign has none."""
    missing = missing_blocks(frozen)
    done = complete_rounds(frozen)
    return f"{done} of {len(missing)} rounds" if done < len(missing) else ""


def complete_rounds(frozen: folder.Frozen) -> int:
    return sum(not one for one in missing_blocks(frozen))


def names_by_kind(campaign: str) -> list[str]:
    """The name of a campaign, and of those by its plan on further kinds of machine: lab-1.0,
    lab-1.0-b, ..."""
    return [campaign, *(f"{campaign}-{letter}" for letter in string.ascii_lowercase[1:])]


def by_kind(campaign: str) -> list[folder.Frozen]:
    """The campaigns of all kinds of machine by the plan of this one, the main one first; none
    without rounds."""
    first = campaign[:-2] if campaign[-2:] in names_by_kind("")[1:] else campaign
    own, found = folder.read_frozen(campaign), map(folder.read_frozen, names_by_kind(first))
    if own is None or own.rounds is None:
        return []
    alike = [one for one in found if one and one.rounds and one.rounds.blocks == own.rounds.blocks]
    return sorted(alike, key=complete_rounds, reverse=True)


def kinds_in_words(campaign: str) -> list[str]:
    """A line for each kind of machine: 'lab-1.0: AMD EPYC, 2 processors, 8 GiB: 8 complete rounds,
    the main one'; none without rounds."""
    lines = []
    for place, one in enumerate(by_kind(campaign)):
        machine = in_words(one.machine) if one.machine else "machine unknown"
        role = "next to the main one" if place else "the main one"
        lines.append(f"{one.campaign}: {machine}: {complete_rounds(one)} complete rounds, {role}")
    return lines


def require_whole(blocks: Iterable[Path], preview: bool) -> str:
    """The mark of everything that is made from `blocks`: 'PREVIEW: lab-1.0, 3 of 8 rounds; do not
    cite' if their campaigns are unfinished; 'lab-1.0, 6 of 8 rounds' if they were released so;
    empty if they are whole. Raises UserError for an unfinished campaign unless this is a
    `preview`."""
    files = dict.fromkeys(block.parent.parent / "campaign.yaml" for block in blocks)
    found, open_ = {}, []
    for path in filter(Path.exists, files):
        frozen = folder.load_frozen(path)
        if said := progress(frozen):
            found[frozen.campaign] = said
            if not path.with_name(folder.MANIFEST).exists():
                open_.append(frozen.campaign)
    if open_ and not preview:
        require_finished(open_[0], found[open_[0]])
    words = ", ".join(f"{campaign}, {said}" for campaign, said in found.items())
    return f"PREVIEW: {words}; do not cite" if open_ else words


def require_finished(campaign: str, said: str) -> None:
    """Raises UserError if a campaign that is not released has `progress` to make."""
    if said:
        raise UserError(
            f"{campaign}: {said} measured, and nothing is looked at before the last one; go on: "
            f"remeasure round {campaign}; end it: remeasure release {campaign}; or build a "
            "preview, with a mark on everything: snakemake --config preview=true"
        )
