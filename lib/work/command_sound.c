/* What makes no sense, in words. The table has the same rules as constraints, for consoles. */
#include "work/command.h"

#include "base/text.h"

static bool by_filter(const struct command_ask *a)
{
    return span_present(a->provider) || span_present(a->source) || span_present(a->route) ||
           span_present(a->handler) || span_present(a->event_type) || span_present(a->status) ||
           span_present(a->outcome) || span_present(a->from_time) || span_present(a->to_time);
}

static bool names_event(const struct command_ask *a)
{
    return a->job != 0 || span_present(a->event_id) || span_present(a->correlation_id);
}

static bool is_one_of(const struct command_ask *a, unsigned kinds)
{
    return (COMMAND_BIT(a->kind) & kinds) != 0;
}

static bool reasons(const struct command_ask *a)
{
    return span_present(a->reason) && span_trim(a->reason).len > 0;
}

#define JOBS \
    (COMMAND_BIT(COMMAND_RETRY) | COMMAND_BIT(COMMAND_REPLAY) | COMMAND_BIT(COMMAND_DISCARD))
#define PAUSES (COMMAND_BIT(COMMAND_PAUSE) | COMMAND_BIT(COMMAND_RESUME))

static bool two_things(const struct command_ask *a)
{
    return (a->job != 0) + (a->conflict != 0) + span_present(a->event_id) +
               span_present(a->correlation_id) >
           1;
}

static bool about_nothing(const struct command_ask *a)
{
    return is_one_of(a, JOBS) && !names_event(a) && !by_filter(a);
}

/* A provider says which of several events has the id. */
static bool id_and_filter(const struct command_ask *a)
{
    struct command_ask rest = *a;

    rest.provider = SPAN_NONE;
    return (names_event(a) || a->conflict != 0) && by_filter(&rest);
}

static bool provider_beside_number(const struct command_ask *a)
{
    return span_present(a->provider) &&
           (a->job != 0 || a->conflict != 0 || span_present(a->correlation_id));
}

static bool filter_elsewhere(const struct command_ask *a)
{
    struct command_ask rest = *a;

    rest.source = rest.route = rest.handler = SPAN_NONE;
    return !is_one_of(a, JOBS) && by_filter(is_one_of(a, PAUSES) ? &rest : a) &&
           !span_present(a->event_id);
}

static bool wants_job(const struct command_ask *a)
{
    return is_one_of(a, COMMAND_BIT(COMMAND_HOLD) | COMMAND_BIT(COMMAND_FORGET)) &&
           !names_event(a);
}

static bool wants_release(const struct command_ask *a)
{
    return a->kind == COMMAND_RELEASE && !names_event(a) && a->conflict == 0;
}

static bool two_pauses(const struct command_ask *a)
{
    return is_one_of(a, PAUSES) &&
           span_present(a->source) + span_present(a->route) + span_present(a->handler) > 1;
}

/* Who names a job means that one: "pause" with it must not pause everything. */
static bool id_elsewhere(const struct command_ask *a)
{
    return is_one_of(a, PAUSES | COMMAND_BIT(COMMAND_PRUNE) | COMMAND_BIT(COMMAND_TEST_ALERT)) &&
           names_event(a);
}

static bool conflict_elsewhere(const struct command_ask *a)
{
    return a->conflict != 0 && a->kind != COMMAND_RELEASE;
}

static bool discards_silently(const struct command_ask *a)
{
    return a->kind == COMMAND_DISCARD && !reasons(a);
}

static bool again_silently(const struct command_ask *a)
{
    return a->again && !reasons(a);
}

static bool again_elsewhere(const struct command_ask *a)
{
    return a->again && a->kind != COMMAND_REPLAY;
}

static bool acted_of_many(const struct command_ask *a)
{
    return a->acted != ACTED_UNSAID && (a->kind != COMMAND_DISCARD || !names_event(a));
}

static bool cap_wrong(const struct command_ask *a)
{
    return a->at_most < 1 || a->at_most > COMMAND_AT_MOST_MAX;
}

static bool rate_wrong(const struct command_ask *a)
{
    return a->per_minute > COMMAND_PER_MINUTE_MAX;
}

static const struct {
    bool (*wrong)(const struct command_ask *a);
    const char *text;
} rules[] = {
    {two_things, "give one of job, event_id, correlation_id and conflict, not two"},
    {about_nothing,
     "say what it is about: a job, event_id or correlation_id; or a filter: provider, "
     "source, route, handler, event_type, status, outcome, from_time, to_time"},
    {id_and_filter, "give an id or a filter, not both"},
    {provider_beside_number, "provider goes with event_id, or with a filter"},
    {filter_elsewhere, "a filter is only for retry, replay and discard"},
    {wants_job, "say what it is about: a job, event_id or correlation_id"},
    {wants_release, "say what it is about: a job, event_id, correlation_id or conflict"},
    {two_pauses, "give one source, route or handler, or none: that is everything"},
    {id_elsewhere,
     "pause, resume, prune and test-alert take no job or event; hold keeps one job from running"},
    {conflict_elsewhere, "conflict is only for release"},
    {discards_silently, "discard needs a reason"},
    {again_silently, "again = yes needs a reason"},
    {again_elsewhere, "again is only for replay"},
    {acted_of_many,
     "acted is only for discard of a job or an event: whether it acted is for you to "
     "find out, one by one"},
    {cap_wrong, "at_most is from 1 to 100000"},
    {rate_wrong, "per_minute is from 1 to 100000"},
};

enum ho_code command_sound(const struct command_ask *ask, struct ho_err *err)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].wrong(ask)) {
            return ho_fail(err, HO_REJECT, "%s", rules[i].text);
        }
    }
    return HO_OK;
}
