"""What a cell sets on its hosts, and how a trial proves it."""
