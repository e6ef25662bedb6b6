/* See stamps.h. */
#include "stamps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/environment.h"
#include "../../base/files/file.h"
#include "identity.h"

/* How old a change must be, so that a later one has another time: longer than
 * the clock tick of most file systems. */
enum { TICK_MS = 100 };
/* The same where the content was read some time before the file was looked
 * at. */
enum { ADD_MS = 10000 };

struct cul_stamp {
  char *path;
  struct cul_digest content;
  bool executable;
  bool spared;    /* it may change */
  bool young;     /* the next look compares the content */
  struct stat st; /* when the content was compared last; st_ino 0: not yet */
  struct timespec first; /* its time of change when it was added */
};

static int compare(const void *a, const void *b) {
  const struct cul_stamp *x = a, *y = b;
  return strcmp(x->path, y->path);
}

static bool is_young(const struct stat *st, int64_t ms) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)(now.tv_sec - st->st_ctim.tv_sec) * 1000 +
             (now.tv_nsec - st->st_ctim.tv_nsec) / 1000000 <
         ms;
}

static bool is_executable(const struct stat *st) { return st->st_mode & 0111; }

static void take(struct cul_stamps *stamps, const char *path, bool gone) {
  stamps->changed = cul_xstrdup(path);
  stamps->gone = gone;
}

/* ---- add ---- */

/* A line "DIGEST PATH"; false: it is none. */
static bool read_line(const char *line, size_t len, struct cul_stamp *out) {
  const char *blank = memchr(line, ' ', len);
  char *hex = blank ? cul_xstrndup(line, (size_t)(blank - line)) : NULL;
  bool ok = hex && cul_digest_parse(hex, &out->content);
  free(hex);
  if (!ok)
    return false;
  out->path = cul_xstrndup(blank + 1, (size_t)(line + len - blank) - 1);
  if (stat(out->path, &out->st) < 0)
    out->st = (struct stat){0};
  out->executable = is_executable(&out->st);
  out->first = out->st.st_ctim;
  out->young = is_young(&out->st, ADD_MS);
  return true;
}

/* Keep one stamp of each file: two tools may have files in common. */
static void drop_doubles(struct cul_stamps *stamps) {
  size_t n = 0;
  for (size_t i = 0; i < stamps->n; i++) {
    struct cul_stamp *last = &stamps->items[n ? n - 1 : 0];
    struct cul_stamp *item = &stamps->items[i];
    if (i == 0 || strcmp(last->path, item->path) != 0) {
      stamps->items[n++] = *item;
      continue;
    }
    if (!stamps->changed && !cul_digest_equal(&last->content, &item->content))
      take(stamps, item->path, false);
    last->young |= item->young;
    free(item->path);
  }
  stamps->n = n;
}

/* Is the path a link into the directory? */
static bool leads_into(const char *path, const char *dir) {
  char to[PATH_MAX];
  size_t len = dir ? strlen(dir) : 0;
  ssize_t n = len ? readlink(path, to, sizeof to) : -1;
  return n > (ssize_t)len && memcmp(to, dir, len) == 0 && to[len] == '/';
}

static bool is_below(const char *path, const char *dir) {
  size_t n = dir ? strlen(dir) : 0;
  return n > 1 && strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* The directory of --within, which each run copies; caller frees; NULL: none.
 */
static char *within_of(const struct cul_command *command) {
  const char *const *argv = command->argv;
  return argv && argv[0] && argv[1] &&
                 strcmp(cul_basename(argv[0]), "within") == 0
             ? realpath(argv[1], NULL)
             : NULL;
}

/* May the file change without making another tool?  The job's own files may,
 * files of the system's configuration and state, which daemons renew, and those
 * of the directory of --within, in which the user works. */
static bool is_left_out(const struct cul_stamps *stamps, const char *own,
                        const char *within, const char *path) {
  static const char *const system[] = {"/etc", "/run", "/var"};
  char *real = realpath(path, NULL);
  bool is = leads_into(path, stamps->dir);
  if (real && own)
    is = is || strcmp(real, own) == 0;
  if (real && within)
    is = is || is_below(real, within);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(system); i++)
    is = is || is_below(path, system[i]);
  free(real);
  return is;
}

/* May runs write to the file?  They may where the first run wrote, but not to
 * what was there before, and where the user lets them (--writable). */
static bool is_writable(const struct cul_stamps *stamps,
                        const struct cul_stamp *stamp) {
  const struct cul_sandbox *sandbox = stamps->sandbox;
  char *found = realpath(stamp->path, NULL);
  const char *real = found ? found : stamp->path;
  bool is = sandbox && cul_paths_cover(&sandbox->writes, real) &&
            !((cul_sandbox_parts(sandbox) & CUL_PART_WATCH) &&
              cul_sandbox_guards(sandbox, real, &stamp->first));
  free(found);
  return is;
}

