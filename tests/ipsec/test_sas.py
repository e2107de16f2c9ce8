"""Listings of SAs, by strongSwan and by the kernel."""

import pytest

from remeasure.bench.ipsec.sas import read_list_sas, read_xfrm_state


def test_listings_are_read(listings):
    (ike_sa,) = read_list_sas(listings[0])
    (child,) = ike_sa["child-sas"].values()
    assert child["local-ts"] == ["192.168.10.0/24"]
    sas = read_xfrm_state(listings[1])
    assert {sa.direction: sa.replay_window for sa in sas} == {"in": 32, "out": 0}
    assert {f"{int(sa.spi, 16):08x}" for sa in sas} == {child["spi-in"], child["spi-out"]}
    with pytest.raises(ValueError, match="line 1"):
        read_list_sas("Segmentation fault\n")


def test_an_sa_that_is_being_negotiated_is_none_yet(fixture):
    """One whose SPI is reserved, one that a packet asked for, and one that is there."""
    (sa,) = read_xfrm_state(fixture("iproute2-7.2.0/xfrm-state-larval.txt").decode())
    assert (sa.spi, sa.direction, sa.cpu) == ("0xc1000001", "in", 0)
