"""Which machine of an inventory plays which host of a topology."""

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.inventory import Host, Inventory


def machine_of(inventory: Inventory, topology: Topology, role: str) -> Host:
    """The machine that plays a role. Raises UserError naming what its inventory lacks."""
    host = inventory.host(role)
    for link in topology.links_of(role):
        if link not in host.interfaces:
            raise UserError(
                f"testbed {inventory.name}: host {host.name}: interfaces.{link}: "
                f"missing; role {role} of topology {topology.name} is on that link"
            )
    if sum(other in host.roles for other in topology.hosts) > 1:
        raise UserError(
            f"testbed {inventory.name}: host {host.name}: has several roles of "
            f"topology {topology.name}; each needs a machine of its own"
        )
    return host


def root_of(host: Host) -> list[str]:
    """The words that, put before a command, run it as root: empty, or sudo."""
    return ["sudo", "-n"] if host.sudo else []
