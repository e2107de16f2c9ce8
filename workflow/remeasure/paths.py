"""Folders of the project, and the cache of the user who runs it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "config"
RAW = ROOT / "data" / "raw"
PUBLISHED = ROOT / "data" / "published"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ipsec-remeasured"
