"""Pairs that reading alone refuses: one line, with file and line."""

import time
from pathlib import Path

import pytest
from cases import cases

from remeasure.bench.base.errors import UserError
from remeasure.bench.tryout.reading_pair import read_pair

BASE = cases(__file__, "base")


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """left.conf and right.conf of a pair that is right."""
    monkeypatch.chdir(tmp_path)
    for name, text in BASE.items():
        Path(f"{name}.conf").write_text(text)
    return Path("left.conf"), Path("right.conf")


def refused(*args, **options):
    with pytest.raises(UserError) as error:
        read_pair(*args, **options)
    return str(error.value)


@pytest.mark.parametrize(("side", "old", "new", "message"), cases(__file__, "changed"))
def test_a_pair_is_refused_in_one_line(pair, side, old, new, message):
    path = Path(f"{side}.conf")
    assert old in BASE[side]
    path.write_text(BASE[side].replace(old, new, 1) if old else new)
    line = refused(*pair)
    assert line.startswith(message) and "\n" not in line


def test_older_versions_have_ikev1(pair):
    for path in pair:
        path.write_text(path.read_text().replace("version = 2", "version = 1"))
    assert read_pair(*pair, version="6.0").left.conn.text("version") == "1"


def test_files_and_folders_that_are_none(pair):
    left, right = pair
    Path("folder").mkdir()
    assert refused(Path("folder"), right) == (
        "folder: found a folder without swanctl.conf, expected one like /etc/swanctl"
    )
    assert refused(Path("/dev/null"), right).startswith("/dev/null: not a file;")
    left.write_text("include left.conf\n")
    assert refused(left, right) == "left.conf: includes nest deeper than 10; expected fewer"


def test_a_damaged_certificate_is_refused(pair):
    left, right = pair
    Path("x509").mkdir()
    Path("x509/site.pem").write_text("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----")
    assert refused(left, right) == (
        "x509/site.pem: found a certificate that cannot be read, expected PEM; copy it again"
    )


def test_options_that_are_wrong(pair):
    left, right = pair
    assert refused(left, right, connection="other") == (
        "left.conf: found no connection other, expected one such as site"
    )
    assert refused(left, right, keys="dsa").startswith("keys: found dsa, expected one of rsa2048,")
    assert refused(left, right, nat=frozenset({"up"})).startswith("--nat: found up, expected left")
    assert refused(left, right, nat=frozenset({"left"})) == (
        "left.conf:4: local_addrs = 203.0.113.1: --nat left: right expects it at the same address; "
        "expected a private one here, or no --nat"
    )


def test_two_hundred_connections_take_seconds(pair):
    def many(text, own):
        body = text.partition("{\n")[2].rpartition("}")[0]
        return "".join(
            body.replace("site", f"site{n}").replace("10.2.", f"10.{n}.").replace(own, f"{own}.{n}")
            for n in range(20, 220)
        )

    for path in pair:
        path.write_text(f"connections {{\n{many(path.read_text(), 'right.example')}}}\n")
    begin = time.process_time()
    found = read_pair(*pair, connection="site150")
    assert found.right.connection == "site150"
    found = read_pair(*pair)
    assert (found.left.connection, found.right.connection) == ("site20", "site20")
    assert "only site20 of 200 connections is tried" in found.left.notes
    assert time.process_time() - begin < 10
