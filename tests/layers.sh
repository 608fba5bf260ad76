#!/bin/sh
# Holds the directions of DESIGN: who may include whom, and that each foreign library is used in
# one place. Prints every breach; exits 1 if there is one.
#   layers.sh [BUILD]     with BUILD the object files are looked at too
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
breach() { echo "layers: $*"; bad=1; }

may() { # folder or file, allowed prefixes
    place=$1
    shift
    prefixes=$(echo "$*" | tr ' ' '|')
    out=$(find "$place" -name '*.[ch]' -exec grep -H '^# *include "' {} + | grep -vE "include \"($prefixes)/")
    [ -z "$out" ] || breach "$out (allowed: $*)"
}
may lib/base base
may lib/core core base
may lib/edge edge core base
may lib/store store core base
may lib/work work store core base
may lib/operator operator work store edge core base
may lib/receiver receiver edge store core base

may cgi-bin/receiver.c receiver
may cgi-bin/processor.c operator

only() { # pattern of an include, files that may have it
    pattern=$1
    shift
    for file in $(grep -lE "$pattern" lib/*/*.[ch] cgi-bin/*.c 2>/dev/null); do
        ok=
        # shellcheck disable=SC2254  # the allowed ones are patterns
        for f in "$@"; do case $file in $f) ok=1 ;; esac; done
        [ -n "$ok" ] || breach "$file uses what only $* may"
    done
}
only '^# *include <(json-c/|json\.h|json_)' 'lib/base/json*.[ch]'
only '^# *include <openssl/' 'lib/base/mac*.[ch]'
only '^# *include <fcgi' lib/edge/gateway.c
only '^# *include <(mysql|mariadb|errmsg|mysqld_error)' lib/store/db_link.h
only '^# *include <ma_' lib/store/db_wait.c
only '^# *include <curl/' 'lib/operator/http*.c' lib/work/http_call.c
# Makers of accepted events: bytes that were verified, and nothing else.
only '^# *include "core/event_make\.h"' lib/core/event.c lib/edge/verify.c lib/store/spool_read.c
only '[^_a-z](strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|strtok|alloca) *\(' none
only '^# *include <(ctype|locale)\.h>' none

symbols() { # pattern of undefined symbols, pattern of the objects that may have them
    out=$(echo "$undefined" | grep -E "o: +U ($1)" | grep -vE "/lib/$2:")
    [ -z "$out" ] || breach "$out (allowed: lib/$2)"
}
if [ -n "${1:-}" ] && [ -d "$1/obj/lib" ]; then
    undefined=$(find "$1/obj/lib" -name '*.o' -exec nm -A -u {} +)
    [ -n "$undefined" ] || breach "no objects in $1/obj/lib"
    symbols 'json_(object|tokener)_' 'base/json[^/]*\.o'
    symbols 'EVP_|HMAC|RAND_|CRYPTO_' 'base/mac[^/]*\.o'
    symbols 'FCGX_' 'edge/gateway\.o'
    symbols 'mysql_|mariadb_' 'store/db[^/]*\.o'
    symbols 'curl_' '(operator/http(_ask)?|work/http_call)\.o'
fi
[ "$bad" = 0 ] && echo "layers: ok"
exit "$bad"
