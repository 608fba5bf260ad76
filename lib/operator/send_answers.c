/* How `hookonce send` counts the answers, and what it says of them. */
#include <stdlib.h>
#include <string.h>

#include "operator/send.h"

#define ANSWER_SHOWN 60 /* columns of an answer's text */

/* The text under which an answer is counted: why none came, or its body, the first line or whole.
 * Heap. */
static char *answer_text(const struct http_answer *answer, bool whole)
{
    struct span body = answer->body;
    struct span line = span_trim_line(whole ? body : span_cut(&body, '\n'));
    char text[HTTP_ANSWER_MAX + 1] = "";

    if (answer->status == 0) {
        return ho_strdup(answer->error);
    }
    if (line.len > 0 && line.len < sizeof text) {
        memcpy(text, line.p, line.len);
    }
    return ho_strdup(text);
}

static struct send_answer *find_answer(struct send_answers *a, const struct http_answer *answer)
{
    char *text = answer_text(answer, a->whole);

    for (size_t i = 0; i < a->n; i++) {
        if (a->at[i].status == answer->status && strcmp(a->at[i].text, text) == 0) {
            free(text);
            return &a->at[i];
        }
    }
    if (a->n == SEND_ANSWERS_MAX) {
        free(text);
        return &a->at[SEND_ANSWERS_MAX - 1];
    }
    struct send_answer *row = &a->at[a->n++];
    *row = (struct send_answer){.text = text, .status = answer->status};
    if (a->n == SEND_ANSWERS_MAX) {
        free(row->text);
        *row = (struct send_answer){.text = ho_strdup("(other answers)")};
    }
    return row;
}

void send_count(struct send_answers *a, const struct http_answer *answer)
{
    struct send_answer *row = find_answer(a, answer);

    if (row->n == row->cap) {
        row->cap = row->cap == 0 ? 8 : row->cap * 2;
        row->ms = ho_realloc(row->ms, row->cap * sizeof *row->ms);
    }
    row->ms[row->n++] = answer->ms < 0 ? 0 : (uint32_t)answer->ms;
    (void)snprintf(a->type, sizeof a->type, "%s", answer->type != NULL ? answer->type : "");
    a->cut = answer->body.len == HTTP_ANSWER_MAX;
    a->total++;
    a->well += answer->status >= 200 && answer->status <= 299 ? 1 : 0;
}

