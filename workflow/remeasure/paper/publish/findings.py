"""The work of `remeasure readme`: findings in the README (words from here, numbers from the
notebooks), and reports for maintainers of other software, in docs/ and on the site."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.analysis.verdicts.ledger import read_ledger
from remeasure.paper.notebook.cautions import CAUTIONS
from remeasure.paper.notebook.handed_number import Number
from remeasure.paper.notebook.scenario_notebook import FACTS
from remeasure.paper.notebook.shared_tables import verdict_text
from remeasure.paper.publish.codebook import updated as with_sections
from remeasure.paper.publish.paper_macros import read_numbers

FINDINGS = (
    "**PSK or certificates?** Choose by how you manage keys. RSA certificates add "
    "{pskrsaIkeDiffNormal} ms to the set-up between restarted, back-to-back gateways (95 %: "
    "{pskrsaIkeDiffNormalInterval} ms). Afterwards the link hid differences up to "
    "{pskrsaUdpUpHidden} % in processor time.",
    "**Which anti-replay window?** The default, unless `XfrmInStateSeqError` grows. Behind 20 ms "
    "of independent jitter at {replaywindowRateFast} Mbit/s strongSwan's default of "
    "{replaywindowDefault} passed {replaywindowPassedJitter} % of the packets: set "
    "`replay_window` to {replaywindowAdvisedFast}. QoS reorders too; try "
    "`copy_dscp = no` (not measured).",
    "**Which cipher?** AES-GCM on x86 with AES instructions: {espinstructionsGcmRateAll} Mbit/s "
    "on {espinstructionsMachine} with VAES, where 3DES (do not deploy) reached "
    "{espinstructionsTripleDesRateAll}. With AES-NI and AVX2 only we could not tell "
    "AES-GCM from ChaCha20-Poly1305: take AES-GCM. Small routers: not measured; run "
    "`openssl speed`.",
    "**Is EAP-TLS slow over a distance?** At a round trip of {eapmethodsFarRtt} ms it takes "
    "{eapmethodsTlsFar} ms; a PSK takes {eapmethodsPskFar} ms.",
    "**Can traffic leak?** Rekeying leaked nothing. If gateways have a route to the far "
    "network and no rule that forbids it, everything can leave unencrypted after one stops or "
    "reboots, until somebody sets the tunnel up. Set `start_action = trap` at both ends and forbid "
    "it by firewall (not measured). With traps only, a reboot leaked {outageAwayTrap}, a clean "
    "stop {outageTrapStopped} (virtual time). Break before make (default "
    "before strongSwan 6.0) leaks {renewalRoundTrips} round trips; with traps "
    "{renewalHeldClear} leaked.",
    "**Do the studies hold?** Of {claimsTestable} testable statements {claimsConfirmed} hold in "
    "direction, {claimsConfirmedSize} roughly in size. No difference that matters: "
    "{claimsNoDifference}; hidden by a link: {claimsHidden}; undecided: {claimsUndecided}; "
    "opposite: {claimsOppositeOther}, and {claimsOppositeSuites} cipher rankings without AES "
    "instructions.",
)
"""sentences; in braces a number by its LaTeX macro, or a verdict by the id of its claim"""


def names_in_findings() -> set[str]:
    """The names in braces of FINDINGS."""
    return {name for sentence in FINDINGS for name in re.findall(r"\{([\w-]+)\}", sentence)}


def findings(handed: Iterable[Path]) -> str:
    """The Markdown list of FINDINGS, from the folders that the notebooks handed over. Raises
    UserError if a number or a claim is missing."""
    folders = [Path(folder) for folder in handed]
    known = {entry["id"]: verdict_text(entry) for entry in read_ledger(folders)}
    for file in sorted(folder / "numbers.json" for folder in folders):
        if file.exists():
            known |= {name: one["text"] for name, one in json.loads(file.read_text()).items()}
    try:
        return "".join(f"- {sentence.format_map(known)}\n" for sentence in FINDINGS)
    except KeyError as missing:
        raise UserError(
            f"README.md: findings: no number or claim {missing} in {len(folders)} folders of "
            f"results; build all notebooks first: env/run snakemake --cores 4"
        ) from None


def updated(text: str, path: Path, handed: Iterable[Path]) -> str:
    """The text of the README with its findings made again. Raises UserError."""
    folders = list(handed)
    return with_sections(text, path, {"findings": lambda: findings(folders)})


NAME = re.compile(r"\{\{ (\w+) \}\}")


def filled(page: str, text: str, texts: Mapping[str, str]) -> str:
    """The text of site/`page` with `texts` in place of the names. Raises UserError."""

    def known(match: re.Match[str]) -> str:
        if match[1] not in texts:
            raise UserError(
                f"site/{page}: {match[0]}: no notebook hands over a number of this name"
            )
        return texts[match[1]]

    return NAME.sub(known, text)


PREFIX = "proposal_"
"""first part of names of pages for maintainers, in the folder of the site"""
IN_DOCS = ("guide.md", "replay_windows.md")
"""other pages of the site that docs/ has too"""
SCRIPTS = ROOT / "docs/examples"
"""scripts for labs in virtual time, and next to them their output"""
_WRITTEN = "<!-- written by `env/run remeasure readme`, from site/{page} -->\n\n"
VALUE, INTERVAL = "Value", "Interval"
"""behind the LaTeX macro of a number on a page: the number without its interval, or its interval in
words, '2.1 to 6.5', or 'none', as of one block"""


def script_texts() -> dict[str, str]:
    """Name in a page -> output of a script."""
    return {
        f"script{path.stem.title()}": path.read_text().rstrip()
        for path in sorted(SCRIPTS.glob("*.txt"))
    }


def number_texts(numbers: Mapping[str, Number]) -> dict[str, str]:
    """Name in a page -> text, of all that pages print of the numbers of notebooks."""
    texts = {macro: one["text"] for macro, one in numbers.items()}
    halves = {}
    for macro, text in texts.items():
        value, _, interval = text.partition(" [")
        halves[f"{macro}{VALUE}"] = value
        halves[f"{macro}{INTERVAL}"] = interval.rstrip("]").replace(", ", " to ") or "none"
    cautions = {f"caution{name}": text for name, text in CAUTIONS.items()}
    return halves | texts | cautions | script_texts() | {"kernels": _kernels(numbers)}


def _kernels(numbers: Mapping[str, Number]) -> str:
    """The kernels of all notebooks that hand theirs over: '7.2.7 and 7.2.12'."""
    _, says = FACTS["Kernel"]
    texts = (one["text"] for one in numbers.values() if one["source"] == says)
    found = {kernel for text in texts for kernel in text.split(" and ") if kernel != NO_NUMBER}
    by_number = sorted(found, key=lambda kernel: [int(n) for n in re.findall(r"\d+", kernel)])
    return " and ".join(by_number) or NO_NUMBER


def plain(page: str, top: str) -> str:
    """A page of the site as Markdown that needs no build: links to notebooks lead to the
    repository, whose folder is `top` from there, and links to other pages of the site are words."""
    page = re.sub(r"\{\{ chart_\w+ \}\}", "(The site shows a chart here.)", page)
    page = re.sub(r"```\{code-block\} text\n(?::.*\n)*", "```\n", page)
    fold = r"<details><summary>\1</summary>\n\n\2\n</details>"
    page = re.sub(r"(?ms)^:::\{dropdown\} (.*?)\n(.*?)^:::$", fold, page)
    page = re.sub(r"\]\(notebooks/(\w+)\)", rf"]({top}/notebooks/\1/\1.ipynb)", page)
    page = page.replace("[](reproduce)", "[measuring](measuring.md)")
    page = page.replace("](replay_windows)", f"]({top}/docs/replay_windows.md)")
    return re.sub(r"\[([^\]]+)\]\((?!\.\./|https?:|#(?!term-)|measuring)[^)]*\)", r"\1", page)


def pages_in_docs(handed: Iterable[Path]) -> dict[Path, str]:
    """File in docs/ -> its text, of IN_DOCS and of each report for maintainers in the folder of the
    site, with the numbers that notebooks handed over. Raises UserError if a number is
    missing."""
    texts, sources, docs = number_texts(read_numbers(handed)), ROOT / "site", ROOT / "docs"
    files = {page: page.stem.removeprefix(PREFIX) for page in sources.glob(f"{PREFIX}*.md")}
    paths = {page: docs / f"proposals/{name}.md" for page, name in sorted(files.items())}
    paths |= {sources / name: docs / name for name in IN_DOCS}
    return {
        path: _WRITTEN.format(page=page.name)
        + filled(
            page.name,
            plain(page.read_text(), "/".join([".."] * (len(path.relative_to(ROOT).parts) - 1))),
            texts,
        )
        for page, path in paths.items()
    }
