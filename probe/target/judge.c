/* Places texts in slots of the target and judges them: see target.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/beneath.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "target.h"

/* All slots have paths of the same length, because a failure that depends on
 * the contents of memory may depend on that length. */
int cul_target_place(const struct cul_target *target, int slot,
                     struct cul_placed *placed, struct cul_err *err) {
  *placed = (struct cul_placed){0};
  placed->place = &target->place.held;
  placed->inputs_name = target->inputs.name;
  placed->executable = target->subject.executable;
  placed->patience = cul_probe_patience(&target->probe);
  placed->dir = cul_xasprintf("%s/w%04d", target->dir, slot);
  placed->path = cul_xasprintf("%s/%s", placed->dir, target->subject.file);
  placed->out = cul_xasprintf("%s/o%04d", target->dir, slot);
  placed->subst[0] = (struct cul_subst){"@@", placed->path};
  placed->subst[1] = (struct cul_subst){"@{out}", placed->out};
  placed->subst[2] = (struct cul_subst){"@{original}", target->subject.path};
  placed->subst[3] = (struct cul_subst){"@{inputs}", target->inputs.dir};
  placed->art = (struct cul_artefact){.subst = placed->subst,
                                      .n_subst = target->inputs.dir ? 4 : 3,
                                      .dir = placed->dir,
                                      .file = target->subject.file,
                                      .live_fd = -1};
  if (cul_held_ready(placed->place, placed->dir, 0700, err) < 0)
    return err->code;
  return cul_held_ready(placed->place, placed->out, 0700, err);
}

static bool is_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Is `now` the file of `left`, and unchanged? */
static bool is_left(const struct stat *left, const struct stat *now) {
  return left->st_ino && now->st_dev == left->st_dev &&
         now->st_ino == left->st_ino && now->st_mode == left->st_mode &&
         now->st_nlink == 1 && now->st_uid == left->st_uid &&
         now->st_gid == left->st_gid && now->st_size == left->st_size &&
         is_time(&now->st_mtim, &left->st_mtim) &&
         is_time(&now->st_ctim, &left->st_ctim);
}

/* Open the last candidate's file again if nobody has changed it: to remove it
 * and make another one can take as long as a short run.  -1: it must be made
 * anew. */
