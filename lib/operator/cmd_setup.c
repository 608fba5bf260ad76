/* hookonce setup: from the unpacked archive to the first delivery, on a host where nobody is
 * root. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "operator/setup.h"
#include "operator/source_arg.h"

#define EVERY_MAX 60

enum {
    OPT_DATABASE, OPT_USER, OPT_PASSWORD_FILE, OPT_HOST, OPT_PORT, OPT_TLS, OPT_PREFIX, OPT_WEB,
    OPT_PATH, OPT_URL, OPT_SOURCE, OPT_PROVIDER, OPT_SECRET_FILE, OPT_GATEWAY, OPT_EVERY, OPT_CRON,
    OPT_YES, OPT_N
};

static const struct arg_option options[OPT_N] = {
    [OPT_DATABASE] = {"database", true},
    [OPT_USER] = {"user", true},
    [OPT_PASSWORD_FILE] = {"password-file", true},
    [OPT_HOST] = {"host", true},
    [OPT_PORT] = {"port", true},
    [OPT_TLS] = {"tls", true},
    [OPT_PREFIX] = {"table-prefix", true},
    [OPT_WEB] = {"web", true},
    [OPT_PATH] = {"path", true},
    [OPT_URL] = {"url", true},
    [OPT_SOURCE] = {"source", true},
    [OPT_PROVIDER] = {"provider", true},
    [OPT_SECRET_FILE] = {"secret-file", true},
    [OPT_GATEWAY] = {"gateway", true},
    [OPT_EVERY] = {"every", true},
    [OPT_CRON] = {"cron", false},
    [OPT_YES] = {"yes", false},
};

static bool keep(struct setup *s, int option, const char *value, char out[SETUP_TEXT_MAX])
{
    int n = snprintf(out, SETUP_TEXT_MAX, "%s", value);

    for (const char *at = out; *at != '\0'; at++) {
        n = (unsigned char)*at < ' ' ? 0 : n;
    }
    if (n > 0 && n < SETUP_TEXT_MAX) {
        return true;
    }
    (void)operator_fail(s->op, EXIT_USAGE, "--%s wants 1 to %d bytes in one line",
                        options[option].name, SETUP_TEXT_MAX - 1);
    return false;
}

static bool gateway(struct setup *s, const char *value)
{
    static const char *const words[] = {
        [SETUP_AUTO] = "auto", [SETUP_FASTCGI] = "fastcgi", [SETUP_CGI] = "cgi"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) {
            s->gateway = (enum setup_gateway)i;
            return true;
        }
    }
    (void)operator_fail(s->op, EXIT_USAGE, "--gateway is auto, fastcgi or cgi");
    return false;
}

static bool tls(struct setup *s, const char *value)
{
    static const char *const words[] = {"verify", "on", "off"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) {
            (void)snprintf(s->tls, sizeof s->tls, "%s", value);
            return true;
        }
    }
    (void)operator_fail(s->op, EXIT_USAGE, "--tls is verify, on or off");
    return false;
}

static bool every(struct setup *s, const char *value)
{
    uint64_t n = 0;

    if (!text_uint(span_of(value), EVERY_MAX, &n) || n == 0) {
        (void)operator_fail(s->op, EXIT_USAGE, "--every wants minutes, from 1 to %d", EVERY_MAX);
        return false;
    }
    s->every = (unsigned)n;
    return true;
}

static bool apply(struct setup *s, int option, const char *value)
{
    char *const texts[OPT_N] = {
        [OPT_DATABASE] = s->database, [OPT_USER] = s->user,     [OPT_HOST] = s->host,
        [OPT_PORT] = s->port,         [OPT_PREFIX] = s->prefix, [OPT_WEB] = s->web,
        [OPT_PATH] = s->path,         [OPT_URL] = s->url,       [OPT_SOURCE] = s->source,
        [OPT_PROVIDER] = s->provider,
    };

    switch (option) {
    case OPT_PASSWORD_FILE: s->password_file = value; return true;
    case OPT_SECRET_FILE: s->secret_file = value; return true;
    case OPT_GATEWAY: return gateway(s, value);
    case OPT_TLS: return tls(s, value);
    case OPT_EVERY: return every(s, value);
    case OPT_CRON: s->cron = true; return true;
    case OPT_YES: s->yes = true; return true;
    default: return keep(s, option, value, texts[option]);
    }
}

/* ---- the steps ---- */

static int migrate(struct setup *s)
{
    char word[] = "migrate";
    char *argv[] = {word, NULL};

    return cmd_migrate.run(s->op, 1, argv);
}

/* The config is there now, whoever wrote it. */
static int load(struct setup *s)
{
    int status = operator_need_settings(s->op);

    status = status == EXIT_WELL ? setup_find_check(s) : status;
    if (status != EXIT_WELL && !s->kept && unlink(s->config) == 0) {
        (void)fprintf(stderr, "%s was taken away again.\n", s->config);
    }
    return status;
}

