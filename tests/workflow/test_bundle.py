"""A release of a build: its contents, and their metadata."""

import hashlib
import json
import zipfile

import pandas as pd
import pytest

from remeasure.paper.analysis.verdicts.ledger import read_ledger, with_tests
from remeasure.paper.notebook.ledger_tables import claims_table, ledger_of
from remeasure.paper.publication import load_publication
from remeasure.paper.publish.dataset.tidy_tables import package_of

pytestmark = pytest.mark.slow
RELEASE = f"results/release/ipsec-remeasured-{load_publication().version}.zip"


def test_a_release_holds_everything_and_tables_as_csv_have_types(built_copy):
    campaigns = sorted(p.parent.name for p in built_copy.folder.glob("data/raw/*/manifest.json"))
    status, output = built_copy.run("remeasure", "pack-release", RELEASE, *campaigns, "--draft")
    assert status == 0, output
    release = zipfile.ZipFile(built_copy.folder / RELEASE)
    top = release.namelist()[0].partition("/")[0]
    held = {name.partition("/")[2] for name in release.namelist()}
    assert {"README.md", "paper.pdf", "site/index.html", "notebooks/psk_rsa.html"} <= held
    assert "data/raw/lab-2026-11-22/psk-rsa/block-01.zip" in held
    tidy = [p for p in held if p.startswith("data/tidy/") and p.endswith(".parquet")]
    parquet = {p[len("data/tidy/") : -8] for p in tidy}
    csv = {p[len("data/csv/") : -4] for p in held if p.startswith("data/csv/") and p[-4:] == ".csv"}
    assert parquet == csv and {"psk-rsa/observations", "estimates", "levels", "claims"} <= csv
    package = json.loads(release.read(f"{top}/data/csv/datapackage.json"))
    assert {f"data/csv/{one['path']}" for one in package["resources"]} <= held
    for one in package["resources"][:3]:
        data = release.read(f"{top}/data/csv/{one['path']}")
        assert one["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        names = [field["name"] for field in one["schema"]["fields"]]
        assert data.split(b"\n")[0].decode().split(",") == names
    # Without --draft, blanks of CITATION.cff are one line and no file.
    out = "results/release/other.zip"
    status, output = built_copy.run("remeasure", "pack-release", out, "lab-2026-11-22")
    assert status == 1 and output.count("\n") == 1
    assert "CITATION.cff: repository-code, url, doi: not there" in output
    assert not list((built_copy.folder / "results/release").glob("other*"))


def test_the_ledger_comes_back_from_its_table(built_project):
    handed = sorted((built_project.folder / "results/handed").iterdir())
    ledger = read_ledger(handed)
    again = ledger_of(pd.read_parquet(built_project.folder / "results/dataset/claims.parquet"))
    without = [with_tests(entry, lambda test: test | {"origin": None}) for entry in ledger]
    read = [with_tests(entry, lambda test: test | {"origin": None}) for entry in again]
    assert read == json.loads(json.dumps(without))
    assert claims_table(again)["id"].nunique() == len(ledger)


def test_tables_in_the_repository_are_those_that_are_built(built_project):
    folder = built_project.folder
    for part in ("tidy", "dataset"):
        for path in sorted((folder / "results" / part).rglob("*.parquet")):
            kept = folder / "data/tidy" / path.relative_to(folder / "results" / part)
            assert kept.read_bytes() == path.read_bytes(), "run: env/run remeasure tables"
    tidy = folder / "data/tidy"
    assert (tidy / "datapackage.json").read_text() == package_of(tidy), "run: remeasure tables"
