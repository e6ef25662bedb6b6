/* Any bytes are what a system recorded of its steps: a log of IREE's, or, cut
 * at its zero bytes, the files of a dump directory of pypto's.  What is read
 * has all its elements, and a run does not part from itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../systems/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place: nothing else reads it meanwhile. */
static void write_file(const char *dir, const char *name, const void *data,
                       size_t size) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    cul_bug("cannot write %s", path);
  close(fd);
  free(path);
}

/* The dump's files, as many as there are. */
static void write_dump(const char *dir, const uint8_t *data, size_t size) {
  static const char *const names[] = {"args_dump.json", "args.bin",
                                      "deps.json"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    const uint8_t *stop = size ? memchr(data, 0, size) : NULL;
    size_t n =
        stop && i + 1 < CUL_ARRAY_SIZE(names) ? (size_t)(stop - data) : size;
    write_file(dir, names[i], data, n);
    data += n;
    size -= n;
    if (size) {
      data++;
      size--;
    }
  }
}

static void read_trace(const char *path) {
  static const struct cul_tolerance_conf exact = {
      .rtol = -1, .atol = -1, .ulps = -1};
  static const struct cul_patience endless;
  struct cul_trace trace = {0}, again = {0};
  struct cul_trace_pairs pairs;
  struct cul_err err = {0};
  bool found;
  int rc = cul_trace_load(path, &endless, &trace, &found, &err);
  if (rc < 0 && (!err.what[0] || !err.advice[0]))
    cul_bug("an error that says nothing");
  if (rc == 0 && found &&
      cul_trace_load(path, &endless, &again, &found, &err) == 0) {
    if (cul_trace_pair(&again, &trace, &exact, &endless, &pairs, &err) < 0 ||
        pairs.only_got || pairs.only_want)
      cul_bug("a trace with steps that it has not");
    cul_trace_pairs_release(&pairs);
  }
  cul_trace_release(&trace);
  cul_trace_release(&again);
}

static char dir[64];
static void remove_dir(void) { cul_rmtree(dir); }

/* Made once; in memory where that can be. */
static void make_dir(void) {
  if (dir[0])
    return;
  snprintf(dir, sizeof dir, "%s/culprit-fuzz-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(dir))
    cul_bug("no directory for the files");
  atexit(remove_dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *log;
  make_dir();
  log = cul_xasprintf("%s/log", dir);
  write_file(dir, "log", data, size);
  read_trace(log);
  write_dump(dir, data, size);
  read_trace(dir);
  free(log);
  return 0;
}
