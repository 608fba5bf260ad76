#include "store/like.h"

enum ho_code like_put(struct span pattern, struct buf *out)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < pattern.len && code == HO_OK; i++) {
        unsigned char c = pattern.p[i];

        if (c == '%' || c == '_' || c == '|') {
            code = buf_add_byte(out, '|');
        }
        if (code == HO_OK) {
            code = buf_add_byte(out, c == '*' ? '%' : c);
        }
    }
    return code;
}
