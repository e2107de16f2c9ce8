"""Real authentications through strongSwan and FreeRADIUS, and what is said of those that fail."""

from io import BytesIO
from pathlib import Path

import pytest
import zstandard
from real_guests import run_inside

from remeasure.bench.probes import PROBES
from remeasure.bench.probes.authentication import Authentication

pytestmark = [pytest.mark.lab, pytest.mark.slow]
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def logs(shared_project):
    return shared_project.folder / "trials"


@pytest.fixture(scope="module")
def trials(shared_project, logs):
    return run_inside(shared_project, HERE / "inside_eap.py", logs)


def test_a_method_proves_itself(trials, logs):
    """With chains of three and four certificates the server's flight takes four packets, the
    client's three, the first ClientHello and the last Finished one each: nine."""
    record = trials["tls"]
    assert record["verdict"] != "rejected", record["reasons"]
    found = {check["name"]: check["found"] for check in record["checks"]}
    assert found["direct: IKE exchanges, from RADIUS"] == str([9 + 3] * 6)
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
    # Requests of a train are lost until one passes: none is held.
    assert values["requests"] > 1 and values["wait"] > 2 * values["aaa_time"] / 3


def test_no_frame_is_left_lying_between_guests(trials, logs):
    """A guest that is not told of a frame finds it with the next one, which is IKE's repetition
    after seconds. A lab of taps had that now and then."""
    for name in ("tls", "ttls", "hybrid", "afterwards"):
        log = logs / name / "direct-01.initiator.log"
        repeated = [
            o.value
            for o in Authentication.parse(log.name, log.read_bytes())
            if o.metric == "ike_retransmits"
        ]
        assert repeated == [0] * 6, name


@pytest.mark.parametrize(
    ("name", "check", "found"),
    [
        ("afterwards", "direct: IKE exchanges, from RADIUS", str([2 + 3] * 6)),
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
    # What hosts show then comes after what the daemon said.
    said = trials[name]["reasons"][0]
    assert reason in said, said


def test_no_secret_is_in_a_log(trials, logs):
    secrets = [(logs / "secrets" / name).read_bytes() for name in ("radius", "eap")]
    for path in logs.glob("*/*"):
        if path.parent.name not in ("secrets", "expired-secrets", "one-key-secrets"):
            content = path.read_bytes()
            if path.suffix == ".zst":
                content = zstandard.ZstdDecompressor().stream_reader(BytesIO(content)).read()
            assert not any(secret in content for secret in secrets), path
            assert b"PRIVATE KEY" not in content, path


def test_another_kind_of_server_is_run_and_counted_by_its_name(trials):
    counted = trials["stub"]["counted"].splitlines()
    assert [line.split()[1] for line in counted] == ["(stub-radius)"]
    assert trials["stub"]["left"] == ""
