"""The executed notebooks as pages of the site, with the charts behind their pictures."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import nbformat

from remeasure.publish.answers import Answer

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
) -> None:
    """Write every notebook into `folder`, and a list of them by what they answer. `notebooks`: name
    -> executed notebook; `handed`: name -> folder that it handed over; `answers`: name -> answer,
    of those that have one."""
    folder.mkdir()
    for name, path in notebooks.items():
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _OWN_LINK.sub(lambda link: link[0].lower(), cell.source)
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/html" in data:
                    data["text/html"] = _with_charts(data["text/html"], handed[name] / "figures")
        nbformat.write(notebook, folder / f"{name}.ipynb")
    lines = [
        f"- **[{answers[name].question}]({name})** {answers[name].short}"
        if name in answers
        else f"- [{name}]({name})"
        for name in notebooks
    ]
    toc = ["```{toctree}", ":hidden:", "", *notebooks, "```"]
    (folder / "index.md").write_text("\n".join(["# Notebooks", "", *lines, "", *toc, ""]))


def _with_charts(page: str, figures: Path) -> str:
    """The HTML with the specification of each chart beside its picture."""

    def with_chart(match: re.Match[str]) -> str:
        specification = json.loads((figures / f"{match[2]}.json").read_text())
        # "</" would end the script.
        document = json.dumps(specification).replace("</", "<\\/")
        return f'{match[1]}<script type="application/json">{document}</script>\n{match[3]}'

    return _FIGURE.sub(with_chart, page)
