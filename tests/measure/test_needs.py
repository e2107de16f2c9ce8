"""Requirements of hosts follow from the scenario: its tunnel, and the family of its addresses."""

from pathlib import Path

from remeasure.bench.base.files import read_yaml
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.measure.hosts import needs_of

SOURCE = Path(__file__).with_name("ipv6.yaml")
OF_IPV6 = {"esp6": "INET6_ESP", "ah6": "INET6_AH"}


def modules(**changes) -> dict[str, str]:
    document = read_yaml(SOURCE) | changes
    return dict(needs_of(Scenario("ipv6", document, "smoke", str(SOURCE))).modules)


def test_ipsec_of_ipv6_has_modules_of_its_own():
    found = modules()
    assert OF_IPV6.items() <= found.items()
    assert not OF_IPV6.keys() & modules(topology="site-to-site").keys()
    assert not OF_IPV6.keys() & modules(only={"suite": ["none"]}).keys()
