/* The pages: /health, /metrics and /status, behind a token. Whether the receiver lives it says
 * itself; all else is made by `hookonce page`, which may read what a receiver may not, in a process
 * of its own and a bounded time. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mac.h"
#include "base/text.h"
#include "receiver/parts.h"

#define PAGE_MS 2000          /* `hookonce page` gives the database less */
#define SLOW_MS 1000          /* behind a page that took longer the place rests as long as it took */
#define PLACE_MS 250          /* how long the others wait for a page to be through, all together */
#define PLACE_LOOK_MS 10
#define PAGE_MAX ((size_t)2 * 1024 * 1024)
#define FIELD_MAX SAID_FIELD_MAX
#define EXIT_TROUBLED 1       /* of `hookonce page`: it printed the page, and all is not well */

#define NO_STORE PAGE_NO_STORE
#define TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

static const struct {
    const char *name, *type, *headers;
} pages[] = {
    [PAGE_NONE] = {NULL, NULL, NULL},
    [PAGE_HEALTH] = {"health", "application/json", NO_STORE},
    [PAGE_METRICS] = {"metrics", TEXT_TYPE, NO_STORE},
    [PAGE_STATUS] = {"status", "text/html; charset=utf-8", PAGE_HTML_HEADERS},
};

enum page page_of(const struct receiver *rx)
{
    if (endpoints_settings(rx->endpoints)->page_token_file == NULL) {
        return PAGE_NONE;
    }
    for (enum page p = PAGE_HEALTH; p <= PAGE_STATUS; p++) {
        if (span_present(rx->request.source) && span_is(rx->request.source, pages[p].name)) {
            return p;
        }
    }
    return PAGE_NONE;
}

/* ---- who asks ---- */

static bool is_token(const struct secret *token, const struct buf *said)
{
    return said->len > 0 && mac_equal_secret(buf_span(said), secret_span(token));
}

bool page_token_shown(const struct receiver *rx, const struct secret *token)
{
    struct buf said;
    size_t n = 0;

    buf_init(&said, FIELD_MAX);
    add_authorization(&rx->request, &said);
    bool good = is_token(token, &said);
    buf_clear(&said);
    if (!good && text_form_field(rx->request.query, "token", &said, &n) == HO_OK && n == 1) {
        good = is_token(token, &said);
    }
    buf_wipe(&said);
    return good;
}

/* Whether the query has a field of that name, with or without a value. */
static bool asks_for(const struct receiver *rx, const char *name)
{
    struct buf value;
    size_t n = 0;

    buf_init(&value, FIELD_MAX);
    bool read = text_form_field(rx->request.query, name, &value, &n) == HO_OK;
    buf_wipe(&value);
    return read && n > 0;
}

/* ---- answers ---- */

static void trouble(struct receiver *rx, enum page page, const char *why)
{
    const struct log_pair pairs[] = {LOG_TEXT("page", pages[page].name), LOG_TEXT("reason", why)};
    bool health = page == PAGE_HEALTH;

    log_event(LOG_WARN, "page", NULL, pairs, 2);
    /* What is wrong is in the log. Deliveries are taken: whoever answers this takes them. */
    const struct reply_text text = {
        .status = health ? 200 : 503,
        .type = health ? pages[page].type : "text/plain",
        .headers = health ? NO_STORE : NO_STORE RETRY_AFTER,
        .body = health ? SPAN_LIT("{\"status\":\"degraded\",\"reasons\":[\"this page could not be "
                                  "made: the log says why\"]}\n")
                       : SPAN_LIT("this page could not be made: the log says why\n"),
    };
    reply_text(rx, &text);
}

/* Health says in its first bytes what its status is to be. */
static int status_of(enum page page, struct span body)
{
    return page == PAGE_HEALTH && span_starts(body, "{\"status\":\"down\"") ? 503 : 200;
}

static bool wants_openmetrics(const struct receiver *rx, enum page page)
{
    static const char type[] = "application/openmetrics-text";
    size_t n = 0;
    struct span rest = request_header(&rx->request, "accept", &n);
    bool wanted = false;

    while (page == PAGE_METRICS && n == 1 && span_present(rest)) {
        struct span accepted = span_trim(span_cut(&rest, ','));
        wanted = wanted || span_starts(accepted, type);
    }
    return wanted;
}

/* The one place on this host in which a page is made, so that of two receivers one is there for
 * deliveries: the lock of a file. It ends with its holder, however that ends. A web server may have
 * sent a delivery to the very receiver that makes a page, behind others who ask for pages: so that it
 * waits for one page and no more, the place rests behind a slow one. The file says in monotonic time: */
struct place {
    int64_t began_ms; /* since when a page is being made; 0: none is */
    int64_t rests_until_ms;
};

