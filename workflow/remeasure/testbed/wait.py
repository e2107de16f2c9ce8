"""Lines of shell that wait for something on a host, for a limited time."""


def wait_until(condition: str, otherwise: str, steps: int = 100, pause_s: float = 0.05) -> str:
    """A line that ends once the command `condition` succeeds.

    It is tried every `pause_s` seconds. After `steps` pauses in vain the commands `otherwise` run;
    they say why, and end the script (or, by `break`, the waiting).
    """
    return (
        f"n=0; until {condition}; do n=$((n+1)); "
        f"[ $n -le {steps} ] || {{ {otherwise}; }}; sleep {pause_s:g}; done"
    )


def fail(complaint: str) -> str:
    """Commands that end a script with an error; `complaint` is plain words."""
    return f"echo '{complaint}' >&2; exit 1"


def fail_showing(file: str) -> str:
    """Commands that end a script with what a program wrote to `file` as the error."""
    return f"cat {file} >&2; exit 1"
