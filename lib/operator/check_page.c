/* What `hookonce check` says of the pages: whether they can be asked for, and made. */
#include "operator/check.h"

/* The page for hosts without a shell is there for an hour, and not to be left open. */
static void check_setup(struct check *c)
{
    const char *path = c->op->settings->setup_token_file;
    struct secret token = {NULL, 0};
    struct ho_err err = {HO_OK, 0, ""};

    if (path == NULL) {
        return;
    }
    if (secret_read(path, &token, &err) != HO_OK) {
        found(c, FOUND_WARN, "setup", "setup_token: %s; remove the line once all is well", err.text);
    } else if (token.len < PAGE_TOKEN_LEN_MIN) {
        found(c, FOUND_WARN, "setup", "setup_token: %s holds only %zu bytes, and at least %d are wanted",
              path, token.len, PAGE_TOKEN_LEN_MIN);
    } else {
        found(c, FOUND_NOTE, "setup", "/setup is answered to who has %s, for an hour after it was "
              "written: remove setup_token and that file when all is well", path);
    }
    secret_free(&token);
}

void check_page(struct check *c)
{
    const char *path = c->op->settings->page_token_file;
    struct secret token = {NULL, 0};
    struct ho_err err = {HO_OK, 0, ""};

    check_setup(c);
    if (path == NULL) {
        return;
    }
    if (secret_read(path, &token, &err) != HO_OK) {
        found(c, FOUND_FAIL, "pages", "page_token: %s", err.text);
    } else if (token.len < PAGE_TOKEN_LEN_MIN) {
        found(c, FOUND_FAIL, "pages",
              "page_token: %s holds only %zu bytes, and at least %d are wanted: `openssl rand -hex "
              "24` makes a good one", path, token.len, PAGE_TOKEN_LEN_MIN);
    } else {
        found(c, FOUND_OK, "pages", "/health, /metrics and /status are answered to who has %s",
              path);
        check_secret_ending(c, "page", "token", path);
        check_program(c, "page", "program");
    }
    secret_free(&token);
}
