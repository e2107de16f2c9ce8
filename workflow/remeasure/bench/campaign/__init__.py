"""Plans of measurements (scenario, plan) and their records (archive, folder, staging, release)."""
