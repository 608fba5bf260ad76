#!/bin/sh
# A handler in sh: keeps each event as a file, in the folder kept/ beside this script.
#
# The file is written under another name and renamed, so it is there whole or not at all, and a repeat only
# writes the same file again.
set -eu
umask 077
kept=$(dirname "$0")/kept
mkdir -p "$kept" || exit 75

# ---------------------------------------------------------------------------------------------------
file=$kept/$HOOKONCE_IDEMPOTENCY_KEY
cat >"$file.$$" || { rm -f "$file.$$"; exit 75; }
mv "$file.$$" "$file.json"
printf '%s %s %s\n' "$HOOKONCE_SOURCE" "$HOOKONCE_ID" "${HOOKONCE_TYPE-}" >"$file.about"
# ---------------------------------------------------------------------------------------------------
