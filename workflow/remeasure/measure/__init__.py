"""Measuring one block: hosts, trials, health. The only room that sees all the rooms below it."""
