/* Between the arguments of `hookonce send` and the network: which bytes each post carries, and
 * what came back. Knows neither config nor libcurl. */
#ifndef HO_OPERATOR_SEND_H
#define HO_OPERATOR_SEND_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ulid.h"
#include "edge/sign.h"
#include "edge/verify.h"
#include "operator/http.h"
#include "operator/table.h"

#define SEND_POSTS_MAX 1000000
#define SEND_ANSWERS_MAX 32 /* distinct answers told apart; further ones fall under "other" */

/* What to send. All borrowed. */
struct send_plan {
    const struct recipe *recipe;
    const struct source *source;
    const char *url;          /* that is posted to */
    struct span key;          /* decoded secret to sign with, or a private key's PEM */
    const char *type;         /* event type */
    const char *id;           /* NULL: a fresh one for every event */
    struct span body;         /* SPAN_NONE: the recipe's sample */
    const char *content_type; /* of that body */
    int64_t time_us;          /* the signature's time */
    size_t repeat;            /* posts of the same event, one behind the other */
    bool tamper;              /* one byte of the body is changed after signing */
};

/* What is known of the id under which it will be stored. */
enum send_id {
    SEND_ID_UNKNOWN,   /* nothing: it is signed with another key than the config's */
    SEND_ID_REFUSED,   /* it is to be refused, and stored under none */
    SEND_ID_TOLD,      /* in `stored` */
    SEND_ID_ARRIVAL,   /* it is made when it arrives */
    SEND_ID_HANDSHAKE  /* it is no event */
};

/* The event at hand; starts as {.plan = …}, ends with send_event_free. */
struct send_event {
    const struct send_plan *plan;
    size_t made; /* events made so far */
    char id[256];
    struct signed_request made_request;
    struct buf sample; /* the body before it was signed */
    struct buf url;    /* with what the query carries; empty: the run's */
    enum send_id stored_how; /* by operator/send_id.h */
    struct buf stored;
    struct buf stored_type; /* with SEND_ID_TOLD and ARRIVAL: what it was read as */
    size_t stored_more; /* events of the same request */
};

/* Makes *post the i-th post (i rising by one): a new event every plan->repeat posts.
 * returns HO_OK | HO_REJECT (id too long, body too large) | HO_PERMANENT (recipe cannot sign) */
enum ho_code send_next(struct send_event *e, size_t i, struct http_post *post,
                       struct ho_err *err) HO_MUST_CHECK;
/* The event at hand as it is posted; needs one that was made. */
void send_post(struct send_event *e, struct http_post *post);
void send_event_free(struct send_event *e);

/* Prints to stdout what was sent where: the only id, or the last of several; where it is not told
 * under which it will be stored (and no answer was spoiled on purpose), that. */
void send_say(const struct send_event *e, const char *source, const char *url, size_t posts,
              bool json);

/* The receiver's URL for a source: base itself if its path ends in "/<source>", else with that
 * added (before a query). returns HO_OK | HO_REJECT (too long) */
enum ho_code send_url(const char *base, const char *source, struct buf *out,
                      struct ho_err *err) HO_MUST_CHECK;

/* Answers that read the same, counted. */
struct send_answers {
    struct send_answer {
        int status; /* 0: none came, or those that are not told apart */
        char *text; /* first line of the body, or all that was kept, or why none came */
        uint32_t *ms;
        size_t n, cap;
    } at[SEND_ANSWERS_MAX];
    size_t n;
    size_t total, well; /* all; those with 2xx */
    bool whole;         /* in: of a source in reply mode: what is answered is the handler's */
    char type[128];     /* content type of the last one; "": none */
    bool cut;           /* of the last one only the begin was kept */
};

void send_count(struct send_answers *a, const struct http_answer *answer);
/* Sorts the times and prints a row an answer, the most frequent first; for people also the only one
 * of a source in reply mode, whole. */
void send_print(struct send_answers *a, FILE *out, bool json);
/* What to look at when an answer was not well, by the most frequent such answer after send_print,
 * or when it is what the recipe says for a handler that failed; NULL: nothing is known. */
const char *send_hint(const struct send_answers *a, const struct endpoint *e);
void send_answers_free(struct send_answers *a);

#endif
