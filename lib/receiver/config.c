/* The receiver's config and what hangs on it. */
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"
#include "store/migrate.h"

static void alarm_config(struct receiver *rx, const char *text)
{
    const struct log_pair pairs[] = {LOG_TEXT("reason", text)};

    if (rx->counters == NULL || counters_alarm(rx->counters, ALARM_CONFIG, clock_wall_us())) {
        log_event(LOG_ALARM, "config", NULL, pairs, 1);
    }
}

static void read_key(struct receiver *rx)
{
    struct ho_err err;

    ho_err_clear(&err);
    if (secret_read(endpoints_settings(rx->endpoints)->key_file, &rx->key, &err) != HO_OK) {
        alarm_config(rx, err.text);
    }
}

/* What is written into tables that do not fit would never be run. */
static enum ho_code tables_fit(struct db *db, void *arg, struct ho_err *err)
{
    const struct receiver *rx = arg;

    return migrate_fits(db, secret_span(&rx->key), err);
}

static void use_config(struct receiver *rx)
{
    const struct settings *s = endpoints_settings(rx->endpoints);

    (void)mkdir(s->state_dir, 0700); /* one that can't be made shows as a log on stderr */
    log_open(&s->log);
    db_close(rx->db);
    rx->db = db_open(s, DB_RECEIVER);
    db_on_link(rx->db, tables_fit, rx);
    counters_close(rx->counters);
    rx->counters = counters_open(s->state_dir);
    secret_free(&rx->key);
    read_key(rx);
}

void receiver_refresh(struct receiver *rx)
{
    struct ho_err err;
    bool changed = false;

    ho_err_clear(&err);
    if (rx->endpoints != NULL) {
        if (endpoints_refresh(&rx->endpoints, &changed, &err) != HO_OK) {
            alarm_config(rx, err.text);
        }
    } else {
        if (rx->config == NULL) {
            rx->config = settings_find(NULL, &err);
        }
        if (rx->config == NULL || endpoints_load(rx->config, &rx->endpoints, &err) != HO_OK) {
            alarm_config(rx, err.text);
        }
        changed = rx->endpoints != NULL;
    }
    if (changed) {
        use_config(rx);
    } else if (rx->endpoints != NULL && rx->key.len == 0) {
        read_key(rx); /* it may have been put there meanwhile */
    }
}

const char *receiver_state_dir(const struct receiver *rx)
{
    return endpoints_settings(rx->endpoints)->state_dir;
}
