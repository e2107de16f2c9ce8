"""For readers of notebooks: a chart that they change, and the charts of the index."""

import base64
import json

from IPython.display import HTML, Image, Markdown

from remeasure.bench.base.paths import NOTEBOOKS
from remeasure.paper.digits import rounded_chart
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.pictures import figure_html, svg_of
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.trace.origins_record import chart_and_marks


def play(
    notebook: ScenarioNotebook, metric: str, by: str, *, probe: str | None = None, **at: str
) -> HTML | Markdown:
    """A chart of `metric` (of `probe`) for each level of factor `by`, in trials with the levels
    `at` of other factors. An unknown metric or level is answered by a list of the known ones."""
    found = notebook.summaries
    known = {name: sorted(found[name].unique()) for name in ("metric", "probe")}
    known |= {factor: notebook.measured(factor) for factor in (by, *at) if factor in found}
    known["by"] = sorted({*notebook.tables.between, *({by} & {*found})})
    chosen = {"metric": metric, "by": by, **({"probe": probe} if probe else {}), **at}
    for name, level in chosen.items():
        if level not in known.get(name, []):
            listed = ", ".join(known.get(name, notebook.tables.between))
            return Markdown(f"{name}: found {level!r}, expected one of: {listed}")
    question: asked.Asked = {"metric": metric, "at": at}
    if probe:
        question["probe"] = probe
    says = ", ".join([metric, *(f"{factor} {level}" for factor, level in at.items())])
    rows, marks = asked.each(by, known[by]), {says: question}
    if asked.points(notebook, rows, marks).empty:
        return Markdown(f"{says}: not measured together")
    chart = asked.chart(notebook, rows, marks, legend="", x_title=f"{metric} ({{unit}})")
    picture = svg_of(rounded_chart(chart_and_marks(chart)[0]))
    return HTML(figure_html("play", "", picture, f"{says}."))


def chart_of(notebook: str) -> Image | Markdown:
    """The chart with the answer of a notebook, as its file shows it."""
    path = NOTEBOOKS / notebook / f"{notebook}.ipynb"
    for cell in json.loads(path.read_text())["cells"]:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                return Image(base64.b64decode("".join(output["data"]["image/png"])))
    return Markdown(f"Run notebook `{notebook}` to see its chart.")
