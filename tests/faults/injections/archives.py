"""Faults of block archives."""

from injections import injection


@injection
def cut(ground, size: int) -> None:
    """Keep so many bytes of the block; a negative number is left out at its end."""
    ground.block.write_bytes(ground.block.read_bytes()[:size])
