"""Texts of the site: its glossary, and addresses that only a maintainer knows."""

import re
import textwrap

import pytest
from cases import cases

from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.topology import load_topology
from remeasure.paper.notebook.pictures import drawn
from remeasure.paper.notebook.plain_labels import label
from remeasure.paper.publication import load_publication
from remeasure.paper.publish.site.sphinx_build import SOURCES, address_texts, with_links

BLANKS = dict.fromkeys(("repository", "site", "doi"))
KNOWN = {"repository": "https://example.org/here", "doi": "10.5555/1"}


def test_terms_are_in_the_order_of_the_alphabet():
    page = (SOURCES / "glossary.md").read_text()
    names = [
        re.sub("[^a-z0-9]+", " ", one.lower()) for one in re.findall(r"(?m)^\*\*(.+?)\*\*:", page)
    ]
    assert len(names) > 80 and names == sorted(names)


def test_what_has_no_address_promises_none():
    blank = address_texts(load_publication().model_copy(update=BLANKS))
    assert "git clone" not in blank["clone"] and "http" not in str(blank)
    assert "comes with the release" in blank["whence"] and "You can" not in blank["reuse"]
    known = address_texts(load_publication().model_copy(update=BLANKS | KNOWN))
    assert known["clone"].startswith("git clone https://example.org/here ")
    assert "<https://doi.org/10.5555/1>" in known["addresses"] and not known["whence"]
    assert known["addresses"].endswith("come with the release: site.")


def test_files_are_linked_where_the_repository_has_an_address():
    page = "see `CITATION.cff`, `data/README.md` and `no/such.md`"
    blank = load_publication().model_copy(update=BLANKS)
    assert with_links(page, blank) == page
    assert with_links(page, blank.model_copy(update=KNOWN)) == (
        "see [`CITATION.cff`](https://example.org/here/blob/main/CITATION.cff), "
        "[`data/README.md`](https://example.org/here/blob/main/data/README.md) and `no/such.md`"
    )


@pytest.mark.parametrize(
    ("quantity", "brief", "said"), cases(__file__, "a_test_of_the_ledger_is_said_in_words")
)
def test_a_test_of_the_ledger_is_said_in_words(quantity, brief, said):
    assert label(quantity, brief) == said


def test_the_guide_s_self_test_is_the_one_that_ran_in_a_lab():
    script = (ROOT / "docs/examples/selftest.yaml").read_text()
    ran = textwrap.dedent(re.search(r"(?s)<<'END'\n(.*?) +END\n", script)[1])
    first, rest = re.search(
        r"(?m)^(far=.*)\n((?:.+\n)+)```", (SOURCES / "guide.md").read_text()
    ).groups()
    assert rest == ran and first.partition(" s=")[0] in script


def test_every_host_and_link_of_the_testbed_is_drawn():
    topology, text = load_topology("site-to-site"), drawn(SOURCES / "testbed.svg")
    for name in (*topology.hosts, *topology.links):
        assert f">{name}</text>" in text
