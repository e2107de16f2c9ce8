"""From the tidy tables to figures, numbers, LaTeX and notebooks."""
