/* Modes, parts and paths of a sandbox: see sandbox.h. */
#include "sandbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"

static const char *const names[] = {[CUL_SANDBOX_OFF] = "off",
                                    [CUL_SANDBOX_AUTO] = "auto",
                                    [CUL_SANDBOX_STRICT] = "strict"};

static void grow(struct cul_paths *paths) {
  if (paths->n < paths->room)
    return;
  paths->room = paths->room ? paths->room * 2 : 16;
  paths->items =
      cul_xreallocarray(paths->items, paths->room, sizeof *paths->items);
}

void cul_paths_add(struct cul_paths *paths, const char *path) {
  for (size_t i = 0; i < paths->n; i++)
    if (strcmp(paths->items[i], path) == 0)
      return;
  grow(paths);
  paths->items[paths->n++] = cul_xstrdup(path);
}

/* The first of the inserted paths that is not less than path. */
static size_t place_of(const struct cul_paths *paths, const char *path) {
  size_t low = 0, high = paths->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(paths->items[middle], path) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool was_inserted(const struct cul_paths *paths, const char *path) {
  size_t at = place_of(paths, path);
  return at < paths->n && strcmp(paths->items[at], path) == 0;
}

void cul_paths_insert(struct cul_paths *paths, const char *path) {
  size_t at = place_of(paths, path);
  if (was_inserted(paths, path))
    return;
  grow(paths);
  memmove(paths->items + at + 1, paths->items + at,
          (paths->n - at) * sizeof *paths->items);
  paths->items[at] = cul_xstrdup(path);
  paths->n++;
}

void cul_paths_release(struct cul_paths *paths) {
  for (size_t i = 0; i < paths->n; i++)
    free(paths->items[i]);
  free(paths->items);
  *paths = (struct cul_paths){0};
}

bool cul_paths_cover(const struct cul_paths *paths, const char *path) {
  for (size_t i = 0; i < paths->n; i++) {
    size_t n = strlen(paths->items[i]);
    if (strncmp(path, paths->items[i], n) == 0 &&
        (path[n] == '/' || path[n] == '\0' || n == 1))
      return true;
  }
  return false;
}

struct cul_sandbox *cul_sandbox_new(enum cul_sandbox_mode mode) {
  struct cul_sandbox *sandbox = cul_xcalloc(1, sizeof *sandbox);
  sandbox->mode = mode;
  /* the clock of file systems */
  clock_gettime(CLOCK_REALTIME_COARSE, &sandbox->spared.began);
  return sandbox;
}

void cul_sandbox_free(struct cul_sandbox *sandbox) {
  if (!sandbox)
    return;
  while (sandbox->n_networks)
    close(sandbox->networks[--sandbox->n_networks]);
  cul_paths_release(&sandbox->writes);
  cul_paths_release(&sandbox->reads);
  cul_paths_release(&sandbox->spared.opened);
  cul_paths_release(&sandbox->spared.changed);
  cul_paths_release(&sandbox->others);
  cul_paths_release(&sandbox->moves);
  cul_paths_release(&sandbox->shared);
  free(sandbox->why);
  free(sandbox->first);
  free(sandbox);
}

const char *cul_sandbox_name(enum cul_sandbox_mode mode) { return names[mode]; }

bool cul_sandbox_parse(const char *word, enum cul_sandbox_mode *out) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (strcmp(word, names[i]) == 0) {
      *out = (enum cul_sandbox_mode)i;
      return true;
    }
  return false;
}

static bool is_at_or_below(const char *path, const char *dir) {
  const struct cul_paths one = {(char *[]){(char *)dir}, 1, 1};
  return cul_paths_cover(&one, path);
}

static bool has(const struct cul_paths *paths, const char *path) {
  for (size_t i = 0; i < paths->n; i++)
    if (strcmp(paths->items[i], path) == 0)
      return true;
  return false;
}

/* May runs change everything at and below path? */
static bool permits(const struct cul_sandbox *sandbox, const char *path) {
  for (size_t i = 0; i < sandbox->writes.n; i++)
    if (is_at_or_below(path, sandbox->writes.items[i]) &&
        !has(&sandbox->spared.opened, sandbox->writes.items[i]))
      return true;
  return false;
}

bool cul_sandbox_guards(const struct cul_sandbox *sandbox, const char *real,
                        const struct timespec *at) {
  const struct timespec *began = &sandbox->spared.began;
  return (at->tv_sec < began->tv_sec ||
          (at->tv_sec == began->tv_sec && at->tv_nsec < began->tv_nsec)) &&
         cul_paths_cover(&sandbox->spared.opened, real) &&
         !permits(sandbox, real) &&
         !was_inserted(&sandbox->spared.changed, real);
}

/* A file system without times of birth has those of the last change, which are
 * later: what a run could change counts as its own there. */
bool cul_sandbox_spares(const struct cul_sandbox *sandbox, const char *real) {
  const struct statx_timestamp *at;
  struct statx st;
  if (statx(AT_FDCWD, real, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_CTIME,
            &st))
    return false;
  at = st.stx_mask & STATX_BTIME ? &st.stx_btime : &st.stx_ctime;
  return cul_sandbox_guards(sandbox, real,
                            &(struct timespec){at->tv_sec, at->tv_nsec});
}

