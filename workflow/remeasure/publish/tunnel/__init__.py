"""The site's page My tunnel: what notebooks hand over to it, and what it shows before a reader
changes anything. site/_static/tunnel.js does the same with the reader's values."""
