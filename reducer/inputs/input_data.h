/* Reduce the input data of a mismatch.  This requires that the engine draws the
 * inputs (--mismatch --passes, --device) or that all commands read "@{inputs}".
 * The search is for the simplest inputs that still show the failure: few
 * elements that are not 0, and these 1, or 1 plus their number, or as drawn.
 * Subsets of elements are searched by the rule ddmin (search/ddmin.c). */
#ifndef CUL_REDUCER_INPUTS_INPUT_DATA_H
#define CUL_REDUCER_INPUTS_INPUT_DATA_H

#include "../../base/tensor/tensor.h"
#include "../job/job.h"

/* After the module was reduced: simplify its inputs, and set job->inputs.  From
 * then on all roles run with them.  Does nothing if the inputs cannot be
 * replaced, the failure is flaky, the command is reduced too, or a budget is
 * spent.  If the final inputs do not show the failure in one more run, the
 * given inputs are restored and job->inputs is NULL.  Errors: those of runs;
 * EENV. */
CUL_MUST_CHECK int cul_input_data_reduce(struct cul_reduce *job,
                                         struct cul_err *err);
/* data may be NULL. */
void cul_input_data_free(struct cul_input_data *data);

/* For report.json: null if job->inputs is NULL.  Caller owns a reference. */
json_t *cul_input_data_json(const struct cul_reduce *job);

/* The values of the kept elements of an argument; the others are 0. */
enum cul_input_fill {
  CUL_INPUT_DRAWN,
  CUL_INPUT_ZEROS,
  CUL_INPUT_ONES,
  /* 1 plus the element's number, counted row by row; it starts again at 1
   * before the element type would round it (input files: after 8) */
  CUL_INPUT_INDEX,
};

struct cul_input_argument {
  enum cul_input_fill fill;
  bool fixed; /* a scalar of type index, an extent: never changed */
  bool *kept; /* heap; by element; false: the element is 0 */
  uint64_t n;
};

/* An element that is not 0, and the results that change without it. */
struct cul_input_move {
  size_t arg;
  uint64_t i;
  struct cul_buf suspect, reference; /* "result 0 [1, 2], ..."; may be empty */
};

/* if more elements are kept, no moves are sought */
enum { CUL_INPUT_MOST_MOVES = 8 };

/* The inputs of a job while they are reduced, and at the end. */
struct cul_input_data {
  /* the kind of the drawn values; "given" for files */
  char *kind;
  /* file names, by argument; NULL: the engine draws the inputs */
  char **files;
  const struct cul_held *place; /* borrowed */
  char *dir;                    /* directory in it, for the simplified files */
  struct cul_tensors drawn;     /* the arguments as drawn or given */
  struct cul_input_argument *args;
  size_t n;
  uint32_t tests;
  /* the final arguments, one a line, as the engine prints them; empty for
   * files */
  struct cul_buf text;
  struct cul_input_move moves[CUL_INPUT_MOST_MOVES];
  size_t n_moves;
};

#endif
