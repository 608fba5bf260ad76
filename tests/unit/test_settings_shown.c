/* What a console may see of the config: no key that holds or names a secret is shown as it stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/settings_shown.h"

static void what_may_be_a_file_with_a_secret_is_not_shown_whole(void **state)
{
    size_t n;
    const struct conf_key *keys = settings_keys(&n);
    (void)state;

    for (size_t i = 0; i < n; i++) {
        bool names_file = keys[i].help != NULL && strstr(keys[i].help, "file:PATH") != NULL;
        if (names_file && strcmp(keys[i].key, "log") != 0 && !settings_secret(keys[i].key)) {
            fail_msg("[%s] %s may name a secret, and would be shown", keys[i].section, keys[i].key);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_be_a_file_with_a_secret_is_not_shown_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
