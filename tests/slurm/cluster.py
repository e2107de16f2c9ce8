"""A cluster of two nodes on this machine: Slurm as Debian has it, without systemd, with ports and
folders of its own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scancel", "scontrol")
PLUGIN = "snakemake_executor_plugin_slurm"
NODES = ("n1", "n2")
PROCESSORS = 2
"""of each node"""
CONFIGURATION = Path(__file__).with_name("slurm.conf").read_text()


def why_not() -> str | None:
    """The reason why there can be no cluster here; None if there can."""
    missing = [name for name in PROGRAMS if not shutil.which(name, path=_path())]
    if missing:
        return f"{', '.join(missing)}: no such program; apt-get install slurm-wlm munge"
    if find_spec(PLUGIN) is None:
        return "Snakemake's executor for Slurm is not installed; run tests/slurm/run"
    return None


def wait_until(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.2)


class Cluster:
    """A controller and two nodes, as a context manager. Their processes end with them."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = os.environ | {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder / 'bin'}:{_path()}",
        }
        self._running: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> "Cluster":
        for name in ("state", "bin", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        self._write()
        try:
            self._start_munge()
            self.start_controller()
            for node in NODES:
                self._start(node, "slurmd", "-D", "-N", node)
            wait_until(lambda: self.states() == dict.fromkeys(NODES, "idle"), "idle nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if "controller" in self._running:
            user = self.say("id", "-un").strip()
            self._ask("scancel", "--user", user)
            wait_until(lambda: not self._ask("squeue", "--noheader"), "the end of all jobs")
        self._stop(*NODES, "controller", "munge")

    def say(self, *command: str) -> str:
        """Output of a Slurm command."""
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout

    def states(self) -> dict[str, str]:
        """Node -> its state."""
        lines = self.say("sinfo", "--noheader", "--Node", "--format=%N %t").splitlines()
        return dict(line.split() for line in lines)

    def jobs(self) -> dict[str, tuple[str, str]]:
        """Running job -> its node, and its comment, in which Snakemake has rule and wildcards."""
        listed = self.say("squeue", "--noheader", "--states=RUNNING", "--format=%i|%N|%k")
        lines = (line.split("|") for line in listed.splitlines())
        return {job: (node, text) for job, node, text in lines}

    def start_controller(self) -> None:
        self._start("controller", "slurmctld", "-D")
        ready = ("scontrol", "ping")
        wait_until(lambda: "is UP" in self._ask(*ready), "the controller")

    def kill_controller(self) -> None:
        process = self._running.pop("controller")
        process.kill()
        process.wait()

    def logs(self) -> str:
        """The ends of the logs, for a test that fails."""
        paths = sorted(self.folder.glob("*.log"))
        return "\n".join(f"== {path.name}\n{path.read_text()[-3000:]}" for path in paths)

    def _ask(self, *command: str) -> str:
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout

    def _write(self) -> None:
        ports = _free_ports(1 + len(NODES))
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 // len(NODES)
        host = socket.gethostname()
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
            f"CPUs={PROCESSORS} RealMemory={memory} State=UNKNOWN"
            for node, port in zip(NODES, ports[1:], strict=True)
        )
        user = self.say("id", "-un").strip()
        text = CONFIGURATION.format(
            folder=self.folder, host=host, user=user, nodes=nodes, controller_port=ports[0]
        )
        (self.folder / "slurm.conf").write_text(text)
        # Within a job, Snakemake's executor drops SLURM_CONF before it calls srun.
        wrapper = self.folder / "bin/srun"
        real = shutil.which("srun", path=_path())
        wrapper.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {real} "$@"\n')
        wrapper.chmod(0o755)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        options = [
            f"--{file}-file={self.folder}/munge.{file}" for file in ("key", "pid", "log", "seed")
        ]
        options += ["--foreground", "--force", f"--socket={self.folder}/munge.socket"]
        self._start("munge", "munged", *options)
        wait_until((self.folder / "munge.socket").exists, "munge")

    def _start(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.out.log").open("a") as said:
            self._running[name] = subprocess.Popen(
                command, env=self.environment, stdout=said, stderr=said
            )

    def _stop(self, *names: str) -> None:
        for name in names:
            if process := self._running.pop(name, None):
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
