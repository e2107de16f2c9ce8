"""The site's page My tunnel: its sentences, its configurations and the values that it offers.
site/_static/tunnel.js computes the answer in the browser."""
