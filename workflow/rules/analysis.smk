"""From block archives to tables, and from tables to notebooks."""

import json
import os
import re
from collections import Counter
from pathlib import Path

from remeasure.campaign.scenario import scenario_path
from remeasure.columns import TABLES
from remeasure.errors import UserError
from remeasure.names import Name
from remeasure import servers
from remeasure.publish.forked_kernels.server_process import start_servers
from remeasure.yaml_files import read_text, read_yaml

PARAMETERS: dict[str, dict[str, str]] = {}
"""notebook -> parameter that only this notebook has -> its file or folder ('': none). A study that
needs such parameters adds them in its own rule file."""
ALSO_READ = {
    "calibration": ["psk-rsa", "ah-esp-ciphers", "algorithm-sweep", "eap-methods", "replay-window"],
    "cipher_cost": ["ah-esp-ciphers", "algorithm-sweep"],
}
"""notebook -> other scenarios whose trials it looks at, as far as they are built"""
LONGEST = [
    *("cipher_cost", "eap_methods", "replay_window", "ah_esp_ciphers"),
    *("psk_rsa", "algorithm_sweep", "calibration"),
]
"""notebooks that take long, the longest last: one of them should not begin last"""
NOTEBOOKS = [Name(scenario).notebook for scenario in BLOCKS]
NOTEBOOK = ["notebook", "publish/execution"]
"""packages of what notebooks import, and of what runs them"""
LEDGER = "claims"
"""the notebook of the verdicts of all other notebooks on the studies' statements"""
ALL_NOTEBOOKS = [*NOTEBOOKS, LEDGER]
for _notebook in NOTEBOOKS:
    _file = f"config/scenarios/{Name.of_notebook(_notebook).scenario}.yaml"
    if _notebook == LEDGER:
        raise WorkflowError(f"{_file}: {LEDGER} is the notebook of all studies; rename the file")
    if not Path(f"notebooks/{_notebook}.ipynb").exists():
        raise WorkflowError(
            f"{_file}: no notebook notebooks/{_notebook}.ipynb; write one (or copy another), or "
            f"leave the scenario out: --config without={Name.of_notebook(_notebook).scenario}"
        )


# Only lines `scenario:`, of the study and of claims, are read: the models and whole studies would
# take two seconds.
PUBLISHED = Path("data/published")
ASKED: dict[str, set[str]] = {}
"""scenario -> studies whose statements are tested on its trials"""
for _study in sorted(PUBLISHED.glob("*.yaml")):
    try:
        _text = read_text(_study)
    except UserError as error:
        raise WorkflowError(str(error))
    for _scenario in re.findall(r"^ *scenario: *([\w-]+)", _text, flags=re.M):
        ASKED.setdefault(_scenario, set()).add(_study.stem)


def sources(*folders: str) -> list[str]:
    """Files of these packages, of campaign, claims and the base, as inputs of a rule."""
    package = Path("workflow/remeasure")
    base = [p for p in package.glob("*.py") if p.stem not in ("cli", "__main__")]
    layers = [
        p
        for f in (*folders, "campaign", "claims")
        for p in (package / f).rglob("*.*")
        if p.suffix != ".pyc"
    ]
    return sorted(map(str, [*base, *layers]))


def place_among_longest(notebook: str) -> int:
    """From 1, in LONGEST; 0 for any other notebook."""
    return LONGEST.index(notebook) + 1 if notebook in LONGEST else 0


def scenario_of(notebook: str) -> str:
    return Name.of_notebook(notebook).scenario


def others_of(notebook: str) -> dict[str, str]:
    """Other scenarios that a notebook looks at -> their folders of tables."""
    others = [scenario for scenario in ALSO_READ.get(notebook, []) if scenario in BLOCKS]
    return {scenario: f"results/tidy/{scenario}" for scenario in others}


def answer_of(notebook: str) -> list[str]:
    """The words of a notebook's answer, if there are any."""
    return [p for p in [f"answers/{notebook}.md"] if os.path.exists(p)]


def published(wildcards) -> list[str]:
    """Files of the studies tested on a notebook's scenario, and of the study it explains."""
    scenario = scenario_of(wildcards.notebook)
    studies = ASKED.get(scenario, set()) | {read_yaml(scenario_path(scenario))["study"]}
    return sorted(str(p) for study in studies for p in PUBLISHED.glob(f"{study}*"))


