/* hookonce routes: what would happen with an event, and why. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "edge/capture.h"
#include "edge/sketch.h"
#include "edge/verify.h"
#include "operator/routing.h"
#include "operator/source_arg.h"

#define BODY_FILE_MAX ((size_t)32 * 1024 * 1024)
#define READ_STEP 65536
#define KEPT_WORD "hookonce-request "

enum { OPT_SOURCE, OPT_PROVIDER, OPT_TYPE, OPT_CONTENT_TYPE, OPT_N };

static const struct arg_option options[OPT_N] = {
    [OPT_SOURCE] = {"source", true},
    [OPT_PROVIDER] = {"provider", true},
    [OPT_TYPE] = {"type", true},
    [OPT_CONTENT_TYPE] = {"content-type", true},
};

struct routes_args {
    const char *file;
    const char *given[OPT_N];
};

static int read_args(struct operator *op, int argc, char **argv, struct routes_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got;

    *out = (struct routes_args){.file = NULL};
    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        if (got >= 0) {
            out->given[got] = value;
        } else if (out->file == NULL) {
            out->file = value;
        } else {
            return operator_fail(op, EXIT_USAGE, "one file at a time; '%s' is too much", value);
        }
    }
    if (out->file == NULL) {
        return operator_fail(op, EXIT_USAGE, "which event? hookonce routes FILE, - for standard "
                                             "input");
    }
    if (out->given[OPT_SOURCE] != NULL && out->given[OPT_PROVIDER] != NULL) {
        return operator_fail(op, EXIT_USAGE, "--source or --provider, one of them");
    }
    return EXIT_WELL;
}

static enum ho_code read_input(const char *path, struct buf *out, struct ho_err *err)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): read_args refuses the lack of a file */
    if (strcmp(path, "-") != 0) {
        return file_read(path, false, out, err);
    }
    for (;;) {
        unsigned char *room = buf_room(out, READ_STEP);
        if (room == NULL) {
            return ho_fail(err, HO_REJECT, "the event is over %zu bytes", BODY_FILE_MAX);
        }
        ssize_t n = read(STDIN_FILENO, room, READ_STEP);
        if (n < 0) {
            return ho_fail_errno(err, HO_REJECT, "reading the event");
        }
        if (n == 0) {
            return HO_OK;
        }
        out->len += (size_t)n;
    }
}

/* ---- whose event it is ---- */

/* The first source whose events have that provider: all of them meet the same routes. */
static const struct endpoint *by_provider(const struct operator *op, const struct endpoints *all,
                                          const char *name)
{
    for (size_t i = 0; i < endpoints_count(all); i++) {
        const struct endpoint *e = endpoints_at(all, i);
        if (strcmp(endpoint_scope(e), name) == 0 || strcmp(e->source->provider, name) == 0) {
            return e;
        }
    }
    (void)operator_fail(op, EXIT_USAGE, "no source of provider '%s' in %s; say --source", name,
                        op->file);
    return NULL;
}

static const struct endpoint *whose(const struct operator *op, const struct endpoints *all,
                                    const struct routes_args *args)
{
    if (args->given[OPT_SOURCE] != NULL) {
        return source_arg(op, all, args->given[OPT_SOURCE]);
    }
    if (args->given[OPT_PROVIDER] != NULL) {
        return by_provider(op, all, args->given[OPT_PROVIDER]);
    }
    if (endpoints_count(all) == 1) {
        return endpoints_at(all, 0);
    }
    (void)operator_fail(op, EXIT_USAGE, "whose event is it? say --source SOURCE, or --provider "
                                        "PROVIDER");
    return NULL;
}

/* ---- a body ---- */

struct types {
    bool lacking;
};

static void look_for_type(void *arg, const struct event *e, const struct json *doc)
{
    struct types *t = arg;

    (void)doc;
    t->lacking = t->lacking || e->type.len == 0;
}

static int tell_body(const struct operator *op, const struct endpoint *e, struct span body,
                     const struct routes_args *args)
{
    const char *said = args->given[OPT_CONTENT_TYPE];
    struct request request = {.method = SPAN_LIT("POST"), .https = true, .n_headers = 1,
                              .has_length = true, .length = body.len, .body = body};
    struct routing r = {.settings = op->settings, .source = e->source, .json = op->json};
    const struct span type = span_of(args->given[OPT_TYPE]);
    struct types types = {false};
    enum reason why;

    request.headers[0] = (struct header){SPAN_LIT("content-type"),
                                         span_of(said != NULL ? said : "application/json")};
    why = sketch_events(e, &request, type, look_for_type, &types);
    if (why == REASON_OK && types.lacking && !span_present(type) && sketch_has_types(e)) {
        return operator_fail(op, EXIT_USAGE, "the type of this event is not to be found in its "
                                             "body alone: say --type TYPE");
    }
    if (why == REASON_OK) {
        why = sketch_events(e, &request, type, routing_tell, &r);
    }
    if (why != REASON_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s: as a request to source '%s' it would be "
                                               "refused: %s", args->file, e->source->name,
                             reasons[why].word);
    }
    if (r.events == 0) {
        routing_note(&r, "there is no event in it");
    }
    return r.wanted ? EXIT_WELL : EXIT_TROUBLE;
}

