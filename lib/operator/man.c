/* The manual pages as roff. Everything about commands and keys comes from their tables. */
#include "operator/man_parts.h"

#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "core/alert_kind.h"
#include "core/settings.h"
#include "operator/man.h"
#include "operator/operator.h"
#include "work/handler.h"

void man_put(FILE *out, const char *text, bool at_start)
{
    for (; *text != '\0'; text++) {
        if (at_start && (*text == '.' || *text == '\'')) {
            (void)fputs("\\&", out);
        }
        at_start = *text == '\n';
        switch (*text) {
        case '\\': (void)fputs("\\e", out); break;
        case '-': (void)fputs("\\-", out); break;
        case '\'': (void)fputs("\\(aq", out); break;
        case '`': (void)fputs("\\(ga", out); break;
        default: (void)fputc(*text, out); break;
        }
    }
}

void man_verbatim(FILE *out, const char *text)
{
    (void)fputs(".PP\n.nf\n", out);
    man_put(out, text, true);
    (void)fputs(".fi\n", out);
}

void man_title(FILE *out, const char *name, int section, const char *what)
{
    (void)fprintf(out, ".TH \"%s\" %d \"\" \"hookonce %s\"\n.SH NAME\n%s \\- %s\n", name, section,
                  HOOKONCE_VERSION, name, what);
}

static void put_command(FILE *out, const struct command *c)
{
    (void)fprintf(out, ".SS \"%s\"\n", c->name);
    man_put(out, c->summary, true);
    (void)fprintf(out, ".\n.PP\n.nf\n\\fBhookonce %s\\fR ", c->name);
    man_put(out, c->synopsis, false);
    (void)fputs("\n.fi\n", out);
    if (c->help[0] != '\0') {
        man_verbatim(out, c->help);
    }
}

static void man_commands(FILE *out)
{
    man_title(out, "hookonce", 1, "process webhooks, each once, and look after them");
    (void)fputs(".SH SYNOPSIS\n\\fBhookonce\\fR [\\fB\\-\\-config\\fR FILE] [\\fB\\-\\-json\\fR] "
                "COMMAND [option ...]\n"
                ".SH DESCRIPTION\nThe receiver (hookonce.fcgi) writes verified deliveries into the "
                "database; this program runs the handlers for them, from cron, and holds every "
                "command of the operator. It refuses to run under a web server.\n.PP\nTables are named "
                "here as they are by default: where the config has a `table_prefix`, it stands in place of "
                "hookonce_ in front of each name.\n"
                ".SH \"OPTIONS EVERYWHERE\"\n"
                ".TP\n\\fB\\-\\-config\\fR FILE\nthe config; else $HOOKONCE_CONFIG, else "
                "hookonce.conf beside the program, in a folder above, in ~/hookonce or in ~\n"
                ".TP\n\\fB\\-\\-json\\fR\nresults for programs: one JSON object a line\n"
                ".TP\n\\fB\\-\\-help\\fR\nwhat a command does, and its options\n"
                ".SH COMMANDS\n",
                out);
    for (size_t i = 0; i < commands_n; i++) {
        put_command(out, commands[i]);
    }
    (void)fputs(".SH \"EXIT STATUS\"\n"
                ".TP\n0\nwell\n"
                ".TP\n1\nit ran and found trouble: a check failed, a job did, an answer was not "
                "2xx\n"
                ".TP\n2\nwrong arguments, or a config that is refused\n"
                ".TP\n69\nthe database was not to be reached\n"
                ".TP\n70\na bug: please report it\n"
                ".TP\n71\nno memory, or no file descriptors\n"
                ".SH ENVIRONMENT\n"
                ".TP\nHOOKONCE_CONFIG\nthe config, where no \\-\\-config is given\n"
                ".TP\nHOOKONCE_URL\nthe receiver\\(aqs address for `hookonce send`, where no "
                "\\-\\-url is given; /SOURCE is added to it\n"
                ".SH FILES\n.TP\nhookonce.conf\nthe config, mode 0600; see hookonce.conf(5)\n"
                ".TP\nhookonce.key\nthis installation\\(aqs own key, mode 0600, the same on every "
                "host of it\n"
                ".TP\nstate/\ncounters, wake\\-up, log and the spool; private to the account\n"
                ".SH \"SEE ALSO\"\nhookonce.conf(5), schema/RUNBOOK.md\n",
                out);
}

