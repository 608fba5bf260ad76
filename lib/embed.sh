#!/bin/sh
# Turns text files into a C table, so that the programs carry them.
#   embed.sh recipes FILE...   recipe_files[] of edge/recipe.h: name and text
#   embed.sh schema FILE...    schema_files[] of store/migrate.h: version (leading digits), name, text
#   embed.sh grants FILE...    grants_files[] of store/grants.h: name and text
#   embed.sh views FILE...     views_files[] of store/views.h: name and text
#   embed.sh calls FILE...     calls_files[] of store/migrate.h: name and text
#   embed.sh htaccess FILE...  htaccess_files[] of operator/setup.h: name and text
# Files hold ASCII only; the bytes are written as numbers, since C limits the length of a literal.
set -eu
kind=$1
shift
case $kind in
recipes) header=edge/recipe.h type=recipe_file table=recipe_files count=recipe_files_n ;;
schema) header=store/migrate.h type=schema_file table=schema_files count=schema_n ;;
grants) header=store/grants.h type=grants_file table=grants_files count=grants_files_n ;;
calls) header=store/migrate.h type=calls_file table=calls_files count=calls_files_n ;;
htaccess) header=operator/setup.h type=htaccess_file table=htaccess_files count=htaccess_files_n ;;
views) header=store/views.h type=views_file table=views_files count=views_files_n ;;
*) echo "embed.sh: unknown kind $kind" >&2; exit 2 ;;
esac
echo "/* Made by lib/embed.sh: do not edit. */"
echo "#include \"$header\""
rows=
n=0
for file in "$@"; do
    if LC_ALL=C grep -q '[^[:print:][:space:]]' "$file"; then
        echo "embed.sh: $file holds bytes that are not ASCII" >&2
        exit 1
    fi
    name=$(basename "$file")
    name=${name%.*}
    echo "static const char text_${n}[] = {"
    od -An -v -td1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo "0};"
    if [ "$kind" = schema ]; then
        version=$(expr "$name" : '0*\([0-9][0-9]*\)')
        rows="$rows    {$version, \"$name\", text_$n},
"
    else
        rows="$rows    {\"$name\", text_$n},
"
    fi
    n=$((n + 1))
done
printf 'const struct %s %s[] = {\n%s};\n' "$type" "$table" "$rows"
echo "const size_t $count = sizeof($table) / sizeof(${table}[0]);"
