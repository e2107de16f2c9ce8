"""A ground for LaTeX: the rule that makes the paper, alone."""

import shutil

from projects import ROOT

from grounds import GROUNDS, Ground


class PaperGround(Ground):
    """The project with its raw data, and the folders that notebooks hand over, which are empty: a
    fault of LaTeX ends the rule before it looks for a figure."""

    def prepare(self) -> None:
        folder = self.project.folder
        shutil.copytree(ROOT / "data/raw", folder / "data/raw", dirs_exist_ok=True)
        for notebook in (folder / "notebooks").glob("*.ipynb"):
            (folder / "results/handed" / notebook.stem).mkdir(parents=True)
        (folder / "results/paper/figures").mkdir(parents=True)
        for name in ("numbers.tex", "campaigns.tex"):
            (folder / "results/paper" / name).touch()

    def files(self) -> set[str]:
        """Without what LaTeX writes beside the paper."""
        return {name for name in super().files() if not name.startswith("results/paper/")}


GROUNDS["paper"] = PaperGround
