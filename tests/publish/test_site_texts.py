"""Texts of the site: its glossary, and addresses that only a maintainer knows."""

import re

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import load_topology
from remeasure.paper.notebook.pictures import drawn
from remeasure.paper.publication import BLANK, load_publication
from remeasure.paper.publish.site.first_page import address_texts, with_links
from remeasure.paper.publish.site.glossary import anchor, glossary, in_order
from remeasure.paper.publish.site.ledger_page import in_words, topics_in_words
from remeasure.paper.publish.site.sphinx_build import SOURCES

BLANKS = dict.fromkeys(("repository", "site", "doi"), BLANK)
KNOWN = {"repository": "https://example.org/here", "doi": "10.5555/1"}


def test_the_glossary_has_the_terms_of_the_paper(tmp_path):
    path = tmp_path / "terms.tex"
    path.write_text(
        "\\term{A\\_B, C}one \\emph{side},\nsee RFC~1: \\texttt{ip}, $\\sigma$.\n\n"
        "\\term{D}two.\n\\par\\endgroup"
    )
    assert glossary(path) == (
        "(term-a-b)=\n(term-c)=\n**A_B, C**: one *side*, see RFC 1: `ip`, σ.\n\n"
        "(term-d)=\n**D**: two.\n"
    )
    path.write_text("\\term{A}$x$\\par")
    with pytest.raises(UserError, match="A: [$] has no Markdown"):
        glossary(path)


def test_terms_of_paper_and_site_are_in_one_order():
    terms = ["(term-m)=\n**M-2, X**: m.", "**net**: n.", "(term-guest)=\n**guest**: g."]
    page = in_order("\n\n".join(["# G", "Words.", *terms]))
    assert page == "\n\n".join(["# G", "Words.", terms[2], terms[0], terms[1]]) + "\n"
    whole = in_order((SOURCES / "glossary.md").read_text().replace("{{ terms }}", glossary()))
    assert whole.index("**guest, testbed**") < whole.index("**MODP-2048") < whole.index("**netem**")


def test_pages_link_terms_that_the_glossary_has():
    linked = {
        name
        for page in SOURCES.glob("*.md")
        for name in re.findall(r"\(#(term-[\w-]+)\)", page.read_text())
    }
    terms = glossary() + (SOURCES / "glossary.md").read_text()
    assert linked and all(f"({name})=" in terms for name in linked)
    assert anchor("CHILD_SA") == "term-child-sa"


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


def test_topics_are_words():
    words = topics_in_words(["ike_sa", "aaa_cpu", "new_metric"])
    assert list(words) == ["new_metric", "aaa_cpu", "ike_sa"]
    assert words["ike_sa"] == "set-up time until the IKE_SA" and words["new_metric"] == "new metric"
    assert in_words("ratio of aaa_cpu, method tls").startswith("ratio of processor time of the AAA")


def test_every_host_and_link_of_the_testbed_is_drawn():
    topology, text = load_topology("site-to-site"), drawn(SOURCES / "testbed.svg")
    for name in (*topology.hosts, *topology.links):
        assert f">{name}</text>" in text
