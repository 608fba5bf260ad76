/* Filters: one value made of another. Nothing here knows where a value came from. */
#include "edge/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "edge/filter_list.h"
#include "edge/formsort.h"
#include "edge/term.h"
#include "edge/words.h"

#define SHOWN 60

enum wants { WANTS_NONE, WANTS_TEXT, WANTS_NAME, WANTS_POINTER, WANTS_FORM };

static const struct {
    const char *word;
    enum filter_kind kind;
    enum wants wants;
    struct word shown;
} known[] = {
    {"lower", FILTER_LOWER, WANTS_NONE, {"lower", "ASCII letters in lower case"}},
    {"upper", FILTER_UPPER, WANTS_NONE, {"upper", "ASCII letters in upper case"}},
    {"trim", FILTER_TRIM, WANTS_NONE, {"trim", "blanks at both ends off"}},
    {"strip", FILTER_STRIP, WANTS_TEXT,
     {"strip:TEXT", "TEXT off the front; absent when it is not there"}},
    {"hex", FILTER_HEX, WANTS_NONE, {"hex", "bytes into hex, lower case"}},
    {"base64", FILTER_BASE64, WANTS_NONE, {"base64", "bytes into base64"}},
    {"base64url", FILTER_BASE64URL, WANTS_NONE,
     {"base64url", "bytes into base64url without padding"}},
    {"unhex", FILTER_UNHEX, WANTS_NONE, {"unhex", "hex into bytes; absent when it is none"}},
    {"unbase64", FILTER_UNBASE64, WANTS_NONE,
     {"unbase64", "base64 into bytes; absent when it is none"}},
    {"md5", FILTER_MD5, WANTS_NONE, {"md5", "the digest's bytes"}},
    {"sha1", FILTER_SHA1, WANTS_NONE, {"sha1", "the digest's bytes"}},
    {"sha256", FILTER_SHA256, WANTS_NONE,
     {"sha256", "the digest's bytes; mostly followed by |hex"}},
    {"sha512", FILTER_SHA512, WANTS_NONE, {"sha512", "the digest's bytes"}},
    {"crc32", FILTER_CRC32, WANTS_NONE,
     {"crc32", "the checksum as a decimal number; it can be forged"}},
    {"hmac-sha1", FILTER_HMAC_SHA1, WANTS_NONE,
     {"hmac-sha1", "bytes of the HMAC under the first secret; in `hello` only"}},
    {"hmac-sha256", FILTER_HMAC_SHA256, WANTS_NONE,
     {"hmac-sha256", "the same; each only of 1 to 128 letters, digits, - and _"}},
    {"hmac-sha512", FILTER_HMAC_SHA512, WANTS_NONE, {"hmac-sha512", "the same"}},
    {"json", FILTER_JSON, WANTS_NONE,
     {"json", "escaped as inside a JSON string, without the quotes"}},
    {"ptr", FILTER_PTR, WANTS_POINTER, {"ptr:/POINTER", "the scalar there, the value being JSON"}},
    {"field", FILTER_FIELD, WANTS_NAME, {"field:NAME", "VALUE of NAME=VALUE in a list"}},
    {"param", FILTER_PARAM, WANTS_NAME,
     {"param:NAME", "the source's setting NAME put behind the value"}},
    {"hdrs", FILTER_HDRS_KV, WANTS_FORM,
     {"hdrs:kv", "the headers that the value names, as name:value with ; between"}},
    {"hdrs", FILTER_HDRS_V, WANTS_FORM, {"hdrs:v", "their values alone, with . between"}},
    {"as", FILTER_AS, WANTS_TEXT, {"as:TEXT", "TEXT in place of any value that is there"}},
    {"not", FILTER_NOT, WANTS_TEXT, {"not:TEXT", "absent when the value is TEXT"}},
    {"withform", FILTER_WITH_FORM, WANTS_NONE,
     {"withform", "of url alone: query sorted and the form behind it, as Plivo signs them"}},
};

const struct word *filter_words(size_t i)
{
    return i < sizeof known / sizeof known[0] ? &known[i].shown : NULL;
}

static enum ho_code fail_filter(struct ho_err *err, struct span text, const char *what,
                                const char *more)
{
    return ho_fail(err, HO_REJECT, "\"|%.*s\" %s%s", (int)(text.len < SHOWN ? text.len : SHOWN),
                   (const char *)text.p, what, more);
}

/* ---- parsing ---- */

static bool is_field_name(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (span_has(SPAN_LIT(",; \t="), s.p[i])) {
            return false;
        }
    }
    return s.len > 0;
}

