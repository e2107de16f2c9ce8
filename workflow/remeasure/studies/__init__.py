"""What one study alone needs."""
