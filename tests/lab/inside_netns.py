"""Run inside a lab's namespaces: one guest that stands for a machine, where scenarios are measured
between namespaces of its kernel, or a script of these tests is run with its arguments.

    inside_netns.py PROJECT BACKEND CPUS SCENARIO|'SCRIPT ARGUMENT...'...

The guest sees this Python and its packages in folders of this machine (hostfs), and gets a copy of
the project. Prints as JSON what came of it; the archives are fetched into the project.
"""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import Wanted

PYTHON = (
    "cd /opt/project; PYTHONHOME=/mnt/python LD_LIBRARY_PATH=/mnt/libraries "
    "PYTHONPATH=/mnt/packages:workflow PYTHONDONTWRITEBYTECODE=1 "
    f"/mnt/python/bin/{Path(sys.executable).resolve().name}"
)
CAMPAIGN = "namespaces"
FOLDERS = {"python": Path(sys.base_prefix), "packages": Path(sysconfig.get_path("purelib"))}
"""name under /mnt of the guest -> folder of this machine that it sees there (hostfs)"""


def copy_libraries(folder: Path) -> None:
    """Copy what this Python and its own modules load, but for the C library, which is the guest's:
    the image may lack what a distribution's Python needs."""
    modules = Path(sysconfig.get_path("platstdlib"), "lib-dynload").glob("*.so")
    files = [Path(sys.executable).resolve(), *modules]
    listed = subprocess.run(["ldd", *files], capture_output=True, text=True).stdout
    folder.mkdir(exist_ok=True)
    for library in set(re.findall(r"=> (/\S+)", listed)):
        if not re.match(
            r"(lib(c|m|dl|rt|pthread|util|resolv|nsl|crypt)|ld-linux.*)\.so", Path(library).name
        ):
            shutil.copy(library, folder)


namespace.enter()
project, backend, cpus, *tasks = sys.argv[1:]
project = Path(project)
FOLDERS["libraries"] = Path(f"{project}-libraries")
copy_libraries(FOLDERS["libraries"])
with Lab(load_topology("host-to-host"), make_backend(backend, 1536, Wanted(int(cpus)))) as lab:
    machine = Remote(lab.host("left"))
    for name, folder in (FOLDERS | {"project": project}).items():
        machine.run(f"mkdir /mnt/{name} && mount -t hostfs none /mnt/{name} -o hostfs={folder}")
    machine.run(
        "mkdir -p /opt/project/data && cd /mnt/project && "
        "cp -r $(ls -A | grep -vx data) /opt/project && cp -r data/published /opt/project/data"
    )
    found = {}
    for task in tasks:
        program = (
            task
            if task.startswith("tests/")
            else f"-m remeasure measure {CAMPAIGN} {task} 1 --profile smoke --testbed netns"
        )
        found[task] = machine.run(
            f"{PYTHON} {program} 2>&1; echo status $?", check=False, timeout=1500
        )
        block = f"data/raw/{CAMPAIGN}/{task}/block-01.zip"
        if program != task and found[task].endswith("status 0\n"):
            (project / block).parent.mkdir(parents=True, exist_ok=True)
            (project / block).write_bytes(machine.read(f"/opt/project/{block}"))
    found["left behind"] = machine.run("ip -br link; pgrep -a 'charon|sshd|iperf'; ls /run")
print(json.dumps(found))
