"""Hosts reachable over SSH: connections, facts, and settings."""
