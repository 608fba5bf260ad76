#!/bin/sh
# Installs a package by apt in a root that is there for that, looks at it, and removes it again.
#
#     tests/compat/deb.sh FILE.deb
set -eux
path=$(readlink -f "$1")
apt-get -qq -y --no-install-recommends install "$path"

test "$(readlink -f /usr/bin/hookonce)" = /usr/lib/hookonce/hookonce
hookonce --version
man=$(zcat /usr/share/man/man1/hookonce.1.gz | head -c 100)
test -n "$man"
getent passwd hookonce
test "$(stat -c '%U %a' /etc/hookonce)" = 'hookonce 750'
test "$(stat -c '%U %a' /var/lib/hookonce)" = 'hookonce 700'
for file in /usr/lib/systemd/system/hookonce-receiver.service /usr/lib/systemd/system/hookonce-receiver.socket \
    /usr/lib/systemd/system/hookonce-process.timer /etc/logrotate.d/hookonce /usr/share/hookonce/schema/001-inbox.sql \
    /usr/share/hookonce/apache/hookonce-fcgid.conf /usr/share/doc/hookonce/examples/handlers/handler.py; do
    test -e "$file"
done
# Both programs find all their libraries, and a receiver answers.
ldd /usr/lib/hookonce/hookonce /usr/lib/hookonce/hookonce.fcgi | grep 'not found' && exit 1
GATEWAY_INTERFACE=CGI/1.1 REQUEST_METHOD=GET REQUEST_URI=/hookonce.fcgi/x SCRIPT_NAME=/hookonce.fcgi \
    /usr/lib/hookonce/hookonce.fcgi </dev/null | grep '^Status: [45]'

# The config is found; what the operator has made stays, and a newer one goes over it.
(umask 077 && echo '[mine]' >/etc/hookonce/hookonce.conf)
hookonce check 2>&1 | grep /etc/hookonce/hookonce.conf
dpkg -i "$path"
apt-get -qq -y purge hookonce
test ! -e /usr/bin/hookonce
test ! -e /etc/logrotate.d/hookonce
grep mine /etc/hookonce/hookonce.conf
rm -r /etc/hookonce
