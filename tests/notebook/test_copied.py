"""Published configurations: each can be tried, and its report is whole and read as it is."""

import json
from pathlib import Path

import jsonschema
import pytest

from notebooks.copied_configurations.asks import KINDS, CopiedReports, moments_of, read_reports
from notebooks.copied_configurations.pairs import read_templates, write_pair
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG, ROOT
from remeasure.bench.tryout.versions import read_for_versions
from remeasure.paper.notebook.results import Results

REPORTS = ROOT / "data/copied"
TEMPLATES = read_templates()
FOUND = read_reports(REPORTS)
SCHEMA = json.loads((CONFIG / "schemas/try-report.json").read_text())


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_can_be_tried_with_traffic(name, tmp_path):
    left, right, *_ = (*map(Path, write_pair(name, tmp_path)), None)
    versions = ["6.1"] if TEMPLATES[name].form == "wg-quick" else ["5.9", "6.0", "6.1"]
    read = read_for_versions(left, right, versions, "", frozenset())
    assert [pair.only_set_up for pair in read.pairs.values()] == [""] * len(read.pairs)
    assert all("IKEv1" in why for why in read.refused.values())


def test_the_rule_of_choice():
    publishers = [one.publisher for one in TEMPLATES.values()]
    assert len(TEMPLATES) >= 12 and max(map(publishers.count, publishers)) <= 2
    assert all(one.url.startswith("https://") and one.dated for one in TEMPLATES.values())


def test_a_report_of_no_template_is_refused(tmp_path):
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(UserError, match=r"other\.json: found no template of this name"):
        read_reports(tmp_path)


@pytest.mark.parametrize("name", FOUND)
def test_a_report_has_every_version_and_no_path_of_a_machine(name):
    report = FOUND[name]
    jsonschema.validate(json.loads((REPORTS / f"{name}.json").read_text()), SCHEMA)
    versions = {"6.1"} if TEMPLATES[name].form == "wg-quick" else {"5.9", "6.0", "6.1"}
    assert {*report.tries} | {*report.refused} == versions
    assert not [why for why in report.refused.values() if why.startswith("/")]
    counts = {len(one.events) for one in report.tries.values() if one.set_up.answered}
    assert counts <= {7, 8}  # `move` only where an end may have another address


def test_moments_are_read_as_the_report_has_them():
    name, report = next(iter(FOUND.items()))
    moments = moments_of({name: report})
    version, answers = max(report.tries.items())
    of = moments[moments["newest"] & (moments["event"] == "stop")]
    stop = next(one for one in answers.events if one.event == "stop")
    told = [one for ends in stop.ends.values() for one in ends]
    assert list(of["leaked"]) == [any(one.leaked_s.values()) for one in told]
    assert list(of["stuck"]) == [one.back_s is None for one in told]
    assert {*of["version"]} == {version} and {*of["kind"]} <= {*KINDS}


def test_what_is_handed_over(tmp_path):
    results = Results(tmp_path / "copied_configurations")
    copied = CopiedReports(results, REPORTS)
    copied.hand_over()
    texts = {name: one["text"] for name, one in results._numbers.items()}
    assert texts["copiedconfigurationsTemplates"] == str(len(FOUND))
    assert texts["copiedconfigurationsLeaking"].endswith(f" of {len(FOUND)}")
    assert copied.by_settings()["templates"].astype(int).sum() == len(FOUND)
    assert copied.sources().count("https://") == len(FOUND)
    assert {*copied.chart().to_dict()["encoding"]} >= {"fillOpacity", "xOffset"}
