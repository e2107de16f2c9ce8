"""Settings of a cell on its hosts, and their proof in a trial."""
