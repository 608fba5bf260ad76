/* hookonce forget: erases the content of events, and keeps that they happened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "core/document.h"
#include "edge/recipe.h"
#include "operator/asked.h"
#include "operator/pick.h"
#include "store/forget.h"
#include "store/jobs_row.h"
#include "store/spool.h"
#include "store/stored.h"

#define RECIPE_NAME_ROOM 65

enum { OPT_POINTER, OPT_VALUE, OPT_SOURCE, OPT_UNFINISHED, OPT_DRY, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_POINTER] = {"pointer", true},
    [OPT_VALUE] = {"value", true},
    [OPT_SOURCE] = {"source", true},
    [OPT_UNFINISHED] = {"unfinished", false},
    [OPT_DRY] = {"dry-run", false},
};

/* An event that is named. */
struct named {
    char body_id[ULID_LEN + 1];
    char cid[ULID_LEN + 1];
};

struct forget_run {
    struct operator *op;
    const char *pointer, *value, *source;
    bool unfinished, dry;
    struct recipes *recipes; /* once conflicts are looked at */
    struct asked asked;
    struct named *all;
    size_t n, room;
    uint64_t forgotten, left, shared, conflicts;
};

static void name(struct forget_run *r, struct span cid, struct span body_id)
{
    if (r->n == r->room) {
        r->room = 2 * r->room + 64;
        r->all = ho_realloc(r->all, r->room * sizeof *r->all);
    }
    jobs_row_text(cid, r->all[r->n].cid, sizeof r->all[0].cid);
    jobs_row_text(body_id, r->all[r->n].body_id, sizeof r->all[0].body_id);
    r->n++;
}

/* ---- by ids ---- */

static enum ho_code name_one(void *arg, const struct db_rows *rows, size_t i, struct ho_err *err)
{
    struct span cid = db_cell(rows, i, REOPEN_COL_CID);
    struct forget_run *r = arg;
    struct stored s;
    char text[ULID_LEN + 1];

    jobs_row_text(cid, text, sizeof text);
    enum ho_code code = stored_load(operator_db(r->op), text, &s, err);
    if (code == HO_OK) {
        name(r, cid, s.body_id);
    }
    stored_free(&s);
    return code;
}

/* ---- by content ---- */

static bool leads_to(const struct forget_run *r, const struct json *doc, struct span body)
{
    struct buf text;

    buf_init(&text, body.len + 64);
    bool leads = doc != NULL && json_text(json_at(doc, span_of(r->pointer)), &text) == HO_OK &&
                 text.len > 0 && span_is(buf_span(&text), r->value);
    buf_free(&text);
    return leads;
}

static bool is_meant(const struct forget_run *r, struct span document, struct span body)
{
    struct json *doc = NULL;
    struct ho_err ignored;
    bool meant = document_open(body, document, &doc, &ignored) == HO_OK && leads_to(r, doc, body);

    json_free(doc);
    return meant;
}

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

/* What is kept of a conflict has no word for its document. */
static bool conflict_meant(void *arg, struct span source, struct span scope, struct span body)
{
    const struct forget_run *r = arg;
    struct document_how how = how_of(r, source, scope);
    char word[DOCUMENT_WORD_MAX];
    struct json *doc = NULL;
    bool meant = document_detect(body, &how, word, &doc) == HO_OK && leads_to(r, doc, body);

    json_free(doc);
    return meant;
}

static enum ho_code look_at(struct forget_run *r, const char *cid, struct ho_err *err)
{
    struct stored s;
    enum ho_code code = stored_load(operator_db(r->op), cid, &s, err);

    if (code == HO_OK && s.key_missing[0] != '\0') {
        code = ho_fail(err, HO_PERMANENT, "a body is sealed under the body_key %s, which is not "
                                          "here, so nobody can tell whose it is",
                       s.key_missing);
    } else if (code == HO_OK && s.found && is_meant(r, s.event.document, s.event.body)) {
        name(r, span_of(cid), s.body_id);
    }
    stored_free(&s);
    return code;
}

static enum ho_code look_through(struct forget_run *r, struct ho_err *err)
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
    if (code == HO_OK && r->source == NULL) {
        code = recipes_load(r->op->settings->recipes, r->op->settings->n_recipes, &r->recipes, err);
    }
    if (code == HO_OK && r->source == NULL) {
        code = forget_conflicts(operator_db(r->op), conflict_meant, r, r->dry, &r->conflicts, err);
    }
    return code;
}

