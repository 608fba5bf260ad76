#!/usr/bin/env bash
# Makes below FOLDER what the portable programs are linked with: an older C library, Connector/C with
# its authentication built in, and curl that knows HTTP/1 and 2 and nothing else.
#
#     lib/dist/third.sh FOLDER
#
# Everything comes from Debian by apt, checked by apt and against lib/dist/pins. Done once; later calls
# find it done. Needs Debian 12 on x86-64 (tests/setup.sh dist installs what it takes).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
stamp=$(cat "$here/pins" "$here/third.sh" | sha256sum | cut -c1-64)
[ "$(cat "$folder/done" 2>/dev/null)" = "$stamp" ] && exit 0

fail() {
    echo "lib/dist/third.sh: $*" >&2
    exit 1
}
# shellcheck source=/dev/null
[ "$(. /etc/os-release && echo "$ID $VERSION_ID")" = "debian 12" ] ||
    fail "the portable programs are built on Debian 12: newer libraries want a newer libc than 2.17"

# ---- what is downloaded ----

apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$folder/files"
mirror=$("$here/mirror.sh") || exit 1
signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
printf '%s\n' "deb $signed $mirror bullseye main" "deb-src $signed $mirror bookworm main" >"$apt/sources.list"
: >"$apt/status"
options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State=$apt"
    -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
    -o APT::Sandbox::User=root)

updated=no
take() {
    local kind=$1 release=$2 package=$3 version=$4 file=$5 sum=$6
    if [ ! -e "$folder/files/$file" ]; then
        if [ $updated = no ]; then
            apt-get "${options[@]}" update >"$folder/apt.log" 2>&1 ||
                fail "$mirror does not serve bullseye and bookworm (any more); name a mirror that does:" \
                    "DEBIAN_MIRROR=... See $folder/apt.log"
            updated=yes
        fi
        case $kind in
        binary) (cd "$folder/files" && apt-get "${options[@]}" download "$package=$version") ;;
        source) (cd "$folder/files" && apt-get "${options[@]}" source --download-only "$package=$version") ;;
        esac >>"$folder/apt.log" 2>&1 ||
            fail "$mirror does not have $package $version of $release any more: put the version that it has, and its" \
                "files' sums, into lib/dist/pins, or name a mirror that keeps it: DEBIAN_MIRROR=... See $folder/apt.log"
    fi
    echo "$sum  $folder/files/$file" | sha256sum --check --quiet >/dev/null 2>&1 ||
        fail "$file is not what lib/dist/pins says; remove $folder/files/$file to get it again"
}
while read -r kind release package version file sum; do
    case $kind in '' | '#'*) continue ;; esac
    take "$kind" "$release" "$package" "$version" "$file" "$sum"
done <"$here/pins"

# ---- the older C library ----

rm -rf "${folder:?}"/{sysroot,build,include,lib,licences}
mkdir -p "$folder/sysroot" "$folder/build" "$folder/include/mariadb" "$folder/lib"
for file in "$folder"/files/*.deb; do
    dpkg-deb -x "$file" "$folder/sysroot"
done
# Links that begin at / would lead to the files of this machine.
find "$folder/sysroot" -type l -lname '/*' | while read -r link; do
    ln -sfr "$folder/sysroot$(readlink "$link")" "$link"
done

# ---- Connector/C and curl ----

flags="-O2 -g0 -fPIC -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$folder=."
cd "$folder/build"
tar xf ../files/mariadb_*.orig.tar.gz --wildcards '*/libmariadb/*'
tar xf ../files/curl_*.orig.tar.gz
(
    cd curl-*/
    tar xf ../../files/curl_*.debian.tar.xz
    # The last two are for builds with other TLS libraries.
    grep -v -e '^#' -e '^$' -e '^90_gnutls' -e '^99_nss' debian/patches/series | while read -r patch; do
        patch -s -p1 -f <"debian/patches/$patch"
    done
)
cmake -S mariadb-*/libmariadb -B connector -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_INSTALL_PREFIX=/usr -DWITH_SSL=OPENSSL -DWITH_EXTERNAL_ZLIB=ON -DWITH_UNIT_TESTS=OFF -DWITH_CURL=OFF \
    -DWITH_ICONV=OFF -DMARIADB_UNIX_ADDR=/run/mysqld/mysqld.sock -DCLIENT_PLUGIN_CLIENT_ED25519=STATIC \
    -DCLIENT_PLUGIN_CACHING_SHA2_PASSWORD=STATIC -DCLIENT_PLUGIN_SHA256_PASSWORD=STATIC \
    -DCLIENT_PLUGIN_MYSQL_CLEAR_PASSWORD=OFF -DCLIENT_PLUGIN_MYSQL_OLD_PASSWORD=OFF -DCLIENT_PLUGIN_DIALOG=OFF \
    -DCLIENT_PLUGIN_AUTH_GSSAPI_CLIENT=OFF -DCLIENT_PLUGIN_ZSTD=OFF >connector.log 2>&1 ||
    fail "Connector/C cannot be configured; see $folder/build/connector.log"
make -C connector -j2 mariadbclient >>connector.log 2>&1 || fail "Connector/C: see $folder/build/connector.log"
cmake -S curl-* -B curl -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF \
    -DBUILD_TESTING=OFF -DENABLE_MANUAL=OFF -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON -DUSE_NGHTTP2=ON -DCURL_ZLIB=OFF -DCURL_USE_LIBSSH2=OFF \
    -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF -DENABLE_THREADED_RESOLVER=ON -DCURL_DISABLE_NTLM=ON \
    -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none >curl.log 2>&1 || fail "curl cannot be configured; see $folder/build/curl.log"
make -C curl -j2 libcurl >>curl.log 2>&1 || fail "curl: see $folder/build/curl.log"

cp connector/libmariadb/libmariadbclient.a curl/lib/libcurl.a "$folder/lib/"
cp -r mariadb-*/libmariadb/include/. connector/include/. "$folder/include/mariadb/"
cp -r curl-*/include/curl "$folder/include/"
mkdir -p "$folder/licences"
cp mariadb-*/libmariadb/COPYING.LIB "$folder/licences/mariadb-connector-c"
cp curl-*/COPYING "$folder/licences/curl"
cd "$folder"
rm -rf build
echo "$stamp" >"$folder/done"
