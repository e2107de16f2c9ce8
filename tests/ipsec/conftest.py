"""Listings of one tunnel, as its tools wrote them."""

import pytest


@pytest.fixture
def listings(fixture):
    return (
        fixture("strongswan-6.1.0/psk-list-sas.txt").decode(),
        fixture("iproute2-7.2.0/xfrm-state-psk.txt").decode(),
    )
