"""Real tool output, by tool and version."""

from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def fixture():
    return lambda name: (FIXTURES / name).read_bytes()
