/* The table of keys that a recipe may hold. */
#include "edge/recipe_parts.h"

#define DAY_MS (24L * 3600 * 1000)

#define TEXT(name, text) {.section = "recipe", .key = (name), .type = CONF_TEXT, .help = (text)}
#define MANY(name, text) \
    {.section = "recipe", .key = (name), .type = CONF_TEXT, .repeats = true, .help = (text)}

/* What is required is checked with `like` in mind, not by this table. */
static const struct conf_key keys[] = {
    {.section = "recipe", .key = "like", .type = CONF_NAME,
     .help = "another recipe whose keys this one starts from; of a key that repeats, all lines "
             "are taken from the nearest recipe that has any, and `none` switches an inherited "
             "key off"},
    {.section = "recipe", .key = "title", .type = CONF_TEXT, .dflt = "", .help = "name for people"},
    {.section = "recipe", .key = "docs", .type = CONF_TEXT, .dflt = "",
     .help = "where the provider describes its webhooks"},
    TEXT("basis", "what the facts were read in: a document, or a repository and path"),
    {.section = "recipe", .key = "confidence", .type = CONF_WORD, .dflt = "unconfirmed",
     .words = "official published unconfirmed",
     .help = "how sure the facts are: official (read in the provider's own documents or library), "
             "published (in somebody else's), unconfirmed"},
    TEXT("secret-at", "where in the provider's dashboard the secret is found"),
    TEXT("authoritative", "which events are customarily the ones to act on"),
    TEXT("note", "what else to know"),
    {.section = "recipe", .key = "weak", .type = CONF_WORD, .words = "body fields token none",
     .help = "what the signature does not cover, which must be said: body (nothing of the body "
             "is signed), fields (only some fields of it), token (there is no signature, only a "
             "shared token)"},
    MANY("param", "a setting that each source must give: NAME, then words that say what it is"),
    TEXT("headers", "prefixes of header families; the first whose signature header is there is "
                    "used for every header:*NAME"),
    {.section = "recipe", .key = "methods", .type = CONF_TEXT, .dflt = "POST",
     .help = "methods that deliver: POST GET PUT, with blanks between"},
    TEXT("sig", "where the signatures are: one or more of header, query, form, json and body, "
                "with filters, then directives behind ` ; `: strip TEXT (a prefix that must be "
                "there), list WORD... (entries stand between comma or semicolon, with blanks or "
                "without, between space, amp, comma-space, which also takes several headers, or "
                "bare-comma, where blanks are no part of the separator), first NAME... (the first "
                "entries are sig.NAME, the rest signatures), pair WORD NAME (entries are NAME, then eq, colon, comma or dot, "
                "then VALUE; those called NAME are signatures, the others sig.FIELD), behind "
                "TEXT (the signature is what stands behind TEXT in an entry)"),
    TEXT("alg", "hmac-ALG, digest-ALG, rsa-ALG, ecdsa-ALG (ALG: md5 sha1 sha256 sha384 sha512; "
                "of rsa and ecdsa sha1 sha256 sha512), ed25519, jwt NAME... or jws NAME... "
                "(HS256 HS384 HS512 RS256 RS384 RS512 ES256 EdDSA; jws is detached), or equal "
                "(the text is the secret itself)"),
    TEXT("alg-by", "in place of alg, where the request names it: TERM ; VALUE ALG ; VALUE ALG ; "
                   "none ALG ; else ALG. `none` is for a request without the term, `else` for "
                   "any other value; what is not named is refused"),
    TEXT("enc", "how the signature is written: hex (lower case), hex-any, base64, base64url or "
                "raw; default hex, and raw with equal, jwt and jws"),
    {.section = "recipe", .key = "key", .type = CONF_TEXT, .dflt = "utf8",
     .help = "how the text of a secret becomes the key: utf8 (as it is), or steps with ` | ` "
             "between: first perhaps split:TEXT (several secrets with TEXT between, each one a "
             "key), then perhaps a template of {secret} and {param:NAME}, then strip:TEXT (off, "
             "if it begins so), unbase64, unhex, md5, sha1, sha256. A public key is PEM (key or "
             "certificate), DER SubjectPublicKeyInfo, or 32 bytes for ed25519"},
    TEXT("keys", "public keys that the processor fetches, in place of secrets: jwks URL ; kid "
                 "TERM, or pem URL, or json URL ; at /POINTER. URL is https://... or the TERM "
                 "that tells it, with ; from PATTERN... behind: full https URLs in which * "
                 "stands for letters, digits, - and _. Secrets that a source has are then used "
                 "in their place"),
    TEXT("signed", "template of the signed bytes; \\n is a line feed. Must hold {body}, unless "
                   "`weak` or a `check` says how the body is covered; {secret} with digest-ALG; "
                   "none with jwt and equal"),
    MANY("check", "TEMPLATE == TEMPLATE ; if WORD ; unless WORD: must hold as well as the "
                  "signature. WORD is body (not empty), form (the body is one), or a TERM (is "
                  "there)"),
    TEXT("time", "where the signed time is: TERM, or TERM ?? TERM (the first that is there); "
                 "unit s, ms, rfc3339 or rfc2822; tolerance in seconds, or none. With ` ; ` "
                 "between"),
    TEXT("batch", "pointer to the array of events in the document, or . for the document: each "
                  "item is an event"),
    TEXT("id", "template of the event's id; in a batch it may be missing, then it is the body's "
               "digest and the item's index"),
    TEXT("reply-id", "the same for a source in reply mode, where equal requests without an id are "
                     "questions of their own: then it ends in ?? {arrival}"),
    TEXT("type", "template of the event's type"),
    TEXT("object", "template of what the event is about"),
    TEXT("at", "when it happened: TERM ; s, ms, rfc3339 or rfc2822; alternatives with ` ?? ` "
               "between"),
    TEXT("same", "terms in braces whose equal values mean that the same event is said again; "
                 "default {body}, and {item} in a batch"),
    {.section = "recipe", .key = "scope", .type = CONF_WORD, .dflt = "source",
     .words = "source provider", .help = "whether endpoints of one provider share their ids"},
    {.section = "recipe", .key = "guard", .type = CONF_TEXT, .dflt = "none",
     .help = "template of what finds a replay under a fresh id, or none"},
    TEXT("form-json", "field that holds the JSON when the body is a form"),
    TEXT("needs", "headers that must be there, with blanks between; *NAME is one of the family"),
    MANY("hello", "a handshake: [unsigned | foreign] METHOD condition... => STATUS [TYPE "
                  "[TEMPLATE]], then behind ` ; `: header NAME TEMPLATE, save TERM (becomes the "
                  "source's secret while `hookonce pair` waits for it), visit TERM from "
                  "PATTERN... (the processor gets that URL). It must be signed like a delivery; "
                  "unsigned: comes without a signature; foreign: that, or under a signature that "
                  "none of our keys made, since some senders try a new URL with a key that "
                  "everybody knows. METHOD is POST GET HEAD OPTIONS; a condition TERM==TEXT, "
                  "TERM=={param:NAME} or TERM (is there). An answer that shows terms is "
                  "text/plain or JSON; in JSON each stands inside quotes and ends in |json, "
                  "|hex or |base64"),
    {.section = "recipe", .key = "ok", .type = CONF_TEXT, .dflt = "200",
     .help = "answer: STATUS [TYPE [TEMPLATE]] ; header NAME TEMPLATE"},
    {.section = "recipe", .key = "bad", .type = CONF_TEXT, .dflt = "401",
     .help = "answer to a signature that does not hold"},
    {.section = "recipe", .key = "busy", .type = CONF_TEXT, .dflt = "503",
     .help = "answer when the event can't be kept now"},
    {.section = "recipe", .key = "never", .type = CONF_TEXT, .dflt = "422",
     .help = "answer to a genuine request that can never be taken"},
    {.section = "recipe", .key = "reply-ok", .type = CONF_TEXT, .dflt = "200",
     .help = "answer of a source in reply mode whose handler says nothing; its type stands for a "
             "body without one"},
    {.section = "recipe", .key = "reply-fail", .type = CONF_TEXT, .dflt = "500",
     .help = "answer of a source in reply mode whose handler failed or was not through in time"},
    {.section = "recipe", .key = "reply-busy", .type = CONF_TEXT, .dflt = "503",
     .help = "answer of a source in reply mode when the sender is to ask again"},
    {.section = "recipe", .key = "empty-body", .type = CONF_BOOL, .dflt = "no",
     .help = "whether an empty body is a delivery"},
    {.section = "recipe", .key = "cap", .type = CONF_SIZE, .dflt = "8m", .min = 1,
     .max = 64L * 1024 * 1024, .help = "largest body"},
    {.section = "recipe", .key = "deadline", .type = CONF_DURATION, .dflt = "2s", .min = 100,
     .max = 10000, .help = "longest time for recording an event"},
    {.section = "recipe", .key = "reply-deadline", .type = CONF_DURATION, .dflt = "4s", .min = 100,
     .max = 60000,
     .help = "longest time until the answer of a source in reply mode, unless it says otherwise"},
    {.section = "recipe", .key = "retries-for", .type = CONF_DURATION, .dflt = "0",
     .max = 400 * DAY_MS, .help = "how long the provider sends an event again by itself"},
    {.section = "recipe", .key = "resend-for", .type = CONF_DURATION, .dflt = "0",
     .max = 400 * DAY_MS, .help = "how long a person can have it sent again"},
    TEXT("sample", "body for `hookonce send`, with {event:id}, {event:type}, {event:time} in "
                   "seconds, {event:time-ms} and {event:time-iso}"),
    {.section = "recipe", .key = "sample-type", .type = CONF_TEXT, .dflt = "test",
     .help = "event type that `hookonce send` uses by default"},
    {.section = "recipe", .key = "sample-form", .type = CONF_BOOL, .dflt = "no",
     .help = "whether the sample is a form; else it is JSON"},
    MANY("sample-for", "another one for some event types: PATTERN ; TEXT, where * in PATTERN "
                       "stands for anything; JSON if TEXT begins with { or [, else a form"),
    TEXT("reply-sample-type", "in place of sample-type for a source in reply mode"),
};

const struct conf_key *recipe_keys(size_t *n)
{
    *n = sizeof keys / sizeof keys[0];
    return keys;
}
