"""A project with a campaign of two rounds: two scenarios of one short trial, two blocks each."""

import yaml
from projects import Project
from real_guests import SMALL

SCENARIOS = ("small", "second")
ANY = {"foreign": 1, "steal": 1, "pace": 9, "spread": 9, "during": 1, "refused": 1}
"""a gate that is open on a machine which runs other tests"""


def add_rounds(project: Project, gate: dict | None = None) -> None:
    """Add the scenarios, and profile `rounds`. Its gate is open unless another one is given."""
    document = yaml.safe_load(SMALL.read_text()) | {"blocks": 2, "only": {"network": ["plain"]}}
    document["probes"] = {"latency": document["probes"]["latency"]}
    for name in SCENARIOS:
        project.scenario(name).write_text(yaml.safe_dump(document))
    own = {"like": "smoke", "pace": True, "scenarios": [*SCENARIOS], "rounds": 2}
    with (project.folder / "config/profiles.yaml").open("a") as file:
        yaml.safe_dump({"rounds": own | {"gate": gate or ANY}}, file)
