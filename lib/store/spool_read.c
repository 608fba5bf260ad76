/* A file of the spool becomes accepted events again: by digest and MAC, and if every length fits.
 * One of the few makers of accepted events. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mac.h"
#include "core/event_make.h"
#include "store/seals.h"
#include "store/spool_form.h"
#include "store/spool_names.h"

/* ---- fields ---- */

struct reader {
    struct span rest;
    bool bad; /* something did not fit; stays */
};

static struct span take(struct reader *r, uint64_t n)
{
    if (r->bad || n > r->rest.len) {
        r->bad = true;
        return SPAN_NONE;
    }
    struct span s = span_make(r->rest.p, (size_t)n);
    r->rest = span_make(r->rest.p + n, r->rest.len - (size_t)n);
    return s;
}

static uint64_t big_endian(struct span s)
{
    uint64_t v = 0;

    for (size_t i = 0; i < s.len; i++) {
        v = v << 8 | s.p[i];
    }
    return v;
}

/* A field of least..most bytes, or, where it may be, an absent one. */
static struct span field(struct reader *r, uint64_t least, uint64_t most, bool may_be_absent)
{
    uint64_t len = big_endian(take(r, SPOOL_LENGTH));

    if (len == SPOOL_ABSENT && may_be_absent) {
        return SPAN_NONE;
    }
    if (len < least || len > most) {
        r->bad = true;
    }
    return take(r, len);
}

static uint64_t number(struct reader *r, uint64_t most)
{
    uint64_t v = big_endian(field(r, SPOOL_LENGTH, SPOOL_LENGTH, false));

    r->bad = r->bad || v > most;
    return v;
}

static void digest(struct reader *r, unsigned char out[SHA256_LEN])
{
    struct span s = field(r, SHA256_LEN, SHA256_LEN, false);

    if (!r->bad) {
        memcpy(out, s.p, SHA256_LEN);
    }
}

/* ---- the content ---- */

static void read_event(struct reader *r, struct event *e)
{
    struct span cid = field(r, ULID_LEN, ULID_LEN, false);

    e->provider = field(r, 1, EVENT_PROVIDER_MAX, false);
    e->source = field(r, 1, EVENT_PROVIDER_MAX, false);
    e->id = field(r, 1, EVENT_KEY_MAX, false);
    e->type = field(r, 0, EVENT_KEY_MAX, true);
    e->object = field(r, 0, EVENT_KEY_MAX, true);
    e->document = field(r, 1, EVENT_PROVIDER_MAX, false);
    struct span occurred = field(r, SPOOL_LENGTH, SPOOL_LENGTH, true);
    e->has_occurred = span_present(occurred);
    e->occurred_us = (int64_t)big_endian(occurred);
    digest(r, e->same);
    struct span guard = field(r, SHA256_LEN, SHA256_LEN, true);
    e->has_guard = span_present(guard);
    e->secret_no = (int)number(r, UINT8_MAX);
    r->bad = r->bad || !ulid_valid(cid);
    if (!r->bad) {
        memcpy(e->cid, cid.p, ULID_LEN);
        e->cid[ULID_LEN] = '\0';
    }
    if (!r->bad && e->has_guard) {
        memcpy(e->guard, guard.p, SHA256_LEN);
    }
}

static enum ho_code read_content(struct span content, struct spooled *out, struct ho_err *err)
{
    struct reader r = {content, false};
    struct event common;

    memset(&common, 0, sizeof common);
    common.has_received = true;
    common.received_us = (int64_t)number(&r, INT64_MAX);
    uint64_t n = number(&r, EVENTS_MAX);
    common.headers = field(&r, 0, EVENT_HEADERS_MAX, true);
    common.body = field(&r, 0, UINT32_MAX, true);
    out->received_us = common.received_us;
    out->events = ho_alloc((EVENTS_MAX + 1) * sizeof(struct accepted *));
    for (uint64_t i = 0; i < n && !r.bad; i++) {
        struct event e = common;
        read_event(&r, &e);
        if (!r.bad) {
            out->events[out->n++] = accepted_make(&e);
        }
    }
    return !r.bad && r.rest.len == 0 && out->n > 0
               ? HO_OK
               : ho_fail(err, HO_REJECT, "its fields do not fit: it was written by a program of "
                                         "another version");
}

/* ---- the file ---- */

static bool is_under(struct span key, struct span content, struct span mac)
{
    unsigned char own[MAC_MAX];

    mac_hmac(MAC_SHA256, key, &content, 1, own);
    return mac_equal(span_make(own, SHA256_LEN), mac);
}

/* Digest and MAC over all before them. */
static enum ho_code check_tail(const struct spool *s, struct span file, struct ho_err *err)
{
    unsigned char sum[SHA256_LEN];
    size_t len = file.len - SPOOL_TAIL;
    const struct span all = span_make(file.p, len);
    const struct span mac = span_make(file.p + len + SHA256_LEN, SHA256_LEN);
    const struct span with_sum = span_make(file.p, len + SHA256_LEN);

