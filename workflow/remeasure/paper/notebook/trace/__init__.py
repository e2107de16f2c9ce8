"""The record of the estimates behind results of a notebook."""
