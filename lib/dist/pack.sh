#!/usr/bin/env bash
# Packs the portable programs and what belongs to them into one archive.
#
#     lib/dist/pack.sh BUILD VERSION      writes BUILD/hookonce-VERSION-linux-x86_64.tar.gz, and .sha256 beside it
#
# BUILD has hookonce, hookonce.fcgi and man/, and BUILD/third what third.sh made. The same commit
# gives the same bytes: names are sorted, times are the commit's, nothing tells who packed it, or where.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 version=$2
name=hookonce-$version-linux-$(uname -m)
place=$build/pack/$name
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC
umask 022

rm -rf "$build/pack"
mkdir -p "$place"/{man,licences,providers,handlers,schema,apache,lighttpd}
for program in hookonce hookonce.fcgi; do
    strip --strip-unneeded -R .comment -o "$place/$program" "$build/$program"
done
for folder in apache lighttpd schema; do
    cp $folder/* "$place/$folder/"
done
cp README.md LICENSE "$place/"
cp lib/dist/handlers/* "$place/handlers/"
cp lib/providers/*.conf "$place/providers/"
cp "$build"/man/* "$place/man/"
cp "$build"/third/licences/* "$place/licences/"
for package in libssl-dev libjson-c-dev libfcgi-dev zlib1g-dev libnghttp2-dev; do
    cp -L "/usr/share/doc/$package/copyright" "$place/licences/$package"
done
lib/dist/bill.sh "$place" "$version" "$time" >"$place/bill-of-materials.spdx.json"
find "$place" -type d -exec chmod 755 {} +
find "$place" -type f -exec chmod 644 {} +
chmod 755 "$place"/hookonce{,.fcgi} "$place"/handlers/handler.*
(cd "$place" && find . -type f | sort | xargs sha256sum) >"$build/pack/sums"
install -m 644 "$build/pack/sums" "$place/SHA256SUMS"
tar -C "$build/pack" --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" |
    gzip -n -9 >"$build/$name.tar.gz"
(cd "$build" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
rm -rf "$build/pack"
echo "$build/$name.tar.gz"
