"""From raw blocks to the paper; blocks that are missing are measured first."""

from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/campaign.smk"
include: "workflow/rules/analysis.smk"
include: "workflow/rules/copied.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/site.smk"


rule all:
    default_target: True
    input:
        f"{RESULTS}/paper.pdf",
        rules.dataset.output,
        # Pages leave out what campaigns of one's own have not measured; released ones must have it all.
        f"{RESULTS}/site" if BUILD.campaign or BUILD.scenarios.keys() <= BLOCKS.of.keys() else [],
        expand(f"{RESULTS}/notebooks/{{notebook}}.html", notebook=ALL_NOTEBOOKS),