/* What is wrong with the text behind the word; NULL: nothing. */
static const char *text_trouble(enum wants wants, struct span text)
{
    if (span_has(text, '\0')) {
        return "holds a NUL";
    }
    switch (wants) {
    case WANTS_NONE:
        return span_present(text) ? "takes no text" : NULL;
    case WANTS_TEXT:
        return text.len > 0 ? NULL : "needs a text";
    case WANTS_NAME:
        return is_field_name(text) ? NULL : "needs a name without separators";
    case WANTS_POINTER:
        return span_starts(text, "/") ? NULL : "needs a pointer that begins with /";
    case WANTS_FORM:
        return span_is(text, "kv") || span_is(text, "v") ? NULL : "takes kv or v";
    }
    return "is not known";
}

enum ho_code filter_parse(struct span text, struct filter *out, struct ho_err *err)
{
    struct span rest = text;
    struct span word = span_cut(&rest, ':');
    char words[WORDS_JOINED_MAX];

    *out = (struct filter){FILTER_LOWER, NULL};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *trouble;

        if (!span_is(word, known[i].word)) {
            continue;
        }
        trouble = text_trouble(known[i].wants, rest);
        if (trouble != NULL) {
            return fail_filter(err, text, trouble, "");
        }
        out->kind = known[i].kind;
        if (known[i].wants == WANTS_FORM) {
            out->kind = span_is(rest, "kv") ? FILTER_HDRS_KV : FILTER_HDRS_V;
        } else if (known[i].wants != WANTS_NONE) {
            out->text = ho_alloc(rest.len + 1);
            memcpy(out->text, rest.p, rest.len);
            out->text[rest.len] = '\0';
        }
        return HO_OK;
    }
    words_join(filter_words, words);
    return fail_filter(err, text, "is no filter; there are ", words);
}

void filter_free(struct filter *f)
{
    free(f->text);
    f->text = NULL;
}

bool filter_is_hmac(const struct filter *f)
{
    return f->kind == FILTER_HMAC_SHA1 || f->kind == FILTER_HMAC_SHA256 ||
           f->kind == FILTER_HMAC_SHA512;
}

bool filter_is_challenge(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = s.p[i];
        bool fits = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '_';

        if (!fits) {
            return false;
        }
    }
    return s.len > 0 && s.len <= CHALLENGE_MAX;
}

/* ---- values ---- */

static enum filter_result added(enum ho_code code)
{
    return code == HO_OK ? FILTER_WELL : FILTER_FULL;
}

static unsigned char turned(unsigned char c, bool upper)
{
    unsigned char first = upper ? 'a' : 'A';

    return c >= first && c < first + 26 ? (unsigned char)(c ^ ('a' - 'A')) : c;
}

static enum filter_result apply_case(struct span in, bool upper, struct buf *out)
{
    unsigned char *to = buf_room(out, in.len);

    if (to == NULL) {
        return FILTER_FULL;
    }
    for (size_t i = 0; i < in.len; i++) {
        to[i] = turned(in.p[i], upper);
    }
    out->len += in.len;
    return FILTER_WELL;
}

static enum filter_result apply_hex(struct span in, struct buf *out)
{
    unsigned char *to = in.len < out->max ? buf_room(out, 2 * in.len) : NULL;

    if (to == NULL) {
        return FILTER_FULL;
    }
    text_hex(in.p, in.len, (char *)to); /* its NUL goes where the buffer keeps one */
    out->len += 2 * in.len;
    return FILTER_WELL;
}

static enum filter_result apply_unhex(struct span in, struct buf *out)
{
    unsigned char *to = buf_room(out, in.len / 2);

    if (to == NULL) {
        return FILTER_FULL;
    }
    if (!text_unhex(in, true, to, in.len / 2)) {
        return FILTER_NOTHING;
    }
    out->len += in.len / 2;
    return FILTER_WELL;
}

/* The decoder says the same of text that is none and of a full buffer: room is seen to before. */
static enum filter_result apply_unbase64(struct span in, struct buf *out)
{
    if (buf_room(out, in.len / 4 * 3) == NULL) {
        return FILTER_FULL;
    }
    return text_unbase64(in, out) == HO_OK ? FILTER_WELL : FILTER_NOTHING;
}

static enum filter_result apply_digest(enum mac_alg alg, struct span in, struct buf *out)
{
    unsigned char digest[MAC_MAX];

    mac_digest(alg, &in, 1, digest);
    return added(buf_add(out, digest, mac_len(alg)));
}

/* Only of a challenge: see filter.h. */
static enum filter_result apply_hmac(enum mac_alg alg, struct span key, struct span in,
                                     struct buf *out)
{
    unsigned char mac[MAC_MAX];
    enum filter_result result;

