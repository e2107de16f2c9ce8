"""From blocks to what people read: tables, statistics, notebooks, paper, site and dataset.

Its layers, from the ground up: tidy, analysis, notebook, publish. It imports the public modules
of `remeasure.bench`, never the other way round.
"""