void cul_sandbox_permit(struct cul_sandbox *sandbox, const char *path) {
  struct cul_paths *opened = &sandbox->spared.opened;
  size_t n = 0;
  if (permits(sandbox, path))
    return;
  for (size_t i = 0; i < opened->n; i++)
    if (is_at_or_below(opened->items[i], path))
      free(opened->items[i]);
    else
      opened->items[n++] = opened->items[i];
  opened->n = n;
  cul_paths_add(&sandbox->writes, path);
}

void cul_sandbox_open(struct cul_sandbox *sandbox, const char *dir,
                      const char *path) {
  if (permits(sandbox, path))
    return;
  if (!cul_paths_cover(&sandbox->writes, dir)) {
    cul_paths_add(&sandbox->writes, dir);
    cul_paths_add(&sandbox->spared.opened, dir);
  }
  if (cul_sandbox_spares(sandbox, path))
    cul_paths_insert(&sandbox->spared.changed, path);
}

uint32_t cul_sandbox_wanted(const struct cul_sandbox *sandbox) {
  const uint32_t always = CUL_PART_PIDS | CUL_PART_USERS | CUL_PART_DOMAIN |
                          CUL_PARTS_WRITING | CUL_PART_LIMITS;
  if (sandbox->mode == CUL_SANDBOX_OFF)
    return 0;
  return sandbox->mode == CUL_SANDBOX_AUTO
             ? always
             : always | CUL_PART_READS | CUL_PART_NET;
}

/* Parts whose paths are known: the first run of the tool, on the user's own
 * input, shows where it reads and writes. */
static uint32_t known_parts(const struct cul_sandbox *sandbox) {
  const uint32_t paths = CUL_PARTS_WRITING | CUL_PART_READS;
  bool seal = sandbox->sealed || sandbox->mode == CUL_SANDBOX_STRICT;
  if (sandbox->learned && seal)
    return ~0U;
  return sandbox->fixed ? ~(uint32_t)CUL_PART_READS : ~paths;
}

uint32_t cul_sandbox_parts(const struct cul_sandbox *sandbox) {
  uint32_t parts = sandbox ? cul_sandbox_wanted(sandbox) & sandbox->given &
                                 known_parts(sandbox) & ~sandbox->without
                           : 0;
  if ((parts & CUL_PART_NET) && sandbox->learned && sandbox->alone)
    parts ^= CUL_PART_NET | CUL_PART_SOCKETS;
  /* Mounts need a namespace of their own. */
  return parts & CUL_PART_PIDS ? parts : parts & ~(uint32_t)CUL_PART_MOUNTS;
}

uint32_t cul_sandbox_missing(const struct cul_sandbox *sandbox) {
  return cul_sandbox_wanted(sandbox) & ~sandbox->given &
         ~(uint32_t)(CUL_PART_USERS | CUL_PART_WATCH);
}

void cul_parts_describe(uint32_t parts, struct cul_buf *out) {
  static const struct {
    uint32_t part;
    const char *name;
  } words[] = {{CUL_PART_PIDS, "process namespace"},
               {CUL_PART_DOMAIN, "Landlock domain"},
               {CUL_PART_WRITES, "write rule"},
               {CUL_PART_MOUNTS, "read-only mounts"},
               {CUL_PART_READS, "read rule"},
               {CUL_PART_NET, "network namespace"},
               {CUL_PART_SOCKETS, "no sockets"},
               {CUL_PART_LIMITS, "limits"}};
  bool first = true;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    if (!(parts & words[i].part))
      continue;
    cul_buf_addf(out, "%s%s", first ? "" : ", ", words[i].name);
    first = false;
  }
}

void cul_sandbox_describe_lacks(const struct cul_sandbox *sandbox,
                                struct cul_buf *out) {
  const uint32_t shown = ~(uint32_t)(CUL_PART_USERS | CUL_PART_WATCH);
  uint32_t missing = sandbox->asked ? cul_sandbox_missing(sandbox) : 0;
  uint32_t without = cul_sandbox_wanted(sandbox) & sandbox->without & shown;
  if (missing) {
    cul_buf_adds(out, "this machine gives no ");
    cul_parts_describe(missing, out);
  }
  without &= ~missing;
  if (!without)
    return;
  cul_buf_adds(out, missing ? "; without " : "without ");
  cul_parts_describe(without, out);
  cul_buf_addf(out, " (%s)", sandbox->why);
}

void cul_sandbox_describe(const struct cul_sandbox *sandbox,
                          struct cul_buf *out) {
  struct cul_buf lacks = {0};
  uint32_t parts =
      cul_sandbox_wanted(sandbox) & sandbox->given & ~sandbox->without;
  cul_buf_adds(out, cul_sandbox_name(sandbox->mode));
  if (parts) {
    cul_buf_adds(out, ": ");
    cul_parts_describe(parts, out);
  }
  cul_sandbox_describe_lacks(sandbox, &lacks);
  if (lacks.len)
    cul_buf_addf(out, "; %s", cul_buf_str(&lacks));
  cul_buf_release(&lacks);
}

void cul_sandbox_leave_out(struct cul_sandbox *sandbox, uint32_t parts,
                           const char *why) {
  sandbox->without |= parts;
  if (!sandbox->why)
    sandbox->why = cul_xstrdup(why);
}
