"""The site's page My tunnel: its tables, its configurations and the values that it offers.
site/_static/tunnel.js computes the answer in the browser."""
