/* Every key that a config file may hold: one table for checking, defaults and the manual. */
#include "core/settings.h"

#define SECOND 1000LL
#define MINUTE (60 * SECOND)
#define MEGABYTE (1024LL * 1024)
#define DAY (24 * 60 * MINUTE)

static const struct conf_key keys[] = {
    {.section = "database", .key = "socket", .type = CONF_LIST,
     .help = "unix sockets of the database, tried in order, comma between; absent, and no host: "
             "/run/mysqld/mysqld.sock, /var/run/mysqld/mysqld.sock and /var/lib/mysql/mysql.sock, then "
             "127.0.0.1. To name the place is safer, as `hookonce setup` does: where the database is "
             "looked for, another account of this machine may listen while it is down"},
    {.section = "database", .key = "host", .type = CONF_TEXT,
     .help = "host of the database; with socket: tried after it"},
    {.section = "database", .key = "port", .type = CONF_INT, .dflt = "3306", .min = 1, .max = 65535,
     .help = "port at that host"},
    {.section = "database", .key = "tls", .type = CONF_WORD, .words = "off on verify",
     .help = "verify: encrypted, and the server's certificate must be good and of that host; on: "
             "encrypted, whoever it is; off: in the clear. Absent: off through a socket and to this "
             "machine, verify to another host"},
    {.section = "database", .key = "tls_ca", .type = CONF_PATH,
     .help = "with tls = verify: file with the certificates (PEM) that the server's is checked by; "
             "absent: the system's"},
    {.section = "database", .key = "tls_cert", .type = CONF_PATH,
     .help = "file with the certificate (PEM) that the server wants of this user; needs tls_key"},
    {.section = "database", .key = "tls_key", .type = CONF_PATH,
     .help = "file with the private key (PEM) of tls_cert"},
    {.section = "database", .key = "name", .type = CONF_TEXT, .required = true,
     .help = "the database that holds the tables"},
    {.section = "database", .key = "table_prefix", .type = CONF_TEXT, .dflt = TABLE_PREFIX,
     .help = "what the names of tables, views and procedures begin with, for more than one "
             "installation in a database: small letters, digits and _, a letter first, at most 48. "
             "Where this manual says hookonce_NAME, it is then that"},
    {.section = "database", .key = "user", .type = CONF_TEXT, .required = true,
     .help = "database user"},
    {.section = "database", .key = "password", .type = CONF_TEXT,
     .help = "its password, as file:PATH; absent: none is sent"},
    {.section = "database", .key = "receiver_user", .type = CONF_TEXT,
     .help = "another database user for the receivers, who needs few rights (`hookonce grants` "
             "prints them); absent: user"},
    {.section = "database", .key = "receiver_password", .type = CONF_TEXT,
     .help = "with receiver_user: its password, as file:PATH; absent: none is sent"},
    {.section = "database", .key = "idle_close", .type = CONF_DURATION, .dflt = "15s",
     .min = SECOND, .max = DAY,
     .help = "a receiver that got no request for so long closes its connection, and opens one for the "
             "next delivery: hosts allow few of them at once"},

    {.section = "hookonce", .key = "state", .type = CONF_PATH, .dflt = "state",
     .help = "private folder for counters, the wake-up and the log; not on a network file system"},
    {.section = "hookonce", .key = "key", .type = CONF_TEXT, .dflt = "file:hookonce.key",
     .help = "this installation's own key, as file:PATH; `hookonce migrate` makes it; the same "
             "file on every host"},
    {.section = "hookonce", .key = "log", .type = CONF_TEXT, .dflt = "file:state/hookonce.log",
     .help = "where log lines go: file:PATH, which at 10 MiB is moved to PATH.1; syslog, or "
             "syslog:SOCKET where it is not at /dev/log; or stderr, which lighttpd throws away"},
    {.section = "hookonce", .key = "log_format", .type = CONF_WORD, .words = "text json",
     .dflt = "text", .help = "text: key=value; json: an object a line"},
    {.section = "hookonce", .key = "log_level", .type = CONF_WORD, .words = "debug info warn alarm",
     .dflt = "info", .help = "the least that is logged"},
    {.section = "hookonce", .key = "body_key", .type = CONF_TEXT, .repeats = true,
     .help = "a key of 32 bytes (hex or base64), as file:PATH, under which bodies, headers and "
             "answers are sealed before they are stored or spooled; may repeat: the first seals, all "
             "open; `off` as the first: nothing new is sealed"},
    {.section = "hookonce", .key = "keep_bodies", .type = CONF_DURATION, .min = DAY,
     .max = 36500 * DAY,
     .help = "how long bodies, headers and answers of what is finished are kept; absent: for ever"},
    {.section = "hookonce", .key = "keep_receipts", .type = CONF_DURATION, .min = DAY,
     .max = 36500 * DAY,
     .help = "how long finished receipts are kept, with their jobs and tries: later the same event "
             "would be a new one; absent: for ever"},
    {.section = "hookonce", .key = "recipes", .type = CONF_PATH, .repeats = true,
     .help = "a file with recipes of your own"},
    {.section = "hookonce", .key = "url", .type = CONF_TEXT,
     .help = "public address of the receiver, for example https://example.com/hookonce.fcgi; used "
             "by `hookonce send`, `check --host` and `tick-url`"},
    {.section = "hookonce", .key = "ca_file", .type = CONF_PATH,
     .help = "file with the certificates (PEM) that servers are checked by when the processor "
             "fetches keys; absent: the system's"},
    {.section = "hookonce", .key = "program", .type = CONF_PATH,
     .help = "the program hookonce, which the receiver starts for sources in reply mode, and for "
             "the spool where no processor runs; absent: the one beside the receiver, else the one "
             "beside this file"},
    {.section = "hookonce", .key = "spool", .type = CONF_WORD, .words = "on off always",
     .dflt = "on",
     .help = "on: a verified event that the database can't take is kept in a private file, "
             "answered as accepted and imported later; off: it is answered busy; always: every "
             "event goes that way, for a database that does not write to the disk at COMMIT"},
    {.section = "hookonce", .key = "spool_dir", .type = CONF_PATH,
     .help = "private folder for those files, on a local disk; absent: `spool` in the folder "
             "`state`. Empty the old one with `hookonce import` before you change it"},
    {.section = "hookonce", .key = "spool_bytes", .type = CONF_SIZE, .dflt = "64m", .min = MEGABYTE,
     .max = 1024 * 1024 * MEGABYTE,
     .help = "most bytes in the spool; an event that does not fit is answered busy"},
    {.section = "hookonce", .key = "spool_files", .type = CONF_INT, .dflt = "10000", .min = 1,
     .max = 100000, .help = "most files in the spool, one a request"},
    {.section = "hookonce", .key = "page_token", .type = CONF_TEXT,
     .help = "a token of at least 16 bytes, as file:PATH, with which the receiver answers /health, "
             "/metrics and /status behind its URL: Authorization: Bearer TOKEN, or TOKEN as the "
             "password of any user, or ?token=TOKEN; absent: these are answered 404"},
    {.section = "hookonce", .key = "setup_token", .type = CONF_TEXT,
     .help = "a token of at least 16 bytes, as file:PATH, with which the receiver answers /setup: "
             "the page that makes tables and key and looks whether all is well, for hosts without "
             "a shell. It is given as page_token is, and counts for an hour after its file was "
             "written; absent: /setup is answered 404"},

    {.section = "hookonce", .key = "sql_commands", .type = CONF_LIST,
     .dflt = "retry, replay, hold, release, pause, resume, test-alert",
     .help = "what may be asked for by a row in hookonce_command, by whoever can write to the "
             "database; also possible: replay-done (of what is done), discard, forget, prune; `none`: "
             "nothing. From the shell everything may"},

    {.section = "processor", .key = "lease", .type = CONF_DURATION, .dflt = "60s",
     .min = 2 * SECOND, .max = DAY,
     .help = "how long a claimed job belongs to its worker before another may take it; of a "
             "command or URL at least its timeout and 10s"},
    {.section = "processor", .key = "batch", .type = CONF_INT, .dflt = "20", .min = 1, .max = 100,
     .help = "jobs claimed at once"},
    {.section = "processor", .key = "poll", .type = CONF_DURATION, .min = SECOND, .max = 5 * MINUTE,
     .help = "longest wait between two looks into the database when nothing wakes the processor, as "
             "deliveries to this host and commands in its shell do; absent: 1m, by one question, and "
             "what is looked after besides is done seldom while nothing happens: fewer than 100 "
             "questions an hour in all. With receivers on several hosts, or where a command that is "
             "given by SQL must not wait for a minute: 5s, which is more than a thousand"},
    {.section = "processor", .key = "tick", .type = CONF_BOOL, .dflt = "yes",
     .help = "whether the receiver starts `hookonce process` when it is asked for under its URL and "
             "/tick by who has a ticket (`hookonce tick-url` makes one), for hosts whose cron can "
             "only call addresses; no: it answers 404"},
    {.section = "processor", .key = "after_answer", .type = CONF_TEXT, .dflt = "off",
     .help = "for hosts without cron: auto or a time up to 20s: after an answer the receiver starts "
             "`hookonce process` for so long (auto: 3s), where none was at work in the last minute; "
             "off: it does not"},

    {.section = "watch", .key = "queue_age", .type = CONF_DURATION, .dflt = "15m", .min = MINUTE,
     .max = 30 * DAY,
     .help = "the oldest job that is due may wait so long; then somebody is told (queue-age); "
             "absent: 15m, or three times processor_every where that is longer"},
    {.section = "watch", .key = "processor_every", .type = CONF_DURATION, .dflt = "5m",
     .min = MINUTE, .max = DAY,
     .help = "cron starts `hookonce process` at least so often; none seen for three times as long "
             "is told (processor), and makes /health degraded"},
    {.section = "watch", .key = "disk_free", .type = CONF_SIZE, .dflt = "100m", .min = 0,
     .max = 1024 * 1024 * MEGABYTE,
     .help = "so much must be left on the disk, or of the quota, of `state` and of the spool; else "
             "somebody is told (disk)"},

    {.section = "alert", .key = "mail", .type = CONF_TEXT,
     .help = "the address that gets a mail when something is wrong, and when it is over; one of "
             "mail, command and url"},
    {.section = "alert", .key = "from", .type = CONF_TEXT,
     .help = "with mail: the address it comes from; absent: as sendmail says"},
    {.section = "alert", .key = "sendmail", .type = CONF_PATH,
     .help = "with mail: the program that takes it, called with -i -t; absent: "
             "/usr/sbin/sendmail or /usr/lib/sendmail"},
    {.section = "alert", .key = "command", .type = CONF_TEXT,
     .help = "a program and arguments, as in [handler], that gets the message on its standard "
             "input: the subject in the first line; HOOKONCE_SUBJECT, HOOKONCE_STATE (firing, over "
             "or test) and HOOKONCE_KINDS in its environment; exit 0: told"},
    {.section = "alert", .key = "url", .type = CONF_TEXT,
     .help = "an address that gets the message by POST as JSON; https, or http to this machine; "
             "2xx: told"},
    {.section = "alert", .key = "auth", .type = CONF_TEXT,
     .help = "with url: `bearer file:PATH` (a token) or `basic file:PATH` (user:password)"},
    {.section = "alert", .key = "sign_with", .type = CONF_TEXT,
     .help = "with url: secret of a Standard Webhooks signature over the request, as file:PATH"},
    {.section = "alert", .key = "kinds", .type = CONF_LIST, .repeats = true,
     .help = "what is told here, e.g. dead-letters, silence; `hookonce watch --kinds` lists them; "
             "absent: all"},
    {.section = "alert", .key = "window", .type = CONF_DURATION, .dflt = "1h", .min = MINUTE,
     .max = 7 * DAY,
     .help = "at most one message a kind in this time, and one when it is over"},

    {.section = "source", .key = "provider", .type = CONF_NAME, .required = true,
     .help = "the recipe to verify with; `hookonce providers` lists them"},
    {.section = "source", .key = "secret", .type = CONF_TEXT, .repeats = true,
     .help = "the signing secret, as file:PATH; may repeat while secrets change; `until "
             "2026-12-01` behind one ends it. Not needed where public keys are fetched"},
    {.section = "source", .key = "url", .type = CONF_TEXT,
     .help = "the source's public URL exactly as entered at the provider, for those that sign it; "
             "absent: as the request says"},
    {.section = "source", .key = "param", .type = CONF_TEXT, .repeats = true,
     .help = "a further setting of the recipe, as NAME VALUE; `hookonce providers NAME` says which "
             "there are"},
    {.section = "source", .key = "tolerance", .type = CONF_DURATION, .min = SECOND, .max = 7 * DAY,
     .help = "how far the signed time may be from ours, both ways; absent: as the recipe says"},
    {.section = "source", .key = "guard", .type = CONF_BOOL,
     .help = "hold back content that was seen under another, unsigned id; absent: as the recipe "
             "says"},
    {.section = "source", .key = "scope", .type = CONF_WORD, .words = "source provider",
     .help = "what ids are unique in: this source, or all sources of the provider; absent: as the "
             "recipe says"},
    {.section = "source", .key = "mode", .type = CONF_WORD, .words = "queue reply", .dflt = "queue",
     .help = "queue: answer at once, work later; reply: answer with what the handler says"},
    {.section = "source", .key = "handler", .type = CONF_NAME,
     .help = "with mode = reply: the handler that answers"},
    {.section = "source", .key = "reply_timeout", .type = CONF_DURATION, .min = 100,
     .max = MINUTE,
     .help = "with mode = reply: longest time until the answer; absent: as the recipe says"},
    {.section = "source", .key = "spool", .type = CONF_WORD, .words = "on off",
     .help = "whether its events may go to the spool; absent: as [hookonce] says. Those of a "
             "source with mode = reply never do"},

    {.section = "source", .key = "expect_every", .type = CONF_TEXT,
     .help = "how long it may be without a new event, e.g. 6h; then somebody is told (silence). Or "
             "`learn`: as long as is not odd for that time of the week, going by the last two to "
             "eight weeks; absent: for ever"},
    {.section = "source", .key = "quiet", .type = CONF_LIST, .repeats = true,
     .help = "with expect_every: hours in UTC in which nothing is expected, and which do not count: "
             "22:00-06:00 (every day), Sat 00:00-Mon 06:00"},

    {.section = "expect", .key = "source", .type = CONF_NAME, .required = true,
     .help = "the source whose events of a type are expected"},
    {.section = "expect", .key = "type", .type = CONF_TEXT, .dflt = "*",
     .help = "their type; * stands for anything"},
    {.section = "expect", .key = "every", .type = CONF_TEXT, .required = true,
     .help = "how long it may be without one, or `learn`; as expect_every of the source"},
    {.section = "expect", .key = "quiet", .type = CONF_LIST, .repeats = true,
     .help = "hours in UTC in which none is expected; absent: those of the source"},

    {.section = "handler", .key = "sql", .type = CONF_TEXT, .repeats = true,
     .help = "one SQL statement; several run in order in one transaction with the mark "
             "`processed`; {/json/pointer}, {header:NAME}, {event:NAME} and {fetched:/pointer} are "
             "bound as values"},
    {.section = "handler", .key = "command", .type = CONF_TEXT,
     .help = "program and arguments, split at blanks, \"quotes\" hold together; no shell. A "
             "relative path begins at this file's folder. Body on standard input, HOOKONCE_ID and "
             "so on in the environment; exit 0: done, 75: again, 69: later without a try, 65 or "
             "78: give up, nothing done"},
    {.section = "handler", .key = "prints", .type = CONF_WORD, .words = "body headers",
     .dflt = "body",
     .help = "with command, for a source in reply mode; body: all of its standard output is the "
             "answer's body; headers: lines `Status: 404` and `Content-Type: TYPE`, each at most "
             "once, and an empty line stand before it, as from a CGI program"},
    {.section = "handler", .key = "url", .type = CONF_TEXT,
     .help = "address that gets the body by POST, with the headers X-Hookonce-* and "
             "Idempotency-Key; https, or http to this machine; 2xx: done"},
    {.section = "handler", .key = "timeout", .type = CONF_DURATION, .dflt = "30s",
     .min = SECOND, .max = HANDLER_TIMEOUT_MAX_MS,
     .help = "longest time for one try, all statements together; shorter than the lease"},
    {.section = "handler", .key = "header", .type = CONF_TEXT, .repeats = true,
     .help = "with url: a further header, as NAME: VALUE; a secret VALUE is written file:PATH"},
    {.section = "handler", .key = "auth", .type = CONF_TEXT,
     .help = "with url: `bearer file:PATH` (a token) or `basic file:PATH` (user:password)"},
    {.section = "handler", .key = "sign_with", .type = CONF_TEXT,
     .help = "with url: secret of a Standard Webhooks signature over the request, as file:PATH"},
    {.section = "handler", .key = "key_lifetime", .type = CONF_DURATION, .min = MINUTE,
     .max = 366 * DAY,
     .help = "with command or url: how long the other side knows an idempotency key; later "
             "nothing is tried again by itself; absent: for ever"},
    {.section = "handler", .key = "at_most_once", .type = CONF_BOOL, .dflt = "no",
     .help = "with command or url: a try that began and neither went well nor said that it did "
             "nothing (exit code 65, 69, 75 or 78; status 410, 422, 429, 503 with Retry-After) is "
             "never repeated by itself, a failed one neither: a person decides"},
    {.section = "handler", .key = "concurrency", .type = CONF_INT, .dflt = "0", .min = 0,
     .max = 1000,
     .help = "how many may run at once, on all hosts together; 0: no limit"},
    {.section = "handler", .key = "rate", .type = CONF_TEXT,
     .help = "most tries in a time, for example `10 per 1s`; absent: no limit. The time is a "
             "window that begins with a try: over the end of one up to twice as many may begin "
             "close together"},
    {.section = "handler", .key = "breaker", .type = CONF_TEXT,
     .help = "after so many failures in a row nothing is tried for a time, and then one job: "
             "`10 failures, 1m`, which is the default for command and url; or off, for sql. Only "
             "the end of that one job closes it, or opens it again"},

    {.section = "route", .key = "provider", .type = CONF_NAME, .required = true,
     .help = "events of this provider, or of this source where ids are unique in the source"},
    {.section = "route", .key = "on", .type = CONF_LIST, .repeats = true,
     .help = "event types that run the handler; * stands for anything; absent: all"},
    {.section = "route", .key = "livemode", .type = CONF_WORD, .words = "any true false",
     .dflt = "any", .help = "only events whose /livemode is this"},
    {.section = "route", .key = "informational", .type = CONF_LIST, .repeats = true,
     .help = "event types that are recorded and shown, and run nothing"},
    {.section = "route", .key = "when", .type = CONF_TEXT, .repeats = true,
     .help = "what must be true for the handler to run: {/pointer}, {header:NAME} or {event:NAME}, "
             "and == VALUE, != VALUE, in V, V, not in V, V, exists, or missing; several: all of "
             "them. \"5\" is a text, 5 a number; null and missing are the same"},
    {.section = "route", .key = "handler", .type = CONF_NAME,
     .help = "the handler to run; may be absent when all types are informational"},
    {.section = "route", .key = "retry", .type = CONF_TEXT, .dflt = RETRY_DEFAULT,
     .help = "how often, and how long between; then the job is a dead letter. Up to a fifth is "
             "added to each wait at random, so that a crowd does not come back at once"},
    {.section = "route", .key = "priority", .type = CONF_WORD, .words = "high normal low",
     .dflt = "normal", .help = "which share of the workers its jobs compete for"},
    {.section = "route", .key = "flow", .type = CONF_NAME,
     .help = "routes of one flow share business keys, order and lanes; absent: the route's name"},
    {.section = "route", .key = "once_per", .type = CONF_TEXT,
     .help = "business key, for example {/data/object/id}: in a flow, one event of each key runs "
             "its handler, whatever further events say the same. Values are compared as text: 1 and "
             "\"1\" are one key; 1, 1.0 and 1e0 are three"},
    {.section = "route", .key = "order_by", .type = CONF_TEXT,
     .help = "key of the object, for example {/data/object/id}: an event older than one of the "
             "same object that ran, or may have acted, is skipped, and one at a time runs"},
    {.section = "route", .key = "order_at", .type = CONF_TEXT,
     .help = "with order_by: where the event says how old it is, an RFC 3339 time or a whole "
             "number that grows; absent: the event's own time. The same on all routes of a flow; "
             "when it changes, what ran before counts as older"},
    {.section = "route", .key = "tie", .type = CONF_WORD, .words = "run fetch skip", .dflt = "run",
     .help = "with order_by: what to do with an event exactly as old; fetch: run, trusting only "
             "what `fetch` brings"},
    {.section = "route", .key = "serialize_by", .type = CONF_TEXT,
     .help = "key of which one event at a time runs; order_by has that already"},
    {.section = "route", .key = "needs", .type = CONF_TEXT,
     .help = "a SELECT; while it gives no row the job waits, which is no try. A reference that "
             "leads to nothing is NULL: it waits all the same, and last_error names it"},
    {.section = "route", .key = "needs_wait", .type = CONF_TEXT, .dflt = NEEDS_WAIT_DEFAULT,
     .help = "with needs: how often and how long; then the job is a dead letter"},
    {.section = "route", .key = "skip_if", .type = CONF_TEXT,
     .help = "a SELECT; when it gives a row the job is done without running: already so"},
    {.section = "route", .key = "fetch", .type = CONF_TEXT,
     .help = "address, with references, that is asked for the object as it is now before the "
             "handler runs; https, or http to this machine. It must answer with JSON"},
    {.section = "route", .key = "fetch_auth", .type = CONF_TEXT,
     .help = "with fetch: `bearer file:PATH` (a token) or `basic file:PATH` (user:password)"},
    {.section = "route", .key = "gone", .type = CONF_WORD, .words = "dead skip run", .dflt = "dead",
     .help = "with fetch: what to do when the object is gone (404, 410): dead letter, done without "
             "running, or run with nothing fetched"},
};

const struct conf_key *settings_keys(size_t *n)
{
    *n = sizeof keys / sizeof keys[0];
    return keys;
}
