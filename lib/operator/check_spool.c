/* What lies in the spool, and whether more may come. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "operator/check.h"
#include "store/spool.h"

#define WAITS_MAX_S 180 /* a processor looks every few seconds, a receiver every minute */
#define MEGABYTE (1024.0 * 1024)

/* Whether any source may spool, as [hookonce] and the sources say together. */
static enum spool_mode mode_of(const struct settings *s)
{
    enum spool_mode most = s->n_sources == 0 ? s->spool : SPOOL_OFF;

    for (size_t i = 0; i < s->n_sources; i++) {
        most = s->sources[i].spool > most ? s->sources[i].spool : most;
    }
    return most;
}

static void check_disk(struct check *c, const char *dir)
{
    const struct settings *s = c->op->settings;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct statvfs disk;

    if (fd < 0) {
        return;
    }
    const char *remote = file_remote(fd);
    if (remote != NULL) {
        found(c, FOUND_WARN, "spool",
              "%s is on a disk of another machine (%s): what is written there may be lost when "
              "that one fails; name a folder on this host's disk with spool_dir", dir, remote);
    }
    const char *memory = file_in_memory(fd);
    if (memory != NULL) {
        found(c, FOUND_WARN, "spool disk",
              "%s is in memory (%s): what is spooled there is lost when this machine starts anew; "
              "name a folder on a disk with spool_dir, and move there what lies in it",
              dir, memory);
    }
    if (fstatvfs(fd, &disk) == 0 && disk.f_blocks > 0 &&
        (uint64_t)disk.f_bavail * disk.f_frsize < s->spool_bytes) {
        found(c, FOUND_WARN, "spool", "the disk of %s has %.0f MiB left, less than spool_bytes "
              "(%.0f MiB)", dir, (double)disk.f_bavail * (double)disk.f_frsize / MEGABYTE,
              (double)s->spool_bytes / MEGABYTE);
    }
    (void)close(fd);
}

/* false: nothing can be kept there, and nothing lies there. */
static bool check_folder(struct check *c, const char *dir, bool wanted)
{
    struct stat st;

    if (stat(dir, &st) != 0) {
        c->over[ALARM_SPOOL] = errno == ENOENT;
        if (errno != ENOENT) {
            found(c, FOUND_FAIL, "spool", "%s: %s", dir, strerror(errno));
        } else if (wanted) {
            found(c, FOUND_OK, "spool", "%s is not there yet; it is made when it is needed", dir);
        }
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        found(c, FOUND_FAIL, "spool", "%s is not a folder", dir);
        return false;
    }
    if (access(dir, R_OK | W_OK | X_OK) != 0) {
        found(c, FOUND_FAIL, "spool", "%s can't be written by this account: while the database is "
              "away deliveries are answered busy, and what lies there is not imported", dir);
        return false;
    }
    if (st.st_uid != geteuid()) {
        found(c, FOUND_WARN, "spool", "%s belongs to uid %lu: the files of another account are "
              "not imported", dir, (unsigned long)st.st_uid);
    } else if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        found(c, FOUND_WARN, "spool", "others may look into %s; chmod 700 it", dir);
    }
    return true;
}

/* Of the oldest file in a folder: " (name: why it can't be imported)", or `genuine` when it could
 * be. why is "" when there is none, or no key. */
static void why_refused(struct check *c, const char *folder, const char *genuine, char *why,
                        size_t room)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct spool_names names;
    struct spooled f;
    struct span key;

    why[0] = '\0';
    if (operator_key(c->op, &key, &err) != HO_OK || spool_list(folder, &names, &err) != HO_OK) {
        return;
    }
    struct spool s = spool_of(c->op->settings, key);
    s.dir = folder;
    if (names.n > 0) {
        enum ho_code code = spool_read(&s, names.all[0], &f, &err);
        (void)snprintf(why, room, " (%s: %s)", names.all[0], code == HO_OK ? genuine : err.text);
        spooled_free(&f);
    }
    spool_names_free(&names);
}

