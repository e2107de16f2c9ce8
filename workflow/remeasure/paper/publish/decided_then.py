"""Does the code that decides still decide as before the data? Verdicts of a campaign by the commit
at which it began, and by the present one.

Bounds do not decide by themselves: verdicts also follow from the choice of hosts, clocks and means
in tables and notebooks. A hash of all this code would change with any comment. Therefore both
versions judge the same blocks, and their verdicts are compared.
"""

import json
import os
import shutil
from collections.abc import Iterable

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.base.worktree import checked_out, is_commit, run, software_commit
from remeasure.bench.campaign.folder import campaign_folder, frozen_path, read_frozen
from remeasure.bench.campaign.release import manifest_path

_COMPARED = ("verdict", "size")
"""fields of an entry of claims.json"""


def compare_verdicts(campaign: str) -> str:
    """Judge the campaign by both commits. Returns a line that says whether verdicts differ, and a
    line for each that does. Raises UserError if a commit is missing or unknown."""
    frozen, now = read_frozen(campaign), software_commit()
    if frozen is None:
        raise UserError(f"campaign {campaign!r}: not begun; measure it first")
    then = frozen.software
    for where, commit in ((f"{frozen_path(campaign)}: software", then), (str(ROOT), now)):
        if not is_commit(commit):
            raise UserError(
                f"{where}: found {commit}, expected a commit without changes, in a clone"
            )
    if not manifest_path(campaign).exists():
        # A commit would measure the blocks that an unfinished campaign lacks.
        raise UserError(
            f"campaign {campaign!r}: not released; seal it: remeasure release {campaign}"
        )
    judged = [
        name
        for name in frozen.scenarios
        if frozen.registered.get(name)
        and any(campaign_folder(campaign).glob(f"{name}/block-*.zip"))
    ]
    if not judged:
        raise UserError(f"campaign {campaign!r}: no block of a scenario whose claims it registered")
    before = _verdicts(then, campaign, judged)
    after = before if then == now else _verdicts(now, campaign, judged)
    differing = [
        f"{claim}: then {before.get(claim, 'not asked')}; now {after.get(claim, 'not asked')}"
        for claim in dict.fromkeys([*before, *after])
        if before.get(claim) != after.get(claim)
    ]
    found = f"{len(differing)} differ" if differing else "none differs"
    head = (
        f"{campaign}: {len(before)} verdicts by {then[:12]}, at which it began, and by {now[:12]}"
    )
    return "\n".join([f"{head}: {found}", *differing])


def _verdicts(commit: str, campaign: str, scenarios: Iterable[str]) -> dict[str, str]:
    """Claim -> its verdict and size by the code of a commit, from the campaign's present blocks."""
    notebooks = [Name(scenario).notebook for scenario in scenarios]
    with checked_out(commit, "register") as folder:
        blocks = folder / "data" / "raw" / campaign
        shutil.rmtree(blocks, ignore_errors=True)
        shutil.copytree(campaign_folder(campaign), blocks, ignore=shutil.ignore_patterns(".lock"))
        shutil.copy(RAW.parent / "manifests.sha256", folder / "data")
        files = [*folder.glob("notebooks/*/scenario.yaml"), *folder.glob("config/scenarios/*.yaml")]
        known = {
            Name.of_notebook(one.parent.name).scenario if one.stem == "scenario" else one.stem
            for one in files
        }
        without = ",".join(sorted(known - {*scenarios}))
        options = [f"campaign={campaign}", *([f"without={without}"] if without else [])]
        # Older code builds all campaigns into one folder.
        here = "def results" in (folder / "workflow/remeasure/bench/campaign/build.py").read_text()
        own = f"{campaign}/" if here else ""
        handed = [f"results/{own}handed/{notebook}" for notebook in notebooks]
        cores = str(os.cpu_count() or 1)
        command = [str(folder / "env/run"), "snakemake", "--cores", cores, *handed]
        directory = ["--directory", str(folder), "--snakefile", str(folder / "Snakefile")]
        run([*command, *directory, "--config", *options], "see above")
        files = [file for one in handed if (file := folder / one / "claims.json").exists()]
        entries = [entry for file in files for entry in json.loads(file.read_text())]
    return {entry["id"]: "; ".join(str(entry[key]) for key in _COMPARED) for entry in entries}
