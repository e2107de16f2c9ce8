"""Estimates and tests on the tidy tables."""
