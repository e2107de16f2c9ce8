"""Conditions for releasing blocks in virtual time, and how two are compared."""

import zipfile

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.bench.campaign.archive import first_difference
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.campaign.virtual_blocks import (
    Measurement,
    add_measurement,
    read_machines,
    require_fit,
    require_repeated,
)
from remeasure.bench.lab.testbeds import load_testbed


def measurement(sha256: str) -> Measurement:
    when = {"start": "2026-11-23T05:00:00+00:00", "seconds": 1.5, "virtual_seconds": 40}
    machine = {"cpu": "some", "cpus": 2}
    return Measurement(sha256=sha256, **when, trials=2, load=0.5, software="0123", machine=machine)


def pack(path, **files: str):
    with zipfile.ZipFile(path, "w") as block:
        for name, text in {"block.json": '{"format": 2}', **files}.items():
            block.writestr(name, text)
    return path


def test_a_block_is_to_be_measured_twice_with_its_present_bytes(tmp_path):
    archive = tmp_path / "mine" / "small" / "block-03.zip"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"content")
    add_measurement(archive, measurement(file_hash(archive)))
    add_measurement(archive, measurement("0" * 64))
    with pytest.raises(UserError, match=r"measured 1 times .* remeasure repeat mine small 3$"):
        require_repeated(archive)
    add_measurement(archive, measurement(file_hash(archive)))
    require_repeated(archive)
    assert [one.sha256[:2] for one in read_machines(archive)][1] == "00", "each one is kept"


@pytest.mark.parametrize("scenario", ["algorithm-sweep", "ah-esp-ciphers", "esp-instructions"])
def test_only_what_asks_for_processors_is_refused_in_virtual_time(scenario):
    found = load_scenario(scenario, "smoke")
    with pytest.raises(UserError, match="in virtual time computing takes no time"):
        require_fit(found, load_testbed("virtual"))
    require_fit(found, load_testbed("lab"))
    for name in ("psk-rsa", "eap-methods", "replay-window", "calibration"):
        require_fit(load_scenario(name, "smoke"), load_testbed("virtual"))


BLOCK = (
    '{"format": 2, "campaign": "c", "scenario": "s", "block": 1, "profile": "smoke", "seed": 1,'
    ' "order": [{"a": "b"}], "sessions": []}'
)

LOG = "trials/0001/a.log"


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({LOG: "x\ny\n"}, {LOG: "x\ny\n"}, None),
        ({LOG: "x\ny\n"}, {LOG: "x\nz\n"}, "trials/0001/a.log, line 2: b'y' and b'z'"),
        ({LOG: "x\n"}, {LOG: "x\ny\n"}, "trials/0001/a.log, line 2: b'(no line)' and b'y'"),
        ({LOG: "x"}, {LOG: "x\n"}, "not in any line"),
        ({LOG: "x"}, {}, "trials/0001/a.log, line 1: b'x' and b'(no line)'"),
    ],
)
def test_the_first_difference_of_two_blocks_is_named(tmp_path, one, other, said):
    paths = [
        pack(tmp_path / f"{name}.zip", **{"block.json": BLOCK}, **files)
        for name, files in (("first", one), ("second", other))
    ]
    found = first_difference(*paths)
    assert found == said if said is None else found.startswith(said)
