"""Reading YAML into pydantic models, with errors that name the file and the field."""

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from remeasure.errors import UserError


class Strict(BaseModel):
    """A model that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=BaseModel)


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


def validate(model: type[Model], data: object, source: str) -> Model:
    """Validate `data`; `source` names where it came from. Raises UserError."""
    if data is None:
        raise UserError(f"{source}: empty; expected {', '.join(_required(model))}, ...")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise UserError(f"{source}: " + "; ".join(map(_sentence, error.errors()))) from None


def _sentence(error: dict) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "document"
    found = _found(error["input"])
    if error["type"] == "missing":
        return f"{field}: required, but not there"
    if error["type"] == "extra_forbidden":
        return f"{field}: unknown field{found}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{field}: {message}{found}"


def _found(value: object) -> str:
    """What was found, if it is short: of a whole document the message says what is wrong."""
    if isinstance(value, dict | list):
        return ""
    text = repr(value)
    return f" (found {text if len(text) <= 60 else text[:57] + '...'})"


def _required(model: type[BaseModel]) -> list[str]:
    return [name for name, field in model.model_fields.items() if field.is_required()]
