"""swanctl.conf as charon's parser reads it. strongSwan's own swanctl gave the same answers."""

import textwrap
from pathlib import Path

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.tryout.conf import read_conf

READ = {
    "words have one space between them": ("a { k =  x  y # z\n}", {"a": {"k": "x y"}}),
    "a text keeps its spaces": ('a { k = "x  y" z\n}', {"a": {"k": "x  y z"}}),
    "a text ends a word": ('a { k = x"y"z\n}', {"a": {"k": "x y z"}}),
    "a text has escapes": (r'a { k = "\"\t\\x"' + "\n}", {"a": {"k": '"\t\\x'}}),
    "a text goes over lines": ('a { k = "x\ny\\\nz"\n}', {"a": {"k": "x\nyz"}}),
    "a value has signs": ("a { k == {;:.,\n}", {"a": {"k": "= {;:.,"}}),
    "a value ends at a bracket": ("a { k = x}b{}", {"a": {"k": "x"}, "b": {}}),
    "a value ends at a comment": ("a { k = x#y\n}", {"a": {"k": "x"}}),
    "a value may be missing": ("a { k =\n l = x\n}", {"a": {"k": "", "l": "x"}}),
    "signs may be in the next line": ("a # b\n\n{ k\n= x\n}", {"a": {"k": "x"}}),
    "lines end as in Windows": ("a {\r\n k = x\r\n}\r\n", {"a": {"k": "x"}}),
    "sections come again": ("a { k = x\n} a { k = y\n l = z\n}", {"a": {"k": "y", "l": "z"}}),
    "settings are inherited": (
        "a : b, c { k = x\n m =\n} b { k = y\n s { t = 1\n} } c { s { t = 2\n u = 3\n} m = 4\n}",
        {
            "a": {"k": "x", "m": "", "s": {"t": "1", "u": "3"}},
            "b": {"k": "y", "s": {"t": "1"}},
            "c": {"s": {"t": "2", "u": "3"}, "m": "4"},
        },
    ),
    "references are paths": (
        "a { b { k = x\n} c:a.b { } d : a.c {} }",
        {"a": {"b": {"k": "x"}, "c": {"k": "x"}, "d": {"k": "x"}}},
    ),
    "references may lead nowhere": ("a : b { k = x\n}", {"a": {"k": "x"}}),
    "a setting may be named include": ("include = x", {"include": "x"}),
    "nothing": ("# only this", {}),
}
WRONG = {
    "k = x\n}": "2: found '}', expected a name",
    "a {\n k\n}": "3: found '}', expected = or {",
    "a { k = x\n } b = y }": "2: found '}', expected a name",
    "a : { k = x\n}": "1: found '{ k = x', expected the name of a section",
    "a : b\nk = x": "2: found 'k = x', expected {",
    "a,b {}": "1: found ',b {}', expected = or {",
    '"a" {}': "1: found '\"a\" {}', expected a name",
    'a {\n k = "x\n}': "2: found '\"x', expected a second \"",
    "a {\n b {\n }\n": "1: this section has no end; expected }",
    "a : b {}\nb : a {}": "2: refers to a, which refers or belongs to itself",
}


def plain(section):
    return {k: plain(v) if isinstance(v, dict) else v for k, v in section.items()}


@pytest.mark.parametrize("case", READ)
def test_a_text_is_read(tmp_path, case):
    text, expected = READ[case]
    assert plain(read_conf(tmp_path / "x.conf", text).root) == expected


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_text_is_refused_with_its_line(text):
    with pytest.raises(UserError) as error:
        read_conf(Path("x.conf"), text)
    assert str(error.value).startswith(f"x.conf:{WRONG[text]}")


def test_includes_are_read_in_their_place(tmp_path):
    (tmp_path / "conf.d").mkdir()
    for name, text in {
        "swanctl.conf": "a {\ninclude conf.d/*.conf\ninclude /etc/swanctl/m\\ b\n}\ninclude no\n",
        "conf.d/2.conf": "k = two\n",
        "conf.d/1.conf": "k = one\nl = one\n}\nb {\n",
        "conf.d/.0.conf": "hidden = yes\n",
        "m b": "m = x",
    }.items():
        (tmp_path / name).write_text(text)
    conf = read_conf(tmp_path / "swanctl.conf", (tmp_path / "swanctl.conf").read_text())
    assert plain(conf.root) == {"a": {"k": "one", "l": "one"}, "b": {"k": "two", "m": "x"}}
    folder = "/etc/swanctl"
    assert [*conf.texts] == [
        f"{folder}/{name}" for name in ("swanctl.conf", "conf.d/1.conf", "conf.d/2.conf", "m b")
    ]
    assert str(conf.root["b"].spots["k"]) == f"{tmp_path}/conf.d/2.conf:1"
    assert conf.notes == ["include no: no such file, so charon leaves it out"]


def test_a_setting_can_be_changed_in_its_text():
    text = textwrap.dedent("""\
        a { k = x } # no setting: k = x
        b { k = "y
          z" l = 1 }
        """)
    conf = read_conf(Path("x.conf"), text)
    assert conf.edited({"k": "K"}) == {
        "/etc/swanctl/swanctl.conf": "a { K } # no setting: k = x\nb { K }\n"
    }
