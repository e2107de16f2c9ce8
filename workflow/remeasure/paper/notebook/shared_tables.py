"""Tables that several notebooks and the paper share."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from remeasure.bench.base.checks import KINDS
from remeasure.bench.base.names import VIRTUAL
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.testbed.treatments.instructions import OF_INSTRUCTIONS, made_of_parts
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.entry import Entry, Ledger
from remeasure.paper.analysis.lineage import Quoted, joined_text
from remeasure.paper.analysis.texts import in_larger_units, interval_text
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED
from remeasure.paper.analysis.verdicts.ledger import in_both_worlds
from remeasure.paper.notebook.plain_labels import in_plain, label
from remeasure.paper.words import words_of

_WORDS = words_of(__file__, "shared-tables")
PARTS: dict[str, str] = _WORDS["parts"]
"""verdict on one of several parts -> the words behind its finding"""


def claims_table(answers: pd.DataFrame, entries: Ledger) -> pd.DataFrame:
    """One row per tested claim, all text: its words, the numbers of the study, the finding of every
    test, and the verdicts on direction and size. If the parts of a claim differ, each has its own
    verdict. `answers` are of analysis.verdicts.answers."""
    differing = {entry["id"] for entry in entries if entry["parts"]}

    def one(row: Any) -> Quoted:
        estimate = interval_text(row.value, row.low, row.high, row.origin)
        before = f"{label(row.quantity, row.brief)}: " if row.brief else ""
        after = f" {PARTS[row.verdict]}" if row.id in differing and row.verdict else ""
        shown = in_larger_units(f"{before}{estimate} {row.unit}".strip())
        return Quoted(shown + after, estimate.origins)

    groups = dict(list(answers.groupby("id", sort=False)))
    worlds = any(map(in_both_worlds, entries))
    rows = [
        {
            "statement": entry["says"] + (" (not counted)" if entry["uncounted"] else ""),
            "published": entry["published"],
            "found": joined_text("; ", map(one, groups[entry["id"]].itertuples())),
            "verdict": _verdict_of_parts(entry),
            "size": "" if entry["size"] == decisions.NO_SIZE else entry["size"],
        }
        | ({"in both worlds": in_both_worlds(entry)} if worlds else {})
        for entry in entries
    ]
    return pd.DataFrame(rows, dtype=object)


def _verdict_of_parts(entry: Entry) -> str:
    """The verdict; "in part" if only a part has it. If the study's number lies outside our
    interval, only the direction is confirmed."""
    if entry["reason"] == UNDIRECTED:
        return "no direction"
    if entry["verdict"] == decisions.CONFIRMED and entry["size"] == decisions.OUTSIDE:
        return f"{decisions.CONFIRMED} (direction only)"
    if entry["parts"] and entry["verdict"] in (decisions.OPPOSITE, decisions.NO_DIFFERENCE):
        return f"{entry['verdict'].removesuffix(' that matters')} (in part)"
    part, *more = entry["decided_by"].split("; ")
    if not part or entry["verdict"] not in (decisions.OPPOSITE, decisions.NO_DIFFERENCE):
        return entry["verdict"]
    return f"{entry['verdict']} ({in_plain(part)}{' and others' if more else ''})"


def verdict_text(entry: Entry) -> str:
    """The verdict in one line: 'confirmed; published size inside our interval'."""
    if entry["reason"] == UNDIRECTED:
        return "(no direction)"
    parts = f" ({entry['parts']})" if entry["parts"] else ""
    size = f"; published size {entry['size']} our interval"
    return entry["verdict"] + parts + ("" if entry["size"] == decisions.NO_SIZE else size)


def trials_in_words(trials: pd.DataFrame, checks: pd.DataFrame) -> str:
    """How many trials were accepted, and how many checks of which kinds passed, as sentences."""
    of = trials["verdict"].value_counts()
    counts = ", ".join(f"{of.get(word, 0)} {word}" for word in ("accepted", "suspect", "rejected"))
    kinds = set(checks["kind"].unique())
    order = [*KINDS, *sorted(kinds - set(KINDS))]
    named = [KINDS.get(kind, kind) for kind in order if kind in kinds]
    of_checks = {"checks": len(checks), "passed": checks["passed"].sum()}
    return str(_WORDS["trials"]).format(
        trials=len(trials), counts=counts, **of_checks, kinds="; ".join(named)
    )


def runs_in_words(runs: pd.DataFrame) -> str:
    """How many runs of probes were disturbed, as a sentence. `runs` is the table of that name."""
    counts = runs["verdict"].value_counts()
    if not counts.drop("", errors="ignore").sum():
        return str(_WORDS["no_runs"])
    said = ", ".join(
        f"{counts[word]} {text}" for word, text in _WORDS["disturbed"].items() if word in counts
    )
    return str(_WORDS["runs"]).format(runs=len(runs), said=said)


_REASON = 160
"""characters of the reasons of a trial in the table of trials that were not accepted"""
_PINNED = {"own": "yes", "side by side": "yes", "shared": "yes"}
"""where guests ran (lab.placement) -> whether they were pinned; elsewhere they were not"""


def campaign_row(scenario: str, where: dict[str, Any], trials: pd.DataFrame) -> pd.DataFrame:
    """The scenario's row of the paper's table of campaigns: scenario, campaign, blocks, accepted
    trials of all, suspect ones, maker of the processor, and whether guests were pinned; in virtual
    time, in which computing takes no time, 'any' and 'virtual'. `where` comes from `provenance`."""
    verdicts = trials["verdict"].value_counts()
    makers, pinned = ["any"], ["virtual"]
    if not trials["hosts"].str.startswith(VIRTUAL).all():
        makers = [re.split(r"\W", processor)[0] for processor in where["machine"].split(" / ")]
        pinned = [_PINNED.get(place, "no") for place in where["placement"].split(" / ")]
    row = {
        "scenario": scenario,
        "campaign": where["campaign"],
        "blocks": where["blocks"],
        "accepted": f"{verdicts.get('accepted', 0)}/{len(trials)}",
        "suspect": verdicts.get("suspect", 0),
        "maker": " / ".join(dict.fromkeys(makers)),
        "pinned": " / ".join(dict.fromkeys(pinned)),
    }
    return pd.DataFrame([row])


def not_accepted(trials: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Every trial that was not accepted, with the beginning of its reasons."""
    columns = ["block", "trial", *factors, "verdict", "reasons"]
    refused = trials.loc[trials["verdict"] != "accepted", columns]
    # An error of a tool has many lines.
    return refused.assign(reasons=[shorten(str(one), _REASON) for one in refused["reasons"]])


