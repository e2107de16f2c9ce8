"""What the paper's own words say, held against what notebooks hand over."""
