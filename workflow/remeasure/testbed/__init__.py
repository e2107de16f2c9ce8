"""Hosts reachable over SSH, by role."""
