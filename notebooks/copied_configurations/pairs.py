"""The templates, and the files of both ends of one, with our own names, addresses and keys."""

from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, RootModel

from remeasure.bench.base.config import Strict, validate
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.paths import NOTEBOOKS
from remeasure.bench.tryout.conf import Section
from remeasure.bench.tryout.operator_files import rendered
from remeasure.bench.tryout.wireguard.quick_file import QuickFile

_FILE = NOTEBOOKS / "copied_configurations" / "templates.yaml"
_ADDRESSES = {"left": "192.0.2.1", "right": "198.51.100.1"}
"""outer addresses (RFC 5737)"""
_NETWORKS = {"left": "10.1.0.0/16", "right": "10.2.0.0/16"}


class CopiedEnd(Strict):
    """One end: settings of the sections of swanctl.conf(5), strongswan.conf(5) and wg-quick(8)."""

    model_config = ConfigDict(**Strict.model_config, coerce_numbers_to_str=True)
    addresses: list[Literal["local_addrs", "remote_addrs"]] = ["local_addrs", "remote_addrs"]
    connection: dict[str, str] = {}
    child: dict[str, str] = {}
    charon: dict[str, str] = {}
    interface: dict[str, str] = {}
    peer: dict[str, str] = {}


class CopiedTemplate(Strict):
    """A published configuration, by its settings and its source (templates.yaml explains it)."""

    title: str
    url: str
    dated: str
    publisher: str
    form: Literal["swanctl.conf", "ipsec.conf", "wg-quick"] = "swanctl.conf"
    auth: Literal["psk", "pubkey", "eap-mschapv2"] = "psk"
    traffic: Literal["sites", "hosts", "all", "client"] = "sites"
    assumed: str = ""
    left: CopiedEnd
    right: CopiedEnd | None = None

    @property
    def ends(self) -> dict[str, CopiedEnd]:
        """The ends that the template names."""
        return {"left": self.left} | ({"right": self.right} if self.right else {})

    def having(self, setting: str, *values: str) -> int:
        """Number of named ends whose child has one of these values, or any value."""
        found = [end.child[setting] for end in self.ends.values() if setting in end.child]
        return sum(not values or value in values for value in found)


def read_templates() -> dict[str, CopiedTemplate]:
    """Name -> template. Raises UserError."""
    every = RootModel[dict[str, CopiedTemplate]]
    return validate(every, read_yaml(_FILE), str(_FILE)).root


def write_pair(name: str, folder: Path) -> list[str]:
    """Write the ends of a template into `folder`. Returns their paths, for `remeasure try`."""
    template, paths = read_templates()[name], list[str]()
    for end, of in template.ends.items():
        path = folder / end
        path.mkdir(parents=True, exist_ok=True)
        if template.form == "wg-quick":
            path /= "wg.conf"
            path.write_text(QuickFile(path, Section.of(of.interface), [Section.of(of.peer)]).text)
        else:
            conf = Section.of({"connections": {"copied": _connection(template, end)}})
            (path / "swanctl.conf").write_text(rendered(conf))
            if of.charon:
                (path / "strongswan.conf").write_text(rendered(Section.of({"charon": of.charon})))
        paths.append(str(path))
    return paths


def _connection(template: CopiedTemplate, end: str) -> dict[str, Any]:
    of, peer = template.ends[end], "right" if end == "left" else "left"
    addresses = {"local_addrs": _ADDRESSES[end], "remote_addrs": _ADDRESSES[peer]}
    nets = {"local_ts": _NETWORKS[end], "remote_ts": _NETWORKS[peer]}
    if template.traffic == "client":
        nets = {key: net for key, net in nets.items() if net == _NETWORKS["right"]}
    elif template.traffic != "sites":
        nets = dict.fromkeys(nets, "0.0.0.0/0") if template.traffic == "all" else {}
    return {
        **{key: addresses[key] for key in of.addresses},
        **of.connection,
        "local": _proof(template.auth, end, "reader"),
        "remote": _proof(template.auth, peer, "%any"),
        "children": {"copied": nets | of.child},
    }


def _proof(auth: str, whose: str, eap_id: str) -> dict[str, str]:
    """How an end proves who it is."""
    if auth == "eap-mschapv2" and whose == "left":
        return {"auth": auth, "eap_id": eap_id}
    return {"auth": "psk"} if auth == "psk" else {"auth": "pubkey", "id": f"{whose}.example.org"}
