/* Words in a row. */
#include "edge/words.h"

#include "base/buf.h"

void words_join(words_at *at, char out[WORDS_JOINED_MAX])
{
    enum ho_code code = HO_OK;
    struct buf text;

    buf_init(&text, WORDS_JOINED_MAX - 1);
    for (size_t i = 0; at(i) != NULL && code == HO_OK; i++) {
        const char *between = i == 0 ? "" : at(i + 1) == NULL ? " and " : ", ";

        code = buf_addf(&text, "%s%s", between, at(i)->word);
    }
    if (code != HO_OK) {
        ho_die("bug: the words of recipes do not fit into an error");
    }
    for (size_t i = 0; i <= text.len; i++) {
        out[i] = buf_cstr(&text)[i];
    }
    buf_free(&text);
}
