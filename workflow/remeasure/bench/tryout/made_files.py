"""Files that two configurations need and nobody gave: certificates and keys for the identities that
both name, authorities, and secrets. A secret that only one end has is given to the other."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import PurePosixPath

from cryptography import x509

from remeasure.bench.base.errors import UserError
from remeasure.bench.ipsec.pki import seeded_bytes
from remeasure.bench.lab.virtual.virtual_lab import EPOCH_S
from remeasure.bench.tryout import identities
from remeasure.bench.tryout.conf import GUEST, Section
from remeasure.bench.tryout.identities import KINDS, SEED, root
from remeasure.bench.tryout.operator_files import KEYS, rendered
from remeasure.bench.tryout.pair import LEGACY, End, Pair

_CONF = f"{GUEST}/swanctl.conf"
_MARGIN_S = 3600
"""time after the begin of a certificate, since clocks of authorities differ"""
_SECRETS = {"ike": "pre-shared key", "eap": "EAP secret", "ppk": "post-quantum pre-shared key"}
"""prefix of a section of `secrets` -> its kind"""
_UNMET = {
    "cert_policy": ".+",
    "groups": ".+",
    "revocation": "strict",
    "auth": r"(?!ike:)(?=.*sha\d)(?!.*sha256).*|(?!ike:).*/pss.*",
}
"""setting of an end -> values that no certificate made here meets: its signature is by SHA-256, and
nobody lists or revokes it"""
_BEGIN = "-----BEGIN CERTIFICATE-----"


def make_missing(pair: Pair, keys: str) -> None:
    """Add the missing files to both ends, with keys of kind `keys` unless a method of
    authentication needs another. Raises UserError."""
    if keys not in KINDS:
        raise UserError(f"keys: found {keys}, expected one of {', '.join(KINDS)}")
    pair.begin_s = _valid_from(pair)
    certified = [end for end in pair.ends if _certified(end, pair.peer(end))]
    # First, since an authority that is made would hide that an end has none of its own.
    for end in certified:
        if _has_key(end):
            _show(end, pair.peer(end))
    for end in certified:
        if not _has_key(end):
            _certify(end, pair.peer(end), keys)
    for end in pair.ends:
        _add_secrets(end, pair.peer(end))


def _valid_from(pair: Pair) -> int:
    """Time after EPOCH_S at which all certificates are valid [s]."""
    texts = [text for end in pair.ends for text in end.files.values() if _BEGIN in text]
    given = [one for text in texts for one in x509.load_pem_x509_certificates(text.encode())]
    begins = [int(one.not_valid_before_utc.timestamp()) - EPOCH_S for one in given]
    return max([0, *(begin_s + _MARGIN_S for begin_s in begins)])


# Certificates


def _methods(end: End, peer: End) -> list[str]:
    """How an end proves who it is, by its own file and by its peer's."""
    return [*end.auths("local"), *peer.auths("remote")]


def _certified(end: End, peer: End) -> bool:
    """Whether an end needs a certificate or a raw key."""
    return any(re.match("eap-t?tls|(?!psk|eap|any)", one) for one in _methods(end, peer))


def _has_key(end: End) -> bool:
    paths = [path for path, text in end.files.items() if "PRIVATE KEY" in text]
    folders = {*(f"{GUEST}/{folder}" for folder in KEYS), f"{LEGACY}/private"}
    return any(str(PurePosixPath(path).parent) in folders for path in paths)


def _certify(end: End, peer: End, keys: str) -> None:
    """Make the key of an end and its certificate, and let its peer trust it."""
    kind, own, expected = _kind(end, peer, keys), end.rounds("local"), peer.rounds("remote")
    named = [*_identities(own, "id", "eap_id"), *_identities(expected, "id")]
    raw, certificates = _paths(own, "pubkeys", "pubkey"), _paths(own, "certs", "x509")
    for one, (key, form) in product([] if raw else expected, _UNMET.items()):
        if re.fullmatch(form, one.text(key)):
            why = f"no certificate made for {end.name} meets it"
            raise one.refuse(key, f"{why}; expected one of its own, in a folder like {GUEST}")
    for path in [one for one in certificates if _BEGIN in end.files.get(one, "")][:1]:
        named = [*identities.certified_identities(end.files[path]), *named]
        end.notes.append(f"{path} has no private key here, so another one stands for it")
    made = identities.certified_key(end.name, kind, named)
    if not raw and not certificates:
        certificates = [f"{GUEST}/x509/made.pem"]
    end.files[f"{GUEST}/private/made.pem"] = made.private
    end.files |= dict.fromkeys(raw, made.public) | dict.fromkeys(certificates, made.certificate)
    trusted = dict.fromkeys(_paths(expected, "certs", "x509"), made.certificate)
    trusted |= dict.fromkeys(_paths(expected, "pubkeys", "pubkey"), made.public)
    trusted |= dict.fromkeys(_paths(expected, "cacerts", "x509ca"), root(kind))
    replaced = sorted({*trusted} & {*peer.files})
    peer.notes += [f"{path} replaced, since {end.name} has no key for it" for path in replaced]
    peer.files |= trusted
    for each in (end, peer):
        each.files[f"{GUEST}/x509ca/made-{kind}.pem"] = root(kind)
        authorities = each.conf.section("authorities").sections().values()
        given = dict.fromkeys(_paths(authorities, "cacert", "x509ca"), root(kind))
        each.files = given | each.files
    end.notes.append(f"{kind} key and {'raw public key' if raw else 'certificate'} made for it")


