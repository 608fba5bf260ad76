/* The keys of a recipe that say how it signs: headers, sig, alg, enc, key, signed, time, needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "edge/recipe_parts.h"

#define TOLERANCE_MAX_S 604800 /* a week */

static enum ho_code fail_word(struct ho_err *err, const char *what, struct span word,
                              const char *known)
{
    return ho_fail(err, HO_REJECT, "unknown %s \"%.*s\"; there are %s", what,
                   (int)(word.len < 40 ? word.len : 40), (const char *)word.p, known);
}

static bool is_header(const struct term *t)
{
    return (t->kind == TERM_HEADER || t->kind == TERM_FAMILY) && !t->hashed;
}

static char *copy_lower(struct span s)
{
    char *copy = ho_alloc(s.len + 1);

    for (size_t i = 0; i < s.len; i++) {
        copy[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] - 'A' + 'a' : s.p[i]);
    }
    copy[s.len] = '\0';
    return copy;
}

static enum ho_code read_families(struct recipe *r, struct span text, struct ho_err *err)
{
    while (span_present(text)) {
        struct span word = span_cut(&text, ' ');

        if (word.len == 0) {
            continue;
        }
        if (word.len > TERM_NAME_MAX / 2 || word.p[word.len - 1] != '-') {
            return ho_fail(err, HO_REJECT, "a prefix ends in -");
        }
        if (r->n_families == FAMILIES_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d prefixes", FAMILIES_MAX);
        }
        r->families[r->n_families++] = copy_lower(word);
    }
    return HO_OK;
}

static enum ho_code read_list(struct sig_list *list, struct span words, struct ho_err *err)
{
    list->on = true;
    while (span_present(words)) {
        struct span word = span_cut(&words, ' ');

        if (span_is(word, "comma")) {
            list->comma = true;
        } else if (span_is(word, "space")) {
            list->space = true;
        } else if (span_is(word, "semicolon")) {
            list->semicolon = true;
        } else if (span_is(word, "comma-space")) {
            list->comma_space = true;
        } else if (word.len > 0) {
            return fail_word(err, "list", word, "comma space semicolon comma-space");
        }
    }
    if (list->comma && list->comma_space) {
        return ho_fail(err, HO_REJECT, "list cannot be comma and comma-space at once");
    }
    return list->comma || list->space || list->semicolon || list->comma_space
               ? HO_OK
               : ho_fail(err, HO_REJECT, "list needs comma, space, semicolon or comma-space");
}

static enum ho_code read_pair(struct sig_rule *sig, struct span words, struct ho_err *err)
{
    struct span name = words;
    struct span word = span_cut(&name, ' ');

    if (span_is(word, "eq")) {
        sig->pair = '=';
    } else if (span_is(word, "colon")) {
        sig->pair = ':';
    } else if (span_is(word, "comma")) {
        sig->pair = ',';
    } else if (span_is(word, "dot")) {
        sig->pair = '.';
    } else {
        return fail_word(err, "pair", word, "eq colon comma dot");
    }
    sig->name = span_present(name) ? span_trim(name) : SPAN_NONE;
    return sig->name.len > 0 && !span_has(sig->name, ' ')
               ? HO_OK
               : ho_fail(err, HO_REJECT, "pair needs one name behind %.*s", (int)word.len,
                         (const char *)word.p);
}

static enum ho_code read_directive(struct sig_rule *sig, struct span text, struct ho_err *err)
{
    struct span rest = text;
    struct span word = span_cut(&rest, ' ');

    rest = span_present(rest) ? span_trim(rest) : SPAN_LIT("");
    if (span_is(word, "strip") && !span_present(sig->strip)) {
        sig->strip = rest;
        return rest.len > 0 ? HO_OK : ho_fail(err, HO_REJECT, "strip needs a text");
    }
    if (span_is(word, "list") && !sig->list.on) {
        return read_list(&sig->list, rest, err);
    }
    if (span_is(word, "pair") && sig->pair == 0) {
        return read_pair(sig, rest, err);
    }
    return fail_word(err, "or repeated directive", word, "strip list pair, once each");
}

