"""Real authentications through strongSwan and FreeRADIUS, and messages of failed ones."""

import datetime
import functools
import shutil
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest
import zstandard
from inside import guests_of, measured, scenario_of
from real_guests import run_inside

from remeasure.bench.ipsec import pki
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.radius import LOG, SERVERS, RadiusServer
from remeasure.bench.lab.namespace import enter
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.authentication import Authentication
from remeasure.bench.testbed.tools import Tool

pytestmark = [pytest.mark.lab, pytest.mark.slow]
SCENARIO = scenario_of("eap")
IMPATIENT = "charon-systemd { plugins { eap-radius { retransmit_timeout = 0.5 } } }"
"""of a server that does not answer: the responder gives up after 4 s, not 14"""
OTHER_GROUP = """\
sed -i -E 's/^( *proposals) = .*/\\1 = aes256-sha256-modp2048/' /etc/swanctl/swanctl.conf
swanctl --load-conns"""
"""the responder takes another key exchange than the initiator proposes"""
MUTE = "tc qdisc replace dev backbone root netem loss 100%"


class OtherSecret(pki.Credentials):
    """Each end of RADIUS is told a secret of its own."""

    def secret(self, name: str) -> str:
        return pki.secrets.token_hex(32) if name == "radius" else super().secret(name)


STUB = RadiusServer(
    daemon="stub-radius",
    tool=Tool(["perl", "-e", "print $^V"], "perl"),
    command=f"""perl -e '$0 = "stub-radius"; open L, ">{LOG}"; print L "ready"; close L; sleep'""",
    ready="ready",
    files=lambda *_: {},
)
"""another kind of server: a daemon that only reports that it is ready"""


def measure_inside(folder: str) -> dict:
    """Trials, some of which something is done to; their logs are in the folder."""
    enter()
    folder = Path(folder)
    records = {}
    with guests_of(SCENARIO.topology) as remotes:

        def trial(name, method, credentials, on_probe=lambda: None, tries=1, probes=("direct",)):
            cell, logs = {"method": method}, folder / name
            record = measured(SCENARIO, remotes, cell, logs, credentials, probes, on_probe)
            records[name] = record
            if record["verdict"] == "rejected" and tries > 1:
                # Other tests keep the machine busy; a campaign would measure it again, too.
                shutil.rmtree(logs)
                trial(name, method, credentials, on_probe, tries - 1, probes)

        good = pki.Credentials(folder / "secrets")
        trial("tls", "tls", good, tries=3, probes=())
        trial("ttls", "ttls", good, tries=3)
        trial("hybrid", "hybrid", good, tries=3)
        trial("endless", "endless", with_one_key(OneKey(folder / "one-key-secrets")))
        trial("expired", "tls", with_expired_certificate(pki.Credentials(folder / "old-secrets")))
        trial("other-group", "hybrid", good, lambda: remotes["responder"].run(OTHER_GROUP))
        remotes["responder"].write("/etc/strongswan.d/impatient.conf", IMPATIENT)
        trial("other-secret", "md5", OtherSecret(folder / "secrets"))
        trial("no-answer", "md5", good, lambda: remotes["aaa"].run(MUTE))
        remotes["aaa"].run("tc qdisc del dev backbone root")
        trial("afterwards", "md5", good, tries=3)
        return records | {"stub": stub_of(remotes, good)}


class OneKey(pki.Credentials):
    """All certificates of a long chain have one key: it takes long to find 45."""

    @functools.cached_property
    def _only(self):
        return super()._key("rsa2048", "")

    def _key(self, kind, name):
        return self._only


def with_one_key(credentials: pki.Credentials) -> pki.Credentials:
    credentials.end_entity("supplicant", "rsa2048", 2)
    credentials.end_entity("aaa", "rsa2048", 45)
    return credentials


def with_expired_certificate(credentials: pki.Credentials) -> pki.Credentials:
    credentials.root("rsa2048")
    with patch.object(pki, "LIFETIME", datetime.timedelta(hours=-1)):
        credentials.end_entity("supplicant", "rsa2048", 3)
    return credentials


