/* Checking addresses. */
#include "core/web_url.h"

#include "base/text.h"
#include "core/url_match.h"

static bool is_host_byte(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_' || c == '.';
}

static bool is_hex_or_colon(unsigned char c)
{
    return (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') ||
           c == ':' || c == '.';
}

/* How many bytes of an authority are its host; 0: it has none. */
static size_t host_len(struct span authority)
{
    bool address = span_starts(authority, "[");
    size_t i = address ? 1 : 0;

    while (i < authority.len &&
           (address ? is_hex_or_colon(authority.p[i]) : is_host_byte(authority.p[i]))) {
        i++;
    }
    if (!address) {
        return i;
    }
    return i > 1 && i < authority.len && authority.p[i] == ']' ? i + 1 : 0;
}

static bool is_port(struct span s)
{
    uint64_t port;

    return s.len == 0 ||
           (s.p[0] == ':' && text_uint(span_sub(s, 1, s.len), 65535, &port) && port > 0);
}

/* 127.x.x.x as numbers, for a name like 127.0.0.1.example.com is not here. */
static bool is_loopback(struct span host)
{
    struct span rest = host, part = span_cut(&rest, '.');
    uint64_t value;
    int parts = 1;

    if (span_is_nocase(host, "localhost") || span_is(host, "[::1]")) {
        return true;
    }
    if (!span_is(part, "127")) {
        return false;
    }
    while (span_present(rest)) {
        part = span_cut(&rest, '.');
        parts++;
        if (!text_uint(part, 255, &value)) {
            return false;
        }
    }
    return parts == 4;
}

static bool is_plain(struct span url)
{
    for (size_t i = 0; i < url.len; i++) {
        if (url.p[i] <= ' ' || url.p[i] >= 0x7f || span_has(SPAN_LIT("#\\\"<>^`{|}"), url.p[i])) {
            return false;
        }
    }
    return true;
}

enum ho_code web_url_check(struct span url, size_t *path, struct ho_err *err)
{
    size_t scheme = span_starts(url, "https://") ? 8 : span_starts(url, "http://") ? 7 : 0;
    struct span authority = span_sub(url, scheme, url.len);
    size_t len = 0, host;

    if (url.len > URL_FETCH_MAX || !is_plain(url)) {
        return ho_fail(err, HO_REJECT, "an address has at most %d bytes of printable ASCII, no "
                                       "blank and no #", URL_FETCH_MAX);
    }
    while (len < authority.len && authority.p[len] != '/' && authority.p[len] != '?') {
        len++;
    }
    authority = span_sub(authority, 0, len);
    if (span_has(authority, '@')) {
        return ho_fail(err, HO_REJECT, "no user or password stands in an address: a secret stands "
                                       "in a file of its own");
    }
    host = host_len(authority);
    if (scheme == 0 || host == 0 || !is_port(span_sub(authority, host, authority.len))) {
        return ho_fail(err, HO_REJECT, "write the whole address: https://HOST/...");
    }
    if (scheme == 7 && !is_loopback(span_sub(authority, 0, host))) {
        return ho_fail(err, HO_REJECT, "http is for this machine only (localhost, 127.0.0.1, "
                                       "[::1]): write https://");
    }
    if (path != NULL) {
        *path = scheme + len;
    }
    return HO_OK;
}
