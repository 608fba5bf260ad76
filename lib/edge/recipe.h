/* Recipes: how a provider signs and names its events, as data. Section `[recipe NAME]`, keys:
 *
 *   like      another recipe whose keys this one starts from
 *   title     name for people
 *   docs      where the provider describes it
 *   confidence  official | published | unconfirmed
 *   headers   prefixes of header families, the first one whose signature header is there is used
 *             for all: `svix- webhook-` with `header:*signature`
 *   sig       where the signatures are: `header:NAME` then directives behind ` ; `:
 *               strip TEXT     mandatory prefix
 *               list WORD…     split into entries at: comma space semicolon comma-space
 *               pair WORD NAME each entry is NAME<eq|colon|comma|dot>VALUE; entries named NAME are signatures,
 *                              the others become {sig.NAME}; those that are used may not repeat
 *   alg       hmac-sha1 | hmac-sha256 | hmac-sha512
 *   enc       hex | hex-any | base64
 *   key       utf8, or a chain: strip:TEXT (if it begins so) | unbase64 | unhex
 *   signed    template of the signed bytes
 *   time      where the time is ; s|ms ; tolerance in seconds       e.g. `sig.t ; s ; 300`
 *   id type object   templates;  at = source ; s | ms | rfc3339, alternatives by ??
 *   same      template whose digest says "the same event"; default {body}
 *   scope     source | provider
 *   guard     none | template of what is signed (usually {body})
 *   form-json field that holds the JSON when the body is a form
 *   needs     headers that must be there, blank-separated
 *   hello     [unsigned] METHOD condition… => STATUS [TYPE [TEMPLATE]]; repeats;
 *             condition: source==text, or source alone (is present)
 *   ok bad busy   STATUS [TYPE TEXT]
 *   empty-body  yes | no
 *   cap deadline retries-for resend-for   size and durations
 *   sample    JSON (or form) body for `hookonce send`, with {event:id} {event:type} {event:time}
 *   sample-type  event type that `send` uses by default
 */
#ifndef HO_EDGE_RECIPE_H
#define HO_EDGE_RECIPE_H

#include <stdint.h>

#include "base/conf.h"
#include "base/mac.h"
#include "edge/expr.h"
#include "edge/reason.h"

enum recipe_enc { ENC_HEX, ENC_HEX_ANY, ENC_BASE64 };
enum time_unit { TIME_S, TIME_MS, TIME_RFC3339 };

struct recipe; /* the struct itself is in edge/recipe_parts.h, for edge's own files */

struct recipes; /* a set by name; owned */

/* The built-in ones (build/gen/providers.c), then the site's files in order; a site's recipe may
 * use `like` with a built-in one but may not replace its name.
 * out: *out owned (recipes_free). returns HO_OK | HO_REJECT "file:line: …". */
enum ho_code recipes_load(char *const *files, size_t n_files, struct recipes **out,
                          struct ho_err *err) HO_MUST_CHECK;
void recipes_free(struct recipes *r);
const struct recipe *recipes_find(const struct recipes *r, const char *name);
size_t recipes_count(const struct recipes *r);
const struct recipe *recipes_at(const struct recipes *r, size_t i);

/* For listings. */
struct recipe_facts {
    const char *name, *title, *docs, *confidence;
    const char *signature; /* e.g. "hmac-sha256 in stripe-signature" */
    const char *id;        /* the template as written */
    int64_t tolerance_ms;  /* 0: no time is signed */
    int64_t retries_ms, resend_ms;
    int64_t cap, deadline_ms;
    bool scope_provider, guard;
};
void recipe_facts(const struct recipe *r, struct recipe_facts *out);

/* A built-in recipe file, embedded at build. */
struct recipe_file {
    const char *name, *text;
};
extern const struct recipe_file recipe_files[];
extern const size_t recipe_files_n;

#endif