/* Add the files in lines "DIGEST PATH". */
static void add_files(struct cul_stamps *stamps, const struct cul_buf *lines,
                      const char *own, const char *within) {
  size_t n = 0;
  for (const char *at = cul_buf_str(lines); *at; at++)
    n += *at == '\n';
  stamps->items = cul_xreallocarray(stamps->items, stamps->n + n + 1,
                                    sizeof *stamps->items);
  for (const char *at = cul_buf_str(lines); *at;) {
    struct cul_stamp stamp = {0};
    size_t len = strcspn(at, "\n");
    bool ok = read_line(at, len, &stamp);
    if (ok && is_left_out(stamps, own, within, stamp.path))
      free(stamp.path);
    else if (ok)
      stamps->items[stamps->n++] = stamp;
    at += len + (at[len] == '\n');
  }
}

void cul_stamps_add(struct cul_stamps *stamps,
                    const struct cul_command *command,
                    const struct cul_identity *identity) {
  CUL_HEAP char *own = NULL;
  CUL_HEAP char *within = NULL;
  if (command->hosts || command->install ||
      identity->files.len + identity->beyond.len == 0)
    return;
  stamps->sandbox = cul_environment_sandbox(command->environment);
  own = stamps->own ? realpath(stamps->own, NULL) : NULL;
  within = within_of(command);
  add_files(stamps, &identity->files, own, within);
  /* without a sandbox, runs may change what others read */
  if (stamps->sandbox && cul_sandbox_wanted(stamps->sandbox) &
                             stamps->sandbox->given &
                             ~stamps->sandbox->without & CUL_PARTS_WRITING)
    add_files(stamps, &identity->beyond, own, within);
  if (stamps->n)
    qsort(stamps->items, stamps->n, sizeof *stamps->items, compare);
  drop_doubles(stamps);
}

/* ---- check ---- */

static void note_change(struct cul_stamps *stamps, struct cul_stamp *stamp,
                        bool gone) {
  stamp->spared = is_writable(stamps, stamp);
  if (!stamp->spared)
    take(stamps, stamp->path, gone);
}

/* Look at one file.  If that fails although the file is not gone, the next look
 * decides. */
static void look(struct cul_stamps *stamps, struct cul_stamp *stamp) {
  struct cul_err unread = {0};
  struct cul_digest content;
  struct stat st;
  if (stat(stamp->path, &st) < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      note_change(stamps, stamp, true);
    return;
  }
  if (is_executable(&st) != stamp->executable) {
    note_change(stamps, stamp, false);
    return;
  }
  if (cul_stat_untouched(&st, &stamp->st) &&
      (!stamp->young || is_young(&st, TICK_MS)))
    return;
  if (!S_ISREG(st.st_mode) ||
      cul_file_digest(stamp->path, &content, &unread) < 0)
    return;
  if (!cul_digest_equal(&content, &stamp->content))
    note_change(stamps, stamp, false);
  stamp->st = st;
  stamp->young = is_young(&st, TICK_MS);
}

static bool is_due(const struct cul_stamps *stamps) {
  enum { SHARE = 100, MOST_SHARE = 20, SOON_US = 1000 * 1000 };
  uint64_t pause_us = stamps->cost_us * SHARE;
  uint64_t least_us = stamps->cost_us * MOST_SHARE;
  if (pause_us > SOON_US)
    pause_us = least_us > SOON_US ? least_us : SOON_US;
  return cul_now_us() - stamps->checked_us >= pause_us;
}

static void look_at_all(struct cul_stamps *stamps) {
  uint64_t start_us = cul_now_us();
  for (size_t i = 0; i < stamps->n && !stamps->changed; i++)
    if (!stamps->items[i].spared)
      look(stamps, &stamps->items[i]);
  stamps->checked_us = cul_now_us();
  stamps->cost_us = stamps->checked_us - start_us;
}

int cul_stamps_check(struct cul_stamps *stamps, bool now, struct cul_err *err) {
  if (!stamps->changed && stamps->n && (now || is_due(stamps)))
    look_at_all(stamps);
  if (!stamps->changed)
    return 0;
  cul_fail_command(err,
                   "answers of two tools do not mix: run the same command "
                   "again, for the tool as it is then; if the file is none of "
                   "the tool's, add --writable FILE",
                   "%s %s while the job ran", stamps->changed,
                   stamps->gone ? "was removed" : "changed");
  err->changed = true;
  return err->code;
}

void cul_stamps_release(struct cul_stamps *stamps) {
  for (size_t i = 0; i < stamps->n; i++)
    free(stamps->items[i].path);
  free(stamps->items);
  free(stamps->changed);
  *stamps = (struct cul_stamps){0};
}
