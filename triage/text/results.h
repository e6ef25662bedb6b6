/* Reads the results of tests that a harness writes for programs: JUnit's XML,
 * CTest's Test.xml, and JSON with one object for each test. */
#ifndef CUL_TRIAGE_TEXT_RESULTS_H
#define CUL_TRIAGE_TEXT_RESULTS_H

#include "../../base/buf.h"

struct cul_results {
  void *self;
  /* A test that failed; text: its output, borrowed. */
  void (*failed)(void *self, const char *test, struct cul_bytes text);
  size_t n_passed; /* counted here */
};

/* Read text; its content decides the format.  False, with no callback, if the
 * format is unknown; damaged XML is read up to the damage. */
bool cul_results_read(struct cul_bytes text, struct cul_results *to);

#endif
