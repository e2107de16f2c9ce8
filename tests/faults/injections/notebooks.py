"""Faults of notebooks, and of the tables that they read."""

import nbformat
import pyarrow as pa
import pyarrow.parquet as pq

from injections import injection
from injections.files import _path


@injection
def cells(ground, sources: list[str]) -> None:
    """The cells of notebooks/tried.ipynb, of code all of them."""
    filled = [source.format(**ground.names) for source in sources]
    parameters = nbformat.v4.new_code_cell(
        "blocks = []\nout = ''", metadata={"tags": ["parameters"]}
    )
    made = nbformat.v4.new_notebook(
        cells=[parameters, *map(nbformat.v4.new_code_cell, filled)],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    nbformat.write(made, _path(ground, "notebooks/tried.ipynb"))


@injection
def file_cut(ground, sizes: dict[str, int]) -> None:
    """File -> how many bytes of it are kept."""
    for name, size in sizes.items():
        path = _path(ground, name)
        path.write_bytes(path.read_bytes()[:size])


@injection
def file_flipped(ground, places: dict[str, int]) -> None:
    """File -> the byte of which one bit is changed."""
    for name, place in places.items():
        content = bytearray(_path(ground, name).read_bytes())
        content[place] ^= 0x10
        _path(ground, name).write_bytes(content)


@injection
def column(ground, changes: dict[str, dict[str, object]]) -> None:
    """Parquet file -> {column: its new name, or {type: its new type}}; what the file says of itself
    stays."""
    for name, edits in changes.items():
        path = _path(ground, name)
        table = pq.read_table(path)
        metadata = table.schema.metadata
        for old, new in edits.items():
            at = table.schema.get_field_index(old)
            if isinstance(new, dict):
                cast = table.column(at).cast(getattr(pa, str(new["type"]))())
                table = table.set_column(at, old, cast)
            else:
                names = [new if name == old else name for name in table.column_names]
                table = table.rename_columns(names)
        pq.write_table(table.replace_schema_metadata(metadata), path)
