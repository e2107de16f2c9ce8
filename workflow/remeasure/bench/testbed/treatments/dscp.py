"""Classes of traffic: the DSCP in a packet's header (RFC 2474), by name (RFC 2597, 3246, 4594)."""

DSCP_PATTERN = r"^(?:ef|cs[0-7]|af[1-4][1-3]|[0-9]|[1-5][0-9]|6[0-3])$"


def dscp(name: str) -> int:
    """'ef' -> 46, 'cs5' -> 40, 'af41' -> 34, '46' -> 46. `name` is as of DSCP_PATTERN."""
    if name == "ef":
        return 46
    if name.startswith("cs"):
        return 8 * int(name[2])
    if name.startswith("af"):
        return 8 * int(name[2]) + 2 * int(name[3])
    return int(name)
