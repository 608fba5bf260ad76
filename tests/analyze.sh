#!/usr/bin/env bash
# Lets four analysers read the code: one line a tool, findings under it; exits 1 on any finding.
#
#     tests/analyze.sh [BUILD]     logs go to BUILD/analyze; default: build
#
# A file in which a tool found nothing is looked at again when it, a header of ours that it includes, the
# tool or its settings changed: BUILD/analyze/good holds the print of what was looked at.
#
# A finding is mended, or silenced where it stands, with a reason. What is silenced here is wrong or
# another taste wherever it comes up.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
shopt -s nullglob
sources=(lib/*/*.c cgi-bin/*.c)

read -ra third <<<"$(pkg-config --cflags libmariadb json-c libcrypto libcurl | sed 's/-I */-isystem /g')"
flags=(-std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 '-DHO_VERSION="0"' -Ilib "${third[@]}")

cppcheck_flags=(
    --enable=warning --enable=style --enable=performance --enable=portability --std=c11
    --quiet --error-exitcode=1 --inline-suppr -D_POSIX_C_SOURCE=200809L
    '-DHO_VERSION="0"' -Ilib
    --suppress=variableScope           # declarations may stand at the top of a block
    --suppress=ctunullpointer          # takes `sizeof p->member` for a look at what p points to
    --suppress=ctuuninitvar            # takes a buffer that is handed over to be filled for read
    --suppress=shadowFunction          # a variable may bear the name of a static function
    --suppress=knownConditionTrueFalse # takes `a < b ? a : b` for a value below b, always
)

# What one process does with one file; silent where there is nothing to say.
one() {
    case $1 in
    gcc)
        gcc "${flags[@]}" -Werror -fanalyzer -O0 -c -o /dev/null "$2" &&
            gcc "${flags[@]}" -Werror -fanalyzer -O2 -c -o /dev/null "$2"
        ;;
    clang-tidy) clang-tidy --quiet "$2" -- "${flags[@]}" 2>/dev/null ;; # there: how many it held back
    cppcheck) cppcheck "${cppcheck_flags[@]}" "$2" ;;
    shellcheck) shellcheck -S warning "$2" ;;
    esac
}

# The print of all that a tool's opinion of a file hangs on.
print_of() {
    local read=("$2")
    case $2 in
    *.c)
        mapfile -t read < <(gcc "${flags[@]}" -MM "$2" | tr -s ' \\' '\n' | sed '1d; /^$/d')
        read+=(.clang-tidy)
        ;;
    esac
    { "$1" --version && cat tests/analyze.sh "${read[@]}"; } 2>&1 | sha256sum | cut -d ' ' -f 1
}

# A check of one file: its log stays only if there is something in it.
if [ "${1:-}" = --one ]; then
    log=$4/$2-${3//\//_}.log
    good=$4/good/$2-$(print_of "$2" "$3")
    [ -e "$good" ] && touch "$good" && exit 0
    one "$2" "$3" >"$log" 2>&1 || echo "$2 ended with $? for $3" >>"$log"
    [ -s "$log" ] && exit 0
    rm -f "$log"
    : >"$good"
    exit 0
fi

scripts() {
    local file first
    while IFS= read -r -d '' file; do
        IFS= read -r first <"$file"
        [[ $first = '#!'*sh ]] && printf '%s\n' "$file"
    done < <(find . \( -name .git -o -name node_modules -o -name build -o -name run -type d \) -prune -o \
        -type f -print0)
}

logs=${1:-build}/analyze
bad=0

# run TOOL FILE…: every file, as many at once as there are processors.
run() {
    local tool=$1 began=$SECONDS found
    shift
    command -v "$tool" >/dev/null || { echo "$tool: not installed (tests/setup.sh analyze)"; bad=1; return; }
    printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I '{}' "$0" --one "$tool" '{}' "$logs"
    found=("$logs/$tool-"*.log)
    echo "$tool: $# files, findings in ${#found[@]}, $((SECONDS - began)) s"
    [ ${#found[@]} = 0 ] || { cat "${found[@]}"; bad=1; }
}

mkdir -p "$logs/good"
rm -f "$logs"/*.log
find "$logs/good" -type f -mtime +30 -delete
mapfile -t shell < <(scripts)
run gcc "${sources[@]}"
run clang-tidy "${sources[@]}"
run cppcheck "${sources[@]}"
run shellcheck "${shell[@]}"
exit $bad
