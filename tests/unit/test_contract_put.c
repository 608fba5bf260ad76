/* What handlers outside the database get as the event's body, with and without a fetched object. */
#include "handler_post.h"

/* ---- with a fetched object ---- */

static void sends_event_and_object_together(void **state)
{
    static const struct {
        struct span document, body, headers, fetched;
        bool json;
        const char *want;
    } rows[] = {
        {S("json"), S(EVENT_BODY), NONE, S(" {\"v\":1.50}\n"), true,
         "{\"event\":" EVENT_BODY ",\"fetched\":{\"v\":1.50}}"},
        {S("json"), S("\xEF\xBB\xBF {\"a\":1} "), NONE, S(""), false,
         "{\"event\":{\"a\":1},\"fetched\":null}"},
        {S("none"), S("hello"), NONE, S("[1]"), true, "{\"event\":null,\"fetched\":[1]}"},
        {S("form"), S("a=1&b=%22"), NONE, S("\"x\""), true,
         "{\"event\":{\"a\":\"1\",\"b\":\"\\\"\"},\"fetched\":\"x\"}"},
        {S("form:p"), S("a=1&p=%7B%22n%22%3A1.10%7D&p=2"), NONE, S("{}"), true,
         "{\"event\":{\"n\":1.10},\"fetched\":{}}"},
        {S("form:a/~b"), S("a%2F~b=%5B1.0%5D"), NONE, S("{}"), true,
         "{\"event\":[1.0],\"fetched\":{}}"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        (void)fresh(state);
        stored.event.document = rows[i].document;
        stored.event.body = call.body = rows[i].body;
        stored.event.headers = rows[i].headers;
        call.fetched_body = rows[i].fetched;
        if (rows[i].json) {
            assert_int_equal(json_parse(rows[i].fetched, &doc, &err), HO_OK);
        }
        call.fetched = doc;
        ROW(i, post_to(ANSWER("200 OK", "", "")) == HANDLER_DONE);
        ROW_TEXT(i, sent_body(), rows[i].want);
        ROW(i, sent("Content-Type: application/json"));
        json_free(doc);
        (void)done(state);
    }
}

/* ---- what it is called ---- */

/* Nobody signs what a body is sent as: it must not choose how the next one reads it. */
static void calls_the_body_what_it_was_read_as(void **state)
{
    static const struct {
        struct span document, body, headers;
        const char *want;
    } rows[] = {
        {S("json"), S("{}"), S("content-type: application/json; charset=utf-8\n"),
         "Content-Type: application/json; charset=utf-8"},
        {S("json"), S("{\"a\":\"x&id=evil\"}"), S("content-type: application/x-www-form-urlencoded\n"),
         "Content-Type: application/json"},
        {S("json"), S("{}"), NONE, "Content-Type: application/json"},
        {S("form"), S("a=1"), S("content-type: application/json\n"),
         "Content-Type: application/x-www-form-urlencoded"},
        {S("form:p"), S("p=%7B%7D"), S("content-type: text/plain\n"),
         "Content-Type: application/x-www-form-urlencoded"},
        {S("form"), S("--b1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b1--\r\n"),
         S("content-type: multipart/form-data; boundary=other\n"),
         "Content-Type: multipart/form-data; boundary=\"b1\""},
        {S("none"), S("<a/>"), S("content-type: text/xml\n"), "Content-Type: text/xml"},
        {S("none"), S("a=1"), S("content-type: application/x-www-form-urlencoded\n"),
         "Content-Type: application/octet-stream"},
        {S("none"), S("x"), S("content-type: Multipart/Form-Data; boundary=x\n"),
         "Content-Type: application/octet-stream"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)fresh(state);
        stored.event.document = rows[i].document;
        stored.event.body = call.body = rows[i].body;
        stored.event.headers = rows[i].headers;
        ROW(i, post_to(ANSWER("200 OK", "", "")) == HANDLER_DONE);
        ROW(i, sent(rows[i].want));
        (void)done(state);
    }
    (void)fresh(state);
}

/* ---- batches ---- */

static void takes_the_item_as_it_was_written(void **state)
{
    static const struct {
        struct span document, body;
        const char *want; /* NULL: there is none */
    } rows[] = {
        {S("json"), S(" {\"a\": 1} "), " {\"a\": 1} "},
        {S("none"), S("raw"), "raw"},
        {S("json#/events/1"), S("{\"events\":[{\"n\":1}, {\"n\": 1.10, \"s\":\"]}\"} ,3]}"),
         "{\"n\": 1.10, \"s\":\"]}\"}"},
        {S("json#/0"), S("[{\"a\\\"]}\":\"\\\\\"},2]"), "{\"a\\\"]}\":\"\\\\\"}"},
        {S("json#/0"), S("[123456789012345678901234567890]"), "123456789012345678901234567890"},
        {S("json#/a~1b/0"), S("{\"a/b\":[1],\"a\\u002fb\":[\"x\"]}"), "\"x\""},
        {S("json#/events/2"), S("{\"events\":[1,2]}"), NULL},
        {S("json#/no/0"), S("{\"events\":[1,2]}"), NULL},
        {S("form:p#/e/1"), S("p=%7B%22e%22%3A%5B1%2C2.50%5D%7D"), "2.50"},
        {S("form:q#/e/1"), S("p=%7B%22e%22%3A%5B1%2C2.50%5D%7D"), NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf room;
        struct span body = SPAN_NONE;
        (void)fresh(state);
        buf_init(&room, 65536);
        stored.event.document = rows[i].document;
        stored.event.body = rows[i].body;
        enum ho_code code = contract_body(&stored, &room, &body, &err);
        ROW(i, code == (rows[i].want != NULL ? HO_OK : HO_PERMANENT));
        ROW(i, code != HO_OK || span_is(body, rows[i].want));
        buf_free(&room);
        (void)done(state);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sends_event_and_object_together),
        TEST(calls_the_body_what_it_was_read_as),
        TEST(takes_the_item_as_it_was_written),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
