"""Suites, strongSwan configuration, credentials, and proof of the negotiated SAs."""
