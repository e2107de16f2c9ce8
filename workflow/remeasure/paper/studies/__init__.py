"""Code that only one study needs."""
