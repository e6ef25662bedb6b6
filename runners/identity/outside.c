/* See outside.h. */
#include "outside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../cache/cache.h"
#include "built.h"

/* ---- lists ---- */

static bool is_in(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

void cul_outside_add(const char *line, size_t len, const char *dir,
                     struct cul_buf *list) {
  char *path =
      len > 2 && line[2] == '/' ? cul_xstrndup(line + 2, len - 2) : NULL;
  char *source;
  bool read = path && strchr("rxa", line[0]);
  bool asked = path && strchr("plPL", line[0]) && !strstr(path, "/__pycache__");
  char *real = path && strstr(path, "/../") ? realpath(path, NULL) : NULL;
  if (real) {
    free(path);
    path = real;
  }
  if ((read || asked) && (strstr(path, "/../") || !is_in(path, dir))) {
    source = cul_built_source(path);
    cul_buf_addf(list, "%c %s\n", read ? 'a' : toupper(line[0]), source);
    free(source);
  }
  free(path);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void cul_outside_sort(struct cul_buf *list) {
  struct cul_buf sorted = {0};
  const char **lines = cul_xcalloc(list->len + 1, sizeof *lines);
  char *copy = cul_xstrdup(cul_buf_str(list)), *at = NULL;
  size_t n = 0;
  for (char *line = strtok_r(copy, "\n", &at); line;
       line = strtok_r(NULL, "\n", &at))
    lines[n++] = line;
  qsort(lines, n, sizeof *lines, by_name);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
      cul_buf_addf(&sorted, "%s\n", lines[i]);
  free(copy);
  free(lines);
  cul_buf_release(list);
  *list = sorted;
}

/* ---- on this machine ---- */

/* The identity of a file by its stat data: without a store, every file would be
 * read again for each build. */
static struct cul_digest look_of(const char *path) {
  struct cul_hasher *h = cul_hasher_new();
  struct stat st = {0};
  bool there = stat(path, &st) == 0;
  cul_hasher_u64(h, there);
  cul_hasher_u64(h, (uint64_t)st.st_size);
  cul_hasher_u64(h, (uint64_t)st.st_mtim.tv_sec);
  cul_hasher_u64(h, (uint64_t)st.st_mtim.tv_nsec);
  cul_hasher_u64(h, (uint64_t)st.st_ctim.tv_sec);
  cul_hasher_u64(h, (uint64_t)st.st_ctim.tv_nsec);
  cul_hasher_u64(h, (uint64_t)st.st_ino);
  cul_hasher_u64(h, (uint64_t)st.st_dev);
  return cul_hasher_finish(h);
}

static int digest(void *self, const char *path, struct cul_digest *out) {
  struct cul_cache *cache = self;
  struct cul_err ignored = {0};
  if (!cache)
    *out = look_of(path);
  else if (cul_cache_file_digest(cache, path, out, &ignored) < 0)
    *out = (struct cul_digest){{0, 0}};
  return 0;
}

static bool is_result(void *self, const char *dir, const char *name) {
  return cul_cache_is_result(self, dir, name);
}

struct cul_digest cul_outside_state(struct cul_cache *cache, const char *list) {
  const struct cul_built_reader reader = {digest, is_result, cache};
  struct cul_digest state;
  bool ignored;
  (void)!cul_built_digest(list, "", &reader, &ignored, &state);
  return state;
}

/* ---- on another machine ---- */

static int compare_states(const void *a, const void *b) {
  const struct cul_outside_name *x = a, *y = b;
  int order = strcmp(x->line, y->line);
  if (order == 0)
    order = (x->worker > y->worker) - (x->worker < y->worker);
  return order ? order : (x->turn > y->turn) - (x->turn < y->turn);
}

static bool is_same_name(const struct cul_outside_name *a,
                         const struct cul_outside_name *b) {
  return a->worker == b->worker && strcmp(a->line, b->line) == 0;
}

static void settle(struct cul_outside_told *told) {
  size_t n = 0;
  if (told->n)
    qsort(told->items, told->n, sizeof *told->items, compare_states);
  for (size_t i = 0; i < told->n; i++) {
    struct cul_outside_name *item = &told->items[i];
    item->turn = 0;
    if (i + 1 < told->n && is_same_name(item, item + 1))
      free(item->line);
    else
      told->items[n++] = *item;
  }
  told->n = n;
}

/* Read a line "z DIGEST LINE"; line: heap.  False: it is none. */
static bool read_told(const char *text, size_t len,
                      struct cul_outside_name *out) {
  enum { HEAD = 2 + CUL_DIGEST_HEX };
  char hex[CUL_DIGEST_HEX];
  snprintf(hex, sizeof hex, "%.*s", len > 2 ? (int)len - 2 : 0, text + 2);
  if (text[0] != 'z' || len < HEAD + 3 || !cul_digest_parse(hex, &out->state))
    return false;
  out->line = cul_xstrndup(text + HEAD, len - HEAD);
  return true;
}

void cul_outside_take(struct cul_outside_told *told, size_t worker,
                      const char *lines, struct cul_buf *list) {
  for (size_t len; *lines; lines += len + (lines[len] == '\n')) {
    struct cul_outside_name item = {.worker = worker, .turn = 1};
    len = strcspn(lines, "\n");
    if (len < 2 || !read_told(lines, len, &item))
      continue;
    cul_buf_addf(list, "%s\n", item.line);
    told->items =
        cul_xgrow(told->items, told->n, &told->room, sizeof *told->items);
    told->items[told->n++] = item;
    if (told->workers <= worker)
      told->workers = worker + 1;
  }
  settle(told);
  cul_outside_sort(list);
}

static const struct cul_outside_name *
find_told(const struct cul_outside_told *told, size_t worker, char *line) {
  const struct cul_outside_name key = {.line = line, .worker = worker};
  return told->n
             ? bsearch(&key, told->items, told->n, sizeof key, compare_states)
             : NULL;
}

/* May the file be another one on each of several equal machines?  The
 * configuration of a system and of a user, states, caches of compilers. */
static bool is_own(const char *path) {
  static const char *const dirs[] = {"/etc",  "/run", "/var",
                                     "/proc", "/sys", "/dev"};
  static const char *const parts[] = {"/.config/", "/.cache/", "ccache/"};
  bool is = strstr(path, "/.") && !strchr(strstr(path, "/.") + 1, '/');
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dirs); i++)
    is = is || is_in(path, dirs[i]);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
    is = is || strstr(path, parts[i]);
  return is;
}

