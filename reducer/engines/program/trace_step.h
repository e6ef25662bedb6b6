/* Steps of what an operation does inside, as the engine "program" and those who
 * read what its programs print have them. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_TRACE_STEP_H
#define CUL_REDUCER_ENGINES_PROGRAM_TRACE_STEP_H

/* They are numbered from here on; values of the entry's block from 0 on. */
enum { CUL_TRACE_STEP = 3000000 };

enum cul_trace_kind {
  CUL_TRACE_BLOCK,    /* a block begins; no value */
  CUL_TRACE_ARGUMENT, /* of the block */
  CUL_TRACE_INDEX,    /* of the element that linalg is at */
  CUL_TRACE_RESULT,   /* of an operation */
};

#endif
