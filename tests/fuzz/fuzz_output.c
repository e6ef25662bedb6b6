/* What is read of a build's log and of what tools print while flags are
 * bisected; the values of an axis in a file; pointers of git-lfs. */
#include <stdio.h>

#include "../../bisect/build/build_log.h"
#include "../../bisect/flags/flags_private.h"
#include "../../bisect/history/repo_private.h"
#include "fuzz.h"

static void read_log(const char *text) {
  char line[160];
  cul_is_trouble(text);
  cul_first_error(text, line, sizeof line);
  fuzz_demand(strlen(line) < sizeof line && !strchr(line, '\n'),
              "more than a line");
}

/* The rest of a job is not looked at. */
static void read_matches(struct cul_bytes text) {
  struct cul_flags_job job = {.kind = CUL_FLAGS_PATTERN};
  struct cul_err err = {0};
  fuzz_demand_words(cul_flags_read_matches(&job, text, &err), &err);
  for (size_t i = 0; i < job.n; i++) {
    fuzz_demand(job.flags[i].name && *job.flags[i].name,
                "a point without a name");
    free(job.flags[i].name);
  }
  free(job.flags);
  free(job.hashes);
  free(cul_flags_line_of(text, 1));
}

static void read_axis(const uint8_t *data, size_t size) {
  static int fd = -1;
  struct cul_axes axes = {0};
  struct cul_err err = {0};
  char spec[64];
  const char *specs[] = {spec};
  fd = fuzz_file(fd, data, size);
  snprintf(spec, sizeof spec, "n=@/proc/self/fd/%d", fd);
  fuzz_demand_words(cul_axes_read(specs, 1, NULL, &axes, &err), &err);
  cul_axes_release(&axes);
  err = (struct cul_err){0};
  snprintf(spec, sizeof spec, "@/proc/self/fd/%d", fd);
  fuzz_demand_words(cul_axes_read(specs, 1, NULL, &axes, &err), &err);
  cul_axes_release(&axes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_bytes bytes = {(const char *)data, size};
  char *text = cul_xstrndup((const char *)data, size), oid[65];
  read_log(text);
  read_matches(bytes);
  read_axis(data, size);
  if (cul_lfs_pointer((const char *)data, size, oid))
    fuzz_demand(strlen(oid) == 64, "no name of 64 digits");
  free(text);
  return 0;
}
