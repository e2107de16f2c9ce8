"""The program of probe `cipher`, run on this machine: its results, and its refusals."""

import hashlib
import hmac
import os
import platform
import subprocess
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.lab.libraries import get_libraries
from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.cipher import MASK, PROGRAM, Cipher
from remeasure.bench.testbed.programs import get_program

MASKED = {"OPENSSL_ia32cap": ":".join(f"~{word:#x}" for word in MASK)}
SUITES = [cell["suite"] for cell in load_scenario("cipher-cost", "quick").cells[::4]]
AEADS = {"aes128gcm16": AESGCM, "aes256gcm16": AESGCM, "chacha20poly1305": ChaCha20Poly1305}
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="masks instructions of x86")


def run(*arguments: object, **variables: str) -> tuple[str, str]:
    """Output of the program, and its error."""
    environment = {k: v for k, v in os.environ.items() if k != "OPENSSL_ia32cap"} | variables
    done = subprocess.run(
        [get_program(PROGRAM), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert bool(done.returncode) == bool(done.stderr), done
    return done.stdout, done.stderr


def shown(suite: str, payload: int) -> dict[str, bytes]:
    """The keys and the packet that the program shows: name -> bytes."""
    text, error = run("show", suite, payload)
    assert not error
    pairs = (line.partition(" ") for line in text.splitlines())
    return {name: bytes.fromhex(value) for name, _, value in pairs}


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_gives_known_answers_and_a_log_that_can_be_read(suite):
    text, error = run("measure", suite, 100, 1, 2, "as-they-are")
    assert not error
    probe = Cipher(host="x", suite=suite, payload=100, milliseconds=1, rounds=2)
    probe.require_complete("cost-01.log", text.encode())
    found = {(o.metric, o.index) for o in probe.parse("cost-01.log", text.encode())}
    assert {("outbound_cpu", 0), ("inbound_cpu", 1), ("process_share", 1)} <= found
    parts = 1 if suite in AEADS or suite.startswith("ah") else 2
    assert sum(line.startswith("known ") for line in text.splitlines()) == parts


@pytest.mark.parametrize("suite", AEADS)
@pytest.mark.parametrize("payload", [64, 101])
def test_an_aead_packet_is_what_the_rfcs_say(suite, payload):
    """RFC 4303, 4106 and 7634, by another library's interface."""
    show = shown(suite, payload)
    packet = show["packet"]
    nonce = show["salt"] + packet[8:16]
    plain = AEADS[suite](show["cipher-key"]).decrypt(nonce, packet[16:], packet[:8])
    assert plain == with_trailer(show["payload"], 4)
    assert packet[:8] == bytes.fromhex("0102030400000001")


@pytest.mark.parametrize(
    ("suite", "digest", "icv"),
    [("aes128-sha1", "sha1", 12), ("aes256-md5", "md5", 12), ("aes128-sha256", "sha256", 16)],
)
@pytest.mark.parametrize("payload", [64, 101])
def test_a_cbc_packet_is_what_the_rfcs_say(suite, digest, icv, payload):
    from cryptography.hazmat.primitives.ciphers import Cipher as Decryption
    from cryptography.hazmat.primitives.ciphers import algorithms, modes

    show = shown(suite, payload)
    packet = show["packet"]
    authentic = hmac.digest(show["mac-key"], packet[:-icv], digest)
    assert packet[-icv:] == authentic[:icv]
    iv, encrypted = packet[8:24], packet[24:-icv]
    context = Decryption(algorithms.AES(show["cipher-key"]), modes.CBC(iv)).decryptor()
    plain = context.update(encrypted) + context.finalize()
    assert plain == with_trailer(show["payload"], 16)


def test_an_ah_packet_is_what_the_rfc_says():
    show = shown("ah-sha1", 64)
    packet = show["packet"]
    zeroed = packet[:32] + bytes(12) + packet[44:]
    assert packet[32:44] == hmac.digest(show["mac-key"], zeroed, hashlib.sha1)[:12]
    assert packet[44:] == show["payload"]
    assert (packet[9], packet[20], packet[21]) == (51, 4, 4)
    assert int.from_bytes(packet[2:4], "big") == len(packet)


def with_trailer(payload: bytes, block: int) -> bytes:
    """Payload, padding, pad length and next header (RFC 4303, section 2.4)."""
    length = next(n for n in count() if (len(payload) + n + 2) % block == 0)
    return payload + bytes(range(1, length + 1)) + bytes([length, 4])


@on_x86
def test_masked_instructions_are_not_believed_in():
    text, _ = run("measure", "aes128gcm16", 64, 1, 1, "masked", **MASKED)
    probe = Cipher(
        host="x", suite="aes128gcm16", payload=64, instructions="masked", milliseconds=1, rounds=1
    )
    probe.require_complete("cost-01.log", text.encode())
    (aes,) = (o.value for o in probe.parse("x", text.encode()) if o.metric == "aes_instructions")
    assert aes == 0


@on_x86
def test_a_mask_that_did_not_hold_is_found():
    unmasked, _ = run("measure", "aes128gcm16", 64, 1, 1, "as-they-are")
    told = {o.metric: o.value for o in Cipher.parse("x", unmasked.encode())}
    if not told["aes_instructions"]:
        pytest.skip("this processor has no AES instructions")
    text = unmasked.replace("instructions as-they-are", "instructions masked")
    with pytest.raises(LogError, match="x:4: found .* without AES-NI, PCLMULQDQ"):
        list(Cipher.parse("x", text.encode()))


def test_des_without_the_legacy_provider_says_so(tmp_path):
    _, error = run("measure", "des-md5", 64, 1, 1, "as-they-are", OPENSSL_MODULES=str(tmp_path))
    assert error.startswith("cipher-cost: DES needs OpenSSL's legacy provider, which is missing")


LOG = """\
program: cipher-cost 2
library: library OpenSSL 3.6.5 27 Oct 2026
loaded: loaded /run/cipher-cost-image/libcrypto.so.3
settings: settings OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x18c05fdef3bfa7eb
instructions: instructions as-they-are
suite: suite aes128gcm16
payload: payload 64
known: known AES-128-GCM: McGrew and Viega, case 4
packet: packet 100
out: round 1 outbound 1000 packets 200000 cpu_ns 210000 wall_ns
in: round 1 inbound 1000 packets 300000 cpu_ns 310000 wall_ns
end: end
"""
"""a log of one round; each line has a name before it"""


def log(**lines: str) -> bytes:
    """The log; a line is replaced, or left out if it is empty."""
    whole = dict(line.split(": ", 1) for line in LOG.splitlines()) | lines
    return "".join(f"{line}\n" for line in whole.values() if line).encode()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({"program": "cipher-cost 3"}, "x:1: found 'cipher-cost 3', expected a line"),
        ({"settings": "settings none"}, "x:4: found 'none', expected OPENSSL_ia32cap=0x"),
        ({"suite": ""}, "x:11: found 'end', expected suite, then 'end'"),
        ({"in": ""}, "x:11: found 'end', expected both directions of each round, then 'end'"),
        ({"end": ""}, "x:11: found 'round 1 inbound"),
    ],
)
def test_a_log_with_a_wrong_line_is_refused(lines, said):
    with pytest.raises(LogError) as error:
        list(Cipher.parse("x", log(**lines)))
    assert str(error.value).startswith(said)


