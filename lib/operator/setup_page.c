/* The page for hosts without a shell: what setup does there, and what check finds. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "core/ticket.h"
#include "operator/page.h"
#include "operator/setup.h"
#include "store/migrate.h"

#define TICK_FOR_S (INT64_C(365) * 24 * 60 * 60)

struct report {
    struct operator *op;
    struct buf out; /* of the line at hand */
    bool failed;
};

/* What is ready is printed: whoever waits for the page may get its begin alone. */
static void flush(struct report *r)
{
    (void)fwrite(r->out.p, 1, r->out.len, stdout);
    (void)fflush(stdout);
    buf_clear(&r->out);
}

static void put_line(struct report *r, const struct found_line *line)
{
    static const char *const classes[FOUND_N] = {"ready", "ready", "degraded", "down"};

    r->failed = r->failed || line->level == FOUND_FAIL;
    page_put(&r->out, "<div class=\"%s\"><b>%s</b> ", classes[line->level],
             finding_levels[line->level]);
    page_text(&r->out, span_of(line->subject), 128);
    page_put(&r->out, ": ");
    page_text(&r->out, span_of(line->text), 0);
    if (line->why != NULL) {
        page_put(&r->out, "<p class=\"dim\">Why it matters: ");
        page_text(&r->out, span_of(line->why), 0);
        page_put(&r->out, "</p>");
    }
    if (line->mend != NULL) {
        page_put(&r->out, "<p>What to do: ");
        page_text(&r->out, span_of(line->mend), 0);
        page_put(&r->out, "</p>");
    }
    page_put(&r->out, "</div>\n");
    flush(r);
}

static void tell(void *arg, const struct found_line *line)
{
    put_line(arg, line);
}

static void say(struct report *r, enum finding level, const char *subject, const char *text)
{
    const struct found_line line = {.level = level, .subject = subject, .text = text};

    put_line(r, &line);
}

static void head(struct report *r, const char *text)
{
    page_put(&r->out, "<h2>%s</h2>\n", text);
    flush(r);
}

/* ---- the steps ---- */

static bool make_tables(struct report *r)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct migrate_state s;
    char text[768];

    head(r, "Tables and key");
    if (db_connect(operator_db(r->op), &err) != HO_OK ||
        migrate_run(operator_db(r->op), r->op->settings->key_file, &s, &err) != HO_OK) {
        (void)snprintf(text, sizeof text, "%s%s", err.text, operator_db_hint(&err));
        say(r, FOUND_FAIL, "database", text);
        return false;
    }
    operator_note_key(r->op);
    (void)snprintf(text, sizeof text, s.have == 0 ? "made (version %d)" : "are there (version %d)",
                   s.want);
    say(r, FOUND_OK, "tables", text);
    if (s.key_created) {
        (void)snprintf(text, sizeof text, "%.700s was made: download it and keep it with your "
                       "backups", r->op->settings->key_file);
        say(r, FOUND_OK, "key", text);
    }
    return true;
}

/* The first source that can be played. */
static void deliver(struct report *r)
{
    const char *url = r->op->settings->url;
    struct endpoints *all = NULL;
    struct ho_err err = {HO_OK, 0, ""};
    enum setup_delivered got = SETUP_UNTRIED;
    struct buf text;

    head(r, "A signed delivery through the public address");
    if (endpoints_load(r->op->file, &all, &err) != HO_OK) {
        say(r, FOUND_FAIL, "config", err.text);
        return;
    }
    buf_init(&text, 4096);
    if (url == NULL) {
        say(r, FOUND_FAIL, "url", "is missing: write the receiver's address into [hookonce], for "
                                  "example url = https://example.com/hook");
    } else if (endpoints_count(all) == 0) {
        say(r, FOUND_WARN, "source", "there is none yet: write a section [source NAME]");
    }
    for (size_t i = 0; url != NULL && got == SETUP_UNTRIED && i < endpoints_count(all); i++) {
        static const enum finding levels[] = {[SETUP_RECORDED] = FOUND_OK,
                                              [SETUP_UNTRIED] = FOUND_NOTE,
                                              [SETUP_FAILED] = FOUND_FAIL};
        buf_clear(&text);
        got = setup_deliver(r->op, endpoints_at(all, i), url, &text);
        say(r, levels[got], endpoints_at(all, i)->source->name, buf_cstr(&text));
    }
    buf_free(&text);
    endpoints_free(all);
}

/* Where a host has neither cron nor a shell, somebody else's clock may ask. */
static void put_tick(struct report *r)
{
    const struct settings *set = r->op->settings;
    struct ho_err err = {HO_OK, 0, ""};
    char ticket[TICKET_ROOM];
    struct span key;

    if (!set->tick || set->url == NULL || operator_key(r->op, &key, &err) != HO_OK) {
        return;
    }
    ticket_make(key, TICKET_TICK, clock_wall_us() / 1000000 + TICK_FOR_S, ticket);
    page_put(&r->out, "<p class=\"dim\">Where cron can only fetch an address, and for any monitor, "
                      "this one starts the processor, for a year, and does nothing else:</p>\n"
                      "<p><code>");
    page_text(&r->out, span_of(set->url), 0);
    page_put(&r->out, "/tick?ticket=%s</code></p>\n", ticket);
    flush(r);
}

static void put_cron(struct report *r)
{
    char program[SETUP_TEXT_MAX];
    struct buf lines;

    head(r, "Lines for cron");
    buf_init(&lines, (size_t)16 * SETUP_TEXT_MAX);
    if (setup_find_program(program)) {
        setup_cron_lines(program, 1, &lines);
    }
    for (struct span rest = buf_span(&lines); span_present(rest) && rest.len > 0;) {
        page_put(&r->out, "<p><code>");
        page_text(&r->out, span_cut(&rest, '\n'), 0);
        page_put(&r->out, "</code></p>\n");
    }
    page_put(&r->out, "<p class=\"dim\">A panel that asks for minute, hour and so on apart gets a "
                      "star in each, and what follows them as the command. Where it runs nothing "
                      "every minute, take what it allows. Without any cron, work is done "
                      "behind each answer, with after_answer = auto in [processor].</p>\n");
    flush(r);
    buf_free(&lines);
}

static void put_end(struct report *r)
{
    const char *token = r->op->settings->setup_token_file;

    head(r, r->failed ? "Not done yet" : "All is well");
    if (r->failed) {
        page_put(&r->out, "<p>Mend what is marked FAIL, and load this page again.</p>\n");
    } else {
        page_put(&r->out, "<p>Now take this page away: remove the line setup_token from "
                          "hookonce.conf, and its file");
        if (token != NULL) {
            page_put(&r->out, " <code>");
            page_text(&r->out, span_of(token), 0);
            page_put(&r->out, "</code>");
        }
        page_put(&r->out, ". In any case it is answered for an hour after that file was written, "
                          "and no longer.</p>\n");
    }
    page_end(&r->out);
    flush(r);
}

int setup_page(struct operator *op)
{
    struct report r = {.op = op};
    struct check c = {.op = op, .tell = tell, .arg = &r, .url = op->settings->url};

    buf_init(&r.out, (size_t)256 * 1024);
    page_begin(false, &r.out);
    page_put(&r.out, "<h1>hookonce: setup</h1>\n");
    bool made = make_tables(&r);
    head(&r, "What was found");
    check_all(&c);
    if (made) {
        deliver(&r);
    }
    put_cron(&r);
    if (made) {
        put_tick(&r);
    }
    put_end(&r);
    buf_free(&r.out);
    return r.failed ? EXIT_TROUBLE : EXIT_WELL;
}
