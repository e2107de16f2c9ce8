"""From block archives to tables (Parquet): trials, observations, counters, checks."""
