"""Study wagner: its raw files, and the quantities computed from them."""
