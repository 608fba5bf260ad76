/* hookonce-recipe(5): terms, filters and keys come from the tables that recipes are read with. */
#include "edge/recipe.h"
#include "edge/words.h"
#include "operator/man_parts.h"

static const char templates[] =
    "A template is literal text with terms in braces: `v0:{ts}:{body}`. A brace begins a term only\n"
    "where a lower-case letter follows, so JSON needs no escapes. \\n is a line feed.\n"
    "  {a} ?? {b}   what stands behind ` ?? ` is taken when a term in front of it is absent\n"
    "  [[.{a}]]     an optional group: left out, with its text, when a term inside is absent\n"
    "A value may go on in indented lines; their ends are blanks around ` ?? ` and ` ; `, and\n"
    "nothing within a template.\n";

static const char places[] =
    "  bare, as in json:/id        sig, alg-by, time, at, kid and the URL of keys, if and unless\n"
    "                              of check, conditions, save and visit of hello\n"
    "  in braces, as in {json:/id} signed, both sides of check, id, type, object, same, guard,\n"
    "                              a template in key, answers and header lines of ok, bad, busy,\n"
    "                              never and hello, {param:NAME} in a condition of hello\n"
    "  a header's name alone       needs\n"
    "  a pointer alone             batch, at of keys\n";

/* One example: what it is, and the recipe. */
static const struct {
    const char *says, *recipe;
} examples[] = {
    {"A signature in a header of its own, sha256=HEX:",
     "[recipe acme]\n"
     "title = Acme\n"
     "sig = header:x-acme-signature ; strip sha256=\n"
     "alg = hmac-sha256\n"
     "enc = hex-any\n"
     "signed = {body}\n"
     "id = {header:x-acme-delivery}\n"
     "type = {json:/event}\n"
     "guard = {body}\n"},
    {"A list of named values, t=SECONDS, v1=HEX, where the time is signed too and a second v1 may "
     "stand while a secret is changed:",
     "[recipe acme-list]\n"
     "title = Acme, with a signed time\n"
     "sig = header:x-acme-signature ; list comma ; pair eq v1\n"
     "alg = hmac-sha256\n"
     "enc = hex\n"
     "signed = {ts}.{body}\n"
     "time = sig.t ; s ; 300\n"
     "id = {json:/id}\n"
     "type = {json:/event}\n"
     "at = json:/created_at ; rfc3339\n"},
    {"A sender that asks a new URL by a GET which must show a token of ours, and wants its "
     "challenge back; the source then has a line param = verify-token TOKEN:",
     "[recipe acme-hello]\n"
     "like = acme\n"
     "title = Acme, with a challenge\n"
     "param = verify-token the token that is entered with the URL\n"
     "hello = unsigned GET query:hub.mode==subscribe\n"
     "  query:hub.verify_token=={param:verify-token} query:hub.challenge =>\n"
     "  200 text/plain {query:hub.challenge}\n"},
};

static void put_words(FILE *out, words_at *at)
{
    (void)fputs(".PP\n.nf\n", out);
    for (size_t i = 0; at(i) != NULL; i++) {
        char line[256];

        (void)snprintf(line, sizeof line, "  %-15s %s\n", at(i)->word, at(i)->help);
        man_put(out, line, true);
    }
    (void)fputs(".fi\n", out);
}

void man_recipe(FILE *out)
{
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);

    man_title(out, "hookonce-recipe", 5, "how a provider signs and names its events, as data");
    (void)fputs(".SH DESCRIPTION\nA file named by \\fBrecipes\\fR in section [hookonce] of "
                "hookonce.conf(5) holds sections [recipe NAME]; a source then says provider = "
                "NAME. The built\\-in ones are written with the same words: `hookonce "
                "providers` lists them.\n.SH TEMPLATES\n", out);
    man_verbatim(out, templates);
    (void)fputs(".SH TERMS\nA value of the request, of the event, or of the source. One that is "
                "not there is absent; a field or header that stands twice is refused.\n", out);
    put_words(out, term_words);
    (void)fputs(".SH FILTERS\nBehind | a filter makes another value of a term, and several do so "
                "in turn: {body|sha256|hex}.\n", out);
    put_words(out, filter_words);
    (void)fputs(".SH \"WHICH KEY TAKES WHAT\"\n", out);
    man_verbatim(out, places);
    (void)fputs(".SH KEYS\n", out);
    man_keys(out, keys, n, "recipe");
    (void)fputs(".SH EXAMPLE\n", out);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        (void)fputs(i > 0 ? ".PP\n" : "", out);
        man_put(out, examples[i].says, true);
        (void)fputc('\n', out);
        man_verbatim(out, examples[i].recipe);
    }
    (void)fputs(".SH \"SEE ALSO\"\nhookonce(1), hookonce.conf(5)\n", out);
}
