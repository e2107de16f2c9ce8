"""What a tool reports, against the counters of SAs."""

from remeasure.ipsec.agreement import Carried, check_by_sa
from remeasure.ipsec.sas import read_xfrm_state


def test_agreement_has_two_bounds(listings):
    before = listings[1]
    moved = next(sa for sa in read_xfrm_state(before) if sa.direction == "in").packets
    after = before.replace(f"{moved}(packets)", f"{moved + 1000}(packets)")
    for payload, sent, passes in ((1000, 1000, True), (2000, 2000, False), (100, 100, False)):
        (check,) = check_by_sa("udp", Carried("client1", payload, sent), before, after)
        assert check.passed is passes
