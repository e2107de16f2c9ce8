"""The action for workflows of other repositories, run here as there: a copy of the project without
git, two files of another folder, and the files that a runner gives."""

import re
from pathlib import Path

import pytest
import yaml
from cases import cases
from environments import bring_environment, has_environment, without_environment
from projects import ROOT, Project, copy_project

SCRIPT = "env/try-action"
BASE = cases(str(Path(__file__).with_name("test_broken_pairs.py")), "base")


def runner(folder: Path, **inputs: str) -> dict[str, str]:
    """Variables of a job whose repository has both ends."""
    for name, text in BASE.items():
        (folder / "own files" / name).mkdir(parents=True)
        (folder / "own files" / name / "swanctl.conf").write_text(text)
    files = {"GITHUB_STEP_SUMMARY": "summary", "GITHUB_OUTPUT": "output"}
    places = {"GITHUB_WORKSPACE": "own files", "RUNNER_TEMP": "."}
    for name in files.values():
        (folder / name).touch()
    found = {name: str(folder / place) for name, place in (files | places).items()}
    return found | {f"TRY_{name}": text for name, text in inputs.items()}


def acted(project: Project, variables: dict[str, str], *arguments: str) -> tuple[int, list[str]]:
    project.environment.update(variables)
    status, output = project.run(f"{project.folder}/{SCRIPT}", *arguments)
    return status, output.splitlines()


@pytest.mark.parametrize(
    ("inputs", "line"),
    [
        ({"LEFT": "gone.conf"}, "input left: gone.conf: not in the repository; expected a file"),
        ({"LEFT": "left", "RIGHT": "gone"}, "input right: gone: not in the repository; expected"),
        ({"LEFT": ""}, "input left: found nothing, expected a file"),
    ],
)
def test_inputs_that_name_no_file(tmp_path, inputs, line):
    status, lines = acted(Project(ROOT), runner(tmp_path, **inputs))
    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith(f"::error::{line}")


def test_the_key_of_the_cache_follows_the_recipes(tmp_path):
    variables = runner(tmp_path)
    folder = tmp_path / "copy"
    (folder / "env").mkdir(parents=True)
    script = folder / SCRIPT
    script.write_text((ROOT / SCRIPT).read_text())
    script.chmod(0o755)
    for text in ("one", "one", "two"):
        (folder / "env/recipe").write_text(text)
        assert acted(Project(folder), variables, "key") == (0, [])
    keys = (tmp_path / "output").read_text().splitlines()
    assert keys[0] == keys[1] != keys[2] and re.fullmatch("key=[0-9a-f]{16}", keys[0])


def test_action_script_and_example_name_the_same_inputs():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name.upper().replace("-", "_") for name in action["inputs"]}
    given = action["runs"]["steps"][-1]["env"]
    assert {f"TRY_{name}" for name in inputs} == set(given)
    assert set(re.findall(r"\$\{?(TRY_[A-Z_]+)", (ROOT / SCRIPT).read_text())) <= set(given)
    example = yaml.safe_load((ROOT / "docs/examples/try.yml").read_text())
    (step,) = (one for one in example["jobs"]["try"]["steps"] if "ipsec" in one.get("uses", ""))
    assert set(step["with"]) <= set(action["inputs"])


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.skipif(not has_environment(), reason="not run by env/run")
def test_the_summary_has_the_table(tmp_path):
    project = without_environment(copy_project(tmp_path / "action", without=("data/", "tests/")))
    bring_environment(ROOT, project.folder)
    inputs = {"LEFT": "left", "RIGHT": "right", "OPTIONS": "--rtt 80ms", "FAIL_ON": "leak"}
    status, lines = acted(project, runner(tmp_path, **inputs))
    assert status == 3, lines
    summary = (tmp_path / "summary").read_text()
    assert summary.startswith("LEAKS") and "at a round trip of 80 ms" in summary
    assert "| what happens | lost | left leaks | right leaks | then |" in summary
    assert re.search(r"^\| left: strongSwan stops for 20 s \| ", summary, re.MULTILINE)
    (json,) = re.findall("json=(.*)", (tmp_path / "output").read_text())
    assert Path(json).stat().st_size > 1000
