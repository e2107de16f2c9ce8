"""A ground for notebooks: what reads tables, and makes figures and numbers of them."""

from grounds import GROUNDS, ArchiveGround
from remeasure.paper.tidy.tables import write_tables


class NotebookGround(ArchiveGround):
    """One block of a campaign at {block}, its tables in {tables}, and a notebook of cells that the
    catalogue gives, notebooks/tried.ipynb."""

    def prepare(self) -> None:
        super().prepare()
        tables = self.project.folder / "results/tidy/psk-rsa"
        write_tables([self.block], tables)
        (self.project.folder / "results/handed").mkdir()
        self.names["tables"] = str(tables.relative_to(self.project.folder))


GROUNDS["notebook"] = NotebookGround
