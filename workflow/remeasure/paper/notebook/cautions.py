"""The warnings printed with every ranking, so that nobody takes it for advice. Each text is written
only here. Notebooks show it. The paper and the site's guide may print the macro \\caution<Name>."""

import re

from remeasure.paper.notebook.as_latex import escape

CAUTIONS = {
    "Brief": (
        "Most rankings of ciphers here are of generic C code, without AES instructions. Some of "
        "the ranked ciphers must not be deployed."
    ),
    "Code": (
        "The order of suites comes from the kernel's generic C code. Debian builds User Mode Linux "
        "without the code for AES instructions, even where the processor has them, and without "
        "other drivers for ciphers. With the instructions of a current x86 AES-GCM is ahead "
        "(scenario esp-instructions). This order does not say which cipher is fastest on other "
        "hardware."
    ),
    "Suites": (
        "Security comes first: DES, 3DES and MD5 must not be deployed, whatever their rate. For "
        "ESP and AH, RFC 8221 lists DES and HMAC-MD5 as MUST NOT and 3DES as SHOULD NOT. It phases "
        "out HMAC-SHA-1, and lists AES-GCM as MUST. For IKEv2, RFC 8247 lists DES and MD5 as MUST "
        "NOT. A 56-bit DES key can be searched. DES and 3DES have blocks of 64 bits, which collide "
        "after tens of gigabytes under one key. AH gives no confidentiality, and RFC 4301 makes it "
        "optional (section 3.2)."
    ),
    "EapMd": (
        "Security comes first: no delay is a reason to deploy EAP-MD5. It authenticates only the "
        "client, derives no key, and lets anyone who sees challenge and response try passwords "
        "offline (RFC 3748, section 5.4). RFC 7296, section 2.16, advises against methods that "
        "derive no key: an attacker who makes the client answer outside a server's tunnel can pass "
        "the answer on."
    ),
}
"""name -> text; an RFC is written as 'RFC 8221'"""
_RFC, _CITED = re.compile(r"RFC (\d+)"), r"RFC~\1~\\cite{rfc\1}"


def as_macros(paper: str) -> str:
    """The \\newcommand lines of the cautions in `paper`; an RFC is cited by the key rfc<number>."""
    return "".join(
        rf"\newcommand{{\caution{name}}}{{{_RFC.sub(_CITED, escape(text))}}}" + "\n"
        for name, text in CAUTIONS.items()
        if rf"\caution{name}" in paper
    )
