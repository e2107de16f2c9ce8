"""Events of a tunnel in virtual time, and its daemons' view of their settings."""

import datetime
import re
from contextlib import closing
from pathlib import Path

import pytest
from inside import said
from real_guests import run_inside
from tunnels import site_tunnel

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.events import Event, happen
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.ipsec.proof import lifecycle_provers, policy_provers, tunnel_provers
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.virtual.guest import GuestParts, get_parts
from remeasure.bench.lab.virtual.virtual_lab import EPOCH_S, VirtualLab, VirtualRemote
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.remote import in_turn
from remeasure.bench.testbed.treatments.treatment import apply, prove

pytestmark = [pytest.mark.lab, pytest.mark.slow]
TOPOLOGY = load_topology("site-to-site")
SUITES = {"ike": "aes256-sha256-x25519", "esp": "aes128gcm16"}
TRAP = {"start_action": "trap"}
RESTART = {"start_action": "start", "close_action": "start", "dpd_action": "restart"}
QUICK = {"tries": 2, "timeout": 1.0, "base": 1.5}
EVENTS = {
    "child": ("child-by-both", 0, {}),
    "make": ("reauthentication", 0, {"make_before_break": True}),
    "break": ("reauthentication", 0, {"make_before_break": False}),
    "killed": ("killed", 2, {}),
    "stopped": ("stopped", 2, {}),
    "trap": ("stopped", 2, {"initiator": TRAP, "responder": TRAP}),
    "restart": ("stopped", 2, {"initiator": RESTART}),
    "away": ("host-away", 20, {}),
    "path": ("path-down", 10, {}),
    "quick": ("path-down", 20, {"dpd_delay": 5, "retransmission": QUICK}),
}
"""name -> an event, how long it lasts [s], and the lifecycle of the tunnel that it happens to"""
SETTINGS = {"initiator": RESTART, "responder": TRAP, "dpd_delay": 5, "keyingtries": 0}
SETTINGS |= {"retransmission": QUICK, "make_before_break": False, "guard": True}
SETTINGS |= {"extra": {"child": {"rekey_time": "600s"}, "charon": {"delete_rekeyed_delay": 3}}}


class Bench:
    """A tunnel in a lab of its own."""

    def __init__(self, parts: GuestParts, folder: str, lifecycle: dict):
        self.tunnel = site_tunnel(**SUITES, lifecycle=lifecycle)
        self._lab = VirtualLab(TOPOLOGY, parts, 512, 0, "events")
        self.close = self._lab.close
        self.remotes = {}
        for name in TOPOLOGY.hosts:
            interfaces = {link: link for link in TOPOLOGY.links_of(name)}
            fields = {"roles": [name], "address": "-", "key": Path("/dev/null")}
            host = Host(name=name, interfaces=interfaces, **fields)
            self.remotes[name] = VirtualRemote(host, lambda: self._lab)
        made = datetime.datetime.fromtimestamp(EPOCH_S, datetime.UTC)
        credentials = Credentials(Path(folder), "events", made)
        self.control = TunnelControl(self.tunnel, TOPOLOGY, self.remotes, credentials)
        ends = dict.fromkeys(self.tunnel.gateways, "wan")
        apply(clear_text.clear_text_setters(self.tunnel, TOPOLOGY, ends), self.remotes)
        self.control.configure()
        self.control.bring_up()

    def checks(self, kept: dict) -> list[str]:
        """The checks that fail."""
        provers = [
            *tunnel_provers(self.tunnel, used=False),
            *policy_provers(self.tunnel, TOPOLOGY),
            *lifecycle_provers(self.tunnel),
        ]
        return [str(c) for c in prove(provers, self.remotes, kept.__setitem__) if not c.passed]

    def ike_sas(self) -> list[int]:
        """IKE_SAs that are established at each gateway."""
        listed = [gw.run("swanctl --list-sas --raw") for gw in self.control.gateways.values()]
        return [len(re.findall(r"state=ESTABLISHED", text)) for text in listed]

    def reached(self) -> bool:
        """Whether an echo from one client to the other is answered within 3 s."""
        ping = "ping -q -c 3 -W 1 192.168.20.1 >/dev/null && echo yes || echo no"
        return self.remotes["client1"].run(ping).strip() == "yes"

    def left_of(self, event: Event, lasts_s: float) -> dict:
        """The rest of the tunnel 10 s after an event."""
        before, began = [self.reached(), self.ike_sas()], self._lab.now_ns()
        happen(self.control, event, lasts_s)
        took = (self._lab.now_ns() - began) / 1e9
        self.remotes["gw1"].run("sleep 10", timeout=20)
        gateways = self.control.gateways.values()
        return {
            "before": before,
            "took": took,
            "reached": self.reached(),
            "ike_sas": self.ike_sas(),
            "clear": [clear_text.read(gw.run(clear_text.ask("wan"))).clear for gw in gateways],
            "fails": self.checks({}),
            "routes": self.remotes["gw2"].run("ip -4 route show dev wan").split("\n"),
        }


