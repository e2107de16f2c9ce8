"""Run inside a lab's namespaces: trials of eap.yaml, some of which something is done to. Prints
their records as JSON; their logs are in the folder given."""

import datetime
import functools
import json
import shutil
import sys
from pathlib import Path

from remeasure.bench.base.documents import read_yaml
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.task import Task
from remeasure.bench.ipsec import pki
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.radius import LOG, SERVERS, RadiusServer
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.measure.trial import Trial
from remeasure.bench.probes.cpu_cost import ask_times
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.unchanged import remember

folder = Path(sys.argv[1])
IMPATIENT = "charon-systemd { plugins { eap-radius { retransmit_timeout = 0.5 } } }"
"""of a server that does not answer: the responder gives up after 4 s, not 14"""

OTHER_GROUP = """\
sed -i -E 's/^( *proposals) = .*/\\1 = aes256-sha256-modp2048/' /etc/swanctl/swanctl.conf
swanctl --load-conns"""
"""the responder takes another key exchange than the initiator proposes"""


class OtherSecret(pki.Credentials):
    """Each end of RADIUS is told a secret of its own."""

    def secret(self, name: str) -> str:
        return pki.secrets.token_hex(32) if name == "radius" else super().secret(name)


def with_one_key() -> pki.Credentials:
    """All certificates of a long chain have one key: it takes long to find 45."""
    credentials = pki.Credentials(folder / "one-key-secrets")
    new_key, pki._new_key = pki._new_key, functools.cache(pki._new_key)
    credentials.end_entity("supplicant", "rsa2048", 2)
    credentials.end_entity("aaa", "rsa2048", 45)
    pki._new_key = new_key
    return credentials


def with_expired_certificate() -> pki.Credentials:
    credentials = pki.Credentials(folder / "expired-secrets")
    credentials.root("rsa2048")
    lifetime, pki.LIFETIME = pki.LIFETIME, datetime.timedelta(hours=-1)
    credentials.end_entity("supplicant", "rsa2048", 3)
    pki.LIFETIME = lifetime
    return credentials


class StubRadius(RadiusServer):
    """Another kind of server: a daemon that says that it is ready, and no more."""

    daemon = "stub-radius"
    tool = Tool(["perl", "-e", "print $^V"], "perl")
    ready = "stub is ready"
    command = (
        f"""perl -e '$0 = "{daemon}"; open L, ">{LOG}"; print L "{ready}\n"; close L; sleep'"""
    )

    def files(self):
        return {}


SERVERS["stub"] = StubRadius
namespace.enter()
source = Path(__file__).with_name("eap.yaml")
scenario = Scenario(source.stem, read_yaml(source), "smoke", str(source))
records = {}
with Lab(scenario.topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in scenario.topology.hosts}
    remember(remotes.values())

    def trial(
        name: str,
        method: str,
        credentials: pki.Credentials,
        on_probe=lambda: None,
        probes=("direct",),
        tries: int = 1,
    ) -> None:
        logs = folder / name
        logs.mkdir(parents=True)
        cell = {"method": method}
        chosen = {name: scenario.settings(cell).probes[name] for name in probes}
        task = Task.of(scenario, cell, chosen, 1, credentials)
        run = Trial(task, logs, LinuxDriver(task, remotes), LocalMeter)
        records[name] = run.run(lambda *_: on_probe())
        if records[name]["verdict"] == "rejected" and tries > 1:
            # Other tests keep the machine busy; a campaign would measure such a trial again too.
            shutil.rmtree(logs)
            trial(name, method, credentials, on_probe, probes, tries - 1)

    good = pki.Credentials(folder / "secrets")
    every = tuple(scenario.design.probes)
    trial("tls", "tls", good, probes=every, tries=3)
    trial("ttls", "ttls", good, tries=3)
    trial("hybrid", "hybrid", good, tries=3)
    trial("endless", "endless", with_one_key())
    trial("expired", "tls", with_expired_certificate())
    trial("other-group", "hybrid", good, lambda: remotes["responder"].run(OTHER_GROUP))
    remotes["responder"].write("/etc/strongswan.d/impatient.conf", IMPATIENT)
    trial("other-secret", "md5", OtherSecret(folder / "secrets"))
    mute = "tc qdisc replace dev backbone root netem loss 100%"
    trial("no-answer", "md5", good, lambda: remotes["aaa"].run(mute))
    remotes["aaa"].run("tc qdisc del dev backbone root")
    trial("afterwards", "md5", good, tries=3)
    tunnel = scenario.settings({"method": "md5"}).tunnel
    stub = TunnelControl(
        tunnel.model_copy(update={"radius": "stub"}), scenario.topology, remotes, good
    )
    stub.configure()
    records["stub"] = {"counted": remotes["aaa"].run(ask_times(stub.daemons))}
    stub.stop()
    records["stub"]["left"] = remotes["aaa"].run("pgrep -x stub-radius", check=False)
print(json.dumps(records))