/* ---- doing it ---- */

static int by_body(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct named)); /* body, then receipt */
}

static void say(struct forget_run *r, const struct named *e, const char *what)
{
    if (r->op->json) {
        (void)printf("{\"correlation_id\":\"%s\",\"what\":\"%s\"}\n", e->cid, what);
    } else {
        (void)printf("%s  %s\n", e->cid, what);
    }
}

static enum ho_code forget_group(struct forget_run *r, const struct named *all, size_t n,
                                 struct ho_err *err)
{
    static const char *const words[] = {
        [FORGOTTEN] = "forgotten",
        [FORGET_UNFINISHED] = "left: it waits, runs or is dead",
        [FORGET_SHARED] = "left: its body has other events, too, that are not named",
        [FORGET_NOTHING] = "left: it is gone"};
    static const char *const would[] = {
        [FORGOTTEN] = "would be forgotten",
        [FORGET_UNFINISHED] = "would be left: it waits, runs or is dead",
        [FORGET_SHARED] = "would be left: its body has other events, too, that are not named",
        [FORGET_NOTHING] = "would be left: it is gone"};
    char(*cids)[ULID_LEN + 1] = ho_alloc(n * sizeof *cids);
    enum forgotten got = FORGOTTEN;

    for (size_t i = 0; i < n; i++) {
        memcpy(cids[i], all[i].cid, sizeof cids[i]);
    }
    enum ho_code code = forget(operator_db(r->op), (const char(*)[ULID_LEN + 1])cids, n,
                               !r->unfinished ? 0 : r->dry ? UINT64_MAX : r->asked.claim.id, r->dry, &got, err);
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        say(r, &all[i], r->dry ? would[got] : words[got]);
        r->forgotten += got == FORGOTTEN ? 1 : 0;
        r->shared += got == FORGET_SHARED ? 1 : 0;
        r->left += got == FORGET_UNFINISHED ? 1 : 0;
    }
    free(cids);
    return code;
}

static int do_it(struct forget_run *r)
{
    struct ho_err err = {HO_OK, 0, ""};
    enum ho_code code = HO_OK;
    size_t unique = 0;

    if (r->n > 0) {
        qsort(r->all, r->n, sizeof *r->all, by_body);
    }
    for (size_t i = 0; i < r->n; i++) {
        if (unique == 0 || by_body(&r->all[i], &r->all[unique - 1]) != 0) {
            r->all[unique++] = r->all[i];
        }
    }
    if (!r->dry && unique > 0) {
        r->asked = asked_of(r->op, COMMAND_FORGET);
        memcpy(r->asked.cid, unique == 1 ? r->all[0].cid : "", unique == 1 ? ULID_LEN + 1 : 1);
        code = asked_begin(&r->asked, &err);
    }
    for (size_t from = 0, to; from < unique && code == HO_OK; from = to) {
        for (to = from; to < unique && strcmp(r->all[to].body_id, r->all[from].body_id) == 0;) {
            to++;
        }
        code = forget_group(r, &r->all[from], to - from, &err);
    }
    if (code != HO_OK) {
        return operator_db_fail(r->op, &err);
    }
    asked_end(&r->asked, (unsigned)unique, (unsigned)r->forgotten);
    if (!r->op->json) {
        (void)printf("%llu event%s %s, %llu left\n", (unsigned long long)r->forgotten,
                     r->forgotten == 1 ? "" : "s", r->dry ? "would be forgotten" : "forgotten",
                     (unsigned long long)r->left + (unsigned long long)r->shared);
    }
    if (r->conflicts > 0 && !r->op->json) {
        (void)printf("%llu conflict%s %s\n", (unsigned long long)r->conflicts,
                     r->conflicts == 1 ? "" : "s", r->dry ? "would be erased" : "erased");
    }
    return r->left + r->shared > 0 ? EXIT_TROUBLE : EXIT_WELL;
}

/* ---- arguments ---- */

