/* What a recipe is made of, for edge's own files. Everything is owned by the set it came from. */
#ifndef HO_EDGE_RECIPE_PARTS_H
#define HO_EDGE_RECIPE_PARTS_H

#include "base/conf.h"
#include "base/mac.h"
#include "core/document.h"
#include "edge/jwt.h"
#include "edge/expr.h"
#include "edge/reason.h"
#include "edge/recipe.h"
#include "edge/recipe_sample.h"

enum recipe_enc { ENC_HEX, ENC_HEX_ANY, ENC_BASE64, ENC_BASE64URL, ENC_RAW };
enum time_unit { TIME_S, TIME_MS, TIME_RFC3339, TIME_RFC2822 };

enum alg_kind {
    ALG_HMAC, ALG_DIGEST, ALG_RSA, ALG_ECDSA, ALG_ED25519, ALG_JWT, ALG_JWS, ALG_EQUAL
};

struct alg {
    enum alg_kind kind;
    enum mac_alg digest; /* of the first four */
    unsigned jose;       /* bit 1 << jose_alg; of JWT and JWS */
};

#define FAMILIES_MAX 4
#define NEEDS_MAX 8
#define KEY_STEPS_MAX 6
#define PLACES_MAX 8  /* where signatures may be */
#define FIRSTS_MAX 4
#define CHECKS_MAX 6
#define GUARDS_MAX 3  /* words of one check */
#define ALGS_MAX 6    /* choices of `alg-by` */
#define RECIPE_PARAMS_MAX 6
#define FROM_MAX 16
#define TIMES_MAX 4
#define SIGS_MAX 32 /* signatures in one request; more are refused */
#define PUBLIC_SIGS_MAX 8 /* of those that public keys verify, each of which takes its time */

/* The separators that `list` may name. */
struct sig_list {
    bool on, comma, bare_comma, space, semicolon, amp, comma_space;
};

struct sig_rule {
    struct term places[PLACES_MAX];
    size_t n_places;
    char *names[FAMILIES_MAX]; /* full header names of the first place, one a family (one when there
                                  is none); its term as text when it is no header */
    size_t n_names;
    struct span strip; /* SPAN_NONE: no prefix */
    struct sig_list list;
    struct span firsts[FIRSTS_MAX];
    size_t n_firsts;
    unsigned char pair; /* the byte between name and value; 0: entries are bare */
    struct span name;   /* of the entries that are signatures */
    struct span behind; /* SPAN_NONE: the whole entry */
};

struct alg_choice {
    struct span value; /* SPAN_NONE: else, or with absent: none */
    bool absent;       /* the one for a request in which the term is absent */
    struct alg alg;
};

/* alg, or alg-by: then `by` is set and there are choices; without, choices[0] is the one. */
struct alg_rule {
    bool by_on;
    struct term by;
    struct alg_choice choices[ALGS_MAX];
    size_t n;
};

enum key_step_kind { KEY_STRIP, KEY_UNBASE64, KEY_UNHEX, KEY_MD5, KEY_SHA1, KEY_SHA256 };

struct key_step {
    enum key_step_kind kind;
    struct span text; /* for KEY_STRIP */
};

enum keys_kind { KEYS_NONE, KEYS_JWKS, KEYS_PEM, KEYS_JSON };

/* Public keys that are fetched. */
struct keys_rule {
    enum keys_kind kind;
    struct span url;    /* fixed; SPAN_NONE: by term */
    struct term term;   /* where the request names the URL */
    struct span from[FROM_MAX]; /* patterns of URLs that are followed */
    size_t n_from;
    bool kid_on;
    struct term kid;
    struct span at; /* pointer into KEYS_JSON */
};

enum guard_kind { GUARD_BODY, GUARD_FORM, GUARD_TERM };

struct check_guard {
    bool unless;
    enum guard_kind kind;
    struct term term;
};

struct check_rule {
    struct expr *left, *right;
    struct check_guard guards[GUARDS_MAX];
    size_t n_guards;
};

