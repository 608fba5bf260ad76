/* The table of findings, first part: what is seen through the public URL. One sentence each, without
 * a full stop: a line is put together of them. */
#include "operator/finding_parts.h"

const struct finding_row findings_web[FINDING_WEB_N] = {
    [FINDING_NO_ANSWER] = {"no-answer", FOUND_FAIL, "nothing answers at the URL",
        "providers get no answer, and give up after some tries",
        {[HOST_ANY] = "is the address right, does its name lead to this host (DNS), is the web "
                      "server up, and does a firewall let requests in"}},
    [FINDING_UNSTEADY] = {"unsteady", FOUND_FAIL, "the host does not always answer, or too slowly",
        "providers wait some seconds, and deliver again later what was not answered: many events "
        "come late, some never",
        {[HOST_ANY] = "does the host limit requests a minute (429) or an account's processes (503, "
                      "508), or is it overloaded: its error log says so; ask for more, take the "
                      "path out of the limit, then look again"}},
    [FINDING_TLS] = {"tls", FOUND_FAIL, "the certificate is none that providers accept",
        "they check it, and deliver nothing to a host whose certificate is not good",
        {[HOST_ANY] = "let the panel make one for exactly this name (Let's Encrypt, AutoSSL), "
                      "with the chain of its issuer, and see that it is renewed"}},
    [FINDING_PLAIN_HTTP] = {"plain-http", FOUND_WARN, "the URL is plain http",
        "events, and tokens in headers, can be read and altered on the way; most providers want "
        "https",
        {[HOST_ANY] = "switch TLS on in the panel, and write the https:// address into url of "
                      "[hookonce] and at the providers"}},
    [FINDING_REDIRECTED] = {"redirected", FOUND_FAIL, "a POST is answered by a redirect",
        "providers do not follow it, or follow it with a GET that has no body: nothing arrives",
        {[HOST_ANY] = "write the address it leads to into url of [hookonce] and at the providers",
         [HOST_APACHE] = "write the address it leads to into url of [hookonce] and at the "
                         "providers, or in .htaccess put `RewriteCond %{REQUEST_URI} "
                         "!/hookonce\\.fcgi` before the RewriteRule that redirects",
         [HOST_LITESPEED] = "write the address it leads to into url of [hookonce] and at the "
                            "providers, or in .htaccess put `RewriteCond %{REQUEST_URI} "
                            "!/hookonce\\.fcgi` before the RewriteRule that redirects",
         [HOST_LIGHTTPD] = "write the address it leads to into url of [hookonce] and at the "
                           "providers, or keep the path out of url.redirect by "
                           "`$HTTP[\"url\"] !~ \"^/hook\"`",
         [HOST_NGINX] = "write the address it leads to into url of [hookonce] and at the "
                        "providers, or give the path a location of its own, beside the one with "
                        "`return 301`"}},
    [FINDING_PROGRAM_SERVED] = {"program-served", FOUND_FAIL,
        "the web server hands hookonce.fcgi out as a file",
        "no delivery is taken, and anybody can download the program",
        {[HOST_ANY] = "tell the web server to run files that end in .fcgi, as CGI or FastCGI",
         [HOST_APACHE] = "in the .htaccess beside it write `Options +ExecCGI` and `AddHandler "
                         "cgi-script .fcgi` (fcgid-script where the host has mod_fcgid); "
                         "apache/htaccess-cgid is that file",
         [HOST_LITESPEED] = "in the .htaccess beside it write `Options +ExecCGI` and `AddHandler "
                            "cgi-script .fcgi`, and let the host allow CGI in the panel",
         [HOST_LIGHTTPD] = "include lighttpd/hookonce.conf: `cgi.assign` or `fastcgi.server` for "
                           "the path",
         [HOST_NGINX] = "nginx starts no programs: run `hookonce serve` and give the path "
                        "`fastcgi_pass unix:SOCKET`"}},
    [FINDING_NOT_REACHED] = {"not-reached", FOUND_FAIL,
        "the URL leads to something else than hookonce.fcgi",
        "deliveries end somewhere else, and may even be answered as taken",
        {[HOST_ANY] = "write the address of hookonce.fcgi itself into url of [hookonce], or mend "
                      "the rule that leads there; what stands behind it (/SOURCE) must get "
                      "through",
         [HOST_APACHE] = "is hookonce.fcgi in the folder of that address, and does no RewriteRule "
                         "of another program (a CMS) take the path first: put apache/htaccess-cgid "
                         "or htaccess-fcgid beside it",
         [HOST_LITESPEED] = "is hookonce.fcgi in the folder of that address, and does no "
                            "RewriteRule of another program (a CMS) take the path first",
         [HOST_LIGHTTPD] = "include lighttpd/hookonce.conf before the rules of the site",
         [HOST_NGINX] = "give the path a `location ^~` of its own with fastcgi_pass"}},
    [FINDING_FORBIDDEN] = {"forbidden", FOUND_FAIL,
        "the web server refuses requests for hookonce.fcgi",
        "no delivery reaches the program",
        {[HOST_ANY] = "allow the path in the web server's rules, and take password or country "
                      "blocks off it",
         [HOST_APACHE] = "in the .htaccess beside it `Options +ExecCGI` and `Require all granted`; "
                         "hookonce.fcgi is chmod 755; is a firewall (ModSecurity) or a password "
                         "before the folder, take it off there",
         [HOST_LITESPEED] = "in the .htaccess beside it `Options +ExecCGI`; hookonce.fcgi is chmod "
                            "755; is a firewall (ModSecurity) or a password before the folder, "
                            "take it off there",
         [HOST_LIGHTTPD] = "url.access-deny and auth.require must leave the path out",
         [HOST_NGINX] = "deny and auth_basic must leave the location out"}},
    [FINDING_NOT_STARTED] = {"not-started", FOUND_FAIL,
        "the web server could not run hookonce.fcgi",
        "every delivery is answered with an error",
        {[HOST_ANY] = "the server's error log says why: chmod 755, uploaded in binary mode, made "
                      "for this machine",
         [HOST_APACHE] = "the error log says why; with suEXEC the file and its folder must be your "
                         "account's, chmod 755, writable to nobody else, and no symlink; upload "
                         "it in binary mode",
         [HOST_LITESPEED] = "the error log says why: chmod 755, owned by your account, uploaded in "
                            "binary mode, and the host's limit of CGI processes",
         [HOST_LIGHTTPD] = "the error log says why: may the server's account run the program "
                           "(chmod 755, and its folders x)",
         [HOST_NGINX] = "is `hookonce serve` (or hookonce-receiver.service) up, and may nginx "
                        "open its socket"}},
    [FINDING_NOT_CONFIGURED] = {"not-configured", FOUND_FAIL,
        "the receiver runs, and finds no config that it may use",
        "every delivery is answered busy",
        {[HOST_ANY] = "put hookonce.conf beside hookonce.fcgi's folder or into ~/hookonce, mode "
                      "0600 and owned by the account that runs the receiver; its log or the "
                      "server's error log says what is wrong with it"}},
    [FINDING_TICKET_REFUSED] = {"ticket-refused", FOUND_FAIL,
        "the receiver does not know this installation's key",
        "it reads another hookonce.conf or key file than this program, or its clock is hours off: "
        "what it records would never be run",
        {[HOST_ANY] = "let both use one hookonce.conf and one key file; remove an older "
                      "installation; and look at the clocks"}},
    [FINDING_OTHER_VERSION] = {"other-version", FOUND_WARN,
        "the receiver is of another version than this program",
        "they may not understand each other's tables and files",
        {[HOST_ANY] = "copy both programs of one release: write hookonce.fcgi under another name, "
                      "then rename it"}},
    [FINDING_OTHER_ACCOUNT] = {"other-account", FOUND_FAIL,
        "the receiver runs as another account than this program",
        "they share private files: secrets, the spool, counters; one cannot read what the other "
        "writes",
        {[HOST_ANY] = "run cron and `hookonce` as the account of the web server's programs "
                      "(sudo -u), or let the web server run them as yours",
         [HOST_APACHE] = "switch suEXEC on for the site (panel: run CGI as the owner), or run "
                         "cron and `hookonce` as the web server's account",
         [HOST_LIGHTTPD] = "set server.username to your account, or run cron and `hookonce` as "
                           "the server's",
         [HOST_NGINX] = "run `hookonce serve` as the account that cron runs `hookonce` as"}},
    [FINDING_AUTHORIZATION] = {"authorization", FOUND_WARN,
        "the header Authorization does not arrive",
        "senders that show a token or a password there are refused, and so is Bearer for /health "
        "and /tick",
        {[HOST_ANY] = "let the web server pass it on",
         [HOST_APACHE] = "in .htaccess write `CGIPassAuth On`, or where that is not allowed "
                         "`SetEnvIf Authorization \"(.*)\" HTTP_AUTHORIZATION=$1`",
         [HOST_LITESPEED] = "in .htaccess write `RewriteRule .* - "
                            "[E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]`",
         [HOST_NGINX] = "write `fastcgi_param HTTP_AUTHORIZATION $http_authorization;`"}},
    [FINDING_HEADER_ALTERED] = {"header-altered", FOUND_FAIL,
        "a header like those that signatures come in does not arrive as it was sent",
        "without its signature every delivery is refused",
        {[HOST_ANY] = "find what drops or rewrites it: a firewall, a CDN or a proxy before the "
                      "web server; let X- headers through unchanged",
         [HOST_APACHE] = "look for RequestHeader in .htaccess and vhost, for ModSecurity, and for "
                         "a CDN or proxy before it; let X- headers through unchanged",
         [HOST_NGINX] = "look for proxy_set_header, and for fastcgi_pass_request_headers off; let "
                        "X- headers through unchanged"}},
    [FINDING_HEADER_LONG] = {"header-long", FOUND_WARN,
        "a header of 4000 bytes does not get through",
        "some signatures are long (tokens with certificates, several keys at once)",
        {[HOST_ANY] = "raise the longest header that web server, proxy and firewall take to 8k",
         [HOST_APACHE] = "LimitRequestFieldSize 8190 in the vhost: the host's part",
         [HOST_LIGHTTPD] = "server.max-request-field-size = 8192",
         [HOST_NGINX] = "large_client_header_buffers 4 16k"}},
    [FINDING_HEADER_TWICE] = {"header-twice", FOUND_WARN,
        "of two headers of one name one is lost on the way",
        "a forged second signature is to be seen and refused; and some senders send one a key",
        {[HOST_ANY] = "a proxy or firewall before the web server keeps only one: let both "
                      "through, or join them with a comma"}},
    [FINDING_HEADER_SHADOWED] = {"header-shadowed", FOUND_WARN,
        "a header with underscores takes the place of the genuine one",
        "whoever reaches the server can hide what a proxy before it has checked",
        {[HOST_ANY] = "let the proxy or web server drop headers with an underscore in their name",
         [HOST_NGINX] = "underscores_in_headers off, which is the default"}},
    [FINDING_QUERY_ALTERED] = {"query-altered", FOUND_WARN,
        "what stands behind the ? of a URL does not arrive as it was sent",
        "handshakes bring their challenge there, and some senders a token or a signature",
        {[HOST_ANY] = "find the rule that rewrites it",
         [HOST_APACHE] = "a RewriteRule whose target ends in ? or has a query drops it: add [QSA], "
                         "or take the ? away",
         [HOST_LITESPEED] = "a RewriteRule whose target ends in ? or has a query drops it: add "
                            "[QSA], or take the ? away",
         [HOST_NGINX] = "a rewrite whose target ends in ? drops it; fastcgi_param QUERY_STRING and "
                        "REQUEST_URI as in fastcgi_params"}},
    [FINDING_BODY_ALTERED] = {"body-altered", FOUND_FAIL,
        "the body of a POST arrives altered",
        "signatures cover every byte: each delivery is refused",
        {[HOST_ANY] = "find what rewrites it: a firewall that cleans up input, an input filter, a "
                      "CDN; take the path out of it",
         [HOST_APACHE] = "look for SetInputFilter, mod_security's body rules and a CDN before it; "
                         "take the path out of it (`SecRuleEngine Off` in its <Location>)"}},
    [FINDING_BODY_BLOCKED] = {"body-blocked", FOUND_FAIL,
        "a firewall refuses bodies by what they say",
        "events hold what people write: SQL, HTML, paths; such ones never arrive, and the sender "
        "may be banned",
        {[HOST_ANY] = "ask the host to take the path out of the firewall (ModSecurity, Imunify360, "
                      "the CDN's WAF)",
         [HOST_APACHE] = "panel: ModSecurity off for this domain or path, or the host writes "
                         "`SecRuleEngine Off` for its <Location>; with a CDN a rule that skips its "
                         "WAF there",
         [HOST_LITESPEED] = "panel: ModSecurity off for this domain or path; with a CDN a rule "
                            "that skips its WAF there"}},
    [FINDING_BODY_LIMIT] = {"body-limit", FOUND_FAIL, "a body of 200,000 bytes does not get through",
        "many events are longer: they are answered with an error, and never arrive",
        {[HOST_ANY] = "raise the longest body that is taken to 26 MB, in the web server and in "
                      "every proxy before it",
         [HOST_APACHE] = "LimitRequestBody 27262976 in .htaccess; with ModSecurity also "
                         "SecRequestBodyLimit, the host's part",
         [HOST_FCGID] = "mod_fcgid takes 131072 bytes unless the vhost says `FcgidMaxRequestLen "
                        "27262976`, which only the host can write; without that run the program "
                        "as CGI: `AddHandler cgi-script .fcgi` in .htaccess",
         [HOST_LITESPEED] = "maxReqBodySize in the server's tuning, the host's part",
         [HOST_LIGHTTPD] = "server.max-request-size = 26624, in kilobytes",
         [HOST_NGINX] = "client_max_body_size 26m"}},
    [FINDING_BODY_LIMIT_2M] = {"body-limit-2m", FOUND_WARN, "a body of 2 MB does not get through",
        "GitHub sends up to 25 MB, Shopify and others some; these are answered with an error, and "
        "never arrive",
        {[HOST_ANY] = "raise the longest body that is taken to 26 MB, in the web server and in "
                      "every proxy before it",
         [HOST_APACHE] = "LimitRequestBody 27262976 in .htaccess; with ModSecurity also "
                         "SecRequestBodyLimit, the host's part",
         [HOST_FCGID] = "`FcgidMaxRequestLen 27262976` in the vhost, which only the host can "
                        "write; without that run the program as CGI: `AddHandler cgi-script .fcgi` "
                        "in .htaccess",
         [HOST_LITESPEED] = "maxReqBodySize in the server's tuning, the host's part",
         [HOST_LIGHTTPD] = "server.max-request-size = 26624, in kilobytes",
         [HOST_NGINX] = "client_max_body_size 26m"}},
    [FINDING_BODY_INFLATED] = {"body-inflated", FOUND_WARN,
        "a body that is sent compressed arrives inflated",
        "a signature over the bytes that were sent does not hold any more",
        {[HOST_ANY] = "switch off for this path whatever inflates requests",
         [HOST_APACHE] = "take `SetInputFilter DEFLATE` off this path"}},
    [FINDING_BODY_CHUNKED] = {"body-chunked", FOUND_WARN,
        "a body that is sent in chunks, its length not said before, does not arrive",
        "a few senders send so; what they deliver is refused",
        {[HOST_ANY] = "let the web server or proxy collect the body first, and pass its length on",
         [HOST_FCGID] = "an older mod_fcgid loses it: ask the host for a newer one, or run the "
                        "program as CGI: `AddHandler cgi-script .fcgi` in .htaccess",
         [HOST_NGINX] = "proxy_request_buffering and fastcgi_request_buffering on"}},
    [FINDING_HTTP2_BODY] = {"http2-body", FOUND_FAIL,
        "over HTTP/2 a body without a length is lost",
        "the server says that it came, and gives the program nothing of it: deliveries are refused",
        {[HOST_ANY] = "switch HTTP/2 off for this name",
         [HOST_FCGID] = "mod_fcgid with mod_http2 does that: `Protocols http/1.1` in the vhost, or "
                        "run the program as CGI: `AddHandler cgi-script .fcgi` in .htaccess"}},
    [FINDING_HTTP2_UNTESTED] = {"http2-untested", FOUND_NOTE,
        "whether bodies come through over HTTP/2 was not tested",
        "mod_fcgid loses those without a length",
        {[HOST_ANY] = "nothing, unless the server is Apache with mod_fcgid and mod_http2; test "
                      "there with a program that speaks HTTP/2: `hookonce` of this release and URL "
                      "do not"}},
    [FINDING_CACHED] = {"cached", FOUND_FAIL, "an answer came from a cache",
        "a delivery may be answered without ever arriving",
        {[HOST_ANY] = "take the path out of the cache of CDN and proxy",
         [HOST_LITESPEED] = "in .htaccess `<IfModule LiteSpeed>` `CacheDisable public /` `</IfModule>`, "
                            "and take the path out of the CDN's cache",
         [HOST_NGINX] = "fastcgi_cache off for the path, and take it out of the CDN's cache"}},
    [FINDING_FILE_SERVED] = {"file-served", FOUND_FAIL,
        "a private file of the installation can be downloaded",
        "whoever has it can read secrets or forge deliveries",
        {[HOST_ANY] = "move everything but hookonce.fcgi out of the web root, one folder up or "
                      "more, then change every secret that was there"}},
    [FINDING_ARGV] = {"argv", FOUND_NOTE,
        "the web server writes the query into a program's command line",
        "hookonce.fcgi never reads it; a program that does could be told anything",
        {[HOST_ANY] = "nothing; keep the program `hookonce` and handlers' programs out of the web "
                      "root"}},
    [FINDING_CLOCK_WEB] = {"clock-web", FOUND_WARN,
        "the clock of the receiver, or of the server that answers, is off",
        "signed times are judged by it: with 5 minutes genuine deliveries are refused",
        {[HOST_ANY] = "ask the host to set the clock (NTP)"}},
    [FINDING_IPV6] = {"ipv6", FOUND_FAIL, "over IPv4 and IPv6 something else answers",
        "providers choose one of them: a part of the deliveries does not arrive",
        {[HOST_ANY] = "point the AAAA record to this host too, or remove it",
         [HOST_APACHE] = "point the AAAA record to this host too, or remove it; the vhost must "
                         "listen on both (`<VirtualHost *:443>`)",
         [HOST_LIGHTTPD] = "point the AAAA record to this host too, or remove it; the server must "
                           "listen on both ($SERVER[\"socket\"] == \"[::]:443\")",
         [HOST_NGINX] = "point the AAAA record to this host too, or remove it; the server block "
                        "needs `listen [::]:443 ssl`"}},
    [FINDING_PROGRAM_WRITABLE] = {"program-writable", FOUND_WARN,
        "others may write to hookonce.fcgi or to its folder",
        "they could put another program in its place; and suEXEC refuses to run it",
        {[HOST_ANY] = "chmod 755 the program and its folder, both owned by your account"}},
    [FINDING_MEMORY_LIMIT] = {"memory-limit", FOUND_WARN, "the receiver may use little memory",
        "large events need up to three times their size, and would be answered with an error",
        {[HOST_ANY] = "ask the host for 128 MB of address space for a program",
         [HOST_APACHE] = "RLimitMEM in the vhost or the panel's limit: ask the host for 128 MB"}},
    [FINDING_PROCESS_LIMIT] = {"process-limit", FOUND_WARN, "the account may run few processes",
        "each request takes one, and so do cron and shells: more at once are answered with an "
        "error",
        {[HOST_ANY] = "ask the host for 20 or more, and run no more receivers than fit",
         [HOST_FCGID] = "ask the host for 20 or more, and for FcgidMaxProcessesPerClass 4"}},
};
