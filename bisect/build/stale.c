/* See stale.h. */
#include "stale.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/digest.h"
#include "../../runners/identity/outside.h"

/* ---- what a build read ---- */

/* Append the files below dir that a build read, by the lines of its trace, one
 * a line. */
static void take_files(const char *dir, const char *seen, struct cul_buf *out) {
  size_t n = strlen(dir), len;
  for (; *seen; seen += len + (seen[len] == '\n')) {
    char *path, *real;
    len = strcspn(seen, "\n");
    if (len < 3 || (seen[0] != 'r' && seen[0] != 'x'))
      continue;
    path = cul_xstrndup(seen + 2, len - 2);
    real = strstr(path, "/../") ? realpath(path, NULL) : NULL;
    if (strncmp(real ? real : path, dir, n) == 0 &&
        (real ? real : path)[n] == '/')
      cul_buf_addf(out, "%s\n", real ? real : path);
    free(real);
    free(path);
  }
}

/* The length of the first line, with its end. */
static size_t line_len(const char *text) {
  size_t n = strcspn(text, "\n");
  return n + (text[n] == '\n');
}

/* Compare the names that begin two lines of readers; an empty text is last. */
static int compare_readers(const char *a, const char *b) {
  size_t n = strcspn(a, "\t\n"), m = strcspn(b, "\t\n");
  int order = memcmp(a, b, n < m ? n : m);
  if (!*a || !*b)
    return !*a - !*b;
  return order ? order : (n > m) - (n < m);
}

/* Merge the readers of a build into those of earlier builds, which do not count
 * where the new one has the same name. */
static void merge_readers(const char *old, const char *new,
                          struct cul_buf *out) {
  while (*old || *new) {
    int order = compare_readers(old, new);
    const char *first = order < 0 ? old : new;
    cul_buf_add(out, first, line_len(first));
    if (order <= 0)
      old += line_len(old);
    if (order >= 0)
      new += line_len(new);
  }
}

static void take_readers(const char *dir, const char *seen,
                         struct cul_buf *readers) {
  struct cul_buf now = {0}, merged = {0};
  size_t n = strlen(dir), len;
  for (; *seen; seen += len + (seen[len] == '\n')) {
    len = strcspn(seen, "\n");
    if (seen[0] == 's' && len > n + 2 && memcmp(seen + 2, dir, n) == 0 &&
        seen[2 + n] == '/')
      cul_buf_addf(&now, "%.*s\n", (int)len - 2, seen + 2);
  }
  merge_readers(cul_buf_str(readers), cul_buf_str(&now), &merged);
  cul_buf_release(readers);
  cul_buf_release(&now);
  *readers = merged;
}

void cul_reads_take(struct cul_reads *reads, const char *dir,
                    const char *seen) {
  take_files(dir, seen, &reads->files);
  cul_outside_sort(&reads->files);
  take_readers(dir, seen, &reads->readers);
}

/* ---- what it left ---- */

static bool is_before(struct timespec a, struct timespec b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Has the file been written since then? */
static bool is_later(const char *path, struct timespec since) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
         !is_before(st.st_ctim, since);
}

static bool is_file(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A changed file, by the number that the lines of readers have of it. */
struct changed {
  uint32_t number;
  const char *name; /* up to the end of a line; borrowed */
};

static int by_number(const void *a, const void *b) {
  uint32_t x = ((const struct changed *)a)->number;
  uint32_t y = ((const struct changed *)b)->number;
  return (x > y) - (x < y);
}

/* The files of a text, one a line, sorted by number; heap.  dir: they are in
 * it. */
static struct changed *list_changed(const char *text, const char *dir,
                                    size_t *n) {
  struct changed *out = NULL;
  size_t room = 0, skip = strlen(dir) + 1;
  *n = 0;
  for (; *text; text += line_len(text)) {
    if (*n == room)
      out = cul_xreallocarray(out, room = room ? 2 * room : 64, sizeof *out);
    out[*n].name = text;
    out[(*n)++].number =
        (uint32_t)cul_digest_of(text + skip, strcspn(text, "\n") - skip).w[0];
  }
  if (*n)
    qsort(out, *n, sizeof *out, by_number);
  return out;
}

/* The first of the changed files among the numbers of a line; or NULL. */
static const char *find_changed(const char *numbers,
                                const struct changed *changed, size_t n) {
  const struct changed *found = NULL;
  char *end = NULL;
  for (const char *at = numbers; *at == '\t' && !found; at = end) {
    struct changed key = {.number = (uint32_t)strtoul(at + 1, &end, 16)};
    found = bsearch(&key, changed, n, sizeof key, by_number);
  }
  return found ? found->name : NULL;
}

/* Find a file that processes of earlier builds read first, together with one of
 * the changed files, and that this build did not read: what was made of the two
 * was not made again.  now: what this build read, a line each between line
 * ends. */
static bool find_reader(const struct cul_reads *reads, const char *dir,
                        const char *changed, const char *now,
                        struct cul_stale *out) {
  size_t n, len;
  struct changed *files = list_changed(changed, dir, &n);
  const char *at = n ? cul_buf_str(&reads->readers) : "";
  bool found = false;
  for (; *at && !found; at += line_len(at)) {
    const char *with = find_changed(at + (len = strcspn(at, "\t\n")), files, n);
    char *line;
    if (!with)
      continue;
    line = cul_xasprintf("\n%.*s\n", (int)len, at);
    snprintf(out->file, sizeof out->file, "%.*s", (int)len, at);
    snprintf(out->with, sizeof out->with, "%.*s", (int)strcspn(with, "\n"),
             with);
    found = !strstr(now, line) && is_file(out->file);
    free(line);
  }
  free(files);
  return found;
}

static bool is_whole(const char *seen) {
  return strncmp(seen, "! ", 2) != 0 && !strstr(seen, "\n! ");
}

bool cul_reads_find_stale(const struct cul_reads *reads, const char *dir,
                          const struct cul_checkout *checkout, const char *seen,
                          struct cul_stale *out) {
  struct cul_buf now = {0}, changed = {0};
  bool found = false;
  *out = (struct cul_stale){0};
  cul_buf_addc(&now, '\n');
  take_files(dir, seen, &now);
  for (const char *at = is_whole(seen) ? cul_buf_str(&reads->files) : "";
       *at && !found; at += line_len(at)) {
    size_t len = strcspn(at, "\n");
    char *line = cul_xasprintf("\n%.*s\n", (int)len, at);
    snprintf(out->file, sizeof out->file, "%.*s", (int)len, at);
    found = is_later(out->file, checkout->since) &&
            !strstr(cul_buf_str(&now), line);
    if (is_later(out->file, checkout->since) &&
        !is_later(out->file, checkout->before))
      cul_buf_adds(&changed, line + 1);
    free(line);
  }
  found = found || find_reader(reads, dir, cul_buf_str(&changed),
                               cul_buf_str(&now), out);
  cul_buf_release(&changed);
  cul_buf_release(&now);
  if (!found)
    *out = (struct cul_stale){0};
  return found;
}
