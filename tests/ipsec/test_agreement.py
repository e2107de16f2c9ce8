"""What a tool reports, against the counters of SAs."""

from remeasure.bench.ipsec.agreement import Carried, check_by_sa
from remeasure.bench.ipsec.sas import read_xfrm_state


def test_agreement_has_two_bounds(listings):
    before = listings[1]
    moved = next(sa for sa in read_xfrm_state(before) if sa.direction == "in").packets
    after = before.replace(f"{moved}(packets)", f"{moved + 1000}(packets)")
    for payload, sent, passes in ((1000, 1000, True), (2000, 2000, False), (100, 100, False)):
        (check,) = check_by_sa("udp", Carried("client1", payload, sent), before, after)
        assert check.passed is passes


def test_a_probe_that_knows_its_control_packets_leaves_no_room_for_more(listings):
    before = listings[1]
    moved = next(sa for sa in read_xfrm_state(before) if sa.direction == "in").packets
    after = before.replace(f"{moved}(packets)", f"{moved + 70}(packets)")
    (loose,) = check_by_sa("ping", Carried("client1", 5, 5), before, after)
    (exact,) = check_by_sa("ping", Carried("client1", 5, 5, control_packets=5), before, after)
    assert loose.passed and not exact.passed
    assert exact.expected == "5 to 10, from what the probe received"
