"""An executed notebook as one HTML file."""

from pathlib import Path

import nbconvert
from nbconvert.preprocessors import TagRemovePreprocessor
from nbformat import NotebookNode

from remeasure.publish.executed import LEFT_OUT, OUTPUT_ALONE

_TEMPLATE = Path(__file__).parent


def page_html(notebook: NotebookNode) -> str:
    """The page of a notebook that publish.executed.arranged has made ready."""
    exporter = nbconvert.HTMLExporter(
        template_name=_TEMPLATE.name, extra_template_basedirs=[str(_TEMPLATE.parent)]
    )
    left_out = TagRemovePreprocessor(remove_cell_tags={LEFT_OUT}, remove_input_tags={OUTPUT_ALONE})
    exporter.register_preprocessor(left_out, enabled=True)
    return exporter.from_notebook_node(notebook)[0]
