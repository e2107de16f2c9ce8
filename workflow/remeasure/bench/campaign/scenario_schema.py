"""JSON Schema of scenario files, which allow more than any one model. Any value may be given by
profile. A level of a factor sets some fields and leaves the others, so the schema requires no field
of a probe or a tunnel; the descriptions of fields mark required ones. `load_scenario` finds missing
fields, cell by cell, and errors in `each`."""

from remeasure.bench.base.schema import DIALECT, Schema, definitions
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import Design
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.probes import PROBES

_EACH: Schema = {
    "description": "Factors within a trial: the probe is measured once for each combination of "
    "their levels. A factor that is a field of the probe has a list of values; any other factor "
    "has levels, each of which sets fields.",
    "type": "object",
    "minProperties": 1,
}
_KIND = "The measuring tool, which decides the other fields."


def scenario_schema() -> Schema:
    """The schema of a scenario.yaml. Raises UserError if config/profiles.yaml is wrong."""
    models = definitions(Design, Settings, *PROBES.values())
    design, settings = models.pop("Design"), models.pop("Settings")
    for replaced in ("Probe", "Level"):
        models.pop(replaced, None)
    probes = {kind: models.pop(probe.__name__) for kind, probe in PROBES.items()}
    settings["description"] = "Settings of the cells that have this level, laid on the scenario's."
    settings["properties"]["probes"] |= {"additionalProperties": _ref("probe")}
    del settings["properties"]["probes"]["minProperties"]
    design["properties"] |= {
        "factors": design["properties"]["factors"] | {"additionalProperties": _ref("factor")},
        **{name: settings["properties"][name] for name in ("tunnel", "shaping", "probes")},
    }
    # A level may leave a probe out.
    settings["properties"]["probes"] = settings["properties"]["probes"] | {
        "additionalProperties": {"anyOf": [_ref("probe"), {"type": "null"}]}
    }
    return {
        "$schema": DIALECT,
        **design,
        "properties": _by_profile_each(design["properties"]),
        "$defs": {
            "profile": {"description": "Name of a profile.", "enum": [*profile_names()]},
            "factor": {
                "description": "The levels of a factor: name -> settings.",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": _by_profile(_ref("level")),
            },
            "level": _partial(settings),
            "probe": _any_probe(probes),
            **{kind: _one_probe(kind, part) for kind, part in probes.items()},
            **{name: _partial(part) for name, part in models.items()},
        },
    }


def _any_probe(probes: dict[str, Schema]) -> Schema:
    """Schema of an entry of `probes`. Its field `probe` decides which other fields it may have.
    Without it, as in a level of a factor, any field of any probe is allowed."""
    places: dict[str, list[Schema]] = {}
    for kind, part in probes.items():
        for name in part["properties"]:
            places.setdefault(name, []).append(_ref(kind, name))
    any_field = {
        name: refs[0] if len(refs) == 1 else {"anyOf": refs} for name, refs in places.items()
    }
    any_field["each"] = _EACH
    return {
        "type": "object",
        "properties": {"probe": _by_profile({"description": _KIND, "enum": [*probes]})},
        "allOf": [
            *(
                {
                    "if": {"properties": {"probe": {"const": kind}}, "required": ["probe"]},
                    "then": _ref(kind),
                }
                for kind in probes
            ),
            {
                "if": {"not": {"required": ["probe"]}},
                "then": {"properties": any_field, "additionalProperties": False},
            },
        ],
    }


def _one_probe(kind: str, part: Schema) -> Schema:
    """Schema of an entry of `probes` with `probe: <kind>`."""
    fields = _partial(part)
    entry = {"probe": {"description": _KIND, "const": kind}, "each": _EACH}
    return fields | {"properties": entry | fields["properties"]}


def _ref(part: str, field: str | None = None) -> Schema:
    return {"$ref": f"#/$defs/{part}" + (f"/properties/{field}" if field else "")}


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
