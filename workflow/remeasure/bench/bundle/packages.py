"""Packages of a guest image: which of them depend on which, by the list that dpkg(1) keeps."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_STATUS = "var/lib/dpkg/status"
_FILES = "var/lib/dpkg/info"
_FIELD = re.compile(r"^([A-Za-z-]+): (.*)$", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")
Package = dict[str, str]
"""field of a package -> its value"""


class Packages:
    """The packages that are installed in the root file system `root`."""

    def __init__(self, root: Path):
        self._root = root
        stanzas = (root / _STATUS).read_text().split("\n\n")
        found = [dict(_FIELD.findall(stanza)) for stanza in stanzas if stanza.strip()]
        self._all: dict[str, Package] = {package["Package"]: package for package in found}
        self._provided = {
            virtual: name
            for name, package in self._all.items()
            for virtual in _NAME.findall(re.sub(r"\(.*?\)", "", package.get("Provides", "")))
        }

    def kept(self, chosen: Iterable[str], unneeded: set[str]) -> set[str]:
        """The packages that remain without those in `unneeded`: what was chosen, what every system
        has, and what these need. Of `unneeded` nothing remains that not every system has, even
        if others ask for it: sysstat asks for Perl, and mpstat does not run it."""
        required = {
            name
            for name, package in self._all.items()
            if package.get("Essential") == "yes" or package.get("Priority") == "required"
        }
        left_out = unneeded - required
        waiting, found = [*(required | set(chosen))], set[str]()
        while waiting:
            name = waiting.pop()
            if name in self._all and name not in found | left_out:
                found.add(name)
                waiting += self._needed_by(self._all[name])
        return found

    def _needed_by(self, package: Package) -> Iterator[str]:
        fields = [package.get(field, "") for field in ("Depends", "Pre-Depends")]
        for group in filter(None, ",".join(fields).split(",")):
            names = [_NAME.match(one.strip()) for one in group.split("|")]
            found = [name[0] for name in names if name]
            there = [self._provided.get(one, one) for one in found if one not in self._all]
            yield from [one for one in found if one in self._all][:1] or there[:1]

    def remove(self, names: Iterable[str]) -> None:
        """Delete the files of packages, but for what other packages have, too."""
        gone = set(names)
        others = {file for name in self._all if name not in gone for file in self._files(name)}
        for file in {file for name in gone for file in self._files(name)} - others:
            path = self._root / file
            if path.is_symlink() or path.is_file():
                path.unlink()

    def names(self) -> set[str]:
        return set(self._all)

    def _files(self, name: str) -> set[str]:
        """Files of a package, relative to the root; folders are among them."""
        lists = [*(self._root / _FILES).glob(f"{name}.list")]
        lists += (self._root / _FILES).glob(f"{name}:*.list")
        lines = (line for path in lists for line in path.read_text().splitlines())
        return {line.lstrip("/") for line in lines if line.strip("/.")}
