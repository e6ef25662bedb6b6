/* Provisional answers of a search for a hang: see unproven.h. */
#include "unproven.h"

#include <string.h>

#include "../../base/clock.h"
#include "../../base/status.h"
#include "reopen.h"

enum {
  PAUSE = 4
}; /* whole deadlines between proofs: a fifth of the time is
      spent on proofs */

static bool is_provisional(const struct cul_reduce *job) {
  const struct cul_probe *probe = &job->target.probe;
  return probe->deadline.provisional && probe->early.provisional > 0 &&
         job->subject.open;
}

static bool is_same_text(const struct cul_buf *a, const struct cul_pieces *b) {
  struct cul_pieces_reader reader = {.pieces = b};
  struct cul_bytes piece;
  bool same = a->len == cul_pieces_len(b);
  for (size_t at = 0; same && cul_pieces_read(&reader, &piece); at += piece.len)
    same = !memcmp(a->data + at, piece.data, piece.len);
  return same;
}

static void keep(struct cul_reduce *job) {
  struct cul_unproven *unproven = &job->unproven;
  cul_buf_clear(&unproven->proven);
  cul_pieces_copy(&job->output.written, &unproven->proven);
  unproven->proven_us = cul_now_us();
}

static int take_back(struct cul_reduce *job, bool *back, struct cul_err *err) {
  struct cul_early_hangs *early = &job->target.probe.early;
  if (!is_provisional(job) || !early->stay.n || !job->unproven.proven.len)
    return 0;
  if (++early->doubts >= CUL_EARLY_MOST_DOUBTS)
    early->stay.n = 0;
  job->unproven.taken_back++;
  *back = true;
  cul_status_transient(
      CUL_TRANSIENT_EARLY,
      "note:      a run was treated as a hang too early: culprit "
      "returns to the last candidate that was proven");
  return cul_reduce_reopen(job, cul_buf_bytes(&job->unproven.proven),
                           "taken-back", err);
}

/* Run the best candidate once with the whole deadline, while nothing else runs.
 */
static int run_whole(struct cul_reduce *job, bool *same, struct cul_err *err) {
  struct cul_probe *probe = &job->target.probe;
  struct cul_text text = {.pieces = &job->output.written,
                          .run_flags = CUL_RUN_NO_CACHE};
  struct cul_judged judged = {0};
  int rc;
  probe->deadline.provisional = false;
  rc =
      cul_target_judge_all(&job->target, &text, 1, CUL_UNTIL_END, &judged, err);
  probe->deadline.provisional = true;
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

/* The time that a run with the whole deadline takes on this machine under its
 * present load. */
static uint64_t whole_us(const struct cul_reduce *job) {
  const struct cul_judged *original = &job->target.original;
  uint64_t us = 1000 * job->target.probe.request.wall_ms;
  for (size_t i = 0; i < original->n; i++)
    if (original->records[i].wall_us > us)
      us = original->records[i].wall_us;
  return us;
}

/* Is it time to prove the best candidate? */
static bool is_due(const struct cul_reduce *job) {
  const struct cul_unproven *unproven = &job->unproven;
  return is_provisional(job) && !job->subject.space.floor &&
         unproven->proven.len > 0 &&
         cul_now_us() - unproven->proven_us >= PAUSE * whole_us(job) &&
         !is_same_text(&unproven->proven, &job->output.written);
}

int cul_unproven_settle(struct cul_reduce *job, bool contradicted, bool *back,
                        struct cul_err *err) {
  bool same = false;
  int rc;
  if (contradicted)
    return take_back(job, back, err);
  if (!is_due(job))
    return 0;
  rc = run_whole(job, &same, err);
  if (rc < 0)
    return rc;
  if (!same)
    return take_back(job, back, err);
  job->unproven.n_proven++;
  keep(job);
  return 0;
}
