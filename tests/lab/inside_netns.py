"""Run inside a lab's namespaces: one guest that stands for a machine, where scenarios are measured
between namespaces of its kernel, or a script of these tests is run with its arguments.

    inside_netns.py PROJECT BACKEND CPUS SCENARIO|'SCRIPT ARGUMENT...'...

The guest gets this Python, what it imports, and the project, and nothing else. Prints as JSON what
came of it; the archives are fetched into the project.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# The package imports these where they are used, which here is in the guest.
import dpkt  # noqa: F401
import fabric  # noqa: F401

import remeasure.cli  # noqa: F401
import remeasure.measure.block  # noqa: F401
from remeasure.lab import namespace
from remeasure.lab.backends import make_backend
from remeasure.lab.lab import Lab
from remeasure.testbed.remote import Remote
from remeasure.topology import load_topology

ENVIRONMENT = (
    "cd /opt/project && export PYTHONHOME=/opt/python LD_LIBRARY_PATH=/opt/python/lib "
    "PYTHONPATH=/opt/packages:workflow PYTHONDONTWRITEBYTECODE=1"
)
CAMPAIGN = "namespaces"


def python(folder: Path) -> None:
    """This Python and the packages it has imported so far, to be found by ENVIRONMENT."""
    stdlib, version = Path(sysconfig.get_path("stdlib")), f"python3.{sys.version_info.minor}"
    ignore = shutil.ignore_patterns(
        "test",
        "tests",
        "idlelib",
        "site-packages",
        "dist-packages",
        "ensurepip",
        "config-*",
        "tkinter",
        "lib2to3",
    )
    shutil.copytree(stdlib, folder / "python/lib" / version, ignore=ignore)
    shutil.copy(Path(sys.executable).resolve(), folder / "python/python")
    for library in Path(sys.base_prefix, "lib").glob(f"lib{version}*.so*"):
        shutil.copy(library, folder / "python/lib")
    packages = Path(sysconfig.get_path("purelib"))
    (folder / "packages").mkdir()
    for name in {module.partition(".")[0] for module in sys.modules} - {"remeasure"}:
        if (packages / name).is_dir():
            shutil.copytree(packages / name, folder / "packages" / name, ignore=ignore)
        for file in packages.glob(f"{name}.*"):
            if file.suffix in (".py", ".so"):
                shutil.copy(file, folder / "packages")
    for metadata in packages.glob("*.dist-info"):
        shutil.copytree(metadata, folder / "packages" / metadata.name)


def send(host, *folders: Path) -> None:
    """Copy folders to /opt of a host."""
    ssh = [
        "ssh",
        "-F",
        "none",
        "-i",
        host.key,
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "LogLevel=ERROR",
        f"root@{host.address}",
    ]
    for folder in folders:
        packed = subprocess.Popen(
            ["tar", "-C", folder.parent, "--exclude=./data", "-cf", "-", folder.name],
            stdout=subprocess.PIPE,
        )
        subprocess.run([*ssh, "tar -C /opt -xf -"], stdin=packed.stdout, check=True)
        assert packed.wait() == 0


namespace.enter()
project, backend, cpus, *tasks = sys.argv[1:]
project = Path(project)
copies = namespace.RUN / "copies"
copies.mkdir()
python(copies)
shutil.copytree(project, copies / "project", ignore=shutil.ignore_patterns("data", "results"))
with Lab(load_topology("host-to-host"), make_backend(backend, 1536, int(cpus))) as lab:
    host = lab.host("left")
    machine = Remote(host)
    send(host, *(copies / name for name in ("python", "packages", "project")))
    found = {}
    for task in tasks:
        program = (
            task
            if task.startswith("tests/")
            else f"-m remeasure measure {CAMPAIGN} {task} 1 --profile smoke --testbed netns"
        )
        found[task] = machine.run(
            f"{ENVIRONMENT}; /opt/python/python {program} 2>&1; echo status $?",
            check=False,
            timeout=1500,
        )
        block = f"data/raw/{CAMPAIGN}/{task}/block-01.zip"
        if program != task and found[task].endswith("status 0\n"):
            (project / block).parent.mkdir(parents=True, exist_ok=True)
            (project / block).write_bytes(machine.read(f"/opt/project/{block}"))
    found["left behind"] = machine.run("ip -br link; pgrep -a 'charon|sshd|iperf'; ls /run")
print(json.dumps(found))