/* The full names of the signature header: one a family, or the one. */
static void name_headers(struct recipe *r)
{
    char name[TERM_NAME_MAX];

    r->sig.n_names = r->sig.header.kind == TERM_FAMILY ? r->n_families : 1;
    for (size_t i = 0; i < r->sig.n_names; i++) {
        term_header_name(&r->sig.header, r->families[i], name);
        r->sig.names[i] = ho_strdup(name);
    }
}

static enum ho_code read_sig(struct recipe *r, struct span text, struct ho_err *err)
{
    struct span where;
    enum ho_code code;

    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs sig", r->name);
    }
    where = recipe_cut(&text, " ; ");
    code = term_parse(where, &r->sig.header, err);
    if (code == HO_OK && !is_header(&r->sig.header)) {
        code = ho_fail(err, HO_REJECT, "signatures are read from header:NAME or header:*NAME only");
    }
    while (code == HO_OK && span_present(text)) {
        code = read_directive(&r->sig, recipe_cut(&text, " ; "), err);
    }
    if (code == HO_OK) {
        code = recipe_check_term(r, &r->sig.header, err);
    }
    if (code == HO_OK) {
        name_headers(r);
    }
    return code;
}

static enum ho_code read_alg(struct recipe *r, struct span word, struct ho_err *err)
{
    if (!span_present(word)) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs alg", r->name);
    }
    if (span_is(word, "hmac-sha1")) {
        r->alg = MAC_SHA1;
    } else if (span_is(word, "hmac-sha256")) {
        r->alg = MAC_SHA256;
    } else if (span_is(word, "hmac-sha512")) {
        r->alg = MAC_SHA512;
    } else {
        return fail_word(err, "algorithm", word, "hmac-sha1 hmac-sha256 hmac-sha512");
    }
    return HO_OK;
}

static enum ho_code read_enc(struct recipe *r, struct span word, struct ho_err *err)
{
    r->enc = ENC_HEX;
    if (span_is(word, "hex-any")) {
        r->enc = ENC_HEX_ANY;
    } else if (span_is(word, "base64")) {
        r->enc = ENC_BASE64;
    } else if (span_present(word) && !span_is(word, "hex")) {
        return fail_word(err, "encoding", word, "hex hex-any base64");
    }
    return HO_OK;
}

static enum ho_code read_key(struct recipe *r, struct span text, struct ho_err *err)
{
    bool decodes = false;

    if (!span_present(text) || span_is(text, "utf8")) {
        return HO_OK;
    }
    while (span_present(text)) {
        struct span word = recipe_cut(&text, "|");
        struct key_step step = {KEY_STRIP, SPAN_NONE};

        if (span_starts(word, "strip:") && word.len > 6) {
            step.text = span_sub(word, 6, word.len);
        } else if (span_is(word, "unbase64")) {
            step.kind = KEY_UNBASE64;
        } else if (span_is(word, "unhex")) {
            step.kind = KEY_UNHEX;
        } else {
            return fail_word(err, "key step", word, "utf8, strip:TEXT, unbase64, unhex");
        }
        if (decodes) {
            return ho_fail(err, HO_REJECT, "unbase64 or unhex is the last step of a key");
        }
        decodes = step.kind != KEY_STRIP;
        if (r->n_key_steps == KEY_STEPS_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d steps", KEY_STEPS_MAX);
        }
        r->key_steps[r->n_key_steps++] = step;
    }
    return HO_OK;
}

static enum ho_code read_time(struct recipe *r, struct span text, struct ho_err *err)
{
    struct span where, unit, tolerance;
    uint64_t seconds = 0;
    enum ho_code code;

    if (!span_present(text)) {
        return HO_OK;
    }
    where = recipe_cut(&text, " ; ");
    unit = span_present(text) ? recipe_cut(&text, " ; ") : SPAN_NONE;
    tolerance = span_present(text) ? recipe_cut(&text, " ; ") : SPAN_NONE;
    code = term_parse(where, &r->time.term, err);
    if (code == HO_OK && !is_header(&r->time.term) &&
        (r->time.term.kind != TERM_SIG || r->time.term.hashed)) {
        code = ho_fail(err, HO_REJECT, "the signed time is in sig.NAME or header:NAME");
    }
    if (code == HO_OK) {
        code = recipe_unit(unit, &r->time.unit, err);
    }
    if (code == HO_OK && r->time.unit == TIME_RFC3339) {
        code = ho_fail(err, HO_REJECT, "the signed time is in s or ms");
    }
    if (code == HO_OK && (!text_uint(tolerance, TOLERANCE_MAX_S, &seconds) || seconds == 0)) {
        code = ho_fail(err, HO_REJECT, "the tolerance is 1 to %d seconds", TOLERANCE_MAX_S);
    }
    if (code == HO_OK) {
        code = recipe_check_term(r, &r->time.term, err);
    }
    r->time.tolerance_ms = (int64_t)seconds * 1000;
    r->time.on = code == HO_OK;
    return code;
}

