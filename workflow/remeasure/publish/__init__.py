"""From tables to figures, numbers, LaTeX, notebooks, and released data."""
