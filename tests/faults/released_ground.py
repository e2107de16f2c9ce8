"""A project whose configuration names one small released campaign."""

import shutil
import subprocess

import yaml
from grounds import GROUNDS, Ground
from projects import ROOT


class ReleasedGround(Ground):
    """One scenario, built from one released campaign of 88 KB; others have no campaign."""

    campaign, scenario = "lab-2026-11-qemu", "per-cpu-sas"

    def prepare(self) -> None:
        raw = self.project.folder / "data/raw"
        shutil.copytree(ROOT / "data/raw" / self.campaign, raw / self.campaign)
        path = self.project.folder / "config/config.yaml"
        settings = yaml.safe_load(path.read_text())
        settings["scenarios"] = {self.scenario: self.campaign}
        path.write_text(yaml.safe_dump(settings, sort_keys=False))
        self.names |= {"campaign": self.campaign, "scenario": self.scenario}


class CommittedGround(ReleasedGround):
    """The same, as a clone of a repository."""

    def prepare(self) -> None:
        super().prepare()
        identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
            subprocess.run(["git", *identity, *command], cwd=self.project.folder, check=True)


GROUNDS["released"] = ReleasedGround
GROUNDS["committed"] = CommittedGround
