"""The site's page My tunnel: its tables, its configurations and its choices. site/_static/tunnel.js
computes the answer in the browser."""
