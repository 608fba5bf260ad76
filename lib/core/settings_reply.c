/* Sources whose requests are answered by a handler. */
#include <string.h>

#include "core/settings_parts.h"

/* Whatever a source says, a database that does not write at COMMIT stays one. */
static enum spool_mode spool_of(const struct settings *out, const struct conf_section *s)
{
    const char *said = setting_text(s, "spool");

    if (said == NULL || (out->spool == SPOOL_ALWAYS && strcmp(said, "on") == 0)) {
        return out->spool;
    }
    return strcmp(said, "on") == 0 ? SPOOL_ON : SPOOL_OFF;
}

static enum ho_code check_queue(const struct conf_section *s, struct ho_err *err)
{
    static const char *const keys[] = {"handler", "reply_timeout"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct conf_entry *e = conf_find(s, keys[i]);

        if (e != NULL) {
            return conf_fail(err, s, e, "`%s` is for a source with `mode = reply`; what events of "
                                        "the queue run, routes say", keys[i]);
        }
    }
    return HO_OK;
}

static enum ho_code load_reply(const struct settings *out, const struct conf_section *s,
                               struct source *src, struct ho_err *err)
{
    const char *name = setting_text(s, "handler");

    if (spool_of(out, s) != SPOOL_OFF && conf_find(s, "spool") != NULL) {
        return conf_fail(err, s, conf_find(s, "spool"), "who asks a source with `mode = reply` "
                                                        "waits for its answer: nothing is spooled");
    }
    if (name == NULL) {
        return conf_fail(err, s, conf_find(s, "mode"),
                         "`mode = reply` needs `handler = NAME`: what answers the request");
    }
    src->handler = settings_handler(out, span_of(name));
    if (src->handler == NULL) {
        return conf_fail(err, s, conf_find(s, "handler"), "there is no [handler %s]", name);
    }
    for (size_t i = 0; i < src->handler->n_statements; i++) {
        if (statement_uses(&src->handler->statements[i], REF_FETCHED) != NULL) {
            return conf_fail(err, s, conf_find(s, "handler"),
                             "[handler %s] uses {fetched:...}, and nothing is fetched for a "
                             "reply", name);
        }
    }
    if (conf_find(s, "reply_timeout") != NULL) {
        src->reply_timeout_ms = setting_number(s, "reply_timeout");
    }
    return HO_OK;
}

enum ho_code settings_load_reply(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err)
{
    for (size_t i = 0; i < out->n_sources; i++) {
        struct source *src = &out->sources[i];

        if (src->at == s) {
            src->reply_timeout_ms = -1;
            src->reply = strcmp(setting_text(s, "mode"), "reply") == 0;
            src->spool = src->reply ? SPOOL_OFF : spool_of(out, s);
            return src->reply ? load_reply(out, s, src, err) : check_queue(s, err);
        }
    }
    return conf_fail(err, s, NULL, "bug: a source that was not loaded");
}
