/* How often a test of random inputs repeats: N times in the plain build, which
 * tells whether all answers are right; an eighth of it under the sanitizers,
 * which look for what each round does to memory and take ten times as long. */
#ifndef CUL_TESTS_UNIT_ROUNDS_H
#define CUL_TESTS_UNIT_ROUNDS_H

#ifdef __SANITIZE_ADDRESS__
#define ROUNDS(N) (((N) + 7) / 8)
#else
#define ROUNDS(N) (N)
#endif

#endif
