/* The last page of each kind, for whoever asks while one is being made: a page costs a receiver,
 * and the others are there for deliveries. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "receiver/parts.h"

#define KEPT_S 60

static char *path_of(const struct receiver *rx, const char *name, const char *ending)
{
    const char *dir = receiver_state_dir(rx);
    size_t room = strlen(dir) + strlen(name) + strlen(ending) + 16;
    char *path = ho_alloc(room);

    (void)snprintf(path, room, "%s/page-%s.%s", dir, name, ending);
    return path;
}

/* Not brought to the disk: what is lost is made again. */
void page_keep(const struct receiver *rx, const char *name, struct span body)
{
    char *part = path_of(rx, name, "part"), *path = path_of(rx, name, "kept");
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);

    if (fd >= 0) {
        bool well = file_write_all(fd, body);
        (void)close(fd);
        if (!well || rename(part, path) != 0) {
            (void)unlink(part);
        }
    }
    free(part);
    free(path);
}

bool page_kept(const struct receiver *rx, const char *name, struct buf *out)
{
    char *path = path_of(rx, name, "kept");
    struct stat st;
    struct ho_err ignored;
    time_t now = time(NULL);

    bool good = stat(path, &st) == 0 && st.st_mtime <= now && now - st.st_mtime < KEPT_S &&
                file_read(path, true, out, &ignored) == HO_OK && out->len > 0;
    free(path);
    return good;
}
