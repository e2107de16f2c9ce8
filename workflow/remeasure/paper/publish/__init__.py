"""From results of notebooks to LaTeX, site, dataset and metadata, and the way back."""
