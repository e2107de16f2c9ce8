"""The command `remeasure try`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from remeasure.bench.base.errors import UserError

if TYPE_CHECKING:
    from remeasure.bench.lab.image import Suite
    from remeasure.bench.tryout.answers import TryAnswers
    from remeasure.bench.tryout.pair import Pair
    from remeasure.bench.tryout.running_pair import Way

DOWN, FAULT, UNSUPPORTED = 2, 3, 127
"""exit statuses: the tunnel does not come up; something of --fail-on; a check of --fail-on cannot
be made"""
_PRESENT = "6.1"
_SUITES: dict[str, Suite | None] = {"5.9": "bookworm", "6.0": "trixie", "6.1": None}
"""version of strongSwan -> release of Debian that has it; None: the guest image's own"""
_UNITS: dict[str, dict[str, float]] = {
    "time": {"ms": 1, "s": 1000},
    "rate": {"kbit": 0.001, "mbit": 1, "gbit": 1000},
    "loss": {"%": 1, "": 1},
}


class TryCommand(TyperCommand):
    """The command: typer would end with DOWN after words that it does not understand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does. Raises UserError."""
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            why = error.format_message().rstrip(".")
            raise UserError(f"{why}; more: remeasure try --help") from None


def try_(
    left: Annotated[Path, typer.Argument(help="swanctl.conf, or a folder such as /etc/swanctl")],
    right: Annotated[
        Path | None, typer.Argument(help="the other end's; if it is left out, it is made")
    ] = None,
    rtt: Annotated[str, typer.Option(help="round trip between the ends")] = "50ms",
    mtu: Annotated[int, typer.Option(min=576, max=9000, help="path MTU [bytes]")] = 1500,
    loss: Annotated[str, typer.Option(help="share of packets that the path loses")] = "0%",
    rate: Annotated[
        str, typer.Option(help="traffic that meets the anti-replay window, such as 100mbit")
    ] = "",
    jitter: Annotated[
        str, typer.Option(help="standard deviation of the delay for that traffic")
    ] = "20ms",
    nat: Annotated[str, typer.Option(help="ends behind NAT: left, right or both")] = "",
    guarded: Annotated[
        bool, typer.Option("--guarded", help="with the guide's firewall rule at both ends")
    ] = False,
    version: Annotated[
        str, typer.Option("--version", help=f"of strongSwan: {', '.join(_SUITES)}")
    ] = _PRESENT,
    connection: Annotated[str, typer.Option(help="the one to try, by its name at left")] = "",
    fail_on: Annotated[
        str, typer.Option(help="exit 3 at any of: leak, loss, stuck, replay, down")
    ] = "",
    as_json: Annotated[Path | None, typer.Option("--json", help="write all answers")] = None,
    markdown: Annotated[Path | None, typer.Option(help="write the report as Markdown")] = None,
) -> None:
    """Try two configurations of a tunnel in virtual time: does it come up, what fits, and what is
    lost or leaks when it is renewed, an end stops, or the path is cut.

    Exit status: 0; 1 a file is wrong or refused; 2 the tunnel does not come up; 3 a fault of
    --fail-on; 127 a check of --fail-on cannot be made.
    """
    from remeasure.bench.tryout.running_pair import Way

    way = Way(
        rtt_ms=_number("rtt", rtt, "time"),
        mtu=mtu,
        loss_percent=_number("loss", loss, "loss"),
        rate_mbit=_number("rate", rate, "rate") if rate else 0,
        jitter_ms=_number("jitter", jitter, "time"),
    )
    if way.loss_percent > 100:
        raise UserError(f"--loss: found {loss}, expected at most 100%")
    wanted = _wanted(fail_on, way)
    for option, path in (("json", as_json), ("markdown", markdown)):
        if path and (path.is_dir() or not path.parent.is_dir()):
            raise UserError(f"--{option}: {path}: found no folder for it, expected a file in one")
    answers, pair = _run(left, right, way, nat, guarded, version, connection)
    from remeasure.paper.publish.tryout.report import as_markdown, show

    titles = (left.name, right.name if right else "made")
    show(answers, pair, titles)
    if as_json:
        as_json.write_text(answers.model_dump_json(indent=1) + "\n")
    if markdown:
        markdown.write_text(as_markdown(answers, pair, titles))
    sys.exit(_status(answers, wanted))


def _run(
    left: Path, right: Path | None, way: Way, nat: str, guarded: bool, version: str, connection: str
) -> tuple[TryAnswers, Pair]:
    """Read both ends, and ask all questions. Raises UserError."""
    from remeasure.bench.lab.namespace import enter, require_programs
    from remeasure.bench.lab.virtual.guest import get_parts
    from remeasure.bench.tryout.reading import read_pair
    from remeasure.bench.tryout.try_pair import try_pair

    if version not in _SUITES:
        raise UserError(f"--version: found {version}, expected one of {', '.join(_SUITES)}")
    sides = frozenset({"both": ["left", "right"], "": []}.get(nat, [nat]))
    pair = read_pair(left, right, connection=connection, nat=sides, version=version)
    if nat and pair.debian_lacks:
        raise UserError(
            f"--nat: {left}: needs a kernel with XFRM interfaces or IP-TFS, which has no NAT here; "
            "leave one of both out"
        )
    require_programs("unshare", "mount")
    kernel: Literal["debian", "instructions"] = "instructions" if pair.debian_lacks else "debian"
    parts = get_parts(kernel, _SUITES[version])
    enter(tun=False)
    with _progress() as told:
        found = try_pair(parts, pair, way, guarded=guarded, on_progress=told)
    return found, pair


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal; elsewhere nothing."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("questions")
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _wanted(fail_on: str, way: Way) -> set[str]:
    """The faults of --fail-on. Raises UserError; ends with UNSUPPORTED if one needs another
    option."""
    from remeasure.bench.tryout.answers import FAULTS

    wanted = {one.strip() for one in fail_on.split(",") if one.strip()}
    if unknown := wanted - {*FAULTS}:
        found = ", ".join(sorted(unknown))
        raise UserError(f"--fail-on: found {found}, expected some of {', '.join(FAULTS)}")
    if "replay" in wanted and not way.rate_mbit:
        _unsupported("--fail-on replay needs --rate, such as --rate 100mbit")
    return wanted


def _status(answers: TryAnswers, wanted: set[str]) -> int:
    from remeasure.bench.tryout.faults import faults

    found = faults(answers)
    if "down" in found and "set-up" in found["down"]:
        return DOWN
    if answers.set_up.no_traffic and wanted - {"down"}:
        _unsupported(f"--fail-on: no traffic was sent: {answers.set_up.no_traffic}")
    return FAULT if wanted & {*found} else 0


def _unsupported(why: str) -> None:
    print(f"remeasure: {why}", file=sys.stderr)
    sys.exit(UNSUPPORTED)


def _number(option: str, text: str, kind: str) -> float:
    """A number with a unit, such as 50ms. Raises UserError."""
    units = _UNITS[kind]
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z%]*)", text)
    if not match or match[2] not in units:
        raise UserError(
            f"--{option}: found {text}, expected a number with a unit: "
            f"{' or '.join(filter(None, units))}"
        )
    return float(match[1]) * units[match[2]]
