/* Recipes of a site: any bytes are either refused with a message that names the place, or make
 * recipes whose facts can be shown. */
#include <sys/stat.h>
#include <unistd.h>

#include "edge/recipe.h"
#include "fuzz.h"

static char path[64];

static void write_file(const uint8_t *data, size_t size)
{
    FILE *f;

    if (path[0] == '\0') {
        (void)snprintf(path, sizeof path, "/dev/shm/hookonce-fuzz-%ld.conf", (long)getpid());
    }
    f = fopen(path, "wb");
    MUST(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *files[] = {path};
    struct recipes *all;
    struct recipe_facts facts;
    struct ho_err err;

    write_file(data, size);
    ho_err_clear(&err);
    if (recipes_load(files, 1, &all, &err) == HO_OK) {
        size_t n = recipes_count(all);

        if (n > 0 && recipes_find(all, recipes_name(all, n - 1)) != NULL) {
            recipe_facts(recipes_find(all, recipes_name(all, n - 1)), &facts);
            MUST(facts.name != NULL && facts.signature != NULL);
        }
        recipes_free(all);
    } else {
        MUST(strstr(err.text, path) != NULL);
    }
    (void)unlink(path);
    return 0;
}
