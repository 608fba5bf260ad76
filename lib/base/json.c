/* JSON by json-c. What json-c gets wrong for our use is put right here and in json_at.c: it keeps
 * no object key behind a NUL, clamps integers beyond 64 bits, takes 'keys' and NaN, and one version
 * refuses all that is not ASCII. */
#include "base/json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_parts.h"
#include "base/json_scan.h"

#define DEPTH_MAX 64
#define BOM "\xEF\xBB\xBF"

const struct json_limits json_ample = {200000, 1000000};
const struct json_limits json_tight = {20000, 100000};

static enum ho_code parse_with(struct json_tokener *tokener, struct span text,
                               struct json_object **root, struct ho_err *err)
{
    *root = json_tokener_parse_ex(tokener, (const char *)text.p, (int)text.len);
    size_t end = json_tokener_get_parse_end(tokener);
    enum json_tokener_error error = json_tokener_get_error(tokener);
    if (error == json_tokener_continue) {
        /* A bare number or word ends only with the text; the NUL says so. */
        *root = json_tokener_parse_ex(tokener, "", 1);
        error = json_tokener_get_error(tokener);
    }
    if (error == json_tokener_success && end == text.len) {
        return HO_OK;
    }
    json_object_put(*root);
    *root = NULL;
    if (error == json_tokener_success || error == json_tokener_continue) {
        error = error == json_tokener_success ? json_tokener_error_parse_unexpected
                                              : json_tokener_error_parse_eof;
    }
    return ho_fail(err, HO_REJECT, "not JSON: %s at byte %zu", json_tokener_error_desc(error),
                   end);
}

static enum ho_code parse_text(struct span text, bool strict, struct json_object **root,
                               struct ho_err *err)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
    if (tokener == NULL) {
        ho_die("out of memory (JSON)");
    }
    json_tokener_set_flags(tokener, strict ? JSON_TOKENER_STRICT : 0);
    enum ho_code code = parse_with(tokener, text, root, err);
    json_tokener_free(tokener);
    return code;
}

static unsigned char *copy_of(struct span text)
{
    unsigned char *copy = ho_alloc(text.len + 1);

    memcpy(copy, text.p, text.len);
    return copy;
}

/* json-c 0.18 takes every byte beyond ASCII for a control character when it is strict. */
static bool strict_refuses(struct span text)
{
    struct json_object *root = NULL;
    struct ho_err ignored;

    if (parse_text(SPAN_LIT("\"\xC3\xA9\""), true, &root, &ignored) == HO_OK) {
        json_object_put(root);
        return false;
    }
    size_t at = 0;
    while (at < text.len && text.p[at] < 0x80) {
        at++;
    }
    return at < text.len;
}

/* json-c from 0.17 on refuses big integers when strict; a sender may well have them. And when it is
 * not strict, it takes [1,] too. So the grammar is judged with shorter numbers, and with an x for
 * each byte beyond ASCII: it stands in a string, for json_scan found no wrong character. */
static enum ho_code check_grammar(struct span text, struct ho_err *err)
{
    unsigned char *copy = copy_of(text);
    struct json_object *root = NULL;

    (void)json_scan(text, NULL, copy);
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = copy[i] < 0x80 ? copy[i] : 'x';
    }
    enum ho_code code = parse_text(span_make(copy, text.len), true, &root, err);
    json_object_put(root);
    free(copy);
    return code;
}

struct json *json_own(struct json_object *root)
{
    struct json *doc = ho_alloc(sizeof *doc);
    doc->root = root;
    doc->focus = root;
    doc->inexact = false;
    return doc;
}

enum ho_code json_parse(struct span text, struct json **doc, struct ho_err *err)
{
    enum ho_code code = json_parse_within(text, &json_ample, doc, err);

    if (code == HO_PERMANENT && err != NULL) {
        err->code = HO_REJECT;
    }
    return code == HO_OK ? HO_OK : HO_REJECT;
}

enum ho_code json_parse_within(struct span text, const struct json_limits *limits,
                               struct json **doc, struct ho_err *err)
{
    *doc = NULL;
    if (span_starts(text, BOM)) {
        text = span_sub(text, sizeof BOM - 1, text.len);
    }
    if (text.p == NULL || text.len > INT_MAX) {
        return ho_fail(err, HO_REJECT, "not JSON: %s", text.p == NULL ? "nothing" : "too long");
    }
    struct json_scan found = json_scan(text, NULL, NULL);
    if (found.not_json) {
        return ho_fail(err, HO_REJECT, "not JSON: a character or number that JSON does not have");
    }
    if (found.containers > limits->containers || found.commas > limits->values) {
        return ho_fail(err, HO_PERMANENT, "JSON with too many values to be held in memory");
    }
    unsigned char *copy = found.key_nul ? copy_of(text) : NULL;
    if (copy != NULL) {
        (void)json_scan(text, copy, NULL);
        text = span_make(copy, text.len);
    }
    struct json_object *root = NULL;
    bool apart = found.big_integer || strict_refuses(text);
    enum ho_code code = apart ? check_grammar(text, err) : HO_OK;
    if (code == HO_OK) {
        code = parse_text(text, !apart, &root, err);
    }
    if (code == HO_OK) {
        *doc = json_own(root);
        (*doc)->inexact = found.big_integer;
    }
    free(copy);
    return code;
}

bool json_is_exact(const struct json *doc)
{
    return !doc->inexact;
}

void json_free(struct json *doc)
{
    if (doc != NULL) {
        json_object_put(doc->root);
        free(doc);
    }
}
