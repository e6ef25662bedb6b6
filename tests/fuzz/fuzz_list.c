/* A list of failures as `triage` reads it, a JSON object a line; and the
 * reports that are made of them. */
#include "../../triage/read/source.c"

#include "../../triage/report/report.h"
#include "../../triage/table.h"
#include "fuzz.h"

/* Files that the list names are not for a fuzzer to read. */
static bool names_file(struct cul_bytes line) {
  json_t *json = json_loadb(line.data, line.len, JSON_ALLOW_NUL, NULL);
  bool named = json && !json_object_get(json, "signature") &&
               !json_is_string(json_object_get(json, "text"));
  json_decref(json);
  return named;
}

static void read_lines(struct cul_triage *t, struct cul_bytes text) {
  const char *at = text.data, *end = at + text.len;
  for (size_t number = 1; at < end; number++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    struct cul_bytes line = {at, (size_t)((stop ? stop : end) - at)};
    struct cul_err err = {0};
    if (!names_file(line))
      fuzz_demand_words(read_line(t, "list.jsonl", number, line, &err), &err);
    at += line.len + (stop != NULL);
  }
}

static void write_reports(const struct cul_triage *t) {
  for (size_t i = 0; cul_triage_reports[i]; i++) {
    struct cul_buf out = {0};
    cul_triage_reports[i]->write(t, &out);
    cul_buf_release(&out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const inputs[] = {"list.jsonl"};
  static struct cul_rules *rules; /* made once: libFuzzer never ends a target */
  const struct cul_triage_conf conf = {.inputs = inputs, .n_inputs = 1};
  struct cul_triage t = {.conf = &conf, .run = 1};
  struct cul_err err = {0};
  if (!rules && cul_rules_load(NULL, &rules, &err) < 0)
    cul_bug("%s", err.what);
  t.rules = rules;
  t.table = cul_table_new();
  read_lines(&t, (struct cul_bytes){(const char *)data, size});
  cul_triage_group(&t, NULL, 0);
  cul_triage_order(&t, 1);
  if (t.n_members)
    write_reports(&t);
  t.rules = NULL;
  cul_triage_release(&t);
  return 0;
}
