"""Charts as pictures, drawn by one process for a whole build.

The first chart of a process takes six times as long as the second: it starts a browser's engine,
which compiles Vega. So Snakemake starts `chart_server.py`, which notebooks ask. Without it a
notebook draws its charts itself. Either gives the same bytes.
"""