NOT_RECORDED = "not recorded"


def provenance(blocks: Sequence[Path]) -> dict[str, Any]:
    """Facts of a campaign: campaign, profile, blocks, trials, first and last day (UTC), machine,
    placement of guests on it, the versions of kernel, strongSwan and tools, and the drivers of the
    kernel's ciphers and hashes (NOT_RECORDED in older blocks). If a fact differs between blocks,
    its values are separated by ' / '."""
    archives = [BlockArchive(path) for path in blocks]
    sessions = [session for a in archives for session in a.block["sessions"]]
    machines = [session["machine"] for session in sessions if "machine" in session]
    hosts = [host for session in sessions for host in session["hosts"].values()]
    packages = [session.get("image", {}).get("packages", {}) for session in sessions]
    uses_openvpn = any("openvpn" in host["tools"] for host in hosts)
    days = sorted(session["start"][:10] for session in sessions)

    def all_of(values: Iterable[object]) -> str:
        return " / ".join(sorted({str(value) for value in values}))

    return {
        "campaign": all_of(a.block["campaign"] for a in archives),
        "profile": all_of(a.block["profile"] for a in archives),
        "blocks": len(archives),
        "first_day": days[0],
        "last_day": days[-1],
        "software": all_of(session["software"][:12] for session in sessions),
        "machine": all_of(machine["cpu"] for machine in machines),
        "machine_cpu_flags": all_of(one.get("cpu_flags", NOT_RECORDED) for one in machines),
        "machine_cpus": all_of(machine["cpus"] for machine in machines),
        "machine_kernel": all_of(machine["kernel"] for machine in machines),
        "placement": all_of(_placement(session["guests"]) for session in sessions),
        "kernel": all_of(host["kernel"].split()[1] for host in hosts),
        "crypto drivers": _crypto_drivers(hosts),
        # Guests have a package of strongSwan; other machines only print its version.
        "strongswan": all_of(p["charon-systemd"] for p in packages if p)
        or all_of(host["tools"].get("swanctl", "") for host in hosts),
        **({"openvpn": all_of(p["openvpn"] for p in packages)} if uses_openvpn else {}),
        # Each scenario has its own.
        "tools": {
            tool: all_of(host["tools"][tool] for host in hosts if tool in host["tools"])
            for tool in dict.fromkeys(tool for host in hosts for tool in host["tools"])
        },
    }


def in_generic_code(where: dict[str, Any]) -> bool:
    """Whether blocks recorded the drivers of ciphers and hashes, and none uses the processor's
    instructions for them. `where` comes from `provenance`."""
    drivers = where["crypto drivers"]
    return drivers != NOT_RECORDED and not OF_INSTRUCTIONS.search(drivers)


def _placement(guests: dict[str, Any]) -> str:
    """The cores of hosts (see lab.placement). Before this was recorded guests were unpinned;
    machines of an inventory have their own."""
    return guests.get("placement") or ("own" if guests["own_machine"] else "wandering")


def _crypto_drivers(hosts: Iterable[dict[str, Any]]) -> str:
    """The driver of each cipher and hash on these hosts, as recorded in blocks, without
    combinations of drivers that are listed anyway."""
    drivers = [host["crypto"] for host in hosts if "crypto" in host]
    if not drivers:
        return NOT_RECORDED
    pairs = {pair for of_host in drivers for pair in of_host.items() if not made_of_parts(*pair)}
    return "; ".join(f"{algorithm}: {driver}" for algorithm, driver in sorted(pairs))
