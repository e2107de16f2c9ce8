"""Conversion of campaigns of formats 1 and 2 to the present format, as they are read.

Until format 3 a rate of which a scenario said no more was that of a token bucket of 128 kB. Since
then it is that of a link which takes time to send a packet, and a bucket is always named. Archives
of format 2 are as they are now.
"""

BUCKET = "128kb"
"""size of the token bucket of a rate, where a campaign of format 1 or 2 names none"""


def upgrade_campaign(frozen: dict) -> dict:
    """Convert the content of campaign.yaml."""
    scenarios = {name: _with_buckets(document) for name, document in frozen["scenarios"].items()}
    return frozen | {"scenarios": scenarios}


def _with_buckets(document: dict) -> dict:
    """A scenario whose rates all have a bucket."""
    base = document.get("shaping") or {}
    # What a level says is laid over what stands above. There a place that has a rate gets its
    # bucket, and one that has a bucket keeps it.
    given = {place for place, shaping in base.items() if {"rate", "burst"} & shaping.keys()}
    factors = {
        factor: {level: _level(settings, given) for level, settings in levels.items()}
        for factor, levels in document["factors"].items()
    }
    shaping = {"shaping": _places(base, set())} if base else {}
    return document | shaping | {"factors": factors}


def _level(settings: dict, given: set[str]) -> dict:
    """What one level sets; `given`: places whose bucket is given for all levels."""
    if not settings.get("shaping"):
        return settings
    return settings | {"shaping": _places(settings["shaping"], given)}


def _places(shaping: dict[str, dict], given: set[str]) -> dict[str, dict]:
    return {
        place: fields if place in given or "rate" not in fields else {"burst": BUCKET} | fields
        for place, fields in shaping.items()
    }
