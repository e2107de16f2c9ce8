"""Grounds made from archives: tables, notebooks, the paper, released campaigns."""

import shutil

import yaml
from blocks import smaller
from projects import LEFT, ROOT

from grounds import GROUNDS, Ground, Said
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.tidy.tables import write_tables


class ArchiveGround(Ground):
    """One block of a campaign, small and real, at {block}, in the present format."""

    of = "lab-2026-11/psk-rsa"
    """the campaign and its scenario"""

    def prepare(self) -> None:
        source = LEFT / self.of / "block-01.zip"
        self.block = self.project.folder / "data/raw" / self.of / "block-01.zip"
        self.block.parent.mkdir(parents=True)
        shutil.copy(source.parents[1] / "campaign.yaml", self.block.parents[1])
        smaller(BlockArchive(source), self.block, lambda record: True)
        self.names["block"] = str(self.block.relative_to(self.project.folder))


class NotebookGround(ArchiveGround):
    """An archive with tables in {tables}, and a notebook of cells from the catalogue,
    notebooks/tried.ipynb."""

    def prepare(self) -> None:
        super().prepare()
        tables = self.project.folder / "results/tidy/psk-rsa"
        write_tables([self.block], tables)
        (self.project.folder / "results/handed").mkdir()
        self.names["tables"] = str(tables.relative_to(self.project.folder))


class PaperGround(Ground):
    """The project with its raw data, and empty folders of results of notebooks: a fault of LaTeX
    ends the rule before it looks for a figure."""

    def prepare(self) -> None:
        folder = self.project.folder
        shutil.copytree(ROOT / "data/raw", folder / "data/raw", dirs_exist_ok=True)
        for notebook in (folder / "notebooks").rglob("*.ipynb"):
            (folder / "results/handed" / notebook.stem).mkdir(parents=True)
        (folder / "results/paper/figures").mkdir(parents=True)
        (folder / "results/paper/numbers.tex").touch()

    def files(self) -> set[str]:
        """Without files that LaTeX writes next to the paper."""
        return {name for name in super().files() if not name.startswith("results/paper/")}


class ReleasedGround(Ground):
    """One scenario, built from one released campaign of 88 KB; others have no campaign."""

    campaign, scenario = "lab-2026-11-qemu", "per-cpu-sas"

    def prepare(self) -> None:
        self.wrapper: list[str] = []
        """command under which the ground's command runs"""
        raw = self.project.folder / "data/raw"
        shutil.copytree(ROOT / "data/raw" / self.campaign, raw / self.campaign)
        path = self.project.folder / "config/config.yaml"
        settings = yaml.safe_load(path.read_text())
        settings["scenarios"] = {self.scenario: self.campaign}
        path.write_text(yaml.safe_dump(settings, sort_keys=False))
        self.names |= {"campaign": self.campaign, "scenario": self.scenario}

    def run(self, command: list[str], **options) -> Said:
        return super().run([*self.wrapper, *command], **options)


GROUNDS |= {
    "archive": ArchiveGround,
    "notebook": NotebookGround,
    "paper": PaperGround,
    "released": ReleasedGround,
}
