/* Business keys anew, from receipt and body. */
#include "work/discard_keys.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/document.h"
#include "core/route.h"
#include "store/jobs_row.h"
#include "store/stored.h"

static void unknown(struct discard_keys *k, const char *why)
{
    k->unknown = true;
    (void)snprintf(k->why, sizeof k->why, "%s", why);
}

static void add(struct discard_keys *k, const struct route *r, const struct ref_view *view)
{
    struct flow_keys made;
    enum flow_lack lack;
    struct ho_err why;

    ho_err_clear(&why);
    if (r->once_per.words == NULL) {
        return;
    }
    if (flow_keys_make(r, view, &made, &lack, &why) != HO_OK || !made.has_business) {
        unknown(k, why.text);
        return;
    }
    k->keys[k->n].flow = r->flow;
    k->keys[k->n].key = made.business;
    k->n++;
}

static void from_event(const struct settings *settings, const struct stored *s, struct span route,
                       struct span key, struct discard_keys *k)
{
    struct route_plan plan = {.n = 0};
    struct json *doc = NULL;
    struct ho_err why;

    ho_err_clear(&why);
    if (!stored_genuine(s, key)) {
        unknown(k, "its event is not here any more, is sealed under a body_key that is not here, "
                   "or was not written by this installation");
    } else if (document_open(s->event.body, s->event.document, &doc, &why) != HO_OK) {
        unknown(k, why.text);
    } else {
        const struct ref_view view = {.event = &s->event, .doc = doc};

        if (route.len == 0) {
            route_plan(settings, &view, &plan);
        } else {
            plan.routes[plan.n++] = settings_route(settings, route);
        }
        k->keys = ho_alloc((plan.n + 1) * sizeof *k->keys);
        for (size_t i = 0; i < plan.n; i++) {
            add(k, plan.routes[i], &view);
        }
    }
    json_free(doc);
}

enum ho_code discard_keys_make(struct db *db, const struct settings *settings, struct span key,
                               const struct discard_of *job, struct discard_keys *out,
                               struct ho_err *err)
{
    const struct route *r = settings_route(settings, job->route);
    char text[ULID_LEN + 1];
    struct stored stored;

    *out = (struct discard_keys){.n = 0};
    if (span_starts(job->route, "(") || (r != NULL && r->once_per.words == NULL)) {
        return HO_OK;
    }
    if (job->route.len > 0 && r == NULL) {
        unknown(out, "the config has no route of that name any more");
        return HO_OK;
    }
    jobs_row_text(job->cid, text, sizeof text);
    enum ho_code code = stored_load(db, text, &stored, err);
    if (code == HO_OK) {
        from_event(settings, &stored, job->route, key, out);
    }
    stored_free(&stored);
    return code;
}

void discard_keys_free(struct discard_keys *k)
{
    free(k->keys);
    k->keys = NULL;
}
