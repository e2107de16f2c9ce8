"""What reads what notebooks handed over: LaTeX, site, dataset, metadata, the way back."""
