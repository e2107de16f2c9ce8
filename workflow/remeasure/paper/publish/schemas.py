"""The JSON Schemas in config/schemas, from which editors and readers know the fields of YAML files.
A file names its schema in its first line, relative to itself: `# yaml-language-server:
$schema=../schemas/scenario.json`."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.schema import Schema, schema_of
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.build import Build
from remeasure.bench.campaign.profiles import Profiles
from remeasure.bench.campaign.scenario_schema import scenario_schema
from remeasure.bench.claims.published import Published
from remeasure.bench.lab.testbeds import testbed_schema
from remeasure.paper.publication import Publication

FOLDER = CONFIG / "schemas"
SCHEMAS: dict[str, Callable[[], Schema]] = {
    "scenario": scenario_schema,
    "topology": partial(schema_of, Topology),
    "testbed": testbed_schema,
    "profiles": partial(schema_of, Profiles),
    "config": partial(schema_of, Build),
    "published": partial(schema_of, Published),
    "publication": partial(schema_of, Publication),
}
"""name of a schema -> function that makes it"""


def schema_text(name: str) -> str:
    """The text that config/schemas/<name>.json must have."""
    return json.dumps(SCHEMAS[name](), indent=1, ensure_ascii=False) + "\n"


def write_schemas() -> list[Path]:
    """Write all schemas. Returns their paths."""
    FOLDER.mkdir(exist_ok=True)
    paths = {FOLDER / f"{name}.json": schema_text(name) for name in SCHEMAS}
    for path, text in paths.items():
        path.write_text(text)
    return list(paths)
