"""Suites, strongSwan configuration, credentials, and proof of what was negotiated."""
