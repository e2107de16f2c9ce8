"""How a host receives packets: whether it merges them, which processor works on each, how long it
keeps the fragments of an incomplete datagram; and its memory of paths.

Generic receive offload (GRO). Linux hands packets that leave ESP or AH in tunnel mode to GRO once
more, as packets of the interface they came by (gro_cells, net/xfrm/xfrm_input.c), so that TCP gets
several segments at once. In transport mode each packet goes on by itself. With GRO off at the
interface neither mode merges.

Steering. Addresses and SPI of an ESP packet are hashed, so packets of one SA stay together
(net/core/flow_dissector.c takes the SPI in place of TCP's ports). An interface with several queues
spreads flows over them in hardware (RSS); an interface with one queue spreads them over processors
in software (RPS, Documentation/networking/scaling.rst in Linux).

Forgetting. Linux keeps fragments for 30 s (60 s for IPv6), and no more than 4 MB of them; when
those are full it drops every further fragment (ipfrag_time, ip6frag_time and ipfrag_high_thresh,
ip-sysctl of the kernel's documentation). A link that is offered more than it carries drops one
fragment of many datagrams. A flow of fragmented datagrams would fill the memory within seconds, and
the results of a run would depend on the runs before it. Besides, identifications of IPv4 datagrams
repeat after 65536 of them, here after 9 s, and fragments of two datagrams would be joined (RFC
4963). Here hosts forget fragments after a second, which is longer than any path takes. Linux also
remembers the MTU of a path that a router reported (for ten minutes), and TCP's metrics. After a
trial with a tunnel these are the tunnel's, and would limit the packets of the next cell.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.config import Strict
from remeasure.bench.base.family import IPV4, IPV6, Family
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.shaping import Place
from remeasure.bench.testbed.treatments.treatment import Prover, Setter

TOOLS = {"ethtool": Tool(["ethtool", "--version"], "ethtool")}
GRO = "generic-receive-offload"


def check_gro(place: str, gro: bool, features: str) -> list[Check]:
    """Compare the output of `ethtool -k` for one interface (`place`, <host>.<link>) with the
    cell."""
    found = re.search(rf"^\s*{GRO}: (.*)", features, re.MULTILINE)
    return [equal("offload", f"{place}: GRO", found[1] if found else "", _word(gro))]


def _word(on: bool | None) -> str:
    return "on" if on else "off"


class Steering(Strict):
    """How an interface distributes the packets it receives over processors."""

    by_flow: bool = False
    """true: flows are spread over all queues, or over all processors if there is one queue; false:
    one queue is used, and the processor that serves its interrupt works on all packets"""


# One bit for each processor, in groups of 32 bits, the highest first.
_ALL = (
    "$(n=$(nproc); printf %x $(( (1 << (n - 1) % 32 + 1) - 1 )); "
    "while [ $((n -= 32)) -gt 0 ]; do printf ,ffffffff; done)"
)


def receiving_setters(
    steering: Steering | None, gro: bool | None, places: Sequence[Place]
) -> list[Setter]:
    """Setters that steer the packets these interfaces receive, and switch their GRO; None: as it
    is."""
    named = [(place.host, shlex.quote(place.interface)) for place in places]
    steered = [Setter(host, _steer(name, steering)) for host, name in named if steering]
    switch = f"ethtool -K {{}} gro {_word(gro)}"
    merging = [Setter(host, switch.format(name)) for host, name in named if gro is not None]
    return [*steered, *merging]


def receiving_provers(
    steering: Steering | None, gro: bool | None, places: Sequence[Place]
) -> Iterable[Prover]:
    """Provers that these interfaces receive packets as the cell asks."""
    named = [(place, shlex.quote(place.interface)) for place in places]
    if steering:
        for place, name in named:
            question = {f"proof.{place}.steering.txt": _READ.format(name)}
            yield Prover(place.host, question, partial(check_steering, str(place), steering))
    if gro is not None:
        for place, name in named:
            question = {f"proof.{place}.offloads.txt": f"ethtool -k {name}"}
            yield Prover(place.host, question, partial(check_gro, str(place), gro))


def _steer(interface: str, steering: Steering) -> str:
    queues = "$(ethtool -l $i 2>/dev/null | awk '/^Combined:/ {print $2; exit}')"
    wanted = "$most" if steering.by_flow else "1"
    return (
        f"i={interface}; most={queues}; all={_ALL if steering.by_flow else 0}; "
        f"case $most in ''|n/a|0|1) mask=$all ;; "
        f"*) mask=0; ethtool -L $i combined {wanted} 2>/dev/null || "
        f"[ $(ethtool -l $i | awk '/^Combined:/ {{n=$2}} END {{print n}}') = {wanted} ] ;; esac && "
        f"for q in /sys/class/net/$i/queues/rx-*; do echo $mask >$q/rps_cpus; done"
    )


_READ = (
    "ethtool -l {0} 2>/dev/null | awk '/^Combined:/ {{print \"queues\", $2}}'; nproc; "
    "grep -H . /sys/class/net/{0}/queues/rx-*/rps_cpus"
)
"""command that prints the largest possible number of queues and the number in use, if there are
several; the number of processors; the masks of RPS"""


def check_steering(place: str, steering: Steering, text: str) -> list[Check]:
    """Compare a host's answer for an interface (by `_READ`) with the cell."""
    queues = [int(number) for number in re.findall(r"^queues (\d+)$", text, re.MULTILINE)]
    masks = [int(mask.replace(",", ""), 16) for mask in re.findall(r":(\S+)$", text, re.MULTILINE)]
    cpus = int(re.findall(r"^\d+$", text, re.MULTILINE)[0])
    # If receiving and sending have queues of their own (veth), there are 0 combined ones.
    most, used = queues if len(queues) == 2 and queues[0] else (1, 1)
    mask = (1 << cpus) - 1 if steering.by_flow and most == 1 else 0
    wanted = most if steering.by_flow else 1
    passed = used == wanted and set(masks or [0]) == {mask}
    found = f"{used} of {most} queues, RPS masks {' '.join(f'{mask:x}' for mask in masks)}"
    of_queues = f"{wanted} queue{'s' * (wanted > 1)}"
    expected = of_queues if most > 1 else f"RPS mask {mask:x}"
    return [Check("steering", f"{place}: steering", passed, found, expected)]


