/* Writes the result file: see output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/files/lock.h"

static int fail_lock(const struct cul_reduce *job, int error,
                     struct cul_err *err) {
  if (error == EWOULDBLOCK)
    return cul_fail(err, CUL_EENV, "wait for it, stop it, or give another -o",
                    "another job is writing %s", job->conf->output);
  return cul_fail(err, CUL_EENV, "choose a writable place with -o",
                  "cannot write beside %s: %s", job->conf->output,
                  strerror(error));
}

int cul_reduce_take_output(struct cul_reduce *job, struct cul_err *err) {
  const struct cul_reduce_conf *conf = job->conf;
  char *path;
  int rc = cul_file_check_result(conf->output, conf->target.input, err);
  if (rc == 0)
    rc = cul_file_check_later(conf->bundle, true, err);
  if (rc < 0)
    return rc;
  job->output.path = cul_file_follow(conf->output);
  path = cul_xasprintf("%s.lock", job->output.path);
  job->output.lock_fd = cul_lock_take(path, job->conf->output);
  if (job->output.lock_fd < 0)
    rc = fail_lock(job, errno, err);
  free(path);
  return rc;
}

/* Write the output, and wait for the disk, unless the job's time is over or the
 * user waits for its end. */
static int write_again(struct cul_reduce *job, struct cul_err *err) {
  mode_t mode = job->target.subject.executable ? 0777 : 0666;
  struct cul_err ignored = {0};
  bool waits = cul_probe_time_left(&job->target.probe, &ignored) == 0;
  int rc = cul_file_replace_while(job->output.path, &job->output.written, mode,
                                  waits, NULL, err);
  job->output.lost = rc < 0;
  return rc;
}

/* Is it a part of the input, which need not be copied? */
static bool is_of_input(const struct cul_reduce *job, struct cul_bytes bytes) {
  struct cul_bytes input = job->target.subject.text.bytes;
  uintptr_t at = (uintptr_t)bytes.data - (uintptr_t)input.data;
  return input.data && at < input.len && bytes.len <= input.len - at;
}

int cul_reduce_write_output(struct cul_reduce *job, struct cul_bytes bytes,
                            struct cul_err *err) {
  struct cul_pieces text = {0}; /* bytes may point into output.written */
  if (is_of_input(job, bytes))
    cul_pieces_add(&text, bytes.data, bytes.len);
  else
    cul_buf_add(&text.own, bytes.data, bytes.len);
  cul_pieces_release(&job->output.written);
  job->output.written = text;
  return write_again(job, err);
}

/* Are the next bytes of the file these?  It is read in parts: the bytes may be
 * many, and need not be in memory twice. */
static bool has_bytes(int fd, struct cul_bytes bytes) {
  enum { PART = 1 << 18 };
  char *part = cul_xmalloc(PART);
  bool same = true;
  for (size_t at = 0, n; same && at < bytes.len; at += n) {
    n = bytes.len - at < PART ? bytes.len - at : PART;
    same =
        cul_read_all(fd, part, n) == 1 && memcmp(part, bytes.data + at, n) == 0;
  }
  free(part);
  return same;
}

/* Does the file still contain what was written?  A link does not count: its
 * target may be removed. */
static bool is_settled(const struct cul_reduce *job) {
  struct cul_pieces_reader reader = {.pieces = &job->output.written};
  struct cul_bytes piece;
  struct stat st;
  int fd = TEMP_FAILURE_RETRY(
      open(job->output.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  bool same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
              (uint64_t)st.st_size == cul_pieces_len(&job->output.written);
  while (same && cul_pieces_read(&reader, &piece))
    same = has_bytes(fd, piece);
  if (fd >= 0)
    close(fd);
  return same;
}

int cul_reduce_settle_output(struct cul_reduce *job, bool starts,
                             struct cul_err *err) {
  struct cul_patience patience = cul_probe_patience(&job->target.probe);
  if (is_settled(job))
    return 0;
  if (!starts)
    return write_again(job, err);
  return cul_file_replace_while(job->output.path, &job->output.written,
                                job->target.subject.executable ? 0777 : 0666,
                                false, &patience, err);
}

void cul_reduce_release_output(struct cul_reduce *job) {
  if (job->output.lock_fd >= 0) {
    char *path = cul_xasprintf("%s.lock", job->output.path);
    cul_lock_drop(path, job->output.lock_fd);
    free(path);
  }
  free(job->output.path);
  cul_pieces_release(&job->output.written);
}
