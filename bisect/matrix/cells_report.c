/* What is said of cells in reports: see cells.h. */
#include "../../base/file.h"
#include "../../probe/json_word.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "cells.h"

static json_t *values_of(const struct cul_cells *cells, uint32_t cell) {
  json_t *out = json_object();
  for (size_t i = 0; i < cells->axes->n; i++) {
    const struct cul_axis *axis = &cells->axes->axes[i];
    json_object_set_new(
        out, axis->name,
        cul_report_string(axis->values[cells->cells[cell]->at[i]]));
  }
  return out;
}

/* One cell: values, answer, fails, runs, why. */
static json_t *report_cell(const struct cul_cells *cells, uint32_t number) {
  const struct cul_cell *cell = cells->cells[number];
  struct cul_cell_tally tally = cul_cell_tally(cell);
  enum cul_answer state = cul_cell_state(cell);
  const struct cul_signature *sig = &cell->verdict.sig;
  bool failed = state == CUL_SAME || state == CUL_OTHER;
  json_t *out = json_object();
  json_object_set_new(out, "values", values_of(cells, number));
  json_object_set_new(out, "command", cul_report_argv(cell->command.argv));
  json_object_set_new(out, "tool", cul_report_digest(&cell->tool));
  json_object_set_new(out, "answer", json_string(cul_answer_name(state)));
  json_object_set_new(out, "fails", json_integer(tally.fails));
  json_object_set_new(
      out, "runs",
      json_integer(tally.fails + tally.passes + tally.others + tally.unknown));
  json_object_set_new(out, "why", cul_report_string(cell->verdict.why));
  json_object_set_new(out, "title",
                      failed ? cul_report_string(sig->title) : json_null());
  return out;
}

static json_t *axes_of(const struct cul_axes *axes) {
  json_t *out = json_array();
  for (size_t i = 0; i < axes->n; i++) {
    json_t *values = json_array();
    for (uint32_t k = 0; k < axes->axes[i].n; k++)
      json_array_append_new(values, cul_report_string(axes->axes[i].values[k]));
    json_array_append_new(out, json_pack("{s:s, s:o}", "name",
                                         axes->axes[i].name, "values", values));
  }
  return out;
}

static bool is_flaky(const struct cul_cells *cells) {
  for (size_t i = 0; i < cells->n; i++) {
    struct cul_cell_tally tally = cul_cell_tally(cells->cells[i]);
    if (tally.fails && tally.passes)
      return true;
  }
  return false;
}

/* Of all runs where it fails. */
static json_t *flake_of(const struct cul_cells *cells) {
  json_int_t fails = 0, runs = 0;
  for (size_t i = 0; i < cells->n; i++) {
    struct cul_cell_tally tally = cul_cell_tally(cells->cells[i]);
    fails += tally.fails;
    runs += tally.fails ? tally.fails + tally.passes : 0;
  }
  return json_pack("{s:I, s:I}", "fails", fails, "runs", runs);
}

json_t *cul_cells_report(const struct cul_cells *cells, const char *job) {
  const struct cul_target *target = &cells->target;
  json_t *out = json_object(), *list = json_array();
  for (size_t i = 0; i < cells->n; i++)
    json_array_append_new(list, report_cell(cells, (uint32_t)i));
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "job", json_string(job));
  json_object_set_new(out, "input", cul_json_word(target->conf->input));
  json_object_set_new(out, "command",
                      cul_report_argv(target->tool.command.argv));
  json_object_set_new(out, "axes", axes_of(cells->axes));
  json_object_set_new(out, "signature", cul_report_signature(&cells->sought));
  json_object_set_new(
      out, "guessed",
      json_boolean(cells->sought.words && cells->one_run.inner->contrast));
  json_object_set_new(out, "cells", list);
  json_object_set_new(out, "flaky", json_boolean(is_flaky(cells)));
  json_object_set_new(out, "flake", flake_of(cells));
  json_object_set_new(
      out, "builds",
      json_pack("{s:i, s:i, s:i}", "done", 0, "failed", 0, "cached", 0));
  json_object_set_new(out, "runs", cul_report_runs(&cells->probe.counts));
  cul_report_add_costs(out, &cells->probe.counts,
                       (double)(cul_now_us() - cells->start_us) / 1e6);
  return out;
}
