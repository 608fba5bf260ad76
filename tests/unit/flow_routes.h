/* The config of the tests of the gate before SQL handlers. */
#ifndef HO_TESTS_FLOW_ROUTES_H
#define HO_TESTS_FLOW_ROUTES_H

#include "flow_run.h"

#define ROUTE(name, more) "[route " name "]\nprovider = shop\non = " name "\n" more
#define NOTE "handler = note\n"

#define FLOW \
    "[processor]\nlease = 20s\n" \
    "[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "[handler ask]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:idempotency_key})\n" \
    "[handler picky]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "sql = INSERT INTO orders VALUES ({/order}, 'paid')\n" \
    "[handler slow]\ntimeout = 9s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "sql = SELECT SLEEP(0.5)\n" \
    "[handler status]\ntimeout = 5s\n" \
    "sql = REPLACE INTO orders VALUES ({/object}, {/status})\n" \
    "[handler overtaken]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('never')\n" \
    "sql = UPDATE hookonce_object SET mark = mark + 1000000000000, marked_by = 'newer'\n" \
    "[handler robbed]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('never')\n" \
    "sql = UPDATE hookonce_object SET held_by = 999, held_claim = 1\n" \
    ROUTE("paid", NOTE "once_per = {/order}\n") \
    ROUTE("also", NOTE "once_per = {/order}\nflow = paid\n") \
    ROUTE("keys", "handler = ask\nonce_per = {/order}\n") \
    ROUTE("plain", "handler = ask\n") \
    ROUTE("strict", "handler = picky\nonce_per = {/order}\nretry = 2 tries, 10s\n") \
    ROUTE("slow", "handler = slow\nonce_per = {/order}\n") \
    ROUTE("subs", "handler = status\norder_by = {/object}\n") \
    ROUTE("more", NOTE "order_by = {/object}\nflow = subs\ntie = skip\n") \
    ROUTE("same", NOTE "order_by = {/object}\ntie = skip\norder_at = {/v}\n") \
    ROUTE("ties", NOTE "order_by = {/object}\norder_at = {/v}\n") \
    ROUTE("fast", "handler = overtaken\norder_by = {/object}\nflow = subs\n") \
    ROUTE("rob", "handler = robbed\nserialize_by = {/object}\n") \
    ROUTE("lane", NOTE "serialize_by = {/object}\n") \
    ROUTE("need", NOTE "serialize_by = {/order}\n" \
          "needs = SELECT 1 FROM orders WHERE id = {/order}\nneeds_wait = 3 tries, 5s to 1m\n") \
    ROUTE("once", NOTE "once_per = {/order}\nneeds = SELECT 1 FROM orders WHERE id = {/order}\n") \
    ROUTE("maybe", NOTE "needs_wait = 2 tries, 5s\n" \
          "needs = SELECT 1 FROM orders WHERE id = {/order} AND ({/with} IS NULL OR status = {/with})\n") \
    ROUTE("skip", NOTE "skip_if = SELECT 1 FROM orders WHERE id = {/order} AND status = 'paid'\n") \
    ROUTE("bad", NOTE "needs = SELECT 1 FROM nowhere\nretry = 2 tries, 10s\n") \
    ROUTE("low", NOTE "priority = low\n") \
    ROUTE("high", NOTE "priority = high\n")

#endif
