"""What paper and site quote of scenario esp-instructions."""

from typing import Any

from remeasure.analysis.models.suite_cost import REFERENCE
from remeasure.analysis.texts import estimate_text as text
from remeasure.notebook.scenarios.esp_instructions import COST, RATE, EspInstructions

_ENDINGS = {"none": "None", "aes": "Aes", "all": "All"}
"""level of factor instructions -> the end of a number's name"""
_OF_REFERENCE: dict[str, Any] = {"of": {"suite": REFERENCE}}
_BEST = "suites of RFC 8221 of which none was shown to cost less, in ESP of the kernel"


def quote(of: EspInstructions) -> None:
    """Hand over what suites cost by level, what instructions gain, and what two controls gain."""
    notebook, results = of.notebook, of.notebook.results
    notebook.facts("Kernel", paper=False)
    notebook.facts("Machine", "Blocks")
    for level, ending in _ENDINGS.items():
        results.words(f"Best{ending}", of.named(level), _BEST, paper=False)
        results.words(f"Chacha{ending}", text(of.over("chacha20poly1305", level)))
    for level in ("none", "all"):
        at: dict[str, Any] = {"where": {"instructions": level}}
        notebook.quote(f"GcmRate{_ENDINGS[level]}", **_OF_REFERENCE, **RATE, **at)
        over_plain = {**_OF_REFERENCE, "quantity": "ratio", "to": {"suite": "none"}}
        notebook.quote(f"GcmOverPlain{_ENDINGS[level]}", **over_plain, **COST, **at)
    for name, suite, level in (
        ("CbcShaAll", "aes128-sha256", "all"),
        ("TripleDesAll", "3des-sha1", "all"),
        ("TripleDesNone", "3des-sha1", "none"),
    ):
        results.words(name, text(of.over(suite, level)), paper=False)
    for name, suite in (("Plain", "none"), ("TripleDes", "3des-sha1")):
        results.words(f"{name}Gain", text(of.gain(suite)))
    faster: dict[str, Any] = {
        "quantity": "ratio",
        "of": {"instructions": "all"},
        "to": {"instructions": "none"},
        "where": {"suite": REFERENCE},
    }
    notebook.quote("GcmSpeedUp", **RATE, **faster)
