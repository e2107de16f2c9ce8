"""Configuration of the site. `remeasure site` copies this folder, adds the pages that are made from
results, and runs Sphinx on the copy."""

import json
from pathlib import Path

HERE = Path(__file__).parent
_made = json.loads((HERE / "made.json").read_text())
"""title, version, authors and address of the repository"""

project = _made["title"]
author = copyright = _made["authors"]
version = release = _made["version"]
language = "en"

extensions = ["myst_nb", "sphinx_design"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]

html_theme = "pydata_sphinx_theme"
html_title = "ipsec-remeasured"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["charts.js", "ledger.js", "scroll.js"]
html_copy_source = False
html_context = {"default_mode": "auto"}
html_extra_path = ["paper.pdf"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_last_updated_fmt = None
# Only notebooks and walks have pages beside them.
html_sidebars = {"*": [], "notebooks/*": ["sidebar-nav-bs"], "walks/*": ["sidebar-nav-bs"]}
html_theme_options = {
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 9,
    "show_prev_next": False,
    # A figure as wide as a page of the paper needs the room.
    "secondary_sidebar_items": {"*": ["page-toc"], "walks/*": ["page-toc"], "notebooks/*": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    **({"github_url": _made["repository"]} if "github.com" in (_made["repository"] or "") else {}),
}
