/* Reader of the part of Python's pickle format that saved tensors use.  It
 * reads data only: nothing is imported or called.  Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_PICKLE_H
#define CUL_BASE_TENSOR_PICKLE_H

#include "tensor.h"

enum cul_pickle_type {
  CUL_PICKLE_MARK, /* only on the stack */
  CUL_PICKLE_NONE,
  CUL_PICKLE_INT, /* also True and False */
  CUL_PICKLE_FLOAT,
  CUL_PICKLE_TEXT,
  CUL_PICKLE_GLOBAL,  /* text: "module name" */
  CUL_PICKLE_LIST,    /* items; a tuple too */
  CUL_PICKLE_DICT,    /* items: key, value, key, value ... */
  CUL_PICKLE_PERSIST, /* items[0]: what the persistent id is */
  CUL_PICKLE_CALL,    /* items[0]: the global, items[1]: its arguments; never
                         executed, see archive.c for the calls that are
                         understood */
};

/* A value; all values of a pickle are in one array and refer to each other by
 * index. */
struct cul_pickle_value {
  enum cul_pickle_type type;
  int64_t number;
  double real;
  struct cul_bytes text; /* borrowed from the pickle's bytes */
  uint32_t *items;       /* heap */
  size_t n;
};

struct cul_pickle {
  struct cul_pickle_value *values; /* heap */
  size_t n;
  uint32_t root;
};

/* Read a pickle.  References may form cycles.  Errors: EUSAGE where an opcode
 * does more than build data. */
CUL_MUST_CHECK int cul_pickle_read(struct cul_bytes bytes,
                                   struct cul_pickle *out, struct cul_err *err);
void cul_pickle_release(struct cul_pickle *pickle);

#endif
