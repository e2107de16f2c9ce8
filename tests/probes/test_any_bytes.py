"""For any bytes in a log, a parser gives possible observations, or a LogError."""

import json
import math

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from test_expected import EXPECTED, log_of

from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import LogError
from remeasure.paper.tidy.counter_parsers import _READERS, read_counters

REAL: dict[str, list] = {}
"""probe -> logs of its tool"""
for _expected in EXPECTED:
    REAL.setdefault(json.loads(_expected.read_text())["probe"], []).append(log_of(_expected))
PIECES = st.sampled_from(
    [b"", b"\n", b"\0", b"-1", b"nan", b"NaN", b"1e999", b"9" * 400, b"9" * 5000, b"0", b"0.1.2",
     b"[" * 3000, b"null", b"true", b'"x"', b"{}", b"\xff\xfe", b"\xd9\xa3"]
)  # fmt: skip
"""bytes that have confused parsers; the last is a digit that is not of ASCII"""


def parsed(probe: str, name: str, content: bytes) -> None:
    try:
        for one in PROBES[probe].parse(name, content):
            assert math.isfinite(one.value) and one.line >= 1, one
    except LogError:
        pass


@pytest.mark.parametrize("probe", PROBES)
@given(content=st.binary(max_size=300) | st.text(max_size=200).map(str.encode), data=st.data())
def test_any_bytes(probe, content, data):
    parsed(probe, data.draw(st.sampled_from([log.name for log in REAL[probe]])), content)


@pytest.mark.parametrize("probe", PROBES)
@given(data=st.data())
def test_real_logs_with_a_piece_that_is_wrong(probe, data):
    log = min(
        data.draw(st.lists(st.sampled_from(REAL[probe]), min_size=1, max_size=3)),
        key=lambda path: path.stat().st_size,
    )
    packed = log.suffix == ".zst"
    content = log.read_bytes()
    if packed:
        content = zstandard.ZstdDecompressor().stream_reader(content).read()
    for _ in range(data.draw(st.integers(1, 3))):
        # Most counted things are numbers.
        digits = [at for at in range(len(content)) if content[at : at + 1].isdigit()]
        start = data.draw(st.integers(0, len(content)) | st.sampled_from(digits or [0]))
        end = min(start + data.draw(st.integers(0, 8)), len(content))
        content = content[:start] + data.draw(PIECES | st.binary(max_size=8)) + content[end:]
    parsed(probe, log.name, zstandard.compress(content) if packed else content)


@pytest.mark.parametrize("kind", _READERS)
@given(text=st.text(alphabet='0123456789-+.:{}[]", \nabcinf=<>()', max_size=300) | st.text())
def test_counters_of_any_text(kind, text):
    try:
        counters = read_counters({kind: text})
    except ValueError:
        return
    assert all(-1 <= value < 2**63 for of in counters.values() for value in of.values())
