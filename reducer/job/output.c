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
#include "../../probe/repro_lines.h"

static int fail_lock(const struct cul_reduce *job, const char *path, int error,
                     struct cul_err *err) {
  CUL_OWNED(cul_buf) holder = {0};
  cul_lock_holder(path, &holder);
  if (error == EWOULDBLOCK)
    return cul_fail(err, CUL_EENV, "wait for it, stop it, or give another -o",
                    "another job is writing %s%s", job->conf->output,
                    cul_buf_str(&holder));
  if (error == EEXIST || error == EISDIR)
    return cul_fail(err, CUL_EUSAGE, "move it away, or give another -o",
                    "%s is needed as the lock of %s, and is another file", path,
                    job->conf->output);
  return cul_fail(err, CUL_EENV, "choose a writable place with -o",
                  "cannot write beside %s: %s", job->conf->output,
                  strerror(error));
}

/* Would the bundle replace the job's input? */
static int check_bundle(const struct cul_reduce_conf *conf,
                        struct cul_err *err) {
  static const char *const stems[] = {"repro", "passing"};
  const char *ext = cul_repro_case_extension(conf->target.input);
  struct stat input, st;
  if (!conf->bundle || stat(conf->target.input, &input) < 0)
    return 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(stems); i++) {
    CUL_HEAP char *path = cul_xasprintf("%s/%s%s", conf->bundle, stems[i], ext);
    if (stat(path, &st) == 0 && st.st_dev == input.st_dev &&
        st.st_ino == input.st_ino)
      return cul_fail(err, CUL_EUSAGE, "name another directory: --bundle DIR",
                      "%s is the input itself, which the bundle would replace",
                      path);
  }
  return 0;
}

int cul_reduce_take_output(struct cul_reduce *job, struct cul_err *err) {
  const struct cul_reduce_conf *conf = job->conf;
  CUL_HEAP char *path = NULL;
  int rc = cul_file_check_result(conf->output, conf->target.input, err);
  if (rc == 0)
    rc = cul_file_check_later(conf->bundle, true, err);
  if (rc == 0)
    rc = check_bundle(conf, err);
  if (rc < 0)
    return rc;
  job->output.path = cul_file_follow(conf->output);
  path = cul_xasprintf("%s.lock", job->output.path);
  job->output.lock_fd = cul_lock_take(path, job->conf->output);
  if (job->output.lock_fd < 0)
    rc = fail_lock(job, path, errno, err);
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
  uint64_t kept = job->subject.space.kept;
  if (is_of_input(job, bytes))
    cul_pieces_add(&text, bytes.data, bytes.len);
  else
    cul_buf_add(&text.own, bytes.data, bytes.len);
  cul_pieces_release(&job->output.written);
  job->output.written = text;
  return kept && bytes.len >= kept ? 0 : write_again(job, err);
}

/* Are the next bytes of the file these?  It is read in parts: the bytes may be
 * many, and need not be in memory twice. */
static bool has_bytes(int fd, struct cul_bytes bytes) {
  enum { PART = 1 << 18 };
  CUL_HEAP char *part = cul_xmalloc(PART);
  bool same = true;
  for (size_t at = 0, n; same && at < bytes.len; at += n) {
    n = bytes.len - at < PART ? bytes.len - at : PART;
    same =
        cul_read_all(fd, part, n) == 1 && memcmp(part, bytes.data + at, n) == 0;
  }
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
    CUL_HEAP char *path = cul_xasprintf("%s.lock", job->output.path);
    cul_lock_drop(path, job->output.lock_fd);
  }
  free(job->output.path);
  cul_pieces_release(&job->output.written);
}
