"""Limits of rates: the load of links, hosts and machine during each run."""