/* Did another worker tell another state of this name? */
static bool differs(const struct cul_outside_told *told,
                    const struct cul_outside_name *item) {
  bool differs = false;
  for (size_t i = 0; i < told->workers && !differs; i++) {
    const struct cul_outside_name *other =
        i != item->worker ? find_told(told, i, item->line) : NULL;
    differs = other && !cul_digest_equal(&other->state, &item->state);
  }
  return differs;
}

char *cul_outside_find_other(const struct cul_outside_told *told, size_t worker,
                             const char *lines) {
  char *found = NULL;
  for (size_t len; *lines && !found; lines += len + (lines[len] == '\n')) {
    struct cul_outside_name item = {.worker = worker};
    len = strcspn(lines, "\n");
    if (len < 2 || !read_told(lines, len, &item))
      continue;
    if (strchr("aP", item.line[0]) && !is_own(item.line + 2) &&
        differs(told, &item))
      found = cul_xstrdup(item.line + 2);
    free(item.line);
  }
  return found;
}

/* The state of one name. */
static bool find_state(const struct cul_outside_told *told, size_t worker,
                       struct cul_cache *cache, char *line,
                       struct cul_digest *out) {
  const struct cul_outside_name *found;
  const size_t sent = sizeof CUL_OUTSIDE_SENT - 1;
  char *here;
  if (line[0] && strncmp(line + 1, " " CUL_OUTSIDE_SENT, sent + 1) == 0) {
    here = cul_xasprintf("%c /%s\n", line[0], line + 2 + sent);
    *out = cul_outside_state(cache, here);
    free(here);
    return true;
  }
  found = find_told(told, worker, line);
  if (found)
    *out = found->state;
  return found != NULL;
}

static int by_bytes(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct cul_digest));
}

/* Hash the different states of one name.  False: nothing was told of it. */
static bool hash_states(struct cul_hasher *h,
                        const struct cul_outside_told *told, int worker,
                        struct cul_cache *cache, char *line) {
  size_t from = worker == CUL_OUTSIDE_ALL ? 0 : (size_t)worker, n = 0;
  size_t to =
      worker == CUL_OUTSIDE_ALL && told->workers ? told->workers : from + 1;
  struct cul_digest *states = cul_xcalloc(to - from, sizeof *states);
  for (size_t i = from; i < to; i++)
    n += find_state(told, i, cache, line, &states[n]);
  qsort(states, n, sizeof *states, by_bytes);
  cul_hasher_field(h, line);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || !cul_digest_equal(&states[i - 1], &states[i]))
      cul_hasher_add(h, &states[i], sizeof states[i]);
  free(states);
  return n > 0;
}

bool cul_outside_told_state(const struct cul_outside_told *told, int worker,
                            struct cul_cache *cache, const char *list,
                            struct cul_digest *out) {
  struct cul_hasher *h = cul_hasher_new();
  bool known = true;
  for (size_t len; *list && known; list += len + (list[len] == '\n')) {
    char *line = cul_xstrndup(list, len = strcspn(list, "\n"));
    known = hash_states(h, told, worker, cache, line);
    free(line);
  }
  *out = cul_hasher_finish(h);
  return known;
}