static int find_all(struct forget_run *r, const struct picked *ids)
{
    const struct picker picker = {r->op, name_one, r};
    struct ho_err err = {HO_OK, 0, ""};
    int status = EXIT_WELL;

    for (size_t i = 0; i < ids->n_ids && status == EXIT_WELL; i++) {
        status = pick_id(&picker, ids->ids[i]);
    }
    if (status == EXIT_WELL && r->pointer != NULL && look_through(r, &err) != HO_OK) {
        status = operator_db_fail(r->op, &err);
    }
    return status;
}

static bool read_args(struct forget_run *r, int argc, char **argv, struct picked *ids)
{
    struct args a = args_of(r->op, argc, argv);
    const char *value;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        switch (got) {
        case OPT_POINTER: r->pointer = value; break;
        case OPT_VALUE: r->value = value; break;
        case OPT_SOURCE: r->source = value; break;
        case OPT_UNFINISHED: r->unfinished = true; break;
        case OPT_DRY: r->dry = true; break;
        case ARGS_WORD: ids->ids[ids->n_ids++] = value; break;
        default: return false;
        }
    }
    if ((r->pointer != NULL) != (r->value != NULL) || (r->pointer != NULL) == (ids->n_ids > 0)) {
        (void)operator_fail(r->op, EXIT_USAGE, "name events by their ids, or by --pointer and "
                                               "--value");
        return false;
    }
    if (r->pointer != NULL && r->pointer[0] != '/') {
        (void)operator_fail(r->op, EXIT_USAGE, "a pointer begins with /, as /data/object/customer");
        return false;
    }
    return true;
}

/* What waits outside of the tables is not found by any name, and would come back. */
static int look_at_spool(struct operator *op)
{
    struct spool_state there;
    struct ho_err err = {HO_OK, 0, ""};

    if (spool_any(op->settings->spool_dir)) {
        return operator_fail(op, EXIT_TROUBLE, "the spool holds events that are not imported yet: "
                                               "run hookonce import first");
    }
    if (spool_look(op->settings->spool_dir, &there, &err) != HO_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    }
    return there.quarantined == 0
               ? EXIT_WELL
               : operator_fail(op, EXIT_TROUBLE, "%llu files in the folder " SPOOL_QUARANTINE
                                                 " of the spool may hold what is meant: import or "
                                                 "delete them first; see hookonce check",
                               (unsigned long long)there.quarantined);
}

static int run(struct operator *op, int argc, char **argv)
{
    struct forget_run r = {.op = op};
    struct picked ids = picked_new(argc);
    int status = read_args(&r, argc, argv, &ids) ? operator_need_settings(op) : EXIT_USAGE;

    status = status == EXIT_WELL ? look_at_spool(op) : status;
    if (status == EXIT_WELL) {
        status = find_all(&r, &ids);
    }
    if (status == EXIT_WELL) {
        status = do_it(&r);
    }
    recipes_free(r.recipes);
    free(r.all);
    picked_free(&ids);
    return status;
}

const struct command cmd_forget = {
    .name = "forget",
    .synopsis =
        "ID ... | --pointer POINTER --value TEXT [--source NAME] [--unfinished] [--dry-run]",
    .summary = "erases bodies, headers, answers and error texts of events; their ids stay",
    .help =
        "For a person's right to be forgotten, or a secret in a body. The receipt stays, so a\n"
        "repeat is still a duplicate, and a business key stays done. An ID is a correlation id,\n"
        "an event's id or a job's number.\n"
        "\n"
        "  --pointer POINTER  all events in whose JSON this leads to the value, and conflicts too\n"
        "  --value TEXT       that value; of numbers, as the body writes them\n"
        "  --source NAME      only events that this source delivered (and no conflicts)\n"
        "  --unfinished       also what waits or is dead: it ends as discarded\n"
        "  --dry-run          only says which, and what would be left\n"
        "\n"
        "What is unfinished is left otherwise. The body of a batch goes when all its events are\n"
        "named. While the spool or its quarantine holds files, or a body's key is not here, it\n"
        "refuses: nobody can tell whose those are. What handlers wrote, logs, and backups are not\n"
        "touched. Ends with 1 when something was, or would be, left.\n"
        "\n"
        "examples:\n"
        "  hookonce forget --pointer /data/object/customer --value cus_1 --dry-run\n"
        "  hookonce forget evt_1\n",
    .run = run,
};
