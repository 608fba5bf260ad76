/* Reading arguments: GNU-style long options, the same everywhere. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "operator/operator.h"

enum { COMMON_CONFIG, COMMON_JSON, COMMON_N };
static const struct arg_option common[COMMON_N] = {
    [COMMON_CONFIG] = {"config", true},
    [COMMON_JSON] = {"json", false},
};

struct args args_of(struct operator *op, int argc, char **argv)
{
    return (struct args){op, argc, argv, 1, false};
}

/* The row whose name is before any '='; -1 when there is none. */
static int find(const struct arg_option *rows, size_t n, struct span name)
{
    for (size_t i = 0; i < n; i++) {
        if (span_is(name, rows[i].name)) {
            return (int)i;
        }
    }
    return ARGS_END;
}

static int bad_option(const struct args *a, const char *arg, const struct arg_option *rows,
                      size_t n, struct span name)
{
    struct nearest near = nearest_to(name);
    for (size_t i = 0; i < n; i++) {
        nearest_try(&near, rows[i].name);
    }
    for (size_t i = 0; i < COMMON_N; i++) {
        nearest_try(&near, common[i].name);
    }
    if (near.word != NULL) {
        (void)operator_fail(a->op, EXIT_USAGE, "no option '%s'; did you mean '--%s'?", arg,
                            near.word);
    } else {
        (void)operator_fail(a->op, EXIT_USAGE, "no option '%s'; see --help", arg);
    }
    return ARGS_BAD;
}

/* Takes the option's value: behind its '=', or the next argument. */
static bool take_value(struct args *a, const char *arg, const char *equals, bool wants,
                       const char **value)
{
    if (!wants && equals != NULL) {
        (void)operator_fail(a->op, EXIT_USAGE, "'%s': this option takes no value", arg);
        return false;
    }
    if (!wants) {
        return true;
    }
    if (equals != NULL) {
        *value = equals + 1;
        return true;
    }
    if (a->at >= a->argc) {
        (void)operator_fail(a->op, EXIT_USAGE, "'%s' needs a value", arg);
        return false;
    }
    *value = a->argv[a->at++];
    return true;
}

static bool apply_common(struct args *a, int which, const char *value)
{
    if (which == COMMON_JSON) {
        a->op->json = true;
        return true;
    }
    if (a->op->settings != NULL) {
        (void)operator_fail(a->op, EXIT_USAGE, "--config comes too late here; put it in front");
        return false;
    }
    free(a->op->file);
    a->op->file = ho_strdup(value);
    return true;
}

int args_next(struct args *a, const struct arg_option *rows, size_t n, const char **value)
{
    for (;;) {
        *value = NULL;
        if (a->at >= a->argc) {
            return ARGS_END;
        }
        const char *arg = a->argv[a->at++];
        if (!a->only_words && strcmp(arg, "--") == 0) {
            a->only_words = true;
            continue;
        }
        if (a->only_words || arg[0] != '-' || arg[1] == '\0') {
            *value = arg;
            return ARGS_WORD;
        }
        const char *name_at = arg + (arg[1] == '-' ? 2 : 1);
        const char *equals = strchr(name_at, '=');
        struct span name =
            equals != NULL ? span_make(name_at, (size_t)(equals - name_at)) : span_of(name_at);
        bool well_formed = (arg[1] == '-') == (name.len != 1); /* one dash, one letter */
        int own = well_formed ? find(rows, n, name) : ARGS_END;
        int shared = well_formed && own < 0 ? find(common, COMMON_N, name) : ARGS_END;
        if (own < 0 && shared < 0) {
            return bad_option(a, arg, rows, n, name);
        }
        const struct arg_option *row = own >= 0 ? &rows[own] : &common[shared];
        if (!take_value(a, arg, equals, row->has_value, value)) {
            return ARGS_BAD;
        }
        if (own >= 0) {
            return own;
        }
        if (!apply_common(a, shared, *value)) {
            return ARGS_BAD;
        }
    }
}
