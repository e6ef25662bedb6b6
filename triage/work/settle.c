/* Reruns failures whose logs have too little information: see work.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../oracles/rules/rules.h"
#include "../table.h"
#include "work.h"

struct settling {
  struct cul_triage *t;
  struct cul_table *seen; /* level 2 key -> number of logs with it */
  size_t *members;        /* index: job */
  json_t **found;         /* index: job */
  size_t n, n_settled;
};

static size_t *count_of(const struct settling *s,
                        const struct cul_kind_of *kind) {
  return cul_table_at(s->seen, &kind->keys.level[2], NULL);
}

/* Has the log neither a message nor names, or are they damaged? */
static bool says_little(const struct cul_kind_of *kind) {
  return kind->corrupted ||
         (!kind->sig.text[0] && cul_key_frames(&kind->sig, NULL) == 0);
}

static bool wants_run(const struct settling *s,
                      const struct cul_member *member) {
  const struct cul_kind_of *kind = s->t->kinds[member->kind];
  return member->module && member->command &&
         (says_little(kind) || *count_of(s, kind) == 1) &&
         access(member->module, R_OK) == 0;
}

static json_t *run_again(void *self, size_t i, struct cul_err *err) {
  struct settling *s = self;
  const struct cul_member *member = &s->t->members[s->members[i]];
  struct cul_shown shown;
  json_t *out = json_object();
  int rc = cul_triage_show(s->t, member->module, member, 0, &shown, err);
  if (rc == 0 && shown.answer == CUL_SAME) {
    json_object_set_new(out, "signature", cul_signature_json(&shown.sig));
    if (shown.text)
      json_object_set_new(out, "text", cul_json_text(shown.text));
  }
  cul_shown_release(&shown);
  if (rc == 0)
    return out;
  json_decref(out);
  return NULL;
}

static int take(void *self, size_t i, json_t *result, struct cul_err *err) {
  struct settling *s = self;
  (void)err;
  s->found[i] = json_incref(result);
  return 0;
}

/* Does the rerun replace the log?  It does if the log is damaged, if other logs
 * have the failure of the rerun, or if the log has little information and the
 * rerun the same message. */
static bool believes(const struct settling *s, const struct cul_kind_of *log,
                     const struct cul_kind_of *run) {
  return log->corrupted || *count_of(s, run) > 0 ||
         (says_little(log) && log->sig.kind == run->sig.kind &&
          !strcmp(log->sig.text, run->sig.text));
}

static void apply(struct settling *s, size_t i) {
  struct cul_member *member = &s->t->members[s->members[i]];
  struct cul_kind_of *run = cul_xcalloc(1, sizeof *run);
  const json_t *text = json_object_get(s->found[i], "text");
  if (cul_signature_parse(json_object_get(s->found[i], "signature"),
                          &run->sig)) {
    cul_signature_seal(s->t->rules, &run->sig);
    cul_keys_of(&run->sig, NULL, false, &run->keys);
    if (believes(s, s->t->kinds[member->kind], run)) {
      cul_triage_replace(s->t, member, &run->sig, json_string_value(text));
      ++*count_of(s, run);
      s->n_settled++;
    }
  }
  free(run);
}

/* Apply the reruns.  Those of logs with enough information come last, because
 * they count only if other failures are equal. */
static void apply_all(struct settling *s) {
  bool *little = cul_xcalloc(s->n + 1, sizeof *little);
  for (size_t i = 0; i < s->n; i++)
    little[i] = says_little(s->t->kinds[s->t->members[s->members[i]].kind]);
  for (int alone = 0; alone < 2; alone++)
    for (size_t i = 0; i < s->n; i++)
      if (little[i] != (bool)alone)
        apply(s, i);
  free(little);
}

int cul_triage_settle(struct cul_triage *t, const struct cul_triage_say *say,
                      struct cul_err *err) {
  struct settling s = {.t = t};
  const struct cul_process_pool pool = {.workers = t->conf->workers,
                                        .conf = t->conf,
                                        .self = &s,
                                        .work = run_again,
                                        .take = take};
  int rc;
  s.members = cul_xcalloc(t->n_members + 1, sizeof *s.members);
  s.seen = cul_table_new();
  for (size_t i = 0; i < t->n_members; i++)
    (*count_of(&s, t->kinds[t->members[i].kind]))++;
  for (size_t i = 0; i < t->n_members; i++)
    if (wants_run(&s, &t->members[i]))
      s.members[s.n++] = i;
  s.found = cul_xcalloc(s.n + 1, sizeof *s.found);
  rc = cul_process_pool_run(&pool, s.n, err);
  if (rc == 0)
    apply_all(
        &s); /* only after all have ended, because their order is random */
  if (rc == 0 && s.n)
    cul_triage_tell(
        say,
        "%zu failure%s with little information in the log, or in no other log, "
        "%s run again; %zu got the result of the new run",
        s.n, cul_s(s.n), s.n == 1 ? "was" : "were", s.n_settled);
  for (size_t i = 0; i < s.n; i++)
    json_decref(s.found[i]);
  free(s.found);
  cul_table_free(s.seen);
  free(s.members);
  return rc;
}
