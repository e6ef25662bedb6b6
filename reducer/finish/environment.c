/* env.json: the environment in which a failure was observed. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../probe/system.h"
#include "bundle.h"
#include "report.h"

/* path -> digest of everything the tool executed or read. */
static json_t *files_of(const struct cul_identity *identity) {
  json_t *out = json_object();
  const char *at = cul_buf_str(&identity->files);
  while (*at) {
    size_t n = strcspn(at, "\n"), digest = strcspn(at, " ");
    if (digest < n) {
      CUL_HEAP char *path = cul_xstrndup(at + digest + 1, n - digest - 1);
      json_object_set_new(out, path, json_stringn(at, digest));
    }
    at += n + (at[n] == '\n');
  }
  return out;
}

/* The variables that the tool receives; without a job, those that it would
 * receive from culprit's own environment. */
static json_t *variables_of(const struct cul_target *target) {
  struct cul_environment *usual =
      target->tool.environment ? NULL : cul_environment_usual();
  json_t *all = cul_report_environment(
      target->conf ? &target->conf->environment
                   : &(struct cul_environment_conf){0},
      target->tool.environment ? target->tool.environment : usual);
  json_t *out = json_incref(json_object_get(all, "passed"));
  json_decref(all);
  cul_environment_free(usual);
  return out;
}

/* What a run inherits besides the variables, as /proc names it: the limits,
 * the umask, the number of processors. */
static json_t *inherited_of(void) {
  enum { NAME = 26 }; /* the width of a name, for proc(5) */
  json_t *out = json_object();
  FILE *limits = fopen("/proc/self/limits", "re");
  mode_t mask = umask(0);
  cpu_set_t cpus;
  char line[256], value[32], octal[8];
  umask(mask);
  while (limits && fgets(line, sizeof line, limits)) {
    size_t n = NAME;
    if (strncmp(line, "Max ", 4) != 0 || strlen(line) <= NAME ||
        sscanf(line + NAME, "%31s", value) != 1)
      continue;
    while (n > 0 && line[n - 1] == ' ')
      n--;
    line[n] = '\0';
    json_object_set_new(out, line, json_string(value));
  }
  if (limits)
    fclose(limits);
  snprintf(octal, sizeof octal, "%04o", (unsigned)mask & 0777);
  json_object_set_new(out, "umask", json_string(octal));
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
    json_object_set_new(out, "processors", json_integer(CPU_COUNT(&cpus)));
  return out;
}

json_t *cul_bundle_environment(const struct cul_target *target) {
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "files", files_of(&target->tool.identity));
  json_object_set_new(out, "variables", variables_of(target));
  json_object_set_new(out, "inherited", inherited_of());
  return out;
}
