/* The setup page: for a host without a shell, once, behind a token that counts for an hour. Without
 * one that counts nothing tells that there is such a page. `hookonce page setup` makes it, and the
 * tables and the key. */
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"

#define TOKEN_S 3600        /* how long a token counts behind the writing of its file */
#define TOKEN_AHEAD_S 300   /* a file system's clock may be ahead by that */
#define SETUP_MS 35000      /* mod_fcgid gives an answer 40 s */
#define SETUP_MAX ((size_t)1024 * 1024)
#define EXIT_TROUBLED 1     /* the page says so */

#define HTML_TYPE "text/html; charset=utf-8"
#define CUT_SHORT "<p><b>This was not through in time. What is said above holds; what is " \
                  "missing, most often the host's answers to itself, took too long.</b></p>\n" \
                  "</body>\n</html>\n"

bool is_setup(const struct receiver *rx)
{
    return endpoints_settings(rx->endpoints)->setup_token_file != NULL &&
           span_present(rx->request.source) && span_is(rx->request.source, "setup");
}

/* Whether its file was written within the hour. One from the future never counts: it would for
 * ever. */
static bool is_fresh(const char *path)
{
    int64_t now_s = clock_wall_us() / 1000000;
    struct stat st;

    return stat(path, &st) == 0 && (int64_t)st.st_mtime <= now_s + TOKEN_AHEAD_S &&
           (int64_t)st.st_mtime > now_s - TOKEN_S;
}

/* NULL: they may; else why not, for the log. */
static const char *why_not(const struct receiver *rx)
{
    const char *path = endpoints_settings(rx->endpoints)->setup_token_file;
    struct secret token = {NULL, 0};
    struct ho_err err;
    const char *why = NULL;

    ho_err_clear(&err);
    if (secret_read(path, &token, &err) != HO_OK) {
        why = "the file of setup_token is not there, empty, or readable by others";
    } else if (token.len < PAGE_TOKEN_LEN_MIN) {
        why = "the setup token is too short";
    } else if (!is_fresh(path)) {
        why = "the file of setup_token was written more than an hour ago: write it again";
    } else if (!page_token_shown(rx, &token)) {
        why = "no setup token, or a wrong one";
    }
    secret_free(&token);
    return why;
}

static void trouble(struct receiver *rx, const char *why)
{
    const struct log_pair pairs[] = {LOG_TEXT("page", "setup"), LOG_TEXT("reason", why)};

    log_event(LOG_WARN, "page", NULL, pairs, 2);
    reply_fixed(rx, 503, "", "the program hookonce, which makes this page, does not run: it "
                             "belongs beside hookonce.conf, with mode 0755");
}

static void make(struct receiver *rx)
{
    const struct program_call call = {.words = {"page", "setup"}, .said_max = SETUP_MAX};
    struct program p;
    struct ho_err err;
    int code = -1;

    ho_err_clear(&err);
    if (program_start(rx, &call, &p, &err) != HO_OK) {
        trouble(rx, err.text);
        program_end(&p);
        return;
    }
    bool ended = program_wait(&p, deadline_in(SETUP_MS), &code);
    bool begun = span_starts(buf_span(&p.said), "<!DOCTYPE");
    if (!begun || (ended && code != 0 && code != EXIT_TROUBLED)) {
        trouble(rx, begun ? "hookonce page setup failed" : buf_cstr(&p.said));
    } else {
        if (!ended) {
            (void)!buf_add_str(&p.said, CUT_SHORT);
        }
        const struct reply_text text = {200, HTML_TYPE, PAGE_HTML_HEADERS, buf_span(&p.said)};
        reply_text(rx, &text);
    }
    program_end(&p);
}

void serve_setup(struct receiver *rx)
{
    const char *why = why_not(rx);

    if (why != NULL) {
        const struct log_pair pairs[] = {LOG_TEXT("page", "setup"), LOG_TEXT("reason", why)};
        log_event(LOG_WARN, "page", NULL, pairs, 2);
        refuse(rx, NULL, REASON_NO_SOURCE, NULL);
    } else if (!span_is(rx->request.method, "GET")) {
        refuse(rx, NULL, REASON_METHOD, NULL);
    } else {
        make(rx);
    }
}
