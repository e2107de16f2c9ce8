"""The command `remeasure try`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from remeasure.bench.base.errors import UserError

if TYPE_CHECKING:
    from remeasure.bench.tryout.pair import Pair
    from remeasure.bench.tryout.running_pair import Way
    from remeasure.bench.tryout.try_answers import TryReport

_DOWN, _FAULT, _UNSUPPORTED = 2, 3, 127
_UNITS: dict[str, dict[str, float]] = {
    "time": {"ms": 1, "s": 1000},
    "rate": {"kbit": 0.001, "mbit": 1, "gbit": 1000},
    "loss": {"%": 1, "": 1},
}
_Left = Annotated[
    Path, typer.Argument(help="swanctl.conf or ipsec.conf, folder with one, or wg-quick file")
]
_Right = Annotated[Path | None, typer.Argument(help="the other end's; made if it is left out")]
_Rtt = Annotated[str, typer.Option(help="round trip between the ends")]
_Mtu = Annotated[int, typer.Option(min=576, max=9000, help="path MTU [bytes]")]
_Loss = Annotated[str, typer.Option(help="share of packets that the path loses")]
_Rate = Annotated[str, typer.Option(help="traffic for the anti-replay window, such as 100mbit")]
_Jitter = Annotated[str, typer.Option(help="standard deviation of the delay of that traffic")]
_Nat = Annotated[str, typer.Option(help="ends behind NAT: left, right or both")]
_Guarded = Annotated[bool, typer.Option("--guarded", help="with the guide's firewall rule")]
_Versions = Annotated[str, typer.Option(help="of strongSwan, some of 5.9, 6.0, 6.1, by commas")]
_Connection = Annotated[str, typer.Option(help="the one to try, by its name at left")]
_FailOn = Annotated[str, typer.Option(help="exit 3 at any of: leak, loss, stuck, replay, down")]
_Json = Annotated[Path | None, typer.Option("--json", help="write all answers")]
_Markdown = Annotated[Path | None, typer.Option(help="write the report as Markdown")]


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
    left: _Left,
    right: _Right = None,
    rtt: _Rtt = "50ms",
    mtu: _Mtu = 1500,
    loss: _Loss = "0%",
    rate: _Rate = "",
    jitter: _Jitter = "20ms",
    nat: _Nat = "",
    guarded: _Guarded = False,
    versions: _Versions = "6.1",
    connection: _Connection = "",
    fail_on: _FailOn = "",
    as_json: _Json = None,
    markdown: _Markdown = None,
) -> None:
    """Try two configurations of a tunnel in virtual time: does it come up, which packets fit, and
    how much is lost or leaks when it is renewed, an end stops, or the path is cut?

    Exit status: 0; 1 a file is wrong or refused; 2 the tunnel does not come up; 3 a fault of
    --fail-on; 127 a check of --fail-on cannot be made.
    """
    from remeasure.bench.tryout.try_pair import STRONGSWAN
    from remeasure.bench.tryout.versions import read_for_versions, try_versions

    base = _base(left)
    left, right = base / left, right and base / right
    as_json, markdown = _target("json", base, as_json), _target("markdown", base, markdown)
    way = _way(rtt, mtu, loss, rate, jitter)
    wanted = _wanted(fail_on, way)
    sides = frozenset({"both": ["left", "right"], "": []}.get(nat, [nat]))
    asked = re.findall(r"[^\s,]+", versions)
    read = read_for_versions(left, right, asked, connection, sides)
    if way.rate_mbit and read.kind is not STRONGSWAN:
        _unsupported("--rate: the kernel does not count what WireGuard's anti-replay window drops")
    with _progress() as told:
        report = try_versions(read, way, guarded, told)
    titles = (left.name, right.name if right else "made")
    _tell(report, [*read.pairs.values()][-1], titles, as_json, markdown)
    sys.exit(_status(report, wanted))


def _base(left: Path) -> Path:
    """The folder from which relative paths count: this one, or, if it lacks the file, the one that
    `env/run` came from."""
    there = Path(os.environ.get("OLDPWD", ""))
    return there if not os.path.lexists(left) and (there / left).exists() else Path()


def _target(option: str, base: Path, path: Path | None) -> Path | None:
    """The file to write. Raises UserError if it cannot be."""
    target = path and base / path
    if target and (target.is_dir() or not target.parent.is_dir()):
        raise UserError(f"--{option}: {target}: found no folder for it, expected a file in one")
    return target


def _tell(
    report: TryReport,
    pair: Pair,
    titles: tuple[str, str],
    as_json: Path | None,
    markdown: Path | None,
) -> None:
    from remeasure.paper.publish.tryout.report import as_markdown, show

    show(report, pair, titles)
    if as_json:
        as_json.write_text(report.model_dump_json(indent=1) + "\n")
    if markdown:
        markdown.write_text(as_markdown(report, pair, titles))


def _way(rtt: str, mtu: int, loss: str, rate: str, jitter: str) -> Way:
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
    return way


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


def _wanted(fail_on: str, way: Way) -> set[str]:
    """The faults of --fail-on. Raises UserError; ends with _UNSUPPORTED if one needs another
    option."""
    from remeasure.bench.tryout.try_answers import FAULTS

    wanted = {one.strip() for one in fail_on.split(",") if one.strip()}
    if unknown := wanted - {*FAULTS}:
        found = ", ".join(sorted(unknown))
        raise UserError(f"--fail-on: found {found}, expected some of {', '.join(FAULTS)}")
    if "replay" in wanted and not way.rate_mbit:
        _unsupported("--fail-on replay needs --rate, such as --rate 100mbit")
    return wanted


def _status(report: TryReport, wanted: set[str]) -> int:
    """The exit status: the greatest of all versions."""
    from remeasure.bench.tryout.faults import faults

    found = {1} if report.refused else {0}
    for answers in report.tries.values():
        places = faults(answers)
        if "set-up" in places.get("down", ()):
            found.add(_DOWN)
        elif answers.set_up.no_traffic and wanted - {"down"}:
            _unsupported(f"--fail-on: no traffic was sent: {answers.set_up.no_traffic}")
        elif met := [one for one in places if one in wanted]:
            found.add(_FAULT)
            told = "; ".join(f"{one}: {', '.join(places[one])}" for one in met)
            print(f"Exit status {_FAULT} by --fail-on: {told}")
    return max(found)


def _unsupported(why: str) -> None:
    print(f"remeasure: {why}", file=sys.stderr)
    sys.exit(_UNSUPPORTED)


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; elsewhere nothing. Gives a function to call after each answer with the
    number of all."""
    from rich.console import Console
    from rich.progress import Progress

    shown = sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=not shown) as bar:
        task = bar.add_task("questions")
        yield lambda of: bar.update(task, advance=1, total=of)
