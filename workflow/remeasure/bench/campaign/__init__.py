"""What is measured (scenario, plan) and where it is kept (archive, folder, staging, release)."""
