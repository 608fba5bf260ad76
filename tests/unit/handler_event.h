/* For the tests of commands and URLs: a folder of their own, an event as it was stored, and a call. */
#ifndef HO_TESTS_HANDLER_EVENT_H
#define HO_TESTS_HANDLER_EVENT_H

#include <sys/stat.h>

#include "unit.h"

#include "work/contract_put.h"
#include "work/handler.h"

#define IDEMPOTENCY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define EVENT_BODY "{\"id\":\"evt_1\",\"n\":1.10,\"big\":123456789012345678901234567890}"

static char dir[] = "/tmp/hookonce-handler-XXXXXX";
static char conf_file[64];
static struct settings settings;
static struct handler handler;
static struct stored stored;
static struct handler_call call;
static struct handler_report report;
static struct ho_err err;

static inline int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL) {
        return -1;
    }
    return snprintf(conf_file, sizeof conf_file, "%s/hookonce.conf", dir) > 0 ? 0 : -1;
}

static inline int remove_dir(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command); /* a path of our own making */
}

/* dir + "/" + name, in one of a few places that take turns. */
static inline const char *in_dir(const char *name)
{
    static char places[8][128];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];

    assert_true(snprintf(place, sizeof places[0], "%s/%s", dir, name) > 0);
    return place;
}

static inline const char *write_in_dir(const char *name, const char *text, mode_t mode)
{
    const char *path = in_dir(name);
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fchmod(fileno(f), mode), 0);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* The content of a file in the folder; "" when it is not there. */
static inline const char *read_in_dir(const char *name)
{
    static char texts[4][16384];
    static unsigned turn;
    char *text = texts[turn++ % COUNT(texts)];
    FILE *f = fopen(in_dir(name), "r");
    size_t n = f != NULL ? fread(text, 1, sizeof texts[0] - 1, f) : 0;

    if (f != NULL) {
        assert_int_equal(fclose(f), 0);
    }
    text[n] = '\0';
    return text;
}

/* An event and a call with everything set; each test changes what it is about. */
static inline int fresh(void **state)
{
    (void)state;
    settings = (struct settings){.file = conf_file, .state_dir = dir};
    handler = (struct handler){.name = "h", .timeout_ms = 10000};
    stored = (struct stored){.found = true};
    stored.event = (struct event){
        .cid = "01JQXK3Y8Z9ABCDEFGHJKMNPQR",
        .provider = SPAN_LIT("shop"),
        .source = SPAN_LIT("shop-eu"),
        .id = SPAN_LIT("evt_1"),
        .type = SPAN_LIT("order.paid"),
        .object = SPAN_LIT("ord_1"),
        .has_occurred = true,
        .occurred_us = INT64_C(1764500000123456),
        .document = SPAN_LIT("json"),
        .headers = SPAN_LIT("content-type: application/json; charset=utf-8\n"),
        .body = SPAN_LIT(EVENT_BODY),
    };
    call = (struct handler_call){
        .settings = &settings,
        .handler = &handler,
        .stored = &stored,
        .body = stored.event.body,
        .idempotency_key = IDEMPOTENCY,
        .try_no = 3,
        .end = deadline_in(10000),
    };
    handler_report_init(&report, false);
    ho_err_clear(&err);
    return 0;
}

static inline int done(void **state)
{
    (void)state;
    handler_report_free(&report);
    return 0;
}

#define ASSERT_TEXT(got, want) \
    do { \
        const char *got_ = (got); \
        if (strcmp(got_, (want)) != 0) { \
            fail_msg("got \"%s\", want \"%s\"", got_, (want)); \
        } \
    } while (0)

#define ASSERT_SPAN(got, want) \
    do { \
        struct span got_ = (got); \
        if (!span_is(got_, (want))) { \
            fail_msg("got \"%.*s\", want \"%s\"", (int)got_.len, (const char *)got_.p, (want)); \
        } \
    } while (0)

#endif