struct signed_check {
    const struct recipe *recipe;
    bool body, ts;
};

static enum ho_code check_signed(void *arg, const struct term *t, struct ho_err *err)
{
    struct signed_check *check = arg;

    check->body = check->body || t->kind == TERM_BODY;
    check->ts = check->ts || t->kind == TERM_TS;
    return recipe_check_term(check->recipe, t, err);
}

static enum ho_code read_signed(struct recipe *r, struct span text, struct ho_err *err)
{
    struct signed_check check = {r, false, false};
    enum ho_code code;

    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs signed", r->name);
    }
    code = expr_parse(text, &r->signed_bytes, err);
    if (code == HO_OK && (!expr_is_direct(r->signed_bytes) || r->signed_bytes->n_alts > 1)) {
        return ho_fail(err, HO_REJECT, "only body, headers, ts and sig.NAME can be signed, without "
                                       "digests or alternatives");
    }
    if (code == HO_OK) {
        code = expr_each(r->signed_bytes, check_signed, &check, err);
    }
    if (code == HO_OK && !check.body) {
        return ho_fail(err, HO_REJECT, "without {body} anybody could exchange the body");
    }
    if (code == HO_OK && r->time.on && !check.ts) {
        return ho_fail(err, HO_REJECT, "without {ts} anybody could renew the time");
    }
    return code;
}

static enum ho_code read_needs(struct recipe *r, struct span text, struct ho_err *err)
{
    char source[TERM_NAME_MAX];
    enum ho_code code = HO_OK;

    while (span_present(text) && code == HO_OK) {
        struct span word = span_cut(&text, ' ');

        if (word.len == 0) {
            continue;
        }
        if (r->n_needs == NEEDS_MAX || word.len > TERM_NAME_MAX / 2 || span_has(word, '|')) {
            return ho_fail(err, HO_REJECT, "at most %d names of headers", NEEDS_MAX);
        }
        (void)snprintf(source, sizeof source, "header:%.*s", (int)word.len, (const char *)word.p);
        code = term_parse(span_of(source), &r->needs[r->n_needs], err);
        if (code == HO_OK) {
            code = recipe_check_term(r, &r->needs[r->n_needs++], err);
        }
    }
    return code;
}

enum ho_code recipe_read_sig(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct {
        const char *key;
        enum ho_code (*read)(struct recipe *r, struct span text, struct ho_err *err);
    } steps[] = {
        /* in this order: each looks at those before it */
        {"headers", read_families}, {"sig", read_sig},   {"alg", read_alg},
        {"enc", read_enc},          {"key", read_key},   {"time", read_time},
        {"signed", read_signed},    {"needs", read_needs},
    };

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct recipe_entry e = recipe_entry(t, steps[i].key);
        struct span text = recipe_value(e);
        enum ho_code code;

        if (span_present(text) && text.len == 0) {
            code = ho_fail(err, HO_REJECT, "no value");
        } else {
            code = steps[i].read(r, text, err);
        }
        if (code != HO_OK) {
            return recipe_blame(e, code, err);
        }
    }
    return HO_OK;
}

void recipe_free_sig(struct recipe *r)
{
    for (size_t i = 0; i < r->n_families; i++) {
        free(r->families[i]);
    }
    for (size_t i = 0; i < r->sig.n_names; i++) {
        free(r->sig.names[i]);
    }
    term_free(&r->sig.header);
    term_free(&r->time.term);
    expr_free(r->signed_bytes);
    for (size_t i = 0; i < r->n_needs; i++) {
        term_free(&r->needs[i]);
    }
}
