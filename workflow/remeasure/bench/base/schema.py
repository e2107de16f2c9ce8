"""JSON Schema of a model, with the docstring below each field as its description. Pydantic could
read these docstrings itself (`use_attribute_docstrings`), but every process that imports a model
would then parse them; one command writes schemas."""

import ast
import inspect
import itertools
import textwrap
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core.core_schema import ModelSchema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
"""a JSON Schema, or a part of one"""


def definitions(*models: type[BaseModel]) -> dict[str, Schema]:
    """Schemas of `models` and of the models that their fields name: name of the model -> schema."""
    _, found = models_json_schema(
        [(model, "validation") for model in models], schema_generator=_Generator
    )
    parts: dict[str, Schema] = found["$defs"]
    return parts


def schema_of(model: type[BaseModel]) -> Schema:
    """The schema of files that `model` reads."""
    parts = definitions(model)
    return {"$schema": DIALECT, **parts.pop(model.__name__), "$defs": parts}


def field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Field -> the docstring below it, if there is one, inherited fields included."""
    found = {}
    for part in reversed(model.__mro__):
        # A generic with its parameters, like RootModel[int], has no source of its own.
        if part.__module__.startswith("remeasure.") and "[" not in part.__name__:
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
            (written,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
            for field, text in itertools.pairwise(written.body):
                match field, text:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(words))),
                    ):
                        found[name] = " ".join(words.split())
    return found


class _Generator(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def model_schema(self, schema: ModelSchema) -> Schema:
        found = super().model_schema(schema)
        del found["title"]
        texts = field_docstrings(schema["cls"])
        for name, value in found.get("properties", {}).items():
            if name in texts:
                value["description"] = texts[name]
        if "description" in found:
            found["description"] = " ".join(found["description"].split())
        return found
