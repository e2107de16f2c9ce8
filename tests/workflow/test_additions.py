"""A claim, a study and a figure that are added, and a published number that is another: each is one
or two edits, and is seen in what is built."""

import json
import shutil

import pytest
import yaml
from projects import Project

CLAIM = """
  - id: faigl-added
    says: An authentication by EAP-TLS takes longer than one by PSK.
    published: two to one
    tests:
      - {quantity: ratio, metric: delay, probe: direct, of: {method: eap-tls-2-2},
         to: {method: psk}, where: {rtt: "10"}, study: "2",
         expect: "> 1", matters: 1.1, because: added}
"""
BOUND, NUMBER = ("matters: 1.18", "matters: 30"), ('study: "1.3"', 'study: "99"')
"""of faigl-tls-more-cpu-aaa and faigl-chain-2-to-4-30pct: what they were, and what they are in the
copy"""
STUDY = {
    "reference": "A sixth study.",
    "scenario": "eap-methods",
    "claims": [
        {
            "id": "added-chains",
            "says": "A longer chain takes longer.",
            "published": "1.5 to 1",
            "tests": [
                {
                    "quantity": "ratio",
                    "metric": "delay",
                    "probe": "direct",
                    "of": {"method": "eap-tls-4-4"},
                    "to": {"method": "eap-tls-2-2"},
                    "study": "1.5",
                    "expect": "> 1",
                    "matters": 1.1,
                    "because": "added",
                }
            ],
        },
        {"id": "added-words", "says": "It is good.", "not_testable": "no number"},
    ],
}


@pytest.fixture(scope="module")
def additions(built_project, tmp_path_factory):
    """The copy with all three, and what was said while the paper did not include the figure."""

    project = Project(
        shutil.copytree(built_project.folder, tmp_path_factory.mktemp("added") / "project")
    )
    published = project.folder / "data/published"
    faigl = published / "faigl.yaml"
    text = faigl.read_text()
    for stated, otherwise in (BOUND, NUMBER):
        assert stated in text
        text = text.replace(stated, otherwise)
    faigl.write_text(text + CLAIM)
    (published / "added.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False))
    path = project.folder / "notebooks/eap_methods.ipynb"
    notebook = json.loads(path.read_text())
    last = notebook["cells"][-1]
    figure = 'results.figure("added", alt.Chart(points).mark_point().encode(x="value"))\n'
    last["source"] = [figure, *last["source"]]
    path.write_text(json.dumps(notebook))
    said = project.run("snakemake", "--cores", "2", "results/paper/numbers.tex")
    section = project.folder / "paper/sections/eap-methods.tex"
    section.write_text(section.read_text() + "\n\\includegraphics{eapmethods-added.pdf}\n")
    status, output = project.run("snakemake", "--cores", "2")
    assert status == 0, output
    return project, said


def handed(project, notebook, file):
    return json.loads((project.folder / "results/handed" / notebook / file).read_text())


def number(project, notebook, name):
    return handed(project, notebook, "numbers.json")[name]["value"]


def test_a_figure_that_the_paper_does_not_include_is_one_clear_line(additions):
    _, (status, output) = additions
    assert status != 0
    assert (
        r"remeasure: the paper does not include figures \includegraphics{eapmethods-added.pdf} "
        "(hand it over with paper=False)" in output.splitlines()
    )


def test_a_figure_in_notebook_and_paper_is_built(additions):
    project, _ = additions
    assert (project.folder / "results/figures/eapmethods-added.html").exists()
    files = (project.folder / "results/paper/main.fls").read_text()
    assert "eapmethods-added.pdf" in files


def test_a_claim_is_in_its_studys_file_alone(additions, built_project):
    project, _ = additions
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
    direction = ledger["faigl-tls-more-cpu-aaa"]["verdict"]
    return direction, ledger["faigl-chain-2-to-4-30pct"]["size"]


def test_another_bound_and_another_published_number_are_other_verdicts_and_another_paper(
    additions, built_project
):
    project, _ = additions
    assert verdicts(built_project) == ("confirmed", "inside")
    assert verdicts(project) == ("no difference that matters", "outside")
    macros = (project.folder / "results/paper/numbers.tex").read_text()
    for name in ("eapmethodsNoDifference", "eapmethodsOutsideSize"):
        before, after = (int(number(of, "eap_methods", name)) for of in (built_project, project))
        assert after > before
        assert rf"\newcommand{{\{name}}}{{\num{{{after}}}}}" in macros
    papers = [(of.folder / "results/paper.pdf").read_bytes() for of in (built_project, project)]
    assert papers[0] != papers[1]


def test_a_sixth_study_is_counted_and_drawn(additions, built_project):
    project, _ = additions
    before = number(built_project, "claims", "claimsTotal")
    assert number(project, "claims", "claimsTotal") == before + 3
    counts = (project.folder / "results/handed/claims/tables/claims-counts.tex").read_text()
    assert counts.startswith("added & ")
    forest = handed(project, "claims", "figures/claims-forest.json")
    drawn = {row["study"]: row["row"] for rows in forest["datasets"].values() for row in rows}
    assert drawn["added"] == "A longer chain takes longer."
    assert set(drawn) >= {"faigl", "pratama", "sokol", "weerawarna"}


def test_a_scenario_that_the_paper_has_nothing_of_changes_nothing(additions):
    """As if its notebook had run: calibration under another name, without a section."""
    project, _ = additions
    results = project.folder / "results"
    other = results / "handed/slow_link"
    (other / "tables").mkdir(parents=True)
    (other / "figures").mkdir()
    for kind, name in (("figures", "slowlink-pairs.pdf"), ("tables", "slowlink-set.tex")):
        (other / kind / name).write_text("")
    (other / "numbers.json").write_text(
        json.dumps({"slowlinkRate": {"text": "1", "value": 1.0, "unit": ""}})
    )
    folders = sorted(str(path) for path in (results / "handed").iterdir())
    status, output = project.run(
        "remeasure", "numbers", str(results / "again/numbers.tex"), *folders
    )
    assert (status, output) == (0, "")
    assert r"\slowlinkRate" in (results / "again/numbers.tex").read_text()
