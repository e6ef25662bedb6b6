/* Gives forked children the code of their libraries from the start.
 *
 * Every candidate is a fresh fork, and pages of files are mapped into a fork
 * one fault at a time.  Two measures avoid these faults.  The code of the
 * compiler libraries, with the read-only data after it, is copied once into
 * anonymous huge pages (130 MB, shared by all children); it then also needs few
 * entries in the TLB.  For small libraries and the program itself the page
 * tables are copied.  Together they save a sixth of the CPU time of a
 * candidate; copying the page tables saves a third of its page faults
 * (bench-candidate). */
#ifndef CUL_REDUCER_WORKER_CODE_H
#define CUL_REDUCER_WORKER_CODE_H

/* Shared libraries, by the beginning of their names; each list is
 * NULL-terminated. */
struct cul_code_sets {
  const char *const *large; /* to be put on huge pages */
  const char *const *small; /* page tables copied, as are the program's */
};

/* Prepare the process, which must have only one thread, for many forks.  Code
 * for which the system refuses a step keeps its pages.  Method: mremap(2) over
 * the code of a library that is not running meanwhile; a write to a page of a
 * private mapping that leaves its contents unchanged. */
void cul_code_share(const struct cul_code_sets *code);

#endif