def test_a_log_says_which_library_was_loaded():
    told = {o.metric: (o.value, o.line) for o in Cipher.parse("x", log())}
    assert told["library_version"] == (30605, 2)
    older = log(program="cipher-cost 1", loaded="")
    assert "library_version" in {o.metric for o in Cipher.parse("x", older)}


@pytest.mark.parametrize("origin", ["machine", "image"])
def test_a_library_is_brought_with_all_that_it_needs(origin, tmp_path):
    """DES comes from the provider of old ciphers, which must be of the same version."""
    libraries = get_libraries(origin, get_program(PROGRAM))
    for name, content in libraries.files.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o700)
    loading = [tmp_path / libraries.loader, "--library-path", tmp_path, get_program(PROGRAM)]
    done = subprocess.run(
        [*loading, "measure", "des-md5", "64", "1", "1", "as-they-are"],
        capture_output=True,
        text=True,
        env={"OPENSSL_MODULES": str(tmp_path)},
    )
    assert not done.returncode, done.stderr
    assert f"\nloaded {tmp_path}/libcrypto.so.3\n" in done.stdout
    listed = subprocess.check_output([*loading[:3], "--list", loading[3]], text=True)
    paths = [line.split(" => ")[1].split()[0] for line in listed.splitlines() if " => /" in line]
    assert {Path(path).parent for path in paths} == {tmp_path}


def test_an_arm_processor_says_whether_it_has_aes():
    for settings, expected in (("0x7d", 1), ("0x79", 0)):
        content = log(settings=f"settings OPENSSL_armcap={settings}")
        told = {o.metric: o.value for o in Cipher.parse("x", content)}
        assert told["aes_instructions"] == expected
