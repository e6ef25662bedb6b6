/* Loaded (LD_PRELOAD) into a tool that dies of a signal without a stack dump:
 * prints the stack to standard error, then lets the tool die.
 *
 * A tool that has a handler of its own keeps it. */
#include "stack.h"

__attribute__((constructor)) static void install(void) {
  cul_stack_catch(false, false);
}
