"""From notebooks, tables and paper to the dataset, the site and a release."""

from remeasure.paper.publication import load_publication

RELEASE = f"results/release/ipsec-remeasured-{load_publication().version}.zip"


rule dataset:
    input:
        tables=expand("results/tidy/{scenario}/{table}.parquet", scenario=BLOCKS.of, table=TABLES),
        handed=expand("results/handed/{notebook}", notebook=ALL_NOTEBOOKS),
        sources=sources("paper/publish/dataset", "paper/tidy"),
    output:
        "results/dataset/estimates.parquet",
        "results/dataset/levels.parquet",
        "results/dataset/claims.parquet",
    shell:
        "exec remeasure dataset results {input.handed}"


rule site:
    input:
        pages=files_below("site"),
        folders=[file for notebook in ALL_NOTEBOOKS for file in folder_of(notebook)],
        topologies="config/topologies/site-to-site.yaml",
        notebooks=expand("results/notebooks/{notebook}.ipynb", notebook=ALL_NOTEBOOKS),
        handed=expand("results/handed/{notebook}", notebook=ALL_NOTEBOOKS),
        paper="results/paper.pdf",
        publication="config/publication.yaml",
        sources=sources("paper/publish", "paper/notebook"),
    output:
        directory("results/site"),
    log:
        "results/paper/site.log",
    shell:
        "exec remeasure build-site {output} {input.handed} >{log}"


rule release:
    input:
        site="results/site",
        paper="results/paper.pdf",
        notebooks=expand("results/notebooks/{notebook}.ipynb", notebook=ALL_NOTEBOOKS),
        pages=expand("results/notebooks/{notebook}.html", notebook=ALL_NOTEBOOKS),
        dataset=rules.dataset.output,
    output:
        RELEASE,
    params:
        draft="--draft" if BUILD.draft else "",
        campaigns=sorted({c for of in BUILD.campaigns.values() for c in of}),
    shell:
        "exec remeasure pack-release {output} {params.campaigns} {params.draft}"
