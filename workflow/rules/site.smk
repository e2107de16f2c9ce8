"""From notebooks, tables and paper to the dataset, the site and a release."""

from remeasure.paper.publication import load_publication

RELEASE = f"{RESULTS}/release/ipsec-remeasured-{load_publication().version}.zip"


rule dataset:
    input:
        tables=expand(
            f"{RESULTS}/tidy/{{scenario}}/{{table}}.parquet", scenario=BLOCKS.of, table=TABLES
        ),
        handed=expand(f"{RESULTS}/handed/{{notebook}}", notebook=ALL_NOTEBOOKS),
        sources=sources("paper/publish/dataset", "paper/tidy"),
    output:
        f"{RESULTS}/dataset/estimates.parquet",
        f"{RESULTS}/dataset/levels.parquet",
        f"{RESULTS}/dataset/claims.parquet",
    # Paper and site come first.
    priority: -2
    shell:
        f"exec remeasure dataset {{RESULTS}} {HANDED}"


rule site:
    input:
        pages=files_below("site"),
        folders=[f for name in ALL_NOTEBOOKS for f in [*folder_of(name), *answer_of(name)]],
        topologies="config/topologies/site-to-site.yaml",
        notebooks=expand(f"{RESULTS}/notebooks/{{notebook}}.ipynb", notebook=ALL_NOTEBOOKS),
        handed=expand(f"{RESULTS}/handed/{{notebook}}", notebook=ALL_NOTEBOOKS),
        paper=f"{RESULTS}/paper.pdf",
        publication="CITATION.cff",
        sources=sources("paper/publish", "paper/notebook"),
    output:
        directory(f"{RESULTS}/site"),
    log:
        f"{RESULTS}/paper/site.log",
    shell:
        f"exec remeasure build-site {{output}} {HANDED} >{{log}}"


rule release:
    input:
        site=f"{RESULTS}/site",
        paper=f"{RESULTS}/paper.pdf",
        notebooks=expand(f"{RESULTS}/notebooks/{{notebook}}.ipynb", notebook=ALL_NOTEBOOKS),
        pages=expand(f"{RESULTS}/notebooks/{{notebook}}.html", notebook=ALL_NOTEBOOKS),
        dataset=rules.dataset.output,
    output:
        RELEASE,
    params:
        draft="--draft" if BUILD.draft else "",
        campaigns=sorted({c for of in BUILD.campaigns.values() for c in of}),
    shell:
        "exec remeasure pack-release {output} {params.campaigns} {params.draft}"
