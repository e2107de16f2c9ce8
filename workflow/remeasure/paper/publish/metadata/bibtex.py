"""The entries with which BibTeX cites the dataset and the paper."""

from remeasure.paper.publication import Publication


def bibtex(publication: Publication) -> str:
    """One entry for the dataset, and one for the paper that is built from it."""
    authors = " and ".join(
        f"{{{author.name}}}" if author.name else author.whole for author in publication.authors
    )
    links = {
        "doi": publication.known("doi"),
        "url": publication.known("site") or publication.known("repository"),
    }
    shared = {"author": authors, "year": str(publication.date.year)}
    whole = f"Version {publication.version}, {publication.date.isoformat()}"
    dataset = {"title": f"{{{publication.title}}}", **shared, "note": f"Dataset. {whole}"}
    paper = {"title": f"{{{publication.paper.title}}}", **shared}
    paper["note"] = f"Built from version {publication.version} of the dataset"
    return "\n\n".join(
        _entry(key, {**fields, **links})
        for key, fields in (("ipsecremeasureddata", dataset), ("ipsecremeasured", paper))
    )


def _entry(key: str, fields: dict[str, str | None]) -> str:
    lines = [f"  {name:<6} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])