/* ---- a kept request ---- */

static int tell_verdict(struct routing *r, const struct operator *op, const char *path,
                        enum reason why, const struct verdict *v)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (why != REASON_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s: refused, %s, so nothing would run; `hookonce "
                                               "explain` says why", path, reasons[why].word);
    }
    for (size_t i = 0; i < v->n_events; i++) {
        if (sketch_event(accepted_event(v->events[i]), routing_tell, r, &err) != HO_OK) {
            return operator_fail(op, EXIT_TROUBLE, "%s: %s", path, err.text);
        }
    }
    if (v->n_events == 0) {
        routing_note(r, "there is no event in it%s", v->is_hello ? ": it is a handshake" : "");
    }
    return r->wanted ? EXIT_WELL : EXIT_TROUBLE;
}

static int tell_request(const struct operator *op, const struct endpoint *e, const char *path,
                        const struct capture *c)
{
    struct routing r = {.settings = op->settings, .source = e->source, .json = op->json};
    struct verify_note note = {0};
    struct verdict verdict;
    enum reason why = verify_event(e, &c->request, c->now_us, op->settings->state_dir, &verdict,
                                   &note);
    int status = tell_verdict(&r, op, path, why, &verdict);

    verdict_free(&verdict);
    return status;
}

static int tell_kept(const struct operator *op, const struct endpoints *all, struct span text,
                     const struct routes_args *args)
{
    char name[EVENT_PROVIDER_MAX + 1];
    struct ho_err err = {HO_OK, 0, ""};
    const struct endpoint *e = NULL;
    struct capture capture;
    struct buf head;
    int status = EXIT_USAGE;

    buf_init(&head, 2 * REQUEST_HEAD_MAX);
    if (args->given[OPT_TYPE] != NULL || args->given[OPT_CONTENT_TYPE] != NULL ||
        args->given[OPT_PROVIDER] != NULL) {
        status = operator_fail(op, EXIT_USAGE, "%s is a kept request, which says these itself: "
                                               "only --source can be given", args->file);
    } else if (capture_get(text, &head, &capture, &err) != HO_OK) {
        status = operator_fail(op, EXIT_USAGE, "%s: %s", args->file, err.text);
    } else {
        (void)snprintf(name, sizeof name, "%.*s", (int)capture.source.len,
                       (const char *)capture.source.p);
        e = source_arg(op, all, args->given[OPT_SOURCE] != NULL ? args->given[OPT_SOURCE] : name);
    }
    if (e != NULL) {
        status = tell_request(op, e, args->file, &capture);
    }
    buf_free(&head);
    return status;
}

static int tell(const struct operator *op, const struct endpoints *all,
                const struct routes_args *args)
{
    struct ho_err err = {HO_OK, 0, ""};
    const struct endpoint *e;
    struct buf text;
    int status = EXIT_USAGE;

    buf_init(&text, BODY_FILE_MAX);
    if (read_input(args->file, &text, &err) != HO_OK) {
        status = operator_fail(op, EXIT_USAGE, "%s", err.text);
    } else if (span_starts(buf_span(&text), KEPT_WORD)) {
        status = tell_kept(op, all, buf_span(&text), args);
    } else if ((e = whose(op, all, args)) != NULL) {
        status = tell_body(op, e, buf_span(&text), args);
    }
    buf_free(&text);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct endpoints *all = NULL;
    struct routes_args args;
    int status = read_args(op, argc, argv, &args);

    if (status == EXIT_WELL) {
        status = source_arg_load(op, &all);
    }
    if (status == EXIT_WELL) {
        status = tell(op, all, &args);
    }
    endpoints_free(all);
    return status;
}

const struct command cmd_routes = {
    .name = "routes",
    .synopsis = "FILE [--source SOURCE | --provider PROVIDER] [--type TYPE]\n"
                "       [--content-type TYPE]",
    .summary = "says what would run for an event, and why",
    .help =
        "FILE is the body of an event, - for standard input, or a request that `hookonce capture`\n"
        "had kept. Every route of its provider is told: whether it would run its handler and what\n"
        "decides that, and the keys of the event on it. A kept request is verified first; a body\n"
        "is taken as it is. Nothing runs, nothing is recorded, and the database is not asked, so\n"
        "skip_if, needs and what ran before do not count.\n"
        "\n"
        "  --source SOURCE      whose event it is; not needed where the config has one source\n"
        "  --provider PROVIDER  the same by the provider that routes name\n"
        "  --type TYPE          the event's type, where its body does not say it\n"
        "  --content-type TYPE  of the body; else application/json\n"
        "\n"
        "An id that stands in a header is shown as ?; the idempotency key is another then. Ends\n"
        "with 0 when a route would run or is informational, with 1 when none wants the event or\n"
        "the request is refused.\n"
        "\n"
        "examples:\n"
        "  hookonce routes event.json --source stripe\n"
        "  hookonce routes push.json --source github --type push\n",
    .run = run,
};
