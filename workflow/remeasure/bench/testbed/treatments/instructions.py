"""A cell's requirements of its hosts' processors: how many, and which instructions kernels may use
for cryptography.

A kernel with code for them asks the processor for its instructions, and takes the fastest code. The
boot parameter `clearcpuid` takes flags away, so that the same kernel computes as on a processor
without them. Programs in the guest ask the processor itself, and are not affected.

Linux may have several drivers for an algorithm, such as one in C and one for the AES instructions
of a processor, and takes the one of highest priority. /proc/crypto lists a combination, such as AES
in GCM, only once it has been used: hosts are asked after a trial.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from remeasure.bench.base.checks import Check
from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.treatments.treatment import Prover

ASK = "cat /proc/crypto 2>/dev/null"
X86 = Literal[
    "aes",
    "pclmulqdq",
    "ssse3",
    "avx",
    "avx2",
    "bmi2",
    "avx512f",
    "avx512vl",
    "avx512bw",
    "avx512dq",
    "vaes",
    "vpclmulqdq",
    "sha_ni",
]
FLAGS = (*get_args(X86), "pmull", "sha1", "sha2")
"""instructions of processors (x86, Arm) that these drivers use, by their names in /proc/cpuinfo"""
_OF_IPSEC = ("authenc(", "rfc4106(", "rfc4309(", "rfc4543(", "rfc7539esp(", "hmac(", "cbc(", "ctr(")
"""beginnings of the names under which ESP and AH ask for algorithms (net/xfrm/xfrm_algo.c)"""


def flags_in(words: str) -> str:
    """The words of FLAGS in a processor's flags in /proc/cpuinfo."""
    return " ".join(flag for flag in words.split() if flag in FLAGS)


def read_drivers(text: str) -> dict[str, str]:
    """Algorithm -> its driver of highest priority, of the algorithms that ESP and AH use, from
    /proc/crypto. Raises ValueError if a priority is not a number."""
    found: dict[str, tuple[int, str]] = {}
    for paragraph in text.split("\n\n"):
        fields = {
            name.strip(): value.strip()
            for name, _, value in (line.partition(":") for line in paragraph.splitlines())
        }
        name = fields.get("name", "")
        if name.startswith(_OF_IPSEC):
            best = (int(fields["priority"]), fields["driver"])
            found[name] = max(found.get(name, best), best)
    return {name: driver for name, (_, driver) in sorted(found.items())}


def made_of_parts(algorithm: str, driver: str) -> bool:
    """Whether the driver is only a frame for the drivers of a cipher and a hash."""
    return algorithm.startswith("authenc(") and driver.startswith("authenc(")


ALL = "all"
Flag = Literal["all", X86]
"""flags of /proc/cpuinfo by which the kernel chooses code for ciphers and hashes; all: each of
them"""
X86_FLAGS = frozenset(get_args(X86))
OF_INSTRUCTIONS = re.compile(r"aesni|vaes|avx|ssse3|pclmul|sha-?ni|-ni\b")
"""parts of names of drivers that use these instructions"""
_AES = ("cbc(aes)", "ctr(aes)", "gcm(aes)")


class Instructions(Strict):
    """The instructions of the processor that the kernels of a lab's hosts may use for
    cryptography."""

    without: tuple[Flag, ...] = ()
    """flags of the processor that kernels treat as missing; all: any; none given: they use all"""

    @property
    def none(self) -> bool:
        """True if the kernel is left without any of them."""
        return ALL in self.without

    @property
    def boot(self) -> list[str]:
        """Parameters of the kernel's command line."""
        return [f"clearcpuid={','.join(self.without)}"] if self.without else []

    def kept(self, flags: Iterable[str]) -> set[str]:
        """The flags that the kernel may use, of a processor with these `flags`."""
        return set() if self.none else (set(flags) & X86_FLAGS) - set(self.without)

    def same_as_all(self, flags: Iterable[str]) -> bool:
        """Whether a processor with these `flags` has nothing to leave out, although the cell leaves
        something out."""
        return bool(self.without) and self.kept(flags) == set(flags) & X86_FLAGS


