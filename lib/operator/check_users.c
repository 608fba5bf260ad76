/* The database's users: one for everything, or one of the receivers' own. */
#include "operator/check.h"
#include "store/health.h"

static bool any_reply(const struct settings *s)
{
    for (size_t i = 0; i < s->n_sources; i++) {
        if (s->sources[i].reply) {
            return true;
        }
    }
    return false;
}

void check_users(struct check *c)
{
    static const enum finding levels[] = {
        [HEALTH_OK] = FOUND_OK, [HEALTH_WARN] = FOUND_WARN, [HEALTH_FAIL] = FOUND_FAIL};
    const struct settings *s = c->op->settings;
    struct ho_err err = {HO_OK, 0, ""};
    struct health h;

    if (s->db_receiver_user == NULL) {
        found(c, FOUND_OK, "database users", "one, %s, for receivers and processor", s->db_user);
        return;
    }
    struct db *db = db_open(s, DB_RECEIVER);
    if (db_connect(db, &err) != HO_OK || health_receiver(db, any_reply(s), &h, &err) != HO_OK) {
        found(c, FOUND_FAIL, "database users", "as %s: %s", s->db_receiver_user, err.text);
        db_close(db);
        return;
    }
    db_close(db);
    found(c, FOUND_OK, "database users", "two: %s for receivers, %s for the processor",
          s->db_receiver_user, s->db_user);
    for (size_t i = 0; i < h.n; i++) {
        const struct health_row *r = &h.rows[i];

        found_of(c, levels[r->verdict], "database", r->name, "%s%s%s", r->value,
                 r->advice[0] != '\0' ? "; " : "", r->advice);
    }
}
