"""Folders of the project, and the cache of the user who runs it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
CONFIG = ROOT / "config"
NOTEBOOKS = ROOT / "notebooks"
"""a folder per scenario: its file, its notebook, its questions, its answer"""
STAMP = ROOT / ".commit"
"""in a bundle, which has no git repository: the commit behind it"""
RAW = ROOT / "data" / "raw"
SECRETS = ROOT / ".secrets"
PUBLISHED = ROOT / "data" / "published"
_HOME = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none
"""of the user; relative if neither HOME nor the list of users has one"""
_CACHES = os.environ.get("XDG_CACHE_HOME") or (_HOME if _HOME.is_absolute() else ROOT) / ".cache"
CACHE = Path(_CACHES) / "ipsec-remeasured"
