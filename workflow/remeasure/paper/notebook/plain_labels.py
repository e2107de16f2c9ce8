"""Questions of the ledger in words for readers: 'EAP-TLS against PSK, round-trip time by ping'."""

import re

from remeasure.paper.words import words_of

_WORDS = words_of(__file__, "plain-labels")
METRICS: dict[str, str] = _WORDS["metrics"]
"""metric of a statement -> words"""
_PROBES: dict[str, str] = _WORDS["probes"]
_ITSELF = {"auth", "method", "suite", "transport", "probe"}
"""factors whose levels need no name"""
_EACH = {"studied", "all"}
"""levels that say no more than the statement"""
_QUESTION = re.compile(
    r"(?:(?P<kind>\w+) of )?(?P<metric>\w+)(?:, (?P<of>.+?))??(?: to (?P<to>.+?))?"
    r"(?:, above (?P<base>.+?))?(?:, (?P<how>by|\w+ over) (?P<over>\w+))?"
    r"(?:; (?P<where>.+?))?(?: \(\w+ within a trial\))?"
)
"""a question in the words of the ledger"""
_SHORT = re.compile(r"\b(3?des|aes|ah|eap|esp|ike|md5|psk|rsa|rtt|sa|sha1|tcp|tls|ttls|udp)\b")


def in_plain(words: str) -> str:
    """`words` of a verdict with metrics, probes, suites and methods as readers write them."""
    known = METRICS | _PROBES
    words = re.sub(r"\w+_\w+", lambda name: known.get(name[0], name[0]), words)
    words = re.sub(r"\beap-tls-(\d)-(\d)", r"eap-tls with chains of \1 and \2", words)
    words = re.sub(r"\baes(?=\d)", "aes-", words)
    return _SHORT.sub(lambda name: name[0].upper(), words)


def label(quantity: str, brief: str) -> str:
    """The comparison of a test of the ledger. `quantity`: the question in words; `brief`:
    differences between the tests of its statement, of which the probe is taken. A level that both
    sides have is a condition, said last."""
    match = _QUESTION.fullmatch(quantity)
    if match is None:
        return in_plain(quantity)
    of, to, base, where = (_levels(match[name]) for name in ("of", "to", "base", "where"))
    sides = [" ".join(level for level in of if level not in to)] if to else []
    sides += [" ".join(level for level in to if level not in of)] if to else []
    metric = METRICS.get(match["metric"], match["metric"]).partition(" (")[0]
    over = (match["over"] or "").replace("_", " ")
    asked = _WORDS["kinds"].get(match["kind"] or "", "{metric}").format(metric=metric, over=over)
    above = f"each less {' '.join(base)}" if base else ""
    shared = [level for level in of if not to or level in to]
    extreme = _WORDS["extremes"].get(match["how"] or "", "").format(over=over)
    probe = [text for name, text in _PROBES.items() if name in brief.split()]
    between = " less " if match["kind"] == "difference" else " against "
    parts = [between.join(filter(None, sides)), above, asked, extreme, *probe, *shared, *where]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _levels(text: str | None) -> list[str]:
    """Each level of 'factor level, factor level' in words, without those that say nothing."""
    pairs = (one.partition(" ") for one in (text or "").split(", "))
    return [_level(factor, level) for factor, _, level in pairs if level not in ("", *_EACH)]


def _level(factor: str, level: str) -> str:
    if words := _WORDS["levels"].get(factor, {}).get(level):
        return str(words)
    level = _PROBES.get(level, level)
    for prefix, words in _WORDS["prefixes"].items():
        level = re.sub(rf"^{prefix}-", f"{words} ", level)
    if re.search(r"\d$", level) and factor == "payload":
        return f"{level} bytes"
    return in_plain(level) if factor in _ITSELF else f"{level} {factor.replace('_', ' ')}"
