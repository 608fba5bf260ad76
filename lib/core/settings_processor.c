/* [processor]. */
#include <string.h>

#include "base/text.h"
#include "core/settings_parts.h"

#define AFTER_AUTO_MS 3000
#define AFTER_LEAST_MS 1000
#define AFTER_MOST_MS 20000
#define POLL_PACED_MS 60000

static enum ho_code load_after_answer(struct settings *out, const struct conf_section *s,
                                      struct ho_err *err)
{
    const char *text = setting_text(s, "after_answer");

    if (strcmp(text, "off") == 0 || strcmp(text, "no") == 0) {
        out->after_answer_ms = 0;
    } else if (strcmp(text, "auto") == 0) {
        out->after_answer_ms = AFTER_AUTO_MS;
    } else if (!text_duration(span_of(text), &out->after_answer_ms) ||
               out->after_answer_ms < AFTER_LEAST_MS || out->after_answer_ms > AFTER_MOST_MS) {
        return conf_fail(err, s, conf_find(s, "after_answer"),
                         "`after_answer` is off, auto, or a time from 1s to 20s");
    }
    return HO_OK;
}

enum ho_code settings_load_processor(struct settings *out, const struct conf_section *s,
                                     struct ho_err *err)
{
    out->lease_ms = setting_number(s, "lease");
    out->paced = setting_text(s, "poll") == NULL;
    out->poll_ms = out->paced ? POLL_PACED_MS : setting_number(s, "poll");
    out->batch = (unsigned)setting_number(s, "batch");
    out->tick = setting_number(s, "tick") != 0;
    return load_after_answer(out, s, err);
}
