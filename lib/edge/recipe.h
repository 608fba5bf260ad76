/* Recipes: how a provider signs and names its events, as data. Section `[recipe NAME]`, keys:
 *
 *   like      another recipe whose keys this one starts from. A key here stands in place of the
 *             same there (alg and alg-by of each other; of a key that repeats all lines), and a key
 *             that need not be there is switched off by `none`
 *   title docs   name for people, and where the provider describes its webhooks
 *   basis     what the facts were read in: a document, or a repository and path
 *   confidence  official | published | unconfirmed
 *   secret-at authoritative note   for people: where in the dashboard the secret is found, which
 *             events are customarily the ones to act on, what else to know
 *   weak      body | fields | token: what the signature does not cover. body: nothing of the
 *             body, or not its end, as with a plain digest that has {secret} only in front, which
 *             anybody can go on with; fields: only some fields of it; token: there is no signature,
 *             only a shared token. Must be said where it is so
 *   param     NAME help words; repeats. A setting that each source must give: `param = NAME VALUE`
 *   headers   prefixes of header families; the first one whose signature header is there is used
 *             for all: `svix- webhook-` with `header:*signature`
 *   methods   blank-separated, of POST GET PUT; default POST
 *   sig       where the signatures are: one or more TERMs (header, query, form, json, body;
 *             with filters), blank-separated, each that is there counts; then directives behind
 *             ` ; `:
 *               strip TEXT     prefix that must be there; blanks behind it do not count
 *               list WORD...   split into entries at: comma space semicolon amp comma-space
 *                              bare-comma. Blanks around an entry do not count with comma and
 *                              semicolon. With comma-space the header may stand several times.
 *                              bare-comma: a comma, and blanks are part of the entries
 *               first NAME...  the first entries are sig.NAME in this order, the rest signatures
 *               pair WORD NAME each entry is NAME<eq|colon|comma|dot>VALUE; entries named NAME are
 *                              signatures, the others become sig.FIELD; a FIELD that the recipe
 *                              uses may stand twice only with the same value
 *               behind TEXT    in an entry the signature is what stands behind TEXT; an entry
 *                              without TEXT is another scheme's
 *   alg       hmac-ALG | digest-ALG | rsa-ALG | ecdsa-ALG | ed25519 with ALG of md5 sha1 sha256
 *             sha384 sha512 (no md5, sha384 for keys; ecdsa is P-256 and DER) |
 *             jwt NAME... | jws NAME... with NAME of HS256 HS384 HS512 RS256 RS384 RS512 ES256
 *             EdDSA | equal.
 *             digest: a plain digest of `signed`, which must hold {secret}. jwt: the signature is
 *             a compact JWS and its payload are claims; exp and nbf are held when they are there.
 *             jws: a detached JWS whose payload is `signed`. equal: the text is the secret itself
 *   alg-by    in place of alg: `TERM ; VALUE ALG ; VALUE ALG ; none ALG ; else ALG`; `none` is for
 *             a request without the term, `else` for every other value; others are refused
 *   enc       hex | hex-any | base64 | base64url | raw
 *   key       how a secret becomes the key: `utf8`, or a chain with ` | `, first perhaps
 *             split:TEXT (a file holds several secrets with TEXT between, and each becomes a key:
 *             `split:| | strip:v1, | strip:whsec_ | unbase64`), then perhaps a template of {secret}
 *             and {param:NAME}, then: strip:TEXT (if it begins so), unbase64, unhex, md5, sha1,
 *             sha256, which leave raw bytes. For public keys the bytes are PEM (key or
 *             certificate), DER SubjectPublicKeyInfo, or 32 raw bytes for ed25519
 *   keys      public keys that are fetched by the processor, in place of secrets:
 *             `jwks URL ; kid TERM`, `pem URL`, `json URL ; at /POINTER`; URL is https://... or a
 *             TERM; a TERM needs ` ; from PATTERN...`, full https URLs in which * stands for
 *             letters, digits, - and _ only
 *   signed    template of the signed bytes. Each alternative holds {body}, outside of [[ ]] and
 *             with filters only that lose nothing (json hex base64 base64url md5 sha1 sha256
 *             sha512), unless `weak` is said, or a check without `if TERM` ties the body to a claim
 *             or to something signed. {formsorted} does for forms
 *   check     TEMPLATE == TEMPLATE [ ; if WORD] [ ; unless WORD]; repeats. Must hold as well as the
 *             signature; WORD is body (not empty), form (the body is a form) or a TERM (is there).
 *             An absent value on the left does not hold
 *   time      where the signed time is: `TERM ; s|ms|rfc3339|rfc2822 ; SECONDS|none`, the number
 *             being the tolerance into the past and the future. `TERM ?? TERM`: the first that is
 *             there. It must be signed: by {ts}, or the term, or as part of what is
 *   batch     pointer to the array of events in the document, `.` for the document itself. Each
 *             item is an event; json:./POINTER then looks into the item, and without an id of its
 *             own an item has the body's digest and its index. None at all is answered with ok
 *   id type object   templates (edge/expr.h)
 *   reply-id  in place of id for a source in reply mode, where an equal request without an id of its
 *             own is another question: `{header:x-id} ?? {arrival}`
 *   at        when it happened: `TERM ; s|ms|rfc3339|rfc2822`, alternatives by ` ?? `; s and ms may
 *             have a fraction
 *   same      terms in braces; equal values mean that the same event is said again. A term that
 *             is not there is a value too; when none is there, and by default, it is the body
 *             (or the item)
 *   scope     source | provider: whether endpoints of one provider share their ids
 *   guard     none | template: what finds a replay under a fresh id, usually {body}; `none` is off,
 *             and a source that switches it on then guards the body
 *   form-json field that holds the JSON when the body is a form. A body is JSON or nothing, unless
 *             the recipe looks at forms: by form:, formsorted, withform or this. Then one that
 *             begins with neither { nor [ may be a form. What Content-Type says never counts
 *   needs     headers that must be there, blank-separated (`*topic` for the family's)
 *   hello     [unsigned | foreign] METHOD condition... => STATUS [TYPE [TEMPLATE]] then, behind ` ; `:
 *             `header NAME TEMPLATE`, `save TERM` (the value becomes the source's secret, while
 *             `hookonce pair` has opened the door), `visit TERM from PATTERN...` (the processor
 *             gets that URL). Repeats. foreign: unsigned, or under a signature that none of our
 *             keys made; some senders try a new URL with a key that everybody knows. METHOD is POST GET HEAD OPTIONS. A condition is TERM==TEXT,
 *             TERM=={param:NAME}, or TERM alone (is there); none at all only where METHOD delivers
 *             nothing. An answer that shows terms is text/plain or JSON; in JSON each of them
 *             stands inside quotes and ends in json, hex or base64. A term with hmac-ALG
 *             takes only 1 to 128 letters, digits, - and _, and no such body is ever a delivery
 *   ok bad busy never   STATUS [TYPE TEXT] [ ; header NAME TEXT], TEXT a template. never: a genuine
 *             request that can never be taken, so that the provider need not try again
 *   reply-ok reply-fail reply-busy   the same for a source in reply mode: its handler said nothing
 *             (or a body without a type: then the type is this one's), it failed or was late, or
 *             the sender is to ask again (an error status gets a Retry-After)
 *   empty-body  yes | no
 *   cap deadline reply-deadline retries-for resend-for   size and durations
 *   sample    body for `hookonce send`, with {event:id} {event:type} and {event:time} in
 *             seconds, {event:time-ms}, {event:time-iso}; JSON, or a form where sample-form = yes
 *   sample-for   PATTERN ; TEXT: another body for event types like PATTERN; may repeat, the first
 *             that fits; JSON if it begins with { or [, else a form
 *   sample-type reply-sample-type  event type that `send` uses by default, and in reply mode
 *
 * Where no official source or sample confirms an id field, the id is that field and the body's
 * digest: `{json:/id}.{body|sha256|hex}`.
 */
