/* Values as Python and C write them, one behind the other. */
#include "../../base/tensor/literal.h"
#include "../../base/tensor/text.h"
#include "fuzz.h"

static void read_all(struct cul_literal in) {
  const char *before = NULL;
  while (in.at < in.end && in.at != before) {
    uint64_t number;
    cul_number real;
    bool whole;
    before = in.at;
    free(cul_literal_string(&in));
    if (!cul_literal_number(&in, &number) &&
        !cul_literal_real(&in, &real, &whole) && in.at < in.end)
      in.at++;
    fuzz_demand(in.at <= in.end, "beyond the end");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *at = (const char *)data;
  struct cul_literal in = {at, at + size};
  struct cul_printed printed = {0};
  struct cul_buf words = {0};
  struct cul_err err = {0};
  read_all(in);
  fuzz_demand_words(cul_printed_flat(&in, &printed, &err), &err);
  cul_printed_release(&printed);
  in = (struct cul_literal){at, at + size};
  printed = (struct cul_printed){0};
  fuzz_demand_words(cul_printed_nested(&in, &printed, &err), &err);
  cul_printed_release(&printed);
  printed = (struct cul_printed){0};
  cul_printed_loose((struct cul_bytes){at, size}, &printed, &words);
  cul_printed_release(&printed);
  cul_buf_release(&words);
  return 0;
}
