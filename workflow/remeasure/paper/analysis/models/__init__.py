"""Models of measurements; most are for one scenario."""
