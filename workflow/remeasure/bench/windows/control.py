"""The tunnel between two Windows gateways, with the methods that a trial uses."""

from collections.abc import Callable

from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.windows.plan import Plan, Step


class WindowsTunnel:
    """The tunnel of a cell. Every method raises CommandFailed if a host refuses."""

    def __init__(
        self, plan: Plan, credentials: Credentials, run: Callable[[list[Step], str], list[str]]
    ):
        """`run(steps, secret)` runs scripts, all at once; those that need the secret receive it."""
        self.tunnel = plan.settings.tunnel
        self._plan, self._credentials, self._run = plan, credentials, run

    def configure(self) -> None:
        """Remove existing rules and SAs, and give both gateways their rules."""
        self.stop()
        self._run(self._plan.set_up(), self._credentials.secret("psk"))

    def bring_up(self) -> None:
        """Send a packet, which makes the gateways negotiate SAs, and wait for its answer."""
        self._run([self._plan.reach()], "")

    def stop(self) -> None:
        """Remove the rules and SAs that `configure` led to, on every host."""
        self._run(self._plan.clear(), "")
