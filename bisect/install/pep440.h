/* Versions of Python packages, and their order.  Source: PEP 440. */
#ifndef CUL_BISECT_INSTALL_PEP440_H
#define CUL_BISECT_INSTALL_PEP440_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../base/buf.h"

enum { CUL_PEP440_PARTS = 16 };

/* The letter of a pre-release; in their order. */
enum cul_pep440_pre {
  CUL_PEP440_ALPHA,
  CUL_PEP440_BETA,
  CUL_PEP440_CANDIDATE,
  CUL_PEP440_NO_PRE,
};

struct cul_pep440 {
  uint64_t epoch;
  uint64_t release[CUL_PEP440_PARTS];
  size_t n; /* parts of release, without trailing zeros */
  enum cul_pep440_pre pre;
  uint64_t pre_number;
  bool has_post, has_dev;
  uint64_t post, dev;
  struct cul_bytes local; /* after "+"; borrowed from the text */
};

/* False: text is no version of PEP 440, or has more than 16 parts. */
bool cul_pep440_parse(const char *text, struct cul_pep440 *out);
/* <0, 0, >0.  Versions with different spelling may be equal: 1.0, 1.0.0. */
int cul_pep440_compare(const struct cul_pep440 *a, const struct cul_pep440 *b);
/* Does pip accept it only with --pre? */
bool cul_pep440_is_pre(const struct cul_pep440 *version);

#endif
