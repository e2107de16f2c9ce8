"""Numbers and tables that notebooks hand over can be read: no interval prints as its value."""

import json
import re

from english import empty_intervals

from remeasure.bench.base.paths import ROOT


def test_no_interval_of_a_handed_number_or_table_prints_as_its_value(built_project):
    handed = built_project.folder / "results/handed"
    texts = {
        f"{file.parent.name}: {name}": number["text"]
        for file in handed.glob("*/numbers.json")
        for name, number in json.loads(file.read_text()).items()
    }
    texts |= {str(file.relative_to(handed)): file.read_text() for file in handed.glob("*/tables/*")}
    assert len(texts) > 100
    assert {name: found for name, text in texts.items() if (found := empty_intervals(text))} == {}


def test_the_paper_prints_each_macro_or_states_something_of_it(built_project):
    defined = (built_project.folder / "results/paper/numbers.tex").read_text()
    text = "".join(path.read_text() for path in (ROOT / "paper").rglob("*.tex"))
    names = re.findall(r"\\newcommand\{\\([A-Za-z]+)\}", defined)
    used = {*re.findall(r"[A-Za-z]+", text)}
    assert names and [name for name in names if name not in used] == []
