"""Statements of every kind in the studies, and the truths at which a false verdict on each is
likeliest, with the metrics of the studies' register."""

from typing import Any

from simulation import Case, Chosen, Levels, Truth, flat, line, more

from remeasure.paper.analysis.decisions import CONFIRMED, NO_DIFFERENCE, OPPOSITE

SIZES = ["64", "128", "256", "512", "768", "1024", "1152", "1280", "1344", "1408", "1536"]
SMALL, LARGE = ["64", "128", "256"], ["1280", "1344", "1408"]
DES, TRIPLE = ["des-md5", "des-sha1"], ["3des-md5", "3des-sha1"]
AES = ["aes128-sha1", "aes256-sha1"]
SUITES = [*DES, *TRIPLE, *AES]
MATTERS = 1.05
"""smallest ratio of rates that matters, of most statements"""
FAR = 3.0
"""a ratio far inside a statement's bounds"""
NO_EFFECT, SMALLEST, WIDE = "no effect", "smallest that matters", "all but one far inside"


def _of(scenario: str, probe: str, metric: str, where: Chosen, alike: list[str]) -> dict[str, Any]:
    names = ("scenario", "probe", "metric", "where", "alike")
    return dict(zip(names, (scenario, probe, metric, where, alike), strict=True))


def _flow(metric: str, transport: str, load: str) -> dict[str, Any]:
    where = {"transport": [transport], "load": [load]}
    return _of("algorithm-sweep", "flow", metric, where, ["payload"])


TCP, UDP = (_flow("goodput", transport, "saturation") for transport in ("tcp", "udp"))
TCP_JITTER, UDP_JITTER = (_flow("jitter", transport, "moderate") for transport in ("tcp", "udp"))
COST = _flow("cpu_per_megabyte", "tcp", "moderate")
FTP = _of("ah-esp-ciphers", "test_1", "rate", {"link": ["open"]}, [])
DELAY = _of("eap-methods", "direct", "delay", {}, ["rtt"])
UDP_UP = _of("psk-rsa", "udp_up", "goodput", {"network": ["normal"]}, [])
LOSSY_UP = _of("psk-rsa", "udp_up", "goodput", {"network": ["impaired"]}, [])
SET_UP = _of("psk-rsa", "ike_restarted", "ike_sa", {"network": ["normal"]}, [])
JITTER = _of("psk-rsa", "latency", "jitter", {"network": ["impaired"]}, [])
LOSS = _of("psk-rsa", "loss", "loss", {"network": ["impaired"]}, [])


def _asked(source: dict[str, Any], quantity: str, expect: str, **fields: Any) -> dict[str, Any]:
    return {"quantity": quantity, "metric": source["metric"], "expect": expect, **fields}


def _at(payload: list[str], suite: list[str]) -> Chosen:
    return {"suite": suite, "payload": payload}


def _tunnel(suite: str) -> Chosen:
    return {"suite": [suite], "mode": ["tunnel"]}


def _method(*methods: str) -> Chosen:
    """Without added delay."""
    return {"method": [*methods], "rtt": ["0"]}


def _ratio(says: str, source: dict[str, Any], of: Chosen, to: Chosen) -> Case:
    test = _asked(source, "ratio", "> 1", of=of, to=to, matters=MATTERS)
    truths = [
        Truth(NO_EFFECT, flat(), (CONFIRMED, OPPOSITE)),
        Truth(SMALLEST, flat((MATTERS, of)), (NO_DIFFERENCE,)),
    ]
    return Case("ratio", says, **source, tests=[test], truths=truths)


def _difference(says: str, source: dict[str, Any], matters: float) -> Case:
    rsa = {"auth": ["rsa"]}
    test = _asked(source, "difference", "> 0", of=rsa, to={"auth": ["psk"]}, matters=matters)
    truths = [
        Truth(NO_EFFECT, more(0, rsa), (CONFIRMED, OPPOSITE)),
        Truth(SMALLEST, more(matters, rsa), (NO_DIFFERENCE,)),
    ]
    return Case("difference", says, **source, tests=[test], truths=truths)


def _at_bound(
    kind: str, says: str, source: dict[str, Any], test: dict[str, Any], levels: Levels
) -> Case:
    """Just inside its bound a statement is true, just outside it is false."""
    truths = [
        Truth("at the bound, inside", levels, (OPPOSITE,)),
        Truth("at the bound, outside", levels, (CONFIRMED,)),
    ]
    return Case(kind, says, **source, tests=[test], truths=truths)


