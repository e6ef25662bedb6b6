/* A command line, its words up to zero bytes: options, environment, types. */
#include "../../base/environment.h"
#include "../../base/options/opt.h"
#include "../../base/run.h"
#include "../../base/tensor/tensor.h"
#include "fuzz.h"

enum { MOST_WORDS = 12 };

struct conf {
  bool flag;
  const char *text;
  int64_t number;
  double seconds, real;
  struct cul_strings list;
};

static const struct cul_opt opts[] = {
    {.name = "flag", .letter = 'f', .offset = offsetof(struct conf, flag)},
    {.name = "text",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct conf, text)},
    {.name = "number",
     .letter = 'n',
     .type = CUL_OPT_INT,
     .min = -3,
     .max = 300,
     .offset = offsetof(struct conf, number)},
    {.name = "seconds",
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct conf, seconds)},
    {.name = "real",
     .type = CUL_OPT_REAL,
     .offset = offsetof(struct conf, real)},
    {.name = "list",
     .type = CUL_OPT_LIST,
     .offset = offsetof(struct conf, list)},
    {.name = NULL}};

static void read_options(int argc, char **argv) {
  const char *items[3];
  struct conf conf = {0};
  struct cul_operands operands = {.items = items, .max = 3};
  struct cul_err err = {0};
  int rc = cul_opt_parse(opts, &conf, argc, argv, &operands, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0)
    fuzz_demand(conf.number >= -3 && conf.number <= 300 && conf.seconds >= 0 &&
                    conf.real >= 0 && operands.after <= argc,
                "a value beyond its bounds");
  free(conf.list.items);
}

static void read_environment(const char *const *words, size_t n) {
  const struct cul_environment_conf conf = {.set = words, .n_set = n};
  struct cul_environment *environment = NULL;
  struct cul_err err = {0};
  int rc = cul_environment_new(&conf, &environment, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0)
    cul_environment_free(environment);
}

static void read_word(const char *word) {
  static const struct cul_subst subst[] = {{"@@", "/dir/a.mlir"},
                                           {"@{out}", "/dir/out"}};
  struct cul_tensor_hint hint = {0};
  struct cul_buf out = {0};
  struct cul_err err = {0};
  fuzz_demand_words(cul_tensor_hint_parse(word, &hint, &err), &err);
  fuzz_demand(hint.rank <= CUL_TENSOR_MAX_RANK, "too many dimensions");
  err = (struct cul_err){0};
  fuzz_demand_words(cul_expand(word, subst, CUL_ARRAY_SIZE(subst), &out, &err),
                    &err);
  free(cul_environment_shown(word));
  cul_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  char *argv[MOST_WORDS + 2] = {(char *)"culprit"};
  int argc = 1;
  while (in.left && argc <= MOST_WORDS)
    argv[argc++] = fuzz_text(&in);
  read_options(argc, argv);
  read_environment((const char *const *)argv + 1, (size_t)argc - 1);
  for (int i = 1; i < argc; i++)
    read_word(argv[i]);
  while (argc > 1)
    free(argv[--argc]);
  return 0;
}
