/* The result of a bisection of passes, for people: see passes.h. */
#include "../../probe/json_word.h"
#include "../report/fields.h"
#include "passes.h"

static void say_boundary(const json_t *report, struct cul_buf *out) {
  const json_t *boundary = json_object_get(report, "boundary");
  static const char *const sides[] = {"fails", "passes"};
  if (!json_is_object(boundary))
    return;
  cul_buf_adds(out, "verified:\n");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(sides); i++) {
    const json_t *side = json_object_get(boundary, sides[i]);
    cul_buf_addf(out, "           after %s: fails %lld of %lld\n",
                 cul_field_text(side, "after"), cul_field_number(side, "fails"),
                 cul_field_number(side, "runs"));
  }
  cul_field_posterior(report, report, out);
}

static void say_pass(const json_t *report, struct cul_buf *out) {
  const json_t *pass = json_object_get(report, "pass");
  if (json_is_integer(json_object_get(pass, "number"))) {
    cul_buf_addf(out, "pass:      %lld of %lld, %s (%s)\n",
                 cul_field_number(pass, "number"), cul_field_number(pass, "of"),
                 cul_field_text(pass, "written"), cul_field_text(pass, "how"));
    if (json_is_null(json_object_get(report, "boundary")) &&
        json_is_true(json_object_get(pass, "verified")))
      cul_buf_adds(out, "verified:  with the passes before it alone it does "
                        "not fail, with it it does\n");
  } else if (json_is_string(json_object_get(pass, "name"))) {
    cul_buf_addf(out, "pass:      %s, run by one of the %lld of the command\n",
                 cul_field_text(pass, "name"), cul_field_number(pass, "of"));
  } else {
    cul_buf_adds(out, "pass:      one of ");
    cul_field_list(json_object_get(report, "suspects"), out);
    cul_buf_addf(out, ", which %s\n", cul_field_untold(report));
  }
  say_boundary(report, out);
}

static void say_transitions(const json_t *report, struct cul_buf *out) {
  const json_t *list = json_object_get(report, "transitions");
  if (json_array_size(list) < 2)
    return;
  cul_buf_addf(out, "not monotone: the answer changes %zu times\n",
               json_array_size(list));
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *t = json_array_get(list, i);
    bool fails = json_is_true(json_object_get(t, "fails"));
    cul_buf_addf(out, "           after %s it %s, after %s it %s\n",
                 cul_field_text(t, "from"), fails ? "passes" : "fails",
                 cul_field_text(t, "to"), fails ? "fails" : "passes");
  }
}

static void say_command(const json_t *report, struct cul_buf *out) {
  const json_t *argv = json_object_get(report, "command_alone");
  const char *bundle = cul_field_text(report, "bundle");
  bool alone =
      json_is_true(json_object_get(json_object_get(report, "pass"), "alone"));
  if (!json_is_array(argv))
    return;
  cul_buf_adds(out, "command:   ");
  cul_json_words_quote(argv, out);
  cul_buf_addf(out, "\n           %s\n",
               alone ? "on the IR before the pass" : "on the input");
  if (*bundle)
    cul_buf_addf(out, "files:     %s/\n", bundle);
}

void cul_passes_say(const json_t *report, struct cul_buf *out) {
  cul_field_sought(report, cul_field_text(report, "sought"), out);
  say_pass(report, out);
  say_transitions(report, out);
  if (json_is_string(json_object_get(report, "note")))
    cul_buf_addf(out, "note:      %s\n", cul_field_text(report, "note"));
  say_command(report, out);
  cul_field_runs(report, out);
}
