/* Splitting a command line. */
#include "core/argv.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/span.h"

#define WORD_MAX 8192
#define SHELL "|&;<>()$`*?~\\{}"

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Adds the quoted part that begins at *at, and moves *at behind it. */
static enum ho_code add_quoted(struct span s, size_t *at, struct buf *word, struct ho_err *err)
{
    unsigned char quote = s.p[*at];
    size_t i = *at + 1;

    for (; i < s.len && s.p[i] != quote; i++) {
        if (quote == '"' && s.p[i] == '\\' && i + 1 < s.len &&
            (s.p[i + 1] == '"' || s.p[i + 1] == '\\')) {
            i++;
        }
        if (buf_add_byte(word, s.p[i]) != HO_OK) {
            return ho_fail(err, HO_REJECT, "an argument may be at most %d bytes", WORD_MAX);
        }
    }
    if (i >= s.len) {
        return ho_fail(err, HO_REJECT, "a closing quote is missing");
    }
    *at = i + 1;
    return HO_OK;
}

/* Adds one word, and moves *at behind it. */
static enum ho_code add_word(struct span s, size_t *at, struct buf *word, struct ho_err *err)
{
    while (*at < s.len && !is_blank(s.p[*at])) {
        unsigned char c = s.p[*at];

        if (c == '"' || c == '\'') {
            if (add_quoted(s, at, word, err) != HO_OK) {
                return HO_REJECT;
            }
            continue;
        }
        if (span_has(SPAN_LIT(SHELL), c)) {
            return ho_fail(err, HO_REJECT, "there is no shell: a %c that is meant as it stands is "
                                           "put in 'quotes'; the event comes on standard input "
                                           "and in HOOKONCE_ variables", c);
        }
        if (buf_add_byte(word, c) != HO_OK) {
            return ho_fail(err, HO_REJECT, "an argument may be at most %d bytes", WORD_MAX);
        }
        (*at)++;
    }
    return HO_OK;
}

enum ho_code argv_split(const char *text, size_t max, char ***argv, size_t *n, struct ho_err *err)
{
    struct span s = span_trim_line(span_of(text));
    struct buf word;
    enum ho_code code = s.len > 0 ? HO_OK : ho_fail(err, HO_REJECT, "an empty command");
    size_t at = 0;

    *n = 0;
    *argv = ho_alloc((max + 1) * sizeof **argv);
    (*argv)[0] = NULL;
    buf_init(&word, WORD_MAX);
    while (code == HO_OK && at < s.len) {
        buf_clear(&word);
        code = *n < max ? add_word(s, &at, &word, err)
                        : ho_fail(err, HO_REJECT, "more than %zu arguments", max);
        if (code == HO_OK) {
            (*argv)[(*n)++] = ho_strdup(buf_cstr(&word));
            (*argv)[*n] = NULL;
        }
        while (at < s.len && is_blank(s.p[at])) {
            at++;
        }
    }
    buf_free(&word);
    if (code != HO_OK) {
        argv_free(*argv);
        *argv = NULL;
        *n = 0;
    }
    return code;
}

void argv_free(char **argv)
{
    for (size_t i = 0; argv != NULL && argv[i] != NULL; i++) {
        free(argv[i]);
    }
    free(argv);
}
