"""Whatever is changed in a block, it gives tables that do not contradict it, or one line."""

import pytest
from block_changes import mutated
from mutations import bases, read

TRIED = 25
"""blocks of each kind; `python tests/tidy/mutations.py` tries more"""


@pytest.mark.parametrize("which", range(3), ids=["format 1", "present", "outside a campaign"])
def test_a_block_with_something_changed(tmp_path, which):
    block = bases(tmp_path)[which]
    content, tables = block.read_bytes(), tmp_path / "tables"
    assert read(block, tables) == "read"
    for seed in range(TRIED):
        block.write_bytes(mutated(content, seed))
        try:
            read(block, tables)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
