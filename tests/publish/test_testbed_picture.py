"""The picture of the testbed is of the topology that campaigns use."""

import re

from remeasure.bench.base.topology import load_topology
from remeasure.paper.publish.site.testbed_picture import testbed_picture as picture


def test_every_host_and_link_is_drawn_and_nothing_that_only_some_links_have():
    topology = load_topology("site-to-site")
    text = picture()
    for name in (*topology.hosts, *topology.links):
        assert f">{name}</text>" in text
    assert "tbf" not in text and "netem" not in text
    cores = re.findall(r'class="core" x="(\d+)" y="34" rx="8" width="(\d+)"', text)
    (left, width), (right, _) = [tuple(map(int, core)) for core in cores]
    assert left + width < right
