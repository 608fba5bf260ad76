/* What a job's event says before anything is locked for it: its keys, and what the route's own
 * queries find. */
#include "work/attempt.h"
#include "work/child.h"

#define ASK_BEFORE_MS 500 /* between a lease's beginning and that of the handler */

_Static_assert(CHILD_MORE_MS < ASK_SPARE_MS, "a command ends before its lease");

struct ref_view attempt_view(const struct attempt *a)
{
    return (struct ref_view){.event = &a->stored.event, .doc = a->doc, .fetched = a->fetched.doc};
}

enum job_class attempt_class(const struct route *r, bool tried)
{
    if (r == NULL || r->priority == PRIORITY_NORMAL) {
        return tried ? CLASS_TRIED : CLASS_FRESH;
    }
    return r->priority == PRIORITY_LOW ? CLASS_LOW : CLASS_FRESH;
}

bool attempt_outside(const struct attempt *a)
{
    return a->route != NULL && a->route->handler != NULL &&
           a->route->handler->kind != HANDLER_SQL;
}

bool attempt_acted(const struct attempt *a)
{
    return a->asked_before || (a->asked && !a->untouched);
}

/* What was asked under one key is asked under it again, whatever the config says by now. */
const char *attempt_idempotency(const struct attempt *a)
{
    return a->job->idempotency[0] != '\0' ? a->job->idempotency : a->keys.idempotency;
}

bool attempt_key_sound(struct attempt *a)
{
    bool sound = job_key_genuine(a->job, a->w->key);

    if (!sound) {
        (void)ho_fail(&a->why, HO_PERMANENT, "its idempotency key was not written by this "
                                             "installation, or was changed since; nothing was run");
    }
    return sound;
}

struct handler_call attempt_call(struct attempt *a, struct deadline end)
{
    return (struct handler_call){
        .settings = a->w->settings,
        .handler = a->route->handler,
        .stored = &a->stored,
        .doc = a->doc,
        .fetched = a->fetched.doc,
        .idempotency_key = attempt_idempotency(a),
        .try_no = job_try_no(a->job),
        .end = end,
        .rows = &a->rows,
    };
}

struct deadline attempt_end(const struct attempt *a)
{
    int64_t timeout = a->route->handler->timeout_ms;
    int64_t left = deadline_left_ms(a->claim->lease) - a->w->settings->lease_ms / 8;

    return deadline_in(left < timeout ? left : timeout);
}

struct deadline attempt_ask_end(const struct attempt *a)
{
    int64_t timeout = a->route->handler->timeout_ms;
    int64_t left = deadline_left_ms(a->claim->lease) - ASK_SPARE_MS;

    return deadline_in(left < timeout ? left : timeout);
}

int64_t attempt_lease_ms(const struct attempt *a)
{
    int64_t lease = a->w->settings->lease_ms;
    int64_t asks = a->route->handler->timeout_ms + ASK_SPARE_MS + ASK_BEFORE_MS;

    return attempt_outside(a) && asks > lease ? asks : lease;
}

enum ho_code prepare_keys(struct attempt *a)
{
    const struct ref_view view = attempt_view(a);
    enum flow_lack lack;

    enum ho_code code = flow_keys_make(a->route, &view, &a->keys, &lack, &a->why);
    a->future = code == HO_OK && flow_from_future(&a->keys, a->stored.received_us);
    return code;
}

/* The first reference whose value is NULL: a query may mean that, but more likely it is a mistake.
 */
static const struct ref *find_void(const struct statement *s, const struct handler_call *call)
{
    const struct ref *found = NULL;
    struct bound bound;
    struct ho_err ignored;

    if (bind_params(s, call, &bound, &ignored) == HO_OK) {
        for (size_t i = 0; i < s->n_params && found == NULL; i++) {
            found = bound.values[i].kind == DB_NULL ? &s->params[i] : NULL;
        }
    }
    bound_free(&bound);
    return found;
}

enum ho_code prepare_look(struct attempt *a)
{
    const struct route *r = a->route;
    const struct handler_call call = attempt_call(a, attempt_end(a));
    enum ho_code code = HO_OK;
    bool row = false;

    a->so = false;
    a->lacking = false;
    a->ran = true; /* whatever its functions left in the session goes */
    if (r->skip_if.sql != NULL) {
        code = handler_sql_look(a->w->handler, &r->skip_if, "skip_if", &call, &a->so, &a->why);
    }
    if (code == HO_OK && !a->so && r->needs.sql != NULL) {
        code = handler_sql_look(a->w->handler, &r->needs, "needs", &call, &row, &a->why);
        a->lacking = code == HO_OK && !row;
        a->void_ref = a->lacking ? find_void(&r->needs, &call) : NULL;
    }
    return code;
}
