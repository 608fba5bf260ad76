/* Result codes and the one error record. Every function that can fail returns enum ho_code and
 * fills a caller-owned struct ho_err; the level that handles the error logs it, no other.
 * A duplicate event is not an error and has no code here. */
#ifndef HO_BASE_ERR_H
#define HO_BASE_ERR_H

#if defined(__GNUC__)
#define HO_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define HO_MUST_CHECK __attribute__((warn_unused_result))
#define HO_NORETURN __attribute__((noreturn))
#else
#define HO_PRINTF(fmt, args)
#define HO_MUST_CHECK
#define HO_NORETURN
#endif

enum ho_code {
    HO_OK = 0,
    HO_REJECT,    /* the input is wrong: 4xx, nothing written, config refused */
    HO_TRANSIENT, /* may work later: 503, or retry with backoff */
    HO_PERMANENT, /* waiting will not help: dead letter, person needed */
    HO_BUG        /* a broken invariant of ours: log, abort in tests */
};

struct ho_err {
    enum ho_code code;
    int sys;        /* errno, or the database's error number; 0 when neither */
    char text[480]; /* one sentence for a person; never a secret, never a body */
};

/* Records an error and returns its code, so that callers write `return ho_fail(err, HO_REJECT, …)`.
 * in: err may be NULL (then only the code is returned). A text that does not fit ends in "...". */
enum ho_code ho_fail(struct ho_err *err, enum ho_code code, const char *fmt, ...) HO_PRINTF(3, 4);

/* As ho_fail, and appends ": <strerror(errno)>" and keeps errno in err->sys. */
enum ho_code ho_fail_errno(struct ho_err *err, enum ho_code code, const char *fmt, ...)
    HO_PRINTF(3, 4);

/* Clears the record: code HO_OK, sys 0, empty text. */
void ho_err_clear(struct ho_err *err);

/* Puts "<fmt …>: " before the text already there, for context on the way up; keeps the code. */
void ho_err_prefix(struct ho_err *err, const char *fmt, ...) HO_PRINTF(2, 3);

/* Prints "hookonce: …" on stderr and exits with 71 (EX_OSERR). For out of memory and a broken
 * environment only: the design survives a kill at any point, so nothing pretends to recover. */
void ho_die(const char *fmt, ...) HO_PRINTF(1, 2) HO_NORETURN;

/* malloc/calloc/realloc/strdup that ho_die() when memory is out. Free with free(). */
void *ho_alloc(unsigned long size);
void *ho_realloc(void *old, unsigned long size);
char *ho_strdup(const char *s);

#endif
