"""The rules by which outages are read, at their edges."""

from notebooks.outage.reading import DEAD_S, Outage, ranked, standing


def cell(clear=(0, 0), late=(0, 0), tail=(0, 0), silence=(0.05, 0.05)) -> Outage:
    return Outage(clear, late, tail, silence)


def test_how_a_cell_ends():
    assert cell().end == "protected"
    assert cell(clear=(80, 80)).end == "protected", "what left in the clear did so for a time"
    assert cell(clear=(9, 0), late=(1, 0)).end == "clear"
    assert cell(tail=(0, DEAD_S)).end == "dead" and cell(tail=(0.9, 0.9)).end == "protected"
    assert cell(late=(40, 0), tail=(270, 0)).end == "clear", "the peer drops what arrives"


def test_an_end_counts_before_packets_and_packets_before_time():
    settings = {
        "dead": [cell(), cell(tail=(400, 400), silence=(400, 400))],
        "leaks": [cell(clear=(40, 0)), cell()],
        "slow": [cell(silence=(168, 168)), cell()],
        "quick": [cell(silence=(2, 2)), cell()],
        "alike": [cell(), cell(silence=(2, 2))],
    }
    assert [name for name, _ in ranked(settings)] == ["quick", "alike", "slow", "leaks", "dead"]
    assert standing(settings["leaks"]) == (0, 40, 0.05)
    assert ranked({}) == [] and standing([]) == (0, 0, 0)
