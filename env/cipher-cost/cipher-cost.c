/* What ESP or AH costs a processor, packet by packet, by OpenSSL's libcrypto: no kernel, no network.
 *
 *   cipher-cost measure SUITE PAYLOAD MILLISECONDS ROUNDS as-they-are|masked
 *   cipher-cost show SUITE PAYLOAD       keys and one packet, in hexadecimal
 *
 * A packet carries PAYLOAD bytes, as RFC 4303 (ESP) and RFC 4302 (AH) lay it out:
 *
 *   ESP  SPI 4 | sequence number 4 | IV | payload, padding, pad length, next header | ICV
 *   AH   IPv4 header 20 | AH 12 | ICV | payload
 *
 * An AEAD cipher takes SPI and sequence number as additional data, and salt and IV as nonce; the IV
 * counts packets (RFC 4106, RFC 7634). With CBC the IV is an encrypted counter (NIST SP 800-38A,
 * appendix C), which costs one block more, and an HMAC over the packet is cut to the ICV (RFC 2404,
 * RFC 4868). The receiver compares the ICV before it decrypts, and looks at the padding.
 *
 * `masked`: the environment variable OPENSSL_ia32cap must have switched instructions off.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD = 64, MOST = 9000, ROOM = HEAD + MOST + 64, HEADER = 8, IP = 20, AH = 12 };
/* A clock is read once in at least this time, so that reading it costs little [ns]. */
enum { BATCH_NS = 200000 };

struct cipher {
    const char *name, *algorithm;
    size_t key, iv, block;
    int aead;
};
struct digest {
    const char *name, *algorithm;
    size_t key, icv;
};
static const struct cipher CIPHERS[] = {
    {"ah", NULL, 0, 0, 0, 0},
    {"des", "DES-CBC", 8, 8, 8, 0},
    {"3des", "DES-EDE3-CBC", 24, 8, 8, 0},
    {"aes128", "AES-128-CBC", 16, 16, 16, 0},
    {"aes256", "AES-256-CBC", 32, 16, 16, 0},
    {"aes128gcm16", "AES-128-GCM", 16, 8, 4, 1},
    {"aes256gcm16", "AES-256-GCM", 32, 8, 4, 1},
    {"chacha20poly1305", "ChaCha20-Poly1305", 32, 8, 4, 1},
};
static const struct digest DIGESTS[] = {
    {"md5", "MD5", 16, 12},
    {"sha1", "SHA1", 20, 12},
    {"sha256", "SHA256", 32, 16},
};

/* One security association, both ends. */
struct sa {
    const struct cipher *cipher;
    const struct digest *digest;
    EVP_CIPHER_CTX *encrypt, *decrypt;
    EVP_MAC_CTX *mac;
    size_t icv;
    uint32_t sequence;
    uint8_t cipher_key[32], mac_key[32], salt[4];
};
struct packet {
    uint8_t *start;
    size_t length;
};

static void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("cipher-cost: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

static void must(int good, const char *what) {
    if (!good) fail("OpenSSL failed: %s", what);
}

/* Algorithms */

static EVP_CIPHER_CTX *new_cipher(const char *algorithm, const uint8_t *key, int encrypt) {
    if (!strcmp(algorithm, "DES-CBC") && !OSSL_PROVIDER_load(NULL, "legacy"))
        fail("DES needs OpenSSL's legacy provider, which is missing here (Debian: package "
             "openssl-provider-legacy)");
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, algorithm, NULL);
    if (!cipher) fail("OpenSSL has no %s here", algorithm);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    must(context && EVP_CipherInit_ex2(context, cipher, key, NULL, encrypt, NULL), algorithm);
    EVP_CIPHER_CTX_set_padding(context, 0);
    EVP_CIPHER_free(cipher);
    return context;
}

static EVP_MAC_CTX *new_mac(const char *digest, const uint8_t *key, size_t length) {
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_end(),
    };
    must(context && EVP_MAC_init(context, key, length, parameters), digest);
    EVP_MAC_free(hmac);
    return context;
}

static void aead_seal(EVP_CIPHER_CTX *context, const uint8_t *nonce, const uint8_t *aad,
                      size_t aad_length, const uint8_t *in, size_t length, uint8_t *out,
                      uint8_t *icv) {
    int n;
    must(EVP_EncryptInit_ex2(context, NULL, NULL, nonce, NULL) &&
             EVP_EncryptUpdate(context, NULL, &n, aad, (int)aad_length) &&
             EVP_EncryptUpdate(context, out, &n, in, (int)length) &&
             EVP_EncryptFinal_ex(context, out + length, &n) &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, icv),
         "AEAD encryption");
}

