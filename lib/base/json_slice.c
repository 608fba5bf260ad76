/* A walk along a pointer through a JSON text whose grammar is known to be good. */
#include "base/json_slice.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/json_walk.h"
#include "base/text.h"

#define BOM "\xEF\xBB\xBF"
#define KEY_MAX 65536

struct span json_bare(struct span text)
{
    if (span_starts(text, BOM)) {
        text = span_sub(text, sizeof BOM - 1, text.len);
    }
    text = json_skip(text, 0);
    while (text.len > 0 && json_skip(span_sub(text, text.len - 1, 1), 0).len == 0) {
        text.len--;
    }
    return text;
}

/* One part of a pointer with ~1 and ~0 undone. */
static enum ho_code unescape(struct span part, struct buf *out)
{
    enum ho_code code = HO_OK;

    buf_clear(out);
    for (size_t i = 0; i < part.len && code == HO_OK; i++) {
        bool escape = part.p[i] == '~' && i + 1 < part.len &&
                      (part.p[i + 1] == '0' || part.p[i + 1] == '1');

        i += escape ? 1 : 0;
        code = buf_add_byte(out, !escape ? part.p[i] : part.p[i] == '1' ? '/' : '~');
    }
    return code;
}

/* Whether a string literal, quotes and all, says that key. */
static bool says(struct span literal, struct span key)
{
    struct json *doc = NULL;
    struct ho_err ignored;
    struct buf text;
    bool same;

    if (literal.len < 2) {
        return false;
    }
    if (!span_has(literal, '\\')) {
        return span_eq(span_sub(literal, 1, literal.len - 2), key);
    }
    buf_init(&text, KEY_MAX);
    same = json_parse(literal, &doc, &ignored) == HO_OK &&
           json_text(json_at(doc, SPAN_LIT("")), &text) == HO_OK && span_eq(buf_span(&text), key);
    json_free(doc);
    buf_free(&text);
    return same;
}

static struct span in_object(struct span s, struct span key)
{
    struct span found = SPAN_NONE;

    s = json_skip(s, 1);
    while (s.len > 0 && s.p[0] == '"') {
        struct span literal = span_sub(s, 0, json_string_len(s));
        struct span value = json_skip(json_skip(s, literal.len), 1); /* behind the colon */
        size_t len = json_value_len(value);

        if (says(literal, key)) {
            found = span_sub(value, 0, len);
        }
        s = json_skip(value, len);
        s = s.len > 0 && s.p[0] == ',' ? json_skip(s, 1) : SPAN_NONE;
    }
    return found;
}

static struct span in_array(struct span s, struct span part)
{
    uint64_t index;

    if (!text_uint(part, UINT32_MAX, &index)) {
        return SPAN_NONE;
    }
    s = json_skip(s, 1);
    while (s.len > 0 && s.p[0] != ']') {
        size_t len = json_value_len(s);

        if (index-- == 0) {
            return span_sub(s, 0, len);
        }
        s = json_skip(s, len);
        s = s.len > 0 && s.p[0] == ',' ? json_skip(s, 1) : SPAN_NONE;
    }
    return SPAN_NONE;
}

struct span json_slice(struct span text, struct span pointer)
{
    struct span at = json_bare(text), rest = pointer;
    struct buf key;

    if (pointer.len == 0) {
        return at;
    }
    if (pointer.p[0] != '/') {
        return SPAN_NONE;
    }
    buf_init(&key, KEY_MAX);
    (void)span_cut(&rest, '/');
    while (span_present(rest) && at.len > 0) {
        struct span part = span_cut(&rest, '/');

        if (unescape(part, &key) != HO_OK) {
            at = SPAN_NONE;
        } else if (at.p[0] == '{') {
            at = in_object(at, buf_span(&key));
        } else {
            at = at.p[0] == '[' ? in_array(at, buf_span(&key)) : SPAN_NONE;
        }
    }
    buf_free(&key);
    return at.len > 0 ? at : SPAN_NONE;
}
