/* Inside the reduction of input data: what is known of it, in words, and which
 * element moves which. */
#ifndef CUL_REDUCER_INPUTS_INPUT_MOVES_H
#define CUL_REDUCER_INPUTS_INPUT_MOVES_H

#include "../../base/tensor/tensor.h"
#include "../job/job.h"

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

/* text: the arguments as the engine shows them.  kind: NULL = the usual one.
 * NULL and err where they cannot be read, or there are none. */
struct cul_input_data *cul_input_data_new(const char *kind,
                                          struct cul_bytes text,
                                          struct cul_err *err);
/* The same of the .npy files of directory `from`, which are to be written into
 * `to`, a directory in place; all other files are copied there.  *out: as it
 * was, where nothing can be simplified.  Errors: EENV. */
CUL_MUST_CHECK int cul_input_files_read(const char *from,
                                        const struct cul_held *place,
                                        const char *to,
                                        struct cul_input_data **out,
                                        struct cul_err *err);
/* All roles run with the data as they stand from now on: the engine by a word
 * (engines/recipe.h), commands by files. */
CUL_MUST_CHECK int cul_input_apply(struct cul_reduce *job, struct cul_err *err);
/* Where few elements are not 0: leave each out in turn, and compare the outputs
 * of suspect and reference with those before.  Errors: of runs. */
CUL_MUST_CHECK int cul_input_moves_find(struct cul_reduce *job,
                                        struct cul_err *err);

#endif
