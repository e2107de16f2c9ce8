"""What is changed in a block: bytes, records, texts, names and contents of files, at random."""

import hashlib
import io
import json
import random
import tarfile
import zipfile
from collections.abc import Callable

from remeasure.bench.campaign.members import TRIALS

Files = dict[str, bytes]
"""name -> content"""
VALUES = [
    *(None, True, False, -1, 0, 1, 2, 10**18, 10**30, 0.5, -0.0, float("nan"), 1e308, 1e400),
    *("", "x", "\ud800", "\x1b[2J\n", "rejected", "suspect", "../x", "٣", "a" * 5000),
    *([], {}, [[]], {"block": 7, "trial": 99, "campaign": "forged"}),
]
KEYS = ["block", "trial", "campaign", "kind", "levels", "members", "verdict", "", "\udc80"]
TEXTS = ["-1", "99999999999999999999", "nan", "٣", "\x00", "\x1b", "\r", "", "1e999", "\ud7ff"]


def unpacked(content: bytes) -> tuple[Files, bool]:
    """Files of a block, and whether its trials are in one tar file."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        files = {name: file.read(name) for name in file.namelist()}
    packed = files.pop(TRIALS, None)
    if packed is not None:
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            files |= {one.name: tar.extractfile(one).read() for one in tar}  # type: ignore[union-attr]
    return files, packed is not None


def packed(files: Files, together: bool, dice: random.Random) -> bytes:
    """A block of these files."""
    alone = {n: c for n, c in files.items() if not together or n == "block.json"}
    if together:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w:xz", preset=0) as tar:
            for name, content in files.items():
                if name in alone:
                    continue
                info = tarfile.TarInfo(name)
                info.size = len(content)
                if dice.random() < 0.001:
                    info.type = dice.choice([b"1", b"2", b"3", b"5", b"6", b"x", b"g", b"S", b"L"])
                tar.addfile(info, io.BytesIO(content))
        alone[TRIALS] = made.getvalue()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in alone.items():
            file.writestr(name, content)
    return out.getvalue()


def change_json(files: Files, dice: random.Random) -> None:
    """Another value, a field more or less, or an entry twice, somewhere in a record."""
    name = dice.choice([n for n in files if n.endswith(("block.json", "trial.json"))])
    try:
        document = json.loads(files[name])
    except ValueError:  # another change was there before
        return
    if not isinstance(document, dict | list) or not document:
        return
    place, key = somewhere(document, dice)
    match dice.choice(["set", "set", "more", "less", "twice", "swap", "nudge"]):
        case "less":
            del place[key]
        case "more" if isinstance(place, dict):
            place[dice.choice(KEYS)] = dice.choice(VALUES)
        case "twice" if isinstance(place, list):
            place.insert(dice.randrange(len(place) + 1), place[key])
        case "swap" if isinstance(place, list):
            other = dice.randrange(len(place))
            place[key], place[other] = place[other], place[key]
        case "nudge" if type(place[key]) is int:
            place[key] += dice.choice([-1, 1, 10**9, -(10**12)])
        case _:
            place[key] = dice.choice(VALUES)
    text = json.dumps(document)
    if dice.random() < 0.05:
        text = text.replace(": ", f": {dice.choice(TEXTS)}", 1)
    files[name] = text.encode(errors="surrogatepass")


def somewhere(document: dict | list, dice: random.Random) -> tuple:
    """A dictionary or list of a document, and a key or index of it."""
    place = document
    while True:
        key = dice.choice([*place] if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or dice.random() < 0.3:
            return place, key
        place = inner


def change_text(files: Files, dice: random.Random) -> None:
    """Another text in a log, in counters or in a proof."""
    name = dice.choice([n for n in files if not n.endswith(".zst")])
    lines = files[name].decode(errors="replace").splitlines(keepends=True) or [""]
    at = dice.randrange(len(lines))
    match dice.choice(["less", "twice", "swap", "digit", "insert", "cut"]):
        case "less":
            del lines[at]
        case "twice":
            lines.insert(at, lines[at])
        case "swap":
            other = dice.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case "digit":
            digits = [i for i, c in enumerate(lines[at]) if c.isdigit()]
            if digits:
                i = dice.choice(digits)
                lines[at] = lines[at][:i] + dice.choice("0123456789") + lines[at][i + 1 :]
        case "insert":
            i = dice.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:i] + dice.choice(TEXTS) + lines[at][i:]
        case "cut":
            lines = lines[:at]
    files[name] = "".join(lines).encode(errors="replace")


def change_members(files: Files, dice: random.Random) -> None:
    """A file more or less, renamed, or with the content of another one."""
    name, other = dice.choice([*files]), dice.choice([*files])
    match dice.choice(["less", "more", "rename", "swap", "replace"]):
        case "less":
            del files[name]
        case "more":
            files[name + dice.choice(["x", "\n", "\\", ":", ".", "/", " ", "é"])] = files[other]
        case "rename":
            files[name.swapcase() if dice.random() < 0.3 else f"{name}.x"] = files.pop(name)
        case "swap":
            files[name], files[other] = files[other], files[name]
        case "replace":
            files[name] = files[other]


def hashes_fit(files: Files) -> None:
    """Let each trial.json have the hashes of its files, as a forger would."""
    for name in [n for n in files if n.endswith("/trial.json")]:
        folder = name.removesuffix("trial.json")
        try:
            document = json.loads(files[name])
            known = document["members"]
        except (ValueError, TypeError, KeyError):
            continue
        here = {n.removeprefix(folder): c for n, c in files.items() if n.startswith(folder)}
        if isinstance(known, dict):
            document["members"] = {
                n: hashlib.sha256(c).hexdigest() for n, c in here.items() if n != "trial.json"
            }
            files[name] = json.dumps(document).encode(errors="surrogatepass")


CHANGES: list[Callable[[Files, random.Random], None]] = [
    change_json,
    change_json,
    change_text,
    change_members,
]


def mutated(content: bytes, seed: int) -> bytes:
    """A block with something changed, as the seed has it."""
    dice = random.Random(seed)
    if dice.random() < 0.15:
        raw = bytearray(content)
        for _ in range(dice.choice([1, 1, 4])):
            raw[dice.choice([dice.randrange(len(raw)), -1 - dice.randrange(300)])] ^= (
                1 << dice.randrange(8)
            )
        return bytes(raw)
    files, together = unpacked(content)
    for _ in range(dice.choice([1, 1, 1, 2])):
        if files:
            dice.choice(CHANGES)(files, dice)
    if together and dice.random() < 0.7:
        hashes_fit(files)
    return packed(files, together, dice)
