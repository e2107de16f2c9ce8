"""The executed notebooks as pages of the site, with the charts behind their pictures."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import nbformat

from remeasure.paper.notebook.opening_answer import Answer
from remeasure.paper.publication import Publication
from remeasure.paper.publish.site.chart_files import chart_links

_FIGURE = re.compile(
    r'(<figure class="chart"[^>]* data-chart="([\w-]+)">.*?)(</figure>)', re.DOTALL
)

_OWN_LINK = re.compile(r"\]\(#[\w-]+\)")
"""a link to a heading of the same page; MyST names headings in small letters, Jupyter does not"""


def write_notebooks(
    folder: Path,
    notebooks: Mapping[str, Path],
    handed: Mapping[str, Path],
    answers: Mapping[str, Answer],
    publication: Publication,
) -> None:
    """Write every notebook into `folder`, and a list of them by what they answer. `notebooks`: name
    -> executed notebook; `handed`: name -> folder that it handed over; `answers`: name -> answer,
    of those that have one. Below each chart is what `publication` says of its licence."""
    folder.mkdir()
    for name, path in notebooks.items():
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _OWN_LINK.sub(lambda link: link[0].lower(), cell.source)
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/html" in data:
                    data["text/html"] = with_charts(
                        data["text/html"],
                        handed[name] / "figures",
                        partial(chart_links, notebook=name, publication=publication),
                    )
        nbformat.write(notebook, folder / f"{name}.ipynb")
    lines = [
        f"- **[{answers[name].question}]({name})** {answers[name].short}"
        if name in answers
        else f"- [{name}]({name})"
        for name in notebooks
    ]
    toc = ["```{toctree}", ":hidden:", "", *notebooks, "```"]
    (folder / "index.md").write_text("\n".join(["# Notebooks", "", *lines, "", *toc, ""]))


def with_charts(page: str, figures: Path, below: Callable[[str], str]) -> str:
    """The HTML with the specification of each chart beside its picture, and under it what `below`
    makes of the chart's name."""

    def with_chart(match: re.Match[str]) -> str:
        specification = json.loads((figures / f"{match[2]}.json").read_text())
        # "</" would end the script.
        document = json.dumps(specification).replace("</", "<\\/")
        data = f'<script type="application/json">{document}</script>'
        return f"{match[1]}{data}\n{match[3]}\n{below(match[2])}"

    return _FIGURE.sub(with_chart, page)
