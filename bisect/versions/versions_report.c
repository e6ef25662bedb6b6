/* What a bisection of versions found, as JSON: see versions_private.h. */
#include <string.h>

#include "../../probe/target/findings.h"
#include "versions_private.h"

static json_t *name_of(const struct cul_versions *job, size_t axis,
                       uint32_t value) {
  struct cul_buf text = {0};
  json_t *out;
  cul_axis_name(cul_versions_axis(job, axis), value, &text);
  out = cul_report_string(cul_buf_str(&text));
  cul_buf_release(&text);
  return out;
}

static enum cul_answer known_state(struct cul_versions *job, size_t axis,
                                   uint32_t value) {
  uint32_t at[CUL_MAX_AXES];
  memcpy(at, job->bad, sizeof at);
  at[axis] = value;
  for (size_t i = 0; i < job->cells.n; i++)
    if (memcmp(job->cells.cells[i]->at, at, job->cells.axes->n * sizeof *at) ==
        0)
      return cul_cell_state(job->cells.cells[i]);
  return CUL_UNRESOLVED;
}

/* Every two versions, with nothing known between them, of which one fails and
 * the other passes. */
static void add_transitions(struct cul_versions *job, size_t axis,
                            json_t *out) {
  uint32_t before = UINT32_MAX;
  for (uint32_t v = 0; v < cul_versions_axis(job, axis)->n; v++) {
    enum cul_answer state = known_state(job, axis, v);
    if (!cul_versions_decided(state))
      continue;
    if (before != UINT32_MAX && known_state(job, axis, before) != state)
      json_array_append_new(out, json_pack("{s:o, s:o, s:b, s:b}", "from",
                                           name_of(job, axis, before), "to",
                                           name_of(job, axis, v), "fails",
                                           state == CUL_SAME, "adjacent",
                                           v == before + 1));
    before = v;
  }
}

static json_t *runs_at(const struct cul_versions_walk *walk, uint32_t point) {
  const struct cul_bisect_runs *runs = &walk->answer.runs[point];
  return json_pack(
      "{s:o, s:I, s:I}", "version",
      name_of(walk->job, walk->axis, cul_versions_value(walk, point)), "fails",
      (json_int_t)runs->fails, "runs",
      (json_int_t)runs->fails + (json_int_t)runs->passes);
}

static json_t *held_of(const struct cul_versions_walk *walk) {
  json_t *out = json_array();
  for (size_t k = 0; k < walk->job->cells.axes->n; k++)
    if (k != walk->axis)
      json_array_append_new(out, name_of(walk->job, k, walk->job->bad[k]));
  return out;
}

/* The version that changed it is the newer one of the pair. */
static json_t *change_of(const struct cul_versions_walk *walk) {
  const struct cul_line_answer *answer = &walk->answer;
  bool found = answer->end == CUL_BISECT_FOUND;
  bool forward = walk->job->good[walk->axis] == 0;
  uint32_t bad = cul_versions_value(walk, answer->culprit);
  uint32_t good = cul_versions_value(walk, answer->culprit - 1);
  json_t *out = json_object(), *suspects = json_array();
  for (size_t i = 0; i < answer->n_suspects; i++) {
    uint32_t s = answer->suspects[i];
    json_array_append_new(
        suspects, name_of(walk->job, walk->axis,
                          cul_versions_value(walk, forward ? s : s - 1)));
  }
  json_object_set_new(out, "culprit",
                      found
                          ? name_of(walk->job, walk->axis, forward ? bad : good)
                          : json_null());
  json_object_set_new(out, "parents",
                      found ? json_pack("[o]", name_of(walk->job, walk->axis,
                                                       forward ? good : bad))
                            : json_array());
  json_object_set_new(out, "breaks", json_boolean(forward));
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "posterior", json_real(answer->posterior));
  json_object_set_new(
      out, "boundary",
      found ? json_pack("{s:o, s:o}", "fails", runs_at(walk, answer->culprit),
                        "passes", runs_at(walk, answer->culprit - 1))
            : json_null());
  json_object_set_new(out, "held", held_of(walk));
  return out;
}

/* The fields that every bisection has: of the one axis that matters. */
static void add_answer(json_t *out, const json_t *changes) {
  static const char *const keys[] = {"culprit",   "parents",  "suspects",
                                     "posterior", "boundary", NULL};
  const json_t *only =
      json_array_size(changes) == 1 ? json_array_get(changes, 0) : NULL;
  for (const char *const *key = keys; *key; key++) {
    json_t *value = only ? json_object_get(only, *key) : NULL;
    json_object_set(out, *key, value ? value : json_null());
    if (!value)
      json_object_set_new(out, *key, json_null());
  }
}

json_t *cul_versions_report(struct cul_versions *job) {
  json_t *out = cul_cells_report(&job->cells,
                                 job->conf->job ? job->conf->job : "versions");
  json_t *changes = json_array(), *transitions = json_array();
  for (size_t k = 0; k < job->cells.axes->n; k++) {
    if (job->walks[k].answer.runs)
      json_array_append_new(changes, change_of(&job->walks[k]));
    if (job->walks[k].answer.runs || !job->bisected)
      add_transitions(job, k, transitions);
  }
  add_answer(out, changes);
  json_object_set_new(out, "changes", changes);
  json_object_set_new(out, "transitions", transitions);
  return out;
}
