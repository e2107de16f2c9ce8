"""The report of `remeasure try`."""
