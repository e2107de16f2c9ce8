"""Grounds with other labs than that of scenario `small`, plain."""

from injections.files import change
from projects import ROOT

from grounds import GROUNDS, LabGround

SCENARIOS = ROOT / "tests/measure"


class DelayedGround(LabGround):
    """Scenario `small` on a link that netem delays."""

    cell = {"network": "slow"}


class RadiusGround(LabGround):
    """Authentications by EAP-MD5, of which a RADIUS server decides."""

    scenario = SCENARIOS / "eap.yaml"
    cell = {"method": "md5"}
    probes = ("direct",)

    def prepare(self) -> None:
        super().prepare()
        # So many that they are not over before they meet the fault.
        change(self, {"notebooks/eap/scenario.yaml": {"probes.direct.count": 300}})


class CertificatesGround(LabGround):
    """Authentications by EAP-TLS, so that both ends have certificates."""

    scenario = SCENARIOS / "eap.yaml"
    cell = {"method": "tls"}
    probes = ("direct",)


class FlowsGround(LabGround):
    """Flows of D-ITG through a tunnel between two hosts."""

    scenario = SCENARIOS / "flows.yaml"
    cell = {"suite": "modern"}
    probes = ("flow",)


class FilesGround(LabGround):
    """Transfers of files through a tunnel between two hosts, over a slow link."""

    scenario = SCENARIOS / "ftp.yaml"
    cell = {"suite": "modern", "link": "slow"}


GROUNDS |= {
    "lab-delayed": DelayedGround,
    "lab-radius": RadiusGround,
    "lab-certificates": CertificatesGround,
    "lab-flows": FlowsGround,
    "lab-files": FilesGround,
}
