"""FTP: the client's log, the comparison of arrived files, their sizes."""

import statistics

import pytest
from reading import values_of

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.ftp import Ftp

FOLDER = "curl-8.22.0"


def read(content: bytes, name: str = "x.txt") -> dict[str, list[float]]:
    return values_of(Ftp, name, content)


def probe(files=12, megabytes=8) -> Ftp:
    return Ftp(client="left", server="right", files=files, megabytes=megabytes)


def test_a_log_cut_between_lines_does_not_pass_the_check(fixture):
    lines = fixture(f"{FOLDER}/many.txt").splitlines(keepends=True)
    probe().require_complete("x.txt", b"".join(lines))
    with pytest.raises(LogError, match="11 files', expected 12"):
        probe().require_complete("x.txt", b"".join(lines[:-1]))
    with pytest.raises(LogError, match="x.txt:1: found 'file 2', expected file 1"):
        read(b"".join(lines[1:]))


def test_sizes_add_up_and_depend_on_the_seed_alone():
    sizes = probe(500, 320).sizes(2026)
    assert (len(sizes), sum(sizes)) == (500, 320_000_000)
    assert sizes == probe(500, 320).sizes(2026) != probe(500, 320).sizes(2027)
    assert statistics.mean(sizes) == 640_000
    assert 0.25 < statistics.stdev(sizes) / 640_000 < 0.37
    assert probe(1, 8).sizes(1) == [8_000_000]


def test_what_must_have_gone_through_the_sa(fixture):
    carried = probe().carried(list(Ftp.parse("x.txt", fixture(f"{FOLDER}/many.txt"))))
    assert carried.receiver == "left"
    # 8 MB in segments of at most 1460 bytes; the SA of this run counted 5828 packets.
    assert 5479 == carried.least_packets <= 5828 <= carried.most_packets
