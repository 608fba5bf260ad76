/* The keys that bodies are sealed under. */
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
    seal_ring_free(ring);
    if (view_without_key(operator_db(c->op), &waiting, &err) == HO_OK && waiting > 0) {
        found(c, FOUND_FAIL, "sealed bodies", "%lld job%s for a body_key that is not in the "
              "config, or can't be read; hookonce list jobs says which",
              (long long)waiting, waiting == 1 ? " waits" : "s wait");
    }
}
