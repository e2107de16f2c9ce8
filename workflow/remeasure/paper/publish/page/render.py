"""An executed notebook as one HTML file. Pages are made separately, since the paper needs none."""

from pathlib import Path

import nbconvert
from nbconvert.preprocessors import TagRemovePreprocessor
from nbformat import NotebookNode

from remeasure.bench.base.files import atomic_write
from remeasure.paper.publish.execution.executed import LEFT_OUT, OUTPUT_ALONE, with_answer

_TEMPLATE = Path(__file__).parent
DARK = _TEMPLATE / "dark.css"
"""style of charts on a dark page, also on the site"""


def page_html(notebook: NotebookNode) -> str:
    """The page of a notebook prepared by publish.execution.executed.arranged."""
    exporter = nbconvert.HTMLExporter(
        template_name=_TEMPLATE.name, extra_template_basedirs=[str(_TEMPLATE.parent)]
    )
    left_out = TagRemovePreprocessor(remove_cell_tags={LEFT_OUT}, remove_input_tags={OUTPUT_ALONE})
    exporter.register_preprocessor(left_out, enabled=True)
    return exporter.from_notebook_node(notebook)[0]


def write_page(notebook: Path, handed: Path, page: Path) -> None:
    """Write the page of an executed notebook that `publish.execution.run.run_notebook` wrote, and
    of the results that it `handed` over."""
    page.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(page, page_html(with_answer(notebook, handed)))
