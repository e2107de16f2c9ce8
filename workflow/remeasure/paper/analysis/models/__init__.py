"""Models of what scenarios measure; most are for one scenario."""
