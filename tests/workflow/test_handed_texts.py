"""Numbers and tables that notebooks hand over can be read: no interval prints as its value."""

import json

from english import empty_intervals


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
