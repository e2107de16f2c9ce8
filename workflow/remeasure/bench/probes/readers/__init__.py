"""Readers of logs that several probes share."""
