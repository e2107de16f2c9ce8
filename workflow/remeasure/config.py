"""Reading YAML into pydantic models, with errors that name the file and the field."""

import difflib
from pathlib import Path
from typing import ClassVar, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails

from remeasure.errors import UserError


class Strict(BaseModel):
    """A model that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Named(Strict):
    """The model of a file whose name is the name of what it describes. No field repeats it: in a
    copied file it would still be the name of the original."""

    kind: ClassVar[str]
    """what files of this model describe; a field of this name is refused as well as `name`"""
    name: SkipJsonSchema[str]
    """set by `load_named`: the file's name without its suffix"""


Model = TypeVar("Model", bound=BaseModel)
NamedModel = TypeVar("NamedModel", bound=Named)


def read_yaml(path: Path) -> object:
    """The document in `path`. Raises UserError if it is missing or not YAML."""
    try:
        return yaml.safe_load(path.read_text())
    except FileNotFoundError:
        others = sorted(p.stem for p in path.parent.glob("*.yaml"))
        raise UserError(
            f"{path}: no such file; {path.parent.name} known: {', '.join(others) or 'none'}"
        ) from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def load(model: type[Model], path: Path) -> Model:
    """Read and validate `path`. Raises UserError naming the file and every wrong field."""
    return validate(model, read_yaml(path), str(path))


def load_named(model: type[NamedModel], path: Path) -> NamedModel:
    """Read and validate `path`, whose name becomes the model's. Raises UserError."""
    return validate_named(model, path.stem, read_yaml(path), str(path))


def validate(model: type[Model], data: object, source: str) -> Model:
    """Validate `data`; `source` names where it came from. Raises UserError."""
    if data is None:
        raise UserError(f"{source}: empty; expected {', '.join(_required(model))}, ...")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        sentences = [sentence(model, one) for one in error.errors()]
        raise UserError(f"{source}: {'; '.join(sentences)}") from None


def validate_named(model: type[NamedModel], name: str, data: object, source: str) -> NamedModel:
    """Validate `data`, which must not name itself. Raises UserError."""
    if isinstance(data, dict):
        for field in data.keys() & {"name", model.kind}:
            raise UserError(
                f"{source}: {field}: the file's name is the name of the {model.kind}; "
                "remove this line, or rename the file"
            )
        data = data | {"name": name}
    return validate(model, data, source)


def sentence(model: type[BaseModel], error: ErrorDetails) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "document"
    found = _found(error["input"])
    if error["type"] == "missing":
        return f"{field}: required, but not there"
    if error["type"] == "extra_forbidden":
        return f"{field}: unknown field{found}{_nearest(model, error['loc'])}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{field}: {message}{found}"


def _nearest(model: type[BaseModel], place: tuple) -> str:
    """The known field that is spelled most like an unknown one of the document itself."""
    fields = model.model_fields if len(place) == 1 else ()
    known = difflib.get_close_matches(str(place[0]), fields, 1)
    return "".join(f"; did you mean {field}?" for field in known)


def _found(value: object) -> str:
    """What was found, if it is short: of a whole document the message says what is wrong."""
    if isinstance(value, dict | list):
        return ""
    text = repr(value)
    return f" (found {text if len(text) <= 60 else text[:57] + '...'})"


def _required(model: type[BaseModel]) -> list[str]:
    names = [name for name, field in model.model_fields.items() if field.is_required()]
    return [name for name in names if not (issubclass(model, Named) and name == "name")]
