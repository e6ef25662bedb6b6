/* The machine: see system.h. */
#include "system.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/files/file.h"

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

json_t *cul_report_system(void) {
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
