"""Each parser refuses a log in which one number, digit or character was changed, or reads the
same."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from printed_twice import ALL, PARSERS, other_script, strange, ten_times


def taken(name: str, log, text: str):
    """What a parser reads from a changed text; None if it is refused."""
    parser = PARSERS[name]
    try:
        return parser.read(log.name, text.encode())
    except parser.error as error:
        assert str(error).isprintable()
        return None


def real(name: str, data) -> tuple:
    """A real log of a parser, its text, and how to pick what is changed."""

    def pick(below: int) -> int:
        return data.draw(st.integers(0, below - 1))

    log = PARSERS[name].logs[pick(len(PARSERS[name].logs))]
    return log, log.read_text(), pick


@pytest.mark.parametrize("name", [name for name, parser in PARSERS.items() if parser.once != ALL])
@given(data=st.data())
def test_a_number_that_is_printed_twice_cannot_change_alone(name, data):
    log, text, pick = real(name, data)
    changed, line = ten_times(text, pick)
    assume(not PARSERS[name].once.search(line))
    found = taken(name, log, changed)
    assert found is None or found == taken(name, log, text), line


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_digits_are_those_of_ascii(name, data):
    log, text, pick = real(name, data)
    assert taken(name, log, text) is not None
    assert taken(name, log, other_script(text, pick)) is None


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_a_character_that_no_tool_prints_is_refused(name, data):
    log, text, pick = real(name, data)
    assert taken(name, log, strange(text, pick)) is None