/* ---- hookonce.conf ---- */

static const struct {
    const char *kind, *text;
} sections[] = {
    {"database", "Where the tables are. Once in a file."},
    {"hookonce", "Files and address of this installation. Once, may be absent."},
    {"processor", "How `hookonce process` works. Once, may be absent."},
    {"watch", "What `hookonce watch` takes for too much. Once, may be absent."},
    {"alert", "[alert NAME]: whom `hookonce watch` tells when something is wrong, and when it is "
              "over. Any number of them. The kinds of alerts stand below."},
    {"source", "[source NAME]: who may deliver. NAME is the last part of the URL."},
    {"expect", "[expect NAME]: events of a type that are to come every so often. Silence is told of by "
               "`hookonce watch`, and shown in the table hookonce_expect."},
    {"handler", "[handler NAME]: what is to be done for an event."},
    {"route", "[route NAME]: which events go to which handler. An event may fit several routes; "
              "each gets a job of its own. One that fits none is recorded as ignored."},
};

/* What may stand behind a key's `=`. */
static void put_type(FILE *out, const struct conf_key *k)
{
    static const char *const words[] = {
        [CONF_TEXT] = "text",        [CONF_NAME] = "name",
        [CONF_WORD] = "one of",      [CONF_BOOL] = "yes or no",
        [CONF_INT] = "number",       [CONF_DURATION] = "time such as 90s, 10m, 6h, 30d",
        [CONF_SIZE] = "size such as 64k or 26m", [CONF_PATH] = "file or folder",
        [CONF_LIST] = "list, comma between",
    };
    char from[24];
    char to[24];

    (void)fputs(words[k->type], out);
    if (k->words != NULL) {
        (void)fputc(' ', out);
        man_put(out, k->words, false);
    }
    if (k->max != 0 && k->type == CONF_DURATION) {
        text_duration_put(k->min, from);
        text_duration_put(k->max, to);
        (void)fprintf(out, ", %s to %s", from, to);
    } else if (k->max != 0) {
        (void)fprintf(out, ", %lld to %lld", (long long)k->min, (long long)k->max);
    }
    if (k->dflt != NULL && k->dflt[0] != '\0') {
        (void)fputs("; default ", out);
        man_put(out, k->dflt, false);
    }
    (void)fputs(k->required ? "; required" : "", out);
    (void)fputs(k->repeats ? "; may repeat" : "", out);
}

void man_keys(FILE *out, const struct conf_key *keys, size_t n, const char *kind)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(keys[i].section, kind) == 0) {
            (void)fprintf(out, ".TP\n\\fB%s\\fR (", keys[i].key);
            put_type(out, &keys[i]);
            (void)fputs(")\n", out);
            man_put(out, keys[i].help, true);
            (void)fputc('\n', out);
        }
    }
}

static const char grammar[] =
    "A section begins with [kind] or [kind name]; `key = value` lines follow. Blanks around both\n"
    "are dropped. An indented line continues the value before it. # or ; in front of a line makes\n"
    "it a comment, and so does # behind a blank. Nothing is expanded. A key or section that may\n"
    "not repeat and does is an error, and so is an unknown one; every error names file and line.\n"
    "The file must be readable by its owner alone (mode 0600), and so must every file that\n"
    "file:PATH names. Relative paths begin at the folder of the config.\n";

static const char example[] =
    "[database]\n"
    "socket = /run/mysqld/mysqld.sock\n"
    "name = acme_hooks\n"
    "user = acme_hooks\n"
    "password = file:db.password\n"
    "\n"
    "[source stripe]\n"
    "provider = stripe\n"
    "secret = file:stripe.secret\n"
    "\n"
    "[handler fulfil]\n"
    "sql = UPDATE orders SET status = 'paid'\n"
    "  WHERE id = {/data/object/client_reference_id} AND status = 'open'\n"
    "\n"
    "[route paid]\n"
    "provider = stripe\n"
    "on = checkout.session.completed, checkout.session.async_payment_succeeded\n"
    "when = {/data/object/payment_status} in paid, no_payment_required\n"
    "needs = SELECT 1 FROM orders WHERE id = {/data/object/client_reference_id}\n"
    "handler = fulfil\n"
    "retry = 8 tries, 10s to 6h\n";

