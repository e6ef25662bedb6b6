/* Any bytes are the call frame information of a tool, whose memory is its own:
 * a row is found, or none, whatever they are. */
#include "../../runners/stacks/stack.h"

#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* Reads end at a page, so the bytes are copied to where others follow. */
  static uint8_t room[1 << 16];
  struct cul_row row;
  uint64_t fde = (uint64_t)(uintptr_t)room + 64;
  if (size > sizeof room - 128)
    size = sizeof room - 128;
  memset(room, 0, sizeof room);
  memcpy(room, data, size);
  for (uint64_t address = 0x1000; address < 0x1100; address += 64)
    if (cul_row_read(getpid(), fde, 0x1000, address, &row))
      fuzz_demand(row.cfa_register < CUL_N_REGISTERS, "no such register");
  return 0;
}
