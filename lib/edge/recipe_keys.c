/* The table of keys that a recipe may hold. */
#include "edge/recipe_parts.h"

#define DAY_MS (24L * 3600 * 1000)

/* What is required is checked with `like` in mind, not by this table. */
static const struct conf_key keys[] = {
    {"recipe", "like", CONF_NAME, false, false, NULL, 0, 0, NULL,
     "another recipe whose keys this one starts from"},
    {"recipe", "title", CONF_TEXT, false, false, "", 0, 0, NULL, "name for people"},
    {"recipe", "docs", CONF_TEXT, false, false, "", 0, 0, NULL,
     "where the provider describes its webhooks"},
    {"recipe", "confidence", CONF_WORD, false, false, "unconfirmed", 0, 0,
     "official published unconfirmed", "how sure the facts are"},
    {"recipe", "headers", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "prefixes of header families; the first whose signature header is there is used"},
    {"recipe", "sig", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "where the signatures are: header:NAME ; strip TEXT ; list WORD... ; pair WORD NAME"},
    {"recipe", "alg", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "hmac-sha1, hmac-sha256 or hmac-sha512"},
    {"recipe", "enc", CONF_TEXT, false, false, "hex", 0, 0, NULL,
     "how the signature is written: hex (lower case), hex-any or base64"},
    {"recipe", "key", CONF_TEXT, false, false, "utf8", 0, 0, NULL,
     "how the secret becomes the key: utf8, or strip:TEXT | unbase64 | unhex"},
    {"recipe", "signed", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "template of the signed bytes"},
    {"recipe", "time", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "where the signed time is: TERM ; s|ms ; tolerance in seconds"},
    {"recipe", "id", CONF_TEXT, false, false, NULL, 0, 0, NULL, "template of the event's id"},
    {"recipe", "type", CONF_TEXT, false, false, NULL, 0, 0, NULL, "template of the event's type"},
    {"recipe", "object", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "template of what the event is about"},
    {"recipe", "at", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "when it happened: TERM ; s|ms|rfc3339"},
    {"recipe", "same", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "terms whose equal values mean the same event; default {body}"},
    {"recipe", "scope", CONF_WORD, false, false, "source", 0, 0, "source provider",
     "whether endpoints of one provider share their ids"},
    {"recipe", "guard", CONF_TEXT, false, false, "none", 0, 0, NULL,
     "template of what finds a replay under a fresh id, or none"},
    {"recipe", "form-json", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "field that holds the JSON when the body is a form"},
    {"recipe", "needs", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "headers that must be there"},
    {"recipe", "hello", CONF_TEXT, true, false, NULL, 0, 0, NULL,
     "a handshake: [unsigned] METHOD condition... => STATUS [TYPE [TEMPLATE]]"},
    {"recipe", "ok", CONF_TEXT, false, false, "200", 0, 0, NULL, "answer: STATUS [TYPE TEXT]"},
    {"recipe", "bad", CONF_TEXT, false, false, "401", 0, 0, NULL,
     "answer to a signature that does not hold"},
    {"recipe", "busy", CONF_TEXT, false, false, "503", 0, 0, NULL,
     "answer when the event can't be kept now"},
    {"recipe", "empty-body", CONF_BOOL, false, false, "no", 0, 0, NULL,
     "whether an empty body is a delivery"},
    {"recipe", "cap", CONF_SIZE, false, false, "8m", 1, 64L * 1024 * 1024, NULL,
     "largest body"},
    {"recipe", "deadline", CONF_DURATION, false, false, "2s", 100, 10000, NULL,
     "longest time for recording an event"},
    {"recipe", "retries-for", CONF_DURATION, false, false, "0", 0, 400 * DAY_MS, NULL,
     "how long the provider sends an event again by itself"},
    {"recipe", "resend-for", CONF_DURATION, false, false, "0", 0, 400 * DAY_MS, NULL,
     "how long a person can have it sent again"},
    {"recipe", "sample", CONF_TEXT, false, false, NULL, 0, 0, NULL,
     "JSON body for `hookonce send`, with {event:id}, {event:type}, {event:time}"},
    {"recipe", "sample-type", CONF_TEXT, false, false, "test", 0, 0, NULL,
     "event type that `hookonce send` uses by default"},
};

const struct conf_key *recipe_keys(size_t *n)
{
    *n = sizeof keys / sizeof keys[0];
    return keys;
}
