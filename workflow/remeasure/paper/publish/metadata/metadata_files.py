"""The files of metadata that stand in the repository."""

import json
from pathlib import Path
from typing import Any

from remeasure.bench.base.atomic import atomic_write
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publication import Publication, load_publication
from remeasure.paper.publish.metadata.citation import citation
from remeasure.paper.publish.metadata.zenodo import zenodo


def texts(publication: Publication) -> dict[str, str]:
    """Name of a file -> its text."""
    return {
        "CITATION.cff": citation(publication),
        ".zenodo.json": as_json(zenodo(publication)),
    }


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def write_metadata() -> list[Path]:
    """Write them all. Returns their paths. Raises UserError."""
    made = {ROOT / name: text for name, text in texts(load_publication()).items()}
    for path, text in made.items():
        atomic_write(path, text)
    return list(made)
