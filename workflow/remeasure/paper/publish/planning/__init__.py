"""A campaign before it is measured: its plan, and the report on its pilot."""
