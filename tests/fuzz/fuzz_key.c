/* Public keys in every form, and signatures: what is taken verifies nothing that was not signed, and
 * signs nothing. The first byte says of which kind the key should be, the second how long it is. */
#include "base/json.h"
#include "base/mac_key.h"
#include "fuzz.h"

static void try_key(struct mac_key *k, enum mac_sig kind, struct span sig)
{
    static const struct span text = {(const unsigned char *)"nobody signed this", 18};
    struct buf out;

    if (k == NULL) {
        return;
    }
    buf_init(&out, MAC_SIG_MAX);
    MUST(mac_key_kind(k) == kind);
    (void)mac_key_verify(k, MAC_SHA256, false, &text, 1, sig);
    (void)mac_key_verify(k, MAC_SHA512, true, &text, 1, sig);
    MUST(mac_key_sign(k, MAC_SHA256, false, &text, 1, &out) == HO_REJECT && out.len == 0);
    buf_free(&out);
    mac_key_free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mac_key *k = NULL;
    struct json *doc = NULL;
    struct ho_err err;
    unsigned char *copy;
    struct span key, sig;
    enum mac_sig kind;

    if (size < 2) {
        return 0;
    }
    kind = (enum mac_sig)(data[0] % 3);
    copy = fuzz_copy(span_make(data + 2, size - 2));
    sig = span_sub(span_make(copy, size - 2), 0, data[1]);
    key = span_sub(span_make(copy, size - 2), data[1], size);
    ho_err_clear(&err);
    MUST((mac_key_public(kind, key, &k, &err) == HO_OK) == (k != NULL));
    MUST((k == NULL) == (err.text[0] != '\0'));
    try_key(k, kind, sig);
    if (json_parse(key, &doc, NULL) == HO_OK) {
        MUST((mac_key_jwk(kind, json_at(doc, SPAN_LIT("")), &k, NULL) == HO_OK) == (k != NULL));
        try_key(k, kind, sig);
    }
    json_free(doc);
    free(copy);
    return 0;
}