def raw_blocks(scenario: str) -> list:
    """Block archives of a scenario. Released ones are checked by hash; their times are ignored."""
    return [
        ancient(block) if released_files(Path(block).parent.parent.name) else block
        for block in BLOCKS[scenario]
    ]


def start_all_servers(folder: Path) -> None:
    """Where several notebooks are to run, let their kernels be forks of one process, and another one
    draw their charts; the same for several tables. But not where blocks are measured first, since
    nothing should run beside those."""
    global _servers
    needed = Counter(job.rule.name for job in workflow.dag.needrun_jobs())
    wanted = [servers.TABLES] if needed["tidy"] > 1 else []
    if needed["notebook"] + needed["ledger"] + needed["page"] > 1:
        wanted += [servers.NOTEBOOKS, servers.CHARTS]
    if wanted and not MISSING:
        _servers = start_servers(folder, wanted)


rule tidy:
    input:
        blocks=lambda wildcards: raw_blocks(wildcards.scenario),
        sources=[
            *sources("tidy", "probes", "ipsec", "testbed", "windows"),
            "workflow/remeasure/measure/other_systems.py",
        ],
    output:
        expand("results/tidy/{{scenario}}/{table}.parquet", table=TABLES),
    # No notebook waits for tables while a core is free.
    priority: len(LONGEST) + 1
    params:
        folder="results/tidy/{scenario}",
    shell:
        "exec remeasure tidy {params.folder} {input.blocks}"


rule notebook:
    input:
        notebook="notebooks/{notebook}.ipynb",
        tables=lambda wildcards: expand(
            "results/tidy/{scenario}/{table}.parquet",
            scenario=scenario_of(wildcards.notebook),
            table=TABLES,
        ),
        others=lambda wildcards: expand(
            "{folder}/{table}.parquet",
            folder=others_of(wildcards.notebook).values(),
            table=TABLES,
        ),
        blocks=lambda wildcards: raw_blocks(scenario_of(wildcards.notebook)),
        published=published,
        answer=lambda wildcards: answer_of(wildcards.notebook),
        captured=lambda wildcards: sorted(
            map(str, Path("data/captured").glob(f"{scenario_of(wildcards.notebook)}.*"))
        ),
        sources=sources("analysis", "studies", "ipsec", *NOTEBOOK),
        own=lambda wildcards: list(filter(None, PARAMETERS.get(wildcards.notebook, {}).values())),
    output:
        notebook="results/notebooks/{notebook}.ipynb",
        handed=directory("results/handed/{notebook}"),
    wildcard_constraints:
        notebook="|".join(NOTEBOOKS),
    priority: lambda wildcards: place_among_longest(wildcards.notebook)
    params:
        parameters=lambda wildcards, input: json.dumps(
            {
                "tidy": f"results/tidy/{scenario_of(wildcards.notebook)}",
                "blocks": list(input.blocks),
            }
            | ({"others": others} if (others := others_of(wildcards.notebook)) else {})
            | PARAMETERS.get(wildcards.notebook, {})
        ),
    shell:
        # The page is made by a rule of its own, and must not outlast the notebook that it shows.
        'notebook={output.notebook}; rm -f "${{notebook%.ipynb}}.html";'
        " exec remeasure notebook {input.notebook} {output.notebook} {output.handed}"
        " --parameters {params.parameters:q}"


rule ledger:
    input:
        notebook=f"notebooks/{LEDGER}.ipynb",
        handed=expand("results/handed/{notebook}", notebook=NOTEBOOKS),
        published=sorted(map(str, Path("data/published").iterdir())),
        answer=answer_of(LEDGER),
        sources=sources("analysis", "studies", *NOTEBOOK),
    output:
        notebook=f"results/notebooks/{LEDGER}.ipynb",
        handed=directory(f"results/handed/{LEDGER}"),
    params:
        parameters=lambda wildcards, input: json.dumps({"handed": list(input.handed)}),
    shell:
        # The page is made by a rule of its own, and must not outlast the notebook that it shows.
        'notebook={output.notebook}; rm -f "${{notebook%.ipynb}}.html";'
        " exec remeasure notebook {input.notebook} {output.notebook} {output.handed}"
        " --parameters {params.parameters:q}"


rule page:
    input:
        notebook="results/notebooks/{notebook}.ipynb",
        sources=[
            *sources("publish/page"),
            "workflow/remeasure/publish/execution/executed.py",
        ],
    output:
        "results/notebooks/{notebook}.html",
    # What leads to the paper comes first.
    priority: -1
    shell:
        "exec remeasure page {input.notebook} {output}"
