/* For the tests of the edge: a folder with config, secrets and recipes, and handmade requests. */
#ifndef HO_TESTS_EDGE_SITE_H
#define HO_TESTS_EDGE_SITE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "unit.h"

#include "edge/endpoint.h"
#include "edge/verify.h"

#define SITE_DB "[database]\nsocket=/s\nname=n\nuser=u\n"
#define NOW INT64_C(1790000000000000) /* microseconds */

static char site[] = "/tmp/hookonce-edge-XXXXXX";
static char site_conf[64];

static inline const char *site_path(const char *name)
{
    static char places[4][256];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    assert_true(snprintf(place, sizeof places[0], "%s/%s", site, name) > 0);
    return place;
}

/* Writes a file as an editor does: a new one moved over the old. */
static inline void site_write(const char *name, struct span text, mode_t mode)
{
    const char *path = site_path(name);
    char part[300];
    assert_true(snprintf(part, sizeof part, "%s.part", path) > 0);
    FILE *f = fopen(part, "w");
    assert_non_null(f);
    assert_int_equal(fchmod(fileno(f), mode), 0);
    assert_int_equal(fwrite(text.p, 1, text.len, f), text.len);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(rename(part, path), 0);
}

static inline void site_secret(const char *name, const char *text)
{
    site_write(name, span_of(text), 0600);
}

static inline int site_start(void **state)
{
    (void)state;
    if (mkdtemp(site) == NULL) {
        return -1;
    }
    return snprintf(site_conf, sizeof site_conf, "%s/hookonce.conf", site) > 0 ? 0 : -1;
}

static inline int site_end(void **state)
{
    char command[128];
    (void)state;
    return snprintf(command, sizeof command, "rm -rf '%s'", site) > 0 ? system(command) : -1;
}

/* Loads the sections behind a valid [database]. */
static inline struct endpoints *site_load(const char *sections)
{
    struct endpoints *e = NULL;
    struct ho_err err;
    struct buf text;
    ho_err_clear(&err);
    buf_init(&text, 65536);
    assert_int_equal(buf_addf(&text, "%s%s", SITE_DB, sections), HO_OK);
    site_write("hookonce.conf", buf_span(&text), 0600);
    buf_free(&text);
    if (endpoints_load(site_conf, &e, &err) != HO_OK) {
        fail_msg("refused: %s", err.text);
    }
    return e;
}

static inline const struct endpoint *site_endpoint(const struct endpoints *e, const char *name)
{
    const struct endpoint *found = endpoints_find(e, span_of(name));
    assert_non_null(found);
    if (found == NULL) {
        abort(); /* the compiler does not know that the line above ends the test */
    }
    return found;
}

struct pair {
    const char *name, *value; /* name NULL: the end */
};

/* A POST with these headers (names in lower case). */
static inline void post(struct request *r, const struct pair *headers, struct span body)
{
    *r = (struct request){.method = SPAN_LIT("POST"), .path = SPAN_LIT("/hook/x"),
                          .query = SPAN_LIT(""), .target = SPAN_LIT("/hook/x"),
                          .source = SPAN_LIT("x"), .has_length = true, .length = body.len, .body = body};
    for (; headers->name != NULL; headers++) {
        r->headers[r->n_headers].name = span_of(headers->name);
        r->headers[r->n_headers++].value = span_of(headers->value);
    }
}

#endif
