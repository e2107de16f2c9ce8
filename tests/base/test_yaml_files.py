"""Whatever is wrong in a YAML file is one line, and nothing in it is passed over."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.yaml_files import parse_yaml, read_yaml


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: {x: 1,\n x: 2}\n", ":3: not valid YAML: found 'x' twice, expected each key"),
        (b"- {a: 1}\n- {a: 1,\n   'a': 2}", ":3: not valid YAML: found 'a' twice"),
        (b"a: \xff\n", ":1: found byte ff, expected text in UTF-8; save it as UTF-8"),
        (b"a: [1\nb: 2", ":2: not valid YAML: did not find expected ',' or ']'"),
        (b"[" * 100_000, ":1: not valid YAML: found more than 50 levels, expected fewer"),
        (b"- " * 100_000, ":1: not valid YAML: found more than 50 levels, expected fewer"),
        (b"a: 2026-13-45", ": not valid YAML: month must be in 1..12"),
        (b"a: " + b"9" * 5000, ": not valid YAML: Exceeds the limit"),
        (b"? [1, 2]\n: 3\n", ":1: not valid YAML: found unhashable key"),
    ],
)
def test_one_line(tmp_path, content, message):
    path = tmp_path / "thing.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        read_yaml(path)
    assert str(error.value).startswith(f"{path}{message}")
    assert "\n" not in str(error.value)


def test_a_folder_is_one_line(tmp_path):
    with pytest.raises(UserError, match="Is a directory; expected a file that can be read"):
        read_yaml(tmp_path)


def test_what_is_merged_may_be_given_again(tmp_path):
    text = "base: &base {a: 1}\nmore: &more {<<: *base, a: 2}\nlast: {<<: *more, b: 3}\n"
    assert parse_yaml(tmp_path, text)["last"] == {"a": 2, "b": 3}
