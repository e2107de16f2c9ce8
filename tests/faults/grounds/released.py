"""A project whose configuration names one small released campaign."""

import shutil

import yaml
from projects import ROOT

from grounds import GROUNDS, Ground, Said


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


GROUNDS["released"] = ReleasedGround
