#include "operator/asked.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/host.h"
#include "store/jobs_row.h"
#include "store/reopen.h"

void asked_who(char out[ASKED_WHO_ROOM])
{
    const struct passwd *account = getpwuid(getuid());
    char host[HOST_NAME_ROOM], number[24];

    host_name(host);
    (void)snprintf(number, sizeof number, "%lu", (unsigned long)getuid());
    (void)snprintf(out, ASKED_WHO_ROOM, "%.27s@%s", account != NULL ? account->pw_name : number,
                   host);
    for (char *at = out; *at != '\0'; at++) {
        *at = *at > ' ' && *at <= '~' ? *at : '_';
    }
}

struct asked asked_of(struct operator* op, enum command_kind kind)
{
    return (struct asked){.op = op, .ask = {.kind = kind, .at_most = COMMAND_AT_MOST_MAX}};
}

enum ho_code asked_begin(struct asked *a, struct ho_err *err)
{
    if (a->claim.id != 0) {
        return HO_OK;
    }
    asked_who(a->who);
    a->ask.asked_by = span_of(a->who);
    return command_begin(operator_db(a->op), &a->ask, a->who, ASKED_LEASE_MS, &a->claim, err);
}

enum ho_code asked_by_id(struct asked *a, const char *id, const struct db_rows *rows, size_t i,
                         struct ho_err *err)
{
    if (a->claim.id != 0) {
        return HO_OK;
    }
    jobs_row_text(db_cell(rows, i, REOPEN_COL_CID), a->cid, sizeof a->cid);
    if (span_is(db_cell(rows, i, REOPEN_COL_ID), id)) {
        a->ask.job = (uint64_t)db_cell_int(rows, i, REOPEN_COL_ID);
    } else {
        a->ask.correlation_id = span_of(a->cid);
    }
    return asked_begin(a, err);
}

int asked_all(struct asked *a, const struct picker *p, const char *route)
{
    struct ho_err err = {HO_OK, 0, ""};

    a->ask.status = SPAN_LIT("failed");
    a->ask.route = span_of(route);
    return asked_begin(a, &err) == HO_OK ? pick_all(p, route) : operator_db_fail(a->op, &err);
}

void asked_end(struct asked *a, unsigned found, unsigned did)
{
    struct ho_err ignored;
    char text[64];

    if (a->claim.id == 0) {
        return;
    }
    (void)snprintf(text, sizeof text, "%u of %u", did, found);
    a->claim.found = found;
    a->claim.did = did;
    if (command_end(operator_db(a->op), &a->claim, did > 0 ? COMMAND_DONE : COMMAND_REFUSED,
                    span_of(text), a->cid[0] != '\0' ? a->cid : NULL, &ignored) != HO_OK) {
        return; /* the row says so by itself */
    }
}
