"""From block archives to observation tables (Parquet)."""
