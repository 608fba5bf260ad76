/* Asking somebody at a terminal. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mac.h"
#include "operator/setup.h"

#define ANSWER_MS (10 * 60 * INT64_C(1000))

static bool may_ask(const struct setup *s)
{
    return !s->yes && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

static int missing(const struct setup *s, const char *option, const char *question)
{
    return operator_fail(s->op, EXIT_USAGE, "%s is missing (%s)%s", option, question,
                         s->yes ? "" : "; on a terminal it would be asked for");
}

/* One byte of the terminal. false: its end, or nobody was there. */
static bool next_byte(struct deadline end, char *c)
{
    for (;;) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        int64_t left_ms = deadline_left_ms(end);

        if (left_ms <= 0) {
            return false;
        }
        if (poll(&in, 1, (int)(left_ms < 1000 ? left_ms : 1000)) > 0) {
            ssize_t n = read(STDIN_FILENO, c, 1);
            if (n > 0) {
                return true;
            }
            if (n == 0 || errno != EINTR) {
                return false;
            }
        }
    }
}

/* A line without its end, and without blanks around it. false: none came, or one that is too long
 * or holds what no name holds. */
static bool read_line(char out[SETUP_TEXT_MAX])
{
    const struct deadline end = deadline_in(ANSWER_MS);
    size_t n = 0, from = 0;
    char c = '\0';

    while (next_byte(end, &c) && c != '\n') {
        if (n + 1 >= SETUP_TEXT_MAX || ((unsigned char)c < ' ' && c != '\t' && c != '\r')) {
            return false;
        }
        out[n++] = c;
    }
    while (n > 0 && (out[n - 1] == ' ' || out[n - 1] == '\t' || out[n - 1] == '\r')) {
        n--;
    }
    while (from < n && (out[from] == ' ' || out[from] == '\t')) {
        from++;
    }
    memmove(out, out + from, n - from);
    out[n - from] = '\0';
    return c == '\n';
}

int setup_ask(const struct setup *s, const char *question, const char *option, const char *dflt,
              char out[SETUP_TEXT_MAX])
{
    if (out[0] != '\0') {
        return EXIT_WELL;
    }
    if (may_ask(s)) {
        (void)printf("%s%s%s%s: ", question, dflt[0] != '\0' ? " [" : "", dflt,
                     dflt[0] != '\0' ? "]" : "");
        (void)fflush(stdout);
        if (!read_line(out)) {
            out[0] = '\0';
            return operator_fail(s->op, EXIT_USAGE, "no usable answer; run it again, or give %s",
                                 option);
        }
    }
    if (out[0] == '\0') {
        (void)snprintf(out, SETUP_TEXT_MAX, "%s", dflt);
    }
    return out[0] != '\0' ? EXIT_WELL : missing(s, option, question);
}

/* Ctrl-C is a byte meanwhile, and no usable answer: so the terminal is as it was in any case. */
static bool read_unseen(const char *question, char out[SETUP_TEXT_MAX])
{
    struct termios was, unseen;
    bool known = tcgetattr(STDIN_FILENO, &was) == 0;
    bool good;

    if (known) {
        unseen = was;
        unseen.c_lflag &= ~((tcflag_t)ECHO | (tcflag_t)ISIG);
        unseen.c_lflag |= ECHONL;
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &unseen); /* what is typed ahead stays */
    }
    (void)printf("%s (it is not shown): ", question);
    (void)fflush(stdout);
    good = read_line(out);
    if (known) {
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &was);
    }
    return good;
}

static struct span without_end(struct span text)
{
    while (text.len > 0 && (text.p[text.len - 1] == '\n' || text.p[text.len - 1] == '\r')) {
        text.len--;
    }
    return text;
}

/* The mode of the file is its owner's affair: it is copied into one of ours. */
static int from_file(const struct setup *s, const char *option, const char *file,
                     struct secret *out)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf content;
    int status = EXIT_WELL;

    buf_init(&content, SECRET_MAX);
    if (file_read(file, false, &content, &err) != HO_OK) {
        status = operator_fail(s->op, EXIT_USAGE, "%s: %s", option, err.text);
    } else if (without_end(buf_span(&content)).len == 0) {
        status = operator_fail(s->op, EXIT_USAGE, "%s: %s is empty", option, file);
    } else if (secret_copy(without_end(buf_span(&content)), out) != HO_OK) {
        status = EXIT_BUG;
    }
    buf_wipe(&content);
    return status;
}

int setup_ask_secret(const struct setup *s, const char *question, const char *option,
                     const char *file, struct secret *out)
{
    char answer[SETUP_TEXT_MAX] = "";
    int status = EXIT_WELL;

    *out = (struct secret){NULL, 0};
    if (file != NULL) {
        return from_file(s, option, file, out);
    }
    if (!may_ask(s)) {
        return missing(s, option, question);
    }
    if (!read_unseen(question, answer) || answer[0] == '\0' ||
        secret_copy(span_of(answer), out) != HO_OK) {
        status = operator_fail(s->op, EXIT_USAGE, "no usable answer; run it again, or give %s",
                               option);
    }
    mac_wipe(answer, sizeof answer);
    return status;
}
