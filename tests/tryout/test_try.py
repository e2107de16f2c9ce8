"""A pair of our own, whose answers are known: in a guest with traps at both ends, and in one with
none."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cases import cases
from real_guests import run_inside
from tunnels import site_tunnel

from remeasure.bench.base.paths import ROOT
from remeasure.bench.ipsec.overhead import largest_packet
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.tryout.reading_pair import read_pair
from remeasure.bench.tryout.replay import replay
from remeasure.bench.tryout.running_pair import RunningPair, Way
from remeasure.bench.tryout.set_up import set_up
from remeasure.bench.tryout.try_events import observed
from remeasure.bench.tryout.try_sizes import sizes

pytestmark = pytest.mark.lab
BASE = cases(str(Path(__file__).with_name("test_broken_pairs.py")), "base")
WAY = Way(rtt_ms=50, mtu=1500, rate_mbit=100, jitter_ms=20)


def stopped(running: RunningPair) -> dict:
    return observed(running, "stop", moments=1)["ends"]


def answers(folder: str) -> dict:
    """Answers of both pairs."""
    parts = get_parts()
    enter(tun=False)

    def asked(name: str, old: str, *questions) -> list[dict]:
        files = [Path(folder) / f"{name}-{side}.conf" for side in BASE]
        for path, text in zip(files, BASE.values(), strict=True):
            path.write_text(text.replace(old, ""))
        with RunningPair(parts, read_pair(*files), WAY, False, f"test {name}") as running:
            return [question(running) for question in questions]

    with ThreadPoolExecutor(2) as pool:
        traps = pool.submit(asked, "traps", "", set_up, sizes, replay, stopped)
        none = pool.submit(asked, "none", "start_action = trap", stopped)
    up, fits, window, with_traps = traps.result()
    found = {"up": up, "fits": fits, "window": window}
    return found | {"with traps": with_traps, "without": none.result()[0]}


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    return run_inside(shared_project, answers, tmp_path_factory.mktemp("pairs"))


def test_it_comes_up_with_the_algorithms_of_the_files(found):
    up = found["up"]
    assert (up["up"], up["answered"], up["began"], up["initiator"]) == (True, True, "trap", "left")
    assert up["ike"] == "AES_CBC-128/HMAC_SHA2_256_128/PRF_HMAC_SHA2_256/CURVE_25519"
    (child,) = up["children"]
    # The first keys come from the IKE_SA's own exchange (RFC 7296, section 1.2).
    assert (child["protocol"], child["mode"], child["proposal"]) == (
        "ESP",
        "tunnel",
        "AES_GCM_16-128",
    )
    assert (child["local"], child["remote"]) == (["10.1.0.0/16"], ["10.2.0.0/16"])
    # IKE_SA_INIT and IKE_AUTH: two round trips.
    assert (up["negotiation"]["exchanges"], up["negotiation"]["datagrams"]) == (2, 4)
    assert up["took_ms"] == pytest.approx(2 * WAY.rtt_ms, rel=0.03)
    assert up["authentication"] == ["'right.example' with pre-shared key"]
    assert (up["complaints"], up["windows"]) == ({}, {"left": [32], "right": [32]})


def test_the_largest_packet_is_the_computed_one(found):
    most = largest_packet(site_tunnel(ike="aes128-sha256-x25519", esp="aes128gcm16"), WAY.mtu)
    expected = {"mtu": most, "mss": most - 40, "told": True}
    assert found["fits"] == {"left": expected, "right": expected}


def test_the_kernel_drops_what_the_order_of_packets_says(found):
    window = found["window"]
    assert window["window"] == 32 and window["packets"] == 8000
    assert window["share"] == window["share_by_window"]["32"] > 0.5
    # 20 ms of standard deviation reorder hundreds of 10,400 packets per second.
    assert 512 < window["enough"] <= 4096


def test_without_traps_a_stop_leaks_for_good_and_with_them_the_tunnel_is_back(found):
    for end, peer in (("left", "right"), ("right", "left")):
        (one,) = found["without"][end]
        assert one["leaks_still"] == {"left": True, "right": True}
        assert (one["back_s"], one["up"], one["by"]) == (None, False, None)
        (one,) = found["with traps"][end]
        # The end that stops has no policies for 20 s; its peer's trap holds its packets back.
        assert one["leaked_s"][end] == pytest.approx(20, abs=1)
        assert one["leaked_s"][peer] == 0
        assert 20 <= one["back_s"] < 25 and one["up"]


@pytest.mark.slow
def test_the_example_gives_its_report():
    """Also on another machine, in another folder and under load."""
    folder = Path("docs/examples/try")
    files = [str(folder / "left.conf"), str(folder / "right.conf")]
    command = ["remeasure", "try", *files, "--rate", "100mbit"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said == (ROOT / folder / "report.txt").read_text()
