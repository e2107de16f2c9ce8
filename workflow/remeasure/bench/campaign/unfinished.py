"""Campaigns with rounds that are not finished. Nobody looks at their results: anyone who still
decides whether to go on would decide by them."""

from collections.abc import Iterable
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.folder import (
    Frozen,
    block_path,
    frozen_path,
    load_frozen,
    read_frozen,
)
from remeasure.bench.campaign.profiles import profile_of
from remeasure.bench.campaign.round_plan import Round


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
