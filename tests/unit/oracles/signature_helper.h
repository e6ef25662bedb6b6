/* Signatures compared: for the tests of cul_signature_same. */
#ifndef CUL_TESTS_SIGNATURE_HELPER_H
#define CUL_TESTS_SIGNATURE_HELPER_H

#include "oracle_helper.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct cul_rules *rules;

static inline int start(void **state) {
  (void)state;
  rules = make_rules();
  return 0;
}

static inline int stop(void **state) {
  (void)state;
  cul_rules_free(rules);
  return 0;
}

static inline void assert_same(const struct cul_signature *a,
                               const struct cul_signature *b) {
  char why[160];
  if (!cul_signature_same(a, b, why, sizeof why))
    fail_msg("not the same: %s", why);
  assert_true(cul_signature_same(b, a, NULL, 0));
  assert_true(cul_digest_equal(&a->key, &b->key));
}

static inline void assert_differ(const struct cul_signature *a,
                                 const struct cul_signature *b,
                                 const char *what) {
  char why[160];
  if (cul_signature_same(a, b, why, sizeof why))
    fail_msg("the same, but should differ in: %s", what);
  if (!strstr(why, what))
    fail_msg("'%s' does not say '%s'", why, what);
  assert_false(cul_signature_same(b, a, NULL, 0));
}

static inline struct cul_signature says(const char *text) {
  return read_signature(rules, CUL_EXITED, 1, text);
}

#endif
