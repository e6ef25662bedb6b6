/* Any bytes as a log: cleaned, cut into tests, read, and keyed. */
#include <stdint.h>
#include <stdlib.h>

#include "../../base/page/diff.h"
#include "../../base/page/highlight.h"
#include "../../triage/group/heat.h"
#include "../../triage/key.h"
#include "../../triage/text/clean.h"
#include "../../triage/text/damage.h"
#include "../../triage/text/prefix.h"
#include "../../triage/text/results.h"
#include "../../triage/text/steps.h"
#include "../../triage/text/unpack.h"

static struct cul_rules *rules;

static void read_part(struct cul_bytes part) {
  struct cul_log_failure told;
  struct cul_keys keys;
  json_t *json;
  bool corrupted;
  (void)cul_read_damaged(rules, part, &told, &corrupted);
  cul_keys_of(&told.sig, "name", corrupted, &keys);
  json = cul_signature_json(&told.sig);
  if (!json)
    abort();
  json_decref(json);
}

static void take_test(void *self, const char *test, struct cul_bytes text) {
  (void)self;
  (void)test;
  read_part(text);
}

/* The parts are all of the text. */
static void free_parts(struct cul_bytes text) {
  struct cul_bytes *parts;
  size_t n = cul_incidents_find(rules, text, &parts), len = 0;
  for (size_t i = 0; i < n; i++)
    len += parts[i].len;
  if (len != text.len)
    abort();
  free(parts);
}

static bool is_within(struct cul_bytes part, struct cul_bytes text) {
  return !part.len || (part.data >= text.data && part.len <= text.len &&
                       (size_t)(part.data - text.data) <= text.len - part.len);
}

/* What a job shows lies within the text. */
static void read_jobs(struct cul_bytes text) {
  struct cul_ci_job *jobs;
  size_t n = cul_ci_jobs_find(rules, text, &jobs);
  for (size_t i = 0; i < n; i++)
    if (!is_within(jobs[i].text, text) || !is_within(jobs[i].failed, text))
      abort();
  free(jobs);
}

static void take_file(void *self, const char *name, struct cul_bytes raw) {
  struct cul_buf text = {0}, page = {0}, diff = {0};
  struct cul_section *sections = NULL;
  struct cul_results results = {.failed = take_test};
  size_t n;
  (void)self;
  (void)name;
  cul_clean(raw, &text);
  (void)cul_results_read(cul_buf_bytes(&text), &results);
  read_jobs(cul_buf_bytes(&text));
  (void)cul_unwrap(rules, &text);
  free_parts(cul_buf_bytes(&text));
  n = cul_sections_find(rules, cul_buf_bytes(&text), &sections);
  read_part(cul_buf_bytes(&text));
  if (cul_heat_draw(cul_heat_find(cul_buf_bytes(&text)), &page, &diff)) {
    cul_buf_clear(&page);
    cul_buf_clear(&diff);
  }
  for (size_t i = 0; i < n; i++) {
    if (sections[i].end > text.len || sections[i].start > sections[i].end)
      abort();
    read_part((struct cul_bytes){text.data + sections[i].start,
                                 sections[i].end - sections[i].start});
  }
  cul_highlight("mlir", cul_buf_str(&text), &page);
  cul_diff(cul_buf_str(&text), cul_buf_str(&page), &diff);
  free(sections);
  cul_buf_release(&diff);
  cul_buf_release(&page);
  cul_buf_release(&text);
}

static void take_problem(void *self, const char *name, const char *why) {
  (void)self;
  (void)name;
  (void)why;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct cul_unpacked to = {NULL, take_file, take_problem};
  struct cul_err err;
  if (!rules && cul_rules_new(&rules, &err) < 0)
    abort();
  cul_unpack_file("log", (struct cul_bytes){(const char *)data, size}, &to);
  return 0;
}
