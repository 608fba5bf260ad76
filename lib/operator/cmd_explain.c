/* hookonce explain: why a kept request was refused, or would be accepted now. */
#include <stdio.h>

#include "base/file.h"
#include "base/text.h"
#include "core/event.h"
#include "edge/capture.h"
#include "edge/verify.h"
#include "operator/source_arg.h"
#include "operator/table.h"
#include "store/captures.h"

#define TRACE_MAX 65536

enum { OPT_LAST, OPT_SOURCE, OPT_N };

static const struct arg_option options[OPT_N] = {
    [OPT_LAST] = {"last", false},
    [OPT_SOURCE] = {"source", true},
};

struct explain_args {
    const char *file, *source;
    bool last;
};

static int read_args(struct operator *op, int argc, char **argv, struct explain_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    const char *word = NULL;
    int got;

    *out = (struct explain_args){NULL, NULL, false};
    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        if (got == OPT_LAST) {
            out->last = true;
        } else if (got == OPT_SOURCE) {
            out->source = value;
        } else if (word == NULL) {
            word = value;
        } else {
            return operator_fail(op, EXIT_USAGE, "one at a time; '%s' is too much", value);
        }
    }
    if (word == NULL) {
        return operator_fail(op, EXIT_USAGE, "which request? hookonce explain FILE, or hookonce "
                                             "explain --last SOURCE");
    }
    if (out->last) {
        out->source = word;
    } else {
        out->file = word;
    }
    return EXIT_WELL;
}

/* ---- telling ---- */

static void say_path(const char *path)
{
    struct buf safe;

    buf_init(&safe, TABLE_CELL_MAX);
    table_cell(span_of(path), 0, &safe);
    (void)printf("%s\n", buf_cstr(&safe));
    buf_free(&safe);
}

static void say_lines(struct span text, bool json)
{
    static const struct table_col cols[] = {{"text", TABLE_TEXT, 0}};
    struct table *t = table_new("step", cols, 1);

    while (span_present(text)) {
        struct span line = span_cut(&text, '\n');
        struct buf safe;

        if (line.len == 0) {
            continue;
        }
        table_row(t, &line);
        buf_init(&safe, TABLE_CELL_MAX);
        table_cell(line, 0, &safe);
        if (!json) {
            (void)printf("  %s\n", buf_cstr(&safe));
        }
        buf_free(&safe);
    }
    if (json) {
        table_print(t, stdout, true);
    }
    table_free(t);
}

static void say_event(const struct event *e, bool json)
{
    static const struct table_col cols[] = {
        {"provider", TABLE_TEXT, 0}, {"event_id", TABLE_TEXT, 0}, {"event_type", TABLE_TEXT, 0},
        {"object", TABLE_TEXT, 0},
    };
    const struct span cells[] = {e->provider, e->id, e->type, e->object};
    struct table *t = table_new("event", cols, 4);

    table_row(t, cells);
    table_print(t, stdout, json);
    table_free(t);
}

static void say_verdict(const struct capture *c, enum reason why, const struct verdict *v, bool json)
{
    static const struct table_col cols[] = {{"was", TABLE_TEXT, 0}, {"now", TABLE_TEXT, 0}};
    const char *now = why != REASON_OK ? reasons[why].word
                      : v->is_hello    ? "handshake"
                      : v->n_events == 0 ? "accepted, no event in it"
                                         : "accepted";
    const struct span cells[] = {c->reason, span_of(now)};
    struct table *t = table_new("verdict", cols, 2);

    table_row(t, cells);
    if (json) {
        table_print(t, stdout, true);
    } else {
        struct buf was;

        buf_init(&was, TABLE_CELL_MAX);
        table_cell(c->reason, 0, &was);
        (void)printf("When it came: refused, %s. With the config as it is now, at that time: %s.\n",
                     buf_cstr(&was), now);
        buf_free(&was);
    }
    table_free(t);
    for (size_t i = 0; i < v->n_events; i++) {
        say_event(accepted_event(v->events[i]), json);
    }
}

