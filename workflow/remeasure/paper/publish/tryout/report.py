"""The report of `remeasure try`, for a terminal and as Markdown."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from remeasure.bench.tryout.faults import faults
from remeasure.bench.tryout.pair import Pair
from remeasure.bench.tryout.replay import FEW
from remeasure.bench.tryout.try_answers import Fault, SetUpAnswer, TryAnswers, TryReport
from remeasure.paper.publish.tryout.cures import cures
from remeasure.paper.publish.tryout.try_rows import HEADS, rows, time_text

_BEGAN = {
    "start": "by itself",
    "trap": "by the first packet",
    "hand": "by hand; nothing in the files begins",
}
_EXCHANGE = {"strongSwan": "IKE", "WireGuard": "handshake"}
_MOST_NOTES = 6
_WORDS: dict[Fault, str] = {
    "leak": "LEAKS",
    "stuck": "GETS STUCK",
    "down": "A RENEWAL FAILS",
    "replay": "DROPS REORDERED PACKETS",
    "loss": "A RENEWAL LOSES PACKETS",
}
_NONE = "NO FAULT FOUND"


def show(report: TryReport, pair: Pair, titles: Sequence[str]) -> None:
    """Print the report; `titles` name the two files. Of several versions the last one, and then
    rows that differ between versions."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    *_, answers = report.tries.values()
    for line in _head(answers, pair, titles):
        console.print(line, markup=False, style="bold" if line.isupper() else None)
    found = [(row.cells, row.bad) for row in rows(answers)]
    for heads, cells in ((HEADS, found), (_heads(report), _different(report))):
        if cells:
            table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
            for number, head in enumerate(heads):
                table.add_column(head, overflow="fold", no_wrap=not number)
            for texts, bad in cells:
                table.add_row(*texts, style="red" if bad else None)
            console.print(table)
    for line in _foot(report, answers, pair):
        console.print(line, markup=False)


def as_markdown(report: TryReport, pair: Pair, titles: Sequence[str]) -> str:
    """The report as Markdown, for the summary of a job."""
    *_, answers = report.tries.values()
    lines = [f"{line}  " for line in _head(answers, pair, titles)]
    found = [(row.cells, row.bad) for row in rows(answers)]
    for heads, cells in ((HEADS, found), (_heads(report), _different(report))):
        if cells:
            lines += ["", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
            escaped = ([one.replace("|", "/") for one in row] for row, _ in cells)
            lines += [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([*lines, "", *(f"{line}  " for line in _foot(report, answers, pair))]) + "\n"


def _heads(report: TryReport) -> tuple[str, ...]:
    return ("differs by version", *(f"strongSwan {one}" for one in report.tries))


def _different(report: TryReport) -> list[tuple[tuple[str, ...], bool]]:
    """Rows whose cells differ between versions."""
    tables = [_told(answers) for answers in report.tries.values()]
    names = dict.fromkeys(name for table in tables for name in table)
    found = [(name, *(table.get(name, "-") for table in tables)) for name in names]
    return [(row, False) for row in found if len({*row[1:]}) > 1]


def _told(answers: TryAnswers) -> dict[str, str]:
    """The rows of one version: name -> text."""
    up = answers.set_up
    found = {
        "set-up": "up" if up.up else "down",
        "IKE": up.ike,
        "CHILD_SA": "; ".join(child.proposal for child in up.children),
        "MTU": "; ".join(f"{end} {one.mtu}" for end, one in answers.sizes.items()),
    }
    for row in sorted(rows(answers), key=lambda row: row.cells):
        name, lost, left, right, then = row.cells
        leaked = f"; leaks {left} / {right}" if (left, right) != ("-", "-") else ""
        found[name] = f"lost {lost}{leaked}; {then}"
    return found


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
    if up.no_traffic:
        verdict = "UP, NOTHING ELSE WAS TRIED"
    elif not up.answered:
        verdict = "NOTHING PASSES"
    return [verdict, ends, *_negotiated(answers, up)]


def _negotiated(answers: TryAnswers, up: SetUpAnswer) -> list[str]:
    assert up.negotiation
    of, exchange = up.negotiation, _EXCHANGE[up.program]
    rtt_ms = answers.way["rtt_ms"]
    took = f" in {up.took_ms:g} ms at a round trip of {rtt_ms:g} ms" if up.took_ms else ""
    pieces = ", ".join(f"{name} in {count} fragments" for name, count in of.fragments.items())
    lines = [
        f"Up from {up.initiator}, {_BEGAN[up.began]}{took}: {of.exchanges} exchanges, "
        f"{of.datagrams} datagrams, {of.bytes} bytes of {exchange}"
        + (f"; {pieces}" if pieces else ""),
        f"  {exchange} {up.ike}; peer authenticated: {'; '.join(up.authentication) or 'not told'}",
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
        "session renewed": times.get("session_renewed"),
    }
    lives = [f"{words} after {time_text([after], 0)}" for words, after in told.items() if after]
    windows = {one for of_end in up.windows.values() for one in of_end}
    window = f"anti-replay window {_listed(windows)}"
    window += "" if answers.replay else " (not tried: --rate)"
    lines.append(f"  {'; '.join([*lives, window])}")
    if up.no_traffic:
        lines.append(f"  no traffic was sent: {up.no_traffic}")
    elif not up.answered:
        lines.append("  NO TRAFFIC PASSES: the protected hosts do not reach each other")
    if answers.sizes:
        sizes = (
            f"from {end} {one.mtu} bytes (clamp MSS to {one.mss})"
            for end, one in answers.sizes.items()
        )
        lines.append(f"  largest at a path MTU of {answers.way['mtu']:g}: {'; '.join(sizes)}")
    return lines


def _foot(report: TryReport, answers: TryAnswers, pair: Pair) -> list[str]:
    lines = [f"CHANGE: {one}" for one in cures(answers, pair, faults(answers))]
    if (replay := answers.replay) and replay.share <= FEW:
        lines.append(
            f"The window of {replay.window} is enough at {replay.rate_mbit:g} Mbit/s and a jitter "
            f"of {replay.jitter_ms:g} ms."
        )
    if len(report.tries) > 1 and not _different(report):
        lines.append(f"strongSwan {', '.join(report.tries)}: no difference found.")
    lines += [f"strongSwan {version}: {why}" for version, why in report.refused.items()]
    notes = answers.set_up.notes
    lines += [f"note: {one}" for one in notes[:_MOST_NOTES]]
    if len(notes) > _MOST_NOTES:
        lines.append(f"note: {len(notes) - _MOST_NOTES} more (--json)")
    if answers.events:
        lines.append("-: nothing; to the end: as long as we watched (docs/try.md)")
    guard = "with the guide's firewall rule" if answers.guarded else "no firewall"
    versions = ", ".join(f"{name} {number}" for name, number in answers.versions.items())
    lines.append(
        f"In a lab: {versions}, {guard}, no hardware, default routes to the other end's networks; "
        "computing takes no time."
    )
    return lines


def _listed(windows: set[int]) -> str:
    return " and ".join(map(str, sorted(windows))) or "none"
