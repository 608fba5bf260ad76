/* JSON Web Signatures in compact form (RFC 7515, 7519, 8037), as webhooks use them. The algorithms
 * that may be are the recipe's; what the token names only picks among them, and the kind of key is
 * fixed by that. `none` and embedded keys (jwk, jku, x5u, x5c) are never followed; of `crit` only
 * "b64" of a detached token is understood (RFC 7797). */
#ifndef HO_EDGE_JWT_H
#define HO_EDGE_JWT_H

#include "base/json.h"
#include "base/mac.h"
#include "base/mac_key.h"

#define JWT_MAX ((size_t)64 * 1024)

enum jose_alg {
    JOSE_HS256, JOSE_HS384, JOSE_HS512, JOSE_RS256, JOSE_RS384, JOSE_RS512, JOSE_ES256, JOSE_EDDSA,
    JOSE_N
};

/* "HS256" and so on; JOSE_N when it is none. */
enum jose_alg jose_alg_of(struct span name);
const char *jose_alg_word(enum jose_alg alg);
bool jose_is_shared(enum jose_alg alg); /* HS: the key is a shared secret */
enum mac_alg jose_digest(enum jose_alg alg);
enum mac_sig jose_kind(enum jose_alg alg); /* of those that are not shared */

struct jwt {
    enum jose_alg alg;
    struct json *header, *claims; /* owned; claims NULL for a detached one */
    struct span signing;          /* "header.payload" as written, or "header" of a detached one */
    bool raw;                     /* a detached payload is signed as it is, not as base64url */
    struct buf sig;               /* decoded */
};

/* Takes a token apart and checks its form; nothing is verified.
 * in:  text - lives as long as the result; allowed - bit 1 << jose_alg for each; detached - whether
 *      the middle part must be empty (else it must not)
 * out: jwt_free, whatever is returned
 * returns HO_OK | HO_REJECT (malformed) | HO_PERMANENT (an algorithm that is not allowed). */
enum ho_code jwt_parse(struct span text, unsigned allowed, bool detached, struct jwt *out,
                       struct ho_err *err) HO_MUST_CHECK;
void jwt_free(struct jwt *t);

/* exp and nbf against the clock, where they are there, with a minute's leeway.
 * returns -1 when nbf is in the future, 1 when exp is over, 2 when one is no number, else 0. */
int jwt_window(const struct json *claims, int64_t now_us);

#endif
