"""A small scenario, and its variable parts."""

from remeasure.bench.campaign.scenario import Scenario

PING = {"probe": "ping", "source": "client1", "target": "client2", "count": 3, "interval": 0.2}


def document(**changes) -> dict:
    """The file's content, with the fields in `changes` replaced."""
    return {
        "study": "none",
        "title": "t",
        "topology": "site-to-site",
        "blocks": 2,
        "factors": {"a": {"x": {}, "y": {}}, "b": {"u": {}, "v": {}, "w": {}}},
        "probes": {"p": PING},
    } | changes


TUNNEL = {"initiator": "gw1", "responder": "gw2", "link": "wan", "ike": "aes128-sha1-modp2048"}
ESP = TUNNEL | {"esp": "aes128-sha1"}


def scenario(**changes) -> Scenario:
    return Scenario("small", document(**changes), "smoke", "small.yaml")
