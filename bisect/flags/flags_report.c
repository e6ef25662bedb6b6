/* What a bisection of flags found: see flags.h. */
#include <stdlib.h>

#include "../../base/file.h"
#include "../../probe/json_word.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "flags_private.h"

static const char *kind_name(enum cul_flags_kind kind) {
  static const char *const names[] = {"flags", "pattern", "set", "limit"};
  return names[kind];
}

/* The command, as it is typed. */
static json_t *command_of(char **argv) {
  json_t *out = cul_report_argv((const char *const *)argv);
  free(argv);
  return out;
}

static json_t *set_of(const struct cul_flags_job *job,
                      const struct cul_set *set) {
  bool *on = cul_xcalloc(job->n + 1, sizeof *on);
  json_t *items = json_array(), *out;
  for (size_t i = 0; i < set->n; i++) {
    on[set->items[i]] = true;
    json_array_append_new(items,
                          cul_report_string(job->flags[set->items[i]].name));
  }
  out = json_pack("{s:o, s:o}", "flags", items, "command",
                  command_of(cul_flags_argv(job, on)));
  free(on);
  return out;
}

static json_t *runs_at(const struct cul_line_answer *answer, uint32_t point) {
  const struct cul_bisect_runs *runs = &answer->runs[point];
  return json_pack("{s:I, s:I, s:I}", "n", (json_int_t)point, "fails",
                   (json_int_t)runs->fails, "runs",
                   (json_int_t)runs->fails + (json_int_t)runs->passes);
}

/* The point up to which it must go to fail. */
static void add_limit(const struct cul_flags_job *job, json_t *out) {
  const struct cul_line_answer *answer = &job->answer;
  bool found = answer->end == CUL_BISECT_FOUND;
  json_t *suspects = json_array();
  char *text = cul_xasprintf("%u", answer->culprit);
  bool flaky = cul_target_flaky(&job->target, NULL);
  for (size_t i = 0; i < answer->n_suspects; i++)
    json_array_append_new(suspects,
                          json_integer((json_int_t)answer->suspects[i]));
  json_object_set_new(out, "culprit",
                      found ? json_integer((json_int_t)answer->culprit)
                            : json_null());
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "what",
                      job->what ? cul_report_string(job->what) : json_null());
  /* Runs that a flaky failure shares are no independent evidence. */
  json_object_set_new(out, "posterior",
                      flaky ? json_null() : json_real(answer->posterior));
  json_object_set_new(
      out, "boundary",
      found ? json_pack("{s:o, s:o}", "fails", runs_at(answer, answer->culprit),
                        "passes", runs_at(answer, answer->culprit - 1))
            : json_null());
  json_object_set_new(out, "command_alone",
                      found ? command_of(cul_flags_fill(job, text))
                            : json_null());
  free(text);
}

static void add_sets(const struct cul_flags_job *job, json_t *out) {
  json_t *sets = json_array(), *suspects = json_array();
  for (size_t i = 0; i < job->sets.n; i++) {
    json_t *set = set_of(job, &job->sets.sets[i]);
    json_array_extend(suspects, json_object_get(set, "flags"));
    json_array_append_new(sets, set);
  }
  json_object_set(out, "culprit",
                  json_array_size(suspects) == 1 ? json_array_get(suspects, 0)
                                                 : NULL);
  if (json_array_size(suspects) != 1)
    json_object_set_new(out, "culprit", json_null());
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "sets", sets);
  json_object_set_new(out, "of", json_integer((json_int_t)job->n));
  if (job->sets.end == CUL_SETS_CUT)
    json_object_set_new(out, "enough",
                        job->sets.enough.n ? set_of(job, &job->sets.enough)
                                           : json_null());
  json_object_set_new(out, "more",
                      json_boolean(job->sets.end == CUL_SETS_MORE));
  json_object_set_new(out, "crooked", json_boolean(job->sets.crooked));
  json_object_set_new(out, "posterior", json_null());
}

json_t *cul_flags_report(const struct cul_flags_job *job) {
  const struct cul_target *target = &job->target;
  struct cul_rate rate = cul_judged_rate(&target->original);
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "job", json_string("flags"));
  json_object_set_new(out, "kind", json_string(kind_name(job->kind)));
  json_object_set_new(out, "input", cul_json_word(target->conf->input));
  json_object_set_new(out, "command", cul_report_argv(job->given));
  json_object_set_new(out, "good", cul_json_word(job->conf->good));
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "signature",
                      cul_report_signature(&target->original.verdict.sig));
  json_object_set_new(out, "sought",
                      cul_report_string(target->original.verdict.why));
  json_object_set_new(out, "guessed", json_boolean(cul_target_guesses(target)));
  json_object_set_new(out, "always",
                      json_boolean(job->sets.end == CUL_SETS_ALWAYS));
  json_object_set_new(out, "parents", json_array());
  if (job->kind == CUL_FLAGS_LIMIT)
    add_limit(job, out);
  else
    add_sets(job, out);
  json_object_set_new(out, "flaky",
                      json_boolean(cul_target_flaky(target, NULL)));
  json_object_set_new(
      out, "builds",
      json_pack("{s:i, s:i, s:i}", "done", 0, "failed", 0, "cached", 0));
  json_object_set_new(out, "flake",
                      json_pack("{s:I, s:I}", "fails", (json_int_t)rate.fails,
                                "runs", (json_int_t)rate.runs));
  json_object_set_new(out, "runs", cul_report_runs(&target->probe.counts));
  cul_report_add_costs(out, &target->probe.counts,
                       (double)(cul_now_us() - job->start_us) / 1e6);
  return out;
}
