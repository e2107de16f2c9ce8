"""Run inside a lab's namespaces: a control network without guests, whose tap goes down while nobody
sends anything. Prints as JSON what it said."""

import json
import queue

from remeasure.bench.lab import namespace
from remeasure.bench.lab.commands import run_ip
from remeasure.bench.lab.relay import Relay

namespace.enter()
relay = Relay("control")
run_ip("link set control up", "link add other type bridge", "link set other up")
relay.start()
said: queue.Queue[str] = queue.Queue()
relay.watch(said.put)
run_ip("link set other down", "addr add 10.66.0.254/24 dev control")
before = said.qsize()
run_ip("link set control down")
print(json.dumps({"before": before, "said": said.get(timeout=30)}))
