"""Hosts reachable over SSH: connections, facts, counters, and what is done to their links."""