struct time_rule {
    bool on;
    struct term terms[TIMES_MAX]; /* the first that is there counts */
    size_t n_terms;
    enum time_unit unit;
    int64_t tolerance_ms; /* 0: any time */
};

struct at_rule {
    struct term term;
    enum time_unit unit;
};

struct param_rule {
    struct span name, help;
};

struct hello_condition {
    struct term term;
    struct span equals;  /* SPAN_NONE: being there is enough */
    struct expr *value;  /* in place of equals: a template */
};

#define HELLOS_MAX 8
#define HELLO_CONDITIONS_MAX 4

/* One line of header in an answer. */
struct answer_header {
    struct span name;
    struct expr *value;
};

#define ANSWER_HEADERS_MAX 2

struct hello {
    bool is_unsigned;
    bool is_foreign;   /* of the unsigned ones: also under a signature that none of our keys made */
    struct span method;
    struct hello_condition conditions[HELLO_CONDITIONS_MAX];
    size_t n_conditions;
    int status;
    char *type;         /* NULL: none */
    struct expr *reply; /* NULL: empty body */
    struct answer_header headers[ANSWER_HEADERS_MAX];
    size_t n_headers;
    bool save_on;
    struct term save;
    bool visit_on;
    struct term visit;
    struct span from[FROM_MAX];
    size_t n_from;
};

struct fixed_answer {
    int status;
    char *type;        /* NULL: none */
    struct expr *text; /* NULL: empty */
    struct answer_header headers[ANSWER_HEADERS_MAX];
    size_t n_headers;
};

enum weak { WEAK_NONE, WEAK_BODY, WEAK_FIELDS, WEAK_TOKEN };

struct recipe {
    const char *name;
    const char *title, *docs, *basis, *confidence, *secret_at, *authoritative, *note;
    enum weak weak;
    char *facts_signature;
    const char *id_text, *signed_text; /* signed_text NULL for jwt and equal */
    char *families[FAMILIES_MAX]; /* lower case, with their last '-' */
    size_t n_families;
    bool post, get, put;
    struct param_rule params[RECIPE_PARAMS_MAX];
    size_t n_params;
    struct sig_rule sig;
    struct alg_rule alg;
    enum recipe_enc enc;
    struct span key_split;     /* between several secrets in one file; SPAN_NONE: it holds one */
    struct expr *key_template; /* NULL: the secret */
    struct key_step key_steps[KEY_STEPS_MAX];
    size_t n_key_steps;
    struct keys_rule keys;
    struct expr *signed_bytes; /* NULL for jwt and equal */
    bool time_before_body; /* the digits of the time touch the body in what is signed, so one that */
    bool time_behind_body; /* begins (ends) with a digit could have taken it from the time */
    struct check_rule checks[CHECKS_MAX];
    size_t n_checks;
    struct time_rule time;
    bool batch_on;
    struct span batch;            /* pointer; "" is the document itself */
    struct expr *id, *type, *object; /* any may be NULL; id only in a batch */
    struct expr *reply_id;           /* in place of id in reply mode; NULL: the same */
    struct at_rule *at;
    size_t n_at;
    struct expr *same;  /* one alternative of terms only; NULL: the body, or the item */
    struct expr *guard; /* NULL: off by default */
    bool scope_provider;
    const char *form_json; /* NULL: none */
    bool forms;            /* it looks at forms; else a body is JSON, whatever it is sent as */
    struct term needs[NEEDS_MAX];
    size_t n_needs;
    struct hello *hellos;
    size_t n_hellos;
    bool unsigned_id; /* recipe_facts */
    bool signs_challenges; /* a hello has an hmac filter */
    struct fixed_answer answers[ANSWER_FIXED]; /* by enum answer_kind */
    bool empty_body;
    int64_t cap, deadline_ms, reply_deadline_ms, retries_ms, resend_ms;
    struct recipe_samples samples;
};

/* Which public keys the recipe takes: bit 1 << mac_sig for each kind; 0: shared secrets. */
unsigned recipe_public_kinds(const struct recipe *r);

/* Calls fn for every term of the recipe, in templates or alone, until it returns other than
 * HO_OK. */
