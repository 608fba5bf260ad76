/* Taking the signature header apart. Entries of other schemes are left aside, so that a sender may
 * add one; what the recipe does use must be there once and whole. */
#include "edge/sig.h"

#include "base/text.h"

/* The length of the separator that stands at byte i; 0: none. */
static size_t separator_at(const struct sig_list *list, struct span s, size_t i)
{
    unsigned char c = s.p[i];

    if (list->comma_space && c == ',' && i + 1 < s.len && s.p[i + 1] == ' ') {
        return 2;
    }
    if ((list->comma && c == ',') || (list->space && c == ' ') || (list->semicolon && c == ';')) {
        return 1;
    }
    return 0;
}

static struct span next_entry(const struct sig_list *list, struct span *rest)
{
    struct span all = *rest;

    for (size_t i = 0; list->on && i < all.len; i++) {
        size_t len = separator_at(list, all, i);

        if (len > 0) {
            *rest = span_sub(all, i + len, all.len);
            return span_sub(all, 0, i);
        }
    }
    *rest = SPAN_NONE;
    return all;
}

/* Takes the mandatory prefix off; false when it is not there. */
static bool strip(struct span prefix, struct span *s)
{
    if (!span_present(prefix)) {
        return true;
    }
    if (!span_eq(span_sub(*s, 0, prefix.len), prefix)) {
        return false;
    }
    *s = span_trim(span_sub(*s, prefix.len, s->len));
    return true;
}

static bool uses_field(const struct recipe *recipe, struct span name)
{
    const struct expr_alt *alt = &recipe->signed_bytes->alts[0];

    if (recipe->time.on && recipe->time.term.kind == TERM_SIG &&
        span_is(name, recipe->time.term.name)) {
        return true;
    }
    for (size_t i = 0; i < alt->n; i++) {
        if (alt->pieces[i].is_term && alt->pieces[i].term.kind == TERM_SIG &&
            span_is(name, alt->pieces[i].term.name)) {
            return true;
        }
    }
    return false;
}

static enum reason add_sig(struct sig_parts *out, struct span value)
{
    if (out->n_sigs == SIGS_MAX) {
        return REASON_HEADER_MALFORMED;
    }
    out->sigs[out->n_sigs++] = value;
    return REASON_OK;
}

static enum reason add_field(struct sig_parts *out, struct span name, struct span value)
{
    struct sig_fields *f = &out->fields;

    for (size_t i = 0; i < f->n; i++) {
        if (span_eq(f->at[i].name, name)) {
            return REASON_HEADER_MALFORMED; /* which of the two would count? */
        }
    }
    if (f->n == SIG_FIELDS_MAX) {
        return REASON_HEADER_MALFORMED;
    }
    f->at[f->n].name = name;
    f->at[f->n++].value = value;
    return REASON_OK;
}

static enum reason take_entry(const struct recipe *recipe, struct span entry,
                              struct sig_parts *out)
{
    const struct sig_rule *rule = &recipe->sig;
    struct span value = entry;
    struct span name;

    if (rule->pair == 0) {
        return strip(rule->strip, &value) ? add_sig(out, value) : REASON_OK;
    }
    name = span_cut(&value, rule->pair);
    if (!span_present(value)) {
        return REASON_OK; /* not of this form: another scheme's */
    }
    if (name.len == 0 || span_has(name, ' ') || span_has(name, '\t')) {
        return REASON_HEADER_MALFORMED;
    }
    if (span_eq(name, rule->name)) {
        return add_sig(out, value);
    }
    return uses_field(recipe, name) ? add_field(out, name, value) : REASON_OK;
}

static enum reason take_value(const struct recipe *recipe, struct span value,
                              struct sig_parts *out)
{
    const struct sig_rule *rule = &recipe->sig;
    enum reason reason = REASON_OK;

    if (!rule->list.on && request_is_joined(value)) {
        return REASON_HEADER_DUPLICATE;
    }
    if (rule->pair != 0 && !strip(rule->strip, &value)) {
        return REASON_OK;
    }
    while (span_present(value) && reason == REASON_OK) {
        struct span entry = next_entry(&rule->list, &value);

        if (entry.len > 0) {
            reason = take_entry(recipe, entry, out);
        }
    }
    return reason;
}

/* The first family whose signature header is there and not empty. */
static size_t find_header(const struct recipe *recipe, const struct request *r, size_t *family)
{
    for (size_t i = 0; i < recipe->sig.n_names; i++) {
        size_t n = 0;
        size_t filled = 0;

        (void)request_header(r, recipe->sig.names[i], &n);
        for (size_t j = 0; n > 0 && j < r->n_headers; j++) {
            filled += span_is(r->headers[j].name, recipe->sig.names[i]) &&
                      r->headers[j].value.len > 0;
        }
        if (filled > 0) {
            *family = i;
            return n;
        }
    }
    *family = 0;
    return 0;
}

enum reason sig_parse(const struct recipe *recipe, const struct request *r, struct sig_parts *out)
{
    enum reason reason = REASON_OK;
    size_t family;
    size_t n = find_header(recipe, r, &family);

    *out = (struct sig_parts){.header = recipe->sig.names[family], .present = n > 0};
    if (recipe->n_families > 0) {
        out->family = recipe->families[family];
    }
    if (n == 0) {
        return REASON_HEADER_MISSING;
    }
    if (n > 1 && !recipe->sig.list.comma_space) {
        return REASON_HEADER_DUPLICATE;
    }
    for (size_t i = 0; i < r->n_headers && reason == REASON_OK; i++) {
        if (span_is(r->headers[i].name, out->header)) {
            reason = take_value(recipe, r->headers[i].value, out);
        }
    }
    if (reason == REASON_OK && out->n_sigs == 0) {
        return REASON_NO_ACCEPTABLE_SIG;
    }
    return reason;
}

bool sig_decode(enum recipe_enc enc, struct span text, struct sig_bytes *out)
{
    struct buf bytes;
    bool well;

    out->len = 0;
    if (text.len == 0) {
        return false;
    }
    if (enc != ENC_BASE64) {
        out->len = text.len / 2;
        return out->len <= MAC_MAX && text_unhex(text, enc == ENC_HEX_ANY, out->p, out->len);
    }
    buf_init(&bytes, MAC_MAX);
    well = text_unbase64(text, &bytes) == HO_OK;
    for (size_t i = 0; well && i < bytes.len; i++) {
        out->p[out->len++] = bytes.p[i];
    }
    buf_free(&bytes);
    return well;
}
