"""Notebooks and tables in forks of processes that have imported what these import.

Imports take two to three seconds of every notebook, and half a second of every scenario's tables. A
build of several does them once:

    snakemake --- starts ---> server.py --- forks ---> job, kernel
        |                       ^   ^
    remeasure notebook --- asks +   |
    job --- starts kernel_relay.py, which asks, in place of a kernel

There is one server for notebooks and one for tables, which imports less and so begins earlier. A
server ends with Snakemake, a job with the command that asked for it, a kernel with its relay.
Without a server (one notebook, a command given by hand, another node of a cluster) job and kernel
are processes of their own, as everywhere.
"""
