/* The steps inside a traced operation, for the engine "program" and the readers
 * of what its programs print. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_TRACE_STEP_H
#define CUL_REDUCER_ENGINES_PROGRAM_TRACE_STEP_H

/* The number of the first step; values of the entry's block are numbered from
 * 0. */
enum { CUL_TRACE_STEP = 3000000 };

enum cul_trace_kind {
  CUL_TRACE_BLOCK,    /* a block begins; no value */
  CUL_TRACE_ARGUMENT, /* an argument of the block */
  CUL_TRACE_INDEX,    /* an index of linalg's current element */
  CUL_TRACE_RESULT,   /* a result of an operation */
  CUL_TRACE_MEMORY,   /* memory after an operation that may have written it */
  CUL_TRACE_BEFORE,   /* memory before an operation that is to be cut out */
};

#endif
