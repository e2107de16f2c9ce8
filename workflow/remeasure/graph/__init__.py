"""Answers for the rules of the workflow: blocks, inputs of each file, and whether this clone is
free. Snakemake imports it at every start, so it imports little."""
