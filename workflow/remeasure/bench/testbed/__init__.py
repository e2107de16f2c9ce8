"""Hosts reachable over SSH: connections to them, what they are, and what is set on them."""
