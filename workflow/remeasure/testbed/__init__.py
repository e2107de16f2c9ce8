"""Hosts reachable over SSH: connections, facts, counters, and the settings of their links."""
