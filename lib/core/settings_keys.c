/* Every key that a config file may hold: one table for checking, defaults and the manual. */
#include "core/settings.h"

#define SECOND 1000LL
#define MINUTE (60 * SECOND)
#define DAY (24 * 60 * MINUTE)

static const struct conf_key keys[] = {
    {.section = "database", .key = "socket", .type = CONF_LIST,
     .help = "unix sockets of the database, tried in order, comma between; or use host"},
    {.section = "database", .key = "host", .type = CONF_TEXT,
     .help = "host of the database, when there is no socket"},
    {.section = "database", .key = "port", .type = CONF_INT, .dflt = "3306", .min = 1, .max = 65535,
     .help = "port at that host"},
    {.section = "database", .key = "name", .type = CONF_TEXT, .required = true,
     .help = "the database that holds the tables"},
    {.section = "database", .key = "user", .type = CONF_TEXT, .required = true,
     .help = "database user"},
    {.section = "database", .key = "password", .type = CONF_TEXT,
     .help = "its password, as file:PATH; absent: none is sent"},

    {.section = "hookonce", .key = "state", .type = CONF_PATH, .dflt = "state",
     .help = "private folder for counters, the wake-up and the log; not on a network file system"},
    {.section = "hookonce", .key = "key", .type = CONF_TEXT, .dflt = "file:hookonce.key",
     .help = "this installation's own key, as file:PATH; `hookonce migrate` makes it; the same "
             "file on every host"},
    {.section = "hookonce", .key = "log", .type = CONF_TEXT, .dflt = "file:state/hookonce.log",
     .help = "where log lines go: stderr, or file:PATH"},
    {.section = "hookonce", .key = "log_level", .type = CONF_WORD, .words = "debug info warn alarm",
     .dflt = "info", .help = "the least that is logged"},
    {.section = "hookonce", .key = "recipes", .type = CONF_PATH, .repeats = true,
     .help = "a file with recipes of your own"},
    {.section = "hookonce", .key = "url", .type = CONF_TEXT,
     .help = "public address of the receiver, for example https://example.com/hookonce.fcgi; used "
             "by `hookonce send`"},
    {.section = "hookonce", .key = "ca_file", .type = CONF_PATH,
     .help = "file with the certificates (PEM) that servers are checked by when the processor "
             "fetches keys; absent: the system's"},
    {.section = "hookonce", .key = "program", .type = CONF_PATH,
     .help = "the program hookonce, which the receiver starts for sources in reply mode; absent: "
             "the one beside the receiver, else the one beside this file"},

    {.section = "processor", .key = "lease", .type = CONF_DURATION, .dflt = "60s",
     .min = 2 * SECOND, .max = DAY,
     .help = "how long a claimed job belongs to its worker before another may take it"},
    {.section = "processor", .key = "batch", .type = CONF_INT, .dflt = "20", .min = 1, .max = 100,
     .help = "jobs claimed at once"},
    {.section = "processor", .key = "poll", .type = CONF_DURATION, .dflt = "5s",
     .min = SECOND, .max = 5 * MINUTE,
     .help = "longest wait between two looks into the queue when nothing wakes it"},

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

    {.section = "handler", .key = "sql", .type = CONF_TEXT, .repeats = true, .required = true,
     .help = "one SQL statement; several run in order in one transaction with the mark "
             "`processed`; {/json/pointer}, {header:NAME} and {event:NAME} are bound as values"},
    {.section = "handler", .key = "timeout", .type = CONF_DURATION, .dflt = "30s",
     .min = SECOND, .max = HANDLER_TIMEOUT_MAX_MS,
     .help = "longest time for all its statements together; shorter than the lease"},

    {.section = "route", .key = "provider", .type = CONF_NAME, .required = true,
     .help = "events of this provider, or of this source where ids are unique in the source"},
    {.section = "route", .key = "on", .type = CONF_LIST, .repeats = true,
     .help = "event types that run the handler; * stands for anything; absent: all"},
    {.section = "route", .key = "livemode", .type = CONF_WORD, .words = "any true false",
     .dflt = "any", .help = "only events whose /livemode is this"},
    {.section = "route", .key = "informational", .type = CONF_LIST, .repeats = true,
     .help = "event types that are recorded and shown, and run nothing"},
    {.section = "route", .key = "handler", .type = CONF_NAME,
     .help = "the handler to run; may be absent when all types are informational"},
    {.section = "route", .key = "retry", .type = CONF_TEXT, .dflt = RETRY_DEFAULT,
     .help = "how often, and how long between; then the job is a dead letter"},
};

const struct conf_key *settings_keys(size_t *n)
{
    *n = sizeof keys / sizeof keys[0];
    return keys;
}
