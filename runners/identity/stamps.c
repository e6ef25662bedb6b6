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
  bool young;     /* the next look compares the content */
  struct stat st; /* when the content was compared last; st_ino 0: not yet */
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

/* Does the job itself write the file, or does the user let runs change it? */
static bool is_left_out(const struct cul_stamps *stamps, const char *own,
                        const struct cul_sandbox *sandbox, const char *path) {
  char *real = realpath(path, NULL);
  bool is =
      (real && own && strcmp(real, own) == 0) || leads_into(path, stamps->dir);
  for (size_t i = 0; real && sandbox && i < sandbox->writes.n; i++)
    is |= strcmp(sandbox->writes.items[i], real) == 0;
  free(real);
  return is;
}

void cul_stamps_add(struct cul_stamps *stamps,
                    const struct cul_command *command,
                    const struct cul_identity *identity) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(command->environment);
  const char *at = cul_buf_str(&identity->files);
  char *own;
  if (command->hosts || command->install || identity->n_files == 0)
    return;
  own = stamps->own ? realpath(stamps->own, NULL) : NULL;
  stamps->items = cul_xreallocarray(
      stamps->items, stamps->n + identity->n_files, sizeof *stamps->items);
  for (size_t i = 0; i < identity->n_files && *at; i++) {
    struct cul_stamp stamp = {0};
    size_t len = strcspn(at, "\n");
    bool ok = read_line(at, len, &stamp);
    if (ok && is_left_out(stamps, own, sandbox, stamp.path))
      free(stamp.path);
    else if (ok)
      stamps->items[stamps->n++] = stamp;
    at += len + (at[len] == '\n');
  }
  free(own);
  if (stamps->n)
    qsort(stamps->items, stamps->n, sizeof *stamps->items, compare);
  drop_doubles(stamps);
}

/* ---- check ---- */

static bool is_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Has the file been written?  Even if it has the same bytes again, a run that
 * read it meanwhile may have seen a part of them. */
static bool is_written(const struct stat *a, const struct stat *b) {
  return a->st_ino != b->st_ino || a->st_dev != b->st_dev ||
         a->st_size != b->st_size || !is_time(&a->st_mtim, &b->st_mtim);
}

/* Look at one file.  If that fails although the file is not gone, the next look
 * decides. */
static void look(struct cul_stamps *stamps, struct cul_stamp *stamp) {
  struct cul_err unread = {0};
  struct cul_digest content;
  struct stat st;
  if (stat(stamp->path, &st) < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      take(stamps, stamp->path, true);
    return;
  }
  if (is_written(&st, &stamp->st) || is_executable(&st) != stamp->executable) {
    take(stamps, stamp->path, false);
    return;
  }
  if (is_time(&st.st_ctim, &stamp->st.st_ctim) &&
      (!stamp->young || is_young(&st, TICK_MS)))
    return;
  if (cul_file_digest(stamp->path, &content, &unread) < 0)
    return;
  if (!cul_digest_equal(&content, &stamp->content))
    take(stamps, stamp->path, false);
  stamp->st = st;
  stamp->young = is_young(&st, TICK_MS);
}

static bool is_due(const struct cul_stamps *stamps) {
  enum { SHARE = 100, MOST_US = 1000 * 1000 };
  uint64_t pause_us = stamps->cost_us * SHARE;
  uint64_t since_us = cul_now_us() - stamps->checked_us;
  return since_us >= (pause_us < MOST_US ? pause_us : MOST_US);
}

static void look_at_all(struct cul_stamps *stamps) {
  uint64_t start_us = cul_now_us();
  for (size_t i = 0; i < stamps->n && !stamps->changed; i++)
    look(stamps, &stamps->items[i]);
  stamps->checked_us = cul_now_us();
  stamps->cost_us = stamps->checked_us - start_us;
}

int cul_stamps_check(struct cul_stamps *stamps, bool now, struct cul_err *err) {
  if (!stamps->changed && stamps->n && (now || is_due(stamps)))
    look_at_all(stamps);
  if (!stamps->changed)
    return 0;
  return cul_fail(err, CUL_EENV,
                  "answers of two tools do not mix: run the same command "
                  "again, for the tool as it is then; if the file is none of "
                  "the tool's, add --writable FILE",
                  "%s %s while the job ran", stamps->changed,
                  stamps->gone ? "was removed" : "changed");
}

void cul_stamps_release(struct cul_stamps *stamps) {
  for (size_t i = 0; i < stamps->n; i++)
    free(stamps->items[i].path);
  free(stamps->items);
  free(stamps->changed);
  *stamps = (struct cul_stamps){0};
}
