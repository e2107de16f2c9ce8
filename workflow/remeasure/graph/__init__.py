"""What the rules of the workflow ask: which blocks there are, what each file is made from, and
whether this clone is free. Snakemake imports it at every start, so it imports little."""
