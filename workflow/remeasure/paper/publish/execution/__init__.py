"""Running a notebook, and arranging it for readers."""
