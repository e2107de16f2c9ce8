"""From a design to archives: scenario, plan, trials, blocks, releases."""
