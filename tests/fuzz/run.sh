#!/usr/bin/env bash
# Runs every fuzzer for a bounded time: one line each, exits 1 if one found something.
#
#     tests/fuzz/run.sh SECONDS [BUILD] [NAME...]     default: build, all fuzzers
#
# Each begins with tests/fuzz/corpus/NAME; what it finds worth keeping goes to BUILD/fuzz/corpus/NAME,
# and an input that breaks something to BUILD/fuzz/found/. Two run side by side.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
seconds=${1:?how many seconds each}
build=${2:-build}
shift $(($# < 2 ? $# : 2))
names=("$@")
if [ ${#names[@]} = 0 ]; then
    for program in "$build"/fuzz/fuzz_*; do
        [ -x "$program" ] && [ -f "$program" ] && names+=("$(basename "$program" | sed 's/^fuzz_//')")
    done
fi
[ ${#names[@]} -gt 0 ] || { echo "fuzz: none is built" >&2; exit 2; }

one() {
    local name=$1 seconds=$2 build=$3
    local log=$build/fuzz/$name.log runs more=()
    [ "$name" != recipe ] || more=(lib/providers)
    mkdir -p "$build/fuzz/corpus/$name" "$build/fuzz/found" "tests/fuzz/corpus/$name"
    if "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
        -artifact_prefix="$build/fuzz/found/$name-" -print_final_stats=1 -verbosity=1 \
        "$build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" ${more[@]+"${more[@]}"} >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        [ "${runs:-0}" -gt 0 ] && echo "fuzz $name: ok, $runs inputs" && return 0
    fi
    echo "fuzz $name: FOUND something, or did not run; see $log"
    tail -n 30 "$log"
    return 1
}
export -f one
rm -rf "$build/fuzz/found"
printf '%s\n' "${names[@]}" | xargs -P 2 -I{} bash -c 'one "$@"' _ {} "$seconds" "$build"
