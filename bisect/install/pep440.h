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
  size_t n; /* of release, without zeros at its end */
  enum cul_pep440_pre pre;
  uint64_t pre_number;
  bool has_post, has_dev;
  uint64_t post, dev;
  struct cul_bytes local; /* behind "+"; borrowed from the text */
};

/* False: it is no version as PEP 440 has them, or one of more than 16 parts. */
bool cul_pep440_parse(const char *text, struct cul_pep440 *out);
/* <0, 0, >0.  Versions that are spelt otherwise may be equal: 1.0, 1.0.0. */
int cul_pep440_compare(const struct cul_pep440 *a, const struct cul_pep440 *b);
/* Is it one that pip takes only where --pre is given? */
bool cul_pep440_is_pre(const struct cul_pep440 *version);

#endif
