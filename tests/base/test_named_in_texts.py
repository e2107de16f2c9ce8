"""Files and modules that docstrings, comments and sources of numbers name are there."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from projects import files_of_project

from remeasure.bench.base.paths import ROOT

FILE = re.compile(r"(?<![\w/.*<>{}-])[\w-]+(?:/[\w-]+)*\.(?:py|smk|md|js|css|toml|lock|ipynb)\b")
NAME = re.compile(r"(?<![\w./-])[a-z]\w+(?:\.\w+)+\b(?![-/(])")
"""of a module, or of something in a module"""
ENDING = re.compile(r"\.(conf|exe|json|yaml|txt|zip|tex|log|py|js|css|md|pcap|ipynb|parquet|lock)$")
FILES = files_of_project()
OURS = [
    name for name in FILES if re.match(r"(workflow|notebooks|site|env)/(?!.*tests/).*\.py$", name)
]
MODULES = {
    f".{name.removeprefix('workflow/')[:-3].removesuffix('/__init__').replace('/', '.')}": ROOT
    / name
    for name in OURS
}


HANDING = re.compile(r"notebooks/|workflow/remeasure/paper/(analysis|notebook)/")
"""code whose strings are handed over as sources of numbers"""


def texts(ours: str) -> Iterator[str]:
    """Docstrings and comments; of code that hands over numbers, all strings."""
    source = (ROOT / ours).read_text()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(words))):
                yield words
            case ast.Constant(value=str(words)) if HANDING.match(ours):
                yield words
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def is_there(name: str) -> bool:
    """Whether a module of ours has this name, or contains it. True for names of other packages."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        ending = "." + ".".join(parts[:count])
        if count == len(parts) and any(f"{ending}." in module for module in MODULES):
            return True  # a folder
        if paths := [path for module, path in MODULES.items() if module.endswith(ending)]:
            own = "|".join(parts[count : count + 1])
            made = re.compile(rf"^(?:    )?(?:def |class |async def )?{own}\b", re.MULTILINE)
            return any(made.search(path.read_text()) for path in paths)
    return True


def test_what_texts_name_is_there():
    ends = {f"/{name}" for name in FILES}
    lost = []
    for ours in OURS:
        for text in texts(ours):
            files = [
                one for one in FILE.findall(text) if not any(e.endswith(f"/{one}") for e in ends)
            ]
            names = [
                one for one in NAME.findall(text) if not ENDING.search(one) and not is_there(one)
            ]
            lost += [f"{ours}: {one}" for one in files + names]
    assert lost == []
