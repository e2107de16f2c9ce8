"""The schemas in config/schemas: as the models are, complete, true of every file, and useful."""

import json
import os

import jsonschema
import pytest
import yaml

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.profiles import under_profile
from remeasure.bench.campaign.scenario import Scenario
from remeasure.paper.publish.schemas import FOLDER, SCHEMAS, schema_text

PATTERNS = {
    "scenario": "notebooks/*/scenario.yaml",
    "topology": "config/topologies/*.yaml",
    "testbed": "config/testbeds/*.yaml",
    "published": "data/published/*.yaml",
}
"""schema -> the files that it describes; of others config/<schema>.yaml"""
FILES = [
    (name, path)
    for name in SCHEMAS
    for path in sorted(ROOT.glob(PATTERNS.get(name, f"config/{name}.yaml")))
]


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((FOLDER / f"{name}.json").read_text()))


def fields(schema: object, place: str = ""):
    """Place and schema of every described field of an object."""
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "properties" and not place.endswith(("/if", "/then")):
                yield from ((f"{place}/{field}", about) for field, about in value.items())
            yield from fields(value, f"{place}/{name}")
    elif isinstance(schema, list):
        for value in schema:
            yield from fields(value, place)


@pytest.mark.parametrize("name", SCHEMAS)
def test_they_are_as_the_models_are(name):
    path = FOLDER / f"{name}.json"
    assert path.exists() and path.read_text() == schema_text(name), (
        f"{path.relative_to(ROOT)} is not as the models are; run: env/run remeasure schema"
    )


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_field_has_a_description(name):
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    without = [
        place
        for place, about in fields(schema)
        if not about.get("description") and "$ref" not in about
    ]
    assert not without, "write a docstring below the field in its model"


@pytest.mark.parametrize(("name", "path"), FILES, ids=lambda value: getattr(value, "stem", ""))
def test_every_file_is_as_its_schema_says_and_names_it(name, path):
    first = path.read_text().partition("\n")[0]
    place = os.path.relpath(FOLDER / f"{name}.json", path.parent)
    assert first == f"# yaml-language-server: $schema={place}"
    errors = validator(name).iter_errors(yaml.safe_load(path.read_text()))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


WRONG = {
    "a field of another probe": ({"p": {"probe": "ping", "files": 3}}, "files"),
    "a tool that is none": ({"p": {"probe": "sockperf"}}, "sockperf"),
    "a profile that is none": ({"p": {"probe": "ping", "count": {"smoke": 1, "quik": 2}}}, "quik"),
    "a wrong value under a profile": ({"p": {"probe": "ping", "count": {"smoke": "few"}}}, "few"),
    "what has no probe and no such field": ({"p": {"tempo": 3}}, "tempo"),
}


def scenario(probes: dict) -> dict:
    factors = {"a": {"x": {"tunnel": None}, "y": {"probes": {"p": {"repeats": 2}}}}}
    head = {"study": "none", "title": "t", "topology": "site-to-site"}
    blocks = {"smoke": 1, "quick": 2, "paper": 3}
    return head | {"blocks": blocks, "factors": factors, "probes": probes}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_scenario_may_not_say(case):
    probes, found = WRONG[case]
    errors = list(validator("scenario").iter_errors(scenario(probes)))
    assert errors and any(found in error.message for error in errors)


@pytest.mark.parametrize(
    ("testbed", "good"),
    [
        ({"backend": "uml", "memory_mib": 512}, True),
        ({"backend": "uml", "hosts": []}, False),
        ({"backend": "docker"}, False),
        ({"backend": "uml", "memory_mib": 1}, False),
    ],
)
def test_the_back_end_decides_what_a_testbed_has(testbed, good):
    assert validator("testbed").is_valid(testbed) == good


def test_the_example_of_the_guide_is_a_scenario():
    text = (ROOT / "docs/scenario-files.md").read_text()
    document = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    assert list(validator("scenario").iter_errors(document)) == []
    example = Scenario("example", under_profile(document, "smoke"), "smoke", "the guide")
    assert len(example.all_cells) == 6
    assert len(example.cells) == 4
    (cell, *_) = example.cells
    assert len(example.settings(cell).probes) == 1 + 3 * 2