def _of_several(
    kind: str,
    says: str,
    source: dict[str, Any],
    test: dict[str, Any],
    better: Chosen,
    *but: tuple[float, Chosen],
) -> Case:
    """All `better` cells are as far from the others as the truth gives; if it excepts one, `but`
    changes that one."""
    truths = [
        Truth(NO_EFFECT, flat(), (CONFIRMED, OPPOSITE)),
        Truth(WIDE, flat((FAR, better), *but), (CONFIRMED, OPPOSITE)),
        Truth(SMALLEST, flat((MATTERS, better)), (NO_DIFFERENCE, OPPOSITE)),
    ]
    return Case(kind, says, **source, tests=[test], truths=truths)


def _slope(says: str, source: dict[str, Any]) -> Case:
    fields = {"over": "payload", "of": {"payload": SIZES, "suite": [*DES, *TRIPLE]}}
    test = _asked(source, "slope", "> 0", **fields, scale=1000, matters=0.13)
    truths = [
        Truth(NO_EFFECT, line("payload", 0.0), (CONFIRMED, OPPOSITE)),
        Truth(SMALLEST, line("payload", 0.13 / 1000), (NO_DIFFERENCE,)),
    ]
    return Case("slope", says, **source, tests=[test], truths=truths)


def _straightness(says: str, source: dict[str, Any], suites: list[str], campaigns: int) -> Case:
    fields = {"over": "payload", "of": {"payload": SIZES, "suite": suites}}
    test = _asked(source, "straightness", "< 0.2", **fields)
    bent = line("payload", bend=0.2)
    truths = [
        Truth("straight", line("payload"), (OPPOSITE,)),
        Truth("bent as far as is allowed", bent, (OPPOSITE,)),
        Truth("bent a little further", bent, (CONFIRMED,)),
    ]
    return Case("straightness", says, **source, campaigns=campaigns, tests=[test], truths=truths)


def _compared(source: dict[str, Any], expect: str, of: Chosen, to: Chosen, **fields: Any) -> Any:
    """A ratio of rates, or of `fields`."""
    fields = {"quantity": "ratio", "matters": MATTERS} | fields
    return _asked(source, expect=expect, of=of, to=to, **fields)


EVERY_SIZE = _compared(
    TCP, "> 1", _at(SIZES, DES), _at(SIZES, TRIPLE), over="payload", reduce="min"
)
EVERY_SUITE = _compared(
    UDP, "< 1", _at(["1408", "1536"], SUITES), _at(["1344"], SUITES), over="suite", reduce="max"
)
_LEAD = {"quantity": "lead", "over": "payload", "among": "suite"}
AHEAD = _compared(TCP, "> 1", _at(SIZES, AES), _at(SIZES, [*DES, *TRIPLE]), **_LEAD)
LEVELS = _asked(TCP, "level", "< 90", over="cells", reduce="max", of=_at(SIZES, SUITES))
RISES, FALLS, MD5 = (
    _compared(TCP, expect, of, to)
    for expect, of, to in (
        ("> 1", _at(["1344"], SUITES), _at(["64"], SUITES)),
        ("< 1", _at(["1536"], SUITES), _at(["1344"], SUITES)),
        ("> 1", _at(SMALL, ["des-md5"]), _at(SMALL, ["des-sha1"])),
    )
)
_BEYOND_NONE = {"quantity": "excess", "base": _at(LARGE, ["none"]), "matters": 1.3}
EXCESS = _compared(COST, "> 1", _at(LARGE, TRIPLE), _at(LARGE, DES), **_BEYOND_NONE)
CHAINS = ["eap-tls-2-2", "eap-tls-2-4", "eap-tls-4-2", "eap-tls-3-3", "eap-tls-4-4"]
DES_SMALL, TRIPLE_SMALL = _at(SMALL, DES), _at(SMALL, TRIPLE)

