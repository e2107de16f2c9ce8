"""Bundles: one file that measures scenarios on a machine without network."""
