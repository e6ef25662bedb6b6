/* Reading a report's fields: see fields.h. */
#include "fields.h"

#include <string.h>

const char *cul_field_string(const json_t *value) {
  const char *text = json_string_value(value);
  return text ? text : "";
}

const char *cul_field_text(const json_t *object, const char *key) {
  return cul_field_string(json_object_get(object, key));
}

long long cul_field_number(const json_t *object, const char *key) {
  return (long long)json_integer_value(json_object_get(object, key));
}

void cul_field_sought(const json_t *report, const char *title,
                      struct cul_buf *out) {
  bool guessed = json_is_true(json_object_get(report, "guessed"));
  const char *sense = cul_field_text(report, "script_sense");
  if (!*title)
    title = cul_field_text(report, "preserves");
  cul_buf_addf(
      out, "sought%s:%s%s%s\n", guessed ? " (guessed from the output)" : "",
      guessed ? " " : "    ", title, guessed ? "; use --match to be sure" : "");
  if (*sense)
    cul_buf_addf(out, "script:    %s\n", sense);
  if (*cul_field_text(report, "caution"))
    cul_buf_addf(out, "note:      %s\n", cul_field_text(report, "caution"));
}

void cul_field_list(const json_t *list, struct cul_buf *out) {
  for (size_t i = 0; i < json_array_size(list); i++)
    cul_buf_addf(out, "%s%s", i ? ", " : "",
                 cul_field_string(json_array_get(list, i)));
}

void cul_field_pairs(const json_t *object, const char *equals,
                     struct cul_buf *out) {
  const char *between = "", *name;
  json_t *value;
  json_object_foreach((json_t *)object, name, value) {
    cul_buf_addf(out, "%s%s%s%s", between, name, equals,
                 cul_field_string(value));
    between = ", ";
  }
}

/* Did some runs of a point fail, and others not? */
static bool is_mixed(const json_t *value) {
  const json_t *one;
  const char *key;
  size_t i;
  bool mixed = false;
  json_array_foreach(value, i, one) mixed = mixed || is_mixed(one);
  if (json_is_integer(json_object_get(value, "fails")))
    return cul_field_number(value, "fails") > 0 &&
           cul_field_number(value, "fails") < cul_field_number(value, "runs");
  json_object_foreach((json_t *)value, key, one) mixed = mixed || is_mixed(one);
  return mixed;
}

bool cul_field_certain(const json_t *report, const json_t *boundary) {
  return !json_is_true(json_object_get(report, "flaky")) && !is_mixed(boundary);
}

void cul_field_posterior(const json_t *report, const json_t *answer,
                         struct cul_buf *out) {
  const json_t *posterior = json_object_get(answer, "posterior");
  if (json_is_real(posterior) &&
      !cul_field_certain(report, json_object_get(answer, "boundary")))
    cul_buf_addf(out, "posterior: %.4f\n", json_real_value(posterior));
}

const char *cul_field_untold(const json_t *report) {
  return strcmp(cul_field_text(report, "result"), "done") == 0
             ? "cannot be told apart"
             : "are left";
}

void cul_field_runs(const json_t *report, struct cul_buf *out) {
  const json_t *runs = json_object_get(report, "runs");
  if (json_is_true(json_object_get(report, "flaky")))
    cul_buf_adds(out, "flaky:     equal runs ended differently\n");
  cul_buf_addf(out, "runs:      %lld, and %lld known\n",
               cul_field_number(runs, "executed"),
               cul_field_number(runs, "cached"));
}
