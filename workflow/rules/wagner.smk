"""The raw files of Wagner 2025, which each reader downloads."""

WAGNER_FETCHED = "results/wagner_raw"
PARAMETERS["per_cpu_sas"] = {
    "wagner_raw": WAGNER_FETCHED if BUILD.wagner_raw == "fetch" else BUILD.wagner_raw or ""
}


rule fetch_wagner:
    output:
        directory(WAGNER_FETCHED),
    shell:
        "exec remeasure wagner fetch {output}"