SECONDS = 1
"""time after the first fragment at which an incomplete datagram is forgotten [s]"""
SYSCTLS = {IPV4: "net/ipv4/ipfrag_time", IPV6: "net/ipv6/ip6frag_time"}
"""the setting, as a file in /proc/sys"""


def reassembly_setters(hosts: Iterable[str], families: Sequence[Family]) -> list[Setter]:
    """Setters that make these hosts (roles) forget incomplete datagrams after SECONDS."""
    lines = [f"echo {SECONDS} >/proc/sys/{SYSCTLS[family]}" for family in families]
    return [Setter(host, " && ".join(lines)) for host in hosts]


def reassembly_provers(hosts: Iterable[str], families: Sequence[Family]) -> Iterable[Prover]:
    """Provers that these hosts (roles) discard incomplete datagrams after that time."""
    files = " ".join(f"/proc/sys/{SYSCTLS[family]}" for family in families)
    for host in hosts:
        question = {f"proof.{host}.reassembly.txt": f"cat {files}"}
        yield Prover(host, question, partial(check_reassembly, host, files=len(families)))


def check_reassembly(host: str, seconds: str, files: int = 1) -> list[Check]:
    """Compare the content of so many files of a host (role) with SECONDS."""
    name = f"{host}: incomplete datagrams are forgotten after [s]"
    expected = " ".join([str(SECONDS)] * files)
    return [equal("reassembly", name, " ".join(seconds.split()), expected)]


def forgetting(hosts: Iterable[str], families: Iterable[Family] = (IPV4,)) -> list[Setter]:
    """Setters that empty the path caches of these hosts (roles)."""
    flush = [f"ip -{family.version} route flush cache" for family in families]
    command = " && ".join([*flush, "ip tcp_metrics flush all"])
    return [Setter(host, command) for host in hosts]
