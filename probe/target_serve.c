/* Is the tool started once for many runs?  See cul_target_serve. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/file.h"
#include "target.h"

/* A tool that loads so many bytes of code before it looks at its input takes
 * longer to be linked and to register what it knows than most candidates to
 * compile: mlir-opt and its libraries have 190 to 320 MB. */
static const off_t heavy = (off_t)64 << 20;

/* The path of a line "DIGEST PATH". */
static const char *path_of(const char *line, size_t len) {
  const char *space = memchr(line, ' ', len);
  return space ? space + 1 : line + len;
}

/* python, python3, python3.11 ... */
static bool is_python(const char *name) {
  static const char python[] = "python";
  size_t n = sizeof python - 1;
  return strncmp(name, python, n) == 0 &&
         name[n + strspn(name + n, "0123456789.")] == '\0';
}

static bool is_code(const struct cul_identity *identity, const char *path) {
  return strcmp(path, identity->program) == 0 ||
         (identity->wrapper && strcmp(path, identity->wrapper) == 0) ||
         strstr(cul_basename(path), ".so");
}

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : 0;
}

/* An interpreter whose modules take longer to load than most inputs to compile,
 * or a program that is large itself; both are of one thread until then.
 * However the command comes to it: where it does not itself look at the input,
 * one run is lost.  Told by what it loads, not by a clock: what a search does
 * is the same on a busy machine. */
static bool starts_slowly(const struct cul_identity *identity) {
  const char *line = cul_buf_str(&identity->files);
  off_t code = 0;
  bool python = false;
  while (*line && !python) {
    size_t len = strcspn(line, "\n");
    size_t head = (size_t)(path_of(line, len) - line);
    char *path = cul_xstrndup(line + head, len - head);
    python = is_python(cul_basename(path));
    if (is_code(identity, path))
      code += size_of(path);
    free(path);
    line += len + (line[len] == '\n');
  }
  return python || code >= heavy;
}

/* Runs that tell something only together, or by their time, or whose outcome
 * chance decides, are runs of their own. */
static bool may_share(const struct cul_target *target) {
  return !target->engine_argv && !target->contract &&
         !target->conf->reference && !target->conf->want &&
         !cul_target_whole(target) && !target->probe.fixed_deadline &&
         !cul_target_flaky(target, NULL);
}

/* The failure that is known, by a server: begins it, and shows what it is
 * good for. */
static int try_out(struct cul_target *target, struct cul_bytes text,
                   struct cul_err *err) {
  struct cul_placed placed = {0};
  int rc = cul_target_place(target, 0, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, text, err);
  if (rc == 0)
    rc = cul_probe_try_servers(&target->probe, &placed.art, err);
  cul_placed_release(&placed);
  return rc;
}

int cul_target_serve(struct cul_target *target, struct cul_bytes text,
                     struct cul_err *err) {
  enum cul_start start = target->conf->start;
  bool shared = start == CUL_START_SHARED ||
                (start == CUL_START_AUTO && starts_slowly(&target->identity));
  if (shared && may_share(target)) {
    if (target->probe.servers) /* of this job; perhaps refused */
      return 0;
    target->probe.servers = cul_servers_new();
    return try_out(target, text, err);
  }
  cul_servers_free(target->probe.servers);
  target->probe.servers = NULL;
  return 0;
}
