"""What hosts are, and what they did while something was measured."""
