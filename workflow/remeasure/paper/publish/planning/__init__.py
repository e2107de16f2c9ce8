"""A campaign before it is measured: its plan."""
