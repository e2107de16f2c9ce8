"""One trial: set hosts up, run the probes, prove the treatment, clean up."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from remeasure.bench.base.checks import Check
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign import record
from remeasure.bench.campaign.archive import START, counters_file, reading
from remeasure.bench.campaign.plan import Task, order_of_runs
from remeasure.bench.ipsec.tunnel import Control
from remeasure.bench.measure import health
from remeasure.bench.measure.block_hosts import Driver
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.metrics import Value
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.record_clock import RecordClock
from remeasure.bench.testbed.remote import Command, Remote
from remeasure.bench.testbed.watching.load import Meter

OnProbe = Callable[[str, float], None]
"""called before each run of a probe, with the probe's name and rough duration [s]"""

_START: record.Repeat = {"name": START, "probe": "", "repeat": 0}
"""before the first probe"""


class Trial:
    """The bench on which the probes of one trial work, and the record of its events."""

    def __init__(
        self,
        task: Task,
        folder: Path,
        driver: Driver,
        meter: Callable[[], Meter],
        clock: RecordClock | None = None,
    ):
        """All files are written to `folder`; `meter` begins to measure how disturbed the trial is;
        times are by `clock` (default: this machine's)."""
        self.topology, self.seed = task.topology, task.seed
        self._tunnel_wanted = task.settings.tunnel
        self._folder, self._driver, self._new_meter = folder, driver, meter
        self._clock = clock or RecordClock()
        self._logs: list[record.LogEntry] = []
        self._counters: list[record.CounterEntry] = []
        self._counted: list[dict[str, str]] = []
        """role -> counters, one entry for each reading"""
        self._runs: list[record.RunEntry] = []
        self._events: list[str] = []
        """disturbances during runs, one line each"""
        self._checks: list[Check] = []
        self._commands: list[Command] = []
        self._current = _START
        """the run of logs that are saved now"""

    @property
    def remotes(self) -> Mapping[str, Remote]:
        return self._driver.remotes

    @property
    def tunnel(self) -> Control | None:
        return self._driver.tunnel

    def save(self, log: str, content: str | bytes) -> None:
        self._keep(log, content.encode() if isinstance(content, str) else content)
        self._logs.append({"file": log, **self._current})

    def set_up(self) -> None:
        self._driver.set_up()

    def run(self, on_probe: OnProbe) -> record.Outcome:
        """Run the whole trial. Raises HostUnreachable. Any other error is a reason for
        rejection."""
        for remote in self.remotes.values():
            remote.on_command = self._commands.append
        start, clock_doubts = self._clock.now_ns(), self._clock.watch()
        self._meter = self._new_meter()
        reasons: list[str] = []
        probe_ns = 0
        try:
            with _rejecting(reasons):
                probes = self._driver.set_up()
                with _rejecting(reasons):
                    for probe in _prepared(probes):
                        probe.prepare(self)
                    probe_ns = self._run_probes(probes, on_probe)
                    for probe in _prepared(probes):
                        probe.finish(self)
                # After a probe failed, the hosts' present state shows why.
                self._checks += self._driver.prove(self._keep)
        finally:
            reasons += self._driver.clean_up()
        reasons += [str(check) for check in self._checks if not check.passed]
        load = self._meter.read()
        verdicts = [run["verdict"] for run in self._runs if "verdict" in run]
        end = self._clock.now_ns()
        suspect = [*health.doubts(load, verdicts, self._events), *clock_doubts()]
        return {
            "verdict": "rejected" if reasons else "suspect" if suspect else "accepted",
            "reasons": reasons or suspect,
            "start_ns": start,
            "end_ns": end,
            "probe_ns": probe_ns,
            "health": load,
            "checks": [cast(record.CheckEntry, {**vars(check)}) for check in self._checks],
            "logs": self._logs,
            "counters": self._counters,
            "runs": self._runs,
            "commands": [cast(record.CommandEntry, {**vars(one)}) for one in self._commands],
        }

    def _run_probes(self, probes: Mapping[str, Probe], on_probe: OnProbe) -> int:
        """Run all probes. Returns the time spent inside them [ns]."""
        spent, tunnel_used, first = 0, True, True
        for name, repeat in order_of_runs(probes):
            probe = probes[name]
            if tunnel_used and not probe.controls_tunnel:
                self._fresh_tunnel(restart=not first)
            tunnel_used, first = probe.controls_tunnel, False
            on_probe(name, probe.seconds())
            spent += self._run_repeat(name, probe, repeat)
        return spent

    def _run_repeat(self, name: str, probe: Probe, repeat: int) -> int:
        """Run a probe once. Returns the time spent measuring [ns]."""
        stem, first_log = f"{name}-{repeat:02d}", len(self._logs)
        self._current = {"name": name, "probe": probe.kind, "repeat": repeat}
        if probe.levels:
            self._current |= {"name": name.split(".")[0], "levels": probe.levels}
        spent = self._measure(probe, stem)
        if not probe.controls_tunnel:
            self._count(self._current)
        if probe.verifies:
            probe.verify(self, stem)
        self._check(name, probe, self._logs[first_log:])
        if probe.verifies and not probe.controls_tunnel:
            self._count(self._current | {"repeat": 0})
        return spent

    def _measure(self, probe: Probe, stem: str) -> int:
        """Let a probe measure, and note the load of the machine meanwhile. Returns the time spent
        measuring [ns]."""
        meter = self._meter.of_run()
        start, clock_doubts = self._clock.now_ns(), self._clock.watch()
        probe.measure(self, stem)
        end = self._clock.now_ns()
        run: record.RunEntry = {**self._current, "start_ns": start, "end_ns": end}
        if meter:
            use, lasted = meter.use(), end - start
            found = [*health.stall_doubts(use.stalls, lasted)]
            found += health.quota_doubts(use.quotas, lasted)
            clocks = [health.Doubt(text) for text in clock_doubts()]
            run |= {
                "verdict": health.run_verdict(use, [*found, *clocks]),
                "reasons": health.run_reasons(use, [*found, *clocks]),
                "load": use.load,
                "processors": use.hosts,
            }
            if use.stalls is not None:
                run["stalls"] = list(use.stalls)
            self._events += [f"{stem}: {doubt.text}" for doubt in found if doubt.tells]
        self._runs.append(run)
        return end - start

    def _fresh_tunnel(self, restart: bool) -> None:
        """Set the tunnel up again, so that its counters start from 0; with `restart` the daemons
        are restarted too."""
        if self.tunnel:
            if restart:
                self.tunnel.configure()
            self.tunnel.bring_up()
        self._count(_START)

    def _count(self, after: record.Repeat) -> None:
        """Read the counters of all hosts at once: to ask an idle host costs little, but asking one
        after the other would take time."""
        number = len(self._counted)
        self._counted.append(dict(zip(self.remotes, self._driver.count(), strict=True)))
        for host, text in self._counted[-1].items():
            entry: record.CounterEntry = {
                "file": counters_file(host),
                "host": host,
                "kind": "all",
                "number": number,
                "after": after["name"],
                "repeat": after["repeat"],
                "levels": after.get("levels", {}),
            }
            self._counters.append(entry)
            with (self._folder / entry["file"]).open("a") as file:
                file.write(reading(entry, text))

    def _check(self, name: str, probe: Probe, logs: list[record.LogEntry]) -> None:
        """The logs of one repeat: each by itself, with each other, and with the counters."""
        observations: list[Value] = []
        for entry in logs:
            content = (self._folder / entry["file"]).read_bytes()
            probe.require_complete(entry["file"], content)
            observations += probe.parse(entry["file"], content)
        self._checks += probe.agree(name, observations, self._tunnel_wanted)
        if probe.controls_tunnel:
            return
        if carried := probe.carried(observations):
            self._checks += self._driver.check_carried(name, probe, carried, *self._counted[-2:])

    def _keep(self, file: str, content: bytes) -> None:
        (self._folder / file).write_bytes(content)


@contextmanager
def _rejecting(reasons: list[str]) -> Iterator[None]:
    """Errors meanwhile are a reason for rejection, unless a host is lost."""
    try:
        yield
    except HostUnreachable:
        raise
    except UserError as error:
        reasons.append(str(error))
    except (ValueError, LookupError, ArithmeticError, StopIteration) as error:
        # The output of a tool was malformed in a way that no parser foresaw.
        reasons.append(f"{type(error).__name__}: {error}")


def _prepared(probes: Mapping[str, Probe]) -> Iterable[Probe]:
    """One of the probes that a trial prepares alike, and finishes alike."""
    alike = {
        (probe.kind, *(getattr(probe, field) for field in probe.prepared_by)): probe
        for probe in probes.values()
    }
    return alike.values()