def _show(end: End, peer: End) -> None:
    """Let the peer trust an end's own key, unless it has an authority."""
    own = _paths(end.rounds("local"), "certs", "x509")
    text = next((end.files[path] for path in own if path in end.files), "")
    for path in _paths(peer.rounds("remote"), "certs", "x509"):
        if text and peer.files.setdefault(path, text) is text:
            peer.notes.append(f"{path} taken from {end.name}")
    folder = f"{GUEST}/x509ca/"
    theirs = {p: t for p, t in end.files.items() if p.startswith(folder) and _BEGIN in t}
    if theirs and not any(path.startswith(folder) for path in peer.files):
        peer.files |= theirs
        peer.notes.append(f"authorities taken from {end.name}")


def _kind(end: End, peer: End, keys: str) -> str:
    """The kind of key that the methods of authentication allow."""
    for method in _methods(end, peer):
        match = re.match(r"(?:ike:)?(rsa|ecdsa)(?:-(\d+))?", method)
        if match and (match[2] or not keys.startswith(match[1])):
            kind = match[1] + (match[2] or {"rsa": "2048", "ecdsa": "256"}[match[1]])
            return kind if kind in KINDS else keys
    return keys


def _identities(rounds: list[Section], *keys: str) -> Iterator[identities.CertifiedName]:
    """The identities that rounds name. Raises Refused."""
    for one, key in product(rounds, keys):
        if (text := one.text(key)) and not re.search("[%*]", text):
            try:
                yield identities.identity_of(text)
            except ValueError as error:
                raise one.refuse(key, f"no certificate can have it: {error}") from None


def _paths(sections: Iterable[Section], key: str, folder: str) -> list[str]:
    """Paths in the guest of the files that sections name, in a list or in sections like cert1."""
    found = []
    for one in sections:
        found += one.items_of(key)
        found += [of.text("file") for of in one.sections(key.rstrip("s")).values()]
    return [str(PurePosixPath(GUEST, folder, one)) for one in found if one]


# Secrets


def _add_secrets(end: End, peer: End) -> None:
    for kind, owner in _wanted(end, peer).items():
        given, theirs = (one.conf.section("secrets").sections(kind) for one in (end, peer))
        if not given:
            made = {"secret": seeded_bytes(f"{SEED}/{kind}", 24).hex(), **owner}
            text = rendered(Section.of({"secrets": theirs or {f"{kind}-made": made}}))
            end.files[_CONF] = f"{end.files[_CONF].rstrip()}\n\n# Added by the lab:\n{text}"
            origin = f"taken from {peer.name}" if theirs else "made"
            end.notes.append(f"{_SECRETS[kind]} {origin}")


def _wanted(end: End, peer: End) -> dict[str, dict[str, str]]:
    """Kind of secret that an end needs -> the identity to which a made one belongs."""
    found: dict[str, dict[str, str]] = {}
    methods = [*end.auths("local"), *end.auths("remote")]
    if "psk" in methods:
        found["ike"] = {}
    every = [*methods, *peer.auths("local"), *peer.auths("remote")]
    eap = any(one.startswith("eap") for one in methods)
    if eap and not any(one.startswith("eap-tls") for one in every):
        found["eap"] = _supplicant(end) or _supplicant(peer)
    if ppk := end.conn.text("ppk_id"):
        found["ppk"] = {"id": ppk}
    return found


def _supplicant(end: End) -> dict[str, str]:
    """The identity of an end that proves itself by EAP."""
    for one in end.rounds("local"):
        if one.text("auth").startswith("eap"):
            return {"id": one.text("eap_id") or one.text("id") or str(end.outer)}
    return {}
