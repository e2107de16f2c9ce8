"""What the first page shows of results: one chart of effects, and the answers."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from remeasure.paper.notebook.figure_html import caption, figure_html
from remeasure.paper.notebook.opening_answer import Answer
from remeasure.paper.publication import Publication
from remeasure.paper.publish.site.chart_files import chart_links
from remeasure.paper.publish.site.notebook_pages import with_charts

FIRST = ("psk_rsa", "replay_window", "esp_instructions", "eap_methods")
"""notebooks whose answers are on the first page, in this order"""
_NOTEBOOK, _CHART = "claims", "claims-effects"
"""the chart of the first page, and the notebook that makes it"""


def effects_figure(handed: Mapping[str, Path], publication: Publication) -> str:
    """The chart of published and measured effects (HTML)."""
    figures = handed[_NOTEBOOK] / "figures"
    picture = (figures / f"{_CHART}.svg").read_text()
    figure = figure_html("effects", _CHART, picture, caption(figures / f"{_CHART}.json"))
    links = partial(chart_links, notebook=_NOTEBOOK, publication=publication, up="")
    return with_charts(figure, figures, links) + "\n"


def cards(answers: Mapping[str, Answer]) -> str:
    """A card for each answer: question, result, where it holds, and a link to the notebook
    (Markdown of sphinx-design)."""
    lines = [":::::{grid} 1 1 2 2", ":gutter: 3", ""]
    for notebook in FIRST:
        answer = answers[notebook]
        lines += [
            f"::::{{grid-item-card}} {answer.question}",
            "",
            answer.short,
            "",
            ":::{div} limits",
            f"**Valid for** {answer.valid_for}. **Not for** {answer.not_for}.",
            ":::",
            "",
            f"[How we know: notebook {notebook}](notebooks/{notebook})",
            "::::",
            "",
        ]
    return "\n".join([*lines, ":::::", ""])
