/* hookonce send: signed test deliveries, as the provider would make them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "edge/endpoint.h"
#include "edge/sign.h"
#include "operator/operator.h"
#include "operator/providers.h"
#include "operator/send.h"
#include "operator/send_id.h"
#include "operator/send_key.h"
#include "operator/source_arg.h"

#define URL_MAX 16384
#define BODY_FILE_MAX (32UL * 1024 * 1024)
#define AGE_MAX_MS (3650LL * 24 * 3600 * 1000)
#define PROGRESS_FROM 20     /* posts; fewer are over before one could read it */
#define PROGRESS_EVERY_MS 200

enum {
    OPT_TYPE, OPT_ID, OPT_BODY, OPT_CONTENT_TYPE, OPT_URL, OPT_REPEAT, OPT_PARALLEL, OPT_COUNT,
    OPT_AGE, OPT_KEY, OPT_NEW_KEY, OPT_TAMPER, OPT_INSECURE, OPT_QUIET, OPT_N
};

static const struct arg_option options[OPT_N] = {
    [OPT_TYPE] = {"type", true},
    [OPT_ID] = {"id", true},
    [OPT_BODY] = {"body", true},
    [OPT_CONTENT_TYPE] = {"content-type", true},
    [OPT_URL] = {"url", true},
    [OPT_REPEAT] = {"repeat", true},
    [OPT_PARALLEL] = {"parallel", true},
    [OPT_COUNT] = {"count", true},
    [OPT_AGE] = {"age", true},
    [OPT_KEY] = {"key", true},
    [OPT_NEW_KEY] = {"new-key", true},
    [OPT_TAMPER] = {"tamper", false},
    [OPT_INSECURE] = {"insecure-http", false},
    [OPT_QUIET] = {"quiet", false},
};

/* The arguments, read and checked. */
struct send_args {
    const char *source, *url, *body_file, *key_file, *new_key;
    struct send_plan plan;
    size_t count;
    unsigned parallel;
    int64_t age_ms;
    bool plain, quiet;
};

/* One run: what http_post_all calls back with. */
struct sending {
    struct operator *op;
    const struct send_args *args;
    const struct endpoint *endpoint;
    struct send_event event;
    struct send_answers answers;
    struct ho_err err;
    size_t total;
    bool progress;
    int64_t shown_ms; /* when progress was last written */
};

static bool number(const struct args *a, int option, const char *text, uint64_t max, size_t *out)
{
    uint64_t n = 0;

    if (!text_uint(span_of(text), max, &n) || n == 0) {
        (void)operator_fail(a->op, EXIT_USAGE, "--%s wants a number from 1 to %llu",
                            options[option].name, (unsigned long long)max);
        return false;
    }
    *out = (size_t)n;
    return true;
}

static bool age(const struct args *a, const char *text, int64_t *out)
{
    bool ahead = text[0] == '-'; /* a sender whose clock is ahead */
    int64_t ms = 0;

    if (!text_duration(span_of(text + (ahead ? 1 : 0)), &ms) || ms > AGE_MAX_MS) {
        (void)operator_fail(a->op, EXIT_USAGE, "--age wants a time such as 10m, or -10m for one "
                                               "in the future");
        return false;
    }
    *out = ahead ? -ms : ms;
    return true;
}

static bool apply(const struct args *a, int option, const char *value, struct send_args *out)
{
    size_t n = out->parallel;
    bool ok = true;

    switch (option) {
    case OPT_TYPE: out->plan.type = value; break;
    case OPT_ID: out->plan.id = value; break;
    case OPT_BODY: out->body_file = value; break;
    case OPT_CONTENT_TYPE: out->plan.content_type = value; break;
    case OPT_URL: out->url = value; break;
    case OPT_REPEAT: return number(a, option, value, SEND_POSTS_MAX, &out->plan.repeat);
    case OPT_COUNT: return number(a, option, value, SEND_POSTS_MAX, &out->count);
    case OPT_PARALLEL:
        ok = number(a, option, value, HTTP_PARALLEL_MAX, &n);
        out->parallel = (unsigned)n;
        break;
    case OPT_AGE: return age(a, value, &out->age_ms);
    case OPT_KEY: out->key_file = value; break;
    case OPT_NEW_KEY: out->new_key = value; break;
    case OPT_TAMPER: out->plan.tamper = true; break;
    case OPT_INSECURE: out->plain = true; break;
    default: out->quiet = true; break;
    }
    return ok;
}

static int check_args(struct operator *op, struct send_args *out)
{
    if (out->source == NULL) {
        return operator_fail(op, EXIT_USAGE, "which source? hookonce send SOURCE [option ...]");
    }
    if (out->plan.id != NULL && out->count > 1) {
        return operator_fail(op, EXIT_USAGE, "--id names one event, --count makes several; "
                                             "to send the same one again use --repeat");
    }
    if (out->count > SEND_POSTS_MAX / out->plan.repeat) {
        return operator_fail(op, EXIT_USAGE, "at most %d posts in one run", SEND_POSTS_MAX);
    }
    return EXIT_WELL;
}

