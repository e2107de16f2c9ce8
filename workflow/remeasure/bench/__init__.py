"""The lab: from a scenario's file to a block, an archive of raw logs. Its layers, from the ground
up: base, testbed, lab, ipsec, probes, claims, campaign, measure. It never imports
`remeasure.paper`, so it can be used by itself."""
