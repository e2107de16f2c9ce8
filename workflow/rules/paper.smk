"""From numbers, tables and figures to the paper."""


rule numbers:
    input:
        handed=expand("results/handed/{notebook}", notebook=ALL_NOTEBOOKS),
        paper=sorted(str(p) for p in Path("paper").rglob("*.tex")),
        cautions="workflow/remeasure/publish/cautions.py",
    output:
        "results/paper/numbers.tex",
        "results/paper/campaigns.tex",
    shell:
        "exec remeasure numbers {output[0]} {input.handed}"


rule paper:
    input:
        numbers="results/paper/numbers.tex",
        handed=expand("results/handed/{notebook}", notebook=ALL_NOTEBOOKS),
        paper=sorted(str(p) for p in Path("paper").rglob("*") if p.is_file()),
    output:
        "results/paper.pdf",
    params:
        # kpathsea looks in these folders, in this order
        search=lambda wildcards, input: ":".join(
            ["paper", "results/paper"]
            + [f"{folder}/{part}" for folder in input.handed for part in ("figures", "tables")]
        ),
    log:
        "results/paper/latexmk.log",
    shell:
        "command -v latexmk >/dev/null || {{ echo 'latexmk: no such program; install what env/debian-packages.txt"
        " lists' >&2; exit 1; }};"
        # The PDF contains no time and no path: the same sources give the same bytes.
        "export SOURCE_DATE_EPOCH=0 FORCE_SOURCE_DATE=1 TEXINPUTS={params.search}:"
        " BIBINPUTS=paper:;"
        " latexmk -pdf -interaction=nonstopmode -halt-on-error -file-line-error"
        " -outdir=results/paper paper/main.tex >{log} 2>&1"
        " || {{ grep -m 5 -E '^[^ ]+:[0-9]+:|^!' {log} >&2 || true; echo 'LaTeX: see {log}' >&2; exit 1; }};"
        " cp results/paper/main.pdf {output}.part && mv {output}.part {output}"
