/* Members run again: see work.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../probe/json_word.h"
#include "work_private.h"

const char **cul_member_argv(const struct cul_member *member) {
  return cul_json_words_argv(member->command);
}

/* Buckets are worked on side by side. */
static int hands_of_one(const struct cul_triage *t) {
  return t->n_members > 1 ? 1 : t->conf->workers;
}

/* Runs without a fail after which a case passes: many are asked, and one that
 * fails every third time is missed in 8 of 1,000. */
enum { SILENT = 12 };

struct cul_target_conf cul_triage_target(const struct cul_triage *t,
                                         const char *input,
                                         const char *const *argv) {
  return (struct cul_target_conf){
      .input = input,
      .argv = argv,
      .oracle = {.exit_code = -1, .repeat.silent = SILENT},
      .timeout_s = t->conf->timeout_s,
      .deadline_us = t->conf->deadline_us,
      .workers = hands_of_one(t),
      .no_cache = t->conf->no_cache,
      .cache_path = t->conf->cache,
      .environment = t->conf->environment,
      .interrupted = t->conf->interrupted};
}

/* A log does not say all that a run does: how a timeout was spent, and with
 * which signal the tool died. */
bool cul_bucket_shows(const struct cul_triage *t,
                      const struct cul_bucket *bucket,
                      const struct cul_signature *sig) {
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_kind_of *kind =
        t->kinds[t->members[bucket->members[i]].kind];
    if (kind->sig.kind == CUL_KIND_TIMEOUT && sig->kind == CUL_KIND_TIMEOUT)
      return true;
    if (cul_signature_same_across(&kind->sig, sig, NULL, 0))
      return true;
    if (kind->corrupted && kind->sig.kind == sig->kind && sig->text[0] &&
        !strcmp(kind->sig.text, sig->text))
      return true;
  }
  return false;
}

/* What fails is told by the run that was judged. */
static void take_shown(const struct cul_target *target, struct cul_shown *out) {
  const struct cul_judged *judged = &target->original;
  out->answer = judged->verdict.answer;
  out->rate = cul_judged_rate(judged);
  out->sig = judged->verdict.sig;
  for (size_t i = 0; i < judged->n && !out->text; i++)
    if (judged->records[i].err.len)
      out->text =
          cul_xstrndup(judged->records[i].err.data, judged->records[i].err.len);
}

int cul_triage_show(const struct cul_triage *t, const char *input,
                    const struct cul_member *member, uint64_t deadline_us,
                    struct cul_shown *out, struct cul_err *err) {
  const char **argv = cul_member_argv(member);
  struct cul_target_conf conf = cul_triage_target(t, input, argv);
  struct cul_target target;
  struct cul_err own = {0};
  int rc = cul_target_open(&target, &conf, &own);
  *out = (struct cul_shown){.answer = CUL_BROKEN};
  target.probe.budget.deadline_us = cul_triage_until(t->conf, deadline_us);
  if (rc == 0)
    rc = cul_target_recall(&target, &own);
  if (rc == 0)
    rc = cul_target_classify(&target, &own);
  if (rc == 0) {
    take_shown(&target, out);
  } else if (cul_is_cut(rc) || rc == CUL_EINTERNAL ||
             (rc == CUL_EENV && !own.of_command)) {
    *err = own; /* its command is not to blame */
  } else {
    out->broken = cul_xstrdup(own.what);
    rc = 0;
  }
  cul_target_release(&target);
  free(argv);
  return rc;
}

void cul_shown_release(struct cul_shown *shown) {
  free(shown->text);
  free(shown->broken);
}

static enum cul_checked judge(const struct cul_triage *t,
                              const struct cul_shown *shown,
                              const struct cul_bucket *bucket, char **note) {
  if (shown->broken)
    *note = cul_xstrdup(shown->broken);
  if (shown->answer != CUL_SAME)
    return shown->answer == CUL_PASSES ? CUL_CHECK_PASSES : CUL_CHECK_BROKEN;
  if (!cul_bucket_shows(t, bucket, &shown->sig)) {
    *note = cul_xasprintf("fails with: %s", shown->sig.title);
    return CUL_CHECK_OTHER;
  }
  if (shown->rate.fails < shown->rate.runs) {
    *note = cul_xasprintf("fails in %u of %u run%s", shown->rate.fails,
                          shown->rate.runs, cul_s(shown->rate.runs));
    return CUL_CHECK_FLAKY;
  }
  return CUL_CHECK_SAME;
}

int cul_triage_try(const struct cul_triage *t, const char *input,
                   const struct cul_member *member,
                   const struct cul_bucket *bucket, enum cul_checked *out,
                   char **note, struct cul_err *err) {
  struct cul_shown shown;
  int rc = cul_triage_show(t, input, member, 0, &shown, err);
  *note = NULL;
  if (rc == 0)
    *out = judge(t, &shown, bucket, note);
  cul_shown_release(&shown);
  return rc;
}

int cul_work_check(const struct cul_triage *t, struct cul_member *member,
                   uint64_t deadline_us, struct cul_err *err) {
  struct cul_shown shown;
  int rc;
  if (member->checked || !member->module || !member->command)
    return 0;
  rc = cul_triage_show(t, member->module, member, deadline_us, &shown, err);
  if (rc == 0)
    member->checked =
        judge(t, &shown, &t->buckets[member->bucket], &member->check_note);
  cul_shown_release(&shown);
  return rc;
}
