/* For the tests of keys: the files of tests/unit/keys, and texts as bytes. */
#ifndef HO_TESTS_MAC_KEYS_H
#define HO_TESTS_MAC_KEYS_H

#include "unit.h"

#include "base/file.h"
#include "base/mac_key.h"
#include "base/text.h"

#define KEY_TEXT 65600

/* A key file's content, appended. */
static inline void read_key(const char *name, struct buf *out)
{
    char path[512];
    struct ho_err err;
    ho_err_clear(&err);
    (void)snprintf(path, sizeof path, "%s/unit/keys/%s", HO_TESTS, name);
    if (file_read(path, false, out, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
}

static inline struct mac_key *public_key(enum mac_sig kind, const char *name)
{
    struct buf text;
    struct mac_key *k = NULL;
    struct ho_err err;
    ho_err_clear(&err);
    buf_init(&text, KEY_TEXT);
    read_key(name, &text);
    if (mac_key_public(kind, buf_span(&text), &k, &err) != HO_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    buf_free(&text);
    return k;
}

static inline struct mac_key *private_key(enum mac_sig kind, const char *name)
{
    struct buf text;
    struct mac_key *k = NULL;
    struct ho_err err;
    ho_err_clear(&err);
    buf_init(&text, KEY_TEXT);
    read_key(name, &text);
    if (mac_key_private(kind, buf_span(&text), &k, &err) != HO_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    buf_free(&text);
    return k;
}

static inline struct mac_key *jwk_key(enum mac_sig kind, const char *text)
{
    struct json *doc = NULL;
    struct mac_key *k = NULL;
    struct ho_err err;
    ho_err_clear(&err);
    assert_int_equal(json_parse(span_of(text), &doc, &err), HO_OK);
    if (mac_key_jwk(kind, json_at(doc, SPAN_LIT("")), &k, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
    json_free(doc);
    return k;
}

#endif