def stub_of(remotes, credentials: pki.Credentials) -> dict:
    SERVERS["stub"] = STUB
    tunnel = SCENARIO.settings({"method": "md5"}).tunnel.model_copy(update={"radius": "stub"})
    stub = TunnelControl(tunnel, SCENARIO.topology, remotes, credentials)
    stub.configure()
    running = remotes["aaa"].run(f"pgrep -x {stub.daemons[-1]}")
    stub.stop()
    return {"running": running, "left": remotes["aaa"].run("pgrep -x stub-radius", check=False)}


@pytest.fixture(scope="module")
def logs(shared_project):
    return shared_project.folder / "trials"


@pytest.fixture(scope="module")
def trials(shared_project, logs):
    return run_inside(shared_project, measure_inside, logs)


def test_a_method_proves_itself(trials, logs):
    """With chains of three and four certificates the server's flight takes four packets, the
    client's three, the first ClientHello and the last Finished one each: nine."""
    record = trials["tls"]
    assert record["verdict"] != "rejected", record["reasons"]
    found = {check["name"]: check["found"] for check in record["checks"]}
    assert found["direct: IKE exchanges"] == str([9 + 3] * 6)
    assert found["reauthentication: negotiations on demand"] == "2"
    assert found["train: negotiations on demand"] == "[5]"
    assert found["responder: IKE_SA remote-eap-id"] == "supplicant"
    assert found["initiator: intermediate certificates received"] == "2"
    values = {
        o.metric: o.value
        for entry in record["logs"]
        for o in PROBES[entry["probe"]].parse(
            entry["file"], (logs / "tls" / entry["file"]).read_bytes()
        )
    }
    assert values["initiator_cpu"] > 0
    assert values["rtt"] > 2 * values["aaa_time"] / 3
    # Requests of a train are lost until one passes: none waits.
    assert values["requests"] > 1 and values["wait"] > 2 * values["aaa_time"] / 3


def test_no_frame_is_left_lying_between_guests(trials, logs):
    """A guest that is not told of a frame finds it with the next one, which is IKE's repetition
    after seconds. A lab of taps had that now and then."""
    for name in ("tls", "ttls", "hybrid", "afterwards"):
        log = logs / name / "direct-01.initiator.log"
        found = Authentication.parse(log.name, log.read_bytes())
        assert [o.value for o in found if o.metric == "ike_retransmits"] == [0] * 6, name


@pytest.mark.parametrize(
    ("name", "check", "found"),
    [
        ("afterwards", "direct: IKE exchanges", str([2 + 3] * 6)),
        ("afterwards", "responder: IKE_SA remote-eap-id", "supplicant"),
        ("afterwards", "initiator: intermediate certificates received", "0"),
        ("ttls", "direct: EAP types", "{21}"),
        ("hybrid", "direct: IKE exchanges", str([3] * 6)),
    ],
)
def test_other_methods_and_one_after_failures(trials, name, check, found):
    assert trials[name]["verdict"] != "rejected", trials[name]["reasons"]
    assert {c["name"]: c["found"] for c in trials[name]["checks"]}[check] == found


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("endless", "EAP_TLS packet count exceeded (3"),
        ("expired", "certificate has expired"),
        ("other-group", "responder: received proposals: "),
        ("other-secret", "invalid Message-Authenticator"),
        ("no-answer", "RADIUS Access-Request timed out after 4 attempts"),
    ],
)
def test_a_failure_is_quoted_from_the_daemon_that_knows(trials, name, reason):
    assert trials[name]["verdict"] == "rejected"
    # The hosts' present state comes after the daemon's words.
    assert reason in trials[name]["reasons"][0], trials[name]["reasons"]


def test_no_secret_is_in_a_log(trials, logs):
    secrets = [(logs / "secrets" / name).read_bytes() for name in ("radius", "eap")]
    paths = [path for path in logs.glob("*/*") if not path.parent.name.endswith("secrets")]
    assert len(paths) > 9
    for path in paths:
        content = path.read_bytes()
        if path.suffix == ".zst":
            content = zstandard.ZstdDecompressor().stream_reader(BytesIO(content)).read()
        assert not any(secret in content for secret in secrets), path
        assert b"PRIVATE KEY" not in content, path


def test_another_kind_of_server_is_run_by_its_name(trials):
    assert trials["stub"]["running"]
    assert trials["stub"]["left"] == ""
