"""From raw blocks to the paper; blocks that are missing are measured first."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/campaign.smk"
include: "workflow/rules/analysis.smk"
include: "workflow/rules/wagner.smk"
include: "workflow/rules/paper.smk"


rule all:
    default_target: True
    input:
        "results/paper.pdf",
        "results/figures",
        expand("results/notebooks/{notebook}.html", notebook=ALL_NOTEBOOKS),
