/* One failure that shows in several places: see cul_target_seek_place. */
#include <signal.h>
#include <stdlib.h>

#include "../trial.h"
#include "target.h"

/* Runs of a text.  If the original shows a place in every second run, RUNS runs
 * miss it once in 64 times.  One failing run of the candidate is enough. */
enum { RUNS = 6, RUNS_OF_CANDIDATE = 2 * RUNS };

/* Is the failure told by the place where it shows, as memory faults are? */
static bool may_differ(const struct cul_target *target,
                       const struct cul_signature *sig) {
  return sig->kind == CUL_KIND_SIGNAL && cul_signature_tells_place(sig) &&
         !target->script.contract && !target->engine.argv &&
         !cul_target_flaky(target, NULL) &&
         cul_repeat_takes_more(target->probe.oracle_self);
}

/* Can the sought failure show at another address?  Failures told by words
 * cannot. */
static bool may_lie_elsewhere(const struct cul_target *target,
                              const struct cul_signature *sig) {
  const struct cul_signature *own = &target->original.verdict.sig;
  return own->kind == CUL_KIND_SIGNAL && own->status == sig->status;
}

static void take_place(struct cul_target *target,
                       const struct cul_signature *sig) {
  for (uint32_t i = 0; i < target->places.n; i++)
    if (cul_signature_same(&target->places.taken[i], sig, NULL, 0))
      return;
  cul_repeat_take(target->probe.oracle_self, sig);
  target->places.taken = cul_xreallocarray(
      target->places.taken, target->places.n + 1, sizeof *target->places.taken);
  target->places.taken[target->places.n++] = *sig;
}

/* Run the text n times with random addresses. */
static int run_anywhere(struct cul_target *target, struct cul_bytes text,
                        struct cul_judged *out, size_t n, struct cul_err *err) {
  struct cul_text texts[RUNS];
  for (size_t i = 0; i < n; i++)
    texts[i] = (struct cul_text){
        .bytes = text, .run_flags = CUL_RUN_RANDOMIZE | CUL_RUN_NO_CACHE};
  return cul_target_judge_all(target, texts, n, CUL_UNTIL_END, out, err);
}

/* Does one of `runs` runs with random addresses show sig, which has counted as
 * another failure so far?  sig NULL: does one show the sought failure? */
static int shows_anywhere(struct cul_target *target, struct cul_bytes text,
                          size_t runs, const struct cul_signature *sig,
                          bool *found, struct cul_err *err) {
  size_t workers = (size_t)target->probe.workers, n;
  int rc = 0;
  *found = false;
  for (size_t run = 0; run < runs && rc == 0 && !*found; run += n) {
    struct cul_judged judged[RUNS] = {0};
    n = workers < RUNS ? workers : RUNS;
    n = n < runs - run ? n : runs - run;
    rc = run_anywhere(target, text, judged, n, err);
    for (size_t i = 0; i < n; i++) {
      const struct cul_verdict *verdict = &judged[i].verdict;
      *found |=
          rc == 0 && (sig ? verdict->answer == CUL_OTHER &&
                                cul_signature_same(sig, &verdict->sig, NULL, 0)
                          : verdict->answer == CUL_SAME);
      cul_judged_release(&judged[i]);
    }
  }
  return rc;
}

/* Make a run in which freed memory is never used again by the allocator.
 * filled: the first use of freed memory is a fault. */
static int run_kept(struct cul_target *target, struct cul_bytes bytes,
                    bool filled, struct cul_signature *sig,
                    struct cul_err *err) {
  struct cul_text text = {.bytes = bytes,
                          .run_flags = CUL_RUN_KEEP | CUL_RUN_NO_CACHE |
                                       (filled ? CUL_RUN_FILL : 0)};
  struct cul_judged judged = {0};
  int rc = cul_target_judge_all(target, &text, 1, CUL_UNTIL_END, &judged, err);
  *sig = judged.verdict.sig;
  cul_judged_release(&judged);
  return rc;
}

static bool is_fault(const struct cul_signature *sig) {
  return sig->kind == CUL_KIND_SIGNAL && cul_signature_tells_place(sig) &&
         (sig->status == SIGSEGV || sig->status == SIGBUS);
}

/* Does the text fail with sig only because freed memory was allocated again? If
 * so, find the first use of that memory. */
static int find_use(struct cul_target *target, struct cul_bytes text,
                    const struct cul_signature *sig, struct cul_use *use,
                    struct cul_err *err) {
  struct cul_signature whole;
  int rc = run_kept(target, text, true, &use->first, err);
  use->known = true;
  use->found = rc == 0 && is_fault(&use->first);
  if (!use->found)
    return rc;
  rc = run_kept(target, text, false, &whole, err);
  use->found = rc == 0 && !cul_signature_same(sig, &whole, NULL, 0);
  return rc;
}

/* Do the original and the candidate make the same use of freed memory? */
static int is_one_use(struct cul_target *target,
                      const struct cul_signature *sig,
                      struct cul_bytes candidate, bool *found,
                      struct cul_err *err) {
  struct cul_use of_candidate = {0};
  int rc = 0;
  *found = false;
  if (!target->places.use.known)
    rc = find_use(target, cul_target_subject_given(&target->subject),
                  &target->original.verdict.sig, &target->places.use, err);
  if (rc == 0 && target->places.use.found)
    rc = find_use(target, candidate, sig, &of_candidate, err);
  if (rc == 0 && of_candidate.found)
    *found = cul_signature_same(&target->places.use.first, &of_candidate.first,
                                NULL, 0);
  return rc;
}

/* Do the original and the candidate both show both places?  That the original
 * does is not enough: it may hold two bugs, of which the first reads stray
 * memory and hides the second unless the value is harmless.  A candidate with
 * one bug shows both places only if they are of one bug. */
static int show_both(struct cul_target *target, const struct cul_signature *sig,
                     struct cul_bytes candidate, bool *found,
                     struct cul_err *err) {
  int rc = shows_anywhere(target, cul_target_subject_given(&target->subject),
                          RUNS, sig, found, err);
  if (rc == 0 && *found)
    rc = shows_anywhere(target, candidate, RUNS_OF_CANDIDATE, NULL, found, err);
  return rc;
}

static int seek_place(struct cul_target *target,
                      const struct cul_signature *sig,
                      struct cul_bytes candidate, bool *found,
                      struct cul_err *err) {
  int rc;
  if (!may_differ(target, sig))
    return 0;
  rc = is_one_use(target, sig, candidate, found, err);
  if (rc == 0 && !*found && may_lie_elsewhere(target, sig))
    rc = show_both(target, sig, candidate, found, err);
  if (rc == 0 && *found)
    take_place(target, sig);
  return rc;
}

int cul_target_seek_place(struct cul_target *target,
                          const struct cul_signature *sig,
                          struct cul_bytes candidate, bool *found,
                          struct cul_err *err) {
  uint32_t layouts = target->oracle_conf.crash.layouts;
  int rc;
  *found = false;
  target->oracle_conf.crash.layouts =
      0; /* the runs are of heaps of their own */
  rc = seek_place(target, sig, candidate, found, err);
  target->oracle_conf.crash.layouts = layouts;
  return rc;
}
