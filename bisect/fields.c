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
  cul_buf_addf(
      out, "sought%s:%s%s%s\n", guessed ? " (guessed from the output)" : "",
      guessed ? " " : "    ", title, guessed ? "; say --match to be sure" : "");
}

void cul_field_list(const json_t *list, struct cul_buf *out) {
  for (size_t i = 0; i < json_array_size(list); i++)
    cul_buf_addf(out, "%s%s", i ? ", " : "",
                 cul_field_string(json_array_get(list, i)));
}

void cul_field_pairs(const json_t *object, struct cul_buf *out) {
  const char *between = "", *name;
  json_t *value;
  json_object_foreach((json_t *)object, name, value) {
    cul_buf_addf(out, "%s%s=%s", between, name, cul_field_string(value));
    between = ", ";
  }
}

const char *cul_field_untold(const json_t *report) {
  return strcmp(cul_field_text(report, "result"), "done") == 0
             ? "cannot be told apart"
             : "are left";
}
