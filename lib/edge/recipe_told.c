/* Keys and handshakes in words. */
#include "edge/recipe_told.h"

#include "edge/recipe_parts.h"

bool recipe_is_public(const struct recipe *r)
{
    return recipe_public_kinds(r) != 0;
}

const char *recipe_key_form(const struct recipe *r)
{
    enum key_step_kind last =
        r->n_key_steps > 0 ? r->key_steps[r->n_key_steps - 1].kind : KEY_STRIP;

    return last == KEY_UNHEX      ? "hex"
           : last == KEY_UNBASE64 ? "base64, in one line as the provider shows it"
                                  : "PEM, with its lines BEGIN and END";
}

/* ---- key ---- */

static enum ho_code tell_step(const struct key_step *step, const char *between, struct buf *out)
{
    static const char *const words[] = {
        [KEY_STRIP] = "",          [KEY_UNBASE64] = "base64 decoded", [KEY_UNHEX] = "hex decoded",
        [KEY_MD5] = "its MD5",     [KEY_SHA1] = "its SHA-1",          [KEY_SHA256] = "its SHA-256",
    };

    return step->kind == KEY_STRIP
               ? buf_addf(out, "%sa leading %.*s off", between, (int)step->text.len,
                          (const char *)step->text.p)
               : buf_addf(out, "%s%s", between, words[step->kind]);
}

enum ho_code recipe_tell_key(const struct recipe *r, struct buf *out)
{
    const char *between = "";
    enum ho_code code = HO_OK;

    if (span_present(r->key_split)) {
        code = buf_addf(out, "cut at %.*s into several", (int)r->key_split.len,
                        (const char *)r->key_split.p);
        between = ", each: ";
    }
    if (code == HO_OK && r->key_template != NULL) {
        code = buf_addf(out, "%sput together with the source's settings", between);
        between = ", then ";
    }
    for (size_t i = 0; i < r->n_key_steps && code == HO_OK; i++) {
        code = tell_step(&r->key_steps[i], between, out);
        between = ", then ";
    }
    return code == HO_OK && between[0] == '\0' ? buf_add_str(out, "as it is") : code;
}

/* ---- batch and handshakes ---- */

struct span recipe_batch_at(const struct recipe *r)
{
    return r->batch_on ? r->batch : SPAN_NONE;
}

static enum ho_code add_term(const struct recipe *r, const char *before, const struct term *t,
                             struct buf *out)
{
    char text[TERM_SAID_MAX];

    term_say(t, r->n_families > 0 ? r->families[0] : NULL, text);
    return buf_addf(out, "%s%s", before, text);
}

static enum ho_code tell_condition(const struct recipe *r, const struct hello_condition *c,
                                   const char *before, struct buf *out)
{
    enum ho_code code = add_term(r, before, &c->term, out);

    if (code != HO_OK) {
        return code;
    }
    if (c->value != NULL) {
        return add_term(r, " is the source's ", &c->value->alts[0].pieces[0].term, out);
    }
    return span_present(c->equals) ? buf_addf(out, " is %.*s", (int)c->equals.len,
                                              (const char *)c->equals.p)
                                   : buf_add_str(out, " is there");
}

enum ho_code recipe_tell_hello(const struct recipe *r, size_t i, struct buf *out)
{
    const struct hello *h = i < r->n_hellos ? &r->hellos[i] : NULL;
    enum ho_code code;

    if (h == NULL) {
        return HO_OK;
    }
    code = buf_addf(out, "%.*s %s", (int)h->method.len, (const char *)h->method.p,
                    h->is_foreign    ? "without a signature, or under one that is not ours"
                    : h->is_unsigned ? "without a signature"
                                     : "with a signature");
    for (size_t k = 0; k < h->n_conditions && code == HO_OK; k++) {
        const char *before = k == 0                      ? ", if "
                             : k + 1 < h->n_conditions ? ", "
                                                         : " and ";

        code = tell_condition(r, &h->conditions[k], before, out);
    }
    code = code == HO_OK ? buf_addf(out, ": answered with %d", h->status) : code;
    if (code == HO_OK && h->save_on) {
        code = add_term(r, ", and while hookonce pair waits for it the source's secret is taken "
                           "from ", &h->save, out);
    }
    if (code == HO_OK && h->visit_on) {
        code = add_term(r, ", and hookonce process gets the URL in ", &h->visit, out);
    }
    return code;
}