/* returns -1: no lock can be had here, and the number of receivers is the bound */
static int place_open(const struct receiver *rx)
{
    const char *dir = receiver_state_dir(rx);
    size_t room = strlen(dir) + 32;
    char *path = ho_alloc(room);

    (void)snprintf(path, room, "%s/page.lock", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
    free(path);
    return fd;
}

static struct place place_read(int fd)
{
    struct place p = {0, 0};

    if (fd < 0 || pread(fd, &p, sizeof p, 0) != (ssize_t)sizeof p) {
        p = (struct place){0, 0};
    }
    return p;
}

/* What can't be written holds nobody up. */
static void place_write(int fd, struct place p)
{
    if (fd >= 0 && pwrite(fd, &p, sizeof p, 0) != (ssize_t)sizeof p) {
        (void)!ftruncate(fd, 0);
    }
}

static bool place_take(int fd)
{
    return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Waits until the page that is being made has had its PLACE_MS, however many wait one after the
 * other. false: it is not through then */
static bool place_await(int fd)
{
    const struct deadline end = deadline_in(PLACE_MS);
    bool mine = false, waits = true;

    while (!mine && waits) {
        clock_sleep_ms(PLACE_LOOK_MS);
        mine = place_take(fd);
        int64_t began_ms = place_read(fd).began_ms;
        waits = deadline_left_ms(end) > 0 && (began_ms == 0 || clock_mono_ms() - began_ms < PLACE_MS);
    }
    return mine;
}

/* Of a time too far ahead this machine has started since. */
static bool place_rests(int fd)
{
    int64_t left_ms = place_read(fd).rests_until_ms - clock_mono_ms();

    return left_ms > 0 && left_ms <= 2 * PAGE_MS;
}

static const char *kept_name(enum page page, bool open_text)
{
    return open_text ? "openmetrics" : pages[page].name;
}

static void answer(struct receiver *rx, enum page page, bool open_text, struct span body)
{
    const struct reply_text text = {status_of(page, body),
                                    open_text ? OPENMETRICS_TYPE : pages[page].type,
                                    pages[page].headers, body};

    reply_text(rx, &text);
}

static void make(struct receiver *rx, enum page page, bool open_text)
{
    const struct program_call call = {
        .words = {"page", pages[page].name, open_text ? "--openmetrics" : NULL},
        .said_max = PAGE_MAX,
    };
    struct program p;
    struct ho_err err;
    int code;

    ho_err_clear(&err);
    if (program_start(rx, &call, &p, &err) != HO_OK) {
        trouble(rx, page, err.text);
    } else if (!program_wait(&p, deadline_in(PAGE_MS), &code)) {
        trouble(rx, page, "hookonce page was not through in time");
    } else if ((code != 0 && code != EXIT_TROUBLED) || p.cut) {
        trouble(rx, page, p.cut ? "hookonce page printed too much" : buf_cstr(&p.said));
    } else {
        answer(rx, page, open_text, buf_span(&p.said));
        page_keep(rx, kept_name(page, open_text), buf_span(&p.said));
    }
    program_end(&p);
}

/* Makes it in the place, which is ours. Whoever is killed meanwhile has been slow. */
static void make_in_place(struct receiver *rx, enum page page, bool open_text, int fd)
{
    int64_t began_ms = clock_mono_ms();

    place_write(fd, (struct place){began_ms, began_ms + 2 * PAGE_MS});
    make(rx, page, open_text);
    int64_t now_ms = clock_mono_ms(), took_ms = now_ms - began_ms;
    place_write(fd, (struct place){0, took_ms > SLOW_MS ? now_ms + took_ms : 0});
}

/* Makes it, or gives the last one while another is being made and while the place rests. */
static void make_or_give(struct receiver *rx, enum page page)
{
    bool open_text = wants_openmetrics(rx, page);
    struct buf kept;
    int fd = place_open(rx);

    buf_init(&kept, PAGE_MAX);
    bool mine = place_take(fd);
    if ((!mine || place_rests(fd)) && page_kept(rx, kept_name(page, open_text), &kept)) {
        answer(rx, page, open_text, buf_span(&kept));
    } else if ((mine || place_await(fd)) && !place_rests(fd)) {
        make_in_place(rx, page, open_text, fd);
    } else {
        trouble(rx, page, "another page is being made or was just now, and takes long");
    }
    buf_free(&kept);
    if (fd >= 0) {
        (void)close(fd);
    }
}

static void serve_allowed(struct receiver *rx, enum page page)
{
    const struct reply_text live = {200, pages[page].type, NO_STORE,
                                    SPAN_LIT("{\"status\":\"live\",\"reasons\":[]}\n")};

    if (page == PAGE_HEALTH && asks_for(rx, "live")) {
        reply_text(rx, &live);
    } else {
        make_or_give(rx, page);
    }
}

void serve_page(struct receiver *rx, enum page page)
{
    const struct settings *s = endpoints_settings(rx->endpoints);
    struct secret token = {NULL, 0};
    struct ho_err err;

    ho_err_clear(&err);
    if (!span_is(rx->request.method, "GET") && !span_is(rx->request.method, "HEAD")) {
        refuse(rx, NULL, REASON_METHOD, NULL);
    } else if (secret_read(s->page_token_file, &token, &err) != HO_OK ||
               token.len < PAGE_TOKEN_LEN_MIN) {
        refuse(rx, NULL, REASON_NO_SECRET, NULL); /* `hookonce check` says what is wrong with it */
    } else if (!page_token_shown(rx, &token)) {
        refuse(rx, NULL, REASON_PAGE_TOKEN, NULL);
    } else {
        serve_allowed(rx, page);
    }
    secret_free(&token);
}
