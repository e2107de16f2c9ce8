"""Goodput of TCP and UDP, by iperf3."""

import json
from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from remeasure.ipsec.agreement import Carried
from remeasure.probes.base import Bench, LogError, Observation, Probe

PORT = 5201


class Iperf3(Probe):
    """One run of iperf3, client to server (`up`) or server to client (`down`)."""

    kind: ClassVar = "iperf3"
    prepared_by: ClassVar = ("server",)
    tools: ClassVar = {"iperf3": ["iperf3", "--version"]}

    client: str
    server: str
    protocol: Literal["tcp", "udp"]
    direction: Literal["up", "down"]
    duration: int = Field(ge=1)
    """seconds"""
    window: str | None = None
    """socket buffer, both ends (-w)"""
    rate: str | None = None
    """offered rate of UDP (-b)"""
    length: int | None = None
    """bytes of payload in a datagram (-l); UDP needs it"""

    @model_validator(mode="after")
    def _udp_needs_length(self):
        if self.protocol == "udp" and self.length is None:
            raise ValueError("length: required for udp")
        return self

    def seconds(self) -> float:
        return self.duration + 1

    def options(self, address: str) -> list[str]:
        """of the client, for a server at `address`"""
        command = [
            "--json",
            "--port",
            str(PORT),
            "--time",
            str(self.duration),
            "--client",
            address,
            "--connect-timeout",
            "5000",
        ]
        options = {"--window": self.window, "--bitrate": self.rate, "--length": self.length}
        command += [part for key, value in options.items() if value for part in (key, str(value))]
        return command + (
            ["--udp"] * (self.protocol == "udp") + ["--reverse"] * (self.direction == "down")
        )

    def prepare(self, bench: Bench) -> None:
        bench.remotes[self.server].run(
            f"pgrep -x iperf3 >/dev/null || iperf3 --server --daemon --port {PORT}"
        )

    def measure(self, bench: Bench, stem: str) -> None:
        command = ["iperf3", *self.options(bench.topology.address(self.server))]
        text = bench.remotes[self.client].run(command, timeout=self.duration + 40)
        bench.save(f"{stem}.json", text)

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """goodput (Mbit/s, payload at the receiver, whole run); received_bytes (B);
        goodput_interval (Mbit/s, index: second; as seen by the client); TCP: retransmits
        (segments); UDP: sent, lost (datagrams), loss (%), jitter (ms, RFC 3550).

        The line is the one where the value's object starts.
        """
        try:
            text = content.decode()
            log = json.loads(text)
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            line = getattr(error, "lineno", 1)
            raise LogError(file, line, str(error), "JSON of iperf3 (is the file cut?)") from None
        line = _line_finder(text)
        if not isinstance(log, dict) or "start" not in log or "end" not in log:
            raise LogError(file, 1, text[:60], "the JSON of iperf3, with start and end")
        if log.get("error"):
            raise LogError(file, line("error"), log["error"], "a run without error")
        try:
            yield from _end_values(file, log, line)
        except (KeyError, TypeError) as error:
            raise LogError(file, 1, f"no {error}", "the JSON of iperf3, whole") from None

    def carried(self, observations: list[Observation]) -> Carried:
        values = {o.metric: o.value for o in observations if o.metric != "goodput_interval"}
        receiver = self.server if self.direction == "up" else self.client
        received = values["received_bytes"]
        if self.protocol == "udp":
            # Datagrams lost behind the gateway, in a full socket buffer, passed the SA; so did what
            # was on its way when the receiver stopped counting.
            return Carried(receiver, int(received / self.length), int(values["offered"]))
        # A segment holds at most 1460 bytes; one in three may be short or sent again.
        return Carried(receiver, int(received / 1460), int(received * 1.5 / 1460))

    def check(self, file: str, content: bytes) -> None:
        super().check(file, content)
        start = json.loads(content)["start"]["test_start"]
        found = (start["protocol"].lower(), bool(start["reverse"]), start["duration"])
        expected = (self.protocol, self.direction == "down", self.duration)
        if found != expected:
            raise LogError(file, 1, f"test {found}", f"{expected} (protocol, reverse, seconds)")


def _end_values(file: str, log: dict, line) -> Iterable[Observation]:
    yield from _interval_rates(file, log, line)
    # For UDP "sum" mixes both ends; "sum_received" is what the receiver counted.
    received, sent, at = log["end"]["sum_received"], log["end"]["sum_sent"], line("sum_received")
    yield Observation("goodput", received["bits_per_second"] / 1e6, "Mbit/s", at)
    yield Observation("received_bytes", received["bytes"], "B", at)
    if log["start"]["test_start"]["protocol"] == "UDP":
        if received["packets"] == 0:
            raise LogError(file, at, "0 packets", "a receiver that counted datagrams")
        yield Observation("sent", received["packets"], "datagrams", at)
        yield Observation("offered", sent["packets"], "datagrams", line("sum_sent"))
        yield Observation("lost", received["lost_packets"], "datagrams", at)
        yield Observation("loss", received["lost_percent"], "%", at)
        yield Observation("jitter", received["jitter_ms"], "ms", at)
    elif "retransmits" in sent:  # not where the system does not tell, as Windows
        yield Observation("retransmits", sent["retransmits"], "segments", line("sum_sent"))


def _interval_rates(file: str, log: dict, line) -> Iterable[Observation]:
    for index, interval in enumerate(log.get("intervals", [])):
        if "sum" not in interval:
            raise LogError(file, line("intervals"), f"interval {index}", "a sum in each interval")
        yield Observation(
            "goodput_interval",
            interval["sum"]["bits_per_second"] / 1e6,
            "Mbit/s",
            line("intervals"),
            index,
        )


def _line_finder(text: str):
    """key -> line of its last appearance as an object's key at the start of a line, from 1."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, quote, _ = line.strip().removeprefix('"').partition('":')
        if quote:
            lines[key] = number
    return lambda key: lines.get(key, 1)