enum ho_code recipe_each_term(const struct recipe *r, expr_visit *fn, void *arg,
                              struct ho_err *err) HO_MUST_CHECK;

/* Whether it looks at forms: at a field, all of them, or JSON in one. */
bool recipe_reads_forms(const struct recipe *r);

/* Whether an id may be told by what nobody signs. */
bool recipe_unsigned_id(struct recipe *r);

/* Fills facts_signature: "hmac-sha256 in x-hub-signature-256". */
void recipe_describe(struct recipe *r);

/* Appends the algorithm as a recipe has it: "hmac-sha256", "jwt HS256 HS512". */
enum ho_code recipe_alg_put(const struct alg *a, struct buf *out) HO_MUST_CHECK;

/* ---- reading ---- */

/* Whether a check looks into the items of a batch: then it is made once for each. */
bool check_of_item(const struct check_rule *rule);

/* A recipe's section with the one it is like behind it: where a key's value comes from. */
struct recipe_text {
    const struct conf_section *section;
    const struct recipe_text *like; /* NULL: none */
};

/* A key's entry and the section it stands in. */
struct recipe_entry {
    const struct conf_section *at;  /* the recipe's own where the key is absent */
    const struct conf_entry *entry; /* NULL: the key is absent, or `none` */
};

/* The recipe's own entry of that key, else that of the one it is like. */
struct recipe_entry recipe_entry(const struct recipe_text *t, const char *key);

/* Its value, or SPAN_NONE. */
struct span recipe_value(struct recipe_entry e);

/* Puts "file:line: key: " before the text in err, keeping its code. */
enum ho_code recipe_blame(struct recipe_entry e, enum ho_code code, struct ho_err *err);

/* Reads one value into its part of *r; text is SPAN_NONE where the key is absent. */
typedef enum ho_code recipe_reader(struct recipe *r, struct span text, struct ho_err *err);

/* The text of a key, its default, or NULL. */
const char *recipe_plain(const struct recipe_text *t, const char *key);
struct recipe_step {
    const char *key;
    recipe_reader *read;
};

/* Reads these keys in their order; mistakes are blamed on them. */
enum ho_code recipe_steps(const struct recipe_step *steps, size_t n, struct recipe *r,
                          const struct recipe_text *t, struct ho_err *err) HO_MUST_CHECK;

/* Reads every entry of a key that repeats, all of the nearest recipe that has any. */
enum ho_code recipe_each(const struct recipe_step *step, size_t most, struct recipe *r,
                         const struct recipe_text *t, struct ho_err *err) HO_MUST_CHECK;

/* Cuts the next part off *rest at " ; " or another separator, trimmed; a blank of the separator may
 * be a line end. SPAN_NONE is left when there was none. */
struct span recipe_cut(struct span *rest, const char *separator);

/* Cuts a word off at blanks and line ends; SPAN_NONE when there is none left. What follows, from
 * its first byte that is no blank on, stays in *rest: "" when that is nothing. */
struct span recipe_word(struct span *rest);

/* "unknown WHAT "WORD"; there are KNOWN" */
enum ho_code recipe_unknown(struct ho_err *err, const char *what, struct span word,
                            const char *known);

char *recipe_copy(struct span s, bool lower); /* heap, NUL-terminated; lower: ASCII only */

/* "s", "ms", "rfc3339" or "rfc2822". */
enum ho_code recipe_unit(struct span word, enum time_unit *out, struct ho_err *err) HO_MUST_CHECK;

/* URL patterns behind `from`. returns HO_OK | HO_REJECT (none, too many, or not such a one). */
enum ho_code recipe_read_from(struct span words, struct span from[FROM_MAX], size_t *n,
                              struct ho_err *err) HO_MUST_CHECK;

/* ---- terms ---- */

#define TERM_BIT(kind) (1U << (kind))
#define TERM_BITS_HEAD (TERM_BIT(TERM_HEADER) | TERM_BIT(TERM_FAMILY) | TERM_BIT(TERM_QUERY))

