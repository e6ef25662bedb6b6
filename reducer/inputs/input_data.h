/* Input data as a part of the subject: where culprit makes the inputs itself
 * (--mismatch --passes, --device), the simplest that still show the failure:
 * few elements that are not 0, ones, or 1 and the element's own number.
 * Subsets of elements are searched by delta debugging (A. Zeller, R.
 * Hildebrandt, 2002). */
#ifndef CUL_REDUCER_INPUTS_INPUT_DATA_H
#define CUL_REDUCER_INPUTS_INPUT_DATA_H

#include "../../base/tensor/tensor.h"
#include "../job/job.h"

/* The module is as small as it gets: simplify its inputs, and set
 * job->inputs.  From then on all roles run with them.  Nothing where the inputs
 * are not ours, the failure shows only sometimes, or a budget is spent.
 * Errors: of runs. */
CUL_MUST_CHECK int cul_input_data_reduce(struct cul_reduce *job,
                                         struct cul_err *err);
void cul_input_data_free(struct cul_input_data *data);

/* For report.json; null where there is nothing to say. */
json_t *cul_input_data_json(const struct cul_reduce *job);

enum cul_input_fill {
  CUL_INPUT_DRAWN,
  CUL_INPUT_ZEROS,
  CUL_INPUT_ONES,
  CUL_INPUT_INDEX, /* 1 and the element's number, row by row */
};

struct cul_input_argument {
  enum cul_input_fill fill;
  bool fixed; /* a number that is an extent: it stays */
  bool *kept; /* heap; by element: false = 0 */
  uint64_t n;
};

/* An element of an argument that is not 0, and what is other without it. */
struct cul_input_move {
  size_t arg;
  uint64_t i;
  struct cul_buf suspect, reference; /* "result 0 [1, 2], ..."; or empty */
};

enum { CUL_INPUT_MOST_MOVES = 8 }; /* more elements are not few */

struct cul_input_data {
  char *kind;                   /* of what is drawn; "given" of files */
  char **files;                 /* names, by argument; NULL: the engine's */
  const struct cul_held *place; /* borrowed */
  char *dir;                    /* in it: where the files are written */
  struct cul_tensors drawn;     /* the arguments, as drawn */
  struct cul_input_argument *args;
  size_t n;
  uint32_t tests;
  struct cul_buf text; /* the arguments in the end, one a line */
  struct cul_input_move moves[CUL_INPUT_MOST_MOVES];
  size_t n_moves;
};

#endif
