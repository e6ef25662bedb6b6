/* Loaded into a tool (LD_PRELOAD) that dies of a signal and does not say
 * where: prints the stack to standard error, then lets it die.
 *
 * A tool that has a handler of its own keeps it. */
#include "stack.h"

__attribute__((constructor)) static void install(void) {
  cul_stack_catch(false);
}
