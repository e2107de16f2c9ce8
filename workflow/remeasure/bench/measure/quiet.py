"""Whether this machine is quiet enough for a block to begin."""

import sys
import time
from collections.abc import Callable
from statistics import median

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.pace import spread_of
from remeasure.bench.campaign.round_plan import Gate
from remeasure.bench.testbed.record_clock import RecordClock
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.processor_time import pace_ns

_LOOK_S = 5
"""how long the machine is watched at once [s]: 10 ticks on two processors are 1 %"""
_PACES = 12
"""readings of the pace at each look, a second or two for each. With six, one look in seven passed
by chance on a machine whose pace spread by a fifth"""
_AGAIN_S = 10
"""time between two looks at a machine that is not quiet [s]"""


def disturbances_now(gate: Gate, usual_ns: float) -> list[str]:
    """Disturbances of this machine now, one line each, while nothing of ours runs. `usual_ns`: its
    pace in round 1 [ns]; NaN: not known yet."""
    clocks = RecordClock().watch()
    meter = LocalMeter()
    time.sleep(_LOOK_S)
    load = meter.read()
    # All that is busy is foreign here: no guest runs, and this process sleeps.
    paces = [pace_ns() for _ in range(_PACES)]
    told = gate.before(load["busy"], load["steal"], median(paces) / usual_ns, spread_of(paces))
    return [*told, *clocks()]


def wait_until_quiet(look: Callable[[], list[str]], minutes: float, title: str) -> None:
    """Wait until `look` finds nothing, and print the reasons. `title` names the block. Raises
    UserError after so many minutes."""
    until, told = time.monotonic() + 60 * minutes, False
    while found := look():
        if time.monotonic() + _AGAIN_S > until:
            raise UserError(
                f"{title}: not begun in {minutes:g} min: {'; '.join(found)}; end the disturbance, "
                "and give the same command again, or let it wait longer: --wait MINUTES"
            )
        if not told:
            print(f"{title}: waits for a quiet machine: {'; '.join(found)}", file=sys.stderr)
            told = True
        time.sleep(_AGAIN_S)
