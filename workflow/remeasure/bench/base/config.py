"""YAML files as pydantic models, with errors that name the file and the field."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar, get_args

import pydantic
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml

EXACT = pydantic.ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""for files that this software wrote and reads again: values of exactly the type, no further
fields"""
exact = pydantic.with_config(EXACT)
"""makes a TypedDict exact, but not a TypedDict derived from it"""
Share = Annotated[float, pydantic.Field(ge=0, le=1)]


class Strict(pydantic.BaseModel):
    """A model that refuses unknown fields, and truth values in place of numbers: YAML reads `yes`
    as a truth, which pydantic would take for 1."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def numbers(self) -> dict[str, dict[str, tuple[float, str, str]]]:
        """Numbers behind fields given as text: field -> name -> value, unit and meaning."""
        return {}

    @pydantic.field_validator("*", mode="before")
    @classmethod
    def _numbers_are_numbers(cls, value: object, info: pydantic.ValidationInfo) -> object:
        kind = cls.model_fields[str(info.field_name)].annotation
        kinds = {kind, *get_args(kind)}
        if isinstance(value, bool) and kinds & {int, float} and bool not in kinds:
            raise ValueError("expected a number")
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise ValueError(f"expected a number of at most {_LARGEST}")
        return value


class Named(Strict):
    """The model of a file named after its subject. No field repeats the name: a copied file would
    still carry the name of the original."""

    kind: ClassVar[str]
    """subject of a file of this model (scenario, topology, ...); neither a field of this name nor a
    field `name` is allowed in the file"""
    name: SkipJsonSchema[str]
    """the file's name without its suffix; set by `validate_named`"""


_LARGEST = 2**63 - 1
"""the largest number that tables and the tools that are given one can hold"""
_MOST = 10
"""number of wrong fields in a message"""


Model = TypeVar("Model", bound=pydantic.BaseModel)
NamedModel = TypeVar("NamedModel", bound=Named)


def load(model: type[Model], path: Path) -> Model:
    """Read and validate `path`. Raises UserError naming the file and every wrong field."""
    return validate(model, read_yaml(path), str(path))


def validate(model: type[Model], data: object, source: str) -> Model:
    """Validate `data`; `source` is its origin for messages. Raises UserError naming the wrong
    fields."""
    if data is None:
        fields = model.model_fields.items()
        own = {"name"} if issubclass(model, Named) else {}
        required = [name for name, field in fields if field.is_required() and name not in own]
        raise UserError(f"{source}: empty; expected {', '.join(required)}, ...")
    try:
        return model.model_validate(data)
    except pydantic.ValidationError as error:
        sentences = [sentence(model, one) for one in error.errors()[:_MOST]]
        if error.error_count() > _MOST:
            sentences.append(f"and {error.error_count() - _MOST} more")
        raise UserError(f"{source}: {'; '.join(sentences)}") from None


def validate_named(model: type[NamedModel], name: str, data: object, source: str) -> NamedModel:
    """Validate `data` under `name`. Raises UserError if `data` is wrong, or gives a name itself."""
    if isinstance(data, dict):
        for field in data.keys() & {"name", model.kind}:
            raise UserError(
                f"{source}: {field}: a {model.kind} has the name of its file or folder; "
                "remove this line"
            )
        data = data | {"name": name}
    return validate(model, data, source)


def sentence(model: type[pydantic.BaseModel], error: ErrorDetails) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "document"
    shown = "" if isinstance(error["input"], dict | list) else repr(error["input"])
    found = f" (found {shown if len(shown) <= 60 else shown[:57] + '...'})" if shown else ""
    if error["type"] == "missing":
        return f"{field}: required, but not there"
    if error["type"] == "extra_forbidden":
        place = error["loc"]
        known = model.model_fields if len(place) == 1 else ()
        return f"{field}: unknown field{found}{near(str(place[0]), known)}"
    if error["type"] == "model_type":
        found = " (found a list)" if isinstance(error["input"], list) else found
        return f"{field}: expected fields, each as `name: value`{found}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{field}: {message}{found}"


def near(name: str, known: Iterable[str]) -> str:
    """A question that suggests the known name most like `name`; empty if none is like it."""
    found = difflib.get_close_matches(name, list(known), 1)
    return "".join(f"; did you mean {one}?" for one in found)
