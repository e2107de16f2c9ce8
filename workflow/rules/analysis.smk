"""From block archives to tables, and from tables to notebooks."""

import json
from pathlib import Path

from remeasure.bench.base.columns import TABLES
from remeasure.graph.inputs import (
    COPIED,
    LEDGER,
    captured_files,
    cells_of,
    check_notebooks,
    files_below,
    folder_of,
    published_files,
    sources,
    studies_asked,
)
from remeasure.bench.base.names import Name

ALSO_READ = {
    "calibration": ["psk-rsa", "ah-esp-ciphers", "algorithm-sweep", "replay-window"],
}
"""notebook -> other scenarios whose trials it looks at, as far as they are built"""
LONGEST = [
    *("eap_methods", "replay_window", "ah_esp_ciphers"),
    *("psk_rsa", "algorithm_sweep", "calibration"),
]
"""notebooks that take long, the longest last: one of them should not begin last"""
NOTEBOOKS = [Name(scenario).notebook for scenario in BLOCKS.of]
NOTEBOOK = ["paper/notebook", "paper/publish/execution"]
"""packages of what notebooks import, and of what runs them"""
# Reports on published configurations belong to no campaign of one's own.
ALL_NOTEBOOKS = [*NOTEBOOKS, *([] if BUILD.campaign else [COPIED]), LEDGER]
HANDED = "$(for one in {input.handed}; do test ! -e $one/numbers.json || echo $one; done)"
"""folders of notebooks that had a trial to read"""
EXECUTE = (
    # The page is made by a rule of its own, and must not outlast the notebook that it shows.
    'notebook={output.notebook}; rm -f "${{notebook%.ipynb}}.html";'
    # Nothing depends on the process. Several run at once: threads of numpy would wait for each other.
    " PYTHONHASHSEED=0 OPENBLAS_NUM_THREADS=1 exec remeasure notebook {input.notebook}"
    " {output.notebook} {output.handed} --parameters {params.parameters:q}"
)
try:
    check_notebooks(BLOCKS.of)
    ASKED = studies_asked()
except UserError as error:
    raise WorkflowError(str(error))


def place_among_longest(notebook: str) -> int:
    """From 1, in LONGEST; 0 for any other notebook."""
    return LONGEST.index(notebook) + 1 if notebook in LONGEST else 0


def scenario_of(notebook: str) -> str:
    return Name.of_notebook(notebook).scenario


def others_of(notebook: str) -> dict[str, str]:
    """Other scenarios that a notebook looks at -> their folders of tables."""
    others = [scenario for scenario in ALSO_READ.get(notebook, []) if scenario in BLOCKS.of]
    return {scenario: f"{RESULTS}/tidy/{scenario}" for scenario in others}


def raw_blocks(scenario: str) -> list:
    """Block archives of a scenario. Released ones are checked by hash; their times are ignored."""
    return [ancient(block) if BLOCKS.is_released(block) else block for block in BLOCKS.of[scenario]]


def mark_of(scenario: str) -> str:
    """The mark of all that is made from the blocks of a scenario: of a preview, and of campaigns of
    `--config campaign=`; empty for those of config.yaml that are whole."""
    marks = [BLOCKS.mark_of(scenario)]
    if BUILD.campaign:
        profiles = {BLOCKS.scenario_of(block).profile for block in BLOCKS.of[scenario]}
        own = f"{', '.join(BUILD.campaign)}, profile {', '.join(sorted(profiles))}"
        marks.append(f"Not the released results: {own}")
    return " / ".join(filter(None, marks))


def answer_of(notebook: str) -> list[str]:
    """The notebook's answer, if it has one. Pages are made of it, no notebook reads it."""
    return [str(path) for path in Path("notebooks", notebook).glob("answer.md")]


rule tidy:
    input:
        blocks=lambda wildcards: raw_blocks(wildcards.scenario),
        sources=sources("paper/tidy", "bench/probes", "bench/ipsec", "bench/testbed"),
    output:
        expand(f"{RESULTS}/tidy/{{{{scenario}}}}/{{table}}.parquet", table=TABLES),
    # No notebook waits for tables while a core is free.
    priority: len(LONGEST) + 1
    params:
        # Tables are made again when more rounds are measured, also if these blocks stay the same.
        mark=lambda wildcards: [f"--mark={mark}"] if (mark := mark_of(wildcards.scenario)) else [],
    shell:
        "exec remeasure tidy {RESULTS}/tidy/{wildcards.scenario} {input.blocks} {params.mark:q}"


rule notebook:
    input:
        notebook=ancient("notebooks/{notebook}/{notebook}.ipynb"),
        folder=lambda wildcards: folder_of(wildcards.notebook),
        tables=lambda wildcards: expand(
            f"{RESULTS}/tidy/{{scenario}}/{{table}}.parquet",
            scenario=scenario_of(wildcards.notebook),
            table=TABLES,
        ),
        others=lambda wildcards: expand(
            "{folder}/{table}.parquet",
            folder=others_of(wildcards.notebook).values(),
            table=TABLES,
        ),
        blocks=lambda wildcards: raw_blocks(scenario_of(wildcards.notebook)),
        published=lambda wildcards: published_files(scenario_of(wildcards.notebook), ASKED),
        captured=lambda wildcards: captured_files(scenario_of(wildcards.notebook)),
        sources=sources("paper/analysis", "bench/ipsec", *NOTEBOOK),
    output:
        notebook=f"{RESULTS}/notebooks/{{notebook}}.ipynb",
        handed=directory(f"{RESULTS}/handed/{{notebook}}"),
    wildcard_constraints:
        notebook="|".join(NOTEBOOKS),
    priority: lambda wildcards: place_among_longest(wildcards.notebook)
    params:
        cells=lambda wildcards: cells_of(wildcards.notebook),
        parameters=lambda wildcards, input: json.dumps(
            {
                "tidy": f"{RESULTS}/tidy/{scenario_of(wildcards.notebook)}",
                "blocks": list(input.blocks),
            }
            | ({"others": others} if (others := others_of(wildcards.notebook)) else {})
        ),
    shell:
        EXECUTE


rule ledger:
    input:
        notebook=ancient(f"notebooks/{LEDGER}/{LEDGER}.ipynb"),
        folder=folder_of(LEDGER),
        handed=expand(f"{RESULTS}/handed/{{notebook}}", notebook=NOTEBOOKS),
        published=files_below("data/published"),
        sources=sources("paper/analysis", *NOTEBOOK),
    output:
        notebook=f"{RESULTS}/notebooks/{LEDGER}.ipynb",
        handed=directory(f"{RESULTS}/handed/{LEDGER}"),
    params:
        cells=cells_of(LEDGER),
        parameters=lambda wildcards, input: json.dumps({"handed": list(input.handed)}),
    shell:
        EXECUTE


rule page:
    input:
        notebook=f"{RESULTS}/notebooks/{{notebook}}.ipynb",
        handed=f"{RESULTS}/handed/{{notebook}}",
        answer=lambda wildcards: answer_of(wildcards.notebook),
        sources=[
            *sources("paper/publish/page"),
            "workflow/remeasure/paper/notebook/opening_answer.py",
            "workflow/remeasure/paper/notebook/measured_text.py",
            "workflow/remeasure/paper/publish/execution/executed.py",
        ],
    output:
        f"{RESULTS}/notebooks/{{notebook}}.html",
    # Inputs of the paper come first.
    priority: -1
    shell:
        "exec remeasure page {input.notebook} {input.handed} {output}"