static int read_args(struct operator *op, int argc, char **argv, struct send_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got;

    *out = (struct send_args){.count = 1, .parallel = 1};
    out->plan.repeat = 1;
    out->plan.content_type = "application/json";
    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD && out->source == NULL) {
            out->source = value;
        } else if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "one source at a time; '%s' is too much", value);
        } else if (got == ARGS_BAD || !apply(&a, got, value, out)) {
            return EXIT_USAGE;
        }
    }
    return check_args(op, out);
}

static enum ho_code read_stdin(struct buf *out, struct ho_err *err)
{
    for (;;) {
        unsigned char *room = buf_room(out, 65536);
        if (room == NULL) {
            return ho_fail(err, HO_REJECT, "the body is over %lu bytes", BODY_FILE_MAX);
        }
        ssize_t n = read(STDIN_FILENO, room, 65536);
        if (n < 0) {
            return ho_fail_errno(err, HO_REJECT, "reading the body");
        }
        if (n == 0) {
            return HO_OK;
        }
        out->len += (size_t)n;
    }
}

static bool next_post(void *arg, size_t i, struct http_post *post)
{
    struct sending *s = arg;
    return send_next(&s->event, i, post, &s->err) == HO_OK;
}

static void count_answer(void *arg, size_t i, const struct http_answer *answer)
{
    struct sending *s = arg;
    int64_t now = clock_mono_ms();

    (void)i;
    send_count(&s->answers, answer);
    if (s->progress && (now - s->shown_ms >= PROGRESS_EVERY_MS || s->answers.total == s->total)) {
        s->shown_ms = now;
        (void)fprintf(stderr, "\rsent %zu of %zu, %zu not well%s", s->answers.total, s->total,
                      s->answers.total - s->answers.well,
                      s->answers.total == s->total ? "\r\x1b[K" : "");
        (void)fflush(stderr);
    }
}

static int send_all(struct sending *s, const char *url)
{
    const struct http_run run = {
        .url = url,
        .total = s->total,
        .parallel = s->total < s->args->parallel ? (unsigned)s->total : s->args->parallel,
        .next = next_post,
        .done = count_answer,
        .arg = s,
    };
    struct ho_err err = {HO_OK, 0, ""};

    s->progress = s->total >= PROGRESS_FROM && !s->args->quiet && table_is_terminal(stderr);
    enum ho_code code = http_post_all(&run, &err);
    if (s->err.code != HO_OK) {
        return operator_fail(s->op, EXIT_USAGE, "%s", s->err.text);
    }
    if (code != HO_OK) {
        return operator_fail(s->op, EXIT_TROUBLE, "%s", err.text);
    }
    bool well = s->answers.well == s->total;
    if (!s->args->quiet || !well) {
        send_find_id(&s->event, s->endpoint, s->op->settings->state_dir, clock_wall_us());
        send_say(&s->event, s->args->source, url, s->answers.total, s->op->json);
        send_print(&s->answers, stdout, s->op->json);
        /* Who spoils a delivery has asked for that answer. */
        bool meant = s->args->plan.tamper || s->args->age_ms != 0;
        const char *hint = meant || s->op->json ? NULL : send_hint(&s->answers, s->endpoint);
        if (hint != NULL) {
            (void)printf("%s\n", hint);
        }
    }
    return well ? EXIT_WELL : EXIT_TROUBLE;
}

/* --url, else the environment's, else the config's; NULL when there is none. */
static const char *find_url(const struct operator *op, const struct send_args *args)
{
    const char *env = getenv("HOOKONCE_URL");

    if (args->url != NULL) {
        return args->url;
    }
    return env != NULL && env[0] != '\0' ? env : op->settings->url;
}

/* What was asked for and cannot show what it is meant to. */
static void note_useless(const struct send_args *args, const struct endpoint *e)
{
    struct recipe_facts f;

    recipe_facts(e->recipe, &f);
    if (args->age_ms != 0 && f.tolerance_ms == 0) {
        (void)fprintf(stderr, "hookonce send: note: %s signs no time, or any is taken: --age "
                              "changes only the times in the sample\n", f.title);
    }
    if (args->plan.tamper && f.weak != NULL) {
        (void)fprintf(stderr, "hookonce send: note: of the body %s signs %s: what was tampered "
                              "with may be taken, and so may what others make of a request they "
                              "saw\n",
                      f.title, strcmp(f.weak, "token") == 0 ? "nothing, it only shows a token"
                                                            : providers_covered(&f));
    }
}

/* Everything between read arguments and the first post. */
static int prepare(struct operator *op, struct send_args *args, const struct endpoint *e,
                   struct secret *key, struct buf *body, struct buf *url)
{
    struct ho_err err = {HO_OK, 0, ""};
    const char *base = find_url(op, args);
    int64_t now_us = clock_wall_us();