static int open_left(int dir, const char *name, const struct stat *left) {
  struct stat now;
  int fd;
  if (strchr(name, '/') || fstatat(dir, name, &now, AT_SYMLINK_NOFOLLOW) < 0 ||
      !is_left(left, &now))
    return -1;
  fd = TEMP_FAILURE_RETRY(openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (fd < 0 || (fstat(fd, &now) == 0 && is_left(left, &now)))
    return fd;
  close(fd);
  return -1;
}

int cul_placed_create(const struct cul_placed *placed, struct stat *left,
                      int *fd, struct cul_err *err) {
  const char *name = placed->art.file;
  int dir, rc = cul_held_claim(placed->place, placed->dir, &dir, err);
  if (rc < 0)
    return rc;
  *fd = left ? open_left(dir, name, left) : -1;
  if (left)
    *left = (struct stat){0};
  if (*fd < 0)
    *fd = cul_beneath_create(dir, name, placed->executable ? 0777 : 0666);
  if (*fd < 0)
    rc = cul_fail(err, CUL_EENV, "check the directory and its permissions",
                  "cannot write %s: %s", placed->path, strerror(errno));
  close(dir);
  return rc;
}

/* Texts are written in parts of this size, so that an interrupt or the end of
 * the job's time does not wait for the rest of a large text. */
enum { PART = 8 << 20 }; /* bytes */

/* A file of this size or more is removed as soon as it is judged, so that the
 * next text can use the same pages, and $TMPDIR needs no room for both. */
enum { LARGE = 64 << 20 }; /* bytes */

static int write_part(const struct cul_placed *placed, int fd,
                      struct cul_bytes part, bool first, struct cul_err *err) {
  const struct cul_patience *patience = &placed->patience;
  int rc = 0;
  if (!first && patience->left)
    rc = patience->left(patience->self, err);
  if (rc < 0)
    return rc;
  if (!first && cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "", "interrupted while writing %s",
                    placed->path);
  if (cul_write_all(fd, part.data, part.len) < 0)
    return cul_fail(err, CUL_EENV, "make room on that file system",
                    "cannot write %s: %s", placed->path, strerror(errno));
  return 0;
}

static int write_text(const struct cul_placed *placed, int fd,
                      const struct cul_pieces *text, struct cul_err *err) {
  struct cul_pieces_reader reader = {.pieces = text};
  struct cul_bytes piece;
  bool first = true;
  int rc = 0;
  while (rc == 0 && cul_pieces_read(&reader, &piece))
    for (size_t at = 0, n; rc == 0 && at < piece.len; at += n) {
      n = piece.len - at < PART ? piece.len - at : PART;
      rc = write_part(placed, fd, (struct cul_bytes){piece.data + at, n}, first,
                      err);
      first = false;
    }
  return rc;
}

static struct cul_digest digest_of(const struct cul_pieces *text) {
  struct cul_pieces_reader reader = {.pieces = text};
  struct cul_hasher *hasher = cul_hasher_new();
  struct cul_bytes piece;
  while (cul_pieces_read(&reader, &piece))
    cul_hasher_add(hasher, piece.data, piece.len);
  return cul_hasher_finish(hasher);
}

int cul_placed_fill_pieces(struct cul_placed *placed,
                           const struct cul_pieces *text, struct cul_err *err) {
  struct cul_hasher *h;
  int fd, rc;
  placed->art.digest = digest_of(text);
  if (placed->inputs_name) {
    h = cul_hasher_new();
    cul_hasher_add(h, &placed->art.digest, sizeof placed->art.digest);
    cul_hasher_field(h, placed->inputs_name);
    placed->art.digest = cul_hasher_finish(h);
  }
  rc = cul_placed_create(placed, NULL, &fd, err);
  if (rc < 0)
    return rc;
  placed->is_large = cul_pieces_len(text) >= LARGE;
  rc = write_text(placed, fd, text, err);
  close(fd);
  return rc;
}

void cul_placed_release(struct cul_placed *placed) {
  if (placed->is_large)
    (void)cul_held_unlink(placed->place, placed->path);
  free(placed->dir);
  free(placed->path);
  free(placed->out);
  *placed = (struct cul_placed){0};
}

/* Fail if the sandbox refused a write of an unresolved run, and passes count as
 * much as failures: the run then has no result. */
static int check_writes(const struct cul_target *target,
                        const struct cul_judged *judged, struct cul_err *err) {
  bool counts =
      target->probe.doubt.passes && judged->verdict.answer == CUL_UNRESOLVED;
  char *refused = counts ? cul_judged_refused(judged) : NULL;
  int rc = 0;
  if (refused)
    rc = cul_fail(
        err, CUL_EENV,
        "--writable PATH lets it write there, --sandbox=off everywhere",
        "the sandbox refused a write of the tool to %s, which the original run "
        "did not change, so the run has no result",
        refused);
  free(refused);
  return rc;
}

static int judge_as(struct cul_target *target,
                    const struct cul_command *command, struct cul_bytes text,
                    bool learn, struct cul_judged *out, struct cul_err *err) {
  struct cul_placed placed;
  bool lost = false;
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  placed.art.cmd = command;
  if (rc == 0)
    rc = cul_placed_fill(&placed, text, err);
  if (rc == 0)
    rc = cul_probe_judge(&target->probe, &placed.art, learn, out, err);
  if (rc == 0 && !learn && cul_judged_is_lost(out))
    rc = cul_probe_ask_machine(&target->probe, &placed.art,
                               command ? command : &target->tool.command,
                               placed.out, &lost, err);
  cul_placed_release(&placed);
  if (rc == 0 && (out->verdict.answer == CUL_BROKEN || lost))
    return cul_judged_fail(out, err);
  return rc || learn ? rc : check_writes(target, out, err);
}

int cul_target_judge_all(struct cul_target *target,
                         const struct cul_text *texts, size_t n,
                         enum cul_until until, struct cul_judged *out,
                         struct cul_err *err) {
  struct cul_placed *placed = cul_xcalloc(n + 1, sizeof *placed);
  struct cul_artefact *arts = cul_xcalloc(n + 1, sizeof *arts);
  int rc = 0;
  memset(out, 0, n * sizeof *out);
  for (size_t i = 0; i < n && rc == 0; i++) {
    rc = cul_target_place(target, CUL_SLOT_OTHER + (int)i, &placed[i], err);
    if (rc == 0)
      rc = texts[i].pieces
               ? cul_placed_fill_pieces(&placed[i], texts[i].pieces, err)
               : cul_placed_fill(&placed[i], texts[i].bytes, err);
    arts[i] = placed[i].art;
    arts[i].run_flags |= texts[i].run_flags;
    if (texts[i].known) {
      arts[i].known = texts[i].known->records;
      arts[i].n_known = texts[i].known->n;
    }
  }
  if (rc == 0)
    rc = cul_probe_judge_all(&target->probe, arts, n, until, out, err);
  for (size_t i = 0; i < n; i++) {
    if (rc == 0 && out[i].verdict.answer == CUL_BROKEN && out[i].n > 0)
      rc = cul_judged_fail(&out[i], err);
    cul_placed_release(&placed[i]);
  }
  free(placed);
  free(arts);
  return rc;
}

int cul_target_judge(struct cul_target *target, struct cul_bytes text,
                     bool learn, struct cul_judged *out, struct cul_err *err) {
  return judge_as(target, NULL, text, learn, out, err);
}

int cul_target_judge_under(struct cul_target *target, char *const *argv,
                           struct cul_bytes text, struct cul_judged *out,
                           struct cul_err *err) {
  struct cul_command command = cul_target_variant(target, argv);
  return judge_as(target, &command, text, false, out, err);
}

int cul_target_measure(struct cul_target *target, struct cul_bytes text,
                       uint32_t fails, struct cul_judged *out,
                       struct cul_err *err) {
  struct cul_request *request = &target->probe.request;
  uint32_t flags = request->flags;
  int rc;
  request->flags |= CUL_RUN_NO_CACHE;
  cul_repeat_measure(target->probe.oracle_self, fails);
  rc = cul_target_judge(target, text, false, out, err);
  cul_repeat_measure(target->probe.oracle_self, 0);
  request->flags = flags;
  return rc;
}

struct cul_rate cul_judged_rate(const struct cul_judged *judged) {
  uint32_t runs = 0;
  for (size_t i = 0; i < judged->n; i++)
    runs += judged->records[i].role == CUL_ROLE_SUSPECT;
  double fails = judged->verdict.confidence * (double)runs;
  return (struct cul_rate){(uint32_t)(fails + 0.5), runs};
}
