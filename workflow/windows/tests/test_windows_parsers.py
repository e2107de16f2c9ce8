"""Readers of Windows' output, on texts written from documentation (none is a tool's output)."""

import re
from pathlib import Path

import pytest
from cases import cases

from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.ipsec.agreement import Carried, check_by_link
from remeasure.bench.ipsec.proof import check_no_ipsec
from remeasure.bench.testbed.watching.counters import split_kinds
from remeasure.paper.tidy.counter_parsers import read_counters
from remeasure_windows import interfaces
from remeasure_windows.plan import TOOLS
from remeasure_windows.powershell import read
from remeasure_windows.state import check_link, check_tunnel, sections
from remeasure_windows.suites import ends_of, fields_of

FOLDER = Path(__file__).parent / "from-documentation"
SWEEP = load_scenario("algorithm-sweep", "quick")
SAMPLES = [
    ("netsecurity", "netsecurity-des-md5.txt", "des-md5"),
    ("netsecurity", "netsecurity-des-md5-numbers.txt", "des-md5"),
    ("advfirewall", "advfirewall-aes128-sha1.txt", "aes128-sha1"),
]


@pytest.fixture
def text():
    return lambda name: (FOLDER / name).read_text()


def ends(suite: str, gateway: str = "gw1"):
    return ends_of(SWEEP.settings({"suite": suite}).tunnel, SWEEP.topology, gateway)


def failed(suite: str, tool: str, content: str) -> list[str]:
    state = TOOLS[tool].read_state(content)
    return [
        str(check)
        for check in check_tunnel(ends(suite), state, TOOLS[tool].NAME)
        if not check.passed
    ]


@pytest.mark.parametrize(("tool", "file", "suite"), SAMPLES)
def test_a_tunnel_as_documented_is_proven(text, tool, file, suite):
    state = TOOLS[tool].read_state(text(file))
    assert state.rules == ["remeasure-tunnel"]
    assert "remeasure-tunnel" in state.ours
    assert {way for sa in state.sas for way in sa.directions} == {"in", "out"}
    assert [mode.auth for mode in state.main_modes] == ["psk"]
    checks = check_tunnel(ends(suite), state, TOOLS[tool].NAME)
    assert [str(check) for check in checks if not check.passed] == []
    names = [check.name for check in checks]
    assert {"gw1: CHILD_SA mode", "gw1: CHILD_SA encr-alg", "gw1: CHILD_SA integ-alg"} <= set(names)
    (check,) = check_no_ipsec("gw1", state.summary)
    assert not check.passed and "rule remeasure-tunnel, SA 198.51.100.1 to" in check.found
    for other in ("aes256-sha1", "des-sha1", "aes128gcm16"):
        assert any("CHILD_SA" in line for line in failed(other, tool, text(file))), other


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_is_nothing(text, tool):
    state = TOOLS[tool].read_state(text(f"{tool}-none.txt"))
    assert (state.rules, state.ours, state.sas, state.main_modes) == ([], [], [], [])
    assert check_no_ipsec("gw1", state.summary)[0].passed
    lines = failed("des-md5", tool, text(f"{tool}-none.txt"))
    assert "gw1: rules in force: found none, expected remeasure-tunnel" in lines
    assert "gw1: CHILD_SAs in: found 0, expected 1 or more" in lines


@pytest.mark.parametrize(
    ("old", "new", "line"), cases(__file__, "what_is_wrong_of_a_tunnel_is_said")
)
def test_what_is_wrong_of_a_tunnel_is_said(text, old, new, line):
    found = failed("des-md5", "netsecurity", text("netsecurity-des-md5.txt").replace(old, new))
    assert any(line in one for one in found), found


def test_one_sa_of_two_with_another_cipher_is_enough_to_reject(text):
    content = text("netsecurity-des-md5.txt")
    content = content[::-1].replace('"SED"', '"3SED"', 1)[::-1]
    assert failed("des-md5", "netsecurity", content) == [
        "gw1: CHILD_SA encr-alg: found 3DES_CBC / DES_CBC, expected DES_CBC"
    ]


@pytest.mark.parametrize(
    ("integrity", "encryption", "fields"), cases(__file__, "algorithms_by_name_and_by_number")
)
def test_algorithms_by_name_and_by_number(integrity, encryption, fields):
    assert fields_of(integrity, encryption) == fields


@pytest.mark.parametrize(("integrity", "encryption"), [("SHA1", "RC4"), ("CRC", "DES"), ("", "")])
def test_an_unknown_algorithm_is_refused(integrity, encryption):
    with pytest.raises(ValueError, match="an SA with .*not known"):
        fields_of(integrity, encryption)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    cases(__file__, "what_is_not_as_documented_is_refused_by_name"),
)
def test_what_is_not_as_documented_is_refused_by_name(text, file, old, new, message):
    content, tool = text(f"{file}.txt"), file.partition("-")[0]
    assert old in content
    with pytest.raises(ValueError, match=message):
        TOOLS[tool].read_state(content.replace(old, new))


LINKS = (
    "to wan\tUp\t100000000\t198.51.100.1/255.255.255.0,10.0.0.1/255.0.0.0\nto site1\tDown\t-1\t\n"
)


def test_connections_are_read_and_a_link_is_as_fast_as_asked():
    found = interfaces.read_look(LINKS)
    assert [str(a) for a in found["to wan"].addresses] == ["198.51.100.1/24", "10.0.0.1/8"]
    shaping = SWEEP.settings({"suite": "none"}).shaping["gw1.wan"]
    assert check_link("gw1.wan", shaping.rate_bits, found["to wan"]).passed
    for link, why in (("site1", "not up"), ("x", "no such connection")):
        check = check_link(f"gw1.{link}", shaping.rate_bits, found.get(f"to {link}"))
        assert str(check) == f"gw1.{link}: rate (bit/s): found {why}, expected 100000000"
    with pytest.raises(ValueError, match="found 'Ethernet', expected name, state, speed"):
        interfaces.read_look("Ethernet\n")


def test_counters_are_read_by_the_readers_of_linux():
    """The script's own template, filled in as PowerShell's -f does."""
    form = re.search(r"'(\{\{\"ifname.*?)' -f", read("counters", names=""))[1]
    texts = []
    for factor in (1, 3):
        link = form.format("to wan", *(factor * n for n in (1000, 10, 0, 2000, 20, 0)))
        texts.append(f"=== link.json\n[{link}]\n=== stat.txt\ncpu 5 0 6 70 0 1 2 0\n")
    counters = read_counters(split_kinds(texts[0]))
    found = {name: n for kind in counters.values() for name, n in kind.items()}
    assert {name: n for name, n in found.items() if n} == {
        "to wan_rx_packets": 10,
        "to wan_rx_bytes": 1000,
        "to wan_tx_packets": 20,
        "to wan_tx_bytes": 2000,
        "cpu_ms": 140,
        "cpu_own_ms": 140,
    }
    parts = [sections(text)["link.json"] for text in texts]
    for size, passed in ((2000, True), (2001, False)):
        checks = check_by_link("x", Carried("b", 20, 20, size), "to wan", *parts)
        assert all(check.passed for check in checks) == passed
