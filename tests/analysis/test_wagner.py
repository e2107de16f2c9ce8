"""The script data/published/wagner/recompute.py: on runs whose answers are known, and the kept part
of the study's runs."""

import importlib.util
import json
import sys
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from remeasure.bench.base.files import file_hash
from remeasure.bench.base.paths import PUBLISHED
from remeasure.bench.claims.published import load_published

SPEC = importlib.util.spec_from_file_location("wagner", PUBLISHED / "wagner" / "recompute.py")
wagner = importlib.util.module_from_spec(SPEC)
sys.modules["wagner"] = wagner
SPEC.loader.exec_module(wagner)

START = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
SENDER, RECEIVER = [20.0] * 8, [100.0] + [10.0] * 7


def write_run(folder, name, totals, shares=(1,) * 8, sender=SENDER, receiver=RECEIVER, bits=8):
    """A run that carries totals[i] Mbit/s in second i, as iperf and the study's script write it:
    the sum after its flows, stamps of seconds one late, readings before and after the run."""

    def stamp(seconds: float) -> str:
        return f"{START + timedelta(seconds=seconds):%Y%m%d%H%M%S}"

    def row(flow: int, begin: int, end: float, size: int, at: float) -> str:
        rate = round(size * bits / (int(end) - begin))
        return f"{stamp(at)},10.0.0.1,0,10.0.0.2,5001,{flow},{begin}.0-{end:.1f},{size},{rate}\n"

    carried = np.outer(totals, np.array(shares) / sum(shares)) * 1e6 / 8
    flows, seconds = carried.round().astype(int), len(totals)
    lines = []
    for second, sizes in enumerate(flows):
        parts = [*enumerate(sizes, 1), (-1, sizes.sum())]
        lines += [row(flow, second, second + 1, size, second + 2) for flow, size in parts]
    wholes = [*enumerate(flows.sum(axis=0), 1), (-1, flows.sum())]
    lines += [row(flow, 0, seconds, size, seconds) for flow, size in wholes]
    (folder / f"{name}.csv").write_text("".join(lines))
    for role, busy in (("send", sender), ("recv", receiver)):
        table = "timestamp," + ",".join(f"core_{n}" for n in range(8)) + "\n"
        for at in range(-6, seconds + 6, 2):
            values = busy if -1 < at < seconds else [0.0] * 8
            table += stamp(at) + "".join(f",{value:.2f}" for value in values) + "\n"
        (folder / f"{name}_{role}_cpu.csv").write_text(table)


@pytest.fixture
def folder(tmp_path):
    write_run(tmp_path, "unenc", [39000, 41000] * 15 + [33000] + [22000, 24000] * 20)
    write_run(tmp_path, "esp", [900, 1100] * 20, sender=[100.0] + [0.0] * 7)
    busy = {"sender": [60.0] * 8, "receiver": [100.0, 90.0] + [10.0] * 6}
    write_run(tmp_path, "pcpu", [2400, 2600] * 20, shares=(4, 4, 4, 1, 1, 1, 1, 1), **busy)
    return tmp_path


def by_name(found: dict) -> dict[str, dict]:
    return {row["quantity"]: row for row in found["quantities"]}


KEPT = by_name(json.loads(wagner.KEPT.read_text()))


def test_rates_that_are_bytes_are_told_from_bits(tmp_path):
    write_run(tmp_path, "esp", [900, 1100] * 20, bits=1)
    assert wagner.read_run(tmp_path, "single").not_bits == 41 * 9


def test_a_sum_that_iperf_left_out_is_made_of_the_flows(folder):
    path = folder / "pcpu.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if ",-1,7.0-8.0," not in line))
    assert wagner.read_run(folder, "per-cpu").totals == pytest.approx([2.4, 2.6] * 20)


@pytest.mark.parametrize(
    ("quantity", "published", "expected"),
    [
        ("single.throughput_mean", 0.83, 1.0),
        ("single.throughput_cv", None, 100 * 0.1 * (40 / 39) ** 0.5),
        ("single.lag_1", None, -39 / 40),
        ("single.receiver_busy_max", 18.8, 21.25),
        ("single.receiver_less_sender", -2.5, 8.75),
        ("single.sender_core_means", None, [100] + [0] * 7),
        ("per-cpu.flow_max_over_min", None, 4),
        ("per-cpu.flow_jain", None, 17**2 / (8 * (3 * 16 + 5))),
        ("per-cpu.receiver_saturated_cores", None, 2),
        ("per-cpu.throughput_per_saturated_receive_core", None, 2.5 / 1.9),
        ("speed_up", 3, 2.5),
        ("serial_share", None, (8 / 2.5 - 1) / 7),
        ("hosts_busy.per-cpu_less_single", 54.6, 45.625 - 16.875),
        ("none.change_second", 216, 31),
        ("none-before.throughput_mean", 39.31, 40),
        ("throughput.none-before_over_single", None, 40),
    ],
)
def test_quantities_of_known_runs(folder, quantity, published, expected):
    found = by_name(wagner.recompute(folder))[quantity]
    assert found["recomputed"] == pytest.approx(expected, rel=1e-5)
    assert found["published"] == KEPT[quantity]["published"] == published


def test_a_quantity_that_is_not_defined_is_empty(folder):
    write_run(folder, "esp", [1000] * 40, receiver=[10.0] * 8)
    rows = by_name(wagner.recompute(folder))
    assert rows["single.receiver_saturated_cores"]["recomputed"] == 0
    for quantity in ("single.throughput_per_saturated_receive_core", "single.lag_1"):
        assert rows[quantity]["recomputed"] is None, quantity


def test_a_raw_file_that_is_missing_or_another_is_named(folder):
    with pytest.raises(SystemExit, match=r"unenc\.csv: expected a raw file .* SHA-256 f78c7f5"):
        wagner.main(folder)


def test_what_is_kept_is_what_the_script_makes_now(folder, monkeypatch, tmp_path):
    found, kept = wagner.recompute(folder), json.loads(wagner.KEPT.read_text())
    assert wagner.KEPT.read_text() == wagner.as_text(kept)
    columns = ("quantity", "published", "unit", "note")
    for of_study, of_ours in zip(kept["quantities"], found["quantities"], strict=True):
        assert [of_study[name] for name in columns] == [of_ours[name] for name in columns]
    monkeypatch.setattr(wagner, "KEPT", tmp_path / "kept.json")
    files = {name: file_hash(folder / name) for name in kept["files"]}
    wagner.KEPT.write_text(json.dumps({"files": files}))
    wagner.main(folder)
    assert json.loads(wagner.KEPT.read_text()) == found


def test_the_study_s_own_files_agree_with_what_it_prints():
    """The kept part: the claims name it, and the run without IPsec falls at its place."""
    for claim in load_published("wagner").claims:
        assert set(claim.recomputed) <= set(KEPT), claim.id
    assert KEPT["none.change_second"]["recomputed"] == KEPT["none.change_second"]["published"]
    assert KEPT["none-after.throughput_mean"]["recomputed"] == pytest.approx(23.03, abs=0.005)
