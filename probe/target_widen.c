/* One failure that shows in several places: see cul_target_widen. */
#include <stdlib.h>

#include "target.h"
#include "trial.h"

/* Runs of the original; where it shows the other place in every second one,
 * this misses it once in 64. */
enum { RUNS = 6 };

/* A fault of memory, told by the place where it shows; what is said in words
 * does not depend on addresses. */
static bool may_differ(const struct cul_target *target,
                       const struct cul_signature *sig) {
  const struct cul_signature *own = &target->original.verdict.sig;
  return own->kind == CUL_KIND_SIGNAL && sig->kind == CUL_KIND_SIGNAL &&
         own->status == sig->status && sig->n_frames > 0 && !target->contract &&
         !target->engine_argv && !cul_target_flaky(target, NULL) &&
         cul_repeat_takes_more(target->probe.oracle_self);
}

static void take_place(struct cul_target *target,
                       const struct cul_signature *sig) {
  cul_repeat_take(target->probe.oracle_self, sig);
  target->places = cul_xreallocarray(target->places, target->n_places + 1,
                                     sizeof *target->places);
  target->places[target->n_places++] = *sig;
}

/* One run of the original with its memory anywhere. */
static int run_anywhere(struct cul_target *target, struct cul_verdict *verdict,
                        struct cul_err *err) {
  struct cul_request *request = &target->probe.request;
  struct cul_judged judged = {0};
  uint32_t flags = request->flags;
  int rc;
  request->flags |= CUL_RUN_RANDOMIZE | CUL_RUN_NO_CACHE;
  rc = cul_target_judge(target, cul_target_given(target), false, &judged, err);
  request->flags = flags;
  *verdict = judged.verdict;
  cul_judged_release(&judged);
  return rc;
}

/* What a candidate shows with its memory anywhere is no evidence: it may hold
 * two bugs, of which one reads what happens to lie there. */
int cul_target_widen(struct cul_target *target, const struct cul_signature *sig,
                     bool *widened, struct cul_err *err) {
  struct cul_verdict verdict;
  int rc = 0;
  *widened = false;
  if (!may_differ(target, sig))
    return 0;
  for (int i = 0; i < RUNS && rc == 0 && !*widened; i++) {
    rc = run_anywhere(target, &verdict, err);
    if (rc < 0 || verdict.answer != CUL_OTHER ||
        !may_differ(target, &verdict.sig))
      continue;
    take_place(target, &verdict.sig);
    *widened = cul_signature_same(sig, &verdict.sig, NULL, 0);
  }
  return rc;
}
