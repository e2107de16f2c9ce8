"""The way back from what is printed to the raw logs: recording it, finding it, showing it."""
