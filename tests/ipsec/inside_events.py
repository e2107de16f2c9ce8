"""Run in the namespaces of a lab in virtual time: what daemons say of their lifecycle, and events
that happen to a tunnel. Prints what was found, as JSON."""

import datetime
import json
import re
import sys
from contextlib import ExitStack
from pathlib import Path

from tunnels import site_tunnel

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec import clear_text
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.events import Event, happen
from remeasure.bench.ipsec.lifecycle_proof import lifecycle_provers
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.ipsec.policies import policy_provers
from remeasure.bench.ipsec.proof import tunnel_provers
from remeasure.bench.lab.namespace import enter, lone_root_options
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.lab.virtual.virtual_lab import EPOCH_S, VirtualLab
from remeasure.bench.lab.virtual.virtual_remote import VirtualRemote
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.remote import CommandFailed, in_turn
from remeasure.bench.testbed.treatments.treatment import apply, prove

PARTS = get_parts()
enter(lone_root_options)
FOLDER = Path(sys.argv[1])
TOPOLOGY = load_topology("site-to-site")
TRAP = {"start_action": "trap"}
RESTART = {"start_action": "start", "close_action": "start", "dpd_action": "restart"}
QUICK = {"tries": 2, "timeout": 1.0, "base": 1.5}
SUITES = {"ike": "aes256-sha256-x25519", "esp": "aes128gcm16"}


class Bench:
    """A tunnel in a lab of its own."""

    def __init__(self, **lifecycle):
        self.tunnel = site_tunnel(**SUITES, lifecycle=lifecycle)
        self._lab = VirtualLab(TOPOLOGY, PARTS, 512, 0, "events")
        key = Path("/dev/null")
        self.remotes = {}
        for name in TOPOLOGY.hosts:
            interfaces = {link: link for link in TOPOLOGY.links_of(name)}
            host = Host(name=name, roles=[name], address="-", key=key, interfaces=interfaces)
            self.remotes[name] = VirtualRemote(host, lambda: self._lab)
        made = datetime.datetime.fromtimestamp(EPOCH_S, datetime.UTC)
        credentials = Credentials.seeded(FOLDER, "events", made)
        self.control = TunnelControl(self.tunnel, TOPOLOGY, self.remotes, credentials)
        ends = dict.fromkeys(self.tunnel.gateways, "wan")
        apply(clear_text.clear_text_setters(self.tunnel, TOPOLOGY, ends), self.remotes)
        self.control.configure()
        self.control.bring_up()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._lab.close()

    def checks(self, kept: dict | None = None) -> list[str]:
        """The checks that fail."""
        provers = [
            *tunnel_provers(self.tunnel, used=False),
            *policy_provers(self.tunnel, TOPOLOGY),
            *lifecycle_provers(self.tunnel),
        ]

        def keep(file: str, content: bytes) -> None:
            if kept is not None:
                kept[file] = content.decode()

        return [str(c) for c in prove(provers, self.remotes, keep) if not c.passed]

    def ike_sas(self) -> list[int]:
        """IKE_SAs that are established at each gateway."""
        listed = [gw.run("swanctl --list-sas --raw") for gw in self.control.gateways.values()]
        return [len(re.findall(r"state=ESTABLISHED", text)) for text in listed]

    def reached(self) -> bool:
        """Whether an echo from one client to the other is answered within 3 s."""
        ping = "ping -q -c 3 -W 1 192.168.20.1 >/dev/null && echo yes || echo no"
        return self.remotes["client1"].run(ping).strip() == "yes"

    def clear(self) -> list[int]:
        return [
            clear_text.read(gw.run(clear_text.ask("wan"))).clear
            for gw in self.control.gateways.values()
        ]

    def now(self) -> float:
        return self._lab.now_ns() / 1e9


def after(event: Event, lasts_s: float = 0, wait_s: float = 10, **lifecycle) -> dict:
    """What is left of a tunnel some time after an event."""
    with Bench(**lifecycle) as bench:
        before = bench.reached(), bench.ike_sas()
        began = bench.now()
        happen(bench.control, event, lasts_s)
        took = bench.now() - began
        bench.remotes["gw1"].run(f"sleep {wait_s}", timeout=wait_s + 10)
        return {
            "before": before,
            "took": took,
            "reached": bench.reached(),
            "ike_sas": bench.ike_sas(),
            "clear": bench.clear(),
            "fails": bench.checks(),
            "routes": bench.remotes["gw2"].run("ip -4 route show dev wan").split("\n"),
        }


def listings() -> dict:
    """Everything that a proof asks, of a tunnel with all settings."""
    kept: dict = {}
    with Bench(
        initiator=RESTART,
        responder=TRAP,
        dpd_delay=5,
        keyingtries=0,
        retransmission=QUICK,
        make_before_break=False,
        guard=True,
        extra={"child": {"rekey_time": "600s"}, "charon": {"delete_rekeyed_delay": 3}},
    ) as bench:
        fails = bench.checks(kept)
    return {"fails": fails, "asked": sorted(kept)}


def refused(**extra) -> str:
    try:
        with Bench(extra=extra) as bench:
            return "; ".join(bench.checks()) or "nothing"
    except CommandFailed as error:
        return str(error)


def main() -> dict:
    found: dict = {"listings": listings()}
    found["unknown"] = {
        section: refused(**{section: {"no_such_option": 1}})
        for section in ("connection", "child", "charon")
    }
    found["child"] = after("child-by-both")
    found["make"] = after("reauthentication", make_before_break=True)
    found["break"] = after("reauthentication", make_before_break=False)
    found["killed"] = after("killed", 2)
    found["stopped"] = after("stopped", 2)
    found["trap"] = after("stopped", 2, initiator=TRAP, responder=TRAP)
    found["restart"] = after("stopped", 2, initiator=RESTART)
    found["away"] = after("host-away", 20)
    found["path"] = after("path-down", 10)
    found["quick"] = after("path-down", 20, dpd_delay=5, retransmission=QUICK)
    return found


with ExitStack() as stack:
    stack.enter_context(in_turn())
    print(json.dumps(main()))
