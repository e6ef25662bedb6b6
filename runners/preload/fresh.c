/* Loaded (LD_PRELOAD) into the programs of a reference: fills the stack that
 * main and its callees will use with the byte that CULPRIT_FRESH names, as
 * glibc fills what malloc gives.  So a result that depends on a local variable
 * without a value differs between runs with two bytes.
 *
 * What the program itself has left on the stack stays: it is the same in all
 * runs. */
#include <dlfcn.h>
#include <stdlib.h>

/* Deeper calls meet the zeros of the kernel. */
enum { DEPTH = 256 << 10 };

typedef int main_function(int, char **, char **);
/* As glibc has them. */
#define START_PARAMETERS                                                       \
  main_function *main, int argc, char **argv, void (*init)(void),              \
      void (*fini)(void), void (*rtld_fini)(void), void *stack_end
typedef int start_function(START_PARAMETERS);

static main_function *real_main;

static __attribute__((noinline)) void fill(int byte) {
  volatile char stack[DEPTH];
  for (size_t i = 0; i < sizeof stack; i++)
    stack[i] = (char)byte;
}

static int main_on_filled(int argc, char **argv, char **envp) {
  const char *word = getenv("CULPRIT_FRESH");
  fill(word ? (int)strtoul(word, NULL, 10) : 0);
  return real_main(argc, argv, envp);
}

/* libc's own, which the first code of a program calls. */
int __libc_start_main(START_PARAMETERS) {
  start_function *real;
  *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return real(main_on_filled, argc, argv, init, fini, rtld_fini, stack_end);
}
