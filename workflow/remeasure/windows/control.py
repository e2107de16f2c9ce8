"""A tunnel between two Windows gateways: what a trial asks of remeasure.ipsec.control."""

from collections.abc import Callable

from remeasure.ipsec.pki import Credentials
from remeasure.windows.plan import Plan, Step


class WindowsTunnel:
    """Every method raises CommandFailed if a host refuses."""

    def __init__(
        self, plan: Plan, credentials: Credentials, run: Callable[[list[Step], str], list[str]]
    ):
        """`run` runs scripts, all at once, with a secret for those that need it."""
        self.tunnel = plan.settings.tunnel
        self._plan, self._credentials, self._run = plan, credentials, run

    def configure(self) -> None:
        """The rules of both gateways, anew."""
        self.stop()
        self._run(self._plan.set_up(), self._credentials.secret("psk"))

    def bring_up(self) -> None:
        """Ask for SAs by a packet, and wait for its answer."""
        self._run([self._plan.reach()], "")

    def stop(self) -> None:
        """No rule and no SA of ours is left anywhere."""
        self._run(self._plan.clear(), "")
