"""Jupyter kernels as forks of one process that has imported what notebooks import.

Imports take two to three seconds of every notebook. A build of several notebooks does them once:

    snakemake --- starts ---> server.py --- forks ---> kernel
        |                         ^
    remeasure notebook --- starts relay.py in place of a kernel

The server ends with Snakemake, a kernel with its relay. Without a server (one notebook, a command
given by hand, another node of a cluster) a kernel is a process of its own, as everywhere.
"""
