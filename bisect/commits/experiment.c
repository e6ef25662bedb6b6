/* Test a revision that is no commit of the history, beside the search: see
 * cul_commits_experiment. */
#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "job.h"

/* An id that no commit has, to name the revision's logs and messages. */
static struct cul_commit_id name_of(const struct cul_repo_revision *revision) {
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  struct cul_commit_id id;
  cul_hasher_field(h, "trial");
  cul_hasher_add(h, revision->commit.raw, sizeof revision->commit.raw);
  for (size_t i = 0; i < revision->n_held; i++) {
    cul_hasher_field(h, revision->held[i].path);
    cul_hasher_u64(h, revision->held[i].kind);
    cul_hasher_add(h, revision->held[i].id.raw, sizeof id.raw);
  }
  digest = cul_hasher_finish(h);
  for (size_t i = 0; i < sizeof id.raw; i++)
    id.raw[i] = ((const unsigned char *)&digest)[i % sizeof digest] ^
                (unsigned char)(i / sizeof digest);
  return id;
}

static json_t *held_of(const struct cul_repo_revision *revision) {
  json_t *out = json_array();
  char hex[CUL_COMMIT_HEX];
  for (size_t i = 0; i < revision->n_held; i++) {
    const struct cul_override *held = &revision->held[i];
    json_array_append_new(
        out,
        json_pack("{s:o, s:o}", "path", cul_report_string(held->path), "commit",
                  held->kind == CUL_LEFT_EMPTY
                      ? json_null()
                      : json_string(cul_commit_hex(&held->id, hex))));
  }
  return out;
}

static void list(struct cul_commits_job *job, const struct cul_journal *journal,
                 const struct cul_repo_revision *revision, const char *what,
                 const struct cul_verdict *verdict) {
  char hex[CUL_COMMIT_HEX], why[200] = "";
  uint64_t us = 0;
  int runs = 0;
  for (size_t i = 0; i < journal->n_events; i++) {
    us += journal->events[i].us;
    runs += !journal->events[i].build;
  }
  if (verdict->answer != CUL_SAME && verdict->answer != CUL_PASSES) {
    memcpy(why, verdict->why, sizeof verdict->why);
    why[sizeof why - 1] = '\0';
  }
  if (!job->trials)
    job->trials = json_array();
  json_array_append_new(job->trials,
                        json_pack("{s:o, s:s, s:o, s:s, s:o, s:i, s:f}", "what",
                                  cul_report_string(what), "commit",
                                  cul_commit_hex(&revision->commit, hex),
                                  "held", held_of(revision), "answer",
                                  cul_answer_name(verdict->answer), "why",
                                  cul_report_string(why), "runs", runs,
                                  "seconds", (double)us / 1e6));
  cul_notices_say(&job->whole.notices, "trial: %s: %s%s%s", what,
                  verdict->answer == CUL_SAME     ? "fails the same"
                  : verdict->answer == CUL_PASSES ? "passes"
                                                  : "cannot be tested",
                  *why ? ": " : "", why);
}

int cul_commits_experiment(struct cul_commits_job *job,
                           const struct cul_repo_revision *revision,
                           const char *what, uint32_t runs,
                           struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_inside inside = {.commit = revision->commit,
                              .n_held = revision->n_held,
                              .moving = revision->n_held};
  struct cul_bisection *in;
  struct cul_history *h;
  int rc = 0;
  inside.held = cul_xcalloc(revision->n_held + 1, sizeof *inside.held);
  if (revision->n_held)
    memcpy(inside.held, revision->held, revision->n_held * sizeof *inside.held);
  in = cul_bisection_inside(&job->whole, &inside);
  h = &in->range.history;
  h->n = 1;
  h->ids = cul_xcalloc(2, sizeof *h->ids);
  h->ids[0] = name_of(revision);
  cul_bisection_begin(in);
  *verdict = (struct cul_verdict){.answer = CUL_INVALID, .confidence = 1};
  if (!cul_classes_find(&in->classes, 0) &&
      cul_ledger_failed(&job->ledger, &in->range, 0, verdict->why))
    runs = 0;
  while (runs > 0 && rc == 0) {
    rc = cul_tester_try(&in->tester, 0, CUL_TO_JUDGE, verdict, err);
    runs = verdict->answer == CUL_PASSES ? runs - 1 : 0;
  }
  if (rc == 0)
    list(job, &in->journal, revision, what, verdict);
  cul_bisection_end_inside(&job->whole, in);
  free(inside.held);
  return rc;
}
