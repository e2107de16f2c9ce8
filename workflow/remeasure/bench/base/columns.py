"""The one list of the tables that `remeasure tidy` writes, and of their columns. It is the source
of the schema of the Parquet files, of the codebook in data/README.md, and of the names that no
factor can have. A new column is an entry here and a value in tidy/rows.py."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

Type = Literal["word", "text", "integer", "large integer", "number", "truth", "time"]
"""word: text of few different values; integer: 32 bits; large integer: 64 bits; number: 64-bit
floating point; time: ns since the epoch, UTC"""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    type: Type
    unit: str
    """unit as the codebook prints it; empty if the value has none"""
    meaning: str
    """the contents of the column: one plain sentence or phrase, in Markdown"""


def _columns(meanings: Mapping[str, str]) -> tuple[Column, ...]:
    """Columns from '<name>: <type> [<unit>]' -> meaning."""
    found = []
    for heading, meaning in meanings.items():
        [(name, kind, unit)] = re.findall(r"^(\w+): ([a-z ]+?)(?: \[(.+)\])?$", heading)
        found.append(Column(name, cast(Type, kind), unit, meaning))
    return tuple(found)


@dataclass(frozen=True)
class Table:
    """One table: a file <name>.parquet per scenario. Its columns are KEYS, one of type word per
    factor, one of numbers next to each quantity, and `columns`, in this order."""

    name: str
    row: str
    """the meaning of a row"""
    varies_within: bool
    """True if the table also has a column for each factor that varies within a trial"""
    columns: tuple[Column, ...]


def table(name: str, row: str, varies_within: bool, columns: Mapping[str, str]) -> Table:
    return Table(name, row, varies_within, _columns(columns))


KEYS = _columns(
    {
        "campaign: word": "name of the campaign",
        "scenario: word": "name of the scenario",
        "block: integer": "number of the block within the campaign, from 1",
        "trial: integer": "place of the trial in the order of its block, from 1",
        "clock: word": "`real`, or `virtual`: a clock that stops while a processor computes. Times "
        "by the two must not be mixed",
    }
)
"""the columns with which every table begins"""
_LOAD = {
    "busy: number [0 to 1]": "share of all cores of the machine that was in use",
    "steal: number [0 to 1]": "share of all cores that a hypervisor took",
    "foreign: number [0 to 1]": "share of all cores used by programs that are neither a guest nor "
    "the measurement",
}
"""load of the machine during a trial or a run"""

_TRIALS = table(
    "trials",
    "one finished trial",
    False,
    {
        "attempt: integer": "1, or more if earlier attempts were interrupted, or were at another "
        "pace than the block",
        "verdict: word": "`accepted`, `suspect` or `rejected`, as in `trial.json`",
        "reasons: text": "why the trial was not accepted, separated by `; `",
        "start: time [UTC]": "start of the trial",
        "duration: number [s]": "duration of the whole trial",
        "probe_share: number [0 to 1]": "share of the duration spent inside probes",
        "checks: integer [checks]": "number of checks made",
        "checks_passed: integer [checks]": "number of checks that passed",
        **_LOAD,
        "pace_before: large integer [ns]": "processor time of a fixed computation on the machine "
        "just before the trial, `pace_ns` of `trial.json`; missing if it was not recorded",
        "pace_after: large integer [ns]": "the same just after the trial (`pace_after_ns`)",
        "os: text": "operating system of the hosts: `linux`, or `windows` (in no released "
        "campaign)",
        "hosts: text": "kind of the hosts: `machines` of an inventory; `guests` with kernels of "
        "their own; `emulated` guests, whose instructions are translated; `namespaces` of one "
        "kernel; or `virtual`. In `virtual` hosts computing takes no time. A version of strongSwan "
        "follows (`virtual 5.9.8`) if the testbed sets it",
        "backend: text": "name of the back end that made the hosts, such as `uml`, `uml-smp`, "
        "`qemu`, `netns` or `virtual`; `ssh` for machines of an inventory",
        "accelerator: text": "under QEMU `kvm`, or `tcg`, which translates every instruction; else "
        "`none`",
        "guest_cpus: integer [processors]": "processors of all hosts together",
        "machine_cpus: integer [processors]": "processors of the machine under the hosts, which "
        "they share if `guest_cpus` is more",
        "shared_cores: text": "hosts that were pinned to one core, such as `client1 gw1, gw2 "
        "client2`; empty if none were, or the block does not record it",
    },
)
_RUNS = table(
    "runs",
    "one run of a probe, in a trial that was not rejected; what was not recorded is missing "
    "(see Runs)",
    True,
    {
        "probe: word": "name of the probe in the scenario",
        "tool: word": "the measuring tool",
        "repeat: integer": "number of the run of the probe, from 1",
        "start: time [UTC]": "start of the run",
        "seconds: number [s]": "duration of the run, start and end of its tool included",
        **_LOAD,
        "verdict: word": "`accepted`; `suspect` if the machine was disturbed during the run; "
        "`unjudged` if the run was too short to tell",
    },
)
_OBSERVATIONS = table(
    "observations",
    "one measured value of a trial that was not rejected",
    True,
    {
        "trial_verdict: word": "`accepted` or `suspect`: the trial's verdict",
        "probe: word": "name of the probe in the scenario",
        "tool: word": "the measuring tool",
        "repeat: integer": "number of the run of the probe, from 1",
        "metric: word": "what was measured (see Metrics)",
        "index: integer": "which of several values of one run: sequence number of a ping, second "
        "of a run, hop of a path, number of a file, interval of 100 ms; else 0",
        "value: number [in `unit`]": "the value",
        "unit: word": "unit of `value`",
        "side: word": "who counted: the `sender` of the payload, its `receiver`, or `both` (a "
        "difference or ratio of what each counted); empty where the value has no side",
        "file: word": "log in the block's archive that holds the value",
        "line: integer": "line of the log (in a capture: number of the packet)",
    },
)
_COUNTERS = table(
    "counters",
    "one counter of a host that moved during a run of a probe, in a trial that was not rejected",
    True,
    {
        "probe: word": "name of the probe in the scenario",
        "repeat: integer": "number of the run of the probe, from 1",
        "host: word": "the host that counted",
        "counter: word": "what was counted (see Counters)",
        "change: large integer [as the counter's name says]": "value after the run less value "
        "before it",
        "file: word": "file in the block's archive with the value after the run",
    },
)
_CHECKS = table(
    "checks",
    "one check of a trial",
    False,
    {
        "kind: word": "what the check proves (see Kinds of checks)",
        "name: word": "what was looked at, and where",
        "passed: truth": "whether what was found is what was expected",
        "found: word": "what was found",
        "expected: word": "what a trial that counts must have",
    },
)

TABLES = {table.name: table for table in (_TRIALS, _RUNS, _OBSERVATIONS, _COUNTERS, _CHECKS)}
"""name -> table, in the order in which they are written"""

NAMES = frozenset(
    column.name for columns in (KEYS, *(t.columns for t in TABLES.values())) for column in columns
)
"""names of all columns that are no factor"""

RESERVED = NAMES | {
    *("low", "high", "n", "limit", "where", "may_be", "reading"),
    *("quantity", "cells", "made_by"),
}
"""names that no factor can have: names of columns, of fields of an estimate, of fields that
describe a run's rate, and of the table of estimates"""
