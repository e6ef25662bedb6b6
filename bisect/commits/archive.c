/* Logs in a bundle: see archive.h. */
#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "../../base/visible.h"

enum { MOST_LOG = 256 << 20 }; /* bytes; a longer one is not kept */

int cul_archive_open(const struct cul_archive *archive, struct cul_err *err) {
  char *logs;
  int rc = 0;
  if (!archive->dir)
    return 0;
  logs = cul_xasprintf("%s/logs", archive->dir);
  if (mkdir(archive->dir, 0777) < 0 && errno != EEXIST)
    rc = -1;
  if (rc == 0 && mkdir(logs, 0777) < 0 && errno != EEXIST)
    rc = -1;
  if (rc < 0)
    rc = cul_fail(err, CUL_EENV, "give a directory that can be written",
                  "--bundle: cannot make %s: %s", logs, strerror(errno));
  free(logs);
  return rc;
}

int cul_archive_put(const struct cul_archive *archive, const char *name,
                    struct cul_bytes text, mode_t mode, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", archive->dir, name);
  int rc = cul_file_write(path, text.data, text.len, mode, err);
  free(path);
  return rc;
}

/* Put a log without escape sequences and the like. */
static void put_log(const struct cul_archive *archive, const char *name,
                    struct cul_buf *text) {
  struct cul_err ignored = {0};
  cul_visible_make(text);
  (void)!cul_archive_put(archive, name, cul_buf_bytes(text), 0666, &ignored);
}

void cul_archive_build(const struct cul_archive *archive, const char *hex,
                       const char *log) {
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  char *name = cul_xasprintf("logs/build-%.12s.log", hex);
  if (archive->dir && archive->builds &&
      cul_file_read(log, MOST_LOG, &text, &ignored) == 0)
    put_log(archive, name, &text);
  cul_buf_release(&text);
  free(name);
}

void cul_archive_run(const struct cul_archive *archive, const char *hex,
                     uint32_t attempt, const struct cul_record *record) {
  struct cul_buf text = {0};
  char *name = cul_xasprintf("logs/run-%.12s-%u.log", hex, attempt);
  if (archive->dir) {
    cul_buf_addf(&text, "%s %d, %.3f s\n---- stdout\n",
                 record->end == CUL_EXITED     ? "exit status"
                 : record->end == CUL_SIGNALED ? "signal"
                                               : "no end of its own",
                 record->status, (double)record->wall_us / 1e6);
    cul_buf_add(&text, record->out.data, record->out.len);
    cul_buf_adds(&text, "---- stderr\n");
    cul_buf_add(&text, record->err.data, record->err.len);
    put_log(archive, name, &text);
  }
  cul_buf_release(&text);
  free(name);
}
