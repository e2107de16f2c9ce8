"""What is wrong in a file is said in one line, and not by showing the file."""

import pytest
from pydantic import model_validator

from remeasure import config
from remeasure.errors import UserError


class Thing(config.Strict):
    name: str
    parts: list[int] = []

    @model_validator(mode="after")
    def _no_x(self):
        if self.name == "x":
            raise ValueError("x is nobody's name")
        return self


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
