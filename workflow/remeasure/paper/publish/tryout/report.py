"""The report of `remeasure try`, for a terminal and as Markdown."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from remeasure.bench.tryout.answers import Fault, SetUp, TryAnswers
from remeasure.bench.tryout.faults import faults
from remeasure.bench.tryout.pair import Pair
from remeasure.paper.publish.tryout.cures import cures
from remeasure.paper.publish.tryout.rows import HEADS, rows, time_text

_BEGAN = {
    "start": "by itself",
    "trap": "by the first packet",
    "hand": "by hand (swanctl --initiate); nothing in the files begins",
}
_MOST_NOTES = 6
_WORDS: dict[Fault, str] = {
    "leak": "LEAKS",
    "stuck": "GETS STUCK",
    "down": "A RENEWAL FAILS",
    "replay": "DROPS REORDERED PACKETS",
    "loss": "A RENEWAL LOSES PACKETS",
}
_NONE = "NO FAULT FOUND"


def show(answers: TryAnswers, pair: Pair, titles: Sequence[str]) -> None:
    """Print the report; `titles` name the two files."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    for line in _head(answers, pair, titles):
        console.print(line, markup=False, style="bold" if line.isupper() else None)
    found = rows(answers)
    if found:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for head in HEADS:
            table.add_column(head, overflow="fold")
        for row in found:
            table.add_row(*row.cells, style="red" if row.bad else None)
        console.print(table)
    for line in _foot(answers, pair):
        console.print(line, markup=False)


def as_markdown(answers: TryAnswers, pair: Pair, titles: Sequence[str]) -> str:
    """The report as Markdown, for the summary of a job."""
    lines = [f"{line}  " for line in _head(answers, pair, titles)]
    if found := rows(answers):
        lines += ["", f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|"]
        lines += [
            f"| {' | '.join(cell.replace('|', '/') for cell in row.cells)} |" for row in found
        ]
    return "\n".join([*lines, "", *(f"{line}  " for line in _foot(answers, pair))]) + "\n"


def _head(answers: TryAnswers, pair: Pair, titles: Sequence[str]) -> list[str]:
    up, (left, right) = answers.set_up, pair.ends
    ends = (
        f"{titles[0]}: {left.connection}/{left.child} on {left.outer}  <->  "
        f"{titles[1]}: {right.connection}/{right.child} on {right.outer}"
    )
    found = faults(answers)
    if not up.up:
        assert up.reason
        return [f"DOWN: {up.reason['words']}", ends, *(f"  {one}" for one in up.reason["lines"])]
    verdict = ", ".join(words for fault, words in _WORDS.items() if fault in found) or _NONE
    return [verdict, ends, *_negotiated(answers, up)]


def _negotiated(answers: TryAnswers, up: SetUp) -> list[str]:
    assert up.negotiation
    of = up.negotiation
    rtt_ms = answers.way["rtt_ms"]
    took = f" in {up.took_ms:g} ms at a round trip of {rtt_ms:g} ms" if up.took_ms else ""
    pieces = ", ".join(f"{name} in {count} fragments" for name, count in of.fragments.items())
    lines = [
        f"Up from {up.initiator}, {_BEGAN[up.began]}{took}: {of.exchanges} exchanges, "
        f"{of.datagrams} datagrams, {of.bytes} bytes of IKE" + (f"; {pieces}" if pieces else ""),
        f"  IKE {up.ike}; peer authenticated: {'; '.join(up.authentication) or 'not told'}",
    ]
    lines += [
        f"  {child.protocol} {child.proposal} {child.mode}{', in UDP' if up.in_udp else ''}: "
        f"{' '.join(child.local)} === {' '.join(child.remote)}"
        for child in up.children[:4]
    ]
    times = up.lifetimes_s
    told = {
        "CHILD_SA rekeyed": times.get("child_rekeyed"),
        "IKE_SA rekeyed": times.get("ike_rekeyed"),
        "reauthenticated": times.get("reauthenticated"),
    }
    lives = [f"{words} after {time_text([after], 0)}" for words, after in told.items() if after]
    windows = {one for of_end in up.windows.values() for one in of_end}
    lines.append(f"  {'; '.join([*lives, f'anti-replay window {_listed(windows)}'])}")
    if up.no_traffic:
        lines.append(f"  no traffic was sent: {up.no_traffic}")
    elif not up.answered:
        lines.append("  NO TRAFFIC PASSES: the protected hosts do not reach each other")
    if answers.sizes:
        sizes = (f"from {end} {one.mtu} bytes, MSS {one.mss}" for end, one in answers.sizes.items())
        lines.append(f"  fits a path MTU of {answers.way['mtu']:g}: {'; '.join(sizes)}")
    return lines


def _foot(answers: TryAnswers, pair: Pair) -> list[str]:
    lines = [f"CHANGE: {one}" for one in cures(answers, pair, faults(answers))]
    if (replay := answers.replay) and replay.share <= 0.001:
        lines.append(
            f"The window of {replay.window} is enough at {replay.rate_mbit:g} Mbit/s and a jitter "
            f"of {replay.jitter_ms:g} ms."
        )
    notes = answers.set_up.notes
    lines += [f"note: {one}" for one in notes[:_MOST_NOTES]]
    if len(notes) > _MOST_NOTES:
        lines.append(f"note: {len(notes) - _MOST_NOTES} more (--json)")
    guard = "with the guide's firewall rule" if answers.guarded else "no firewall"
    versions = ", ".join(f"{name} {number}" for name, number in answers.versions.items())
    lines.append(
        f"In a lab: {versions}, {guard}, no hardware, default routes to the other end's networks; "
        "computing takes no time."
    )
    return lines


def _listed(windows: set[int]) -> str:
    return " and ".join(map(str, sorted(windows))) or "none"
