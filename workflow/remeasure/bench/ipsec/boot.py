"""The responder boots under traffic (programs/boot.sh). A guest of User Mode Linux that boots is
the same process of this machine, with the same links. The delay that a cell gives to the
responder's link is lost until the end of the run."""

import shlex

from remeasure.bench.ipsec.clear_text import clear_text_setters
from remeasure.bench.ipsec.control import START, TunnelControl
from remeasure.bench.lab import uml
from remeasure.bench.lab.network import CONTROL
from remeasure.bench.testbed.tools import fail_showing, program, wait_until
from remeasure.bench.testbed.watching.unchanged import remember

_LIMIT_S = 60
_READY = wait_until("[ -e /run/booted ]", fail_showing("/root/boot.log"), _LIMIT_S, 1)


def boot(control: TunnelControl, delay_s: float) -> None:
    """Boot the responder; its daemon starts `delay_s` seconds after its network. Raises
    CommandFailed, HostUnreachable."""
    name, kernel = control.tunnel.responder, uml.KIND.interface
    links = [CONTROL, *control.topology.links_of(name)]
    outer = f"{kernel}{links.index(control.tunnel.link_of(name))}"
    (counters,) = clear_text_setters(control.tunnel, control.topology, {name: outer})
    values = {"delay": f"{delay_s:g}", "counters": counters.command, "start": START}
    script = program("boot.sh", **values, links=shlex.join(links), kernel=kernel)
    control.responder.boot(script, _READY, _LIMIT_S)
    remember([control.responder])
