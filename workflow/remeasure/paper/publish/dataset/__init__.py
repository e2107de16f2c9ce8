"""The dataset that is given away: its tables, their description, and a release as one file."""
