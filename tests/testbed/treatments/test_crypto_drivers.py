"""Which code computes a cipher: read from /proc/crypto of a guest that had used seven suites."""

from remeasure.bench.base.paths import ROOT
from remeasure.bench.testbed.treatments.instructions import made_of_parts, read_drivers
from remeasure.paper.notebook.shared_tables import NOT_RECORDED, provenance

AESNI = """
name         : rfc4106(gcm(aes))
driver       : rfc4106-gcm-vaes-avx512
module       : aesni_intel
priority     : 800
type         : aead
"""


def test_algorithms_of_esp_and_ah_are_found(fixture):
    found = read_drivers(fixture("linux-7.2/crypto-uml.txt").decode())
    assert found["rfc4106(gcm(aes))"] == "rfc4106(gcm_base(ctr(aes-lib),ghash-lib))"
    assert found["cbc(des3_ede)"] == "cbc(ecb(des3_ede-generic))"
    assert found["hmac(md5)"] == "hmac-md5-lib"
    assert "rfc7539esp(chacha20,poly1305)" in found
    assert not {"lzo", "crc32c", "seqiv(rfc4106(gcm(aes)))"} & set(found)


def test_the_driver_of_highest_priority_counts(fixture):
    generic = fixture("linux-7.2/crypto-uml.txt").decode()
    for text in (generic + AESNI, AESNI.lstrip() + "\n" + generic):
        assert read_drivers(text)["rfc4106(gcm(aes))"] == "rfc4106-gcm-vaes-avx512"


def test_a_frame_for_cipher_and_hash_is_told_from_a_driver_of_both(fixture):
    algorithm = "authenc(hmac(sha1),cbc(aes))"
    found = read_drivers(fixture("linux-7.2/crypto-uml.txt").decode())
    assert made_of_parts(algorithm, found[algorithm])
    assert not made_of_parts(algorithm, "authenc-hmac-sha1-cbc-aes-qat")


def test_a_campaign_of_before_says_that_it_has_no_record():
    block = ROOT / "data/raw/lab-2026-11-replay/replay-window/block-01.zip"
    where = provenance([block])
    assert where["crypto drivers"] == where["machine_cpu_flags"] == NOT_RECORDED
