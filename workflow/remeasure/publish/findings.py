"""What was found, in a few lines of the README: words written here, numbers from the notebooks."""

import json
from collections.abc import Iterable
from pathlib import Path

from remeasure.analysis.ledger import read_ledger
from remeasure.errors import UserError
from remeasure.publish import generated
from remeasure.publish.tables import verdict_text

FINDINGS = (
    "**PSK or certificates?** Setting up an IKE_SA takes {pskrsaIkeDiffNormal} ms longer with "
    "RSA certificates (95 % interval {pskrsaIkeDiffNormalInterval} ms); on the normal "
    "network, rates afterwards do not differ. The largest effect that study pratama "
    "published, UDP upload {pskrsaUdpUpTimes} times as fast with a PSK: "
    "*{pratama-udp-up-normal}* (RSA over PSK {pskrsaUdpUpRatio}, published "
    "{pskrsaUdpUpStudy}). What caused it there we do not know.",
    "**What takes UDP upload down on the impaired network?** Where a path reorders packets, "
    "the receiver of ESP drops what falls behind its anti-replay window. Of the datagrams "
    "that reached it, {replaywindowPassed} % passed strongSwan's window of "
    "{replaywindowDefault} packets on the study's impaired network; one of "
    "{replaywindowWidest}, the widest that Linux takes, let {replaywindowWidened} times as "
    "much through. At jitter with a standard deviation of 20 ms {replaywindowAdvisedSlow} "
    "packets were enough for {replaywindowRateSlow} Mbit/s, {replaywindowAdvisedMiddle} for "
    "{replaywindowRateMiddle} and {replaywindowAdvisedFast} for {replaywindowRateFast}.",
    "**Which cipher?** Of the suites that RFC 8221 recommends without reservation, the one that "
    "costs a processor least for packets of {ciphercostLarge} bytes is {ciphercostBestWith} with "
    "AES instructions, and {ciphercostBestWithout} without. Without them AES-128-GCM costs "
    "{ciphercostMasking} times as much as with them. ChaCha20-Poly1305 costs "
    "{ciphercostChachaWith} times as much as AES-128-GCM with, and {ciphercostChachaWithout} "
    "times as much without; 3DES with SHA-1 {ciphercostTripleDesWith} and "
    "{ciphercostTripleDesWithout} times as much, and must not be deployed.",
    "**How far is the gateway?** With {eapmethodsFarRtt} ms between initiator and responder, "
    "EAP-TLS with chains of four certificates instead of two takes {eapmethodsChainFar} times "
    "as long: what counts is round trips.",
    "**Do the studies hold?** Of {claimsTestable} testable statements {claimsConfirmed} are "
    "confirmed in their direction; of {claimsOpposite} the opposite was found, of "
    "{claimsNoDifference} no difference that matters, and {claimsUndecided} are undecided. Of "
    "{claimsOutside} a published number lies outside our interval. Of {claimsBefore} the bounds "
    "stood before the data.",
)
"""sentences; in braces a number by its LaTeX macro, or a verdict by the id of its claim"""


def findings(handed: Iterable[Path]) -> str:
    """The Markdown list of FINDINGS, from the folders that the notebooks handed over. Raises
    UserError if a number or a claim is not there."""
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
    """The text of the README with its section `findings` replaced. Raises UserError."""
    return generated.updated(text, path, {"findings": lambda: findings(handed)})
