"""From tables to figures, numbers, LaTeX and notebooks."""
