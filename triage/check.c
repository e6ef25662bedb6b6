/* Members run again: see work.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

const char **cul_member_argv(const struct cul_member *member) {
  size_t n = json_array_size(member->command);
  const char **argv = n ? cul_xcalloc(n + 1, sizeof *argv) : NULL;
  for (size_t i = 0; i < n; i++) {
    const char *word = json_string_value(json_array_get(member->command, i));
    argv[i] = word ? word : "";
  }
  return argv;
}

struct cul_target_conf cul_triage_target(const struct cul_triage *t,
                                         const char *input,
                                         const char *const *argv) {
  return (struct cul_target_conf){.input = input,
                                  .argv = argv,
                                  .oracle = {.exit_code = -1},
                                  .timeout_s = t->conf->timeout_s,
                                  .workers = t->conf->workers,
                                  .no_cache = t->conf->no_cache,
                                  .cache_path = t->conf->cache,
                                  .interrupted = t->conf->interrupted};
}

/* A log does not say all that a run does: how a timeout was spent, and with
 * which signal the tool died. */
static bool bucket_shows(const struct cul_triage *t,
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

static enum cul_checked judge(const struct cul_triage *t,
                              const struct cul_target *target,
                              const struct cul_bucket *bucket, char **note) {
  const struct cul_verdict *verdict = &target->original.verdict;
  struct cul_rate rate = cul_judged_rate(&target->original);
  if (verdict->answer != CUL_SAME)
    return verdict->answer == CUL_PASSES ? CUL_CHECK_PASSES : CUL_CHECK_BROKEN;
  if (!bucket_shows(t, bucket, &verdict->sig)) {
    *note = cul_xasprintf("fails with: %s", verdict->sig.title);
    return CUL_CHECK_OTHER;
  }
  if (rate.fails < rate.runs) {
    *note = cul_xasprintf("fails in %u of %u runs", rate.fails, rate.runs);
    return CUL_CHECK_FLAKY;
  }
  return CUL_CHECK_SAME;
}

int cul_triage_try(struct cul_triage *t, const char *input,
                   const struct cul_member *member,
                   const struct cul_bucket *bucket, enum cul_checked *out,
                   char **note, struct cul_err *err) {
  const char **argv = cul_member_argv(member);
  struct cul_target_conf conf = cul_triage_target(t, input, argv);
  struct cul_target target;
  struct cul_err own = {0};
  int rc = cul_target_open(&target, &conf, &own);
  *note = NULL;
  if (rc == 0)
    rc = cul_target_recall(&target, &own);
  if (rc == 0)
    rc = cul_target_classify(&target, &own);
  if (rc == 0) {
    *out = judge(t, &target, bucket, note);
  } else if (rc == CUL_EINTR || rc == CUL_EINTERNAL) {
    *err = own;
  } else {
    *out = CUL_CHECK_BROKEN;
    *note = cul_xstrdup(own.what);
    rc = 0;
  }
  cul_target_release(&target);
  free(argv);
  return rc;
}

int cul_triage_check(struct cul_triage *t, struct cul_member *member,
                     struct cul_err *err) {
  if (member->checked || !member->module || !member->command)
    return 0;
  return cul_triage_try(t, member->module, member, &t->buckets[member->bucket],
                        &member->checked, &member->check_note, err);
}
