"""The way back from printed results to the raw logs: finding it, showing it."""
