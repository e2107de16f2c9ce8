"""The record of the estimates behind what a notebook hands over."""
