"""Wagner 2025: its raw files, and the quantities computed from them."""
