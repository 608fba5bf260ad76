#!/usr/bin/env bash
# Prints the bill of materials of the portable programs: SPDX 2.3, as JSON (spdx.github.io/spdx-spec/v2.3).
#
#     lib/dist/bill.sh THIRD VERSION TIME      TIME: seconds since 1970 that the document is dated by
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
third=$1 version=$2 created=$(date -u -d "@$3" +%Y-%m-%dT%H:%M:%SZ)

# name, version, licence, who made it, where it is from, and the SHA-256 of what was taken
package() {
    printf ',\n    {"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s", "licenseConcluded": "%s",' "$1" "$1" "$2" "$3"
    printf ' "licenseDeclared": "%s", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian",' "$3"
    printf ' "downloadLocation": "NOASSERTION", "filesAnalyzed": false,\n'
    printf '     "checksums": [{"algorithm": "SHA256", "checksumValue": "%s"}],\n' "$4"
    printf '     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:deb/debian/%s@%s"}]}' "$5" "$2"
    parts+=("$1")
}
pinned() { # PACKAGE FILE-PATTERN -> version and sum
    awk -v p="$1" -v f="$2" '$3 == p && $5 ~ f { print $4, $6 }' lib/dist/pins
}
installed() { # NAME LICENCE DEV-PACKAGE ARCHIVE
    package "$1" "$(dpkg-query -W -f '${Version}' "$3")" "$2" "$(sha256sum <"$(dpkg -L "$3" | grep "/$4\$")" | cut -c1-64)" "$3"
}

parts=()
echo '{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",'
echo ' "name": "hookonce-'"$version"'-linux-'"$(uname -m)"'",'
echo ' "documentNamespace": "https://spdx.org/spdxdocs/hookonce-'"$version-$(sha256sum <lib/dist/pins | cut -c1-32)"'",'
echo ' "creationInfo": {"created": "'"$created"'", "creators": ["Tool: hookonce-lib-dist-bill.sh"]},'
echo ' "packages": ['
printf '    {"SPDXID": "SPDXRef-hookonce", "name": "hookonce", "versionInfo": "%s", "licenseConcluded": "MIT",' "$version"
printf ' "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": false}'
read -r v sum < <(pinned curl 'orig')
package curl "$v" curl "$sum" curl
read -r v sum < <(pinned mariadb 'orig')
package mariadb-connector-c "$v" LGPL-2.1-or-later "$sum" mariadb
installed openssl Apache-2.0 libssl-dev libcrypto.a
installed json-c MIT libjson-c-dev libjson-c.a
installed libfcgi OML libfcgi-dev libfcgi.a
installed zlib Zlib zlib1g-dev libz.a
printf '\n ],\n "relationships": [\n    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-hookonce"}'
for part in "${parts[@]}"; do
    printf ',\n    {"spdxElementId": "SPDXRef-hookonce", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-%s"}' "$part"
done
printf '\n ]}\n'
[ -d "$third" ]
