"""Archives to tables to notebooks."""

import json
from pathlib import Path

from remeasure.analysis.published import FOLDER, studies_of
from remeasure.names import Name
from remeasure.tidy.tables import TABLES

PARAMETERS: dict[str, dict[str, str]] = {}
"""notebook -> parameter of its own -> the file or folder it is given, '' for none; a study that has
such parameters adds them in a rule file of its own"""
NOTEBOOKS = [Name(scenario).notebook for scenario in SCENARIOS]
LEDGER = "claims"
"""the notebook of what the others found of the studies' statements"""
ALL_NOTEBOOKS = [*NOTEBOOKS, LEDGER]


def sources(*folders: str) -> list[str]:
    """Python files of parts of the package: what they make is made again when they change."""
    package = Path("workflow/remeasure")
    return sorted(str(p) for f in (*folders, "campaign") for p in (package / f).rglob("*.py"))


def scenario_of(wildcards) -> str:
    return Name.of_notebook(wildcards.notebook).scenario


def published(wildcards) -> list[str]:
    """What the studies of a notebook's scenario published."""
    return sorted(
        str(path.relative_to(ROOT))
        for study in studies_of(scenario_of(wildcards))
        for path in FOLDER.glob(f"{study.study}*")
    )


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
    # The notebook that takes longest should not be the last to begin.
    priority: 3
    params:
        folder="results/tidy/{scenario}",
    shell:
        "exec remeasure tidy {params.folder} {input.blocks}"


rule notebook:
    wildcard_constraints:
        notebook="|".join(NOTEBOOKS),
    input:
        notebook="notebooks/{notebook}.ipynb",
        tables=lambda wildcards: expand(
            "results/tidy/{scenario}/{table}.parquet",
            scenario=scenario_of(wildcards),
            table=TABLES,
        ),
        blocks=lambda wildcards: raw_blocks(scenario_of(wildcards)),
        published=published,
        sources=sources("analysis", "studies", "publish", "ipsec"),
        own=lambda wildcards: list(filter(None, PARAMETERS.get(wildcards.notebook, {}).values())),
    output:
        notebook="results/notebooks/{notebook}.ipynb",
        page="results/notebooks/{notebook}.html",
        handed=directory("results/handed/{notebook}"),
    params:
        parameters=lambda wildcards, input: json.dumps(
            {
                "tidy": f"results/tidy/{scenario_of(wildcards)}",
                "blocks": list(input.blocks),
            }
            | PARAMETERS.get(wildcards.notebook, {})
        ),
    shell:
        "exec remeasure notebook {input.notebook} {output.notebook} {output.page} {output.handed}"
        " --parameters {params.parameters:q}"


rule ledger:
    input:
        notebook=f"notebooks/{LEDGER}.ipynb",
        handed=expand("results/handed/{notebook}", notebook=NOTEBOOKS),
        published=sorted(map(str, Path("data/published").iterdir())),
        sources=sources("analysis", "studies", "publish"),
    output:
        notebook=f"results/notebooks/{LEDGER}.ipynb",
        page=f"results/notebooks/{LEDGER}.html",
        handed=directory(f"results/handed/{LEDGER}"),
    params:
        parameters=lambda wildcards, input: json.dumps({"handed": list(input.handed)}),
    shell:
        "exec remeasure notebook {input.notebook} {output.notebook} {output.page} {output.handed}"
        " --parameters {params.parameters:q}"