static int by_time(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x;
    uint32_t b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static int by_number(const void *x, const void *y)
{
    size_t a = ((const struct send_answer *)x)->n;
    size_t b = ((const struct send_answer *)y)->n;
    return (a < b) - (a > b);
}

/* The only answer, line by line: in reply mode it is what was asked for. */
static void print_whole(const struct send_answers *a, FILE *out)
{
    struct span rest = span_of(a->at[0].text);
    struct buf line;

    if (rest.len == 0) {
        return;
    }
    buf_init(&line, 5 * HTTP_ANSWER_MAX);
    table_cell(span_of(a->type), 0, &line);
    (void)fprintf(out, "\nthe answer%s%s:\n", a->type[0] != '\0' ? ", " : "",
                  a->type[0] != '\0' ? buf_cstr(&line) : "");
    while (span_present(rest)) {
        struct span text = span_cut(&rest, '\n');
        size_t blanks = 0;

        while (blanks < text.len && text.p[blanks] == ' ') {
            blanks++;
        }
        buf_clear(&line);
        table_cell(span_sub(text, blanks, text.len), 0, &line);
        (void)fprintf(out, "%*s%s\n", (int)blanks, "", buf_cstr(&line));
    }
    if (a->cut) {
        (void)fprintf(out, "(its first %d bytes)\n", HTTP_ANSWER_MAX);
    }
    buf_free(&line);
}

void send_print(struct send_answers *a, FILE *out, bool json)
{
    static const struct table_col cols[] = {
        {"status", TABLE_NUMBER, 0}, {"times", TABLE_NUMBER, 0},
        {"ms_min", TABLE_NUMBER, 0}, {"ms_median", TABLE_NUMBER, 0},
        {"ms_max", TABLE_NUMBER, 0}, {"answer", TABLE_TEXT, ANSWER_SHOWN},
    };
    struct table *t = table_new("answer", cols, 6);
    char numbers[5][24];
    struct span cells[6];

    qsort(a->at, a->n, sizeof a->at[0], by_number);
    for (size_t i = 0; i < a->n; i++) {
        struct send_answer *row = &a->at[i];
        qsort(row->ms, row->n, sizeof *row->ms, by_time);
        const size_t values[5] = {(size_t)row->status, row->n, row->ms[0], row->ms[row->n / 2],
                                  row->ms[row->n - 1]};
        for (size_t k = 0; k < 5; k++) {
            (void)snprintf(numbers[k], sizeof numbers[k], "%zu", values[k]);
            cells[k] = span_of(numbers[k]);
        }
        cells[0] = row->status == 0 ? SPAN_NONE : cells[0];
        cells[5] = span_of(row->text);
        table_row(t, cells);
    }
    table_print(t, out, json);
    table_free(t);
    if (a->whole && a->total == 1 && a->at[0].status != 0 && !json) {
        print_whole(a, out);
    }
}

/* Whether one of the answers is the recipe's own of that kind. */
static bool is_answer(const struct send_answers *a, const struct endpoint *e,
                      enum answer_kind kind)
{
    struct answer answer;
    bool is = false;

    answer_for(e, kind, NULL, &answer);
    for (size_t i = 0; i < a->n; i++) {
        is = is || (a->at[i].status == answer.status &&
                    span_is(span_trim_line(buf_span(&answer.body)), a->at[i].text));
    }
    answer_free(&answer);
    return is;
}

/* In reply mode a handler that failed may be answered with 200 too. */
static const char *hint_of_failure(const struct send_answers *a, const struct endpoint *e)
{
    if (!is_answer(a, e, ANSWER_REPLY_FAIL)) {
        return NULL;
    }
    return is_answer(a, e, ANSWER_REPLY_OK)
               ? "this is answered when the handler says nothing, and when it fails, too: hookonce "
                 "list ID says which"
               : "so it is answered when the handler fails: hookonce list ID shows the error, and "
                 "the receiver's log says the same (event=answered)";
}

/* The first row that fits says it. */
const char *send_hint(const struct send_answers *a, const struct endpoint *e)
{
    static const struct {
        int status;
        const char *begins; /* the answer's text */
        const char *hint;
        const char *asked; /* in reply mode; NULL: the same */
    } hints[] = {
        {401, "", "the signature does not hold, or its time is off: does the receiver use this "
                  "secret, and are both clocks right? Its log says which", NULL},
        {422, "", "the signature holds, but the recipe finds no event in this body: no id, or no "
                  "list of events; `hookonce providers NAME` says where it looks", NULL},
        {503, "", "the receiver could not store it: run hookonce check where it runs",
         "not now: the handler said so, or its limits, or the database is away; the receiver's log "
         "(event=answered) says why, and hookonce list ID what the handler said"},
        {404, "no such source", "the receiver's config has no source of this name", NULL},
        {404, "", "the web server answered, not hookonce: look at the path of the URL, and at how "
                  "the web server is told of hookonce.fcgi",
         "the handler's own answer, if hookonce list shows the event; else the web server's: look "
         "at the path of the URL"},
        {0, "Could not connect", "nothing listens there: does the web server run, and are host "
                                 "and port of the URL right?", NULL},
        {0, "Failed to connect", "nothing listens there: does the web server run, and are host "
                                 "and port of the URL right?", NULL},
    };

    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < sizeof hints / sizeof hints[0]; k++) {
            if (a->at[i].status == hints[k].status &&
                span_starts(span_of(a->at[i].text), hints[k].begins)) {
                return a->whole && hints[k].asked != NULL ? hints[k].asked : hints[k].hint;
            }
        }
    }
    return a->whole ? hint_of_failure(a, e) : NULL;
}

void send_answers_free(struct send_answers *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->at[i].text);
        free(a->at[i].ms);
    }
    a->n = 0;
}
