"""From raw blocks to the paper; blocks that are missing are measured first."""

from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/campaign.smk"
include: "workflow/rules/analysis.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/site.smk"


rule all:
    default_target: True
    input:
        "results/paper.pdf",
        rules.dataset.output,
        # The site's pages speak of all scenarios that are released.
        "results/site" if BUILD.scenarios.keys() <= BLOCKS.of.keys() else [],
        expand("results/notebooks/{notebook}.html", notebook=ALL_NOTEBOOKS),
