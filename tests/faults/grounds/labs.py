"""Grounds with other labs than that of scenario `small`, plain."""

from injections.files import change
from projects import ROOT

from grounds import GROUNDS, LabGround

SCENARIOS = ROOT / "tests/measure"


class RadiusGround(LabGround):
    """Authentications by EAP-MD5, of which a RADIUS server decides."""

    scenario = SCENARIOS / "eap.yaml"
    cell = {"method": "md5"}
    probes = ("direct",)

    def prepare(self) -> None:
        super().prepare()
        # So many that they are not over before they meet the fault.
        change(self, {"notebooks/eap/scenario.yaml": {"probes.direct.count": 300}})


class FlowsGround(LabGround):
    """Flows of D-ITG through a tunnel between two hosts."""

    scenario = SCENARIOS / "flows.yaml"
    cell = {"suite": "modern"}
    probes = ("flow",)


GROUNDS |= {
    "lab-radius": RadiusGround,
    "lab-flows": FlowsGround,
}
