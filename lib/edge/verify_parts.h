/* One request under verification, for the files of edge/verify.h. */
#ifndef HO_EDGE_VERIFY_PARTS_H
#define HO_EDGE_VERIFY_PARTS_H

#include "core/document.h"
#include "edge/formsort.h"
#include "edge/sig.h"
#include "edge/url.h"
#include "edge/verify.h"

struct check {
    const struct endpoint *endpoint;
    const struct recipe *recipe; /* the endpoint's */
    const struct request *request;
    int64_t now_us;
    const char *state_dir; /* NULL in verify_head */
    struct verify_note *note;
    struct verdict *out;   /* NULL in verify_head */
    struct sig_parts parts;
    struct term_view view; /* all that is known by now */
    struct buf ts;         /* that view.ts lies in */
    bool alg_known;
    struct alg alg;
    char word[DOCUMENT_WORD_MAX]; /* of the document; "" while it is not parsed */
    struct json *doc;
    struct buf text; /* of the document, where it stands in a form's field */
    struct form_texts forms; /* of the body; made when they are first asked for */
    struct urls urls; /* n 0 where the recipe looks at none */
    struct jwt token; /* the one that fits */
    unsigned char body_sha[SHA256_LEN];
    int number; /* of the secret that fits; 0: a fetched key */
};

/* What is known of a request by and by; a step that needs more than is there waits. */
enum phase { PHASE_HEAD, PHASE_BODY, PHASE_CLAIMS };

/* REASON_OK for TERM_OK, else what a value that is needed and not there means. */
enum reason verify_reason(enum term_result result);

/* Notes that it was this term, unless another one is noted; then returns reason. */
enum reason verify_blame(const struct check *c, const struct term *t, enum reason reason);

/* ---- verify_head.c ---- */

enum reason verify_check_head(struct check *c);

/* The algorithm and the signed time, as far as they can be told in that phase. */
enum reason verify_check_facts(struct check *c, enum phase phase);

/* ---- verify_mac.c, verify_key.c, verify_token.c: the signature ---- */

/* What fits, counted from 1, 0 for nothing: kept without a branch, so that the time it takes does
 * not tell which one it was. */
struct fit {
    unsigned slot; /* of the keys */
    unsigned url;  /* of the candidates */
};
void verify_keep(struct fit *fit, unsigned slot, unsigned url, bool fits);

/* Whether there are more signatures than are tried under public keys. */
bool verify_too_many(const struct check *c);

/* Signatures as bytes. */
struct sig_bytes {
    struct buf at[SIGS_MAX];
    size_t n;
};
/* returns REASON_OK | REASON_HEADER_MALFORMED (none is in the recipe's encoding). Free always. */
enum reason verify_decode(const struct check *c, struct sig_bytes *out);
void verify_decode_free(struct sig_bytes *s);

/* How many candidates the signed bytes are tried with, and sets the u-th into the view. */
size_t verify_urls(const struct check *c);
void verify_use_url(struct check *c, size_t u);

/* The signed bytes with the view as it is; they borrow from it and from tmp. */
enum reason verify_signed(const struct check *c, struct buf *tmp,
                          struct span parts[EXPR_PIECES_MAX], size_t *n);
size_t verify_signed_room(const struct check *c); /* for tmp */

/* Whether the i-th secret of the endpoint counts now, as a shared one or as a public key. */
bool verify_usable(const struct check *c, size_t i, bool as_public);

/* Every signature against every secret and URL. */
void verify_try_shared(struct check *c, const struct sig_bytes *sigs, struct fit *fit,
                       enum reason *why);

/* A token of an HS algorithm against every secret. */
void verify_try_token(const struct check *c, const struct jwt *t, const struct span *parts,
                      size_t n, unsigned url, struct fit *fit);

enum reason verify_shared(struct check *c); /* hmac, digest, equal */
enum reason verify_public(struct check *c); /* rsa, ecdsa, ed25519 */
enum reason verify_token(struct check *c);  /* jwt, jws */

/* Takes over which secret and URL it was. */
void verify_settle(struct check *c, const struct fit *fit, bool fetched);

/* ---- verify_fetch.c ---- */

#define KEYS_MAX 32

struct key_set {
    struct mac_key *fetched[KEYS_MAX]; /* owned */
    const struct mac_key *keys[KEYS_MAX]; /* by slot - 1; NULL: not usable */
    size_t n;
    bool is_fetched;
    int64_t age_ms; /* of fetched ones */
};

/* The endpoint's own public keys, or the fetched ones that the request picks.
 * in:  jose - name of the token's algorithm, or NULL
 * returns REASON_OK | REASON_KEY_WANTED (c->out->wanted says which) | REASON_SIGNATURE (no such
 * key) | REASON_HEADER_MISSING | _DUPLICATE | _MALFORMED. Free always. */
enum reason verify_keys(struct check *c, enum mac_sig kind, const char *jose, struct key_set *out);
void verify_keys_free(struct key_set *set);

/* Whether the URL fits one of the patterns: core/url_match.h. */
bool verify_url_allowed(const struct span *from, size_t n, struct span url);

/* What it means that a key of the set fits, or none does, and whether the set is to be got again.
 * returns REASON_OK | REASON_SIGNATURE | REASON_KEY_WANTED. */
enum reason verify_keys_done(struct check *c, const struct key_set *set, bool fits);

/* ---- verify_check.c ---- */

/* The recipe's checks that look at no item (items false), or those that do. */
enum reason verify_checks(struct check *c, bool items);

/* ---- verify_trace.c, verify_why.c: for people ---- */

/* Append a line to the trace, where there is one. */
void verify_say(const struct check *c, const char *fmt, ...) HO_PRINTF(2, 3);
void verify_say_text(const struct check *c, const char *what, struct span text); /* quoted */
void verify_say_signed(const struct check *c, const struct span *parts, size_t n, size_t url);

/* Tries known mistakes and says which would explain a signature that does not fit. */
void verify_why(struct check *c);

#endif
