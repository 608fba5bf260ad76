/* What may be asked for from SQL. */
#include "base/nearest.h"
#include "core/command.h"
#include "core/settings_parts.h"

static enum ho_code no_such(const struct conf_section *s, struct span word, struct ho_err *err)
{
    struct nearest near = nearest_to(word);

    for (unsigned i = 0; i < COMMAND_N; i++) {
        nearest_try(&near, command_word((enum command_kind)i));
    }
    return conf_fail(err, s, conf_find(s, "sql_commands"),
                     "`sql_commands`: there is no '%.*s'%s%s%s", (int)word.len,
                     (const char *)word.p, near.word != NULL ? "; did you mean '" : "",
                     near.word != NULL ? near.word : "", near.word != NULL ? "'?" : "");
}

enum ho_code settings_load_commands(struct settings *out, const struct conf_section *s,
                                    struct ho_err *err)
{
    struct span rest = span_of(setting_text(s, "sql_commands"));
    enum command_kind kind;

    if (span_is(span_trim(rest), "none")) {
        return HO_OK;
    }
    while (span_present(rest)) {
        struct span word = span_trim_line(span_cut(&rest, ','));

        if (!command_find_word(word, &kind)) {
            return no_such(s, word, err);
        }
        out->sql_commands |= COMMAND_BIT(kind);
    }
    return HO_OK;
}
