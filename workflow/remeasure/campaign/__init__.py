"""From a scenario file to a released campaign: scenario, plan, archives, releases."""
