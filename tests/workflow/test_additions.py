"""An added claim, study and figure, and a changed published number: each is one or two edits, and
is seen in the build."""

import json

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def handed(project, notebook, file):
    return json.loads((project.folder / "results/handed" / notebook / file).read_text())


def number(project, notebook, name):
    return handed(project, notebook, "numbers.json")[name]["value"]


def test_a_figure_in_notebook_and_paper_is_built(built_again):
    folder = built_again.project.folder
    assert (folder / "results/handed/eap_methods/figures/eapmethods-added.svg").exists()
    assert "eapmethods-added.pdf" in (folder / "results/paper/main.fls").read_text()


def test_a_claim_is_in_its_studys_file_alone(built_again, built_project):
    project = built_again.project
    ledger = {entry["id"]: entry for entry in handed(project, "eap_methods", "claims.json")}
    assert ledger["faigl-added"]["study"] == "faigl"
    assert ledger["faigl-added"]["tests"][0]["n"] > 1
    before = handed(built_project, "eap_methods", "claims.json")
    assert "faigl-added" not in {entry["id"] for entry in before}
    test = "tests/analysis/verdicts/test_ledger.py"
    status, output = project.run("pytest", "-q", "-n", "0", test)
    assert status == 0, output


def verdicts(project):
    ledger = {entry["id"]: entry for entry in handed(project, "eap_methods", "claims.json")}
    changed = (ledger[f"faigl-{name}"] for name in ("tls-more-cpu-aaa", "chain-affects-cost"))
    return [(e["stood"], e["verdict"], e["exploratory"]["verdict"], e["size"]) for e in changed]


def test_another_bound_and_another_published_number_are_other_verdicts_and_another_paper(
    built_again, built_project
):
    """The released data are older than the change, so its verdict is exploratory."""
    project = built_again.project
    assert verdicts(built_project) == [
        ("before", "confirmed", "confirmed", "none given"),
        ("before", "undecided", "undecided", "near"),
    ]
    assert verdicts(project) == [
        ("changed since", "not testable", "no difference that matters", "none given"),
        ("changed since", "not testable", "undecided", "none given"),
    ]
    macros = (project.folder / "results/paper/numbers.tex").read_text()
    assert rf"\newcommand{{\claimsTotal}}{{{number(project, 'claims', 'claimsTotal')}}}" in macros
    papers = [(of.folder / "results/paper.pdf").read_bytes() for of in (built_project, project)]
    assert papers[0] != papers[1]


def test_a_sixth_study_is_counted(built_again, built_project):
    project = built_again.project
    before = number(built_project, "claims", "claimsTotal")
    assert number(project, "claims", "claimsTotal") == before + 3
    for table in ("counts", "studies"):
        text = (project.folder / f"results/handed/claims/tables/claims-{table}.tex").read_text()
        assert text.startswith("Added 2026 & ")
