/* The default memory limit of a run: see sandbox.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "sandbox.h"

static uint64_t read_number(const char *path) {
  char text[64] = "";
  FILE *f = fopen(path, "re");
  if (f && !fgets(text, sizeof text, f))
    text[0] = '\0';
  if (f)
    fclose(f);
  return strtoull(text, NULL, 10); /* "max": 0, no limit */
}

/* A line of /proc/self/cgroup, "N:CONTROLLERS:PATH"; 0: no limit. */
static uint64_t limit_of_line(char *line) {
  char path[512];
  char *controllers = strchr(line, ':'), *group;
  if (!controllers || !(group = strchr(controllers + 1, ':')))
    return 0;
  *group++ = '\0';
  group[strcspn(group, "\n")] = '\0';
  if (!controllers[1])
    snprintf(path, sizeof path, "/sys/fs/cgroup%.400s/memory.max", group);
  else if (strcmp(controllers + 1, "memory") == 0)
    snprintf(path, sizeof path,
             "/sys/fs/cgroup/memory%.400s/memory.limit_in_bytes", group);
  else
    return 0;
  return read_number(path);
}

static uint64_t memory_bytes(void) {
  struct sysinfo machine;
  char line[600];
  uint64_t most = sysinfo(&machine) == 0
                      ? (uint64_t)machine.totalram * machine.mem_unit
                      : 0;
  FILE *f = fopen("/proc/self/cgroup", "re");
  while (f && fgets(line, sizeof line, f)) {
    uint64_t limit = limit_of_line(line);
    if (limit && (!most || limit < most))
      most = limit;
  }
  if (f)
    fclose(f);
  return most;
}

uint64_t cul_sandbox_memory(void) { return memory_bytes() / 4 * 3; }