/* Returns 0 if the ICV is wrong. */
static int aead_open(EVP_CIPHER_CTX *context, const uint8_t *nonce, const uint8_t *aad,
                     size_t aad_length, const uint8_t *in, size_t length, uint8_t *out,
                     uint8_t *icv) {
    int n;
    must(EVP_DecryptInit_ex2(context, NULL, NULL, nonce, NULL) &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, icv) &&
             EVP_DecryptUpdate(context, NULL, &n, aad, (int)aad_length) &&
             EVP_DecryptUpdate(context, out, &n, in, (int)length),
         "AEAD decryption");
    return EVP_DecryptFinal_ex(context, out + length, &n) > 0;
}

/* `length` is a multiple of the block. */
static void cbc(EVP_CIPHER_CTX *context, const uint8_t *iv, const uint8_t *in, size_t length,
                uint8_t *out) {
    int n;
    must(EVP_CipherInit_ex2(context, NULL, NULL, iv, -1, NULL) &&
             EVP_CipherUpdate(context, out, &n, in, (int)length) && n == (int)length,
         "CBC");
}

static void hmac(EVP_MAC_CTX *context, const uint8_t *in, size_t length, uint8_t *whole) {
    size_t n;
    must(EVP_MAC_init(context, NULL, 0, NULL) && EVP_MAC_update(context, in, length) &&
             EVP_MAC_final(context, whole, &n, EVP_MAX_MD_SIZE),
         "HMAC");
}

/* Packets */

static void put32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* The IPv4 header before AH, its mutable fields zero (RFC 4302, section 3.3.3.1), and AH. */
static void put_ah(struct sa *sa, uint8_t *at, size_t whole) {
    static const uint8_t addresses[] = {192, 0, 2, 1, 192, 0, 2, 2};
    memset(at, 0, IP + AH + sa->icv);
    at[0] = 0x45;
    at[2] = (uint8_t)(whole >> 8);
    at[3] = (uint8_t)whole;
    at[9] = 51;
    memcpy(at + 12, addresses, sizeof addresses);
    at[IP] = 4;
    at[IP + 1] = (uint8_t)((AH + sa->icv) / 4 - 2);
    put32(at + IP + 4, 0x01020304);
    put32(at + IP + 8, sa->sequence);
}

/* Protect the `length` bytes at `payload`, which has HEAD bytes of room before and 64 after it. ESP
 * is written to `out`, AH before the payload. */
static struct packet seal(struct sa *sa, uint8_t *payload, size_t length, uint8_t *out) {
    static const uint8_t zero[16];
    uint8_t whole[EVP_MAX_MD_SIZE];
    const struct cipher *cipher = sa->cipher;
    sa->sequence++;
    if (!cipher->algorithm) {
        size_t header = IP + AH + sa->icv;
        uint8_t *start = payload - header;
        put_ah(sa, start, header + length);
        hmac(sa->mac, start, header + length, whole);
        memcpy(start + IP + AH, whole, sa->icv);
        return (struct packet){start, header + length};
    }
    size_t padding = (cipher->block - (length + 2) % cipher->block) % cipher->block;
    for (size_t i = 0; i < padding; i++) payload[length + i] = (uint8_t)(i + 1);
    payload[length + padding] = (uint8_t)padding;
    payload[length + padding + 1] = 4;
    size_t inner = length + padding + 2, before = HEADER + cipher->iv;
    put32(out, 0x01020304);
    put32(out + 4, sa->sequence);
    uint8_t *icv = out + before + inner;
    if (cipher->aead) {
        uint8_t nonce[12];
        memset(out + HEADER, 0, 4);
        put32(out + HEADER + 4, sa->sequence);
        memcpy(nonce, sa->salt, 4);
        memcpy(nonce + 4, out + HEADER, 8);
        aead_seal(sa->encrypt, nonce, out, HEADER, payload, inner, out + before, icv);
    } else {
        memset(payload - cipher->iv, 0, cipher->iv);
        put32(payload - 4, sa->sequence);
        cbc(sa->encrypt, zero, payload - cipher->iv, cipher->iv + inner, out + HEADER);
        hmac(sa->mac, out, before + inner, whole);
        memcpy(icv, whole, sa->icv);
    }
    return (struct packet){out, before + inner + sa->icv};
}

/* Check and decrypt a packet to `out`; AH is left where it is. Returns the payload; with start NULL
 * if ICV or padding are wrong. */
