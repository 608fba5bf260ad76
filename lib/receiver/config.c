/* The receiver's config and what hangs on it. */
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"
#include "store/keyfile.h"
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
    const char *path = endpoints_settings(rx->endpoints)->key_file;
    struct ho_err err;

    ho_err_clear(&err);
    secret_free(&rx->key);
    rx->key_seen = file_mark(path);
    if (keyfile_read(path, &rx->key, &err) != HO_OK) {
        alarm_config(rx, err.text);
    }
}

static bool key_changed(const struct receiver *rx)
{
    const struct file_mark now = file_mark(endpoints_settings(rx->endpoints)->key_file);

    return !file_mark_same(&rx->key_seen, &now);
}

/* What is written into tables that do not fit would never be run. */
static enum ho_code tables_fit(struct db *db, void *arg, struct ho_err *err)
{
    const struct receiver *rx = arg;

    return migrate_fits(db, secret_span(&rx->key), rx->counters, err);
}

/* A new link, on which the tables are looked at again: they belong to a key. */
static void open_db(struct receiver *rx)
{
    db_close(rx->db);
    rx->db = db_open(endpoints_settings(rx->endpoints), DB_RECEIVER);
    db_on_link(rx->db, tables_fit, rx);
}

static void use_config(struct receiver *rx)
{
    const struct settings *s = endpoints_settings(rx->endpoints);

    (void)mkdir(s->state_dir, 0700); /* one that can't be made shows as a log on stderr */
    log_open(&s->log);
    open_db(rx);
    counters_close(rx->counters);
    rx->counters = counters_open(s->state_dir);
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
    } else if (rx->endpoints != NULL && (rx->key.len == 0 || key_changed(rx))) {
        read_key(rx); /* it was put there, taken away, or replaced */
        open_db(rx);
    }
}

const char *receiver_state_dir(const struct receiver *rx)
{
    return endpoints_settings(rx->endpoints)->state_dir;
}
