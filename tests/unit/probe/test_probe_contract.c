/* probe/contract: the table, and a script's argv under its rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/files/file.h"
#include "../../../probe/contract.h"

static const struct cul_contract *find(const char *name) {
  const struct cul_contract *contract = NULL;
  struct cul_err err = {0};
  if (cul_contract_find(name, &contract, &err) < 0)
    fail_msg("%s", err.what);
  return contract;
}

static void every_row_is_whole(void **state) {
  (void)state;
  for (size_t i = 0; cul_contracts[i]; i++) {
    const struct cul_contract *c = cul_contracts[i];
    assert_true(c->name && c->summary);
    assert_ptr_equal(find(c->name), c);
    /* Under its own name it can only be found where it stands alone. */
    if (c->delivery == CUL_BY_NAME || c->delivery == CUL_BY_ALL)
      assert_true(c->fresh);
    /* Alone only where two runs could meet. */
    if (c->alone)
      assert_false(c->fresh);
    if (c->file)
      assert_int_equal(c->delivery, CUL_BY_LINK);
    if (c->sense == CUL_SENSE_UNKNOWN)
      assert_string_equal(c->name, "all");
  }
  assert_string_equal(find(NULL)->name, "all");
}

/* What the reducers themselves do. */
static void the_rows_say_what_the_reducers_do(void **state) {
  static const struct {
    const char *name;
    enum cul_delivery delivery;
    bool fresh;
    enum cul_sense sense;
  } rows[] = {
      {"creduce", CUL_BY_NAME, true, CUL_SENSE_ZERO},
      {"cvise", CUL_BY_NAME, true, CUL_SENSE_ZERO},
      {"perses", CUL_BY_NAME, true, CUL_SENSE_ZERO},
      {"delta", CUL_BY_ARGUMENT, true, CUL_SENSE_ZERO},
      {"picire", CUL_BY_ARGUMENT, true, CUL_SENSE_ZERO},
      {"shrinkray", CUL_BY_ALL, true, CUL_SENSE_ZERO},
      {"halfempty", CUL_BY_STDIN, false, CUL_SENSE_ZERO},
      {"treereduce", CUL_BY_STDIN, false, CUL_SENSE_ZERO},
      {"llvm", CUL_BY_ARGUMENT, false, CUL_SENSE_ZERO},
      {"spirv", CUL_BY_ARGUMENT, false, CUL_SENSE_ZERO},
      {"iree", CUL_BY_ARGUMENT, false, CUL_SENSE_ZERO},
      {"circt", CUL_BY_ARGUMENT, false, CUL_SENSE_ZERO},
      {"circt-must-fail", CUL_BY_ARGUMENT, false, CUL_SENSE_NONZERO},
      {"mlir", CUL_BY_ARGUMENT, false, CUL_SENSE_NONZERO},
      {"hlo", CUL_BY_ARGUMENT, false, CUL_SENSE_NONZERO},
      {"polygraphy", CUL_BY_LINK, false, CUL_SENSE_NONZERO},
      {"bisect", CUL_BY_ARGUMENT, false, CUL_SENSE_BISECT},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    const struct cul_contract *c = find(rows[i].name);
    assert_int_equal(c->delivery, rows[i].delivery);
    assert_int_equal(c->fresh, rows[i].fresh);
    assert_int_equal(c->sense, rows[i].sense);
  }
}

static void an_unknown_name_lists_the_known(void **state) {
  const struct cul_contract *contract;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_contract_find("creduse", &contract, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "\"creduse\""));
  for (size_t i = 0; cul_contracts[i]; i++)
    assert_non_null(strstr(err.advice, cul_contracts[i]->name));
}

/* An executable file and one that is not, below a directory of their own. */
struct place {
  char dir[32], script[48], plain[48];
};

static int set_up(void **state) {
  struct place *p = cul_xcalloc(1, sizeof *p);
  struct cul_err err;
  strcpy(p->dir, "/tmp/cul-contract-XXXXXX");
  if (!mkdtemp(p->dir))
    return -1;
  snprintf(p->script, sizeof p->script, "%s/script", p->dir);
  snprintf(p->plain, sizeof p->plain, "%s/plain", p->dir);
  *state = p;
  return cul_file_write(p->script, "exit 0\n", 7, 0755, &err) ||
         cul_file_write(p->plain, "exit 0\n", 7, 0644, &err);
}

static int tear_down(void **state) {
  struct place *p = *state;
  cul_rmtree(p->dir);
  free(p);
  return 0;
}

static void words_stand_before_the_candidate(void **state) {
  const struct place *p = *state;
  const char *const words[] = {"-x", "1", NULL};
  const char *const marked[] = {"--in=@@", NULL};
  const char **argv;
  enum cul_delivery delivery;
  struct cul_err err;
  assert_int_equal(
      cul_contract_argv(find("llvm"), p->script, words, &argv, &delivery, &err),
      0);
  assert_string_equal(argv[0], p->script);
  assert_string_equal(argv[1], "-x");
  assert_string_equal(argv[2], "1");
  assert_null(argv[3]);
  assert_null(cul_contract_string(argv));
  assert_int_equal(delivery, CUL_BY_ARGUMENT);
  cul_contract_free(argv);
  assert_int_equal(cul_contract_argv(find("treereduce"), p->script, marked,
                                     &argv, &delivery, &err),
                   0);
  assert_int_equal(delivery, CUL_BY_PLACEHOLDER);
  cul_contract_free(argv);
}

static void a_string_for_the_shell(void **state) {
  const char *const words[] = {"-x", NULL};
  const char **argv;
  enum cul_delivery delivery;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_contract_argv(find("bisect"), "grep -q exp \"$2\"",
                                     words, &argv, &delivery, &err),
                   0);
  assert_string_equal(argv[0], "/bin/sh");
  assert_string_equal(argv[2], "grep -q exp \"$2\"");
  assert_string_equal(argv[4], "-x");
  assert_null(argv[5]);
  assert_string_equal(cul_contract_string(argv), "grep -q exp \"$2\"");
  cul_contract_free(argv);
  assert_int_equal(cul_contract_argv(find("llvm"), "grep -q exp", NULL, &argv,
                                     &delivery, &err),
                   CUL_EUSAGE);
}

static void refuse(const char *script, const char *what, const char *advice) {
  const char **argv;
  enum cul_delivery delivery;
  struct cul_err err = {0};
  assert_int_equal(
      cul_contract_argv(find("all"), script, NULL, &argv, &delivery, &err),
      CUL_EUSAGE);
  if (!strstr(err.what, what))
    fail_msg("'%s' does not say '%s'", err.what, what);
  if (!strstr(err.advice, advice))
    fail_msg("'%s' does not advise '%s'", err.advice, advice);
}

static void what_cannot_be_run_is_refused(void **state) {
  const struct place *p = *state;
  refuse("/nowhere/script", "cannot find script /nowhere/script", "the name");
  refuse(p->plain, "is not executable", "chmod +x");
  refuse(p->dir, "is a directory", "inside");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_whole),
      cmocka_unit_test(the_rows_say_what_the_reducers_do),
      cmocka_unit_test(an_unknown_name_lists_the_known),
      cmocka_unit_test(words_stand_before_the_candidate),
      cmocka_unit_test(a_string_for_the_shell),
      cmocka_unit_test(what_cannot_be_run_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
