"""The suites that the page My tunnel shows."""

from remeasure.paper.analysis.models.suite_cost import ADVISED

NAMES = {
    "aes128gcm16": "AES-128-GCM",
    "aes256gcm16": "AES-256-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "aes128-sha256": "AES-128-CBC with HMAC-SHA-256",
}
"""suite -> its name there; those that RFC 8221 has without reservation"""
ENDS = 2
"""both ends of an SA work on a packet; costs are of both together"""

assert set(NAMES) == set(ADVISED)
