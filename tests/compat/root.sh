#!/usr/bin/env bash
# A Debian of another release below a folder, and commands in it. Needs root and debootstrap.
#
#     tests/compat/root.sh make RELEASE FOLDER        makes it, if it is not there yet
#     tests/compat/root.sh in FOLDER COMMAND...       runs COMMAND there, in /hookonce: a copy of the project
#
# A command sees /proc, /dev and the network, and nothing else of this machine. When it ends, or this is killed,
# so does all that it started, and the mounts are gone. No service is ever started there (policy-rc.d says no).
# Its packages are kept in FOLDER.cache. HOOKONCE_PORTS goes with it; HOOKONCE_BUILD is /hookonce/build.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

fail() {
    echo "tests/compat/root.sh: $*" >&2
    exit 1
}

make_root() {
    local release=$1 root=$2 mirror
    [ ! -e "$root/ready" ] || return 0
    command -v debootstrap >/dev/null || fail "debootstrap is missing: tests/setup.sh compat installs it"
    mirror=$("$project/lib/dist/mirror.sh")
    mkdir -p "$root.cache"
    # One that was begun and not ended has no mounts: begin again.
    rm -rf "${root:?}"
    debootstrap --variant=minbase --cache-dir="$(cd "$root.cache" && pwd)" "$release" "$root" "$mirror"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
    touch "$root/ready"
}

in_root() {
    local root
    export HOOKONCE_BUILD=/hookonce/build HOOKONCE_PORTS=${HOOKONCE_PORTS:-20000-23999}
    root=$(cd "$1" && pwd)
    shift
    mkdir -p "$root/hookonce"
    # shellcheck disable=SC2016  # for the inner shell
    exec unshare --mount --propagation private --pid --fork --kill-child=KILL sh -c '
        root=$1 && shift
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 125
        exec chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 CI=true DEBIAN_FRONTEND=noninteractive \
            HOOKONCE_BUILD="$HOOKONCE_BUILD" HOOKONCE_PORTS="$HOOKONCE_PORTS" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            sh -c "cd /hookonce && \"\$@\"" sh "$@"
    ' sh "$root" "$@"
}

case ${1:-} in
make) make_root "$2" "$3" ;;
in) shift && in_root "$@" ;;
*) fail "make or in?" ;;
esac
