"""What every layer may use: errors, files, names, models of YAML files, topologies.

It knows nothing of tunnels, trials or statistics, and imports no other layer.
"""
