/* Patterns of URLs. */
#include "core/url_match.h"

#define SCHEME "https://"

static bool is_wild(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_';
}

static bool is_host(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '*';
}

/* The part of a host that a * could turn into anybody's: its last two labels. */
static struct span last_labels(struct span host)
{
    size_t dots = 0, from = host.len;

    while (from > 0 && (host.p[from - 1] != '.' || ++dots < 2)) {
        from--;
    }
    return span_sub(host, from, host.len);
}

static enum ho_code check_host(struct span authority, struct ho_err *err)
{
    struct span port = authority;
    struct span host = span_cut(&port, ':');

    for (size_t i = 0; i < host.len; i++) {
        if (!is_host(host.p[i])) {
            return ho_fail(err, HO_REJECT, "the host of a URL is written in lower case, without "
                                           "user or password");
        }
    }
    for (size_t i = 0; i < port.len; i++) {
        if (port.p[i] < '0' || port.p[i] > '9') {
            return ho_fail(err, HO_REJECT, "the port of a URL is a number");
        }
    }
    if (!span_is(host, "localhost") && (!span_has(host, '.') || host.p[0] == '.')) {
        return ho_fail(err, HO_REJECT, "the URL names no host");
    }
    if (span_has(last_labels(host), '*')) {
        return ho_fail(err, HO_REJECT, "a * in the last two parts of the host would trust anybody");
    }
    return HO_OK;
}

enum ho_code url_pattern_check(struct span pattern, struct ho_err *err)
{
    struct span rest = span_sub(pattern, sizeof SCHEME - 1, pattern.len);

    if (!span_starts(pattern, SCHEME)) {
        return ho_fail(err, HO_REJECT, "a URL to fetch begins with https://");
    }
    if (pattern.len > URL_FETCH_MAX) {
        return ho_fail(err, HO_REJECT, "a URL to fetch has at most %d bytes", URL_FETCH_MAX);
    }
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.p[i] <= ' ' || pattern.p[i] > '~' || pattern.p[i] == '#' ||
            pattern.p[i] == '\\') {
            return ho_fail(err, HO_REJECT, "a URL to fetch holds printable ASCII, no # and no \\");
        }
    }
    struct span authority = span_cut(&rest, '/');
    if (!span_present(rest)) {
        return ho_fail(err, HO_REJECT, "a URL to fetch has a path, at least a slash");
    }
    return check_host(authority, err);
}

/* The leftmost place for what is between two stars is the best one, since all stars stand for the
 * same bytes: so only the last star is ever tried again. */
bool url_fits(struct span pattern, struct span url)
{
    size_t p = 0, u = 0, star = pattern.len, from = 0;

    if (url.len > URL_FETCH_MAX) {
        return false;
    }
    while (u < url.len || p < pattern.len) {
        if (p < pattern.len && pattern.p[p] == '*' && u < url.len && is_wild(url.p[u])) {
            star = p++;
            from = ++u;
        } else if (p < pattern.len && u < url.len && pattern.p[p] != '*' &&
                   pattern.p[p] == url.p[u]) {
            p++;
            u++;
        } else if (star < pattern.len && from < url.len && is_wild(url.p[from])) {
            p = star + 1;
            u = ++from;
        } else {
            return false;
        }
    }
    return true;
}
