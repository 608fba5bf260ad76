#!/bin/sh
# Prints the mirror of Debian that releases are taken from: DEBIAN_MIRROR, else the one of this machine's apt.
mirror=${DEBIAN_MIRROR:-}
[ -n "$mirror" ] || mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
[ -n "$mirror" ] ||
    mirror=$(sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
[ -n "$mirror" ] || {
    echo "no mirror of Debian is in /etc/apt; name one: DEBIAN_MIRROR=http://..." >&2
    exit 1
}
echo "$mirror"
