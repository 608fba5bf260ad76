/* A file of fixed size, mapped. Its pages are the disk's, so touching one can fail, which is a
 * SIGBUS: then memory takes the mapping's place. */
#include "store/counters_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* ---- pages that are gone ---- */

#define MAPPINGS 4 /* of one process; more of them are not guarded */

/* A signal handler has no arguments of its own. */
static unsigned char *_Atomic mappings[MAPPINGS];

/* Between our look and our touch somebody may cut the file short, and a file system that copies on
 * write may be full though the room was taken. The touch is made again, on memory. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    unsigned char *at = info->si_addr;
    int saved = errno;
    (void)context;

    for (size_t i = 0; i < MAPPINGS; i++) {
        unsigned char *begin = atomic_load(&mappings[i]);
        if (begin == NULL || at < begin || at >= begin + sizeof(struct layout)) {
            continue;
        }
        int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
        void *p = zero < 0 ? MAP_FAILED
                           : mmap(begin, sizeof(struct layout), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_FIXED, zero, 0);
        if (zero >= 0) {
            (void)close(zero);
        }
        if (p != MAP_FAILED) {
            errno = saved;
            return;
        }
    }
    (void)signal(number, SIG_DFL); /* none of ours: it comes again, and ends the process */
    errno = saved;
}

static void guard(void *data)
{
    const struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

    for (size_t i = 0; i < MAPPINGS; i++) {
        unsigned char *none = NULL;
        if (atomic_compare_exchange_strong(&mappings[i], &none, (unsigned char *)data)) {
            (void)sigaction(SIGBUS, &action, NULL);
            return;
        }
    }
}

static void unguard(void *data)
{
    for (size_t i = 0; i < MAPPINGS; i++) {
        unsigned char *mine = data;
        (void)atomic_compare_exchange_strong(&mappings[i], &mine, NULL);
    }
}

/* ---- the file ---- */

/* Opens the file if it is what it must be. returns -1 if not; errno ENOENT when there is none,
 * EREMOTE when no file there would do. */
static int open_valid(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    uint64_t magic = 0;

    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != sizeof(struct layout) ||
        pread(fd, &magic, sizeof magic, 0) != sizeof magic || magic != MAGIC) {
        (void)close(fd);
        errno = EINVAL;
        return -1;
    }
    if (file_remote(fd) != NULL) {
        (void)close(fd);
        errno = EREMOTE;
        return -1;
    }
    /* A restored copy may have holes: their room is taken now, for a page without is a SIGBUS. */
    if (posix_fallocate(fd, 0, (off_t)sizeof(struct layout)) != 0) {
        (void)close(fd);
        errno = ENOSPC;
        return -1;
    }
    return fd;
}

/* Makes a new file, complete, then gives it its name: a missing one only if nobody was faster, an
 * unfit one by replacing it. Its room is taken on the disk now, since a mapped page without room
 * is a SIGBUS later. */
static void make(const char *path, bool replace)
{
    const uint64_t magic = MAGIC;
    size_t size = strlen(path) + 8;
    char *part = ho_alloc(size);

    (void)snprintf(part, size, "%s.XXXXXX", path);
    int fd = mkstemp(part);
    if (fd >= 0) {
        if (posix_fallocate(fd, 0, (off_t)sizeof(struct layout)) == 0 &&
            pwrite(fd, &magic, sizeof magic, 0) == (ssize_t)sizeof magic) {
            int rc = replace ? rename(part, path) : link(part, path);
            (void)rc; /* whatever is there now is looked at again */
        }
        (void)close(fd);
        (void)unlink(part);
    }
    free(part);
}

static void map(struct state_file *f, bool may_replace)
{
    f->fd = open_valid(f->path);
    if (f->fd < 0 && errno != EREMOTE && (may_replace || errno == ENOENT)) {
        make(f->path, errno != ENOENT);
        f->fd = open_valid(f->path);
    }
    if (f->fd >= 0) {
        void *p =
            mmap(NULL, sizeof(struct layout), PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
        if (p != MAP_FAILED) {
            f->data = p;
            guard(p);
            return;
        }
        (void)close(f->fd);
        f->fd = -1;
    }
    f->data = ho_alloc(sizeof *f->data);
    memset(f->data, 0, sizeof *f->data);
}

static void unmap(struct state_file *f)
{
    if (f->fd >= 0) {
        unguard(f->data);
        (void)munmap(f->data, sizeof *f->data);
        (void)close(f->fd);
    } else {
        free(f->data);
    }
    f->data = NULL;
    f->fd = -1;
}

void state_file_open(struct state_file *f, const char *state_dir)
{
    static const char name[] = "/hookonce.state";
    size_t size = strlen(state_dir) + sizeof name;

    *f = (struct state_file){.path = ho_alloc(size), .fd = -1};
    (void)snprintf(f->path, size, "%s%s", state_dir, name);
    map(f, true);
}

void state_file_close(struct state_file *f)
{
    unmap(f);
    free(f->path);
}

struct layout *state_file_data(struct state_file *f)
{
    struct stat st = {.st_nlink = 0};

    if (f->fd >= 0 && (fstat(f->fd, &st) != 0 || st.st_size != sizeof(struct layout) ||
                       st.st_nlink == 0)) {
        unmap(f);
        map(f, st.st_nlink != 0);
    }
    return f->data;
}
