"""Quantities of Wagner 2025 from raw files: on runs whose answers are known, and its claims."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import load_published
from remeasure.paper.studies.wagner.raw_run import change_point, lag_1, read_run
from remeasure.paper.studies.wagner.recomputed import as_text, printed, recompute
from remeasure.paper.studies.wagner.run_quantities import quantities

START = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
SENDER, RECEIVER = [20.0] * 8, [100.0] + [10.0] * 7


def write_run(
    folder: Path,
    name: str,
    totals: list[int],
    shares=(1,) * 8,
    sender=SENDER,
    receiver=RECEIVER,
    bits: int = 8,
) -> None:
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
    write_run(
        tmp_path,
        "pcpu",
        [2400, 2600] * 20,
        shares=(4, 4, 4, 1, 1, 1, 1, 1),
        sender=[60.0] * 8,
        receiver=[100.0, 90.0] + [10.0] * 6,
    )
    return tmp_path


def by_name(found: dict) -> dict[str, dict]:
    return {row["quantity"]: row for row in found["quantities"]}


def test_a_step_is_a_change_that_explains_all():
    found = change_point(np.array([4.0] * 30 + [1.0] * 20))
    assert (found.second, found.ratio, found.explained) == (30, 0.25, pytest.approx(1))


def test_noise_has_a_best_split_that_explains_little():
    assert change_point(np.random.default_rng(1).normal(10, 1, 500)).explained < 0.05


def test_neighbours_that_alternate_and_neighbours_that_are_alike():
    assert lag_1(np.array([1.0, 3.0] * 50)) == pytest.approx(-0.99)
    assert lag_1(np.repeat([1.0, 3.0], 50)) == pytest.approx(97 / 100)


def test_a_run_is_read_whole_and_without_what_was_idle_around_it(folder):
    run = read_run(folder, "pcpu")
    assert run.totals == pytest.approx([2.4, 2.6] * 20)
    assert run.whole == pytest.approx(2.5) and run.not_bits == 0
    assert run.flows == pytest.approx([2.5 * 4 / 17] * 3 + [2.5 / 17] * 5)
    assert run.moments["sender"].tolist() == list(range(2, 39, 2))
    assert run.busy["sender"].min() == 60, "no reading of before or after"
    half = run.between(10, 20)
    assert len(half.totals) == 10 and half.moments["receiver"].tolist() == [10, 12, 14, 16, 18]


def test_rates_that_are_bytes_are_told_from_bits(tmp_path):
    write_run(tmp_path, "esp", [900, 1100] * 20, bits=1)
    assert read_run(tmp_path, "esp").not_bits == 41 * 9


def test_quantities_of_known_runs(folder):
    found = by_name(recompute(folder))
    for quantity, published, expected in (
        ("single.throughput_mean", 0.83, 1.0),
        ("single.throughput_last", None, 1.1),
        ("single.throughput_cv", None, 100 * 0.1 * (40 / 39) ** 0.5),
        ("single.sender_busy_mean", 18.8, 12.5),
        ("single.receiver_busy_max", 18.8, 21.25),
        ("single.receiver_less_sender", -2.5, 8.75),
        ("single.hosts_busy", 17.6, 16.875),
        ("single.sender_core_means", None, [100] + [0] * 7),
        ("single.cores_per_gbit", None, 8 * 0.16875),
        ("per-cpu.flow_max_over_min", None, 4),
        ("per-cpu.flow_jain", None, 17**2 / (8 * (3 * 16 + 5))),
        ("per-cpu.receiver_saturated_cores", None, 2),
        ("per-cpu.sender_saturated_cores", None, 0),
        ("per-cpu.throughput_per_saturated_receive_core", None, 2.5 / 1.9),
        ("speed_up", 3, 2.5),
        ("speed_up_printed", None, 2.47 / 0.83),
        ("serial_share", None, (8 / 2.5 - 1) / 7),
        ("hosts_busy.per-cpu_less_single", 54.6, 45.625 - 16.875),
        ("hosts_busy.per-cpu_less_single_printed", None, 35.7),
    ):
        assert found[quantity]["published"] == published, quantity
        assert found[quantity]["recomputed"] == pytest.approx(expected, rel=1e-5), quantity
    assert "printed as GB/s" in found["single.throughput_mean"]["note"]


def test_each_file_has_its_hash(folder):
    found = recompute(folder)["files"]["esp.csv"]
    assert found == hashlib.sha256((folder / "esp.csv").read_bytes()).hexdigest()


def test_a_run_with_a_fall_is_taken_apart_at_it(folder):
    rows = by_name(recompute(folder))
    assert rows["none.change_second"]["recomputed"] == 31
    assert (rows["none.drop_from"]["recomputed"], rows["none.drop_to"]["recomputed"]) == (41, 22)
    assert rows["none-before.throughput_mean"]["recomputed"] == 40
    assert rows["none-before.seconds"]["recomputed"] == 30
    assert rows["none-after.throughput_min"]["recomputed"] == 22
    assert rows["throughput.none-before_over_single"]["recomputed"] == 40


def test_a_quantity_that_is_not_defined_is_empty(folder):
    write_run(folder, "esp", [1000] * 40, receiver=[10.0] * 8)
    rows = by_name(recompute(folder))
    assert rows["single.receiver_saturated_cores"]["recomputed"] == 0
    for quantity in ("single.throughput_per_saturated_receive_core", "single.lag_1"):
        assert rows[quantity]["recomputed"] is None, quantity


def cut(path: Path, lines: int, within: bool = False) -> None:
    kept = path.read_text().splitlines(keepends=True)[:lines]
    path.write_text("".join(kept).rstrip("\n")[:-3] if within else "".join(kept))


def corrupt(path: Path, line: int, old: str, new: str) -> None:
    lines = path.read_text().splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    path.write_text("".join(lines))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: cut(f / "esp.csv", 12, within=True), r"esp\.csv:12: found .*is the file cut"),
        (
            lambda f: cut(f / "esp.csv", 12),
            r"esp\.csv:12: found 'no row of a whole run', expected one",
        ),
        (lambda f: corrupt(f / "pcpu.csv", 5, "5001", "port"), r"pcpu\.csv:5: found .*iperf -yC"),
        (
            lambda f: corrupt(f / "pcpu.csv", 5, ",5,", ",4,"),
            r"pcpu\.csv:\d+: found '7 streams at 0 s",
        ),
        (
            lambda f: cut(f / "esp_send_cpu.csv", 9),
            r"esp_send_cpu\.csv:9: found '\d readings during",
        ),
        (lambda f: cut(f / "esp_send_cpu.csv", 1), r"esp_send_cpu\.csv:1: found 'no reading'"),
        (
            lambda f: corrupt(f / "pcpu_recv_cpu.csv", 7, ",90.00", ""),
            r"pcpu_recv_cpu\.csv:7: found",
        ),
        (
            lambda f: corrupt(f / "pcpu_recv_cpu.csv", 7, "90.00", "900.00"),
            r"recv_cpu\.csv:7: found",
        ),
        (
            lambda f: corrupt(f / "pcpu_recv_cpu.csv", 7, "20250102", "20251302"),
            r"recv_cpu\.csv:7: found '20251302\d+', expected a time",
        ),
        (
            lambda f: corrupt(f / "pcpu_recv_cpu.csv", 1, "core_3", "core_9"),
            r"recv_cpu\.csv:1: found",
        ),
        (lambda f: (f / "pcpu.csv").unlink(), r"pcpu\.csv: No such file"),
        (lambda f: (f / "unenc_send_cpu.csv").unlink(), r"unenc_send_cpu\.csv: No such file"),
        (lambda f: write_run(f, "unenc", [9] * 5 + [3] * 35), "found a change at 5 of 40 s"),
    ],
)
def test_what_is_wrong_with_the_files_is_one_line_that_names_it(folder, damage, message):
    damage(folder)
    with pytest.raises(UserError, match=message) as error:
        recompute(folder)
    assert "\n" not in str(error.value)


def test_a_missing_folder_says_what_belongs_there(tmp_path):
    with pytest.raises(UserError, match=r"nowhere: no such folder; expected .* pcpu_recv_cpu\.csv"):
        recompute(tmp_path / "nowhere")


def test_the_text_has_a_line_a_quantity_of_six_digits(folder):
    found = recompute(folder)
    text = as_text(found)
    assert json.loads(text) == found
    assert text == as_text(recompute(folder))
    assert sum(line.startswith('  {"quantity": ') for line in text.splitlines()) == len(
        found["quantities"]
    )
    assert by_name(found)["speed_up_printed"]["recomputed"] == 2.9759


def test_every_claim_names_quantities_that_are_kept():
    study = load_published("wagner")
    kept = by_name(json.loads((ROOT / "data/published/wagner-recomputed.json").read_text()))
    for claim in study.claims:
        assert set(claim.recomputed) <= set(kept), claim.id


def test_every_run_of_the_study_is_kept(folder):
    kept = json.loads((ROOT / "data/published/wagner-recomputed.json").read_text())
    assert list(kept["files"]) == list(recompute(folder)["files"]) and len(kept["files"]) == 9
    rows = by_name(kept)
    assert rows["none.change_second"]["recomputed"] == rows["none.change_second"]["published"]
    assert rows["none-after.throughput_mean"]["recomputed"] == pytest.approx(23.03, abs=0.005)


def test_what_is_kept_is_what_the_code_makes_now(folder):
    kept = by_name(json.loads((ROOT / "data/published/wagner-recomputed.json").read_text()))
    made = by_name(recompute(folder))
    assert list(kept) == list(made) and set(printed()) <= set(made)
    assert len(made) == len(recompute(folder)["quantities"]), "no name twice"
    assert {quantity.name for quantity in quantities()} < set(made)
    for name, row in kept.items():
        assert (row["published"], row["unit"]) == (made[name]["published"], made[name]["unit"])
