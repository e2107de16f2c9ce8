"""Configurations that people copy, tried when asked for by name: snakemake --cores 2 copied. Reports
become data of the repository, and no build makes them again."""

TEMPLATES = list(read_yaml(Path("notebooks", COPIED, "templates.yaml")))


rule copied:
    input:
        expand("results/copied/{template}.json", template=TEMPLATES),


rule try_copied:
    output:
        "results/copied/{template}.json",
    wildcard_constraints:
        template="|".join(TEMPLATES),
    threads: EVERY_CORE
    run:
        from notebooks.copied_configurations.pairs import read_templates, write_pair

        # The path is in the report, if a version refuses the pair.
        ends = write_pair(wildcards.template, Path("results/copied", wildcards.template))
        form = read_templates()[wildcards.template].form
        versions = "" if form == "wg-quick" else "--versions 5.9,6.0,6.1"
        # A version that refuses it, or a tunnel that does not come up, is an answer, too.
        shell("remeasure try {ends} {versions} --json {output} >&2 || test -s {output}")
        shell("cp {output} data/copied/")


rule copied_notebook:
    input:
        notebook=ancient(f"notebooks/{COPIED}/{COPIED}.ipynb"),
        folder=folder_of(COPIED),
        reports=files_below("data/copied"),
        sources=sources("paper/analysis", "bench/tryout", *NOTEBOOK),
    output:
        notebook=f"{RESULTS}/notebooks/{COPIED}.ipynb",
        handed=directory(f"{RESULTS}/handed/{COPIED}"),
    params:
        cells=cells_of(COPIED),
        parameters="{}",
    shell:
        EXECUTE
