"""Metrics that no probe reads from its log, since they need several logs."""

DERIVED = {
    "cpu_per_megabyte": "processor time for a megabyte of payload [ms/MB] (analysis/cost.py)",
    "cpu_per_packet": "processor time for a packet [us] (analysis/cost.py)",
    "cores_per_gbit": "processors that a Gbit/s keeps busy (analysis/models/scaling.py)",
    "hosts_busy": "busy share of the processors of all hosts (analysis/models/scaling.py)",
    "receiver_less_sender": "the receiver's busy share less the sender's [points]",
    "sender_receiver_gap": "distance of the two busy shares [points]",
}
"""metric -> its meaning"""
