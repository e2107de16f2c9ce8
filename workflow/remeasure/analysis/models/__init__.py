"""Models that one scenario uses."""