def look_inside(folder: str) -> dict:
    """The daemons' view of their lifecycle, and the rest of tunnels after events."""
    parts, kept = get_parts(), {}
    enter(tun=False)

    def fails(lifecycle: dict) -> str:
        with closing(Bench(parts, folder, lifecycle)) as bench:
            return "; ".join(bench.checks(kept))

    with in_turn():
        found: dict = {"fails": fails(SETTINGS), "asked": sorted(kept)}
        for section in ("connection", "child", "charon"):
            unknown = {"extra": {section: {"no_such_option": 1}}}
            found[f"unknown {section}"] = said(lambda unknown=unknown: fails(unknown))
        for name, (event, lasts_s, lifecycle) in EVENTS.items():
            with closing(Bench(parts, folder, lifecycle)) as bench:
                found[name] = bench.left_of(event, lasts_s)
    return found


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    return run_inside(shared_project, look_inside, tmp_path_factory.mktemp("events"))


def test_daemons_have_every_setting_and_refuse_what_they_do_not_know(found):
    assert found["fails"] == ""
    assert "proof.gw2.charon-options.txt" in found["asked"]
    for section in ("connection", "child"):
        unknown = "gw1: strongSwan has an unknown option: no_such_option"
        assert found[f"unknown {section}"] == unknown
    told = "option charon.no_such_option of strongSwan: found unknown, expected known"
    assert found["unknown charon"].endswith(f"gw1: {told}; gw2: {told}")


@pytest.mark.parametrize("event", ["child", "make", "break", "path"])
def test_a_tunnel_goes_on_behind(found, event):
    one = found[event]
    assert one["before"] == [True, [1, 1]] and one["reached"]
    assert one["ike_sas"] == [1, 1] and one["clear"] == [0, 0] and one["fails"] == []


def test_outages_last_as_long_as_they_should(found):
    for event, lasts_s in (("killed", 2), ("away", 20), ("path", 10)):
        assert found[event]["took"] == pytest.approx(lasts_s, abs=0.2)


def test_what_is_left_of_a_tunnel_that_one_end_lost(found):
    killed, stopped, away, quick = (found[n] for n in ("killed", "stopped", "away", "quick"))
    assert killed["reached"] and killed["ike_sas"] == [1, 0], "the kernel keeps its SAs"
    # A peer that stops cleanly, and quick retransmits in a short outage, leave all in clear.
    for one in (stopped, quick):
        assert one["reached"] and one["ike_sas"] == [0, 0] and min(one["clear"]) > 0
    assert any("policies: found none" in fail for fail in stopped["fails"])
    # A host that was away has its routes again, and knows nothing.
    assert not away["reached"] and away["ike_sas"] == [1, 0]
    assert away["routes"] == found["child"]["routes"]


def test_what_brings_a_stopped_tunnel_back(found):
    for setting in ("trap", "restart"):
        one = found[setting]
        assert one["reached"] and min(one["ike_sas"]) > 0 and one["clear"] == [0, 0]
