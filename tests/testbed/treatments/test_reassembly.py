"""Proofs that hosts forget the fragments of datagrams that never become whole."""

from remeasure.bench.testbed.treatments.forgetting import check_reassembly


def test_a_host_that_forgets():
    (check,) = check_reassembly("client2", "1\n")
    assert check.passed and check.kind == "reassembly"


def test_a_host_with_the_default_of_linux():
    (check,) = check_reassembly("client2", "30\n")
    assert str(check) == (
        "client2: incomplete datagrams are forgotten after [s]: found 30, expected 1"
    )
