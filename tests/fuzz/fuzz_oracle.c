/* What tools print, under each oracle that reads numbers or words: first byte,
 * which oracle and how runs end; then an expression and the outputs of runs, in
 * the order in which they are asked for, each up to a zero byte.  Whatever they
 * hold, the oracle ends, with a verdict and words. */
#include "../../oracles/oracle.h"
#include "fuzz.h"

enum { MOST_RUNS = 24 };

struct runs {
  struct cul_record records[MOST_RUNS];
  size_t n;
  struct fuzz_input in;
  uint8_t how;
};

static void add_run(struct runs *runs, enum cul_run_role role) {
  struct cul_record *record = &runs->records[runs->n++];
  struct cul_bytes text = fuzz_part(&runs->in);
  *record = (struct cul_record){.role = role, .wall_us = 1000 * runs->n};
  record->status = runs->how & 8 ? 1 : 0;
  record->rss_bytes = 4096 * (1 + (text.len & 63));
  record->cpu_us = 100 * (1 + (text.len & 255));
  cul_buf_add(runs->how & 16 ? &record->err : &record->out, text.data,
              text.len);
}

/* The runs that it wants; false where it asks for more than there is room. */
static bool add_wanted(struct runs *runs, const struct cul_wants *more) {
  for (size_t i = 0; i < more->n; i++) {
    if (runs->n == MOST_RUNS)
      return false;
    add_run(runs, more->want[i].role);
  }
  return more->n > 0;
}

static struct cul_oracle_conf conf_of(uint8_t how, const char *expression) {
  struct cul_oracle_conf conf = {
      .exit_code = -1,
      .measured.keep = -1,
      .mismatch.tolerance = {.rtol = -1, .atol = -1, .ulps = -1}};
  switch (how % 8) {
  case 0:
  case 1:
    conf.mismatch.wanted = true;
    conf.mismatch.control = how & 32;
    conf.mismatch.wide = how & 64;
    conf.mismatch.checked = how & 128;
    break;
  case 2:
  case 3:
    conf.nondeterminism.wanted = true;
    conf.nondeterminism.ignore = *expression ? expression : NULL;
    break;
  case 4:
    conf.measured.slower = conf.measured.reference = true;
    conf.measured.by = *expression ? expression : NULL;
    break;
  case 5:
    conf.measured.memory = true;
    conf.measured.above = *expression ? expression : NULL;
    break;
  case 6:
    conf.any_crash = true;
    break;
  default:
    conf.match = *expression ? expression : NULL;
  }
  return conf;
}

static void ask(const struct cul_oracle *oracle, void *self,
                struct runs *runs) {
  struct cul_verdict verdict = {0};
  struct cul_wants more = {0};
  struct cul_buf words = {0};
  struct cul_err err = {0};
  int rc;
  add_run(runs, CUL_ROLE_SUSPECT);
  do {
    more.n = 0;
    rc = oracle->learn(self, runs->records, runs->n, &more, &verdict, &err);
  } while (rc == 0 && add_wanted(runs, &more));
  fuzz_demand_words(rc, &err);
  if (rc < 0 || more.n || verdict.answer != CUL_SAME)
    return;
  oracle->describe(self, &words);
  fuzz_demand(words.len > 0, "nothing is said of what is preserved");
  cul_buf_release(&words);
  verdict = (struct cul_verdict){0};
  rc = oracle->judge(self, runs->records, runs->n, &more, &verdict, &err);
  fuzz_demand_words(rc, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct cul_rules *rules; /* made once: libFuzzer never ends a target */
  struct runs runs = {.in = fuzz_input(data, size)};
  struct cul_oracle_conf conf;
  const struct cul_oracle *oracle;
  struct cul_err err = {0};
  char *expression;
  void *self = NULL;
  int rc;
  if (!rules && cul_rules_load(NULL, &rules, &err) < 0)
    cul_bug("%s", err.what);
  runs.how = fuzz_byte(&runs.in);
  expression = fuzz_text(&runs.in);
  conf = conf_of(runs.how, expression);
  conf.rules = rules;
  oracle = cul_oracle_choose(&conf);
  rc = oracle->open(&conf, &self, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0) {
    ask(oracle, self, &runs);
    oracle->close(self);
  }
  for (size_t i = 0; i < runs.n; i++)
    cul_record_release(&runs.records[i]);
  free(expression);
  return 0;
}
