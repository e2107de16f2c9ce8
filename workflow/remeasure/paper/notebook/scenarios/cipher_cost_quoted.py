"""What paper and site quote of scenario cipher-cost."""

from typing import Any

from remeasure.paper.analysis.models.suite_cost import REFERENCE, were_apart
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.scenarios.cipher_cost import CipherCost
from remeasure.paper.notebook.tunnel.suite_part import suites_part

_ENDINGS = {"as-they-are": "With", "masked": "Without"}
"""level of factor instructions -> the end of a number's name"""
_SAME_HOST = (
    "Each library was measured on the same host, so a difference between them is not one between "
    "hosts."
)
_OTHER_HOSTS = (
    "Each version was measured on another kind of host, so library and host were varied together: "
    "these data cannot tell whose the difference is. The scenario now brings both libraries to "
    "each host; the next campaign will measure it."
)


def quote_apart(of: CipherCost) -> str:
    """Hand over, and return, whether library and host were varied together."""
    apart = _SAME_HOST if were_apart(of.libraries) else _OTHER_HOSTS
    says = "whether a campaign measured two versions"
    return of.notebook.results.words("Apart", apart, says)


def quote_costs(of: CipherCost) -> None:
    """Hand over what suites cost by the oldest and the newest library."""
    results = of.notebook.results
    for which, library in (("Old", of.old), ("New", of.new)):
        results.words(f"Library{which}", library.name, "what the library said of itself")
        says = "kind of host on which that library was measured"
        results.words(f"Place{which}", of.place(library), says, paper=False)
        results.words(f"Gcm{which}", text(of.cost(REFERENCE, "as-they-are", library=library)))
        results.words(f"Masking{which}", text(of.masking(REFERENCE, library)))
        for arm, ending in _ENDINGS.items():
            ratio = text(of.over("chacha20poly1305", arm, library))
            results.words(f"Chacha{ending}{which}", ratio)
        cost = text(of.cost("3des-sha1", "as-they-are", library=library))
        results.words(f"TripleDesCost{which}", cost, paper=False)
    results.words("TripleDesOver", text(of.over("3des-sha1", "as-they-are")), paper=False)


def quote_best(of: CipherCost) -> None:
    """Hand over what costs least. A suite is named only if it costs least by both libraries."""
    results = of.notebook.results
    for arm, ending in _ENDINGS.items():
        says = "suites of RFC 8221 of which none was shown to cost less, by both libraries"
        best = " or ".join(of.least.get(arm, [])) or "n/a"
        results.words(f"Best{ending}", best, f"{says}, {of.arms.get(arm, arm)}, {of.large} B")
    results.words("Large", of.large, "largest payload [B]", paper=False)


def tunnel_part(of: CipherCost) -> dict[str, Any]:
    """The part of the site's page My tunnel on suites."""
    libraries = [library for library in of.both if of.has_aes[library]]
    machine = of.notebook.where["machine"]
    return suites_part(
        libraries,
        of.arms,
        of.payloads,
        machine,
        of.cost,
        lambda suite, arm, payload, library: of.over(suite, arm, library, payload),
    )
