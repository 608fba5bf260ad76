/* Recipes: how a provider signs and names its events, as data. Section `[recipe NAME]`, keys:
 *
 *   like      another recipe whose keys this one starts from
 *   title     name for people
 *   docs      where the provider describes it
 *   confidence  official | published | unconfirmed
 *   headers   prefixes of header families; the first one whose signature header is there is used
 *             for all: `svix- webhook-` with `header:*signature`
 *   sig       where the signatures are: `header:NAME`, then directives behind ` ; `:
 *               strip TEXT     prefix that must be there; blanks behind it do not count
 *               list WORD...   split into entries at: comma space semicolon comma-space. With
 *                              comma-space the header may stand several times
 *               pair WORD NAME each entry is NAME<eq|colon|comma|dot>VALUE; entries named NAME are
 *                              signatures, the others become sig.FIELD; a FIELD that the recipe
 *                              uses may stand only once
 *   alg       hmac-sha1 | hmac-sha256 | hmac-sha512
 *   enc       hex | hex-any | base64
 *   key       utf8, or a chain with ` | `: strip:TEXT (if it begins so), unbase64, unhex
 *   signed    template of the signed bytes, from body, headers, ts and sig.FIELD
 *   time      where the signed time is: `sig.FIELD ; s|ms ; SECONDS` (or header:NAME), the number
 *             being the tolerance into the past and the future
 *   id type object   templates (edge/expr.h)
 *   at        when it happened: `TERM ; s|ms|rfc3339`, alternatives by ` ?? `
 *   same      terms in braces; equal values mean that the same event is said again. A term that
 *             is not there is a value too; when none is there, and by default, it is the body
 *   scope     source | provider: whether endpoints of one provider share their ids
 *   guard     none | template: what finds a replay under a fresh id, usually {body}; `none` is off,
 *             and a source that switches it on then guards the body
 *   form-json field that holds the JSON when the body is a form
 *   needs     headers that must be there, blank-separated (`*topic` for the family's)
 *   hello     [unsigned] METHOD condition... => STATUS [TYPE [TEMPLATE]]; repeats. A condition is
 *             TERM==TEXT, or TERM alone (is there); an unsigned one sees headers and forms only.
 *             Values stand in the template as they are, so quotes in them are not escaped
 *   ok bad busy   STATUS [TYPE TEXT]
 *   empty-body  yes | no
 *   cap deadline retries-for resend-for   size and durations
 *   sample    JSON body for `hookonce send`, with {event:id} {event:type} and {event:time} in
 *             seconds, {event:time-ms}, {event:time-iso}
 *   sample-type  event type that `send` uses by default
 */
#ifndef HO_EDGE_RECIPE_H
#define HO_EDGE_RECIPE_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct recipe; /* the struct itself is in edge/recipe_parts.h, for edge's own files */

struct recipes; /* a set by name; owned */

/* The built-in ones (build/gen/providers.c), then the site's files in order; a site's recipe may
 * use `like` with any other but may not take the name of one that is there.
 * out: *out owned (recipes_free), NULL on failure. returns HO_OK | HO_REJECT "file:line: …".
 * blocks: as long as the file system. */
enum ho_code recipes_load(char *const *files, size_t n_files, struct recipes **out,
                          struct ho_err *err) HO_MUST_CHECK;
void recipes_free(struct recipes *r); /* NULL is fine */
const struct recipe *recipes_find(const struct recipes *r, const char *name);
size_t recipes_count(const struct recipes *r);
const struct recipe *recipes_at(const struct recipes *r, size_t i); /* built-in ones first */

/* For listings; lives as long as the set. */
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
