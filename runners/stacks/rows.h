/* How to get from a frame to its caller's, by the call frame information of the
 * code (DWARF 4, section 6.4; .eh_frame of the System V ABI).  Expressions are
 * not evaluated. */
#ifndef CUL_RUNNERS_STACKS_ROWS_H
#define CUL_RUNNERS_STACKS_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CUL_N_REGISTERS = 33 }; /* DWARF numbers below this one */

enum cul_rule {
  CUL_RULE_SAME,
  CUL_RULE_SAVED,   /* at CFA + offset */
  CUL_RULE_ADDRESS, /* it is CFA + offset */
  CUL_RULE_LOST,    /* undefined, or not evaluated */
};

struct cul_row {
  int cfa_register; /* -1: not evaluated */
  int64_t cfa_offset;
  uint8_t rules[CUL_N_REGISTERS];
  int32_t offsets[CUL_N_REGISTERS];
  uint8_t return_register;
  bool outermost; /* the return address is undefined */
  bool signal;    /* the frame of a signal handler's caller */
};

/* The row of an address within the function that the FDE at that address
 * describes.  False: it cannot be read, or the address is not in the
 * function. */
bool cul_row_read(pid_t pid, uint64_t fde, uint64_t start, uint64_t address,
                  struct cul_row *out);

#endif
