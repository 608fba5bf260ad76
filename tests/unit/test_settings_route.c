/* Routes of the config: conditions, keys, order, needs and fetching. */
#include "settings_file.h"

#define R DB HANDLER "[route r]\nprovider=p\nhandler=h\n" /* nine lines */

static void reads_all_of_a_route(void **state)
{
    struct settings *s = loaded(
        R "when = {/data/status} == paid\nwhen = {header:X-Shop} in a, b\n"
          "flow = sale\nonce_per = order:{/data/id}\norder_by = {/data/object}\n"
          "order_at = {/data/updated}\ntie = fetch\nserialize_by = {/data/object}\npriority = high\n"
          "needs = SELECT 1 FROM orders WHERE id = {/data/id}\nneeds_wait = 3 tries, 1s to 5s\n"
          "skip_if = (SELECT 1 FROM orders\n  WHERE id = {/data/id} AND s = {event:type})\n"
          "fetch = https://api.example/v1/subs/{/data/object}\nfetch_auth = bearer file:api.key\n"
          "gone = skip\n");
    const struct route *r = &s->routes[0];
    (void)state;
    assert_int_equal(r->n_when, 2);
    assert_string_equal(r->when[0].words, "{/data/status} == paid");
    assert_int_equal(r->when[0].op, CONDITION_IS);
    assert_int_equal(r->when[1].op, CONDITION_IN);
    assert_int_equal(r->when[1].n_values, 2);
    assert_string_equal(r->flow, "sale");
    assert_string_equal(r->once_per.words, "order:{/data/id}");
    assert_int_equal(r->once_per.use, REFTEXT_KEY);
    assert_string_equal(r->order_by.words, "{/data/object}");
    assert_int_equal(r->order_at.kind, REF_JSON);
    assert_string_equal(r->order_at.name, "/data/updated");
    assert_int_equal(r->tie, TIE_FETCH);
    assert_string_equal(r->serialize_by.words, "{/data/object}");
    assert_int_equal(r->priority, PRIORITY_HIGH);
    assert_string_equal(r->needs.sql, "SELECT 1 FROM orders WHERE id = ?");
    assert_int_equal(r->needs_wait.tries, 3);
    assert_int_equal(r->needs_wait.first_ms, 1000);
    assert_int_equal(r->skip_if.n_params, 2);
    assert_string_equal(r->fetch.words, "https://api.example/v1/subs/{/data/object}");
    assert_int_equal(r->fetch.use, REFTEXT_URL);
    assert_int_equal(r->fetch_auth.kind, AUTH_BEARER);
    assert_string_equal(r->fetch_auth.path, in_folder("api.key"));
    assert_int_equal(r->gone, GONE_SKIP);
    assert_int_equal(r->retry.tries, 8);
    settings_free(s);
}

static void what_is_not_written_has_its_default(void **state)
{
    struct settings *s = loaded(R);
    const struct route *r = &s->routes[0];
    (void)state;
    assert_int_equal(r->n_when, 0);
    assert_string_equal(r->flow, "r");
    assert_null(r->once_per.words);
    assert_null(r->order_by.words);
    assert_null(r->order_at.name);
    assert_int_equal(r->tie, TIE_RUN);
    assert_null(r->serialize_by.words);
    assert_null(r->needs.sql);
    assert_int_equal(r->needs_wait.tries, 20);
    assert_int_equal(r->needs_wait.first_ms, 5000);
    assert_int_equal(r->needs_wait.last_ms, 600000);
    assert_null(r->skip_if.sql);
    assert_null(r->fetch.words);
    assert_int_equal(r->fetch_auth.kind, AUTH_NONE);
    assert_int_equal(r->gone, GONE_DEAD);
    assert_int_equal(r->priority, PRIORITY_NORMAL);
    settings_free(s);
}

