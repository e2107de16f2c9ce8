"""A kind of tunnel that the project lacks is one file and one entry."""

import shutil
from pathlib import Path

import pytest

from remeasure.bench.campaign.archive import BlockArchive

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def test_a_fourth_kind_is_one_file_and_one_entry(project):
    kinds = project.folder / "workflow/remeasure/bench/ipsec/kinds"
    shutil.copy(Path(__file__).with_name("ipip.py"), kinds)
    entry = kinds / "__init__.py"
    text = entry.read_text().replace("Openvpn]", "Openvpn, Ipip]")
    entry.write_text(
        text.replace("\n_ALL", "\nfrom remeasure.bench.ipsec.kinds.ipip import Ipip\n\n_ALL")
    )
    scenario = project.folder / "notebooks/tunnel_network/scenario.yaml"
    text = scenario.read_text().replace(
        "smoke: {tunnel: [openvpn-program]", "smoke: {tunnel: [new]"
    )
    before = "    wireguard: {tunnel:"
    assert before in text
    # tcpdump describes both headers of IP in IP, which the reader of sizes does not know.
    new = "    new: {tunnel: {kind: ipip}, probes: {sizes: null}}\n"
    scenario.write_text(text.replace(before, new + before))
    status, output = project.run(
        *("remeasure", "measure", "t", "tunnel-network", "1"),
        *("--profile", "smoke", "--testbed", "virtual"),
    )
    assert status == 0, output
    archive = BlockArchive(project.folder / "data/raw/t/tunnel-network/block-01.zip")
    (trial,) = archive.trials
    assert (trial.record["verdict"], trial.record["reasons"]) == ("accepted", [])
    kinds_of_checks = {check["kind"] for check in trial.record["checks"]}
    assert {"tunnel", "clear-text", "no-ipsec", "probe-interface"} <= kinds_of_checks
