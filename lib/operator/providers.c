/* One recipe told in words. */
#include "operator/providers.h"

#include <string.h>

#include "base/text.h"

#define WORD 24 /* room for a duration or a number */
#define TEMPLATE_MAX 4096

static bool said(const char *text)
{
    return text != NULL && text[0] != '\0';
}

struct span providers_folded(const char *template, struct buf *out)
{
    struct span rest = said(template) ? span_of(template) : SPAN_NONE;

    buf_clear(out);
    while (span_present(rest)) {
        struct span line = span_trim(span_cut(&rest, '\n'));

        if (buf_add_span(out, line) != HO_OK) {
            break; /* longer than any recipe: what fits is shown */
        }
    }
    return out->len > 0 ? buf_span(out) : SPAN_NONE;
}

static void size_put(int64_t bytes, char out[WORD])
{
    static const char units[] = {'\0', 'k', 'm', 'g'};
    size_t unit = 0;

    while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(out, WORD, "%lld%c", (long long)bytes, units[unit]);
}

static void say_sureness(const struct recipe_facts *f, FILE *out)
{
    static const struct {
        const char *word, *says;
    } rows[] = {
        {"official", "read in the provider's own documents or library"},
        {"published", "read in somebody else's code that is in use"},
        {"unconfirmed", "not confirmed: try it with a real delivery before you rely on it"},
    };

    if (said(f->docs)) {
        (void)fprintf(out, "  %s\n", f->docs);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(f->confidence, rows[i].word) == 0) {
            (void)fprintf(out, "  How sure this is: %s, %s%s%s.\n", rows[i].word, rows[i].says,
                          said(f->basis) ? ": " : "", said(f->basis) ? f->basis : "");
        }
    }
}

static void say_signature(const struct recipe_facts *f, FILE *out)
{
    struct buf text;

    buf_init(&text, TEMPLATE_MAX);
    (void)fprintf(out, "  Signature: %s.\n", f->signature);
    if (span_present(providers_folded(f->signed_bytes, &text))) {
        (void)fprintf(out, "  Signed: %s\n", buf_cstr(&text));
    }
    buf_free(&text);
    if (!said(f->weak)) {
        return;
    }
    if (strcmp(f->weak, "token") == 0) {
        (void)fputs("  Weak: it is no signature but a shared token. Who sees one request can send others.\n",
                    out);
    } else {
        (void)fprintf(out, "  Weak: the signature covers %s of the body. Who sees one request can "
                           "send it again with other content.\n",
                      strcmp(f->weak, "body") == 0 ? "nothing" : "only some fields");
    }
}

static void say_time(const struct recipe_facts *f, FILE *out)
{
    char room[WORD];

    if (f->tolerance_ms == 0) {
        (void)fputs("  No signed time is checked: an old delivery verifies for ever, so only its id\n"
                    "  shows that it came before.\n", out);
        return;
    }
    text_duration_put(f->tolerance_ms, room);
    (void)fprintf(out, "  It signs the time: deliveries over %s old, or ahead, are refused.\n", room);
}

static void say_identity(const struct recipe_facts *f, FILE *out)
{
    struct buf text;

    buf_init(&text, TEMPLATE_MAX);
    if (f->batch) {
        (void)fputs("  One request carries several events; each becomes a receipt of its own.\n", out);
    }
    (void)fprintf(out, "  Event id: %s, unique in %s.\n",
                  span_present(providers_folded(f->id, &text))
                      ? buf_cstr(&text)
                      : "the body's digest and the event's place",
                  f->scope_provider ? "all sources of this provider: a route's provider is its name"
                                    : "each source: a route's provider is the source's name");
    (void)fprintf(out, "  The guard against old content under new ids is %s unless the source says so.\n",
                  f->guard ? "on" : "off");
    buf_free(&text);
    if (said(f->authoritative)) {
        (void)fprintf(out, "  To act on: %s.\n", f->authoritative);
    }
}

static void say_retries(const struct recipe_facts *f, FILE *out)
{
    char room[2][WORD];

    if (f->retries_ms == 0) {
        (void)fputs("  It is not known to try again by itself when a delivery fails.\n", out);
    } else {
        text_duration_put(f->retries_ms, room[0]);
        (void)fprintf(out, "  It tries again by itself for up to %s when a delivery fails.\n", room[0]);
    }
    if (f->resend_ms != 0) {
        text_duration_put(f->resend_ms, room[1]);
        (void)fprintf(out, "  You can have a delivery sent again for %s.\n", room[1]);
    }
    size_put(f->cap, room[0]);
    text_duration_put(f->deadline_ms, room[1]);
    (void)fprintf(out, "  Bodies up to %s are taken; an answer is given within %s.\n", room[0], room[1]);
}

static void say_config(const struct recipe *r, const struct recipe_facts *f, FILE *out)
{
    struct span name, help;

    (void)fprintf(out, "\nIn the config:\n  [source %s]\n  provider = %s\n", f->name, f->name);
    if (!f->fetched) {
        (void)fprintf(out, "  secret = file:%s.secret\n", f->name);
    }
    for (size_t i = 0; recipe_param(r, i, &name, &help); i++) {
        (void)fprintf(out, "  param = %.*s VALUE    # %.*s\n", (int)name.len, (const char *)name.p,
                      (int)help.len, (const char *)help.p);
    }
    if (f->signs_url) {
        (void)fputs("  url = https://...    # exactly as entered at the provider: it is signed\n", out);
    }
    if (f->fetched) {
        (void)fputs("  # no secret: the provider's public keys are fetched by hookonce process\n", out);
    }
}

void providers_say(const struct recipe *r, FILE *out)
{
    struct recipe_facts f;

    recipe_facts(r, &f);
    (void)fprintf(out, "%s (provider = %s)\n", f.title, f.name);
    say_sureness(&f, out);
    say_signature(&f, out);
    if (said(f.secret_at)) {
        (void)fprintf(out, "  The secret is found at: %s.\n", f.secret_at);
    }
    say_time(&f, out);
    say_identity(&f, out);
    say_retries(&f, out);
    if (said(f.note)) {
        (void)fprintf(out, "  %s\n", f.note);
    }
    say_config(r, &f, out);
}
