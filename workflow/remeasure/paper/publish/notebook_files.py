"""Notebooks as the repository has them: their cells with the outputs of the build, which a reader
sees without running anything, and an index of them."""

import base64
import html
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
import vl_convert
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS
from remeasure.paper.notebook.opening_answer import GROUPS, group_heading, read_answers
from remeasure.paper.notebook.pictures import SCALE, caption
from remeasure.paper.publish.execution.executed import ANSWER, plain, tags_of, with_answer
from remeasure.paper.words import words_of

INDEX = NOTEBOOKS / "index.ipynb"
_LARGEST = 1_000_000
"""size of a notebook from which the repository's page may not show it [byte]"""
_COLOURS = 64
"""colours of a PNG; more make it several times as large"""
_PNG, _HTML, _SVG, _WORDS = "image/png", "text/html", "image/svg+xml", "text/markdown"
_INTERACTIVE = "application/vnd.vegalite.v5+json"
"""the newest form of charts that JupyterLab draws"""
_EMBEDDED = {
    "actions": False,
    "renderer": "svg",
    "defaultStyle": f".vega-embed svg {{ zoom: {SCALE}; }}",
}
"""JupyterLab draws charts of the paper's size as large as on a page"""
_FIGURE = re.compile(
    r'<figure(?:[^>]* data-chart="(?P<chart>[\w-]+)")?[^>]*>\n'
    r'<p class="title"[^>]*>(?P<title>[^<]*)</p>\n(?P<svg><svg.*</svg>)\n'
    r"<figcaption[^>]*>(?P<says>[^<]*)</figcaption>",
    re.DOTALL,
)
"""the HTML that notebook.pictures makes"""


def write_notebooks(results: Path) -> list[Path]:
    """Write the outputs of the build in `results` into the notebooks in notebooks/, and the index.
    Returns the files that changed: others keep their time. Raises UserError for a notebook that is
    newer than the build, and for one that is too large for the repository's page."""
    handed = {folder.name: folder for folder in sorted((results / "handed").glob("*"))}
    if not handed:
        raise UserError(f"{results}: nothing is built; run env/run snakemake --cores 4 first")
    texts, charts = {}, {}
    for name, folder in handed.items():
        path = NOTEBOOKS / name / f"{name}.ipynb"
        outputs = _outputs(path, results / "notebooks" / path.name, folder)
        for interactive in (True, False):
            filled = _filled(path, outputs, folder / "figures", interactive)
            texts[path] = nbformat.writes(filled) + "\n"
            if len(texts[path].encode()) < _LARGEST:
                break
        charts[name] = _chart_of(filled)
    texts[INDEX] = nbformat.writes(_index(handed, charts)) + "\n"
    for path, text in texts.items():
        if len(text.encode()) >= _LARGEST:
            raise UserError(f"{path}: found {len(text)} bytes, expected under 1 MB; cut a table")
    changed = [path for path in texts if not path.exists() or path.read_text() != texts[path]]
    for path in changed:
        atomic_write(path, texts[path])
    return changed


def _outputs(path: Path, executed: Path, handed: Path) -> dict[str, list[NotebookNode]]:
    """Id of a cell -> its outputs, as the notebook in `path` was executed."""
    if not executed.exists():
        raise UserError(f"{executed}: no such file; run env/run snakemake --cores 4 first")
    ran = {cell.id: cell for cell in with_answer(executed, handed).cells}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.id not in ran or ran[cell.id].source != cell.source:
            raise UserError(
                f"{path}: cell {cell.id}: newer than {executed}; run env/run snakemake --cores 4 "
                "first"
            )
    return {name: cell.outputs for name, cell in ran.items() if cell.cell_type == "code"}


def _filled(
    path: Path, outputs: Mapping[str, list[NotebookNode]], figures: Path, interactive: bool
) -> NotebookNode:
    notebook = plain(nbformat.read(path, as_version=4))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            parts = (part for one in outputs[cell.id] for part in _kept(one, figures, interactive))
            cell.outputs = list(parts)
    return notebook


def _kept(output: NotebookNode, figures: Path, interactive: bool) -> Iterator[NotebookNode]:
    """An output in forms that GitHub and JupyterLab show: a chart as a small PNG and, if
    `interactive`, as its specification in the folder `figures`, between title and caption."""
    data = dict(output.get("data", {}))
    figure = _FIGURE.match(data.get(_HTML, ""))
    if not data:
        yield output
    elif figure:
        chart, how = {_PNG: _png(figure["svg"])}, {}
        if interactive and figure["chart"]:
            chart[_INTERACTIVE] = json.loads((figures / f"{figure['chart']}.json").read_text())
            how = {_INTERACTIVE: {"embed_options": _EMBEDDED}}
        yield new_output("display_data", {_WORDS: f"**{html.unescape(figure['title'])}**"})
        yield new_output("display_data", chart, metadata=how)
        if figure["says"]:
            yield new_output("display_data", {_WORDS: html.unescape(figure["says"])})
    elif "<figure" in data.get(_HTML, ""):
        raise ValueError(f"a figure unlike pictures.figure_html: {data[_HTML][:200]!r}")
    elif _SVG in data:
        yield new_output("display_data", {_PNG: _png(data[_SVG])})
    else:
        shown = {kind: data[kind] for kind in (_HTML, _WORDS) if kind in data}
        yield new_output("display_data", shown or data)


def _png(svg: str) -> str:
    """The picture as a PNG of few colours, in base 64."""
    made = Image.open(io.BytesIO(vl_convert.svg_to_png(svg, ppi=72))).convert("RGBA")
    page = Image.new("RGBA", made.size, "white")
    file = io.BytesIO()
    whole = Image.alpha_composite(page, made).convert("RGB")
    whole.quantize(_COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def _chart_of(notebook: NotebookNode) -> str | None:
    outputs = (one for cell in notebook.cells if ANSWER in tags_of(cell) for one in cell.outputs)
    return next((one.data[_PNG] for one in outputs if _PNG in one.get("data", {})), None)


def _index(handed: Mapping[str, Path], charts: Mapping[str, str | None]) -> NotebookNode:
    """The notebook that lists all others, by group, each with one line of answer, and a chart with
    its caption."""
    answers = read_answers(handed)
    folded = {"jupyter": {"source_hidden": True}}
    imports = "from remeasure.paper.notebook import chart_of"
    cells = [
        new_markdown_cell(words_of(__file__, "notebook-files")["opening"], id="title"),
        new_code_cell(imports, id="imports", metadata=folded),
    ]
    for group in GROUPS:
        cells.append(new_markdown_cell(group_heading(group), id=group))
        for name in (name for name, answer in answers.items() if answer.group == group):
            line = f"**[{answers[name].question}]({name}/{name}.ipynb)** {answers[name].line}"
            cells.append(new_markdown_cell(line, id=name))
            if chart := charts[name]:
                shown = [new_output("display_data", {_PNG: chart})]
                code = {"id": f"{name}-chart", "metadata": folded, "outputs": shown}
                cells.append(new_code_cell(f'chart_of("{name}")', **code))
                figure = f"figures/{Name.of_notebook(name).prefix}-{answers[name].figure}.json"
                says = caption(handed[name] / figure)
                cells.append(new_markdown_cell(says, id=f"{name}-caption"))
    notebook: NotebookNode = new_notebook(cells=cells, metadata=plain(new_notebook()).metadata)
    return notebook
