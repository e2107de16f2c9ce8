"""Scenario cipher-cost: the processor cost of a suite, with AES instructions and without."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.lineage import CAMPAIGN
from remeasure.paper.analysis.models.suite_cost import (
    ADVISED,
    REFERENCE,
    Library,
    both_ways,
    has_aes_instructions,
    libraries,
    of_library,
    were_apart,
)
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Asking, at, each
from remeasure.paper.notebook.charts.suite_slopes import NAMES, suite_slopes
from remeasure.paper.notebook.my_tunnel import ENDS
from remeasure.paper.notebook.my_tunnel import NAMES as TUNNEL_SUITES
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

COST: Asked = {"metric": "cpu_per_packet"}
OVER: Asked = {**COST, "quantity": "ratio", "to": {"suite": REFERENCE}}
MASKING: Asked = {
    **COST, "quantity": "ratio",
    "of": {"instructions": "masked"}, "to": {"instructions": "as-they-are"},
}  # fmt: skip
"""how many times as much a suite costs without the instructions"""
ARMS = {"as-they-are": "with AES instructions", "masked": "without"}
_TREATED = {"as-they-are": "with AES", "masked": "AES masked"}
_ENDINGS = {"as-they-are": "With", "masked": "Without"}
"""level of factor instructions -> the end of a number's name"""
_KINDS = {"uml": "guest of User Mode Linux", "qemu": "guest of QEMU",
          "netns": "namespace of this machine", "ssh": "machine of an inventory"}  # fmt: skip
"""back end -> name of its host"""
_WORDS = NAMES | {"aes256gcm16": "AES-256-GCM"}
_RIVAL = "chacha20poly1305"
_TRIPLE_DES = {"suite": "3des-sha1", "instructions": "as-they-are"}
NUMBERS = {
    "Gcm": at(COST, suite=REFERENCE, instructions="as-they-are"),
    "Masking": at(MASKING, suite=REFERENCE),
    "ChachaWith": at(OVER, suite=_RIVAL, instructions="as-they-are"),
    "ChachaWithout": at(OVER, suite=_RIVAL, instructions="masked"),
    "TripleDesCost": at(COST, **_TRIPLE_DES),
}
"""beginning of a name, of both libraries -> question, of the largest payload"""
_SAME_HOST = (
    "Each library was measured on the same host, so a difference between them is not one between "
    "hosts."
)
_OTHER_HOSTS = (
    "Each version was measured on another kind of host, so library and host were varied together: "
    "these data cannot tell whose the difference is. The scenario now brings both libraries to "
    "each host; the next campaign will measure it."
)


