#!/usr/bin/env bash
# Makes a Debian package of the programs that are built here, for this release.
#
#     lib/dist/deb.sh BUILD VERSION      writes BUILD/hookonce_VERSION_ARCH.deb
#
# Its maintainer is DEBFULLNAME and DEBEMAIL, else who made the commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(cd "$1" && pwd) version=$2 stage=$build/deb/stage
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
arch=$(dpkg --print-architecture)
umask 022
rm -rf "$build/deb"
mkdir -p "$stage/DEBIAN"

lib/dist/install.sh "$build" "$stage" /usr
strip --strip-unneeded -R .comment "$stage"/usr/lib/hookonce/*
install -d -m 750 "$stage/etc/hookonce"
install -d -m 700 "$stage/var/lib/hookonce"
install -D -m 644 -t "$stage/usr/lib/systemd/system" lighttpd/hookonce-*.{service,socket,timer}
install -D -m 644 lighttpd/hookonce.logrotate "$stage/etc/logrotate.d/hookonce"
echo /etc/logrotate.d/hookonce >"$stage/DEBIAN/conffiles"
# Secrets lie in these two.
install -d "$stage/usr/share/lintian/overrides"
echo 'hookonce: non-standard-dir-perm' >"$stage/usr/share/lintian/overrides/hookonce"
doc=$stage/usr/share/doc/hookonce
rm "$doc/LICENSE"
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    printf '\nFiles: *\nCopyright: %s\nLicense: MIT\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    sed -n '/^Permission/,$s/^$/./; /^Permission/,$s/^/ /p' LICENSE
} >"$doc/copyright"
printf 'hookonce (%s) unstable; urgency=medium\n\n  * This version.\n\n -- %s  %s\n' "$version" "$maintainer" \
    "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
gzip -9n "$stage"/usr/share/man/man*/*

# dpkg-shlibdeps reads the name of the source from a control file of its own.
mkdir -p "$build/deb/debian"
printf 'Source: hookonce\n\nPackage: hookonce\nArchitecture: any\n' >"$build/deb/debian/control"
depends=$(cd "$build/deb" && dpkg-shlibdeps -O stage/usr/lib/hookonce/* | sed -n 's/^shlibs:Depends=//p')
cat >"$stage/DEBIAN/control" <<END
Package: hookonce
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$stage" | cut -f1)
Depends: $depends, adduser
Recommends: ca-certificates
Suggests: mariadb-server, lighttpd | apache2 | nginx, logrotate, default-mta | mail-transport-agent
Section: web
Priority: optional
Description: webhook inbox that stores every event once
 Verifies what Stripe, GitHub, Shopify, Slack and over 200 other senders post,
 stores each event exactly once in MariaDB, answers only when that is durable,
 and runs SQL, a program or a URL for it under one idempotency key.
 .
 The receiver runs as FastCGI or CGI program under lighttpd, Apache or nginx.
END
cat >"$stage/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
    if ! getent passwd hookonce >/dev/null; then
        adduser --system --group --quiet --home /var/lib/hookonce --no-create-home hookonce
    fi
    for folder in /etc/hookonce /var/lib/hookonce; do
        dpkg-statoverride --list $folder >/dev/null || chown hookonce:hookonce $folder
    done
fi
if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    # What runs goes on with the new program; nothing is started or enabled that was not.
    if [ -n "$2" ]; then
        deb-systemd-invoke try-restart hookonce-receiver.service >/dev/null || true
    fi
fi
END
cat >"$stage/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop hookonce-receiver.socket hookonce-receiver.service hookonce-process.timer \
        hookonce-watch.timer hookonce-process.service hookonce-watch.service >/dev/null || true
fi
END
cat >"$stage/DEBIAN/postrm" <<'END'
#!/bin/sh
# Config, keys and the state folder are the operator's, and stay also when the package is purged.
set -e
if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
fi
END
chmod 755 "$stage"/DEBIAN/p*
(cd "$stage" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum) >"$build/deb/md5sums"
mv "$build/deb/md5sums" "$stage/DEBIAN/md5sums"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$stage" "$build/hookonce_${version}_$arch.deb" >/dev/null
rm -rf "$build/deb"
echo "$build/hookonce_${version}_$arch.deb"