static void reads_each_word(void **state)
{
    static const struct {
        const char *line;
        int tie, gone, priority;
    } rows[] = {
        {"tie=run\n", TIE_RUN, GONE_DEAD, PRIORITY_NORMAL},
        {"tie=skip\n", TIE_SKIP, GONE_DEAD, PRIORITY_NORMAL},
        {"tie=fetch\n", TIE_FETCH, GONE_DEAD, PRIORITY_NORMAL},
        {"gone=dead\n", TIE_RUN, GONE_DEAD, PRIORITY_NORMAL},
        {"gone=run\n", TIE_RUN, GONE_RUN, PRIORITY_NORMAL},
        {"gone=skip\n", TIE_RUN, GONE_SKIP, PRIORITY_NORMAL},
        {"priority=high\n", TIE_RUN, GONE_DEAD, PRIORITY_HIGH},
        {"priority=normal\n", TIE_RUN, GONE_DEAD, PRIORITY_NORMAL},
        {"priority=low\n", TIE_RUN, GONE_DEAD, PRIORITY_LOW},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%sorder_by={/a}\nfetch=https://a.example/{/a}\n%s", R,
                       rows[i].line);
        struct settings *s = loaded(text);
        const struct route *r = &s->routes[0];
        ROW(i, (int)r->tie == rows[i].tie && (int)r->gone == rows[i].gone &&
                   (int)r->priority == rows[i].priority);
        settings_free(s);
    }
}

static void takes_these_too(void **state)
{
    static const char *const rows[] = {
        R "order_by={/a}\nserialize_by={/a}\n",
        R "order_by={/a}\norder_at={header:X-Time}\n",
        R "order_by={/a}\norder_at={event:occurred_at}\n",
        R "serialize_by={event:object}\nflow=f\n",
        R "fetch=http://localhost:8080/{/a}\n",
        R "fetch=https://a.example/all\n",
        R "needs=SELECT 1\n",
        R "needs=WITH a AS (SELECT 1) SELECT * FROM a\n",
        R "needs=SELECT 1;\n",
        DB "[handler h]\nsql=UPDATE t SET a={fetched:/a}\n[route r]\nprovider=p\nhandler=h\n"
           "fetch=https://a.example/{/a}\n",
        DB "[route r]\nprovider=p\ninformational=a\nlivemode=true\nretry=1 try\n",
        DB HANDLER "[route r]\nprovider=p\nhandler=h\nonce_per={/a}\nflow=f\n"
                   "[route q]\nprovider=q\nhandler=h\nonce_per={/b}\nflow=f\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings *s = loaded(rows[i]);
        settings_free(s);
    }
}