#ifndef HO_EDGE_RECIPE_H
#define HO_EDGE_RECIPE_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "core/document.h"

struct recipe; /* the struct itself is in edge/recipe_parts.h, for edge's own files */

struct recipes; /* a set by name; owned */

/* The site's files in order are read and made now, so that their mistakes show; a built-in one
 * (build/gen/providers.c; each in a file of its name) is made when it is first asked for, since a
 * CGI program starts for every request. A site's recipe may use `like` with any other but may not
 * take the name of one that is there.
 * out: *out owned (recipes_free), NULL on failure. returns HO_OK | HO_REJECT "file:line: …".
 * blocks: as long as the file system. */
enum ho_code recipes_load(char *const *files, size_t n_files, struct recipes **out,
                          struct ho_err *err) HO_MUST_CHECK;
void recipes_free(struct recipes *r); /* NULL is fine */

/* NULL: there is none of that name. Lives as long as the set. Dies when a built-in one is broken
 * (a unit test makes them all). */
const struct recipe *recipes_find(struct recipes *r, const char *name);

/* How its bodies are read, before the signature is seen to fit (early) or after. */
struct document_how recipe_document(const struct recipe *r, bool early);

/* All names, built-in ones first and sorted, then the site's in their order. */
size_t recipes_count(const struct recipes *r);
const char *recipes_name(const struct recipes *r, size_t i);

/* For listings; lives as long as the set. */
struct recipe_facts {
    const char *name, *title, *docs, *basis, *confidence, *secret_at, *authoritative, *note;
    const char *weak;      /* "body", "fields", "token", or NULL */
    const char *signature; /* e.g. "hmac-sha256 in stripe-signature" */
    const char *signed_bytes; /* the template as written, or NULL */
    const char *id;        /* the template as written, or NULL in a batch without */
    int64_t tolerance_ms;  /* 0: no time is signed, or any is taken */
    int64_t retries_ms, resend_ms;
    int64_t cap, deadline_ms;
    int64_t reply_ms;      /* how long the sender waits for an answer in reply mode */
    bool scope_provider, guard, batch;
    bool fetched;          /* public keys are fetched, no secret is needed */
    bool signs_url;        /* the source's `url` matters */
    bool pairs;            /* a handshake brings the secret */
    bool unsigned_id;      /* an id may be told by a header or query field that nobody signs: unless
                              a guard is on, one request can be sent again as any number of events */
};
void recipe_facts(const struct recipe *r, struct recipe_facts *out);

/* The i-th setting that a source must give; false: there is none. */
bool recipe_param(const struct recipe *r, size_t i, struct span *name, struct span *help);

/* The table of keys a recipe may hold, for the manual; *n gets the number of rows. */
struct conf_key;
const struct conf_key *recipe_keys(size_t *n);

/* A built-in recipe file, embedded at build. */
struct recipe_file {
    const char *name, *text;
};
extern const struct recipe_file recipe_files[];
extern const size_t recipe_files_n;

#endif
