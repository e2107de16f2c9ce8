"""What a block in virtual time says that it was measured with, against what is here."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import Frozen, block_path, read_frozen
from remeasure.bench.lab.image import Image
from remeasure.bench.lab.testbeds import Testbed, document_of
from remeasure.bench.measure.checkout import DECIDES, files_that_differ

SHOWN = 3
"""number of packages that are named where many differ"""


@dataclass(frozen=True)
class Named:
    """A block that is to be measured again, and what it and its campaign name."""

    archive: Path
    frozen: Frozen
    software: str
    """commit that measured it; ends in '+' if files differed from that commit, `unknown` if there
    was no git repository"""
    image: Mapping[str, Any]
    """the guest image: recipe, suite, and packages (name -> version)"""

    def other_testbed(self, testbed: Testbed) -> list[str]:
        """In words, how `testbed` differs from the campaign's; empty if it does not."""
        then, now = self.frozen.testbed, document_of(testbed)
        return [f"testbed: the campaign has {then}, here is {now}"] if then != now else []

    def other_image(self, image: Image) -> list[str]:
        """In words, how `image` differs from the block's; empty if it does not."""
        recipe = self.image["recipe"], image.facts["recipe"]
        found = [f"image: the block has recipe {recipe[0]}, here is {recipe[1]}"]
        then, now = self.image["packages"], image.packages
        names = [name for name in sorted({*then, *now}) if then.get(name) != now.get(name)]
        shown = [
            f"{name} was {then.get(name, 'missing')}, is {now.get(name, 'missing')}"
            for name in names[:SHOWN]
        ]
        more = ["..."] if len(names) > SHOWN else []
        packages = f"image: {len(names)} packages differ: {', '.join([*shown, *more])}"
        return [*(found if recipe[0] != recipe[1] else []), *([packages] if names else [])]

    def other_code(self) -> list[str]:
        """In words, how the code here differs from the block's commit; empty if it does not."""
        files = files_that_differ(self.software)
        if files == []:
            return []
        what = (
            f"{len(files)} files of {', '.join(DECIDES)} differ"
            if files
            else "this repository has no such commit"
        )
        return [f"commit: the block has {self.software}; {what}"]


def named_block(campaign: str, scenario: str, number: int) -> Named:
    """What a measured block and its campaign name. Raises UserError if there is no such block, or
    if the block was not measured in virtual time."""
    archive = block_path(campaign, scenario, number)
    frozen = read_frozen(campaign)
    if frozen is None or not archive.exists():
        raise UserError(f"{archive}: no such block; measure it first")
    first = BlockArchive(archive).block["sessions"][0]
    if not first["guests"]["virtual_clock"]:
        raise UserError(
            f"{archive}: guests.virtual_clock: found False (back end {first['guests']['backend']}),"
            " expected True: no two blocks that were measured in real time are the same"
        )
    return Named(archive, frozen, first["software"], first["image"])
