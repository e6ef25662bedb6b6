/* The result of a bisection of versions, for people: see versions.h. */
#include <string.h>

#include "../report/fields.h"
#include "versions.h"

static void say_cell(const json_t *cell, const char *equals,
                     struct cul_buf *out) {
  const char *answer = cul_field_text(cell, "answer");
  bool other = strcmp(answer, "other failure") == 0;
  struct cul_buf at = {0};
  cul_field_pairs(json_object_get(cell, "values"), equals, &at);
  cul_buf_addf(out, "  %-32s ", cul_buf_str(&at));
  if (strcmp(answer, "passes") == 0)
    cul_buf_addf(out, "passes %lld of %lld", cul_field_number(cell, "runs"),
                 cul_field_number(cell, "runs"));
  else if (strcmp(answer, "same failure") == 0)
    cul_buf_addf(out, "FAILS  %lld of %lld", cul_field_number(cell, "fails"),
                 cul_field_number(cell, "runs"));
  else
    cul_buf_addf(out, "%s: %s",
                 other ? "fails in another way" : "cannot be judged",
                 cul_field_text(cell, other ? "title" : "why"));
  cul_buf_addc(out, '\n');
  cul_buf_release(&at);
}

static void say_runs(const json_t *runs, const char *what,
                     struct cul_buf *out) {
  cul_buf_addf(out, "           %s fails %lld of %lld%s\n",
               cul_field_text(runs, "version"), cul_field_number(runs, "fails"),
               cul_field_number(runs, "runs"), what);
}

static void say_change(const json_t *report, const json_t *change,
                       struct cul_buf *out) {
  const json_t *boundary = json_object_get(change, "boundary");
  const json_t *held = json_object_get(change, "held");
  bool breaks = json_is_true(json_object_get(change, "breaks"));
  const char *first = breaks ? "first bad" : "first good";
  if (json_is_string(json_object_get(change, "culprit"))) {
    cul_buf_addf(out, "%s version: %s\nverified:\n", first,
                 cul_field_text(change, "culprit"));
    say_runs(json_object_get(boundary, "fails"), "", out);
    say_runs(json_object_get(boundary, "passes"), "", out);
  } else {
    cul_buf_addf(out, "%s version: one of ", first);
    cul_field_list(json_object_get(change, "suspects"), out);
    cul_buf_addf(out, ", which %s\n", cul_field_untold(report));
  }
  cul_field_posterior(report, change, out);
  if (json_array_size(held) > 0) {
    cul_buf_adds(out, "held:      ");
    cul_field_list(held, out);
    cul_buf_addc(out, '\n');
  }
}

static void say_transitions(const json_t *report, struct cul_buf *out) {
  const json_t *transitions = json_object_get(report, "transitions"), *t;
  size_t i, changes = json_array_size(json_object_get(report, "changes"));
  if (json_array_size(transitions) <= changes)
    return;
  if (json_array_size(transitions) == 1)
    cul_buf_adds(out, "it changes once:\n");
  else
    cul_buf_addf(out, "not monotone: it changes %zu times\n",
                 json_array_size(transitions));
  json_array_foreach(transitions, i, t) cul_buf_addf(
      out, "           %s %s, %s %s%s\n", cul_field_text(t, "from"),
      json_is_true(json_object_get(t, "fails")) ? "passes" : "fails",
      cul_field_text(t, "to"),
      json_is_true(json_object_get(t, "fails")) ? "fails" : "passes",
      json_is_true(json_object_get(t, "adjacent"))
          ? ""
          : "; the versions between were not run");
}

void cul_versions_say(const json_t *report, struct cul_buf *out) {
  const json_t *cells = json_object_get(report, "cells"), *item;
  const json_t *changes = json_object_get(report, "changes");
  bool packages = strcmp(cul_field_text(report, "job"), "packages") == 0;
  const char *equals = packages ? "==" : "=";
  size_t i;
  cul_field_sought(
      report, cul_field_text(json_object_get(report, "signature"), "title"),
      out);
  json_array_foreach(cells, i, item) say_cell(item, equals, out);
  if (json_array_size(changes) > 1)
    cul_buf_addf(out, "%zu axes are needed for it together\n",
                 json_array_size(changes));
  json_array_foreach(changes, i, item) say_change(report, item, out);
  say_transitions(report, out);
  cul_field_runs(report, out);
}