/* ---- doing it ---- */

static int explain(const struct operator *op, const struct endpoints *all, const char *path,
                   const struct capture *c, const char *source)
{
    char name[EVENT_PROVIDER_MAX + 1];
    const struct endpoint *e;
    struct verify_note note = {0};
    struct verdict verdict;
    struct buf trace;
    enum reason why;

    (void)snprintf(name, sizeof name, "%.*s", (int)c->source.len, (const char *)c->source.p);
    e = source_arg(op, all, source != NULL ? source : name);
    if (e == NULL) {
        return EXIT_USAGE;
    }
    buf_init(&trace, TRACE_MAX);
    note.trace = &trace;
    why = verify_event(e, &c->request, c->now_us, op->settings->state_dir, &verdict, &note);
    if (!op->json) {
        say_path(path);
    }
    say_lines(buf_span(&trace), op->json);
    if (!span_present(c->request.body)) {
        say_lines(SPAN_LIT("the body was not kept, so the signature can't be checked"), op->json);
    }
    say_verdict(c, why, &verdict, op->json);
    verdict_free(&verdict);
    buf_free(&trace);
    return why == REASON_OK ? EXIT_WELL : EXIT_TROUBLE;
}

static int explain_file(const struct operator *op, const struct endpoints *all, const char *path,
                        const char *source)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct capture capture;
    struct buf text, head;
    int status;

    buf_init(&text, CAPTURE_FILE_MAX);
    buf_init(&head, 2 * REQUEST_HEAD_MAX);
    if (file_read(path, true, &text, &err) != HO_OK) {
        status = operator_fail(op, EXIT_USAGE, "%s", err.text);
    } else if (capture_get(buf_span(&text), &head, &capture, &err) != HO_OK) {
        status = operator_fail(op, EXIT_USAGE, "%s: %s", path, err.text);
    } else {
        status = explain(op, all, path, &capture, source);
    }
    buf_free(&head);
    buf_free(&text);
    return status;
}

static int explain_last(const struct operator *op, const struct endpoints *all, const char *source)
{
    char **paths = NULL;
    size_t n = 0;
    int status;

    if (source_arg(op, all, source) == NULL) {
        return EXIT_USAGE;
    }
    captures_list(op->settings->state_dir, span_of(source), &paths, &n);
    status = n > 0 ? explain_file(op, all, paths[n - 1], source)
                   : operator_fail(op, EXIT_TROUBLE,
                                   "no refused request of source '%s' was kept; run `hookonce capture "
                                   "%s`, then let the provider send again", source, source);
    captures_free(paths, n);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct endpoints *all = NULL;
    struct explain_args args;
    int status = read_args(op, argc, argv, &args);

    if (status == EXIT_WELL) {
        status = source_arg_load(op, &all);
    }
    if (status == EXIT_WELL) {
        status = args.last ? explain_last(op, all, args.source)
                           : explain_file(op, all, args.file, args.source);
    }
    endpoints_free(all);
    return status;
}

const struct command cmd_explain = {
    .name = "explain",
    .synopsis = "FILE [--source SOURCE] | --last SOURCE",
    .summary = "says step by step why a kept request was refused",
    .help =
        "FILE is one that `hookonce capture` had kept. It is verified again with the config and the\n"
        "secrets as they are now, by the clock of the moment when it came. Where no secret fits,\n"
        "known mistakes are tried: a body that was changed on the way, a secret that is decoded\n"
        "otherwise, another URL. No secret is shown, and nothing is recorded.\n"
        "\n"
        "  --last SOURCE     the newest kept request of that source\n"
        "  --source SOURCE   verify FILE as another source\n"
        "\n"
        "Ends with 0 when it would be accepted, with 1 when not.\n"
        "\n"
        "example:\n"
        "  hookonce explain --last stripe\n",
    .run = run,
};
