#!/bin/sh
# Holds the directions of DESIGN: who may include whom, and that each foreign library is used in
# one place. Prints every breach; exits 1 if there is one.
#   layers.sh [BUILD]     with BUILD the object files are looked at too
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
breach() { echo "layers: $*"; bad=1; }

may() { # folder, allowed prefixes
    folder=$1
    shift
    for file in "$folder"/*.[ch]; do
        [ -e "$file" ] || continue
        for inc in $(sed -n 's/^# *include "\([^"]*\)".*/\1/p' "$file"); do
            ok=
            for p in "$@"; do case $inc in "$p"/*) ok=1 ;; esac; done
            [ -n "$ok" ] || breach "$file includes \"$inc\" (allowed: $*)"
        done
    done
}
may lib/base base
may lib/core core base
may lib/edge edge core base
may lib/store store core base
may lib/work work store core base
may lib/operator operator work store edge core base

for inc in $(sed -n 's/^# *include "\([^"]*\)".*/\1/p' cgi-bin/receiver.c); do
    case $inc in edge/* | store/* | core/* | base/*) ;; *) breach "cgi-bin/receiver.c includes \"$inc\"" ;; esac
done

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
only '^# *include <(json-c/|json\.h|json_)' lib/base/json.c
only '^# *include <openssl/' lib/base/mac.c
only '^# *include <fcgi' lib/edge/gateway.c
only '^# *include <(mysql|mariadb|errmsg|mysqld_error)' lib/store/db_link.h
only '^# *include <curl/' lib/operator/http.c
# Makers of accepted events: bytes that were verified, and nothing else.
only '^# *include "core/event_make\.h"' lib/core/event.c lib/edge/verify.c
only '[^_a-z](strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|strtok|alloca) *\(' none
only '^# *include <(ctype|locale)\.h>' none

symbols() { # build folder, pattern of undefined symbols, the object that may have them
    build=$1 pattern=$2 allowed=$3
    find "$build/obj/lib" -name '*.o' | while read -r o; do
        case $o in */$allowed) continue ;; esac
        if nm -u "$o" 2>/dev/null | grep -qE " ($pattern)"; then echo "layers: $o uses symbols only $allowed may"; fi
    done
}
if [ -n "${1:-}" ] && [ -d "$1/obj/lib" ]; then
    found=$(
        symbols "$1" 'json_(object|tokener)_' base/json.o
        symbols "$1" 'EVP_|HMAC|RAND_|CRYPTO_' base/mac.o
        symbols "$1" 'FCGX_' edge/gateway.o
        symbols "$1" 'mysql_|mariadb_' 'store/db*.o'
        symbols "$1" 'curl_' operator/http.o
    )
    [ -z "$found" ] || { echo "$found"; bad=1; }
fi
[ "$bad" = 0 ] && echo "layers: ok"
exit "$bad"
