/* The keys that bodies are sealed under. */
#include <stdlib.h>

#include "base/mac.h"
#include "operator/check.h"
#include "store/seals.h"
#include "store/spool.h"
#include "store/view.h"

static void check_sealed_spool(struct check *c, const struct seal_ring *ring)
{
    const char *dir = c->op->settings->spool_dir;
    struct ho_err ignored; /* a folder that can't be read is told by check_spool */
    struct spool_sealed without;

    if (spool_sealed_else(dir, ring->keys, ring->n, &without, &ignored) == HO_OK && without.n > 0) {
        found(c, FOUND_FAIL, "sealed spool", "%llu file%s in %s, for example %s, sealed under the "
              "body_key %s, which is not here: put it back, else they are lost",
              (unsigned long long)without.n, without.n == 1 ? "" : "s", dir,
              without.named[0].name, without.named[0].print);
    }
}

static bool opens(const struct seal_ring *ring, struct span print)
{
    bool is_open = !span_present(print);

    for (size_t i = 0; i < ring->n; i++) {
        is_open = is_open || span_is(print, ring->keys[i].print);
    }
    return is_open;
}

/* Files of this host's spool and its quarantine that are sealed under the key, out of the ring. */
static uint64_t files_under(const struct check *c, const struct seal_ring *ring, size_t key)
{
    const char *dir = c->op->settings->spool_dir;
    struct seal_key *others = ho_alloc(ring->n * sizeof *others);
    struct spool_sealed without_it, without_all;
    struct ho_err ignored; /* told by check_spool */
    size_t n = 0;

    for (size_t i = 0; i < ring->n; i++) {
        if (i != key) {
            others[n++] = ring->keys[i];
        }
    }
    bool known = spool_sealed_else(dir, others, n, &without_it, &ignored) == HO_OK &&
                 spool_sealed_else(dir, ring->keys, ring->n, &without_all, &ignored) == HO_OK;
    mac_wipe(others, ring->n * sizeof *others);
    free(others);
    return known && without_it.n > without_all.n ? without_it.n - without_all.n : 0;
}

/* What is still under the keys that are only there to open. */
static void check_older_keys(struct check *c, const struct seal_ring *ring,
                             const struct db_rows *rows)
{
    for (size_t k = 0; k < ring->n; k++) {
        const char *print = ring->keys[k].print;
        int64_t n = 0;

        if (&ring->keys[k] == ring->first) {
            continue;
        }
        uint64_t files = files_under(c, ring, k);
        for (size_t i = 0; i < rows->n_rows; i++) {
            n += span_is(db_cell(rows, i, VIEW_K_PRINT), print) ? db_cell_int(rows, i, VIEW_K_COUNT)
                                                                 : 0;
        }
        found(c, FOUND_NOTE, "older key", "%s: %lld or more rows and %llu file%s of the spool are "
              "under it%s", print, (long long)n, (unsigned long long)files, files == 1 ? "" : "s",
              n > 0 || files > 0 ? "" : "; hookonce rekey says when it may go");
    }
}

/* Whether what is stored opens, and is as rekey would leave it. */
static void check_sealed_rows(struct check *c, const struct seal_ring *ring)
{
    const bool seals = ring->first != NULL;
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows rows = {0};
    int64_t others = 0;

    if (view_body_keys(operator_db(c->op), &rows, &err) != HO_OK) {
        found(c, FOUND_WARN, "sealed rows", "%s", err.text);
    } else {
        check_older_keys(c, ring, &rows);
    }
    for (size_t i = 0; i < rows.n_rows; i++) {
        struct span print = db_cell(&rows, i, VIEW_K_PRINT);
        int64_t n = db_cell_int(&rows, i, VIEW_K_COUNT);

        if (!opens(ring, print)) {
            found(c, FOUND_FAIL, "sealed rows", "%lld or more %s sealed under the body_key %.*s, "
                  "which is not here: put it back behind the first, else %s lost", (long long)n,
                  n == 1 ? "row is" : "rows are", (int)print.len, (const char *)print.p,
                  n == 1 ? "it is" : "they are");
        } else if (seals ? !span_is(print, ring->first->print) : span_present(print)) {
            others += n;
        }
    }
    db_rows_free(&rows);
    if (others > 0 && (seals || !ring->wanted)) {
        found(c, FOUND_NOTE, "sealed rows", "%lld or more %s; hookonce rekey%s changes that",
              (long long)others, seals ? "are plain or under an older key" : "are still sealed",
              seals ? "" : " --off");
    }
}

void check_seals(struct check *c)
{
    const struct settings *s = c->op->settings;
    struct ho_err err = {HO_OK, 0, ""};
    int64_t waiting = 0;

    struct seal_ring *ring = seal_ring_load(s);
    if (s->n_body_keys > 0) {
        if (!ring->complete) {
            found(c, FOUND_FAIL, "body key", "%s: %s", ring->why,
                  ring->wanted && ring->first == NULL
                      ? "deliveries are answered busy until it is there"
                      : "jobs whose body is sealed under it wait");
        } else if (ring->first != NULL) {
            found(c, FOUND_OK, "body key", "bodies are sealed under %s; %zu key%s open",
                  ring->first->print, ring->n, ring->n == 1 ? " can" : "s can");
        } else {
            found(c, FOUND_NOTE, "body key", "off: new bodies are stored plain; %zu key%s open",
                  ring->n, ring->n == 1 ? " can" : "s can");
        }
    }
    check_sealed_spool(c, ring);
    check_sealed_rows(c, ring);
    seal_ring_free(ring);
    if (view_without_key(operator_db(c->op), &waiting, &err) == HO_OK && waiting > 0) {
        found(c, FOUND_FAIL, "sealed bodies", "%lld job%s for a body_key that is not in the "
              "config, or can't be read; hookonce list jobs says which",
              (long long)waiting, waiting == 1 ? " waits" : "s wait");
    }
}
