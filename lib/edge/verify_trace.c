/* Telling a person how a request was judged, step by step. No secret, no MAC and no signature goes
 * into it. */
#include "edge/verify_parts.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

#define LINE_MAX_BYTES 600
#define QUOTED_MAX 400

/* A trace that is full ends: what is there is still true. */
static void end_line(struct buf *trace, enum ho_code code)
{
    if (code != HO_OK || buf_add_byte(trace, '\n') != HO_OK) {
        trace->max = trace->len > 0 ? trace->len : 1;
    }
}

void verify_say(const struct check *c, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;

    if (c->note->trace == NULL) {
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    end_line(c->note->trace, buf_add_str(c->note->trace, line));
}

void verify_say_text(const struct check *c, const char *what, struct span text)
{
    enum ho_code code;

    if (c->note->trace == NULL) {
        return;
    }
    code = buf_addf(c->note->trace, "%s: ", what);
    if (code == HO_OK) {
        code = text_quote(text, QUOTED_MAX, c->note->trace);
    }
    end_line(c->note->trace, code);
}

void verify_say_signed(const struct check *c, const struct span *parts, size_t n, size_t url)
{
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];
    char name[32];
    size_t len = 0;

    if (c->note->trace == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        len += parts[i].len;
    }
    mac_sha256_parts(parts, n, digest);
    text_hex(digest, sizeof digest, hex);
    if (verify_urls(c) > 1) {
        (void)snprintf(name, sizeof name, "URL %zu", url + 1);
        verify_say_text(c, name, c->view.url);
    }
    verify_say(c, "signed bytes: %zu, sha256 %s", len, hex);
}
