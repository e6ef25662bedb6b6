/* env.json: the environment a failure was seen in. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/file.h"
#include "bundle.h"
#include "report.h"

/* First line of a file, or null. */
static json_t *first_line(const char *path) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  json_t *line = NULL;
  if (cul_file_read(path, 1 << 16, &text, &err) == 0 && text.len)
    line = json_stringn(text.data, strcspn(text.data, "\n"));
  cul_buf_release(&text);
  return line ? line : json_null();
}

/* The value of KEY="value" in /etc/os-release. */
static json_t *os_name(void) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  const char *at;
  json_t *name = NULL;
  if (cul_file_read("/etc/os-release", 1 << 16, &text, &err) == 0 &&
      (at = strstr(cul_buf_str(&text), "PRETTY_NAME=\"")) != NULL) {
    at += strlen("PRETTY_NAME=\"");
    name = json_stringn(at, strcspn(at, "\"\n"));
  }
  cul_buf_release(&text);
  return name ? name : json_null();
}

static json_t *system_of(void) {
  struct utsname name;
  json_t *out = json_object();
  uname(&name);
  json_object_set_new(out, "os", os_name());
  json_object_set_new(out, "kernel", json_string(name.release));
  json_object_set_new(out, "machine", json_string(name.machine));
  json_object_set_new(out, "cores",
                      json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
  json_object_set_new(out, "nvidia_driver",
                      first_line("/proc/driver/nvidia/version"));
  json_object_set_new(out, "amd_driver",
                      first_line("/sys/module/amdgpu/version"));
  return out;
}

/* path -> digest of everything the tool executed or read. */
static json_t *files_of(const struct cul_identity *identity) {
  json_t *out = json_object();
  const char *at = cul_buf_str(&identity->files);
  while (*at) {
    size_t n = strcspn(at, "\n"), digest = strcspn(at, " ");
    if (digest < n) {
      char *path = cul_xstrndup(at + digest + 1, n - digest - 1);
      json_object_set_new(out, path, json_stringn(at, digest));
      free(path);
    }
    at += n + (at[n] == '\n');
  }
  return out;
}

/* What the tool is passed; of culprit itself, where there is no job. */
static json_t *variables_of(const struct cul_target *target) {
  struct cul_environment *usual =
      target->environment ? NULL : cul_environment_usual();
  json_t *all =
      cul_report_environment(target->conf ? &target->conf->environment
                                          : &(struct cul_environment_conf){0},
                             target->environment ? target->environment : usual);
  json_t *out = json_incref(json_object_get(all, "passed"));
  json_decref(all);
  cul_environment_free(usual);
  return out;
}

json_t *cul_bundle_environment(const struct cul_target *target) {
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", system_of());
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "files", files_of(&target->identity));
  json_object_set_new(out, "variables", variables_of(target));
  return out;
}
