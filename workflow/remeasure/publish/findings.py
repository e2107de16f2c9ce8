"""What was found, in a few lines of the README: words written here, numbers from the notebooks."""

import json
from collections.abc import Iterable
from pathlib import Path

from remeasure.analysis.ledger import read_ledger
from remeasure.errors import UserError
from remeasure.names import Name
from remeasure.publish import generated
from remeasure.publish.latex import read_numbers
from remeasure.publish.tables import verdict_text

FINDINGS = (
    "**PSK or certificates?** An IKE_SA takes {pskrsaIkeDiffNormal} ms longer to set up with RSA "
    "certificates (95 % interval {pskrsaIkeDiffNormalInterval} ms); rates afterwards do not "
    "differ on the normal network. UDP upload, published as {pskrsaUdpUpTimes} times as fast with "
    "a PSK, is {pskrsaUdpUpRatio} with RSA and with a PSK.",
    "**Which anti-replay window?** Behind a jitter of 20 ms {replaywindowAdvisedSlow} packets were "
    "enough for {replaywindowRateSlow} Mbit/s (at most 0.1 % dropped), "
    "{replaywindowAdvisedMiddle} for {replaywindowRateMiddle}, {replaywindowAdvisedFast} for "
    "{replaywindowRateFast}. strongSwan's default of {replaywindowDefault} let "
    "{replaywindowPassed} % pass at {replaywindowRateFast} Mbit/s on the study's impaired network.",
    "**Which cipher?** AES-GCM where the processor has AES instructions: {ciphercostBestWith} "
    "costs least for packets of {ciphercostLarge} bytes. On a fast x86 with AES masked "
    "{ciphercostBestWithout} does; on a small router run `openssl speed -evp`. The cipher alone "
    "costs {ciphercostTripleDesWithOld} times as much with 3DES as with AES-128-GCM by "
    "{ciphercostLibraryOld}, {ciphercostTripleDesWithNew} times by {ciphercostLibraryNew} "
    "({ciphercostWhose}). A gateway's packet costs {ciphercostInGateway} times as much in our "
    "guests, which compute ciphers without AES instructions. 3DES must not be deployed.",
    "**Is EAP-TLS slow far away?** Yes: at a round trip of {eapmethodsFarRtt} ms it takes "
    "{eapmethodsTlsFar} ms with chains of two certificates, and a PSK {eapmethodsPskFar} ms. "
    "Chains of four take {eapmethodsChainFar} times as long; without EAP, {eapmethodsRsaChainFar} "
    "times.",
    "**Do the studies hold?** Our verdicts on {claimsTestable} testable statements: "
    "{claimsConfirmed} confirmed in direction, {claimsOpposite} opposite, {claimsNoDifference} "
    "without a difference that matters, {claimsHidden} hidden by a link, {claimsUndecided} "
    "undecided. Questions that were registered before these data: {claimsBeforeOf}. Verdicts that "
    "stand under other estimators, and with bounds half and twice as wide: {claimsStandBoth} of "
    "{claimsDecided} decided ones.",
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


_TIMED = ("psk-rsa", "eap-methods", "replay-window", "calibration")
"""scenarios whose blocks in virtual time the README times"""


def virtual_times(handed: Iterable[Path]) -> str:
    """The Markdown table of the time that a block takes in the lab and in virtual time. Raises
    UserError if a number is not there."""
    numbers = read_numbers(
        [Path(folder) for folder in handed if (folder / "numbers.json").exists()]
    )
    rows = ["| block of | lab, min | virtual, min |", "|---|---|---|"]
    for scenario in _TIMED:
        prefix = Name(scenario).prefix
        try:
            times = [numbers[f"{prefix}{kind}"]["text"] for kind in ("LabBlock", "VirtualMachine")]
        except KeyError as missing:
            raise UserError(
                f"README.md: virtual: no number {missing}; build all notebooks first: env/run "
                "snakemake --cores 4"
            ) from None
        rows.append(f"| {scenario} | {times[0]} | {times[1]} |")
    return "\n".join(rows) + "\n"


def updated(text: str, path: Path, handed: Iterable[Path]) -> str:
    """The text of the README with its generated sections replaced. Raises UserError."""
    folders = list(handed)
    return generated.updated(
        text,
        path,
        {"findings": lambda: findings(folders), "virtual": lambda: virtual_times(folders)},
    )
