/* One recipe told in words. */
#include "operator/providers.h"

#include <string.h>

#include "base/text.h"
#include "edge/recipe_told.h"

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

/* Prose, which may go on in further lines of its file. */
static void say_prose(const char *before, const char *text, const char *behind, FILE *out)
{
    struct span rest = span_of(text);

    (void)fputs(before, out);
    while (span_present(rest)) {
        struct span line = span_trim(span_cut(&rest, '\n'));

        (void)fprintf(out, "%.*s%s", (int)line.len, (const char *)line.p,
                      span_present(rest) ? " " : "");
    }
    (void)fputs(behind, out);
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
            (void)fprintf(out, "  How sure this is: %s, %s%s", rows[i].word, rows[i].says,
                          said(f->basis) ? ": " : "");
            say_prose("", said(f->basis) ? f->basis : "", ".\n", out);
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
        (void)fprintf(out, "  Weak: of the body the signature covers %s. Who sees one request can "
                           "send it again with other content.\n",
                      providers_covered(f));
    }
}

const char *providers_covered(const struct recipe_facts *f)
{
    if (!said(f->weak) || strcmp(f->weak, "body") != 0) {
        return "only some fields";
    }
    if (said(f->signed_bytes) && strstr(f->signed_bytes, "|crc32") != NULL) {
        return "only a checksum, which can be forged";
    }
    return said(f->signed_bytes) && strstr(f->signed_bytes, "{body}") != NULL
               ? "all but what is put behind it"
               : "nothing";
}

/* Where the secret is found, and how it is to be written. */
static void say_secret(const struct recipe *r, const struct recipe_facts *f, FILE *out)
{
    struct buf text;

    if (said(f->secret_at)) {
        say_prose("  The secret is found at: ", f->secret_at, ".\n", out);
    }
    buf_init(&text, TEMPLATE_MAX);
    if (recipe_is_public(r)) {
        (void)fprintf(out, "  %s is the provider's public key, as %s.\n",
                      f->fetched ? "A secret, where one is given in place of the fetched keys,"
                                 : "The secret",
                      recipe_key_form(r));
    } else if (!f->fetched && recipe_tell_key(r, &text) == HO_OK) {
        (void)fprintf(out, "  The key is the secret's text, %s.\n", buf_cstr(&text));
    }
    buf_free(&text);
}

/* Requests that are no deliveries, and are answered by themselves. */
static void say_handshakes(const struct recipe *r, FILE *out)
{
    struct buf text;

    buf_init(&text, TEMPLATE_MAX);
    for (size_t i = 0; recipe_tell_hello(r, i, &text) == HO_OK && text.len > 0; i++) {
        (void)fprintf(out, "  Handshake: %s.\n", buf_cstr(&text));
        buf_clear(&text);
    }
    buf_free(&text);
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

static void say_identity(const struct recipe *r, const struct recipe_facts *f, FILE *out)
{
    struct span at = recipe_batch_at(r);
    struct buf text;

    buf_init(&text, TEMPLATE_MAX);
    if (f->batch) {
        (void)fprintf(out, "  One request carries several events, the items of the array %.*s; each "
                           "becomes a receipt of its own, and {/pointer} looks into its item.\n",
                      at.len > 0 ? (int)at.len : 22,
                      at.len > 0 ? (const char *)at.p : "that the whole body is");
    }
    (void)fprintf(out, "  Event id: %s, unique in %s.\n",
                  span_present(providers_folded(f->id, &text))
                      ? buf_cstr(&text)
                      : "the body's digest and the event's place",
                  f->scope_provider ? "all sources of this provider: a route's provider is its name"
                                    : "each source: a route's provider is the source's name");
    if (said(f->id) && strstr(f->id, "{arrival}") != NULL) {
        (void)fputs("  Where a request names no event, its id is made on arrival: one that is sent again, by\n"
                    "  the provider or by whoever holds it, makes another event each time.\n",
                    out);
    }
    if (f->unsigned_id) {
        (void)fputs("  Nobody signs that id: whoever holds one request can send it again under a new one.\n",
                    out);
    }
    (void)fprintf(out, "  The guard, which holds back what came before under another id, is %s unless the "
                       "source\n  says `guard = %s`.\n",
                  f->guard ? "on" : "off", f->guard ? "no" : "yes");
    buf_free(&text);
    if (said(f->authoritative)) {
        say_prose("  To act on: ", f->authoritative, ".\n", out);
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
        (void)fprintf(out, "  secret = file:%s.secret%s\n", f->name,
                      recipe_is_public(r) ? "    # the provider's public key" : "");
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
    say_secret(r, &f, out);
    say_time(&f, out);
    say_identity(r, &f, out);
    say_handshakes(r, out);
    say_retries(&f, out);
    if (said(f.note)) {
        say_prose("  ", f.note, "\n", out);
    }
    say_config(r, &f, out);
}
