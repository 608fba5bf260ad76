/* The lines for cron, and the crontab. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/host.h"
#include "operator/setup.h"
#include "work/child.h"

#define CRONTAB_MAX ((size_t)256 * 1024)
#define CRONTAB_MS 10000
#define EVERY_MAX 60

static void must(enum ho_code code)
{
    if (code != HO_OK) {
        ho_die("bug: the lines for cron are too long");
    }
}

/* The minutes of cron's first field. */
static void put_minutes(unsigned every, struct buf *out)
{
    if (every <= 1) {
        must(buf_add_str(out, "*"));
    } else if (every >= EVERY_MAX) {
        must(buf_add_str(out, "0"));
    } else {
        must(buf_addf(out, "*/%u", every));
    }
}

/* For the shell that cron starts: in quotes, and % is a line's end to cron itself. */
static void put_program(const char *program, struct buf *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
    bool quoted = program[strspn(program, plain)] != '\0';

    must(buf_add_str(out, quoted ? "'" : ""));
    for (const char *at = program; *at != '\0'; at++) {
        if (*at == '\'') {
            must(buf_add_str(out, "'\\''"));
        } else if (*at == '%') {
            must(buf_add_str(out, "'\\%'"));
        } else {
            must(buf_add_byte(out, (unsigned char)*at));
        }
    }
    must(buf_add_str(out, quoted ? "'" : ""));
}

void setup_cron_lines(const char *program, unsigned every, struct buf *out)
{
    put_minutes(every, out);
    must(buf_add_str(out, " * * * * "));
    put_program(program, out);
    must(buf_add_str(out, " process --for 55s\n"));
    put_minutes(every > 5 ? every : 5, out);
    must(buf_add_str(out, " * * * * "));
    put_program(program, out);
    must(buf_add_str(out, " watch\n"));
}

/* ---- crontab ---- */

/* Where the program is; NULL: nowhere. */
static const char *find_crontab(char room[SETUP_TEXT_MAX])
{
    const char *path = getenv("PATH");
    struct span rest = span_of(path != NULL ? path : "/usr/bin:/bin");

    while (span_present(rest)) {
        struct span dir = span_cut(&rest, ':');
        int n = snprintf(room, SETUP_TEXT_MAX, "%.*s/crontab", (int)dir.len, (const char *)dir.p);
        if (dir.len > 0 && n < SETUP_TEXT_MAX && access(room, X_OK) == 0) {
            return room;
        }
    }
    return NULL;
}

/* Runs `crontab WORD` with what is in input; out gets what it prints. returns its exit code, or -1:
 * it did not end by itself, or printed more than fits; err says why it is not 0 */
static int crontab(const char *program, char *word, int input, struct buf *out, struct ho_err *err)
{
    char path[SETUP_TEXT_MAX], home[SETUP_TEXT_MAX], search[] = "PATH=/usr/bin:/bin";
    char *argv[] = {path, word, NULL};
    char *env[] = {search, home, NULL};
    const struct child_plan plan = {.argv = argv, .env = env, .folder = "/", .input = input,
                                    .end = deadline_in(CRONTAB_MS)};
    struct child_result result = {.end = CHILD_NEVER};
    struct buf tail;
    int code = -1;

    (void)snprintf(path, sizeof path, "%s", program);
    (void)snprintf(home, sizeof home, "HOME=%.1000s", host_home());
    buf_init(&tail, 1024);
    if (child_run(&plan, out, &tail, &result, err) == HO_OK) {
        code = result.end == CHILD_EXITED && !result.out_cut ? result.code : -1;
        if (code != 0) {
            (void)ho_fail(err, HO_PERMANENT, "%s %s: %s", path, word,
                          tail.len > 0 ? buf_cstr(&tail) : "it failed");
        }
    }
    buf_free(&tail);
    return code;
}

/* A file without a name that holds this, to be read from its begin; -1: none. */
static int unnamed(struct span text)
{
    FILE *f = tmpfile();
    int fd = f != NULL ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 3) : -1;

    if (f != NULL) {
        (void)fclose(f);
    }
    if (fd >= 0 && (!file_write_all(fd, text) || lseek(fd, 0, SEEK_SET) != 0)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static bool has(struct span text, const char *part)
{
    size_t n = strlen(part);

    for (size_t i = 0; i + n <= text.len; i++) {
        if (memcmp(text.p + i, part, n) == 0) {
            return true;
        }
    }
    return false;
}

/* The crontab as it is. One that is not there is told by exit code 1 and no line. */
static bool read_table(const char *program, struct buf *table, struct ho_err *err)
{
    char list[] = "-l";
    int in = unnamed(SPAN_LIT(""));
    int code = in >= 0 ? crontab(program, list, in, table, err) : -1;

    if (in >= 0) {
        (void)close(in);
    }
    return code == 0 || (code == 1 && table->len == 0);
}

static bool write_table(const char *program, const struct buf *table, struct ho_err *err)
{
    char take[] = "-";
    struct buf said;
    int in = unnamed(buf_span(table));

    buf_init(&said, 1024);
    int code = in >= 0 ? crontab(program, take, in, &said, err) : -1;
    buf_free(&said);
    if (in >= 0) {
        (void)close(in);
    }
    return code == 0;
}

/* Adds the lines to those that are there. */
static int install(const struct setup *s, const char *program, const char *own,
                   const struct buf *lines)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf table;
    int status = EXIT_WELL;

    buf_init(&table, CRONTAB_MAX);
    bool good = read_table(program, &table, &err);
    if (good && has(buf_span(&table), own)) {
        (void)printf("The crontab runs %s already.\n", own);
    } else if (good) {
        if (table.len > 0 && table.p[table.len - 1] != '\n') {
            must(buf_add_byte(&table, '\n'));
        }
        good = buf_add_span(&table, buf_span(lines)) == HO_OK && write_table(program, &table, &err);
        (void)printf("%s", good ? "The lines are in your crontab.\n" : "");
    }
    if (!good) {
        status = operator_fail(s->op, EXIT_TROUBLE, "%s; enter the lines above in your host's "
                               "panel instead", err.text);
    }
    buf_free(&table);
    return status;
}

/* By --cron, or by somebody at a terminal. */
static bool is_wanted(struct setup *s)
{
    char answer[SETUP_TEXT_MAX] = "";

    return s->cron || (!s->yes && setup_ask(s, "Give them to crontab, yes or no", "--cron", "no",
                                            answer) == EXIT_WELL &&
                       (strcmp(answer, "yes") == 0 || strcmp(answer, "y") == 0));
}

int setup_cron(struct setup *s)
{
    char own[SETUP_PATH_ROOM], room[SETUP_TEXT_MAX];
    const char *program = find_crontab(room);
    struct buf lines;
    int status = EXIT_WELL;

    (void)snprintf(own, sizeof own, "%s/hookonce", s->folder);
    buf_init(&lines, (size_t)16 * SETUP_TEXT_MAX);
    setup_cron_lines(own, s->every, &lines);
    (void)printf("\nLines for cron:\n\n%s\n", buf_cstr(&lines));
    if (program != NULL && is_wanted(s)) {
        status = install(s, program, own, &lines);
    } else if (s->cron) {
        status = operator_fail(s->op, EXIT_TROUBLE, "there is no crontab here: enter the lines "
                                                    "above in your host's panel");
    } else {
        (void)puts("Enter them in your host's panel. Where it runs nothing every minute, put in "
                   "what it\nallows. Without any cron, work is done right after each answer, and\n"
                   "`./hookonce tick-url` tells of an address that anybody's clock may ask for.");
    }
    buf_free(&lines);
    return status;
}