    if (key.len == 0 || !filter_is_challenge(in)) {
        return FILTER_NOTHING;
    }
    mac_hmac(alg, key, &in, 1, mac);
    result = added(buf_add(out, mac, mac_len(alg)));
    mac_wipe(mac, sizeof mac);
    return result;
}

static enum filter_result apply_json(struct span in, struct buf *out)
{
    size_t from = out->len;

    if (text_json_string(in, out) != HO_OK) {
        return FILTER_FULL;
    }
    out->len -= 2; /* the quotes at both ends */
    memmove(out->p + from, out->p + from + 1, out->len - from);
    return FILTER_WELL;
}

static enum filter_result apply_pointer(const char *pointer, bool exact, struct span in,
                                        struct buf *out)
{
    enum term_result result = TERM_ABSENT;
    struct json *doc;

    if (json_parse(in, &doc, NULL) == HO_OK) {
        result = term_scalar(json_at(doc, span_of(pointer)), exact, out);
        json_free(doc);
    }
    if (result == TERM_FULL) {
        return FILTER_FULL;
    }
    return result == TERM_OK ? FILTER_WELL : FILTER_NOTHING;
}

static enum filter_result apply_param(struct span param, struct span in, struct buf *out)
{
    if (param.len == 0) {
        return FILTER_NOTHING;
    }
    return buf_add_span(out, in) == HO_OK ? added(buf_add_span(out, param)) : FILTER_FULL;
}

static enum filter_result apply_with_form(const struct request *r, struct span url,
                                          struct buf *out)
{
    size_t n;

    return added(url_with_form(url, r->body, request_header(r, "content-type", &n), out));
}

/* ---- all ---- */

static enum filter_result apply(const struct filter *f, const struct term_view *v, struct span in,
                                struct buf *out)
{
    switch (f->kind) {
    case FILTER_LOWER:
    case FILTER_UPPER:
        return apply_case(in, f->kind == FILTER_UPPER, out);
    case FILTER_TRIM:
        return added(buf_add_span(out, span_trim(in)));
    case FILTER_STRIP:
        return span_starts(in, f->text)
                   ? added(buf_add_span(out, span_sub(in, strlen(f->text), in.len)))
                   : FILTER_NOTHING;
    case FILTER_HEX:
        return apply_hex(in, out);
    case FILTER_BASE64:
        return added(text_base64(in, out));
    case FILTER_BASE64URL:
        return added(text_base64url(in, out));
    case FILTER_UNHEX:
        return apply_unhex(in, out);
    case FILTER_UNBASE64:
        return apply_unbase64(in, out);
    case FILTER_MD5:
        return apply_digest(MAC_MD5, in, out);
    case FILTER_SHA1:
        return apply_digest(MAC_SHA1, in, out);
    case FILTER_SHA256:
        return apply_digest(MAC_SHA256, in, out);
    case FILTER_SHA512:
        return apply_digest(MAC_SHA512, in, out);
    case FILTER_CRC32:
        return added(buf_addf(out, "%lu", (unsigned long)text_crc32(in)));
    case FILTER_HMAC_SHA1:
        return apply_hmac(MAC_SHA1, v->secret, in, out);
    case FILTER_HMAC_SHA256:
        return apply_hmac(MAC_SHA256, v->secret, in, out);
    case FILTER_HMAC_SHA512:
        return apply_hmac(MAC_SHA512, v->secret, in, out);
    case FILTER_JSON:
        return apply_json(in, out);
    case FILTER_PTR:
        return apply_pointer(f->text, v->exact, in, out);
    case FILTER_FIELD:
        return filter_field(f->text, in, out);
    case FILTER_PARAM:
        return apply_param(term_param(v, f->text), in, out);
    case FILTER_HDRS_KV:
    case FILTER_HDRS_V:
        return filter_headers(v->request, f->kind == FILTER_HDRS_KV, in, out);
    case FILTER_AS:
        return added(buf_add_str(out, f->text));
    case FILTER_NOT:
        return span_is(in, f->text) ? FILTER_NOTHING : added(buf_add_span(out, in));
    case FILTER_WITH_FORM:
        return apply_with_form(v->request, in, out);
    }
    return FILTER_NOTHING;
}

enum filter_result filter_apply(const struct filter *f, const struct term_view *v, struct span in,
                                struct buf *out)
{
    size_t from = out->len;
    enum filter_result result = apply(f, v, in, out);

    if (result != FILTER_WELL) {
        out->len = from; /* what had been begun */
    }
    return result;
}
