"""The way back from what is printed to the raw logs: record it, find it, show it."""