    if (base == NULL) {
        return operator_fail(op, EXIT_USAGE,
                             "where to? give --url URL, or set HOOKONCE_URL, or url in section "
                             "[hookonce]; /%s is added to it",
                             args->source);
    }
    enum ho_code code = send_url(base, args->source, url, &err);
    if (code == HO_OK) {
        code = http_post_check(buf_cstr(url), args->plain, &err);
    }
    if (code == HO_OK && args->body_file != NULL) {
        code = strcmp(args->body_file, "-") == 0 ? read_stdin(body, &err)
                                                 : file_read(args->body_file, false, body, &err);
        args->plan.body = buf_span(body);
    }
    if (code != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    int status = send_key_find(op, e, args->key_file, now_us, key, &args->plan.key);
    if (status != EXIT_WELL) {
        return status;
    }
    args->plan.recipe = e->recipe;
    args->plan.source = e->source;
    args->plan.url = buf_cstr(url);
    args->plan.time_us = now_us - args->age_ms * 1000;
    if (args->plan.type == NULL) {
        args->plan.type = sign_default_type(e->recipe, e->source->reply);
    }
    note_useless(args, e);
    return EXIT_WELL;
}

static int send_from(struct operator *op, struct send_args *args, const struct endpoint *e)
{
    struct secret key = {NULL, 0};
    struct buf body;
    struct buf url;

    buf_init(&body, BODY_FILE_MAX);
    buf_init(&url, URL_MAX);
    int status = prepare(op, args, e, &key, &body, &url);
    if (status == EXIT_WELL) {
        struct sending s = {.op = op, .args = args, .endpoint = e,
                            .total = args->count * args->plan.repeat};
        s.event.plan = &args->plan;
        s.answers.whole = e->source->reply;
        status = send_all(&s, buf_cstr(&url));
        send_event_free(&s.event);
        send_answers_free(&s.answers);
    }
    secret_free(&key);
    buf_free(&body);
    buf_free(&url);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct send_args args;
    struct endpoints *all = NULL;
    int status = read_args(op, argc, argv, &args);

    if (status == EXIT_WELL) {
        status = source_arg_load(op, &all);
    }
    if (status != EXIT_WELL) {
        return status;
    }
    const struct endpoint *e = source_arg(op, all, args.source);
    if (e == NULL) {
        status = EXIT_USAGE;
    } else if (args.new_key != NULL) {
        status = send_key_make(op, e, args.new_key);
    } else {
        status = send_from(op, &args, e);
    }
    endpoints_free(all);
    return status;
}

const struct command cmd_send = {
    .name = "send",
    .synopsis = "SOURCE [--url URL] [--type TYPE] [--id ID] [--body FILE] [--repeat N]\n"
                "       [--count N] [--parallel N] [--age TIME] [--key FILE] [--tamper] [--quiet]\n"
                "       SOURCE --new-key FILE",
    .summary = "posts signed test deliveries to the receiver, as the provider would make them",
    .help =
        "The source's first secret that has not ended signs. Ids begin with test_ unless --id\n"
        "names one. The database is not touched by this command: what it posts is received like\n"
        "any delivery.\n"
        "\n"
        "  --url URL           the receiver; /SOURCE is added unless it ends so. Without it\n"
        "                      $HOOKONCE_URL, else the config's url. https, or plain http to\n"
        "                      this machine\n"
        "  --insecure-http     plain http to other machines as well\n"
        "  --type TYPE         event type; else one that fits the provider, and in reply mode what\n"
        "                      it asks. Each of Supabase's seven hooks has a sample of its own\n"
        "  --id ID             event id; else a fresh one. The sample holds the time: the same id\n"
        "                      a second later is another content, so a conflict; for duplicates\n"
        "                      use --repeat\n"
        "  --body FILE         bytes to post, - for standard input; else the provider's sample.\n"
        "                      --id and --type then reach only what the headers carry\n"
        "  --content-type TYPE of that body; else application/json\n"
        "  --repeat N          posts the same event N times: the second and later ones are\n"
        "                      duplicates\n"
        "  --count N           makes N different events\n"
        "  --parallel N        so many posts at once, up to 256\n"
        "  --age TIME          as made so long ago (10m), or by a clock that is ahead (-10m): the\n"
        "                      signed time, and the times in the sample\n"
        "  --key FILE          a private key as PEM, for providers that sign with one\n"
        "  --new-key FILE      makes such a key, and FILE.pub to put in as a secret; sends nothing\n"
        "  --tamper            changes a byte of the body after signing: a forgery\n"
        "  --quiet             prints only when an answer was not 2xx\n"
        "\n"
        "Prints each distinct answer, how often it came, and milliseconds; of a source in reply\n"
        "mode the handler's whole answer. Ends with 0 when every answer was 2xx, with 1 when one\n"
        "was not.\n"
        "\n"
        "examples:\n"
        "  hookonce send stripe --url http://127.0.0.1:8080/hook --repeat 5 --parallel 5\n"
        "  hookonce send github --type push --body push.json\n"
        "  hookonce send slack --age 10m\n"
        "  hookonce send sb-token --type customize-access-token\n",
    .run = run,
};
