/* A fault of memory that depends on chance: see cul_target_seek_layouts. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { VARIATIONS = 3 };

/* Fixed heaps are only for faults that the stack tells apart: a failure that is
 * known by its words alone, or by a stack without a place, would match any
 * other. */
static bool may_depend(const struct cul_target *target) {
  const struct cul_signature *sig = &target->original.verdict.sig;
  return sig->kind == CUL_KIND_SIGNAL && cul_signature_tells_place(sig) &&
         (sig->status == SIGSEGV || sig->status == SIGBUS) &&
         strcmp(target->oracle->name, "crash") == 0 &&
         !target->script.contract && !target->engine.argv &&
         !cul_target_flaky(target, NULL);
}

/* Does the failure depend on how memory is laid out?  No tool minds empty lines
 * at the end, but they change the memory that the text takes. */
static int depends(struct cul_target *target, struct cul_bytes text,
                   bool *by_chance, struct cul_err *err) {
  static const size_t lines[VARIATIONS] = {1, 90, 5000};
  struct cul_buf bufs[VARIATIONS] = {0};
  struct cul_text texts[VARIATIONS];
  struct cul_judged judged[VARIATIONS] = {0};
  int rc;
  for (size_t i = 0; i < VARIATIONS; i++) {
    cul_buf_add(&bufs[i], text.data, text.len);
    for (size_t n = 0; n < lines[i]; n++)
      cul_buf_addc(&bufs[i], '\n');
    texts[i] = (struct cul_text){.bytes = cul_buf_bytes(&bufs[i])};
  }
  rc = cul_target_judge_all(target, texts, VARIATIONS, CUL_UNTIL_END, judged,
                            err);
  for (size_t i = 0; i < VARIATIONS; i++) {
    enum cul_answer answer = judged[i].verdict.answer;
    *by_chance |= rc == 0 && (answer == CUL_PASSES || answer == CUL_OTHER);
    cul_judged_release(&judged[i]);
    cul_buf_release(&bufs[i]);
  }
  return rc;
}

static bool shows_none(const struct cul_verdict *verdict) {
  return verdict->answer == CUL_PASSES ||
         (verdict->answer == CUL_OTHER && verdict->sig.kind != CUL_KIND_SIGNAL);
}

/* Does the failure show in this heap?  An (almost) empty input must show none
 * there, since the failure would then be the heap's own. */
static int fits(struct cul_target *target, struct cul_bytes text,
                struct cul_bytes small, uint32_t layout, bool *yes,
                struct cul_err *err) {
  struct cul_text texts[] = {{.bytes = text, .run_flags = layout},
                             {.bytes = {"\n", 1}, .run_flags = layout},
                             {.bytes = small, .run_flags = layout}};
  struct cul_judged judged[CUL_ARRAY_SIZE(texts)] = {0};
  size_t n = CUL_ARRAY_SIZE(texts) - (small.len == 0);
  int rc = cul_target_judge_all(target, texts, n, CUL_UNTIL_END, judged, err);
  *yes = rc == 0 && judged[0].verdict.answer == CUL_SAME;
  for (size_t i = 1; i < n; i++)
    *yes = *yes && shows_none(&judged[i].verdict);
  for (size_t i = 0; i < n; i++)
    cul_judged_release(&judged[i]);
  return rc;
}

int cul_target_seek_layouts(struct cul_target *target, struct cul_bytes text,
                            struct cul_bytes small, bool *found,
                            struct cul_err *err) {
  bool by_chance = false;
  uint32_t layouts = 0;
  int rc = 0;
  *found = false;
  if (target->oracle_conf.crash.layouts || !may_depend(target))
    return 0;
  rc = depends(target, text, &by_chance, err);
  for (int i = 0; i < CUL_N_LAYOUTS && by_chance && rc == 0; i++) {
    uint32_t layout = (uint32_t)CUL_RUN_LAYOUT << i;
    bool yes = false;
    rc = fits(target, text, small, layout, &yes, err);
    layouts |= yes ? layout : 0;
  }
  if (rc == 0)
    target->oracle_conf.crash.layouts = layouts;
  *found = rc == 0 && layouts;
  return rc;
}
