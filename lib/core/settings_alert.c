/* Who is told what the watch sees, and what it takes for too much. */
#include <stdlib.h>
#include <string.h>

#include "core/alert_kind.h"
#include "core/argv.h"
#include "core/settings_parts.h"
#include "core/web_url.h"

#define ADDRESS_MAX 320
#define ARGS_MAX 64

/* One address in printable ASCII; a list, or what a header takes for more than one, is none. */
static bool is_address(struct span s)
{
    bool at = false;

    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = s.p[i];
        if (c <= ' ' || c > '~' || strchr(",;:<>()[]\"\\", c) != NULL) {
            return false;
        }
        at = at || (c == '@' && i > 0 && i + 1 < s.len);
    }
    return at && s.len <= ADDRESS_MAX && s.p[0] != '-';
}

static enum ho_code load_mail(const struct conf_section *s, struct setting_alert *a,
                              struct ho_err *err)
{
    static const char *const keys[] = {"mail", "from"};
    const char *path = setting_text(s, "sendmail");

    a->mail = setting_text(s, "mail");
    a->from = setting_text(s, "from");
    a->sendmail = path != NULL ? conf_resolve(s, path) : NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct conf_entry *e = conf_find(s, keys[i]);
        if (e != NULL && !is_address(span_of(e->value))) {
            return conf_fail(err, s, e, "`%s` is one mail address, like you@example.com", keys[i]);
        }
    }
    return HO_OK;
}

static enum ho_code load_command(const struct conf_section *s, struct setting_alert *a,
                                 struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, "command");
    struct ho_err why;

    if (e == NULL) {
        return HO_OK;
    }
    ho_err_clear(&why);
    if (argv_split(e->value, ARGS_MAX, &a->argv, &(size_t){0}, &why) != HO_OK) {
        return conf_fail(err, s, e, "%s", why.text);
    }
    char *named = a->argv[0];
    if (named[0] == '\0') {
        return conf_fail(err, s, e, "the program's name is empty");
    }
    a->argv[0] = conf_resolve(s, named);
    free(named);
    return HO_OK;
}

static enum ho_code load_url(const struct conf_section *s, struct setting_alert *a,
                             struct ho_err *err)
{
    struct ho_err why;

    a->url = setting_text(s, "url");
    ho_err_clear(&why);
    if (a->url != NULL && web_url_check(span_of(a->url), NULL, &why) != HO_OK) {
        return conf_fail(err, s, conf_find(s, "url"), "%s", why.text);
    }
    enum ho_code code = setting_auth(s, "auth", &a->auth, err);
    return code == HO_OK ? setting_file(s, "sign_with", &a->sign_with, err) : code;
}

/* Keys that mean nothing without another one. */
static enum ho_code check_pairs(const struct conf_section *s, struct ho_err *err)
{
    static const struct {
        const char *key, *of;
    } pairs[] = {{"from", "mail"}, {"sendmail", "mail"}, {"auth", "url"}, {"sign_with", "url"}};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (conf_find(s, pairs[i].key) != NULL && conf_find(s, pairs[i].of) == NULL) {
            return conf_fail(err, s, conf_find(s, pairs[i].key), "`%s` needs `%s`", pairs[i].key,
                             pairs[i].of);
        }
    }
    return HO_OK;
}

static enum ho_code load_kinds(const struct conf_section *s, struct setting_alert *a,
                               struct ho_err *err)
{
    char **words = NULL;
    size_t n = 0;
    enum ho_code code = HO_OK;

    setting_list(s, "kinds", &words, &n);
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        enum alert_kind kind = alert_kind_of(span_of(words[i]));
        if (kind == ALERT_KINDS) {
            code = conf_fail(err, s, conf_find(s, "kinds"), "there is no kind of alert `%s`; "
                             "hookonce.conf(5) and `hookonce watch --kinds` list them", words[i]);
        } else {
            a->kinds |= UINT64_C(1) << kind;
        }
    }
    if (n == 0) {
        a->kinds = (UINT64_C(1) << ALERT_KINDS) - 1;
    }
    setting_list_free(words, n);
    return code;
}

enum ho_code settings_load_alert(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err)
{
    out->alerts = ho_realloc(out->alerts, (out->n_alerts + 1) * sizeof *out->alerts);
    struct setting_alert *a = &out->alerts[out->n_alerts++];
    *a = (struct setting_alert){.name = s->name, .window_ms = setting_number(s, "window"), .at = s};
    enum ho_code code = load_mail(s, a, err);
    code = code == HO_OK ? load_command(s, a, err) : code;
    code = code == HO_OK ? check_pairs(s, err) : code;
    code = code == HO_OK ? load_url(s, a, err) : code;
    code = code == HO_OK ? load_kinds(s, a, err) : code;
    if (code == HO_OK && (a->mail != NULL) + (a->argv != NULL) + (a->url != NULL) != 1) {
        return conf_fail(err, s, NULL, "[alert %s] needs one of `mail`, `command` and `url`; who "
                         "is told in several ways has several sections", s->name);
    }
    return code;
}

void settings_free_alert(struct setting_alert *a)
{
    argv_free(a->argv);
    free(a->sendmail);
    free(a->auth.path);
    free(a->sign_with);
}

void settings_load_watch(struct settings *out, const struct conf_section *s)
{
    out->processor_late_ms = 3 * setting_number(s, "processor_every");
    out->queue_age_ms = setting_number(s, "queue_age");
    if (conf_find(s, "queue_age") == NULL && out->queue_age_ms < out->processor_late_ms) {
        out->queue_age_ms = out->processor_late_ms;
    }
    out->disk_free = (uint64_t)setting_number(s, "disk_free");
}
