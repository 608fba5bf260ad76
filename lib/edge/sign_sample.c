/* Sample bodies: the recipe's text with its references filled in. */
#include "edge/sign.h"

#include <string.h>

#include "base/text.h"
#include "edge/recipe_parts.h"

#define SAMPLE_VALUE_MAX 4096

/* Appends text as the inside of a JSON string. */
static enum ho_code put_escaped(struct span text, struct buf *out)
{
    struct buf quoted;
    enum ho_code code;

    buf_init(&quoted, SAMPLE_VALUE_MAX);
    code = text_json_string(text, &quoted);
    if (code == HO_OK) {
        code = buf_add_span(out, span_sub(buf_span(&quoted), 1, quoted.len - 2));
    }
    buf_free(&quoted);
    return code;
}

/* The same inside a form. */
static enum ho_code put_percent(struct span text, struct buf *out)
{
    static const char plain[] = "-._~";
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < text.len && code == HO_OK; i++) {
        unsigned char c = text.p[i];
        bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        code = alnum || (c != '\0' && strchr(plain, c) != NULL) ? buf_add_byte(out, c)
                                                                : buf_addf(out, "%%%02X", c);
    }
    return code;
}

struct sample {
    struct span id, type;
    int64_t time_us;
    bool form;
};

/* The value of one {event:NAME}; HO_PERMANENT when there is no such name. */
static enum ho_code put_reference(const struct sample *s, struct span name, struct buf *out)
{
    char iso[32];

    if (span_is(name, "id") || span_is(name, "type")) {
        struct span text = span_is(name, "id") ? s->id : s->type;

        return s->form ? put_percent(text, out) : put_escaped(text, out);
    }
    if (span_is(name, "time")) {
        return buf_addf(out, "%lld", (long long)(s->time_us / 1000000));
    }
    if (span_is(name, "time-ms")) {
        return buf_addf(out, "%lld", (long long)(s->time_us / 1000));
    }
    if (!span_is(name, "time-iso")) {
        return HO_PERMANENT;
    }
    text_rfc3339_put(s->time_us, true, iso);
    return s->form ? put_percent(span_of(iso), out) : buf_add_str(out, iso);
}

/* The text for that type; SPAN_NONE: there is none. */
static struct span choose(const struct recipe *r, struct span type, bool *form)
{
    const struct recipe_samples *s = &r->samples;

    for (size_t i = 0; i < s->n; i++) {
        if (text_glob(s->of[i].pattern, type)) {
            *form = !span_starts(s->of[i].text, "{") && !span_starts(s->of[i].text, "[");
            return s->of[i].text;
        }
    }
    *form = s->usual_form;
    return span_of(s->usual);
}

enum ho_code sign_sample(const struct recipe *r, struct span id, struct span type, int64_t time_us,
                         struct buf *body, const char **content_type, struct ho_err *err)
{
    static const char mark[] = "{event:";
    struct sample sample = {id, type, time_us, false};
    struct span rest = choose(r, type, &sample.form);
    enum ho_code code = HO_OK;

    *content_type = sample.form ? "application/x-www-form-urlencoded" : "application/json";
    if (!span_present(rest)) {
        return ho_fail(err, HO_PERMANENT, "the recipe %s has no sample body", r->name);
    }
    while (span_present(rest) && code == HO_OK) {
        size_t at = 0;

        while (at < rest.len && !span_starts(span_sub(rest, at, rest.len), mark)) {
            at++;
        }
        code = buf_add_span(body, span_sub(rest, 0, at));
        if (at == rest.len) {
            break;
        }
        rest = span_sub(rest, at + sizeof mark - 1, rest.len);
        if (code == HO_OK) {
            code = put_reference(&sample, span_cut(&rest, '}'), body);
        }
    }
    if (code == HO_PERMANENT) {
        return ho_fail(err, code, "the sample of %s has an {event:...} that is not known", r->name);
    }
    return code == HO_OK ? code : ho_fail(err, HO_PERMANENT, "the sample body is too long");
}

const char *sign_default_type(const struct recipe *r, bool reply)
{
    return reply ? r->samples.reply_type : r->samples.type;
}
