"""Measuring one block: hosts, trials, health. The only package that sees all packages below it."""
