/* Everything that `hookonce check` looks at, in the order of what depends on what. */
#include "operator/check.h"

void check_all(struct check *c)
{
    struct endpoints *endpoints = NULL;
    struct ho_err err = {HO_OK, 0, ""};

    if (operator_settings(c->op, &err) != HO_OK) {
        found(c, FOUND_FAIL, "config", "%s", err.text);
        return;
    }
    check_files(c);
    check_page(c);
    if (endpoints_load(c->op->file, &endpoints, &err) != HO_OK) {
        found(c, FOUND_FAIL, "config", "%s", err.text);
    } else {
        c->endpoints = endpoints;
        found(c, FOUND_OK, "config", "%s is sound", c->op->file);
        check_sources(c);
        check_wishes(c);
        check_routes(c);
    }
    if (c->url != NULL) {
        check_url(c); /* early: it tells what kind of host this is */
    }
    check_outside(c);
    check_spool(c);
    size_t failed = c->n[FOUND_FAIL];
    if (check_database(c)) {
        check_users(c);
        check_seals(c);
        c->over[ALARM_DATABASE] = c->n[FOUND_FAIL] == failed;
        check_handlers(c);
        check_flows(c);
        check_work(c);
        check_questions(c);
        check_alerts(c);
        c->known = true;
    }
    check_counters(c);
    if (c->url != NULL) {
        check_host(c, c->known);
    }
    c->endpoints = NULL;
    endpoints_free(endpoints);
}