    mac_sha256(all, sum);
    if (!span_eq(span_make(sum, SHA256_LEN), span_make(file.p + len, SHA256_LEN))) {
        return ho_fail(err, HO_REJECT, "it is torn: its checksum does not hold");
    }
    if (!is_under(s->key, with_sum, mac) &&
        !(span_present(s->also) && is_under(s->also, with_sum, mac))) {
        return ho_fail(err, HO_REJECT, "it was not written under this installation's key: forged, "
                                       "or the key is another one now");
    }
    return HO_OK;
}

/* Opens sealed content into out->opened. */
static enum ho_code open_content(const struct spool *s, struct span print, const char *cid,
                                 struct span sealed, struct spooled *out, struct ho_err *err)
{
    const struct seal_place at = {"spool content", cid, 0};
    const struct settings none = {.n_body_keys = 0};
    struct seal_ring *ring = seal_ring_load(s->settings != NULL ? s->settings : &none);

    buf_init(&out->opened, SPOOL_FILE_MAX);
    enum seal_opened got = seal_get(ring, print, &at, sealed, &out->opened);
    seal_ring_free(ring);
    if (got == SEAL_NO_KEY) {
        return ho_fail(err, HO_TRANSIENT, "it is sealed under the body_key %.*s, which is not here",
                       (int)print.len, (const char *)print.p);
    }
    return got == SEAL_OPENED ? HO_OK
                              : ho_fail(err, HO_REJECT, "what is sealed in it does not open");
}

static enum ho_code read_file(const struct spool *s, const char *cid, struct spooled *out,
                              struct ho_err *err)
{
    struct span file = buf_span(&out->bytes);
    const size_t line = sizeof SPOOL_LINE - 1;

    if (file.len < line + 2 * SPOOL_LENGTH + SPOOL_TAIL || !span_starts(file, SPOOL_LINE)) {
        return ho_fail(err, HO_REJECT, "it is no spool file, or torn");
    }
    enum ho_code code = check_tail(s, file, err);
    if (code != HO_OK) {
        return code;
    }
    struct reader r = {span_make(file.p + line, file.len - line - SPOOL_TAIL), false};
    struct span seal = field(&r, 0, SPOOL_SEAL_MAX, false);
    struct span content = field(&r, 0, SPOOL_FILE_MAX, false);
    if (r.bad || r.rest.len > 0) {
        return ho_fail(err, HO_REJECT, "its fields do not fit");
    }
    if (seal.len > 0) {
        code = open_content(s, seal, cid, content, out, err);
        content = buf_span(&out->opened);
    }
    return code == HO_OK ? read_content(content, out, err) : code;
}

/* Its receipt, had it been recorded, may be pruned by now: nothing would stop a second run. */
static enum ho_code check_age(const struct spool *s, struct span cid, struct ho_err *err)
{
    int64_t kept_ms = s->settings != NULL ? s->settings->keep_receipts_ms : 0;

    if (kept_ms > 0 && clock_wall_us() / 1000 - ulid_ms(cid) >= kept_ms) {
        return ho_fail(err, HO_REJECT, "it was received longer ago than keep_receipts: it may have "
                                       "been recorded, run and pruned");
    }
    return HO_OK;
}

enum ho_code spool_read(const struct spool *s, const char *name, struct spooled *out,
                        struct ho_err *err)
{
    const struct spool_name said = spool_name_of(name);
    char cid[ULID_LEN + 1] = "";
    char *path = spool_path(s->dir, name);

    memset(out, 0, sizeof *out);
    ho_err_clear(err);
    buf_init(&out->bytes, SPOOL_FILE_MAX);
    enum ho_code code = file_read(path, true, &out->bytes, err);
    if (code != HO_OK && err->sys != 0) {
        code = HO_TRANSIENT; /* nothing is known of its content */
    } else if (code == HO_OK) {
        if (said.cid.len == ULID_LEN) {
            memcpy(cid, said.cid.p, ULID_LEN);
        }
        code = read_file(s, cid, out, err);
        if (code == HO_OK && (said.kind != SPOOL_COMPLETE || said.bytes != out->bytes.len ||
                              !span_is(said.cid, accepted_event(out->events[0])->cid))) {
            code = ho_fail(err, HO_REJECT, "its name is that of another file");
        }
        if (code == HO_OK) {
            code = check_age(s, said.cid, err);
        }
    }
    free(path);
    return code;
}

void spooled_free(struct spooled *f)
{
    for (size_t i = 0; i < f->n; i++) {
        accepted_free(f->events[i]);
    }
    free(f->events);
    buf_free(&f->bytes);
    buf_free(&f->opened);
    memset(f, 0, sizeof *f);
}
