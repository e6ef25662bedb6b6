/* A user's files of rules: first byte, which kind of file; then its text, up to
 * a zero byte, and a log, which is read by these rules. */
#include "../../oracles/rules/rules.h"
#include "../../oracles/signature/signature.h"
#include "fuzz.h"

/* As cul_rules_new, of this one file. */
static void read_log(struct cul_rules *rules, struct cul_bytes log) {
  struct cul_log_failure told;
  const char **words = cul_xcalloc(rules->n_rules + 1, sizeof *words);
  for (size_t i = 0; i < rules->n_rules; i++)
    words[i] = rules->rules[i].find;
  rules->literals = cul_literals_new(words, rules->n_rules);
  free(words);
  rules->limits = pcre2_match_context_create(NULL);
  pcre2_set_match_limit(rules->limits, 10000);
  cul_signature_read_log(rules, log, &told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"local.rules", "local.frames",
                                      "local.norm", "local.lines"};
  struct fuzz_input in = fuzz_input(data, size);
  const char *name = names[fuzz_byte(&in) % CUL_ARRAY_SIZE(names)];
  struct cul_bytes text = fuzz_part(&in), log = {in.at, in.left};
  struct cul_rules *rules = cul_xcalloc(1, sizeof *rules);
  struct cul_err err = {0};
  int rc = cul_rules_parse(rules, name, text, CUL_EUSAGE, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0)
    read_log(rules, log);
  cul_rules_free(rules);
  return 0;
}
