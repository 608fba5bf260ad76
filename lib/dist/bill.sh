#!/usr/bin/env bash
# Prints the bill of materials of the portable programs: SPDX 2.3, as JSON (spdx.github.io/spdx-spec/v2.3).
#
#     lib/dist/bill.sh FOLDER VERSION TIME      FOLDER has the programs; TIME: seconds since 1970 that it is dated by
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1 version=$2 created=$(date -u -d "@$3" +%Y-%m-%dT%H:%M:%SZ)

# package NAME VERSION LICENCE SUM DEBIAN-SOURCE: one that is linked in; SUM is the SHA-256 of what was taken.
package() {
    printf ',\n    {"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s", "licenseConcluded": "%s",' "$1" "$1" "$2" "$3"
    printf ' "licenseDeclared": "%s", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian",' "$3"
    printf ' "downloadLocation": "NOASSERTION", "filesAnalyzed": false,\n'
    printf '     "checksums": [{"algorithm": "SHA256", "checksumValue": "%s"}],\n' "$4"
    printf '     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:deb/debian/%s@%s"}]}' "$5" "${2/:/%3A}"
    parts+=("$1")
}
# pinned NAME PACKAGE LICENCE: what third.sh builds.
pinned() {
    local version sum
    read -r version sum < <(awk -v p="$2" '$3 == p && $5 ~ /orig/ { print $4, $6 }' lib/dist/pins)
    package "$1" "$version" "$3" "$sum" "$2"
}
# installed NAME LICENCE DEV-PACKAGE ARCHIVE: a static library of this Debian.
installed() {
    local version
    version=$(dpkg-query -W -f '${Version}' "$3")
    package "$1" "$version" "$2" "$(sha256sum <"$(dpkg -L "$3" | grep "/$4\$")" | cut -c1-64)" "$3"
}
program() {
    printf '%s\n    {"SPDXID": "SPDXRef-file-%s", "fileName": "./%s", "fileTypes": ["BINARY"], "licenseConcluded": "NOASSERTION",' "$2" "$1" "$1"
    printf ' "copyrightText": "NOASSERTION",\n     "checksums": [{"algorithm": "SHA1", "checksumValue": "%s"},' "$(sha1sum <"$folder/$1" | cut -c1-40)"
    printf ' {"algorithm": "SHA256", "checksumValue": "%s"}]}' "$(sha256sum <"$folder/$1" | cut -c1-64)"
}
relation() {
    printf '%s\n    {"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' "$4" "$1" "$2" "$3"
}

parts=()
echo '{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",'
echo ' "name": "hookonce-'"$version"'-linux-'"$(uname -m)"'",'
echo ' "documentNamespace": "https://spdx.org/spdxdocs/hookonce-'"$version-$(cat "$folder"/hookonce* | sha256sum | cut -c1-32)"'",'
echo ' "creationInfo": {"created": "'"$created"'", "creators": ["Tool: hookonce-lib-dist-bill.sh"]},'
echo ' "packages": ['
printf '    {"SPDXID": "SPDXRef-hookonce", "name": "hookonce", "versionInfo": "%s", "licenseConcluded": "MIT",' "$version"
printf ' "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": false}'
pinned curl curl curl
pinned mariadb-connector-c mariadb LGPL-2.1-or-later
installed openssl Apache-2.0 libssl-dev libcrypto.a
installed json-c MIT libjson-c-dev libjson-c.a
installed libfcgi OML libfcgi-dev libfcgi.a
installed zlib Zlib zlib1g-dev libz.a
installed nghttp2 MIT libnghttp2-dev libnghttp2.a
printf '\n ],\n "files": ['
program hookonce ''
program hookonce.fcgi ,
printf '\n ],\n "relationships": ['
relation DOCUMENT DESCRIBES hookonce ''
for name in hookonce hookonce.fcgi; do
    relation hookonce CONTAINS "file-$name" ,
done
for part in "${parts[@]}"; do
    # Only `hookonce` asks other servers.
    for name in hookonce hookonce.fcgi; do
        case "$part $name" in 'curl hookonce.fcgi' | 'nghttp2 hookonce.fcgi') continue ;; esac
        relation "file-$name" STATIC_LINK "$part" ,
    done
done
printf '\n ]}\n'