GENERIC = Instructions(without=(ALL,))
"""instructions of guests of User Mode Linux if no cell sets any: the generic C code of Debian's
kernel, on a kernel that has other code too"""


@dataclass(frozen=True)
class Wanted:
    """A cell's requirements of its hosts."""

    cpus: int | None = None
    """processors of each host; None: the default of the lab's back end"""
    instructions: Instructions | None = None
    """instructions that kernels may use for cryptography; None: their own choice"""
    topology: str | None = None
    """network that joins them; None: the scenario's"""
    boots: bool = False
    """whether a host boots again during a trial"""


ANY = Wanted()
"""no requirements"""


def require_one(
    why_not: Callable[[Wanted], str | None], wanted: Collection[Wanted]
) -> list[Wanted]:
    """The cells that can be measured. Raises UserError with the reason against the most modest cell
    if none can."""
    if possible := [cell for cell in wanted if not why_not(cell)]:
        return possible
    modest = min(wanted, key=lambda cell: (cell.cpus or 0, cell.instructions is not None))
    raise UserError(f"no cell can be measured here: {why_not(modest)}")


def instruction_provers(
    wanted: Instructions | None, hosts: Iterable[str], machine: Iterable[str], clears: bool
) -> Iterable[Prover]:
    """Provers that the kernel of each host has its permitted flags, and computes ciphers by them.
    `machine` has the flags of the processor under the hosts. `clears`: the kernel has the boot
    parameter; another one has no code for these instructions at all, and shows flags that it does
    not use."""
    if wanted is None:
        return
    for host in hosts:
        asked = {
            f"proof.{host}.cpuinfo.txt": "grep -m 1 -E '^flags' /proc/cpuinfo || true",
            f"proof.{host}.crypto.txt": ASK,
        }
        yield Prover(host, asked, partial(check_instructions, host, wanted, set(machine), clears))


def check_instructions(
    host: str, wanted: Instructions, machine: set[str], clears: bool, cpuinfo: str, crypto: str
) -> list[Check]:
    """Compare the flags that a host's kernel shows, and the drivers of its algorithms, with the
    permitted ones. Raises ValueError if /proc/crypto cannot be read."""
    may = wanted.kept(machine)
    drivers = {
        algorithm: driver
        for algorithm, driver in read_drivers(crypto).items()
        if not made_of_parts(algorithm, driver)
    }
    checks = [_by_drivers(host, drivers, may)]
    if clears:
        has = set(cpuinfo.partition(":")[2].split()) & X86_FLAGS
        checks.append(
            Check(
                "instructions",
                f"{host}: flags of the processor that its kernel may use",
                has == may,
                _words(has),
                _words(may),
            )
        )
    return checks


def _by_drivers(host: str, drivers: dict[str, str], may: set[str]) -> Check:
    """The drivers of AES use permitted AES instructions, and no driver uses a forbidden one."""
    if "aes" in may:
        of_aes = {name: driver for name, driver in drivers.items() if any(a in name for a in _AES)}
        wrong = {n: d for n, d in of_aes.items() if not OF_INSTRUCTIONS.search(d)}
        newer = () if "vaes" in may else ("vaes", "avx512")
        wrong |= {n: d for n, d in of_aes.items() if any(word in d for word in newer)}
        expected = "drivers of AES with the instructions that it may use"
    else:
        wrong = {n: d for n, d in drivers.items() if OF_INSTRUCTIONS.search(d)}
        expected = "drivers without AES and vector instructions"
    found = "; ".join(f"{name} by {driver}" for name, driver in (wrong or drivers).items())
    return Check(
        "instructions", f"{host}: code of ciphers", not wrong, found or "none in use", expected
    )


def _words(flags: set[str]) -> str:
    return " ".join(sorted(flags)) or "none"
