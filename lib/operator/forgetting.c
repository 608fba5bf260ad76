/* What is to be forgotten, by name and by content. */
#include "operator/forgetting.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "core/document.h"
#include "store/jobs_row.h"
#include "store/stored.h"

#define RECIPE_NAME_ROOM 65

void forgetting_name(struct forget_run *r, struct span cid, struct span body_id)
{
    if (r->n == r->room) {
        r->room = 2 * r->room + 64;
        r->all = ho_realloc(r->all, r->room * sizeof *r->all);
    }
    r->all[r->n].gone = false;
    jobs_row_text(cid, r->all[r->n].cid, sizeof r->all[0].cid);
    jobs_row_text(body_id, r->all[r->n].body_id, sizeof r->all[0].body_id);
    r->n++;
}

void forgetting_free(struct forget_run *r)
{
    recipes_free(r->recipes);
    free(r->all);
}

static bool leads_to(const struct forget_run *r, const struct json *doc, struct span body)
{
    struct buf text;

    buf_init(&text, body.len + 64);
    bool leads = doc != NULL && json_text(json_at(doc, span_of(r->pointer)), &text) == HO_OK &&
                 text.len > 0 && span_is(buf_span(&text), r->value);
    buf_free(&text);
    return leads;
}

/* Counts what nobody can tell of whose it is. */
static void say_closed(struct forget_run *r, const char *name, const char *why)
{
    r->closed++;
    if (r->op->json) {
        (void)printf("{\"what\":\"left: %s cannot be looked into\"}\n", name);
    }
    (void)operator_fail(r->op, EXIT_TROUBLE, "left: %s cannot be looked into: %s", name, why);
}

/* ---- events ---- */

static bool is_meant(const struct forget_run *r, struct span document, struct span body)
{
    struct json *doc = NULL;
    struct ho_err ignored;
    bool meant = document_open(body, document, &doc, &ignored) == HO_OK && leads_to(r, doc, body);

    json_free(doc);
    return meant;
}

static enum ho_code look_at(struct forget_run *r, const char *cid, struct ho_err *err)
{
    struct stored s;
    char why[96];
    enum ho_code code = stored_load(operator_db(r->op), cid, &s, err);

    if (code == HO_OK && s.key_missing[0] != '\0') {
        (void)snprintf(why, sizeof why, "it is sealed under the body_key %s, which is not here",
                       s.key_missing);
        say_closed(r, cid, why);
    } else if (code == HO_OK && !s.found && !s.no_body && s.receipt.n_rows == 1) {
        say_closed(r, cid, "its rows were changed");
    } else if (code == HO_OK && s.found && is_meant(r, s.event.document, s.event.body)) {
        forgetting_name(r, span_of(cid), s.body_id);
    }
    stored_free(&s);
    return code;
}

enum ho_code forgetting_look(struct forget_run *r, struct ho_err *err)
{
    char after[ULID_LEN + 1] = "";
    bool more = true;
    uint64_t seen = 0;
    enum ho_code code = HO_OK;

    while (more && code == HO_OK) {
        struct db_rows rows = {0};
        code = forget_list(operator_db(r->op), after, r->source, &rows, err);
        more = code == HO_OK && rows.n_rows == FORGET_LIST_MAX;
        for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
            jobs_row_text(db_cell(&rows, i, 0), after, sizeof after);
            code = look_at(r, after, err);
        }
        seen += rows.n_rows;
        if (more) {
            (void)fprintf(stderr, "%llu receipts looked at so far\n", (unsigned long long)seen);
        }
        db_rows_free(&rows);
    }
    return code;
}

/* ---- conflicts ---- */

/* How bodies of a source are read; of one that the config has no more, as its scope says if that is
 * a provider. */
static struct document_how how_of(const struct forget_run *r, struct span source, struct span scope)
{
    const struct source *s = settings_source(r->op->settings, source);
    char name[RECIPE_NAME_ROOM];

    jobs_row_text(scope, name, sizeof name);
    const struct recipe *recipe = recipes_find(r->recipes, s != NULL ? s->provider : name);
    return recipe != NULL ? recipe_document(recipe, false) : (struct document_how){.forms = true};
}

/* Whether an event that is forgotten has taken it along. */
static bool went_along(const struct forget_run *r, const struct forget_seen *seen)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->all[i].gone &&
            (span_is(seen->cid, r->all[i].cid) || span_is(seen->first_cid, r->all[i].cid))) {
            return true;
        }
    }
    return false;
}

/* What is kept of a conflict has no word for its document: of a batch it is the item, in JSON. */
static bool conflict_meant(void *arg, const struct forget_seen *seen)
{
    struct forget_run *r = arg;
    struct document_how how = how_of(r, seen->source, seen->scope);
    char word[DOCUMENT_WORD_MAX] = "none", name[48];
    struct json *doc = NULL;

    if (went_along(r, seen)) {
        return false;
    }
    bool meant = span_present(seen->body) &&
                 document_detect(seen->body, &how, word, &doc) == HO_OK &&
                 leads_to(r, doc, seen->body);
    bool whole = span_present(seen->body) && (!seen->part || span_is(span_of(word), "json"));
    json_free(doc);
    if (!meant && !whole) {
        (void)snprintf(name, sizeof name, "conflict %llu", (unsigned long long)seen->conflict);
        say_closed(r, name,
                   span_present(seen->body)
                       ? "only a part of its body is kept; if it may be meant, delete its row"
                       : "its body_key is not here, or its row was changed");
    }
    return meant;
}

enum ho_code forgetting_conflicts(struct forget_run *r, struct ho_err *err)
{
    uint64_t count = 0;

    if (r->pointer == NULL || r->source != NULL) {
        return HO_OK;
    }
    enum ho_code code =
        recipes_load(r->op->settings->recipes, r->op->settings->n_recipes, &r->recipes, err);
    if (code == HO_OK) {
        code = forget_conflicts(operator_db(r->op), conflict_meant, r, r->dry, &count, err);
    }
    r->conflicts += count;
    return code;
}
