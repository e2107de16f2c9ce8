"""Another commit of a repository in its own folder, and what differs from what a block names."""

import subprocess
from types import SimpleNamespace

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.folder import block_path
from remeasure.bench.lab.image import Image
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.measure import checkout
from remeasure.bench.measure.checkout import checked_out, files_that_differ, run_in
from remeasure.bench.measure.named import Named, named_block
from remeasure.bench.measure.repeat import _repeat_at_commit

BLOCK = "virtual-2026-11", "calibration", 1


def git(folder, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", folder, *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def commits(tmp_path, monkeypatch):
    """A repository of two commits, in place of this one: the first commit."""
    root = tmp_path / "project"
    files = {
        "workflow/code.py": "1\n",
        "docs/page.md": "text\n",
        "data/raw/old/block.zip": "bytes\n",
        "env/run": '#!/bin/sh\necho "$PWD $PYTHONPATH" "$@"\n',
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "env/run").chmod(0o755)
    git(tmp_path, "init", "-q", "project")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    first = git(root, "rev-parse", "HEAD")
    (root / "docs/page.md").write_text("other text\n")
    git(root, "commit", "-q", "-a", "-m", "two")
    monkeypatch.setattr(checkout, "ROOT", root)
    monkeypatch.setattr(checkout, "_FOLDERS", tmp_path / "repeat")
    return root, first


def test_code_is_the_same_where_nothing_that_decides_differs(commits):
    root, first = commits
    assert files_that_differ(first) == [], "the page alone differs"
    (root / "workflow/code.py").write_text("2\n")
    assert files_that_differ(first) == ["workflow/code.py"]
    for unknown in ("0" * 40, "unknown", f"{first}+"):
        assert files_that_differ(unknown) is None


def test_a_commit_lies_in_a_folder_of_its_own_and_leaves_nothing(commits, monkeypatch):
    root, first = commits
    (root / "workflow/code.py").write_text("2\n")
    monkeypatch.setenv("PYTHONPATH", "/another/place")
    with checked_out(first) as folder, checked_out(first) as second:
        assert folder != second
        assert (folder / "workflow/code.py").read_text() == "1\n"
        assert not (folder / "data/raw").exists()
        assert git(folder, "status", "--porcelain") == ""
        assert run_in(folder, "a", "b c") == (0, f"{folder}  a b c\n"), "not by modules of ours"
    assert not list(checkout._FOLDERS.iterdir())
    assert len(git(root, "worktree", "list").splitlines()) == 1


def test_what_a_killed_process_left_is_removed(commits):
    _, first = commits
    left = checkout._FOLDERS / "0123-of-a-killed-process"
    (left / "deep").mkdir(parents=True)
    with checked_out(first) as folder:
        assert not left.exists() and folder.exists()


def test_a_commit_that_is_not_here_is_named(commits):
    with pytest.raises(UserError, match="git worktree: .*0000"), checked_out("0" * 40):
        pass


def test_an_image_with_other_packages_is_told_by_package(tmp_path):
    block = named_block(*BLOCK)
    packages = dict(block.image["packages"])
    (tmp_path / "image.tsv").write_text(f"recipe\t{block.image['recipe']}\nsuite\tforky\n")

    def others(**changes: str) -> list[str]:
        table = packages | {name.replace("_", "-"): version for name, version in changes.items()}
        lines = (f"{name}\t{version}\n" for name, version in table.items() if version)
        (tmp_path / "packages.tsv").write_text("".join(lines))
        return block.other_image(Image(tmp_path))

    assert others() == []
    assert others(iperf3="9.9", libc6="", zz_test="1") == [
        f"image: 3 packages differ: iperf3 was {packages['iperf3']}, is 9.9, libc6 was "
        f"{packages['libc6']}, is missing, zz-test was missing, is 1"
    ]
    assert others(**dict.fromkeys(["a", "b", "c", "d"], "1"))[0].endswith(", ...")


def test_a_testbed_with_other_settings_is_told():
    block = named_block(*BLOCK)
    testbed = load_testbed("virtual")
    assert block.other_testbed(testbed) == []
    (other,) = block.other_testbed(testbed.model_copy(update={"memory_mib": 512}))
    assert other.startswith("testbed: the campaign has {") and "'memory_mib': 512" in other


@pytest.mark.parametrize("software", ["unknown", "0" * 40, f"{'1' * 40}+"])
def test_a_block_of_no_commit_cannot_be_measured_by_it(software):
    block = Named(block_path(*BLOCK), SimpleNamespace(), software, {})
    with pytest.raises(UserError, match=rf"software: found {software[:40]}.*--with-present$"):
        _repeat_at_commit(block, "virtual")


def test_a_block_of_real_time_is_refused():
    with pytest.raises(UserError, match=r"guests.virtual_clock: found False \(back end uml\)"):
        named_block("lab-2026-11-22", "calibration", 1)


def test_a_commit_begins_with_the_environment_of_this_clone(commits):
    """Its files are linked, but for what env/run writes into."""
    root, first = commits
    for name in ("ready", "bin/remeasure", "lib/module.py"):
        (root / ".venv" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / ".venv" / name).write_text(name)
    with checked_out(first) as folder:
        links = {
            path.relative_to(folder / ".venv").as_posix(): path.stat().st_nlink
            for path in (folder / ".venv").rglob("*")
            if path.is_file()
        }
    assert links == {"ready": 1, "bin/remeasure": 1, "lib/module.py": 2}
    assert (root / ".venv/lib/module.py").read_text() == "lib/module.py"