class CipherCost:
    """The trials of scenario cipher-cost, by version of the library and kind of host."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        self.of = {
            library: _costs(notebook, library, estimator) for library in libraries(notebook.tables)
        }
        self.old, *_ = measured = list(self.of)
        self.new = next(one for one in measured if one.version == measured[-1].version)
        """the newest version, of the first campaign with it"""
        self.both = {"Old": self.old, "New": self.new}
        notebook.summaries = self.of[self.old].summaries
        self.suites = each("suite", notebook.measured("suite"))
        self.arms = {arm: ARMS[arm] for arm in notebook.measured("instructions", ARMS)}
        self.payloads = sorted(notebook.measured("payload", ()), key=int)
        self.large = self.payloads[-1]

    def name(self, library: Library) -> str:
        """The library, with its host if another host measured the same version."""
        alike = [other for other in self.of if other.version == library.version]
        return library.name if len(alike) == 1 else f"{library.name}, {_host(library)}"

    def columns(self, question: Asked) -> dict[str, Asked]:
        """A column for each arm and the smallest and largest payload."""
        return {
            f"{title}, {payload} B": at(question, instructions=arm, payload=payload)
            for arm, title in self.arms.items()
            for payload in dict.fromkeys((self.payloads[0], self.large))
        }

    def tables(self, columns: dict[str, Asked]) -> pd.DataFrame:
        """A table of suites for each library."""
        return pd.concat(
            {
                self.name(library): asked.table(trials, "suite", self.suites, columns)
                for library, trials in self.of.items()
            },
            names=["library", ""],
        )

    def cheapest(self, arm: str, library: Library) -> list[str]:
        """The cheapest suites of those that RFC 8221 recommends."""
        question = at(COST, instructions=arm, payload=self.large)
        return asked.cheapest(self.of[library], question, "suite", ADVISED)

    def least(self, arm: str) -> list[str]:
        """The cheapest suites by both libraries."""
        new = self.cheapest(arm, self.new)
        return [suite for suite in self.cheapest(arm, self.old) if suite in new]

    def answers(self) -> pd.DataFrame:
        """The cheapest suites by library and arm, and the costs of REFERENCE and its rival."""
        rows = [
            {
                "library": f"{library.name}, {_host(library)}, {library.campaign}",
                "AES instructions": title if _has_aes(trials) else "not found: one treatment",
                "costs least": " or ".join(self.cheapest(arm, library)) or "too few blocks",
                f"{REFERENCE}, ns": trials.text(at(COST, suite=REFERENCE, **here)),
                "chacha20poly1305 over it": trials.text(at(OVER, suite=_RIVAL, **here)),
            }
            for library, trials in self.of.items()
            for arm, title in self.arms.items()
            for here in [{"instructions": arm, "payload": self.large}]
        ]
        return pd.DataFrame(rows, dtype=object)

    def least_in_words(self) -> str:
        """The beginning of the caption of `slopes`."""
        return "; ".join(
            f"{' or '.join(_WORDS.get(suite, suite) for suite in self.least(arm)) or _NO_SUITE} "
            f"costs least {title}"
            for arm, title in self.arms.items()
        )

    def slopes(self) -> alt.TopLevelMixin:
        """Cost per byte of a large packet, without and with AES instructions, by library."""
        drawn = pd.concat(
            asked.points(
                self.of[library],
                {_TREATED[arm]: at(COST, instructions=arm)},
                self.suites,
                where={"payload": self.large},
                scale=1 / int(self.large),
            ).assign(panel=library.name)
            for library in dict.fromkeys(self.both.values())
            for arm in reversed(self.arms)
        )
        return suite_slopes(drawn.rename(columns={"row": "level", "level": "suite"}))

    def hand_over(self) -> str:
        """Hand numbers over. Returns whether library and host were varied together."""
        results, large = self.notebook.results, {"payload": self.large}
        for which, library in self.both.items():
            results.words(f"Library{which}", library.name, "what the library said of itself")
            says = "kind of host on which that library was measured"
            results.words(f"Place{which}", _host(library), says)
            here = {f"{name}{which}": at(q, **large) for name, q in NUMBERS.items()}
            asked.hand_over(self.of[library], here)
        over = {"TripleDesOver": at(OVER, **_TRIPLE_DES, **large)}
        asked.hand_over(self.of[self.old], over)
        says = "suites of RFC 8221 of which none was shown to cost less, by both libraries"
        for arm, ending in _ENDINGS.items():
            best = " or ".join(self.least(arm)) or "n/a"
            source = f"{says}, {self.arms.get(arm, arm)}, {self.large} B"
            results.words(f"Best{ending}", best, source)
        results.words("Large", self.large, "largest payload [B]")
        apart = _SAME_HOST if were_apart(self.of) else _OTHER_HOSTS
        return results.words("Apart", apart, "whether a campaign measured two versions")

    def tunnel_part(self) -> dict[str, Any]:
        """The part of the site's page My tunnel. Each arm, payload [byte] and suite has a list with
        an entry per library that finds AES instructions: Mbit/s of a core that encrypts or
        decrypts, on the `machine` that measured, and the cost over REFERENCE."""
        used = {one: self.of[one] for one in dict.fromkeys(self.both.values())}
        used = {library: trials for library, trials in used.items() if _has_aes(trials)}

        def entry(trials: Asking, **levels: str) -> dict[str, Any] | None:
            spent, times = (trials.estimate(at(question, **levels)) for question in (COST, OVER))
            if not spent.n:
                return None
            bits = 8 * int(levels["payload"])
            ratio = 1.0 if levels["suite"] == REFERENCE else times.value
            return {"mbit": 1e3 * bits / (spent.value / ENDS), "ratio": ratio}

        def entries(**levels: str) -> list[dict[str, Any]]:
            return [one for trials in used.values() if (one := entry(trials, **levels))]

        return {
            "machine": self.notebook.where["machine"],
            "libraries": [library.name for library in used],
            "names": TUNNEL_SUITES,
            "reference": REFERENCE,
            "arms": {
                arm: {
                    payload: {
                        suite: entries(suite=suite, instructions=arm, payload=payload)
                        for suite in TUNNEL_SUITES
                    }
                    for payload in self.payloads
                }
                for arm in self.arms
            },
        }


def _costs(notebook: ScenarioNotebook, library: Library, estimator: str) -> Asking:
    observations = of_library(notebook.observations, library)
    summaries = trial_summaries(observations, notebook.tables.factors, estimator)
    costs = pd.concat([summaries, both_ways(summaries)], ignore_index=True)
    costs.attrs[CAMPAIGN] = library.campaign
    return Asking(notebook, costs)


def _has_aes(trials: Asking) -> bool:
    return has_aes_instructions(trials.summaries)


def _host(library: Library) -> str:
    return _KINDS.get(library.backend, library.backend)


_NO_SUITE = "No suite by both libraries"
