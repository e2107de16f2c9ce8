"""Keys of two ends. Those that are redacted or absent are made for both ends from a seed, so they
are the same on every machine, and nothing keeps them."""

import base64
import binascii

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from remeasure.bench.ipsec.pki import seeded_bytes
from remeasure.bench.tryout.conf import Section
from remeasure.bench.tryout.identities import SEED
from remeasure.bench.tryout.wireguard.quick_file import QuickFile, endpoint

_BYTES = 32


def is_key(text: str) -> bool:
    """Whether a text is a key of wg(8), and no word in its place, such as (hidden)."""
    try:
        return len(base64.b64decode(text, validate=True)) == _BYTES
    except (binascii.Error, ValueError):
        return False


def public_key(private: str) -> str:
    """The public half of a private key, both base64."""
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(private))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def complete_keys(files: dict[str, QuickFile], peers: dict[str, Section]) -> dict[str, list[str]]:
    """Fill in missing keys. `files`: name of an end -> its file; `peers`: name of an end -> its
    [Peer] for the other end. Returns name of an end -> notes."""
    notes: dict[str, list[str]] = {name: [] for name in files}
    for name, file in files.items():
        made = not is_key(file.interface.text("PrivateKey"))
        if made:
            file.change(file.interface, "PrivateKey", _made(name))
            notes[name].append("its private key is not in the file: another one was made")
        (other,) = files.keys() - {name}
        if made or not is_key(peers[other].text("PublicKey")):
            private = file.interface.text("PrivateKey")
            files[other].change(peers[other], "PublicKey", public_key(private))
    shared = [peer.text("PresharedKey") for peer in peers.values() if "PresharedKey" in peer]
    key = next(filter(is_key, shared), _made("preshared"))
    for name, file in files.items():
        for number, peer in enumerate(file.peers):
            tried = peer is peers[name]
            if "PresharedKey" in peer and not is_key(peer.text("PresharedKey")):
                file.change(peer, "PresharedKey", key)
                notes[name] += ["its preshared key is not in the file"] * tried
            if not is_key(peer.text("PublicKey")):
                file.change(peer, "PublicKey", public_key(_made(f"{name} {number}")))
    return notes


def _made(name: str) -> str:
    return base64.b64encode(seeded_bytes(f"{SEED}/wireguard/{name}", _BYTES)).decode()


def misfits(files: dict[str, QuickFile], peers: dict[str, Section]) -> list[str]:
    """Keys and ports of two ends between which no handshake can succeed, in words."""
    found = []
    for name, peer in peers.items():
        (other,) = peers.keys() - {name}
        interface, port = files[other].interface, endpoint(peer)[1]
        if peer.text("PublicKey") != public_key(interface.text("PrivateKey")):
            found.append(f"{name}'s PublicKey does not belong to {other}'s PrivateKey")
        listens = interface.text("ListenPort", "a random one")
        if port and listens != port:
            found.append(
                f"{name}'s Endpoint has port {port}, but {other}'s ListenPort is {listens}"
            )
    if len({peer.text("PresharedKey") for peer in peers.values()}) > 1:
        found.append("the PresharedKeys differ, or only one end has one")
    return found
