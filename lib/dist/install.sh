#!/usr/bin/env bash
# Puts hookonce into a system's folders.
#
#     lib/dist/install.sh BUILD DESTDIR PREFIX      DESTDIR may be empty
#
# BUILD has both programs and man/. Both lie beside each other in PREFIX/lib/hookonce, since `hookonce`
# looks for the receiver beside itself. No config, account or service is made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 prefix=$2$3
case $3 in /*) ;; *) echo "lib/dist/install.sh: PREFIX must begin with /" >&2 && exit 1 ;; esac

install -d "$prefix"/bin "$prefix"/lib/hookonce "$prefix"/share/man/man{1,5} "$prefix"/share/doc/hookonce/examples/handlers \
    "$prefix"/share/hookonce/{schema,apache,lighttpd,providers}
install -m 755 "$build/hookonce" "$build/hookonce.fcgi" "$prefix/lib/hookonce/"
ln -sf ../lib/hookonce/hookonce "$prefix/bin/hookonce"
for section in 1 5; do
    install -m 644 "$build"/man/*.$section "$prefix/share/man/man$section/"
done
install -m 644 README.md LICENSE "$prefix/share/doc/hookonce/"
for folder in schema apache lighttpd; do
    install -m 644 $folder/* "$prefix/share/hookonce/$folder/"
done
install -m 644 lib/providers/*.conf "$prefix/share/hookonce/providers/"
install -m 644 lib/dist/handlers/README lib/dist/handlers/receiver.php "$prefix/share/doc/hookonce/examples/handlers/"
install -m 755 lib/dist/handlers/handler.* "$prefix/share/doc/hookonce/examples/handlers/"
