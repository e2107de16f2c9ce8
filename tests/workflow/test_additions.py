"""A claim, a study and a figure that are added, and a published number that is another: each is one
or two edits, and is seen in what is built."""

import json

import pytest

pytestmark = pytest.mark.lab


def handed(project, notebook, file):
    return json.loads((project.folder / "results/handed" / notebook / file).read_text())


def number(project, notebook, name):
    return handed(project, notebook, "numbers.json")[name]["value"]


def test_a_figure_that_the_paper_does_not_include_is_one_clear_line(built_again):
    status, output = built_again.refused
    assert status != 0
    assert (
        r"remeasure: the paper does not include figures \includegraphics{eapmethods-added.pdf} "
        "(hand it over with paper=False)" in output.splitlines()
    )


def test_a_figure_in_notebook_and_paper_is_built(built_again):
    folder = built_again.project.folder
    assert (folder / "results/handed/eap_methods/figures/eapmethods-added.svg").exists()
    assert "eapmethods-added.pdf" in (folder / "results/paper/main.fls").read_text()


def test_a_claim_is_in_its_studys_file_alone(built_again, built_project):
    project = built_again.project
    ledger = {entry["id"]: entry for entry in handed(project, "eap_methods", "claims.json")}
    assert ledger["faigl-added"]["study"] == "faigl"
    assert ledger["faigl-added"]["tests"][0]["n"] > 1
    before = number(built_project, "eap_methods", "eapmethodsClaims")
    assert number(project, "eap_methods", "eapmethodsClaims") == before + 1
    page = (project.folder / "results/notebooks/claims.html").read_text()
    assert "An authentication by EAP-TLS takes longer" in page
    status, output = project.run("pytest", "-q", "-n", "0", "tests/analysis/test_ledger.py")
    assert status == 0, output


def verdicts(project):
    ledger = {entry["id"]: entry for entry in handed(project, "eap_methods", "claims.json")}
    changed = (ledger[f"faigl-{name}"] for name in ("tls-more-cpu-aaa", "chain-2-to-4-30pct"))
    return [(e["stood"], e["verdict"], e["exploratory"]["verdict"], e["size"]) for e in changed]


def test_another_bound_and_another_published_number_are_other_verdicts_and_another_paper(
    built_again, built_project
):
    """The released data are older than the change, so what it decides is exploratory."""
    project = built_again.project
    assert verdicts(built_project) == [
        ("before", "confirmed", "confirmed", "none given"),
        ("before", "confirmed", "confirmed", "inside"),
    ]
    assert verdicts(project) == [
        ("changed since", "not testable", "no difference that matters", "none given"),
        ("changed since", "not testable", "confirmed", "none given"),
    ]
    macros = (project.folder / "results/paper/numbers.tex").read_text()
    name = "eapmethodsUntestable"
    before, after = (int(number(of, "eap_methods", name)) for of in (built_project, project))
    assert after >= before + 2
    assert rf"\newcommand{{\{name}}}{{{after}}}" in macros
    papers = [(of.folder / "results/paper.pdf").read_bytes() for of in (built_project, project)]
    assert papers[0] != papers[1]


def test_a_sixth_study_is_counted_and_drawn(built_again, built_project):
    project = built_again.project
    before = number(built_project, "claims", "claimsTotal")
    assert number(project, "claims", "claimsTotal") == before + 3
    counts = (project.folder / "results/handed/claims/tables/claims-counts.tex").read_text()
    assert counts.startswith("added & ")
    forest = handed(project, "claims", "figures/claims-forest.json")
    drawn = {row["study"]: row["row"] for rows in forest["datasets"].values() for row in rows}
    assert drawn["added"] == "A longer chain takes longer."
    assert set(drawn) >= {"faigl", "pratama", "sokol", "weerawarna"}
