"""Values that a probe reads from a log."""


def values_of(probe, name: str, content: bytes) -> dict[str, list[float]]:
    """Metric -> its values, in order."""
    values: dict[str, list[float]] = {}
    for observation in probe.parse(name, content):
        values.setdefault(observation.metric, []).append(observation.value)
    return values
