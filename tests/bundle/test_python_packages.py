"""Python packages of a bundle: each version of Python finds its own, and what is the same is there
once."""

from pathlib import Path

from remeasure.bench.bundle.python_packages import TESTED, _share, folders, imported, versions


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_the_same_is_there_once(tmp_path):
    """A package that differs in one file is whole in both folders: Python looks for modules of a
    package in one folder alone."""
    write(tmp_path / "old", {"same/a.py": "1", "one.py": "", "other/a.py": "", "other/b.py": "1"})
    write(tmp_path / "new", {"same/a.py": "1", "one.py": "", "other/a.py": "", "other/b.py": "2"})
    write(tmp_path / "new", {"more.py": ""})
    _share([tmp_path / "old", tmp_path / "new"], tmp_path / "shared")
    assert files(tmp_path / "shared") == {"same/a.py", "one.py"}
    assert files(tmp_path / "old") == {"other/a.py", "other/b.py"}
    assert files(tmp_path / "new") == {"other/a.py", "other/b.py", "more.py"}


def test_a_file_that_one_version_lacks_is_not_shared(tmp_path):
    write(tmp_path / "old", {"some/a.py": "", "gone.py": ""})
    write(tmp_path / "new", {"some/a.py": "", "some/b.py": ""})
    _share([tmp_path / "old", tmp_path / "new"], tmp_path / "shared")
    assert files(tmp_path / "shared") == set()


def test_the_version_that_proves_a_bundle_is_among_its_versions(monkeypatch):
    assert set(versions()) >= {*TESTED}
    monkeypatch.setattr("sys.version_info", type("", (), {"major": 3, "minor": 99}))
    assert versions() == (*TESTED, "3.99")


def test_versions_have_folders_as_the_beginning_names_them():
    own, shared = folders(Path("bundle"), "3.12")
    assert (own.name, shared.name) == ("python-3.12", "python")


def test_what_only_the_analysis_imports_is_left_out():
    names = imported()
    assert {"cryptography", "fabric", "pydantic", "zstandard"} <= names
    assert not {"pandas", "numpy", "scipy", "altair", "snakemake"} & names
