/* The code of the compiler libraries on huge pages.
 *
 * Every candidate is a fresh fork, and pages of files are mapped into it one
 * fault at a time.  Copied once into anonymous huge pages (130 MB, shared by
 * all children), the code is there in each from the start, with few entries
 * in the TLB: a sixth of the cpu of a candidate (bench-candidate: 143 page
 * faults instead of 215).
 */
#ifndef CUL_REDUCER_SUBJECT_WORKSHOP_CODE_H
#define CUL_REDUCER_SUBJECT_WORKSHOP_CODE_H

/* Put the code of each shared library whose name starts with one of these
 * (NULL terminated) on huge pages.  The process must have one thread.  Where
 * the system does not let that be, everything stays as it was.  Method:
 * mremap(2) over the code of a library that does not run meanwhile. */
void cul_code_enlarge(const char *const *libraries);

#endif
