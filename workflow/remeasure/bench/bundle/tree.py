"""The files of a bundle, as they lie once unpacked: code, Python packages, and a cache like the one
that a clone uses."""

import json
import os
import shutil
from pathlib import Path

import yaml

from remeasure.bench.base.paths import CACHE, ROOT, STAMP
from remeasure.bench.bundle.bundle_needs import TESTBED, Wanted
from remeasure.bench.bundle.python_packages import bring_packages
from remeasure.bench.bundle.trimmed_image import trim, with_relative_loader
from remeasure.bench.lab.image import get_image, get_kernel
from remeasure.bench.lab.seal import seal
from remeasure.bench.lab.testbeds import document_of
from remeasure.bench.measure.software import software_commit
from remeasure.bench.testbed.programs import get_program

CODE, CACHES = "code", "cache"
"""folders of a bundle beside the folders of Python packages"""
_COPIED = ("workflow/remeasure", "config", "env", "data/published")
"""folders of this repository that measuring reads"""
_PROGRAMS = ("cipher-cost", "flow")
"""programs of our own that probes bring to hosts (env/)"""
_MOMENT = 946_684_800
"""time of change of every file: bundles of the same files are the same [s since 1970]"""


def write_tree(wanted: Wanted, folder: Path) -> None:
    """Write all files of a bundle into `folder`; kernels and programs that are missing are built.
    Raises UserError."""
    cache = folder / CACHES / CACHE.name
    image = get_image()
    trim(image, wanted, cache / image.folder.name)
    for name in sorted(wanted.kernels):
        kernel = get_kernel(name)
        shutil.copytree(kernel, cache / kernel.name, ignore=_only_once)
        with_relative_loader(kernel / "linux", cache / kernel.name / "linux")
    for program in _PROGRAMS:
        shutil.copy2(get_program(program), cache)
    _write_code(wanted, folder)
    _same_times(folder)
    for built in filter(Path.is_dir, cache.iterdir()):
        seal(built)
    _same_times(folder)


def _write_code(wanted: Wanted, folder: Path) -> None:
    code = folder / CODE
    for name in _COPIED:
        shutil.copytree(ROOT / name, code / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(code / "config" / "testbeds")
    testbed = code / "config" / "testbeds" / f"{TESTBED}.yaml"
    testbed.parent.mkdir()
    document = document_of(wanted.testbed) | {"backend": wanted.testbed.backend}
    document.pop("name", None)
    testbed.write_text(yaml.safe_dump(document))
    stamp = {
        "software": software_commit(),
        "scenarios": list(wanted.scenarios),
        "packages": bring_packages(folder),
    }
    (code / STAMP.name).write_text(json.dumps(stamp, indent=1) + "\n")


def _only_once(_: str, names: list[str]) -> set[str]:
    """Files of a kernel's folder that are written anew."""
    return {"linux", "seal.json"} & {*names}


def _same_times(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (_MOMENT, _MOMENT), follow_symlinks=False)
