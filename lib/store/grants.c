/* Filling in the statements. A section begins with a line "-- @NAME: ...". */
#include "store/grants.h"

#include <string.h>

#include "store/names.h"

/* 'text', so that nothing in it can end the quotes. */
static enum ho_code add_quoted(struct buf *out, char quote, const char *text)
{
    enum ho_code code = buf_add_byte(out, (unsigned char)quote);

    for (const char *p = text; *p != '\0' && code == HO_OK; p++) {
        if (*p == quote || (*p == '\\' && quote == '\'')) {
            code = buf_add_byte(out, (unsigned char)*p);
        }
        if (code == HO_OK) {
            code = buf_add_byte(out, (unsigned char)*p);
        }
    }
    return code == HO_OK ? buf_add_byte(out, (unsigned char)quote) : code;
}

static enum ho_code add_account(struct buf *out, const char *user, const char *host)
{
    enum ho_code code = add_quoted(out, '\'', user);

    if (code == HO_OK) {
        code = buf_add_byte(out, '@');
    }
    return code == HO_OK ? add_quoted(out, '\'', host) : code;
}

/* What stands in braces; anything else there stays as it is. */
static enum ho_code add_name(struct buf *out, struct span name, const struct settings *s,
                             const char *host)
{
    if (span_is(name, "database")) {
        return add_quoted(out, '`', s->db_name);
    }
    if (span_is(name, "receiver")) {
        return add_account(out, s->db_receiver_user, host);
    }
    return add_account(out, s->db_user, host);
}

static enum ho_code add_line(struct buf *out, struct span line, const struct settings *s,
                             const char *host)
{
    enum ho_code code = HO_OK;

    while (code == HO_OK && span_present(line)) {
        code = names_put(s, span_cut(&line, '{'), out);
        if (code == HO_OK && span_present(line)) {
            code = add_name(out, span_cut(&line, '}'), s, host);
        }
    }
    return code == HO_OK ? buf_add_byte(out, '\n') : code;
}

static bool any_reply(const struct settings *s)
{
    for (size_t i = 0; i < s->n_sources; i++) {
        if (s->sources[i].reply) {
            return true;
        }
    }
    return false;
}

enum ho_code grants_text(const struct settings *s, const char *host, struct buf *out,
                         struct ho_err *err)
{
    struct span rest = span_of(grants_files[0].sql);
    bool reply = any_reply(s), wanted = false;
    enum ho_code code = HO_OK;

    if (s->db_receiver_user == NULL) {
        return ho_fail(err, HO_REJECT, "[database] has no receiver_user: one user does it all");
    }
    while (code == HO_OK && span_present(rest)) {
        struct span line = span_cut(&rest, '\n');

        if (span_starts(line, "-- @")) {
            wanted = reply || !span_starts(line, "-- @reply:");
        }
        if (wanted && (span_present(rest) || line.len > 0)) {
            code = add_line(out, line, s, host);
        }
    }
    return code == HO_OK ? HO_OK : ho_fail(err, HO_REJECT, "the names are too long");
}
