/* Literal records for the tests of signatures and oracles. */
#ifndef CUL_TESTS_ORACLE_HELPER_H
#define CUL_TESTS_ORACLE_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../oracles/oracle.h"
#include "../../../oracles/rules/rules.h"

static inline struct cul_record make_record(enum cul_end end, int status,
                                            const char *err) {
  struct cul_record record = {.end = end, .status = status};
  cul_buf_adds(&record.err, err);
  return record;
}

static inline struct cul_rules *make_rules(void) {
  struct cul_rules *rules;
  struct cul_err err;
  assert_int_equal(cul_rules_load(NULL, &rules, &err), 0);
  return rules;
}

/* The signature of a text that a tool printed before it ended so. */
static inline struct cul_signature read_signature(const struct cul_rules *rules,
                                                  enum cul_end end, int status,
                                                  const char *err) {
  struct cul_record record = make_record(end, status, err);
  struct cul_signature sig;
  cul_signature_read(rules, &record, &sig);
  cul_record_release(&record);
  return sig;
}

#endif
