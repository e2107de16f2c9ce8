"""The JSON Schemas in config/schemas, from which editors and readers know the fields of YAML files.
A file names its schema in its first line, relative to itself: `# yaml-language-server:
$schema=../schemas/scenario.json`.

Scenario files allow more than any one model. Any value may be given by profile. A level of a factor
sets some fields and leaves the others, so the schema requires no field of a probe or a tunnel; the
descriptions of fields mark required ones. `load_scenario` finds missing fields, cell by cell, and
errors in `each`."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.schema import DIALECT, Schema, definitions, schema_of
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.build import Build
from remeasure.bench.campaign.profiles import Profiles, profile_names
from remeasure.bench.campaign.scenario import Design
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.claims.published import Published
from remeasure.bench.ipsec.kinds import KINDS
from remeasure.bench.lab.testbeds import testbed_schema
from remeasure.bench.probes import PROBES
from remeasure.bench.tryout.try_answers import TryReport
from remeasure.paper.words import words_of

FOLDER = CONFIG / "schemas"
_OWN: Schema = words_of(__file__)


def scenario_schema() -> Schema:
    """The schema of a scenario.yaml. Raises UserError if config/profiles.yaml is wrong."""
    tunnels = {kind: one.settings for kind, one in KINDS.items()}
    models = definitions(Design, Settings, *PROBES.values(), *tunnels.values())
    design, settings = models.pop("Design"), models.pop("Settings")
    for replaced in ("Probe", "Level", "Tunnel"):
        models.pop(replaced, None)
    probes = {kind: models.pop(probe.__name__) for kind, probe in PROBES.items()}
    of_kinds = {kind: models.pop(one.__name__) for kind, one in tunnels.items()}
    settings["description"] = _OWN["level"]
    settings["properties"]["probes"] |= {"additionalProperties": _ref("probe")}
    del settings["properties"]["probes"]["minProperties"]
    design["properties"] |= {
        "factors": design["properties"]["factors"] | {"additionalProperties": _ref("factor")},
        **{name: settings["properties"][name] for name in ("tunnel", "shaping", "probes")},
    }
    return {
        "$schema": DIALECT,
        **design,
        "properties": _by_profile_each(design["properties"]),
        "$defs": {
            "profile": {"description": "Name of a profile.", "enum": [*profile_names()]},
            "factor": _OWN["factor"] | {"additionalProperties": _by_profile(_ref("level"))},
            "level": _level(settings, design["properties"]["only"]),
            **_kinds("probe", "probe", _OWN["probe"], probes, {"each": _OWN["each"]}),
            **_kinds("Tunnel", "kind", _OWN["tunnel"], of_kinds, {}),
            **{name: _partial(part) for name, part in models.items()},
        },
    }


def _level(settings: Schema, only: Schema) -> Schema:
    """Schema of a level, which may leave a probe out."""
    probe = {"additionalProperties": {"anyOf": [_ref("probe"), {"type": "null"}]}}
    fields = settings["properties"]
    more = {"probes": fields["probes"] | probe, "only": only | {"description": _OWN["only"]}}
    return _partial(settings | {"properties": fields | more})


def _kinds(
    name: str, field: str, about: str, kinds: dict[str, Schema], more: dict[str, Schema]
) -> dict[str, Schema]:
    """Schema of an entry `name` whose `field` decides which other fields it may have, and of its
    kinds. Without the field, as in a level of a factor, any field of any kind is allowed. `more`:
    fields of every kind."""
    found: dict[str, Schema] = {
        name: {
            "type": "object",
            "properties": {field: _by_profile({"description": about, "enum": [*kinds]})},
            "allOf": [],
        }
    }
    names = {*more}
    for kind, part in kinds.items():
        chosen = {"properties": {field: {"const": kind}}, "required": [field]}
        found[name]["allOf"].append({"if": chosen, "then": _ref(kind)})
        fields = _partial(part)
        entry = {field: {"description": about, "const": kind}, **more}
        found[kind] = fields | {"properties": entry | fields["properties"]}
        names |= part["properties"].keys()
    any_field = {"propertyNames": {"enum": sorted(names)}}
    found[name]["allOf"].append({"if": {"not": {"required": [field]}}, "then": any_field})
    return found


def _ref(part: str) -> Schema:
    return {"$ref": f"#/$defs/{part}"}


def _partial(part: Schema) -> Schema:
    """The schema `part` with no field required and any value allowed by profile; the description of
    a required field is marked."""
    part = dict(part)
    required = part.pop("required", [])
    fields = {
        name: value | {"description": f"Required. {value.get('description', '')}".strip()}
        if name in required
        else value
        for name, value in part["properties"].items()
    }
    return part | {"properties": _by_profile_each(fields)}


def _by_profile_each(fields: dict[str, Schema]) -> dict[str, Schema]:
    return {name: _by_profile(value) for name, value in fields.items()}


def _by_profile(schema: Schema) -> Schema:
    """Schema of a value or of values by profile; the entries of a mapping are treated likewise."""
    about = {key: schema[key] for key in ("description", "default") if key in schema}
    value = {key: schema[key] for key in schema if key not in about}
    mapping = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": _ref("profile"),
        "additionalProperties": value,
    }
    direct = dict(value)
    if isinstance(value.get("additionalProperties"), dict):
        direct["additionalProperties"] = _by_profile(value["additionalProperties"])
    choices = direct["anyOf"] if set(direct) == {"anyOf"} else [direct]
    return about | {"anyOf": [*choices, mapping]}


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "scenario": scenario_schema,
    "topology": partial(schema_of, Topology),
    "testbed": testbed_schema,
    "profiles": partial(schema_of, Profiles),
    "config": partial(schema_of, Build),
    "published": partial(schema_of, Published),
    "try-report": partial(schema_of, TryReport),
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