static struct packet open_packet(struct sa *sa, struct packet in, uint8_t *out) {
    static const struct packet refused = {NULL, 0};
    uint8_t whole[EVP_MAX_MD_SIZE], icv[16];
    const struct cipher *cipher = sa->cipher;
    if (!cipher->algorithm) {
        size_t header = IP + AH + sa->icv;
        uint8_t *place = in.start + IP + AH;
        memcpy(icv, place, sa->icv);
        memset(place, 0, sa->icv);
        hmac(sa->mac, in.start, in.length, whole);
        memcpy(place, icv, sa->icv);
        if (CRYPTO_memcmp(whole, icv, sa->icv)) return refused;
        return (struct packet){in.start + header, in.length - header};
    }
    size_t before = HEADER + cipher->iv, inner = in.length - before - sa->icv;
    uint8_t *theirs = in.start + before + inner;
    if (cipher->aead) {
        uint8_t nonce[12];
        memcpy(nonce, sa->salt, 4);
        memcpy(nonce + 4, in.start + HEADER, 8);
        if (!aead_open(sa->decrypt, nonce, in.start, HEADER, in.start + before, inner, out, theirs))
            return refused;
    } else {
        hmac(sa->mac, in.start, before + inner, whole);
        if (CRYPTO_memcmp(whole, theirs, sa->icv)) return refused;
        cbc(sa->decrypt, in.start + HEADER, in.start + before, inner, out);
    }
    size_t padding = out[inner - 2];
    if (padding + 2 > inner) return refused;
    for (size_t i = 0; i < padding; i++)
        if (out[inner - 2 - padding + i] != i + 1) return refused;
    return (struct packet){out, inner - 2 - padding};
}

/* Known answers */

struct known {
    const char *algorithm, *source, *key, *iv, *aad, *in, *out, *icv;
};
#define GCM_IN                                                                                    \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6" \
    "b525b16aedf5aa0de657ba637b39"
#define GCM_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
static const struct known KNOWN[] = {
    {"DES-CBC", "FIPS 81, table C1", "0123456789abcdef", "1234567890abcdef", NULL,
     "4e6f77206973207468652074696d6520666f7220616c6c20",
     "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6", NULL},
    {"DES-EDE3-CBC", "NIST SP 800-67, appendix B, first block",
     "0123456789abcdef23456789abcdef01456789abcdef0123", "0000000000000000", NULL,
     "5468652071756663", "a826fd8ce53b855f", NULL},
    {"AES-128-CBC", "RFC 3602, case 1", "06a9214036b8a15b512e03d534120006",
     "3dafba429d9eb430b422da802c9fac41", NULL, "53696e676c6520626c6f636b206d7367",
     "e353779c1079aeb82708942dbe77181a", NULL},
    {"AES-256-CBC", "NIST SP 800-38A, F.2.5, first block",
     "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
     "000102030405060708090a0b0c0d0e0f", NULL, "6bc1bee22e409f96e93d7e117393172a",
     "f58c4c04d6e5f1ba779eabfb5f7bfbd6", NULL},
    {"AES-128-GCM", "McGrew and Viega, case 4", "feffe9928665731c6d6a8f9467308308",
     "cafebabefacedbaddecaf888", GCM_AAD, GCM_IN,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84"
     "aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {"AES-256-GCM", "McGrew and Viega, case 16",
     "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
     GCM_AAD, GCM_IN,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b105682"
     "8838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {"ChaCha20-Poly1305", "RFC 8439, section 2.8.2",
     "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", "070000004041424344454647",
     "50515253c0c1c2c3c4c5c6c7",
     "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a2049662049"
     "20636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c20"
     "73756e73637265656e20776f756c642062652069742e",
     "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92"
     "728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b"
     "4831d7bc3ff4def08e4b7a9de576d26586cec64b6116",
     "1ae10b594f09e26a7e902ecbd0600691"},
    {"MD5", "RFC 2202, HMAC-MD5, case 1", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", NULL, NULL,
     "4869205468657265", NULL, "9294727a3638bb1c13f48ef8158bfc9d"},
    {"SHA1", "RFC 2202, HMAC-SHA-1, case 1", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", NULL, NULL,
     "4869205468657265", NULL, "b617318655057264e28bc0b6fb378c8ef146be00"},
    {"SHA256", "RFC 4231, HMAC-SHA-256, case 1", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", NULL,
     NULL, "4869205468657265", NULL,
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
};

static size_t bytes_of(const char *text, uint8_t *out) {
    size_t length = text ? strlen(text) / 2 : 0;
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        sscanf(text + 2 * i, "%2x", &value);
        out[i] = (uint8_t)value;
    }
    return length;
}

