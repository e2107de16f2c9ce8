"""Conditions that a pilot must meet before its campaign may begin, and changes of the plan if it
does not. Written before any pilot was measured: the numbers of a pilot choose among these rules,
and its trials are no evidence."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from remeasure.bench.campaign.lengths import Length
from remeasure.bench.campaign.rounds import Rounds
from remeasure.paper.publish.planning.plan_text import percent

State = Literal["reached", "not reached", "open"]
ACCEPTED = 0.99
"""least share of accepted trials, 0 to 1"""
FALSE = (0.02, 0.08)
"""least and largest share of false differences between like and like, 0 to 1"""
MINUTES = 0.10
"""largest difference of measured and planned minutes, 0 to 1"""
MEGABYTES = 60.0
"""largest size of all rounds [MB]"""
UNDECIDED = 10.0
"""most undecided statements in the mean of simulated campaigns"""
ROUND_MINUTES = 140.0
"""longest round [min]"""
FEWEST_BLOCKS = 6
"""blocks that a scenario keeps, whatever it costs"""
SHRINKING = (
    *("per-cpu-sas", "many-tunnels", "nat-t", "renewal", "other-tunnels"),
    *("esp-instructions", "replay-window", "algorithm-sweep"),
)
"""scenarios in the order in which they lose blocks: first those that fewest statements need"""
RULES = (
    f"**Minutes.** A scenario whose block differs from its plan by more than {percent(MINUTES)} is "
    f"planned by the pilot's minutes. If a round then exceeds {ROUND_MINUTES:g} minutes, scenarios "
    f"lose blocks, two at a time and none below {FEWEST_BLOCKS}, in this order: "
    f"{', '.join(SHRINKING)}. If that is not enough, algorithm-sweep loses its payloads of 1152 "
    "and 1472 bytes, which no statement names by themselves. psk-rsa, suite-cost, eap-methods and "
    "ah-esp-ciphers keep their blocks.",
    "**Limits.** A cell of suite-cost that a gateway's processor does not limit in most runs is "
    "listed as not asked: statements on suites leave its payload out at every suite.",
    "**Suspect trials.** A reason of our own doing is mended, and the pilot's blocks of that "
    "scenario are measured again, before the campaign begins. Reasons from outside (foreign use, "
    "steal) belong to the gate of a round, and change no plan.",
    "**Like against like.** If the share of false differences lies outside "
    f"{percent(FALSE[0])} to {percent(FALSE[1])} for certain, no block is measured until the cause "
    "is found.",
    f"**Size.** If all rounds exceed {MEGABYTES:g} MB, scenarios lose blocks in the same order "
    "until they do not.",
    f"**Undecided.** If more than {UNDECIDED:g} statements stay undecided, suite-cost and psk-rsa "
    "get a third block in each round, as far as rounds stay within their length. Otherwise the "
    "plan names the statements that it will not decide. No bound and no statement changes.",
)
"""rules in the order in which they apply"""
AFTERWARDS = (
    "**Outside of the gate.** The gate waited, and the round was stopped. The second block of "
    "suite-cost, and the blocks of renewal, many-tunnels, esp-instructions, replay-window, "
    "calibration, per-cpu-sas and eap-methods, were measured by `remeasure measure`, the last two "
    "with newer code.",
    "**Pace.** The gate expected a pace within 10 % of round 1's. In the pilot it rose by up to a "
    "fifth for hours, and the gate would have refused most of its later blocks. Profile release "
    "therefore allows 25 %. Comparisons are within blocks, and each trial records its pace.",
    "**Refused blocks.** One trial that is not accepted refuses no block: of twelve trials one is "
    "more than 5 %.",
    "**Minutes.** The bound of 140 minutes is for the mean of all rounds: two of eight are longer "
    "by a minute. Blocks that are measured again come on top.",
    "**Limits.** If the sender shares the core of a gateway, neither alone is the limit, and the "
    "rule above would ask nothing of suite-cost. It contradicts the registered rules of claims, "
    "which compare suites by the processor time of a packet, and refuse this only if a link was "
    "the limit. Therefore cells stay unless a link limits them, and no rate of theirs is asked. "
    "The part of weerawarna-ws08-tcp-peak that compares rates of payloads stays undecided. When "
    "this was decided, limits, minutes and noise of the pilot were known, and no difference of "
    "suites.",
    "**Size.** As first measured, all rounds would have taken 72 MB, two fifths of it for "
    "eap-methods: its trials kept charon's log twice. Before any scenario lost blocks for it, we "
    "kept the log once, cut captures of RADIUS behind the head of EAP, and packed archives "
    "tighter. The block of eap-methods was measured again like this. The others were packed "
    "again, with the same files in them.",
    "**Our own predictions** (data/published/ours.yaml). Set-ups on the impaired network are asked "
    "as medians, since a mean hangs on single repetitions. The bound for break before make is what "
    "its reason gives at a round trip of 50 ms. The step at 24 Mbit/s is not asked any more: "
    "echoes scatter by more than 5 % of it. Like and like are compared about 80 times, not 200 "
    "times. The pilot's values were known then, and no bound was moved towards one.",
)
"""what was decided against RULES, after the pilot"""


class Line(NamedTuple):
    """One thing that the pilot must show."""

    says: str
    state: State
    why: str


def judged(says: str, reached: bool, why: str, known: bool = True) -> Line:
    """A line; `known`: whether the pilot can tell at all."""
    return Line(says, "open" if not known else "reached" if reached else "not reached", why)


def with_fewer_blocks(
    plan: Rounds, lengths: Mapping[str, Length]
) -> tuple[dict[str, int], float, float]:
    """Scenario -> its blocks after the rules on minutes and size; minutes of a round, and megabytes
    of all rounds then. `lengths`: scenario -> length of one block by the pilot."""
    blocks = {name: scenario.design.blocks for name, scenario in plan.scenarios.items()}

    def sums() -> tuple[float, float]:
        minutes = sum(count * lengths[name].minutes for name, count in blocks.items())
        size = sum(count * lengths[name].megabytes for name, count in blocks.items())
        return minutes / len(plan.rounds), size

    for name in SHRINKING:
        while blocks.get(name, 0) >= FEWEST_BLOCKS + 2 and not _fit(*sums()):
            blocks[name] -= 2
    return blocks, *sums()


def _fit(minutes: float, megabytes: float) -> bool:
    return minutes <= ROUND_MINUTES and megabytes <= MEGABYTES


def as_table(lines: Sequence[Line]) -> list[str]:
    rows = [f"| {one.says} | **{one.state}** | {one.why} |" for one in lines]
    return ["| must show | state | why |", "|---|---|---|", *rows]