static void check_quarantine(struct check *c, const char *dir, uint64_t n)
{
    size_t size = strlen(dir) + sizeof SPOOL_QUARANTINE + 1;
    char *folder = ho_alloc(size);
    char why[600];

    (void)snprintf(folder, size, "%s/%s", dir, SPOOL_QUARANTINE);
    why_refused(c, folder, "it is genuine: move it back", why, sizeof why);
    found(c, FOUND_WARN, "spool", "%llu file%s in %s could not be imported%s; see \"The spool\" in "
          "schema/RUNBOOK.md", (unsigned long long)n, n == 1 ? "" : "s", folder, why);
    free(folder);
}

static void check_waiting(struct check *c, const char *dir, const struct spool_state *there,
                          bool full)
{
    int64_t age_s = (clock_wall_us() - there->oldest_us) / 1000000;
    char ago[24], why[600] = "";
    bool late = age_s > WAITS_MAX_S;

    if (late) {
        why_refused(c, dir, "nothing is wrong with it; `hookonce import` says what the database "
                    "makes of it", why, sizeof why);
    }
    found(c, full || late ? FOUND_WARN : FOUND_NOTE, "spool",
          "%llu file%s, %llu bytes, the oldest from %s ago%s%s",
          (unsigned long long)there->files, there->files == 1 ? "" : "s",
          (unsigned long long)there->bytes, check_ago(age_s < 0 ? 0 : age_s, ago), why,
          full ? "; it is full: more is answered busy" : "");
}

static void check_content(struct check *c, const char *dir, const char *mode)
{
    const struct settings *s = c->op->settings;
    struct ho_err err = {HO_OK, 0, ""};
    struct spool_state there;

    if (spool_look(dir, &there, &err) != HO_OK) {
        found(c, FOUND_FAIL, "spool", "%s", err.text);
        return;
    }
    bool full = there.files >= s->spool_files || there.bytes >= s->spool_bytes / 10 * 9;
    if (there.done > 0) {
        found(c, FOUND_NOTE, "spool", "%llu file%s imported, and kept until the database has %s on "
              "its disk", (unsigned long long)there.done, there.done == 1 ? " is" : "s are",
              there.done == 1 ? "it" : "them");
    }
    if (there.files == 0) {
        found(c, FOUND_OK, "spool", "%s, empty", mode);
    } else {
        check_waiting(c, dir, &there, full);
    }
    if (there.quarantined > 0) {
        check_quarantine(c, dir, there.quarantined);
    }
    c->over[ALARM_SPOOL] = there.files == 0 && there.quarantined == 0;
}

/* Whoever sets spool_dir leaves behind what the folder beside the state holds. */
static void check_left_behind(struct check *c, const char *dir)
{
    const char *state = c->op->settings->state_dir;
    size_t size = strlen(state) + sizeof "/spool";
    char *usual = ho_alloc(size);
    struct stat here, there = {.st_ino = 0};
    struct spool_state left;
    struct ho_err ignored;

    (void)snprintf(usual, size, "%s/spool", state);
    bool another = stat(usual, &here) == 0 && (stat(dir, &there) != 0 ||
                   here.st_dev != there.st_dev || here.st_ino != there.st_ino);
    if (another && spool_look(usual, &left, &ignored) == HO_OK &&
        left.files + left.done + left.quarantined > 0) {
        unsigned long long n = left.files + left.done + left.quarantined;
        found(c, FOUND_WARN, "spool left", "%llu file%s in %s, but spool_dir is %s: they are never "
              "imported; move them there", n, n == 1 ? "" : "s", usual, dir);
    }
    free(usual);
}

void check_spool(struct check *c)
{
    static const char *const modes[] = {
        [SPOOL_OFF] = "off: while the database is away deliveries are answered busy",
        [SPOOL_ON] = "on",
        [SPOOL_ALWAYS] = "always: every event goes through it",
    };
    const char *dir = c->op->settings->spool_dir;
    enum spool_mode mode = mode_of(c->op->settings);

    check_left_behind(c, dir);
    if (mode == SPOOL_OFF && access(dir, F_OK) != 0) {
        found(c, FOUND_NOTE, "spool", "%s", modes[mode]);
    } else if (check_folder(c, dir, mode != SPOOL_OFF)) {
        check_disk(c, dir);
        check_content(c, dir, modes[mode]);
    }
}
