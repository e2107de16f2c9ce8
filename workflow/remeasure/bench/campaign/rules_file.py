"""config/rules-<version>.json: the commit and, file by file, the code that measures and the code
that decides. It is written on purpose before the campaign of this version begins, and the campaign
quotes its hash. A branch carries the file; a tag would have to be carried with it."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.bench.base.paths import CONFIG, ROOT
from remeasure.bench.base.worktree import require_clean
from remeasure.bench.campaign.round_plan import code_in
from remeasure.bench.campaign.staging import write_json

MEASURES = (
    "workflow/remeasure/bench/**/*.*",
    "config/profiles.yaml",
    "config/topologies/*.yaml",
    "notebooks/*/scenario.yaml",
)
DECIDES = (
    "data/published/*.yaml",
    *(f"workflow/remeasure/paper/{layer}/**/*.py" for layer in ("tidy", "analysis", "notebook")),
    "notebooks/*/*.py",
)


class RulesFile(config.Strict):
    """The content of config/rules-<version>.json."""

    commit: str
    """commit whose files these are"""
    measures: dict[str, str]
    """file -> SHA-256, of code without comments and line breaks"""
    decides: dict[str, str]


def rules_path(version: str) -> Path:
    return CONFIG / f"rules-{version}.json"


def write_rules(version: str, commit: str) -> Path:
    """Write the file of a version for the present code. Raises UserError unless it is `commit`."""
    path = rules_path(version)
    require_clean(commit, f"{path.name}: a register")
    write_json(path, RulesFile(commit=commit, **_present()).model_dump())
    return path


def changed_rules(path: Path) -> list[str]:
    """Files that are not as a file of rules has them. Raises UserError if it cannot be read."""
    document = config.load(RulesFile, path)
    then = document.measures | document.decides
    now = {name: found for part in _present().values() for name, found in part.items()}
    return sorted(name for name in then.keys() | now.keys() if then.get(name) != now.get(name))


def rules_of_version(campaign: str) -> dict[str, str]:
    """Name, commit and SHA-256 of the file for the version in which a campaign's name ends
    (lab-1.0, lab-1.0-b): a campaign quotes them when it begins. Nothing without such a file. Raises
    UserError if other code is here."""
    version = re.fullmatch(r".*?-([0-9][0-9.]*)(?:-[b-z])?", campaign)
    if not version or not (path := rules_path(version[1])).exists():
        return {}
    if changed := changed_rules(path):
        raise UserError(
            f"{path}: {changed[0]} is not as registered; restore it, or register the present code "
            f"on purpose: remeasure register --write {version[1]}"
        )
    commit = config.load(RulesFile, path).commit
    return {"file": path.name, "commit": commit, "sha256": file_hash(path)}


def _present() -> dict[str, dict[str, str]]:
    return {"measures": dict(_hashes(MEASURES)), "decides": dict(_hashes(DECIDES))}


def _hashes(patterns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    every = (path for pattern in patterns for path in ROOT.glob(pattern))
    for path in sorted(path for path in every if path.suffix != ".pyc"):
        yield path.relative_to(ROOT).as_posix(), hashlib.sha256(code_in(path).encode()).hexdigest()
