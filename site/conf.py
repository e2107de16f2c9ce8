"""Configuration of the site. `remeasure site` copies this folder, adds the pages that are made from
results, and runs Sphinx on the copy."""

import json
import re
from pathlib import Path

from docutils import nodes

from remeasure.paper.analysis.texts import unbroken

HERE = Path(__file__).parent
_made = json.loads((HERE / "made.json").read_text())
"""title, version, date, authors, addresses of repository and site, and the mark of a preview"""

GROUPS = {
    "Choose": [
        ("guide", "Choose settings"),
        ("tunnel", "My tunnel"),
        ("replay_windows", "For implementers: the window"),
    ],
    "Evidence": [
        ("notebooks/index", "Notebooks"),
        ("ledger", "Ledger"),
        ("trust", "How far to trust this"),
        ("walks/index", "Raw logs"),
        ("method", "Method"),
        ("glossary", "Glossary"),
    ],
    "Reuse": [
        ("data", "Load the data"),
        ("reproduce", "Measure yourself"),
        ("proposal_window", "For maintainers: the window"),
        ("proposal_sizes", "For maintainers: its size"),
        ("proposal_clear", "For maintainers: leaks"),
        ("proposal_modes", "For maintainers: modes"),
        ("cite", "Cite"),
        ("paper.pdf", "Paper (PDF)"),
    ],
}
"""group of the navigation -> its pages and their names, in order"""

project = _made["title"]
author = copyright = _made["authors"]
version = release = _made["version"]
language = "en"

extensions = ["myst_nb", "sphinx_design"]
exclude_patterns = ["findings*.md"]  # of the README
nb_execution_mode = "off"
nb_render_markdown_format = "gfm"  # answers have tables
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]
if _made["preview"]:  # what was not measured is left out, and links to it are words
    suppress_warnings += ["myst.xref_missing"]

html_theme = "pydata_sphinx_theme"
html_title = "ipsec-remeasured"
html_static_path = ["_static"]
# dark.css is the one that pages of notebooks have (publish.page.render).
html_css_files = ["site.css", "dark.css"]
html_js_files = ["charts.js", "copy.js", "explore.js", "ledger.js", "scroll.js", "stack.js"]
html_copy_source = False
templates_path = ["_templates"]
_address = _made["site"] and _made["site"].rstrip("/") + "/"
html_context = {
    "default_mode": "auto",
    "groups": GROUPS,
    "address": _address,
    "date": _made["date"],
}
html_extra_path = ["extra", "paper.pdf"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_last_updated_fmt = None
# Only notebooks and walks have pages next to them.
html_sidebars = {"*": [], "notebooks/*": ["sidebar-nav-bs"], "walks/*": ["sidebar-nav-bs"]}
html_theme_options = {
    # Above every page.
    **({"announcement": _made["preview"]} if _made["preview"] else {}),
    "navbar_center": ["navbar-groups"],
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    # A figure as wide as a page of the paper needs the space.
    "secondary_sidebar_items": {
        "*": ["page-toc"],
        "tunnel": [],
        "walks/*": ["page-toc"],
        "notebooks/*": [],
    },
    "footer_start": ["edition"],
    "footer_end": [],
    **({"github_url": _made["repository"]} if "github.com" in (_made["repository"] or "") else {}),
}

_LONG_ENOUGH, _LONGEST = 100, 300
"""a description has at least so many letters, if there are so many, and at most so many"""


def _list_pages(app, docname, source):
    """Give the first page a toctree of all pages of GROUPS."""
    if docname == "index":
        pages = "\n".join(page for of in GROUPS.values() for page, _ in of if page != "paper.pdf")
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"


def _described(app, pagename, templatename, context, doctree):
    """Describe each page by its own first paragraphs."""
    said = ""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        said = f"{said} {' '.join(paragraph.astext().split())}".strip()
        if len(said) >= _LONG_ENOUGH:
            break
    # Cut after a sentence, or else after a word.
    cut = re.match(rf".{{1,{_LONGEST}}}(?:[.?!](?= |$)|$)", said) or re.match(
        rf".{{1,{_LONGEST}}}(?= |$)", said
    )
    context["description"] = cut[0] if cut else ""


def _keep_together(app, doctree):
    """Keep numbers and their units in one line, except in text that readers copy. My tunnel writes
    texts by script, which compares them with the page's."""
    if app.env.docname == "tunnel":
        return
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, (nodes.literal, nodes.FixedTextElement, nodes.raw)):
            text.parent.replace(text, nodes.Text(unbroken(text.astext())))


def setup(app):
    app.connect("source-read", _list_pages)
    app.connect("doctree-read", _keep_together)
    app.connect("html-page-context", _described)
