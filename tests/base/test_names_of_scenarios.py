"""Every spelling of a scenario's name follows from one."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name


@pytest.mark.parametrize(
    ("scenario", "notebook", "prefix"),
    [
        ("psk-rsa", "psk_rsa", "pskrsa"),
        ("calibration", "calibration", "calibration"),
        ("sweep-2", "sweep_2", "sweeptwo"),
    ],
)
def test_spellings(scenario, notebook, prefix):
    name = Name(scenario)
    assert (name.notebook, name.prefix) == (notebook, prefix)
    assert Name.of_notebook(notebook) == name


@pytest.mark.parametrize("scenario", ["psk_rsa", "Psk", "", "2nd", "-x", "x-", "a/b", "../x", "é"])
def test_not_a_name(scenario):
    with pytest.raises(UserError, match="not a name; expected lower-case letters") as error:
        Name(scenario)
    assert "\n" not in str(error.value)
