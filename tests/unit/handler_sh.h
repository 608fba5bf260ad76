/* For the tests of commands: a shell as the handler. */
#ifndef HO_TESTS_HANDLER_SH_H
#define HO_TESTS_HANDLER_SH_H

#include "handler_event.h"

static char *argv[8];

/* Runs `sh -c script a b`. */
static inline enum handler_result sh(const char *script)
{
    static char shell[] = "/bin/sh", flag[] = "-c", name[] = "sh", a[] = "a b";
    static char text[4096];

    assert_true(snprintf(text, sizeof text, "cd %s; %s", dir, script) < (int)sizeof text);
    argv[0] = shell;
    argv[1] = flag;
    argv[2] = text;
    argv[3] = name;
    argv[4] = a;
    argv[5] = NULL;
    handler.kind = HANDLER_COMMAND;
    handler.argv = argv;
    handler.argc = 5;
    return handler_cmd_run(&call, &report, &err);
}

#endif
