"""Metrics that statements are about, in words for readers of the ledger."""

import re
from collections.abc import Iterable

_WORDS = {
    "aaa_cpu": "processor time of the AAA server",
    "cores_per_gbit": "cores per Gbit/s",
    "cpu_per_megabyte": "processor time per megabyte",
    "cpu_per_packet": "processor time per packet",
    "delay": "set-up time until the CHILD_SA",
    "delay_mean": "mean delay of packets",
    "goodput": "goodput (payload that arrives)",
    "hosts_busy": "load of the hosts",
    "ike_messages": "messages of IKE",
    "ike_sa": "set-up time until the IKE_SA",
    "initiator_cpu": "processor time of the initiator",
    "jitter": "jitter",
    "loss": "loss of packets",
    "rate": "rate of a transfer",
    "rtt": "round-trip time",
    "sender_receiver_gap": "rate at the sender less at the receiver",
    "throughput": "throughput",
}
"""metric of a statement -> words"""
_METRIC = re.compile(r"\b\w+_\w+\b")


def topics_in_words(metrics: Iterable[str]) -> dict[str, str]:
    """Metric -> words, in the order of the words."""
    named = {metric: _WORDS.get(metric, metric.replace("_", " ")) for metric in metrics}
    return dict(sorted(named.items(), key=lambda item: item[1]))


def in_words(quantity: str) -> str:
    """The quantity of a test with names of metrics in words."""
    return _METRIC.sub(lambda name: _WORDS.get(name[0], name[0]), quantity)
