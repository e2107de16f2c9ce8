"""Results of notebooks in the paper: numbers, captions, cautions."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS, ROOT
from remeasure.paper.notebook.as_latex import escape
from remeasure.paper.notebook.cautions import as_macros
from remeasure.paper.notebook.handed_number import HandedNumber, HandedNumbers
from remeasure.paper.notebook.pictures import caption, pdf_of
from remeasure.paper.notebook.preview import mark_of_results
from remeasure.paper.publish.included import printed_in_paper
from remeasure.paper.publish.prose import states


def captions(figures: Iterable[Path]) -> str:
    r"""The lines that define \says{<figure>}: the caption of each of the `figures` (paths of their
    SVG), and its source."""
    lines = []
    for picture in sorted(figures):
        says = _WARNING.sub("", caption(picture.with_suffix(".json")))
        source = figure_source(picture.parents[1].name, picture.stem)
        text = _UNIT.sub(r"\1~", escape(f"{says} Source: {source}."))
        lines.append(rf"\expandafter\newcommand\csname says:{picture.stem}\endcsname{{{text}}}")
    return "".join(f"{line}\n" for line in lines)


_UNIT = re.compile(r"(\d) (?=\\%|ms\b|B\b|Mbit)")
"""the space between a number and its unit, at which no line is broken"""
_WARNING = re.compile(r" [^.]* must not be deployed[^.]*\.")
"""the warning in a caption, which the text of the paper has once for all figures"""
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def figure_source(notebook: str, figure: str) -> str:
    """The notebook and section that make a figure (stem of its files), and the tables behind it:
    'notebook psk_rsa, "Set-up"; data/tidy/psk-rsa'."""
    name, section, folder = Name.of_notebook(notebook), "", NOTEBOOKS / notebook
    own = re.escape(figure.removeprefix(f"{name.prefix}-"))
    made = re.compile(rf'results\.(figure|picture)\(\s*"{own}"')
    for cell in json.loads((folder / f"{notebook}.ipynb").read_text())["cells"]:
        source = "".join(cell["source"])
        if found := made.search(source):
            section = f', "{section}"' if section else ""
            tidy = f"data/tidy/{name.scenario}"
            places = {tidy: folder / "scenario.yaml", f"{tidy}.parquet": ROOT / f"{tidy}.parquet"}
            data = next((one for one, there in places.items() if there.exists()), "data/copied")
            return f"notebook {notebook}{section}" + (f"; {data}" if found[1] == "figure" else "")
        if cell["cell_type"] == "markdown":
            section = (_HEADING.findall(source) or [section])[-1].replace("`", "")
    return f"notebook {notebook}"


def read_numbers(handed: Iterable[Path]) -> dict[str, HandedNumber]:
    """All numbers of all notebooks: macro -> number, from the `handed` folders. Raises UserError if
    two have the same name."""
    numbers: dict[str, HandedNumber] = {}
    for file in (folder / "numbers.json" for folder in handed):
        for name, number in json.loads(file.read_text()).items():
            if name in numbers:
                raise UserError(f"{file}: number {name} is in another notebook too")
            numbers[name] = number
    return numbers


def time_macros(paper: str) -> str:
    r"""The \newcommand lines \times<Name> of the durations in env/benchmarks/times.json [s] in the
    text of the paper."""
    entries = json.loads((ROOT / "env/benchmarks/times.json").read_text())["times"]
    times = {name.title().replace("_", ""): entry["value"] for name, entry in entries.items()}
    return "".join(
        rf"\newcommand{{\times{name}}}{{\qty{{{seconds:.0f}}}{{\second}}}}" + "\n"
        for name, seconds in times.items()
        if re.search(rf"\\times{name}(?![A-Za-z])", paper)
    )


def macros(numbers: HandedNumbers) -> str:
    """The \\newcommand lines that define `numbers`."""
    lines = ["% Written from results; change the notebook, not this file."]
    for name, number in sorted(numbers.items()):
        text = escape(number["text"])
        if number.get("words") or number["text"] == "n/a":
            body = text
        elif number["unit"]:
            body = rf"\qty{{{number['text']}}}{{{number['unit']}}}"
        else:
            body = rf"\num{{{number['text']}}}"
        lines.append(rf"\newcommand{{\{name}}}{{{body}}}")
    return "\n".join(lines) + "\n"


def macros_of_others(text: str, handed: Iterable[Path]) -> str:
    """Lines that define the macros in the paper's `text` of notebooks that were not built."""
    built = {folder.name for folder in handed}
    others = {path.parent.name for path in NOTEBOOKS.glob("*/*.ipynb")} - built
    prefixes = "|".join(Name.of_notebook(name).prefix for name in sorted(others))
    found = sorted({*re.findall(rf"\\((?:{prefixes})[A-Z][A-Za-z]*)", text)})
    return "".join(rf"\newcommand{{\{name}}}{{(not measured)}}" + "\n" for name in found)


def write_numbers(output: Path, handed: Sequence[Path], paper: Path, own: Sequence[str]) -> None:
    """Write the macros of the paper to `output`, and next to it its figures as figures/<name>.pdf.
    `handed`: folders that notebooks handed over. `paper`: folder of LaTeX sources. `own`: notebooks
    of other data than the paper's, for which a false sentence is marked and not refused. Raises
    UserError if paper and notebooks do not fit together, or if a statement of the paper is
    false."""
    found, sources = read_numbers(handed), sorted(paper.rglob("*.tex"))
    printed = printed_in_paper(handed, found, sources)
    failed = states.check_states(sources, handed, found, own)
    for one in failed:
        print(f"marked in the paper, as it does not hold here: {one}", file=sys.stderr)
    output.parent.mkdir(parents=True, exist_ok=True)
    figures = output.parent / "figures"
    figures.mkdir(exist_ok=True)
    for figure in printed.figures:
        (figures / f"{figure.stem}.pdf").write_bytes(pdf_of(figure.read_text()))
    text = "".join(source.read_text() for source in sources)
    for name in re.findall(r"\\tablerows\{([\w-]+)\}", text):
        (rows := output.with_name(f"{name}.tex")).unlink(missing_ok=True)
        if not any((folder / "tables" / rows.name).exists() for folder in handed):
            rows.touch()
    mark = mark_of_results(handed)
    output.write_text(
        macros(printed.numbers)
        + as_macros(text)
        + captions(printed.figures)
        + time_macros(text)
        + (rf"\newcommand{{\preview}}{{{escape(mark)}}}" + "\n" if mark else "")
        + states.as_macros(failed)
        + macros_of_others(text, handed)
    )
