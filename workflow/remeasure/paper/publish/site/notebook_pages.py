"""The executed notebooks as pages of the site, with the charts behind their pictures."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import vl_convert

from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import scenario_path
from remeasure.paper.notebook.opening_answer import GROUPS, OpeningAnswer, group_heading
from remeasure.paper.notebook.pictures import caption, figure_html
from remeasure.paper.notebook.trace.origins_record import drawn_rows
from remeasure.paper.publication import LICENCES, Publication
from remeasure.paper.publish.execution.executed import plain, with_answer
from remeasure.paper.publish.paper_macros import figure_source
from remeasure.paper.publish.templates import macros

CHARTS, NOTEBOOKS, SCENARIOS = "charts", "notebooks", "scenarios"
"""folders of the site"""
_SHARP = 144
"""resolution of a PNG: two pixels for each point of the paper [pixel/inch]"""
_PAGE = macros(__file__)


def write_chart_files(folder: Path, handed: Mapping[str, Path]) -> None:
    """Write into `folder` each chart as SVG, PNG and CSV, each notebook as a file that runs in a
    clone, and the file of its scenario. `handed`: notebook -> folder of its results."""
    for part in (CHARTS, NOTEBOOKS, SCENARIOS):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for notebook, of in handed.items():
        for file in sorted((of / "figures").glob("*.svg")):
            picture = file.read_text()
            path = folder / CHARTS / file.name
            path.write_text(picture)
            path.with_suffix(".png").write_bytes(vl_convert.svg_to_png(picture, ppi=_SHARP))
            _write_csv(path.with_suffix(".csv"), json.loads(file.with_suffix(".json").read_text()))
        own = plain(nbformat.read(ROOT / NOTEBOOKS / notebook / f"{notebook}.ipynb", as_version=4))
        nbformat.write(own, folder / NOTEBOOKS / f"{notebook}.ipynb")
        if (scenario := _scenario_of(notebook)) is not None:
            shutil.copy(
                scenario, folder / SCENARIOS / f"{Name.of_notebook(notebook).scenario}.yaml"
            )


def chart_links(chart: str, notebook: str, publication: Publication, up: str = "../") -> str:
    """The line under a chart (HTML); `up` leads from its page to the first page's folder."""
    data = publication.data_licence
    kinds = {"csv": "Data (CSV)", "svg": "SVG", "png": "PNG"}
    links = {f"{up}{CHARTS}/{chart}.{kind}": words for kind, words in kinds.items()}
    links[f"{up}{NOTEBOOKS}/{notebook}.ipynb"] = "Notebook"
    if _scenario_of(notebook) is not None:
        links[f"{up}{SCENARIOS}/{Name.of_notebook(notebook).scenario}.yaml"] = "Scenario"
    cite, source = f"{up}cite.html", figure_source(notebook, chart)
    return str(_PAGE.chart_links(source, links, data, LICENCES.get(data), cite))


def _scenario_of(notebook: str) -> Path | None:
    """The file of the notebook's scenario; None for the notebook of all studies."""
    path = scenario_path(Name.of_notebook(notebook).scenario)
    return path if path.exists() else None


def _write_csv(path: Path, specification: dict[str, Any]) -> None:
    """Write the rows that the chart draws, with all their columns."""
    table = pd.DataFrame(drawn_rows(specification), dtype=object)
    table.to_csv(path, index=False, lineterminator="\n")


_FIGURE = re.compile(
    r'(<figure class="chart"[^>]* data-chart="([\w-]+)">.*?)(</figure>)', re.DOTALL
)

_OWN_LINK = re.compile(r"\]\(#[\w-]+\)")
"""a link to a heading of the same page; MyST names headings in small letters, Jupyter does not"""


def write_notebooks(
    folder: Path,
    notebooks: Mapping[str, Path],
    handed: Mapping[str, Path],
    answers: Mapping[str, OpeningAnswer],
    publication: Publication,
) -> None:
    """Write every notebook into `folder`, and a list of them by group. `notebooks`: name ->
    executed notebook; `handed`: name -> folder of its results; `answers`: name -> answer. Below
    each chart is the licence of `publication`."""
    folder.mkdir()
    for name, path in notebooks.items():
        notebook = with_answer(path, handed[name])
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _OWN_LINK.sub(lambda link: link[0].lower(), cell.source)
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/html" in data:
                    data["text/html"] = with_charts(data["text/html"], handed[name], publication)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    lines = ["# Notebooks", ""]
    for group, title in GROUPS.items():
        own = [name for name in notebooks if name in answers and answers[name].group == group]
        if not own:
            continue
        lines += [group_heading(group), ""]
        lines += [f"- **[{answers[name].question}]({name})** {answers[name].line}" for name in own]
        lines += ["", "```{toctree}", ":hidden:", f":caption: {title}", "", *own, "```", ""]
    (folder / "index.md").write_text("\n".join(lines))


def with_charts(page: str, folder: Path, publication: Publication, up: str = "../") -> str:
    """The HTML with the specification of each chart next to its picture, and `chart_links` under
    it. `folder`: of the notebook's results."""

    def with_chart(match: re.Match[str]) -> str:
        specification = json.loads((folder / "figures" / f"{match[2]}.json").read_text())
        # "</" would end the script.
        document = json.dumps(specification).replace("</", "<\\/")
        data = f'<script type="application/json">{document}</script>'
        links = chart_links(match[2], folder.name, publication, up)
        return f"{match[1]}{data}\n{match[3]}\n{links}"

    return _FIGURE.sub(with_chart, page)


def chart_texts(handed: Mapping[str, Path], publication: Publication) -> dict[str, str]:
    """Name on a page -> chart with its caption and files (HTML), of each that was handed over:
    'chart_claims_forest'."""
    texts = {}
    for folder in handed.values():
        for picture in sorted((folder / "figures").glob("*.svg")):
            name, says = picture.stem, caption(picture.with_suffix(".json"))
            figure = figure_html(name, name, picture.read_text(), says)
            whole = with_charts(figure, folder, publication, up="")
            texts[f"chart_{name.replace('-', '_')}"] = f"{whole}\n"
    return texts
