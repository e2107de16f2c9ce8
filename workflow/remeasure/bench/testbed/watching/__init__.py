"""Facts about hosts, and their load during measurements."""
