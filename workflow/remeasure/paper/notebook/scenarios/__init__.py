"""What the notebook of one scenario alone computes and shows."""