static void refuses_texts_that_cannot_work(void **state)
{
    static const struct refusal rows[] = {
        {S(R "when={/a} = b\n"), 10, "when: behind {/a} stands ==, !=, in, not in, exists or missing"},
        {S(R "when={/a} == b\nwhen={/a} == b, c\n"), 11, "when: behind == and != stands one value"},
        {S(R "when=paid\n"), 10, "when: a condition begins with what it looks at"},
        {S(R "once_per=orders\n"), 10, "once_per: a constant text would be the same for all events"},
        {S(R "once_per=\n"), 10, "once_per: it is empty"},
        {S(R "once_per={/a}{/b}\n"), 10, "once_per: between {/a} and {/b} must stand something"},
        {S(R "once_per={event:attempt}\n"), 10, "once_per: {event:attempt} is not the same for every"},
        {S(R "once_per={/a}\nonce_per={/b}\n"), 11, "a second once_per; the first is in line 10"},
        {S(R "order_by=object\n"), 10, "order_by: a constant text"},
        {S(R "serialize_by={data.id}\n"), 10, "serialize_by: {data.id} is no reference"},
        {S(R "order_by={/a}\norder_at=created\n"), 11, "order_at is one reference to a time or a "
                                                       "whole number"},
        {S(R "order_by={/a}\norder_at={/a}{/b}\n"), 11, "order_at is one reference that is the same"},
        {S(R "order_by={/a}\norder_at={/a}Z\n"), 11, "order_at is one reference that is the same"},
        {S(R "order_by={/a}\norder_at={event:attempt}\n"), 11, "order_at is one reference that is"},
        {S(R "order_by={/a}\norder_at={a.b}\n"), 11, "order_at: {a.b} is no reference"},
        {S(R "order_by={/a}\ntie=ignore\n"), 11, "tie must be one of run fetch skip, not ignore"},
        {S(R "priority=urgent\n"), 10, "priority must be one of high normal low, not urgent"},
        {S(R "flow=My Flow\nonce_per={/a}\n"), 10, "flow must be a name"},
        {S(R "needs=UPDATE t SET a = 1\n"), 10, "needs only asks whether there is a row: it begins with "
                                                "SELECT"},
        {S(R "skip_if=DELETE FROM t\n"), 10, "skip_if only asks whether there is a row"},
        {S(R "skip_if=SELECT '{/a}'\n"), 10, "skip_if: a reference stands inside quoted text"},
        {S(R "needs=SELECT 1; SELECT 2\n"), 10, "needs: one statement only"},
        {S(R "fetch=https://a.example/{/a}\nneeds=SELECT {fetched:/a}\n"), 11,
         "needs is asked before anything is fetched"},
        {S(R "needs=SELECT 1\nneeds_wait=often\n"), 11, "not a retry rule"},
        {S(R "fetch=http://a.example/{/a}\n"), 10, "fetch: http is for this machine only"},
        {S(R "fetch=https://{/host}/x\n"), 10, "fetch: host and the / behind it must stand there"},
        {S(R "fetch=a.example/{/a}\n"), 10, "fetch: write the whole address: https://HOST/..."},
        {S(R "fetch=https://u:p@a.example/{/a}\n"), 10, "fetch: no user or password"},
        {S(R "fetch=https://a.example/{/a}\nfetch_auth=bearer abc\n"), 11, "a secret stands in a file"},
        {S(R "fetch=https://a.example/{/a}\nfetch_auth=token file:a\n"), 11, "`fetch_auth` is `bearer "},
        {S(R "fetch=https://a.example/{/a}\ngone=retry\n"), 11, "gone must be one of dead skip run"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void refuses_keys_that_contradict_each_other(void **state)
{
    static const char idle[] = "a route without `handler` runs nothing: `once_per` says nothing here";
    static const struct refusal rows[] = {
        {S(R "order_at={/a}\n"), 10, "`order_at` says nothing without `order_by`"},
        {S(R "tie=run\n"), 10, "`tie` says nothing without `order_by`"},
        {S(R "serialize_by={/a}\ntie=skip\n"), 11, "`tie` says nothing without `order_by`"},
        {S(R "needs_wait=1 try\n"), 10, "`needs_wait` says nothing without `needs`"},
        {S(R "fetch_auth=bearer file:a\n"), 10, "`fetch_auth` says nothing without `fetch`"},
        {S(R "gone=dead\n"), 10, "`gone` says nothing without `fetch`"},
        {S(R "order_by={/a}\ntie=fetch\n"), 11, "`tie = fetch` needs `fetch`"},
        {S(R "serialize_by={/b}\norder_by={/a}\n"), 10, "order_by lets one event of its key run at a "
                                                       "time: leave serialize_by out, or write the "
                                                       "same text"},
        {S(R "flow=f\norder_by={/a}\norder_at={/n}\n[route o]\nprovider=p\nhandler=h\nflow=f\n"
             "order_by={/b}\n"), 17, "[route r] of the same flow has another order_at"},
        {S(R "flow=f\norder_by={/a}\n[route o]\nprovider=p\nhandler=h\nflow=f\norder_by={/b}\n"
             "order_at={/n}\n"), 17, "[route r] of the same flow has another order_at"},
        {S(R "flow=f\n"), 10, "`flow` says what shares keys: there is no once_per, order_by or "
                              "serialize_by here"},
        {S(DB "[handler h]\nsql=SELECT 1\nsql=SELECT {/a}, {fetched:/b}\n[route r]\nprovider=p\n"
              "handler=h\n"), 10, "[handler h] uses {fetched:/b}, and this route has no `fetch`"},
        {S(DB "[route r]\nprovider=p\ninformational=a\nonce_per={/a}\n"), 8, idle},
        {S(DB "[route r]\nprovider=p\ninformational=a\nwhen={/a} exists\n"), 8,
         "a route without `handler` runs nothing: `when` says nothing here"},
        {S(DB "[route r]\nprovider=p\ninformational=a\npriority=low\n"), 8, "`priority` says nothing"},
        {S(DB "[route r]\nprovider=p\ninformational=a\nfetch=https://a.example/\n"), 8, "`fetch` says"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_of_a_route),
        cmocka_unit_test(what_is_not_written_has_its_default),
        cmocka_unit_test(reads_each_word),
        cmocka_unit_test(takes_these_too),
        cmocka_unit_test(refuses_texts_that_cannot_work),
        cmocka_unit_test(refuses_keys_that_contradict_each_other),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