static const char given[] =
    "A command runs without a shell, in the folder of the config and a process group of its own, with\n"
    "the event's body on its standard input. Its environment holds PATH, HOME, LANG and the\n"
    "variables below, where the event has such a field, and with `fetch` HOOKONCE_FETCHED: the name\n"
    "of a file with the object. What it prints is not kept but for the last line, which goes with the\n"
    "error of a try.\n";

static const char posted[] =
    "A URL gets the event's body in a POST, with the headers below and Idempotency-Key. In their\n"
    "values % and whatever may not stand in a header are %XX. With `fetch` the body is\n"
    "{\"event\":...,\"fetched\":...}. Certificates are checked.\n";

static void put_ends(FILE *out, const char *head, const struct handler_end *ends, size_t n)
{
    (void)fprintf(out, ".SS \"%s\"\n", head);
    for (size_t i = 0; i < n; i++) {
        (void)fputs(".TP\n", out);
        man_put(out, ends[i].when, true);
        (void)fputc('\n', out);
        man_put(out, ends[i].means, true);
        (void)fputc('\n', out);
    }
}

/* What handlers outside the database are told, and how they answer. */
static void put_handlers(FILE *out)
{
    size_t n;
    const struct contract_row *rows = contract_rows(&n);

    (void)fputs(".SH \"COMMANDS AND URLS\"\n", out);
    man_put(out, given, true);
    (void)fputs(".PP\n", out);
    man_put(out, posted, true);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].variable != NULL) {
            (void)fputs(".TP\n", out);
            man_put(out, rows[i].variable, true);
            (void)fputs(", ", out);
            man_put(out, rows[i].header, false);
            (void)fprintf(out, "\nas {event:%s} in SQL\n", rows[i].name);
        }
    }
    put_ends(out, "Ends of a command", handler_exits, handler_exits_n);
    put_ends(out, "Answers of a URL", handler_statuses, handler_statuses_n);
}

/* What the watch looks for. */
static void put_alerts(FILE *out)
{
    (void)fputs(".SH \"KINDS OF ALERTS\"\n", out);
    for (size_t i = 0; i < ALERT_KINDS; i++) {
        (void)fputs(".TP\n", out);
        man_put(out, alert_about[i].word, true);
        (void)fputc('\n', out);
        man_put(out, alert_about[i].means, true);
        (void)fputs(". What to do: ", out);
        man_put(out, alert_about[i].advice, false);
        (void)fputs(".\n", out);
    }
}

static void man_config(FILE *out)
{
    size_t n;
    const struct conf_key *keys = settings_keys(&n);

    man_title(out, "hookonce.conf", 5, "the config of hookonce");
    (void)fputs(".SH DESCRIPTION\n", out);
    man_put(out, grammar, true);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        (void)fprintf(out, ".SH \"SECTION %s\"\n", sections[i].kind);
        man_put(out, sections[i].text, true);
        (void)fputc('\n', out);
        man_keys(out, keys, n, sections[i].kind);
    }
    put_handlers(out);
    put_alerts(out);
    (void)fputs(".SH EXAMPLE\n", out);
    man_verbatim(out, example);
    (void)fputs(".SH \"SEE ALSO\"\nhookonce(1), hookonce\\-recipe(5)\n", out);
}

bool man_print(const char *page, FILE *out)
{
    static const struct {
        const char *page;
        void (*print)(FILE *out);
    } pages[] = {
        {"--man", man_commands}, {"--man-conf", man_config}, {"--man-recipe", man_recipe}};

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (strcmp(pages[i].page, page) == 0) {
            pages[i].print(out);
            return true;
        }
    }
    return false;
}
