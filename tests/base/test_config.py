"""Whatever is wrong in a YAML file is one line that does not show the file."""

import pytest
from cases import cases
from pydantic import model_validator

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import parse_yaml, read_yaml

_LAUGHS = b"a0: &a0 [%s]\n" % b",".join([b"1"] * 8) + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 8)) for n in range(1, 7)
)
"""aliases of aliases: eight of eight, seven times"""


class Thing(config.Strict):
    name: str
    parts: list[int] = []
    count: int = 0
    share: float | None = None

    @model_validator(mode="after")
    def _no_x(self):
        if self.name == "x":
            raise ValueError("x is nobody's name")
        return self


@pytest.mark.parametrize(("text", "message"), cases(__file__, "a_field_that_is_wrong_is_one_line"))
def test_a_field_that_is_wrong_is_one_line(tmp_path, text, message):
    path = tmp_path / "thing.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        config.load(Thing, path)
    assert str(error.value).startswith(f"{path}: {message}") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: [1\nb: 2", ":2: not valid YAML: did not find expected ',' or ']'"),
        (b"a: 2026-13-45", ": not valid YAML: month must be in 1..12"),
        (b"a: " + b"9" * 5000, ": not valid YAML: Exceeds the limit"),
        (b"a: 0x10", ":1: not valid YAML: found 0x10, expected digits without a leading zero"),
        (b"a: 1_0", ":1: not valid YAML: found 1_0, expected digits"),
        (b"a: 14:20", ":1: not valid YAML: found 14:20, expected digits"),
        (
            b"a:\n  no: {}",
            ":2: not valid YAML: found the key no, expected a word; put it in quotes",
        ),
        (b"2026-11-29: 1", ":1: not valid YAML: found the key 2026-11-29, expected a word"),
        (b"a: &a [*a]", ": not valid YAML: found brackets nested too deeply, or an alias within"),
        (b"[" * 20000 + b"]" * 20000, ": not valid YAML: found brackets nested too deeply"),
        (_LAUGHS, ": found aliases that stand for 2739136 values, expected at most 1000000"),
        (b"? [1, 2]\n: 3\n", ":1: not valid YAML: found unhashable key"),
    ],
)
def test_what_is_no_yaml_is_one_line(tmp_path, content, message):
    path = tmp_path / "thing.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        read_yaml(path)
    assert str(error.value).startswith(f"{path}{message}") and "\n" not in str(error.value)


def test_a_folder_is_one_line(tmp_path):
    with pytest.raises(UserError, match="Is a directory; expected a file that can be read"):
        read_yaml(tmp_path)


def test_what_is_merged_may_be_given_again(tmp_path):
    text = "base: &base {a: 1}\nmore: &more {<<: *base, a: 2}\nlast: {<<: *more, b: 3}\n"
    assert parse_yaml(tmp_path, text)["last"] == {"a": 2, "b": 3}
