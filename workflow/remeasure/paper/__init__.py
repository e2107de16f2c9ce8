"""From blocks to tables, statistics, notebooks, paper, site and dataset. Layers, from the ground
up: tidy, analysis, notebook, publish. They import the public modules of `remeasure.bench`, never
the other way round."""