CASES = [
    _ratio("TCP goodput of suites", TCP, DES_SMALL, TRIPLE_SMALL),
    _ratio("UDP goodput of suites", UDP, DES_SMALL, TRIPLE_SMALL),
    _ratio("TCP jitter of suites", TCP_JITTER, DES_SMALL, TRIPLE_SMALL),
    _ratio("FTP rate of suites", FTP, _tunnel("ah-sha1"), _tunnel("aes128-sha1")),
    _ratio("delay of authentication", DELAY, _method("eap-tls-2-2"), _method("eap-md5")),
    _ratio("set-up of IKE", SET_UP, {"auth": ["rsa"]}, {"auth": ["psk"]}),
    _difference("jitter", JITTER, 2),
    _difference("loss", LOSS, 0.25),
    _at_bound(
        "level",
        "delay of authentication",
        DELAY,
        _asked(DELAY, "level", "< truth", of=_method("psk")),
        flat(),
    ),
    _at_bound(
        "equivalence",
        "UDP goodput within 5 %",
        LOSSY_UP,
        _asked(LOSSY_UP, "ratio", "0.95 to 1.05", of={"auth": ["rsa"]}, to={"auth": ["psk"]}),
        flat((1.05, {"auth": ["rsa"]})),
    ),
    _of_several(
        *("smallest of several", "DES over 3DES at each of 11 sizes", TCP, EVERY_SIZE),
        *({"suite": DES}, (1 / FAR, {"suite": DES, "payload": ["1280"]})),
    ),
    _of_several(
        *("largest of several", "large over medium payload with each of 6 suites", UDP),
        *(EVERY_SUITE, {"payload": ["1344"]}),
        (1 / FAR, {"payload": ["1344"], "suite": ["aes128-sha1"]}),
    ),
    _of_several(
        *("lead over rivals", "AES over each of 4 suites at each of 11 sizes", TCP, AHEAD),
        *({"suite": AES}, (FAR, {"suite": ["des-md5"], "payload": ["64"]})),
    ),
    _slope("TCP jitter over 11 sizes", TCP_JITTER),
    _slope("UDP jitter over 11 sizes", UDP_JITTER),
    _straightness("TCP jitter over 11 sizes", TCP_JITTER, [*DES, *TRIPLE], 3_000),
    _straightness("UDP jitter over 11 sizes", UDP_JITTER, [*DES, *TRIPLE], 2_000),
    _at_bound(
        "variation",
        "UDP goodput over blocks",
        UDP_UP,
        _asked(UDP_UP, "variation", "< truth", of={"auth": ["psk"]}),
        flat(),
    ),
    Case(
        "several parts",
        "TCP goodput rises, falls, and is more with MD5",
        **TCP,
        tests=[RISES, FALLS, MD5],
        truths=[
            Truth(NO_EFFECT, flat(), (CONFIRMED, OPPOSITE)),
            Truth(
                "two far inside, one without effect",
                flat((1 / FAR, {"payload": ["64"]}), (1 / FAR, {"payload": ["1536"]})),
                (CONFIRMED, OPPOSITE),
            ),
            Truth(
                SMALLEST,
                flat(
                    (MATTERS, {"payload": ["1344"]}),
                    (MATTERS**1.5, {"suite": ["des-md5"], "payload": ["128", "256"]}),
                ),
                (NO_DIFFERENCE, OPPOSITE),
            ),
        ],
    ),
    Case(
        "ratio, a trial rejected",
        "delay of authentication",
        **DELAY,
        campaigns=1_000,
        hole=True,
        tests=[_compared(DELAY, "> 1", _method(*CHAINS), _method("psk", "eap-md5"))],
        truths=[Truth(NO_EFFECT, flat(), (CONFIRMED, OPPOSITE))],
    ),
    Case(
        "excess",
        "processor time of 3DES over that of DES",
        **COST,
        tests=[EXCESS],
        truths=[
            Truth(NO_EFFECT, flat((2, {"suite": [*DES, *TRIPLE]})), (CONFIRMED, OPPOSITE)),
            Truth(SMALLEST, flat((2, {"suite": DES}), (2.3, {"suite": TRIPLE})), (NO_DIFFERENCE,)),
        ],
    ),
]
"""rows of the table of coverage"""
BEYOND = [
    _straightness("TCP jitter of one suite", TCP_JITTER, ["3des-md5"], 3_000),
    _at_bound("largest of levels", "TCP goodput in each of 66 cells", TCP, LEVELS, flat(at=90)),
]
"""where intervals hold less than they should: shown, and said"""
SEED = 2026
"""seed of the simulations that are shown"""
