"""The way back from what is printed to the raw logs: finding it, showing it."""
