"""An operator's own files: swanctl.conf with its includes, certificates and keys, strongswan.conf.
charon gets their text, except for settings that mean nothing in the lab."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from remeasure.bench.ipsec.pki import PEM, PrivateKey, private_pem
from remeasure.bench.tryout.conf import GUEST, ConfFile, Refused, Section, read_conf, read_text
from remeasure.bench.tryout.pair import End
from remeasure.bench.tryout.refusals import refuse_foreign

KEYS = ("private", "rsa", "ecdsa", "pkcs8", "pkcs12")
"""folders of private keys in /etc/swanctl"""
_PUBLIC = ("x509", "x509ca", "x509aa", "x509ac", "x509crl", "x509ocsp", "pubkey")
LEFT_OUT = {
    "updown": "the lab has no firewall",
    "hw_offload": "the lab has no such network card",
    "inactivity": "the lab's traffic pauses for longer",
}
"""setting that is left out -> reason"""
_OF_MACHINE = {
    *("filelog", "syslog", "journal", "interfaces_use", "interfaces_ignore", "start-scripts"),
    *("stop-scripts", "user", "group", "vici"),
}
"""settings of strongswan.conf(5) that belong to the operator's machine"""
_DAEMON = "/etc/strongswan.d/yy-own.conf"
"""the operator's strongswan.conf in a guest, read after Debian's"""
_DEBIAN = (
    "include strongswan.d/*.conf\ncharon {\nplugins {\ninclude strongswan.d/charon/*.conf\n}\n}\n"
)
_SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
_DER: list[Callable[[bytes], str]] = [
    lambda der: x509.load_der_x509_certificate(der).public_bytes(PEM).decode(),
    lambda der: x509.load_der_x509_crl(der).public_bytes(PEM).decode(),
    lambda der: private_pem(cast(PrivateKey, serialization.load_der_private_key(der, None))),
    lambda der: serialization.load_der_public_key(der).public_bytes(PEM, _SPKI).decode(),
]
"""a file of one kind -> the same as PEM"""


def read_end(name: str, source: Path) -> End:
    """An end with the operator's own files. Raises Refused."""
    path = source / "swanctl.conf" if source.is_dir() else source
    if source.is_dir() and not path.exists():
        raise Refused(f"{source}: found a folder without swanctl.conf, expected one like {GUEST}")
    text = read_text(path)
    refuse_foreign(path, text)
    end = _end(name, source, read_conf(path, text))
    for folder in (*_PUBLIC, *KEYS):
        for one in sorted((path.parent / folder).glob("*")):
            if one.is_file():
                add_credential(end, one, f"{GUEST}/{folder}/{one.name}")
    add_daemon(end, path.parent)
    return end


def made_end(name: str, source: Path, text: str) -> End:
    """An end whose text was made from the file of its peer, `source`."""
    return _end(name, source, read_conf(Path(f"mirror of {source}"), text))


def _end(name: str, source: Path, conf: ConfFile) -> End:
    """An end with its text as charon gets it."""
    changes = dict.fromkeys(LEFT_OUT, "") | {"interface": f"interface = wan{name[0]}"}
    notes, keys = conf.notes, conf.settings.values()
    notes += [f"{key} left out: {why}" for key, why in LEFT_OUT.items() if key in keys]
    if "interface" in keys:
        notes.append(f"interface taken to be the one that leads to the peer (wan{name[0]})")
    return End(name, source, conf.root, files=conf.edited(changes), notes=notes)


def add_credential(end: End, path: Path, guest: str) -> None:
    """Add a certificate or a key, as PEM: charon looks into a file, not at its name. Raises
    Refused."""
    content = path.read_bytes()
    if b"-----BEGIN CERTIFICATE-----" in content:
        try:
            x509.load_pem_x509_certificates(content)
        except ValueError:
            raise Refused(
                f"{path}: found a certificate that cannot be read, expected PEM; copy it again"
            ) from None
    if b"-----BEGIN" in content or content.isascii():
        end.files[guest] = content.decode(errors="replace")
        return
    for read in _DER:
        with suppress(ValueError, TypeError):
            end.files[guest] = read(content)
            return
    end.notes.append(f"{path.name} left out: neither PEM nor a DER certificate, list or key")


def add_daemon(end: End, folder: Path) -> None:
    """Add the operator's strongswan.conf, if it is in this folder or above."""
    for place in (folder, folder.parent):
        if (place / "strongswan.conf").is_file() or (place / "strongswan.d").is_dir():
            _add_daemon(end, place / "strongswan.conf")
            break


def _add_daemon(end: End, path: Path) -> None:
    """Add a strongswan.conf, with its includes in their places."""
    text = read_text(path) if path.exists() else _DEBIAN
    end.daemon = read_conf(path, text, "/etc/strongswan.conf").root
    left_out = sorted(set(_without_machine(end.daemon)))
    end.files[_DAEMON] = rendered(end.daemon)
    end.notes.append(f"{'strongswan.conf' if path.exists() else 'strongswan.d'} is used")
    if left_out:
        end.notes.append(f"settings of the machine left out: {', '.join(left_out)}")


def _without_machine(section: Section) -> Iterator[str]:
    """Take settings of the machine out of a section, and name them."""
    for key in section.keys() & _OF_MACHINE:
        del section[key]
        yield key
    for inside in section.sections().values():
        yield from _without_machine(inside)


def rendered(section: Section, indent: str = "") -> str:
    """The text of a section."""
    lines = []
    for key, value in section.items():
        if isinstance(value, Section):
            lines.append(f"{indent}{key} {{\n{rendered(value, indent + '  ')}{indent}}}\n")
        else:
            quoted = value.replace("\\", r"\\").replace('"', r"\"")
            lines.append(f'{indent}{key} = "{quoted}"\n' if value else f"{indent}{key} =\n")
    return "".join(lines)
