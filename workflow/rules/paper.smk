"""From numbers, tables and figures to the paper."""

PUBLISHED_FROM = read_build().campaigns
"""scenario -> the campaigns from which the paper is published"""


def own_notebooks() -> list[str]:
    """Notebooks of other data than the paper's; what the paper says need not hold for them."""
    of = {name: {scenario_of(name), *ALSO_READ.get(name, [])} for name in NOTEBOOKS}
    of[LEDGER] = {*PUBLISHED_FROM, *BLOCKS.of}
    return [
        name for name, scenarios in of.items() if not BLOCKS.published(scenarios, PUBLISHED_FROM)
    ]


rule numbers:
    input:
        handed=expand(f"{RESULTS}/handed/{{notebook}}", notebook=ALL_NOTEBOOKS),
        paper=sorted(str(p) for p in Path("paper").rglob("*.tex")),
        times="env/benchmarks/times.json",
        sources=[
            *sources("paper/publish/prose"),
            "workflow/remeasure/paper/publish/paper_macros.py",
            "workflow/remeasure/paper/publish/included.py",
        ],
    output:
        f"{RESULTS}/paper/numbers.tex",
        directory(f"{RESULTS}/paper/figures"),
    shell:
        f"exec remeasure numbers {{output[0]}} {HANDED} --own=" + ",".join(own_notebooks())


rule paper:
    input:
        numbers=f"{RESULTS}/paper/numbers.tex",
        figures=f"{RESULTS}/paper/figures",
        handed=expand(f"{RESULTS}/handed/{{notebook}}", notebook=ALL_NOTEBOOKS),
        paper=files_below("paper"),
    output:
        f"{RESULTS}/paper.pdf",
    log:
        f"{RESULTS}/paper/latexmk.log",
    params:
        # kpathsea looks in these folders, in this order
        search=lambda wildcards, input: ":".join(
            ["paper", f"{RESULTS}/paper", input.figures]
            + [f"{folder}/tables" for folder in input.handed]
        ),
    shell:
        "command -v latexmk >/dev/null || {{ echo 'latexmk: no such program; install what env/debian-packages.txt"
        " lists' >&2; exit 1; }};"
        # A latexmk of a Snakemake that was killed may still be at work there; the lock ends with it.
        " exec 9<{RESULTS}/paper; flock 9;"
        # The PDF contains no time and no path: the same sources give the same bytes.
        "export SOURCE_DATE_EPOCH=0 FORCE_SOURCE_DATE=1 TEXINPUTS={params.search}:"
        " BIBINPUTS=paper:;"
        " latexmk -pdf -interaction=nonstopmode -halt-on-error -file-line-error"
        " -outdir={RESULTS}/paper paper/main.tex >{log} 2>&1"
        ' || {{ status=$?; if [ $status -gt 128 ]; then echo "latexmk was killed by signal'
        ' $((status - 128)) (by hand, or because memory was short); run it again" >&2; fi;'
        " grep -m 5 -E '^[^ ]+:[0-9]+:|^!' {log} >&2 || true; echo 'LaTeX: see {log}' >&2; exit 1; }};"
        " cp {RESULTS}/paper/main.pdf {output}.part && mv {output}.part {output}"
