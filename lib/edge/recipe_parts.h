/* What a recipe is made of, for edge's own files. Everything is owned by the set it came from. */
#ifndef HO_EDGE_RECIPE_PARTS_H
#define HO_EDGE_RECIPE_PARTS_H

#include "base/conf.h"
#include "base/mac.h"
#include "edge/expr.h"
#include "edge/reason.h"
#include "edge/recipe.h"

enum recipe_enc { ENC_HEX, ENC_HEX_ANY, ENC_BASE64 };
enum time_unit { TIME_S, TIME_MS, TIME_RFC3339 };

#define FAMILIES_MAX 4
#define NEEDS_MAX 8
#define KEY_STEPS_MAX 4
#define SIGS_MAX 32 /* signatures in one request; more are refused */

/* The separators that `list` may name. */
struct sig_list {
    bool on, comma, space, semicolon, comma_space;
};

struct sig_rule {
    struct term header;
    char *names[FAMILIES_MAX]; /* full header names, one a family (one when there is none) */
    size_t n_names;
    struct span strip; /* SPAN_NONE: no prefix */
    struct sig_list list;
    unsigned char pair; /* the byte between name and value; 0: entries are bare */
    struct span name;   /* of the entries that are signatures */
};

enum key_step_kind { KEY_STRIP, KEY_UNBASE64, KEY_UNHEX };

struct key_step {
    enum key_step_kind kind;
    struct span text; /* for KEY_STRIP */
};

struct time_rule {
    bool on;
    struct term term;
    enum time_unit unit;
    int64_t tolerance_ms;
};

struct at_rule {
    struct term term;
    enum time_unit unit;
};

struct hello_condition {
    struct term term;
    struct span equals; /* SPAN_NONE: being there is enough */
};

#define HELLO_CONDITIONS_MAX 4

struct hello {
    bool is_unsigned;
    struct span method;
    struct hello_condition conditions[HELLO_CONDITIONS_MAX];
    size_t n_conditions;
    int status;
    char *type;         /* NULL: none */
    struct expr *reply; /* NULL: empty body */
};

struct fixed_answer {
    int status;
    char *type; /* NULL: none */
    struct span text;
};

struct recipe {
    const char *name;
    const char *title, *docs, *confidence;
    char *facts_signature;
    const char *id_text;
    char *families[FAMILIES_MAX]; /* lower case, with their last '-' */
    size_t n_families;
    struct sig_rule sig;
    enum mac_alg alg;
    enum recipe_enc enc;
    struct key_step key_steps[KEY_STEPS_MAX];
    size_t n_key_steps;
    struct expr *signed_bytes;
    struct time_rule time;
    struct expr *id, *type, *object; /* type and object may be NULL */
    struct at_rule *at;
    size_t n_at;
    struct expr *same;  /* one alternative of terms only; NULL: the body */
    struct expr *guard; /* NULL: off by default */
    bool scope_provider;
    const char *form_json; /* NULL: none */
    struct term needs[NEEDS_MAX];
    size_t n_needs;
    struct hello *hellos;
    size_t n_hellos;
    struct fixed_answer answers[3]; /* by enum answer_kind: ok, bad, busy */
    bool empty_body;
    int64_t cap, deadline_ms, retries_ms, resend_ms;
    const char *sample, *sample_type;
};

/* A recipe's section with the one it is like behind it: where a key's value comes from. */
struct recipe_text {
    const struct conf_section *section;
    const struct recipe_text *like; /* NULL: none */
};

/* A key's entry and the section it stands in. */
struct recipe_entry {
    const struct conf_section *at;
    const struct conf_entry *entry; /* NULL: the key is absent */
};

/* The recipe's own entry of that key, else that of the one it is like. */
struct recipe_entry recipe_entry(const struct recipe_text *t, const char *key);

/* Its value, or SPAN_NONE. */
struct span recipe_value(struct recipe_entry e);

/* Puts "file:line: key: " before the text in err, keeping its code. */
enum ho_code recipe_blame(struct recipe_entry e, enum ho_code code, struct ho_err *err);

/* Cuts the next part off *rest at " ; " (or another separator of blanks and signs), trimmed. */
struct span recipe_cut(struct span *rest, const char *separator);

/* "s", "ms" or "rfc3339". */
enum ho_code recipe_unit(struct span word, enum time_unit *out, struct ho_err *err) HO_MUST_CHECK;

/* Fill their part of *r from the text. returns HO_OK | HO_REJECT "file:line: …". */
enum ho_code recipe_read_sig(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK; /* headers sig alg enc key signed time needs */
enum ho_code recipe_read_event(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK; /* id type object at same guard */
enum ho_code recipe_read_answers(struct recipe *r, const struct recipe_text *t,
                                 struct ho_err *err) HO_MUST_CHECK; /* hello ok bad busy */

/* Frees what the three have filled. */
void recipe_free_sig(struct recipe *r);
void recipe_free_event(struct recipe *r);
void recipe_free_answers(struct recipe *r);

/* Terms that stand in a recipe must fit it: a family needs `headers`, sig.NAME needs `pair`. */
enum ho_code recipe_check_term(const struct recipe *r, const struct term *t, struct ho_err *err)
    HO_MUST_CHECK;

#endif
