"""Released files contain no secret, and no place of measurement."""

import ipaddress
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.staging import Members

SECRETS = {
    "private key": (b"private key", re.compile(rb"private key-----")),
    "secret of swanctl.conf": (b"secret", re.compile(rb"\bsecret\s*=\s*\S")),
    "key of wg(8)": (b"privatekey", re.compile(rb"privatekey\s*=\s*\S")),
    "password": (b"password", re.compile(rb"(?:cleartext|user|nt)-password\s*:?=\s*\S")),
    "password of FTP": (b"\npass ", re.compile(rb"\npass \S")),
    "path of a home": (b"/home/", re.compile(rb"/home/\w")),
}
"""kind -> a word without which it is absent, and its pattern, in small letters"""
_ADDRESS = re.compile(rb"(?<![\d.])\d{1,3}+\.\d{1,3}+\.\d{1,3}+\.\d{1,3}+(?![\d.])")
_MIDDLE = re.compile(rb"\.\d{1,3}+\.\d{1,3}+\.\d")
"""part of every address from its first dot on: the search by it is quick"""
CAMPAIGNS = sorted(path.parent for path in RAW.glob("*/manifest.json"))


def files_in(path: Path) -> Iterator[tuple[str, bytes]]:
    """A file, or each file of an archive: name -> content."""
    if path.suffix == ".zip":
        for name, content in Members(path).items():
            yield f"{path.name}/{name}", content
    else:
        yield path.name, path.read_bytes()


def addresses(content: bytes) -> set[bytes]:
    return {
        address
        for middle in _MIDDLE.finditer(content)
        for address in _ADDRESS.findall(content[max(middle.start() - 4, 0) : middle.end() + 3])
    }


def is_public(text: bytes) -> bool:
    try:
        address = ipaddress.ip_address(text.decode())
        return address.is_global and not address.is_multicast
    except ValueError:
        return False


def told(content: bytes) -> list[str]:
    """Secrets in a file."""
    small = content.lower()
    found = [what for what, (word, form) in SECRETS.items() if word in small and form.search(small)]
    public = {address for address in addresses(content) if is_public(address)}
    return found + sorted(f"address {address.decode()}" for address in public)


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda path: path.name)
def test_a_released_campaign_tells_nothing(campaign):
    files = [path for path in campaign.rglob("*") if path.is_file()]
    found = {
        name: what for path in files for name, content in files_in(path) if (what := told(content))
    }
    assert found == {}


def test_other_data_tell_nothing():
    folders = [ROOT / "data" / name for name in ("tidy", "captured", "published")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files = [path for path in files if path.suffix != ".pyc"]  # Python's own, with the clone's path
    assert {path.name: told(path.read_bytes()) for path in files if told(path.read_bytes())} == {}


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda path: path.name)
def test_of_the_machine_only_what_matters_is_told(campaign):
    for path in campaign.glob("*/block-*.zip"):
        block = json.loads(Members(path)["block.json"])
        for session in block["sessions"]:
            known = {"cpu", "cpus", "cpu_flags", "kernel", "memory_mib"}
            assert set(session.get("machine", {})) <= known, path


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"-----BEGIN RSA PRIVATE KEY-----", ["private key"]),
        (b"  ike-1 { secret = 0sabc }", ["secret of swanctl.conf"]),
        (b"alice Cleartext-Password := hello", ["password"]),
        (b"from 8.8.8.8 to 192.0.2.1", ["address 8.8.8.8"]),
        (b"10.0.0.1, 127.0.0.1, 198.51.100.3, version 1.2.3", []),
        (b"8.8.8.8.8, 8888.8.8.8, 8.8.8.8888, .8.8.8.8", []),
        (b"8.8.4.4,198.8.8.8", ["address 198.8.8.8", "address 8.8.4.4"]),
    ],
)
def test_what_would_be_found(text, what):
    assert told(text) == what
