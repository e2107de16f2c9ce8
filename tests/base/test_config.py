"""What is wrong in a file is said in one line, and not by showing the file."""

import pytest
from pydantic import model_validator

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError


class Thing(config.Strict):
    name: str
    parts: list[int] = []

    @model_validator(mode="after")
    def _no_x(self):
        if self.name == "x":
            raise ValueError("x is nobody's name")
        return self


class Numbers(config.Strict):
    count: int = 0
    share: float | None = None
    wanted: bool = False


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("count", True, "expected a number (found True)"),
        ("share", False, "expected a number (found False)"),
        ("count", 10**20, "expected a number of at most 9223372036854775807 (found 1000"),
        ("share", float("inf"), "Input should be a finite number (found inf)"),
        ("share", float("nan"), "Input should be a finite number (found nan)"),
    ],
)
def test_numbers_are_numbers(field, value, message):
    assert config.validate(Numbers, {"wanted": True}, "here").wanted
    with pytest.raises(UserError) as error:
        config.validate(Numbers, {field: value}, "here")
    assert str(error.value).startswith(f"here: {field}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty; expected name, ..."),
        ("# nothing but this\n", "empty; expected name, ..."),
        ("{name: x, parts: [1, 2]}", "document: x is nobody's name"),
        ("{name: y, parts: {a: 1}}", "parts: Input should be a valid list"),
        ("{name: y, more: {a: 1}}", "more: unknown field"),
        ("{name: y, more: 1}", "more: unknown field (found 1)"),
        ("[]", "document: Input should be a valid dictionary or instance of Thing"),
        ("{name: 7}", "name: Input should be a valid string (found 7)"),
        ("{}", "name: required, but not there"),
    ],
)
def test_one_line(tmp_path, text, message):
    path = tmp_path / "thing.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        config.load(Thing, path)
    assert str(error.value) == f"{path}: {message}"