/* Both directions of an algorithm, against the answer that its standard prints. */
static void check_known(const char *algorithm) {
    const struct known *known = KNOWN;
    while (strcmp(known->algorithm, algorithm)) known++;
    uint8_t key[32], iv[16], aad[32], in[256], out[256], icv[64], got[512], again[512];
    uint8_t tag[64] = {0};
    size_t key_length = bytes_of(known->key, key), length = bytes_of(known->in, in);
    size_t aad_length = bytes_of(known->aad, aad), icv_length = bytes_of(known->icv, icv);
    bytes_of(known->iv, iv);
    int good = 1;
    if (!known->out) {
        EVP_MAC_CTX *mac = new_mac(algorithm, key, key_length);
        hmac(mac, in, length, tag);
        EVP_MAC_CTX_free(mac);
    } else {
        EVP_CIPHER_CTX *to = new_cipher(algorithm, key, 1), *from = new_cipher(algorithm, key, 0);
        bytes_of(known->out, out);
        if (icv_length) {
            aead_seal(to, iv, aad, aad_length, in, length, got, tag);
            good = aead_open(from, iv, aad, aad_length, got, length, again, tag);
        } else {
            cbc(to, iv, in, length, got);
            cbc(from, iv, got, length, again);
        }
        good = good && !memcmp(got, out, length) && !memcmp(again, in, length);
        EVP_CIPHER_CTX_free(to);
        EVP_CIPHER_CTX_free(from);
    }
    if (!good || memcmp(tag, icv, icv_length))
        fail("%s: not the answer of %s", algorithm, known->source);
    printf("known %s: %s\n", algorithm, known->source);
}

/* A packet comes back as it was, and is refused if any byte of it has changed. */
static void check_packet(struct sa *sa, uint8_t *payload, size_t length, uint8_t *out,
                         uint8_t *back) {
    uint8_t *plain = malloc(length);
    memcpy(plain, payload, length);
    struct packet packet = seal(sa, payload, length, out);
    struct packet opened = open_packet(sa, packet, back);
    if (!opened.start || opened.length != length || memcmp(opened.start, plain, length))
        fail("a packet of %s did not come back as it was", sa->cipher->name);
    for (size_t i = 0; i < packet.length; i++) {
        packet.start[i] ^= 1;
        if (open_packet(sa, packet, back).start)
            fail("a packet of %s was taken though byte %zu had changed", sa->cipher->name, i);
        packet.start[i] ^= 1;
    }
    free(plain);
}

/* Suites */

static void make_sa(struct sa *sa, const char *suite) {
    char text[64];
    snprintf(text, sizeof text, "%s", suite);
    char *dash = strchr(text, '-');
    if (dash) *dash++ = 0;
    for (size_t i = 0; i < sizeof CIPHERS / sizeof *CIPHERS; i++)
        if (!strcmp(CIPHERS[i].name, text)) sa->cipher = CIPHERS + i;
    for (size_t i = 0; dash && i < sizeof DIGESTS / sizeof *DIGESTS; i++)
        if (!strcmp(DIGESTS[i].name, dash)) sa->digest = DIGESTS + i;
    if (!sa->cipher || sa->cipher->aead == !!dash || (dash && !sa->digest))
        fail("unknown suite %s; expected such as aes128gcm16, aes128-sha1 or ah-sha1", suite);
    /* No two parts of a key are alike: with equal thirds 3DES would be DES. */
    for (size_t i = 0; i < sizeof sa->cipher_key; i++) {
        sa->cipher_key[i] = (uint8_t)(17 * i + 1);
        sa->mac_key[i] = (uint8_t)(23 * i + 5);
    }
    memcpy(sa->salt, "\xa0\xa1\xa2\xa3", 4);
    sa->icv = sa->digest ? sa->digest->icv : 16;
    if (sa->cipher->algorithm) {
        sa->encrypt = new_cipher(sa->cipher->algorithm, sa->cipher_key, 1);
        sa->decrypt = new_cipher(sa->cipher->algorithm, sa->cipher_key, 0);
    }
    if (sa->digest) sa->mac = new_mac(sa->digest->algorithm, sa->mac_key, sa->digest->key);
}

/* Time */

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct work {
    struct sa *sa;
    int outbound;
    uint8_t *payload, *out, *back;
    size_t length;
    struct packet packet;
};

static void process(struct work *work, uint64_t packets) {
    for (uint64_t i = 0; i < packets; i++)
        if (work->outbound)
            seal(work->sa, work->payload, work->length, work->out);
        else if (!open_packet(work->sa, work->packet, work->back).start)
            fail("a packet was refused");
}

