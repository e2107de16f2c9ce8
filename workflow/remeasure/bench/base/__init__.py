"""Shared by every layer: errors, files, names, models of YAML files, topologies. It imports no
other layer."""
