/* Code that a forked child has from the start.
 *
 * Every candidate is a fresh fork, and pages of files are mapped into it one
 * fault at a time.  The code of the compiler libraries is copied once into
 * anonymous huge pages (130 MB, shared by all children), with what lies behind
 * it and is only read; of small libraries and the program itself the page
 * tables are copied.  So the code is there in each child from the start, that
 * of the compiler with few entries in the TLB: a sixth of the cpu of a
 * candidate and, for the small ones, a third of its page faults
 * (bench-candidate).
 */
#ifndef CUL_REDUCER_WORKER_CODE_H
#define CUL_REDUCER_WORKER_CODE_H

/* Shared libraries by the start of their names, each list NULL terminated. */
struct cul_code_sets {
  const char *const *large; /* to be put on huge pages */
  const char *const *small; /* page tables to be copied, beside the program's */
};

/* Prepare the process, which must have one thread, for many forks.  Where the
 * system does not let that be, everything stays as it was.  Method: mremap(2)
 * over the code of a library that does not run meanwhile; a write to a page of
 * a private mapping, which changes nothing. */
void cul_code_share(const struct cul_code_sets *code);

#endif
