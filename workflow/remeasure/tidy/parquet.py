"""How Parquet files are written and read: each page has a checksum, which is compared."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from remeasure.errors import UserError

WRITTEN: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
"""options of every file that is written"""


def read_parquet(path: Path, filters: Sequence[tuple] | None = None) -> pa.Table:
    """The table in a file; `filters`: (column, operator, value) of the rows to read. Raises
    UserError if the file is missing or damaged."""
    try:
        return pq.read_table(path, filters=filters, page_checksum_verification=True)
    except FileNotFoundError:
        raise UserError(f"{path}: no such table; make it with snakemake") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{path}: damaged table ({why}); make it again with snakemake") from None
