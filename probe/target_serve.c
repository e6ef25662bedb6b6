/* Is the tool started once for many runs?  See cul_target_serve. */
#include <string.h>

#include "target.h"

/* The path of a line "DIGEST PATH" is python, python3, python3.11 ... */
static bool names_python(const char *line, size_t len) {
  static const char name[] = "/python";
  const char *at = memrchr(line, '/', len);
  size_t n = sizeof name - 1, left = at ? (size_t)(line + len - at) : 0;
  return left >= n && memcmp(at, name, n) == 0 &&
         n + strspn(at + n, "0123456789.") >= left;
}

/* An interpreter whose modules take longer to load than most inputs to
 * compile, and that is of one thread until then.  However the command comes
 * to it: where it does not itself look at the input, one run is lost. */
static bool is_python(const struct cul_identity *identity) {
  const char *line = cul_buf_str(&identity->files);
  while (*line) {
    size_t len = strcspn(line, "\n");
    if (names_python(line, len))
      return true;
    line += len + (line[len] == '\n');
  }
  return false;
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
                (start == CUL_START_AUTO && is_python(&target->identity));
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
