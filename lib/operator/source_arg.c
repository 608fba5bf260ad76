/* A source that a command was given by name. */
#include "operator/source_arg.h"

#include "base/nearest.h"
#include "base/text.h"

const struct endpoint *source_arg(const struct operator *op, const struct endpoints *all,
                                  const char *name)
{
    const struct endpoint *e = endpoints_find(all, span_of(name));
    struct nearest near = nearest_to(span_of(name));

    if (e != NULL) {
        return e;
    }
    for (size_t i = 0; i < endpoints_count(all); i++) {
        nearest_try(&near, endpoints_at(all, i)->source->name);
    }
    (void)operator_fail(op, EXIT_USAGE, "no source '%s' in %s%s%s%s", name, op->file,
                        near.word != NULL ? "; did you mean '" : "",
                        near.word != NULL ? near.word : "", near.word != NULL ? "'?" : "");
    return NULL;
}

int source_arg_word(const struct operator *op, const char *word, const char **source)
{
    if (*source != NULL) {
        return operator_fail(op, EXIT_USAGE, "one source at a time; '%s' is too much", word);
    }
    *source = word;
    return EXIT_WELL;
}

int source_arg_load(struct operator *op, struct endpoints **all)
{
    struct ho_err err = {HO_OK, 0, ""};
    int status = operator_need_settings(op);

    *all = NULL;
    if (status != EXIT_WELL) {
        return status;
    }
    return endpoints_load(op->file, all, &err) == HO_OK
               ? EXIT_WELL
               : operator_fail(op, EXIT_USAGE, "%s", err.text);
}

bool source_arg_time(const struct operator *op, const char *option, const char *text, int64_t most,
                     int64_t *ms)
{
    char limit[24];

    if (text_duration(span_of(text), ms) && *ms >= 1000 && *ms <= most) {
        return true;
    }
    text_duration_put(most, limit);
    (void)operator_fail(op, EXIT_USAGE, "--%s wants a time such as 10m, at most %s", option, limit);
    return false;
}
