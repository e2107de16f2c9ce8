"""How an interface receives packets: whether it merges them, and which processor works on each.

Generic receive offload (GRO). Linux hands packets that leave ESP or AH in tunnel mode to GRO once
more, as packets of the interface they came by (gro_cells, net/xfrm/xfrm_input.c), so that TCP gets
several segments at once. In transport mode each packet goes on by itself. With GRO off at the
interface neither mode merges.

Steering. Of an ESP packet, addresses and SPI are hashed, so packets of one SA stay together
(net/core/flow_dissector.c takes the SPI where TCP has its ports). An interface with several queues
spreads flows over them in hardware (RSS); an interface with one queue spreads them over processors
in software (RPS, Documentation/networking/scaling.rst in Linux).
"""

import shlex
from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.config import Strict
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.shaping import Place
from remeasure.bench.testbed.treatments.treatment import Prover, Question, Setter

TOOLS = {"ethtool": Tool(["ethtool", "--version"], "ethtool")}
_FEATURE = "generic-receive-offload"


def gro_setters(gro: bool | None, places: Iterable[Place]) -> list[Setter]:
    """Setters that switch GRO of these interfaces; None: none, hosts stay as they are."""
    if gro is None:
        return []
    return [
        Setter(place.host, f"ethtool -K {shlex.quote(place.interface)} gro {_word(gro)}")
        for place in places
    ]


def gro_provers(gro: bool | None, places: Iterable[Place]) -> Iterable[Prover]:
    """Provers that GRO of these interfaces is as the cell asks."""
    if gro is None:
        return
    for place in places:
        question = Question(f"proof.{place}.offloads.txt", ["ethtool", "-k", place.interface])
        yield Prover(place.host, [question], partial(check_gro, str(place), gro))


def check_gro(place: str, gro: bool, features: str) -> list[Check]:
    """Compare the output of `ethtool -k` for one interface (`place`, <host>.<link>) with the
    cell."""
    lines = (line.strip().partition(": ") for line in features.splitlines())
    found = next((state for name, _, state in lines if name == _FEATURE), "")
    return [equal("offload", f"{place}: GRO", found, _word(gro))]


def _word(on: bool) -> str:
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


def steering_setters(steering: Steering | None, places: Iterable[Place]) -> list[Setter]:
    """Setters that steer the packets these interfaces receive; None: none, hosts stay as they
    are."""
    return [Setter(place.host, _steer(place.interface, steering)) for place in places if steering]


def steering_provers(steering: Steering | None, places: Iterable[Place]) -> Iterable[Prover]:
    """What these interfaces receive is steered as the cell asks."""
    if steering is None:
        return
    for place in places:
        ask = _READ.format(shlex.quote(place.interface))
        question = Question(f"proof.{place}.steering.txt", ask)
        yield Prover(place.host, [question], partial(check_steering, str(place), steering))


def _steer(interface: str, steering: Steering) -> str:
    queues = "$(ethtool -l $i 2>/dev/null | awk '/^Combined:/ {print $2; exit}')"
    wanted = "$most" if steering.by_flow else "1"
    return (
        f"i={shlex.quote(interface)}; most={queues}; all={_ALL if steering.by_flow else 0}; "
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
    """Compare what a host says of an interface (by `_READ`) with what the cell asked for."""
    lines = text.splitlines()
    queues = [
        int(line.split()[1])
        for line in lines
        if line.startswith("queues") and line.split()[1].isdigit()
    ]
    masks = [int(line.rpartition(":")[2].replace(",", ""), 16) for line in lines if ":" in line]
    cpus = next(int(line) for line in lines if line.isdigit())
    # Where receiving and sending have queues of their own (veth), there are 0 combined ones.
    most, used = queues if len(queues) == 2 and queues[0] else (1, 1)
    found = f"{used} of {most} queues, RPS masks {' '.join(f'{mask:x}' for mask in masks)}"
    if most > 1:
        expected, passed = (
            f"{most} queues" if steering.by_flow else "1 queue",
            used == (most if steering.by_flow else 1) and not any(masks),
        )
    else:
        mask = (1 << cpus) - 1 if steering.by_flow else 0
        expected, passed = f"RPS mask {mask:x}", set(masks) == {mask}
    return [Check("steering", f"{place}: steering", passed, found, expected)]
