/* HTML: escaping, and what is the same in every page. Colours are variables of the style sheet, so
 * that plots are dark where the page is. No script, nothing from elsewhere. */
#include <stdarg.h>
#include <stdio.h>

#include "base/mac.h"
#include "base/text.h"
#include "operator/page.h"
#include "operator/table.h"

#define REPLACED "\xEF\xBF\xBD" /* U+FFFD */

void page_put(struct buf *out, const char *fmt, ...)
{
    va_list ap;
    char text[1024];

    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof text) {
        ho_die("bug: a piece of a page is too long");
    }
    table_must(buf_add(out, text, (size_t)n));
}

static const char *escaped(uint32_t point)
{
    switch (point) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\n':
    case '\t': return " ";
    default: return point < ' ' || (point >= 0x7F && point < 0xA0) ? REPLACED : NULL;
    }
}

/* What turns or hides the text around it is shown as a mark, so that an id reads as what it is. */
static bool misleads(uint32_t point)
{
    return (point >= 0x200B && point <= 0x200F) || (point >= 0x202A && point <= 0x202E) ||
           (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF;
}

void page_text(struct buf *out, struct span text, size_t max)
{
    size_t at = 0;

    while (at < text.len && (max == 0 || at < max)) {
        uint32_t point = 0;
        size_t n = text_utf8_next(span_sub(text, at, text.len), &point);
        const char *instead = n == 0 || misleads(point) ? REPLACED : escaped(point);

        n = n == 0 ? 1 : n;
        if (instead != NULL) {
            table_must(buf_add_str(out, instead));
        } else {
            table_must(buf_add(out, text.p + at, n));
        }
        at += n;
    }
    if (at < text.len) {
        table_must(buf_add_str(out, "\xE2\x80\xA6")); /* an ellipsis */
    }
}

static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--fore:#1b1f24;--dim:#59636e;--line:#d1d9e0;"
    "--card:#f6f8fa;--one:#2563c9;--two:#c2570c;--three:#b91c3c;--well:#1a7f37;--look:#9a6700;"
    "--wrong:#b91c1c}"
    "@media(prefers-color-scheme:dark){:root{--back:#0d1117;--fore:#e6edf3;--dim:#9198a1;"
    "--line:#3d444d;--card:#161b22;--one:#6cb0ff;--two:#f0883e;--three:#ff7b8a;--well:#4cc26a;"
    "--look:#d9a520;--wrong:#ff7b72}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:1100px;padding:12px 16px 40px;background:var(--back);"
    "color:var(--fore);font:15px/1.45 system-ui,sans-serif}"
    "h1{font-size:22px;margin:8px 0}h2{font-size:17px;margin:28px 0 8px}"
    "p{margin:6px 0}.dim,small{color:var(--dim)}"
    ".ready,.degraded,.down{border-left:6px solid;padding:8px 12px;background:var(--card);"
    "border-radius:4px}"
    ".ready{border-color:var(--well)}.degraded{border-color:var(--look)}"
    ".down{border-color:var(--wrong)}"
    ".ready b{color:var(--well)}.degraded b{color:var(--look)}.down b{color:var(--wrong)}"
    "ul{margin:6px 0;padding-left:20px}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(130px,1fr));gap:8px;"
    "margin:12px 0}"
    ".tile{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:8px 10px}"
    ".tile span{display:block;font-size:20px;font-weight:600;font-variant-numeric:tabular-nums}"
    ".bad span{color:var(--wrong)}"
    ".plots{display:grid;gap:10px;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr))}"
    "figure{margin:0;border:1px solid var(--line);border-radius:6px;padding:8px 10px}"
    "figcaption{font-weight:600;display:flex;justify-content:space-between;gap:8px}"
    "svg{display:block;width:100%;height:auto}"
    "svg text{fill:var(--dim);font:11px system-ui,sans-serif}"
    ".grid{stroke:var(--line);stroke-width:1}.s0{fill:var(--one);stroke:var(--one)}"
    ".s1{fill:var(--two);stroke:var(--two)}.s2{fill:var(--three);stroke:var(--three)}"
    "path{fill:none!important;stroke-width:1.8;stroke-linejoin:round}circle{stroke:none}"
    "rect{stroke:none!important}"
    ".key{display:flex;gap:12px;flex-wrap:wrap;font-size:13px}"
    ".key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:4px}"
    ".key .s0{background:var(--one)}.key .s1{background:var(--two)}"
    ".key .s2{background:var(--three)}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-size:14px}"
    "th,td{text-align:left;vertical-align:top;padding:5px 10px 5px 0;"
    "border-bottom:1px solid var(--line)}"
    "th{color:var(--dim);font-weight:500;white-space:nowrap}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;padding-right:18px}"
    "td.t{white-space:nowrap}td.id{font-family:ui-monospace,monospace;font-size:13px;"
    "white-space:pre-wrap;overflow-wrap:anywhere}td.say{overflow-wrap:anywhere;min-width:160px}"
    "code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}"
    /* On a phone each row is a card, and each cell says what it is. */
    "@media(max-width:640px){svg text{font-size:15px}tr:first-child{display:none}"
    "tr{display:block;border-bottom:1px solid var(--line);padding:6px 0}"
    "td,td.n{display:grid;grid-template-columns:128px 1fr;gap:8px;border:0;padding:2px 0;"
    "text-align:left}"
    "td::before{content:attr(data-h);color:var(--dim);font:13px system-ui,sans-serif}}";

/* A policy that lets this style sheet in and no other, by its digest. */
static void put_policy(struct buf *out)
{
    unsigned char digest[SHA256_LEN];
    struct buf text;

    mac_sha256(span_of(style), digest);
    buf_init(&text, 64);
    table_must(text_base64(span_make(digest, sizeof digest), &text));
    page_put(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n",
             buf_cstr(&text));
    buf_free(&text);
}

void page_begin(bool again, struct buf *out)
{
    page_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put_policy(out);
    page_put(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"robots\" content=\"noindex\">\n"
                  "%s<title>hookonce</title>\n<style>",
             again ? "<meta http-equiv=\"refresh\" content=\"60\">\n" : "");
    table_must(buf_add_str(out, style));
    page_put(out, "</style>\n</head>\n<body>\n");
}

void page_end(struct buf *out)
{
    page_put(out, "</body>\n</html>\n");
}
