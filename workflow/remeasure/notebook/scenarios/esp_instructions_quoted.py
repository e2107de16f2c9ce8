"""What paper and site quote of scenario esp-instructions."""

from typing import Any

from remeasure.analysis.models.suite_cost import REFERENCE
from remeasure.analysis.texts import estimate_text as text
from remeasure.notebook.scenarios.esp_instructions import COST, EspInstructions

_ENDINGS = {"none": "None", "aes": "Aes", "all": "All"}
"""level of factor instructions -> the end of a number's name"""
_RATES = {"Gcm": REFERENCE, "Chacha": "chacha20poly1305", "TripleDes": "3des-sha1"}
"""beginning of a rate's name -> its suite"""
_BEST = "suites of RFC 8221 of which none was shown to cost less, in ESP of the kernel"


def quote(of: EspInstructions) -> None:
    """Hand over the rates of suites by level, what suites cost, and what a control gains."""
    notebook, results = of.notebook, of.notebook.results
    notebook.facts("Kernel", paper=False)
    notebook.facts("Machine", "Blocks")
    for level, ending in _ENDINGS.items():
        results.words(f"Best{ending}", of.named(level), _BEST, paper=False)
        results.words(f"Chacha{ending}", text(of.over("chacha20poly1305", level)))
        for name, suite in _RATES.items():
            results.words(f"{name}Rate{ending}", text(of.rate(suite, level)))
    for level in ("none", "all"):
        at: dict[str, Any] = {"where": {"instructions": level}, "of": {"suite": REFERENCE}}
        over_plain = {"quantity": "ratio", "to": {"suite": "none"}, **COST, **at}
        notebook.quote(f"GcmOverPlain{_ENDINGS[level]}", **over_plain)
    results.words("TripleDesAll", text(of.over("3des-sha1", "all")))
    results.words("PlainGain", text(of.gain("none")))