/* Warm up: batches that double until one size takes BATCH_NS twice, then until the clock of the
 * processor time moves, which may go by ticks. Then process packets until that clock has gone on by
 * `least_ns`. */
static void measure(struct work *work, uint64_t least_ns, int round) {
    uint64_t batch = 1, packets = 0;
    for (int long_enough = 0; long_enough < 2;) {
        uint64_t begin = read_clock(CLOCK_MONOTONIC);
        process(work, batch);
        if (read_clock(CLOCK_MONOTONIC) - begin >= BATCH_NS) {
            long_enough++;
        } else {
            long_enough = 0;
            batch *= 2;
        }
    }
    uint64_t before = read_clock(CLOCK_PROCESS_CPUTIME_ID), cpu;
    do process(work, batch);
    while ((cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID)) == before);
    uint64_t wall = read_clock(CLOCK_MONOTONIC), now;
    do {
        process(work, batch);
        packets += batch;
        now = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    } while (now - cpu < least_ns);
    printf("round %d %s %llu packets %llu cpu_ns %llu wall_ns\n", round,
           work->outbound ? "outbound" : "inbound", (unsigned long long)packets,
           (unsigned long long)(now - cpu),
           (unsigned long long)(read_clock(CLOCK_MONOTONIC) - wall));
}

static void print_bytes(const char *name, const uint8_t *bytes, size_t length) {
    printf("%s ", name);
    for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
    putchar('\n');
}

/* The file that this process has libcrypto from. */
static const char *loaded_from(void) {
    Dl_info found;
    return dladdr((void *)OpenSSL_version, &found) && found.dli_fname ? found.dli_fname : "unknown";
}

static long number(const char *text, long least, long most, const char *what) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > most)
        fail("%s: found %s, expected %ld to %ld", what, text, least, most);
    return value;
}

int main(int count, char **argument) {
    int show = count == 4 && !strcmp(argument[1], "show");
    if (!show && (count != 7 || strcmp(argument[1], "measure")))
        fail("usage: cipher-cost measure SUITE PAYLOAD MILLISECONDS ROUNDS as-they-are|masked");
    static uint8_t plain[ROOM], out[ROOM], back[ROOM];
    struct sa sa = {0};
    const char *settings = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    uint8_t *payload = plain + HEAD;
    size_t length = (size_t)number(argument[3], 1, MOST, "payload");
    for (size_t i = 0; i < length; i++) payload[i] = (uint8_t)(i * 7 + 3);
    must(OSSL_PROVIDER_load(NULL, "default") != NULL, "provider default");
    if (show) {
        make_sa(&sa, argument[2]);
        print_bytes("cipher-key", sa.cipher_key, sa.cipher->key);
        print_bytes("mac-key", sa.mac_key, sa.digest ? sa.digest->key : 0);
        print_bytes("salt", sa.salt, sizeof sa.salt);
        print_bytes("payload", payload, length);
        struct packet packet = seal(&sa, payload, length, out);
        print_bytes("packet", packet.start, packet.length);
        return 0;
    }
    long milliseconds = number(argument[4], 1, 10000, "milliseconds");
    long rounds = number(argument[5], 1, 1000, "rounds");
    int masked = !strcmp(argument[6], "masked");
    if (!masked && strcmp(argument[6], "as-they-are"))
        fail("instructions: found %s, expected as-they-are or masked", argument[6]);
#if !defined(__x86_64__)
    if (masked) fail("instructions cannot be masked here: this is no x86 processor");
#endif
    printf("cipher-cost 2\nlibrary %s\nloaded %s\nsettings %s\n",
           OpenSSL_version(OPENSSL_VERSION), loaded_from(), settings ? settings : "unknown");
    printf("instructions %s\nsuite %s\npayload %zu\n", argument[6], argument[2], length);
    make_sa(&sa, argument[2]);
    if (sa.cipher->algorithm) check_known(sa.cipher->algorithm);
    if (sa.digest) check_known(sa.digest->algorithm);
    check_packet(&sa, payload, length, out, back);
    struct work work = {&sa, 1, payload, out, back, length, {NULL, 0}};
    work.packet = seal(&sa, payload, length, out);
    printf("packet %zu\n", work.packet.length);
    for (int round = 1; round <= rounds; round++)
        for (int second = 0; second < 2; second++) {
            /* The direction that comes first takes turns. */
            work.outbound = (round + second) % 2;
            if (!work.outbound) work.packet = seal(&sa, payload, length, out);
            measure(&work, (uint64_t)milliseconds * 1000000u, round);
        }
    puts("end");
    return 0;
}
