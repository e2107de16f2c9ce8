#!/usr/bin/env python3
"""Let User Mode Linux build and use the kernel's own x86 code for cryptography.

    python3 patch.py SOURCE

changes Debian's kernel source in the folder SOURCE. Each place is looked for first: a source in
which one is missing, or is there another number of times, is left unchanged, and named.

User Mode Linux descends into arch/x86/crypto already, knows the flags of the host's processor, and
has a kernel_fpu_begin() that does nothing. Only Kconfig and a few names keep the code out.
docs/kernel.md explains why it may run, and how it was tried.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple


class Change(NamedTuple):
    """One place of the source, and its replacement."""

    path: str
    find: str
    """regular expression, in which ^ and $ are ends of a line"""
    put: str
    """the replacement, with groups of `find` as \\1"""
    times: int = 1
    """how often `find` must be there"""


FLAGS = Path(__file__).with_name("clearcpuid.c").read_text().partition("\n")[2]
"""the boot parameter clearcpuid, which other x86 kernels have"""

KCONFIG, MAKEFILE = "lib/crypto/Kconfig", "lib/crypto/Makefile"
HEADER = "arch/um/include/asm/fpu/api.h"
CPU = "arch/um/include/asm/processor-generic.h"
AESNI = "arch/x86/crypto/aesni-intel_glue.c"
STARTUP = "arch/um/kernel/um_arch.c"
CHANGES = (
    # The options: code of lib/crypto (AES, GHASH, SHA, ChaCha20, Poly1305, Curve25519, ...) ...
    Change(KCONFIG, r"^(\tdepends on .*)!UML\b", r"\1(!UML || X86_64)", 13),
    Change(KCONFIG, r"^(\tdefault y if )X86$", r"\1X86 || X86_64"),
    # ... and of arch/x86/crypto (CBC, CTR and GCM with AES-NI and VAES).
    Change("crypto/Kconfig", r"^if X86$", "if X86 || UML_X86"),
    # Self-tests without the rest of EXPERT.
    Change("crypto/Kconfig", r"(^config CRYPTO_SELFTESTS\n.*\n)\tdepends on EXPERT\n", r"\1"),
    # The architecture is um here, and its processor x86.
    Change(MAKEFILE, r"\$\(CONFIG_X86\)", "$(or $(CONFIG_X86),$(CONFIG_UML_X86))", 10),
    Change(MAKEFILE, r"\$\(src\)/\$\(SRCARCH\)", "$(src)/$(or $(HEADER_ARCH),$(SRCARCH))", 13),
    # The host saves vector registers when it delivers a signal, which is an interrupt here, and
    # restores them after. Only a switch of tasks must not happen in between.
    Change(HEADER, r"^(#define kernel_fpu_begin\(\)) \(void\)0$", r"\1 preempt_disable()"),
    Change(
        HEADER,
        r"^(#define kernel_fpu_end\(\)) \(void\)0$",
        "\\1 preempt_enable()\n\n/* A flag of the host says that it saves these registers too. */\n"
        "#define cpu_has_xfeatures(mask, name) true",
    ),
    Change(
        HEADER,
        r"^(#include <linux/types\.h>)$",
        "#include <linux/preempt.h>\n\\1\n#include <asm/cpufeature.h>",
    ),
    # Fields by which x86 code distinguishes two makes of processor. 0 is none of them.
    Change(CPU, r"^(\tint cache_alignment;)$", "\\1\n\tu8 x86;\n\tu32 x86_vfm;"),
    Change(CPU, r"^(struct cpuinfo_um \{)$", "#define X86_VENDOR_INTEL 0\n\n\\1"),
    # User Mode Linux has no x86_match_cpu().
    Change(
        AESNI, r"^static const struct x86_cpu_id aesni_cpu_id(.*\n)*?MODULE_DEVICE_TABLE.*\n", ""
    ),
    Change(AESNI, r"!x86_match_cpu\(aesni_cpu_id\)", "!boot_cpu_has(X86_FEATURE_AES)"),
    # Code for x86 takes powers of the GHASH key from the structure.
    Change("include/crypto/gf128hash.h", r"defined\(CONFIG_X86\)", "defined(CONFIG_X86_64)"),
    Change(
        STARTUP,
        r"^(static void __init parse_cache_line)",
        FLAGS.replace("\\", r"\\") + "\n\\1",
    ),
    Change(
        STARTUP,
        r"^(\tget_host_cpu_features\(.*\);)$",
        r"\1" + "\n\tclear_host_cpu_flags();",
    ),
    # Ticks per second become an option.
    Change(
        "arch/um/Kconfig", r"^config HZ\n\tint\n\tdefault 100\n", 'source "kernel/Kconfig.hz"\n'
    ),
)


def missing(source: Path) -> list[str]:
    """Obstacles to CHANGES: a line for each place that is not as expected."""
    found = []
    for change in CHANGES:
        file = source / change.path
        count = (
            len(re.findall(change.find, file.read_text(), re.MULTILINE)) if file.exists() else None
        )
        if count != change.times:
            seen = "no such file" if count is None else f"{count} times"
            found.append(f"{change.path}: {change.find!r}: found {seen}, expected {change.times}")
    return found


def apply(source: Path) -> None:
    """Make CHANGES in the folder `source`."""
    for change in CHANGES:
        file = source / change.path
        file.write_text(re.sub(change.find, change.put, file.read_text(), flags=re.MULTILINE))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    if faults := missing(folder):
        sys.exit("the kernel's source is not as this patch knows it:\n" + "\n".join(faults))
    apply(folder)