/* What may stand in a place of a recipe. */
struct recipe_place {
    const struct recipe *recipe;
    unsigned kinds;   /* TERM_BIT of each */
    const char *says; /* error text about the others */
    bool hmac;        /* hmac filters too */
};

/* Terms that stand in a recipe must fit it: a family needs `headers`, sig.NAME needs `pair` or
 * `first`, ts needs `time`, claim and jose need jwt or jws, item and json:./ need `batch`,
 * param:NAME its `param`. Does not know where the term stands. */
enum ho_code recipe_check_term(const struct recipe *r, const struct term *t, struct ho_err *err)
    HO_MUST_CHECK;

/* The same, and the place must take it. An expr_visit. in: place - struct recipe_place */
enum ho_code recipe_fits(void *place, const struct term *t, struct ho_err *err) HO_MUST_CHECK;

/* Parses a term or a template and holds it against the place. */
enum ho_code recipe_read_term(struct recipe_place *place, struct span text, struct term *out,
                              struct ho_err *err) HO_MUST_CHECK;
enum ho_code recipe_read_expr(struct recipe_place *place, struct span text, struct expr **out,
                              struct ho_err *err) HO_MUST_CHECK;

/* ---- the parts of a recipe ---- */

/* Fill their part of *r from the text, in this order.
 * returns HO_OK | HO_REJECT "file:line: ...". */
enum ho_code recipe_read_sig(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK; /* headers methods param form-json batch sig needs */
enum ho_code recipe_read_alg(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK; /* alg alg-by enc weak key keys */
enum ho_code recipe_read_signed(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK; /* time signed check */
enum ho_code recipe_read_event(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK; /* id reply-id type object at same
                                                      guard */
enum ho_code recipe_read_answers(struct recipe *r, const struct recipe_text *t,
                                 struct ho_err *err) HO_MUST_CHECK; /* ok bad busy never hello,
                                                                        and of reply mode */

/* One of the parts. */
recipe_reader recipe_read_keys;  /* `keys` */
recipe_reader recipe_read_hello; /* one `hello` */

/* `STATUS [TYPE [TEMPLATE]]` of an answer, and one `header NAME TEMPLATE` more. in: text - lives as
 * long as the result; place - what the templates may look at. */
enum ho_code recipe_read_answer(struct recipe_place *place, struct span text,
                                struct fixed_answer *out, struct ho_err *err) HO_MUST_CHECK;
enum ho_code recipe_read_header(struct recipe_place *place, struct span text,
                                struct fixed_answer *out, struct ho_err *err) HO_MUST_CHECK;
void recipe_free_answer(struct fixed_answer *a);

/* ---- what a template binds ---- */

#define TERM_BITS_URL (TERM_BIT(TERM_URL) | TERM_BIT(TERM_PATH))

/* md5, sha1, sha256 or sha512. */
bool recipe_is_digest(const struct filter *f);

/* Whether every alternative has, outside of groups (whose terms can be left out), a term of one of
 * these kinds, whole; or this term, whole or with the same filters. */
bool recipe_binds(const struct expr *e, unsigned kinds);
bool recipe_binds_term(const struct expr *e, const struct term *t);

/* Whether both look at the same place, whatever their filters. */
bool recipe_same_place(const struct term *a, const struct term *b);

/* Whether nobody but the signer can have written what the term gives. */
bool recipe_is_signed(const struct recipe *r, const struct term *t);

/* Whether the check ties a term of those kinds to something signed. */
bool recipe_ties(const struct recipe *r, const struct check_rule *c, unsigned kinds);

/* What no key shows by itself: that the signature covers what it must, and the like. Behind all of
 * the readers. */
enum ho_code recipe_check_rules(const struct recipe *r, const struct recipe_text *t,
                                struct ho_err *err) HO_MUST_CHECK;

/* Frees what the readers have filled. */
void recipe_free_sig(struct recipe *r);
void recipe_free_alg(struct recipe *r);
void recipe_free_signed(struct recipe *r);
void recipe_free_event(struct recipe *r);
void recipe_free_answers(struct recipe *r);
void recipe_free_hellos(struct recipe *r); /* by the one before */

#endif
