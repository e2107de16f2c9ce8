"""Windows hosts that answer, and a block to measure on them."""

import pytest


@pytest.fixture
def windows(tmp_path):
    """Four hosts that answer as Windows should (windows_server.py)."""
    from windows_server import SWEEP, Windows

    answering = Windows(SWEEP.topology, tmp_path)
    yield answering
    answering.close()
