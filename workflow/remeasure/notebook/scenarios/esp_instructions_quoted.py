"""What paper and site quote of scenario esp-instructions."""

from typing import Any

from remeasure.analysis.models.suite_cost import REFERENCE
from remeasure.analysis.texts import estimate_text as text
from remeasure.notebook.scenarios.esp_instructions import COST, RATE, EspInstructions

_ENDINGS = {"none": "None", "aes": "Aes", "all": "All"}
"""level of factor instructions -> the end of a number's name"""
_SUITES = {
    "Gcm": REFERENCE,
    "Chacha": "chacha20poly1305",
    "CbcSha": "aes128-sha256",
    "TripleDes": "3des-sha1",
}
"""the begin of a number's name -> its suite"""


def quote(of: EspInstructions) -> None:
    """Hand over rates and costs by level, what instructions gain, and the two controls."""
    notebook, results = of.notebook, of.notebook.results
    notebook.facts("Machine", "Kernel")
    for level, ending in _ENDINGS.items():
        at: dict[str, Any] = {"where": {"instructions": level}}
        for name, suite in (("Plain", "none"), *_SUITES.items()):
            paper = name in ("Gcm", "Chacha")
            notebook.quote(f"{name}Rate{ending}", of={"suite": suite}, paper=paper, **RATE, **at)
        for name, suite in _SUITES.items():
            if suite != REFERENCE:
                results.words(f"{name}{ending}", text(of.over(suite, level)))
        results.words(
            f"Best{ending}",
            of.named(level),
            "suites of RFC 8221 of which none was shown to cost less, in ESP of the kernel",
        )
        over: dict[str, Any] = {
            "quantity": "ratio",
            "of": {"suite": REFERENCE},
            "to": {"suite": "none"},
        }
        notebook.quote(f"GcmOverPlain{ending}", **COST, **over, **at)
    faster: dict[str, Any] = {
        "quantity": "ratio",
        "of": {"instructions": "all"},
        "to": {"instructions": "none"},
        "where": {"suite": REFERENCE},
    }
    notebook.quote("GcmSpeedUp", **RATE, **faster)
    for name, suite in (
        ("Plain", "none"),
        ("TripleDes", "3des-sha1"),
        ("Chacha", "chacha20poly1305"),
    ):
        results.words(f"{name}Gain", text(of.gain(suite)))
