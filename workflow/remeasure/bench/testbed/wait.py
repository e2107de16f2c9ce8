"""Shell lines that wait for something on a host, for a limited time."""


def wait_until(condition: str, otherwise: str, steps: int = 100, pause_s: float = 0.05) -> str:
    """A shell line that ends once the command `condition` succeeds.

    The command is tried every `pause_s` seconds. After `steps` pauses the commands `otherwise` run;
    they say why, and end the script (or, with `break`, only the waiting).
    """
    return (
        f"n=0; until {condition}; do n=$((n+1)); "
        f"[ $n -le {steps} ] || {{ {otherwise}; }}; sleep {pause_s:g}; done"
    )


def fail(complaint: str) -> str:
    """Commands that end a script with an error; `complaint` is plain words, without quotes."""
    return f"echo '{complaint}' >&2; exit 1"


def fail_showing(file: str) -> str:
    """Commands that end a script with an error, whose text is what a program wrote to `file`."""
    return f"cat {file} >&2; exit 1"
