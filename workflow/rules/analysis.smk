"""Archives to tables to notebooks."""

import json
from pathlib import Path

from remeasure.tidy.tables import TABLES

TAKES = {"per_cpu_sas": ["wagner_raw"]}
"""notebook -> what of the configuration it takes as a parameter"""
NOTEBOOKS = [scenario.replace("-", "_") for scenario in SCENARIOS]


def sources(*folders: str) -> list[str]:
    """Python files of parts of the package: what they make is made again when they change."""
    package = Path("workflow/remeasure")
    return sorted(str(p) for f in (*folders, "campaign") for p in (package / f).glob("*.py"))


def raw_blocks(scenario: str) -> list:
    """Of a released campaign the files are known by their hashes, and their times say nothing."""
    return [
        ancient(block) if released_files(Path(block).parent.parent.name) else block
        for block in BLOCKS[scenario]
    ]


rule tidy:
    input:
        blocks=lambda wildcards: raw_blocks(wildcards.scenario),
        sources=sources("tidy", "probes", "ipsec", "testbed"),
    output:
        expand("results/tidy/{{scenario}}/{table}.parquet", table=TABLES),
    params:
        folder="results/tidy/{scenario}",
    shell:
        "exec remeasure tidy {params.folder} {input.blocks}"


rule notebook:
    input:
        notebook="notebooks/{notebook}.ipynb",
        tables=lambda wildcards: expand(
            "results/tidy/{scenario}/{table}.parquet",
            scenario=wildcards.notebook.replace("_", "-"),
            table=TABLES,
        ),
        blocks=lambda wildcards: raw_blocks(wildcards.notebook.replace("_", "-")),
        published=lambda wildcards: sorted(map(str, Path("data/published").iterdir())),
        sources=sources("analysis", "publish", "ipsec"),
    output:
        notebook="results/notebooks/{notebook}.ipynb",
        page="results/notebooks/{notebook}.html",
        handed=directory("results/handed/{notebook}"),
    params:
        parameters=lambda wildcards, input: json.dumps(
            {
                "tidy": f"results/tidy/{wildcards.notebook.replace('_', '-')}",
                "blocks": list(input.blocks),
            }
            | {key: config[key] or "" for key in TAKES.get(wildcards.notebook, [])}
        ),
    shell:
        "exec remeasure notebook {input.notebook} {output.notebook} {output.page} {output.handed}"
        " --parameters {params.parameters:q}"
