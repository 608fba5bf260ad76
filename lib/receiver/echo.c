/* The self-check's probe: what a web server, and whatever stands before it, makes of a request on its
 * way to this program. It says names, lengths and digests, and of values none. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mac.h"
#include "base/text.h"
#include "base/version.h"
#include "receiver/parts.h"

#define ECHO_BODY_MAX ((uint64_t)4 * 1024 * 1024)
#define ECHO_ANSWER_MAX ((size_t)128 * 1024)
#define ECHO_PATH "/setup/echo"
#define FIELD_MAX 512

static const char *const told[] = {"authorization", "content-encoding", "content-type"};
#define TOLD_PREFIX "x-hookonce-test"

bool is_echo(const struct receiver *rx)
{
    const size_t len = sizeof ECHO_PATH - 1;
    struct span path = rx->request.path;

    return path.len >= len && span_is(span_sub(path, path.len - len, len), ECHO_PATH);
}

/* ---- what is said ---- */

/* Appends; the answer has room for every request that could come in. */
static void put(struct buf *out, const char *text)
{
    (void)!buf_add_str(out, text);
}

static void put_text(struct buf *out, const char *name, struct span value)
{
    (void)!buf_addf(out, ",\"%s\":", name);
    if (span_present(value)) {
        (void)!text_json_string(span_sub(value, 0, FIELD_MAX), out);
    } else {
        put(out, "null");
    }
}

static void put_int(struct buf *out, const char *name, int64_t value)
{
    (void)!buf_addf(out, ",\"%s\":%lld", name, (long long)value);
}

static void put_bool(struct buf *out, const char *name, bool value)
{
    (void)!buf_addf(out, ",\"%s\":%s", name, value ? "true" : "false");
}

static void put_digest(struct buf *out, struct span bytes)
{
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];

    mac_sha256(bytes, digest);
    text_hex(digest, sizeof digest, hex);
    (void)!buf_addf(out, "\"%s\"", hex);
}

static bool is_told(struct span name)
{
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (span_is(name, told[i])) {
            return true;
        }
    }
    return span_starts(name, TOLD_PREFIX);
}

/* Every name; of the ones that the check sends also how long the value is, and its digest. */
static void put_headers(const struct request *r, struct buf *out)
{
    put(out, ",\"headers\":[");
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct header *h = &r->headers[i];

        put(out, i > 0 ? ",[" : "[");
        (void)!text_json_string(span_sub(h->name, 0, FIELD_MAX), out);
        if (is_told(h->name)) {
            (void)!buf_addf(out, ",%zu,", h->value.len);
            put_digest(out, h->value);
        }
        put(out, "]");
    }
    put(out, "]");
}

static void put_body(struct receiver *rx, struct buf *out)
{
    enum reason got = receiver_read_body(rx, ECHO_BODY_MAX);
    struct span body = rx->request.body;

    put_bool(out, "whole", got == REASON_OK);
    put_text(out, "trouble", got == REASON_OK ? SPAN_NONE : span_of(reasons[got].word));
    put_int(out, "announced", rx->request.has_length ? (int64_t)rx->request.length : -1);
    put_int(out, "length", got == REASON_OK ? (int64_t)body.len : -1);
    put(out, ",\"sha256\":");
    put_digest(out, got == REASON_OK && span_present(body) ? body : SPAN_LIT(""));
}

static void put_way(const struct receiver *rx, struct buf *out)
{
    static const char *const names[][2] = {
        {"uri", "REQUEST_URI"},        {"script", "SCRIPT_NAME"},  {"path_info", "PATH_INFO"},
        {"server", "SERVER_SOFTWARE"}, {"interface", "GATEWAY_INTERFACE"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct span value = gateway_variable(rx->gateway, names[i][1]);
        if (strcmp(names[i][0], "uri") == 0 && span_present(value)) {
            value = span_cut(&value, '?'); /* a ticket may stand in the query */
        }
        put_text(out, names[i][0], value);
    }
    put_bool(out, "https", rx->request.https);
    put_bool(out, "cgi", gateway_is_cgi(rx->gateway));
    put_int(out, "arguments", rx->n_arguments);
    put(out, ",\"query\":");
    put_digest(out, rx->request.query);
}

/* ---- how this program runs ---- */

static void put_limit(struct buf *out, const char *name, int which)
{
    struct rlimit limit;
    bool known = getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                 limit.rlim_cur <= INT64_MAX;

    put_int(out, name, known ? (int64_t)limit.rlim_cur : -1);
}

/* The file that runs, and the folder it is in. */
static void put_program(struct buf *out)
{
    char path[4096];
    struct stat file, folder;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || stat(path, &file) != 0) {
        return; /* replaced while it runs, or no /proc here */
    }
    slash[slash == path ? 1 : 0] = '\0';
    if (stat(path, &folder) == 0) {
        put_int(out, "program_uid", (int64_t)file.st_uid);
        put_int(out, "program_mode", (int64_t)(file.st_mode & 07777));
        put_int(out, "folder_uid", (int64_t)folder.st_uid);
        put_int(out, "folder_mode", (int64_t)(folder.st_mode & 07777));
    }
}

static void put_host(const struct receiver *rx, struct buf *out)
{
    int fd = open(receiver_state_dir(rx), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *remote = fd >= 0 ? file_remote(fd) : NULL;

    if (fd >= 0) {
        (void)close(fd);
    }
    put_text(out, "remote_disk", span_of(remote));
    put_int(out, "uid", (int64_t)geteuid());
    put_program(out);
    put_limit(out, "memory", RLIMIT_AS);
    put_limit(out, "processes", RLIMIT_NPROC);
    put_int(out, "clock_us", clock_wall_us());
}

static void answer(struct receiver *rx)
{
    struct buf out;

    buf_init(&out, ECHO_ANSWER_MAX);
    put(&out, "{\"hookonce\":\"" HOOKONCE_VERSION "\"");
    put_text(&out, "method", rx->request.method);
    put_way(rx, &out);
    put_host(rx, &out);
    put_body(rx, &out);
    put_headers(&rx->request, &out);
    put(&out, "}\n");
    const struct reply_text text = {200, "application/json", "Cache-Control: no-store\r\n",
                                    buf_span(&out)};
    reply_text(rx, &text);
    buf_free(&out);
}

void serve_echo(struct receiver *rx)
{
    const enum ticket_state state = ticket_shown(rx, TICKET_ECHO);

    if (rx->key.len == 0) {
        refuse(rx, NULL, REASON_NO_SECRET, NULL);
    } else if (state != TICKET_HOLDS) {
        refuse(rx, NULL, state == TICKET_EXPIRED ? REASON_TICKET_OLD : REASON_TICKET, NULL);
    } else {
        answer(rx);
    }
}
