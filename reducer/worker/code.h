/* Gives forked children the code of their libraries from the start.
 *
 * Every candidate is a fresh fork, and pages of files are mapped into a fork
 * one fault at a time, and unmapped one by one when it ends.  Two measures
 * avoid this.  The code and the constants of the compiler libraries are copied
 * once into anonymous huge pages, as far as this process has used them (60 of
 * 250 MB, shared by all children); the code then also needs few entries in the
 * TLB.  For small libraries and the program itself the page tables are copied.
 * A third makes forks cheaper: code and constants of each other library become
 * one mapping, which saves a fifth of all mappings.  Together they save a fifth
 * of the processor time of a candidate that runs in-process, and half of its
 * page faults (bench-live). */
#ifndef CUL_REDUCER_WORKER_CODE_H
#define CUL_REDUCER_WORKER_CODE_H

/* Shared libraries, by the beginning of their names; each list is
 * NULL-terminated. */
struct cul_code_sets {
  const char *const *large; /* used parts are put on huge pages */
  const char *const *small; /* page tables copied, as are the program's */
};

/* Prepare the process, which must have only one thread, for many forks.  Code
 * for which the system refuses a step keeps its pages.  Method: mremap(2) over
 * the code of a library that is not running meanwhile; a write to a page of a
 * private mapping that leaves its contents unchanged; constants that may be
 * executed, too. */
void cul_code_share(const struct cul_code_sets *code);

#endif