/* A signed event through the public address: then all of it works. */
static int deliver(struct setup *s)
{
    static const int status[] = {[SETUP_RECORDED] = EXIT_WELL, [SETUP_UNTRIED] = EXIT_WELL,
                                 [SETUP_FAILED] = EXIT_TROUBLE};
    struct endpoints *all = NULL;
    struct buf text;
    int got = source_arg_load(s->op, &all);
    const struct endpoint *e = got == EXIT_WELL ? source_arg(s->op, all, s->source) : NULL;

    if (e == NULL) {
        endpoints_free(all);
        return EXIT_USAGE;
    }
    buf_init(&text, 4096);
    (void)printf("\nA delivery to %s/%s: ", s->address, s->source);
    (void)fflush(stdout);
    enum setup_delivered what = setup_deliver(s->op, e, s->address, &text);
    (void)printf("%s.\n", buf_cstr(&text));
    buf_free(&text);
    endpoints_free(all);
    return status[what];
}

static int steps(struct setup *s)
{
    static int (*const all[])(struct setup *) = {
        setup_find_folder, setup_find_web, setup_write, load, migrate, setup_web, setup_cron,
        deliver};
    int status = EXIT_WELL;

    for (size_t i = 0; status == EXIT_WELL && i < sizeof all / sizeof all[0]; i++) {
        status = all[i](s);
    }
    if (status == EXIT_WELL) {
        (void)printf("\nAll is in place. What is to be done for an event, you write into\n%s; "
                     "README.md has\nexamples. `./hookonce check` looks whether all is well.\n",
                     s->config);
    }
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct setup s = {.op = op, .every = 1, .lock = -1};
    const char *value = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got == ARGS_BAD || !apply(&s, got, value)) {
            return EXIT_USAGE;
        }
    }
    int status = steps(&s);
    if (s.lock >= 0) {
        (void)close(s.lock);
    }
    return status;
}

const struct command cmd_setup = {
    .name = "setup",
    .synopsis = "[--database NAME] [--user NAME] [--password-file FILE]\n"
                "       [--host HOST|SOCKET [--port N]] [--tls verify|on|off] [--table-prefix P]\n"
                "       [--web DIR] [--path NAME] [--url URL] [--gateway auto|fastcgi|cgi]\n"
                "       [--source NAME [--provider NAME] [--secret-file FILE]]\n"
                "       [--every MINUTES] [--cron] [--yes]",
    .summary = "sets up an unpacked archive on a host without root: config, tables, web server",
    .help =
        "Run it in the folder where the archive was unpacked, outside the web root; ~/hookonce is\n"
        "a good one. On a terminal it asks for what no option says. It writes hookonce.conf and\n"
        "the secrets beside the program, for you alone (0600), makes key and tables, puts\n"
        "hookonce.fcgi and an .htaccess into a folder of its own in the web root, tries FastCGI\n"
        "and then CGI by asking the public address, prints the lines for cron, and ends with a\n"
        "signed delivery to the first source. A file that is there already is kept; run again, it\n"
        "goes on where it stopped, or was stopped.\n"
        "\n"
        "  --database NAME       the database; made in the host's panel\n"
        "  --user NAME           its user, who may create tables\n"
        "  --password-file FILE  a file with that user's password; else it is asked for, and not\n"
        "                        shown\n"
        "  --host HOST           where the database is, or the path of its socket; default: this\n"
        "                        machine, at the usual places. The place where it let us in goes\n"
        "                        into the config: that is safer than to look for it each time, as\n"
        "                        another account may listen there while it is down\n"
        "  --port N              its port at that host\n"
        "  --tls WORD            verify, on or off, as in hookonce.conf(5). Without it verify and\n"
        "                        then on are tried to another host, and never off: that is for a\n"
        "                        way that is private\n"
        "  --table-prefix P      begin of the tables' names, for several installations in one\n"
        "                        database\n"
        "  --web DIR             the web root; else ~/public_html, ~/htdocs, ~/www, and others\n"
        "  --path NAME           the folder in it that is made; default hook, or, where this\n"
        "                        folder is not called hookonce, its name\n"
        "  --url URL             address of the web root: https://example.com\n"
        "  --gateway WHICH       fastcgi or cgi: that one only; default auto\n"
        "  --source NAME         the first source, at URL/PATH/NAME; default stripe\n"
        "  --provider NAME       its provider; default NAME\n"
        "  --secret-file FILE    a file with its signing secret; else it is asked for, not shown\n"
        "  --every MINUTES       how often the host's cron may run something; default 1\n"
        "  --cron                gives the lines to crontab instead of printing them\n"
        "  --yes                 asks nothing: what no option says is as found, or an error\n"
        "\n"
        "Ends with 0 when the delivery is recorded; with 1 when a step failed, 2 when something\n"
        "is missing, 69 when the database was not to be reached. What to do is said each time.\n"
        "\n"
        "examples:\n"
        "  ./hookonce setup\n"
        "  ./hookonce setup --yes --database acme_hooks --user acme_hooks \\\n"
        "      --password-file db.txt --url https://example.com --source stripe \\\n"
        "      --secret-file whsec.txt --cron\n",
    .run = run,
};
