"""Sentences about a count, which read differently for none and for one."""


def in_words(count: int, *, none: str, one: str, many: str) -> str:
    """`none` for 0, `one` for 1, else `many` with the count in place of {}."""
    return {0: none, 1: one}.get(int(count), many).format(int(count))
