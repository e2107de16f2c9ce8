"""Valid names, and the spellings of a scenario's name: in files, as a notebook, in LaTeX."""

import re
from dataclasses import dataclass

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import NOTEBOOKS

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
VIRTUAL = "virtual"
"""name of the back end of testbeds in virtual time"""


def plain_name(kind: str, name: str) -> str:
    """`name`, of a campaign, testbed or topology. Raises UserError unless it can be the name of a
    file or folder, and leads nowhere else."""
    form = r"[A-Za-z0-9]([A-Za-z0-9._-]{,62}[A-Za-z0-9_-])?"
    if not re.fullmatch(form, name) or _DEVICE.match(name):
        raise UserError(
            f"{kind} {name!r}: not a name; expected letters, digits, '.', '_' and '-', beginning "
            "with a letter or a digit, at most 64, no '.' at the end, and no device such as CON"
        )
    return name


@dataclass(frozen=True)
class Name:
    """The name of a scenario, from which all its other spellings follow. Raises UserError unless it
    is made of lower-case words joined by '-'."""

    scenario: str
    """spelling in files, such as psk-rsa: notebooks/psk_rsa/scenario.yaml,
    data/raw/<campaign>/psk-rsa, results/tidy/psk-rsa"""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", self.scenario):
            raise UserError(
                f"scenario {self.scenario!r}: not a name; expected lower-case letters and digits, "
                "in words joined by '-'"
            )

    @classmethod
    def of_notebook(cls, notebook: str) -> "Name":
        """The name of the scenario in folder notebooks/<notebook>. Raises UserError."""
        return cls(notebook.replace("_", "-"))

    @property
    def notebook(self) -> str:
        """Spelling of folder and notebook, such as psk_rsa: notebooks/psk_rsa/psk_rsa.ipynb, and
        its results under results/."""
        return self.scenario.replace("-", "_")

    @property
    def prefix(self) -> str:
        r"""Spelling in the paper, such as pskrsa: \pskrsaRatio, pskrsa-ratios.pdf. LaTeX macros
        have only letters, so a digit is written as a word."""
        letters = self.scenario.replace("-", "")
        return re.sub("[0-9]", lambda digit: _DIGITS[int(digit[0])], letters)


def scenario_names() -> list[str]:
    """Names of all scenarios with a file, in alphabetical order."""
    return sorted(path.parent.name.replace("_", "-") for path in NOTEBOOKS.glob("*/scenario.yaml"))
