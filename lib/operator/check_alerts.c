/* Whether somebody is told when something is wrong. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "operator/check.h"
#include "store/alert.h"
#include "work/alert.h"

static const struct setting_alert *alert_of(const struct settings *s, struct span name)
{
    for (size_t i = 0; i < s->n_alerts; i++) {
        if (span_is(name, s->alerts[i].name)) {
            return &s->alerts[i];
        }
    }
    return NULL;
}

static void check_sendmail(struct check *c)
{
    const struct settings *s = c->op->settings;

    for (size_t i = 0; i < s->n_alerts; i++) {
        const struct setting_alert *a = &s->alerts[i];
        const char *program = a->mail != NULL ? alert_sendmail(a) : "";
        if (program == NULL) {
            found_host(c, FINDING_SENDMAIL, "alert %s names none, and none is in the usual places",
                       a->name);
        } else if (program[0] != '\0' && access(program, X_OK) != 0) {
            found_host(c, FINDING_SENDMAIL, "alert %s: %s: %s", a->name, program, strerror(errno));
        }
    }
}

void check_alerts(struct check *c)
{
    const struct settings *s = c->op->settings;
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows rows = {0};
    size_t failed = 0;

    if (s->n_alerts == 0) {
        found(c, FOUND_NOTE, "alerts",
              "nobody is told when something is wrong: add [alert mail] with "
              "`mail = you@example.com`, or let cron mail what `hookonce watch` prints");
        return;
    }
    check_sendmail(c);
    if (alert_trouble(operator_db(c->op), &rows, &err) != HO_OK) {
        found(c, FOUND_FAIL, "alerts", "%s", err.text);
        return;
    }
    for (size_t i = 0; i < rows.n_rows; i++) {
        struct span name = db_cell(&rows, i, ALERT_T_CHANNEL);
        struct span why = db_cell(&rows, i, ALERT_T_ERROR);
        const struct setting_alert *a = alert_of(s, name);
        if (a != NULL) {
            failed++;
            found_of(c, FOUND_WARN, "alert", a->name,
                     "its last message was not taken (%lld in a row): %.*s; it is tried again. Try "
                     "it with hookonce watch --test",
                     (long long)db_cell_int(&rows, i, ALERT_T_FAILURES), (int)why.len,
                     (const char *)why.p);
        }
    }
    if (failed == 0) {
        found(c, FOUND_OK, "alerts",
              "%zu told when something is wrong; hookonce watch --test tries %s", s->n_alerts,
              s->n_alerts == 1 ? "it" : "them");
    }
    db_rows_free(&rows);
}
