/* Any bytes are the body of a cached record, and its check sum is right: a
 * record, or none.  One that is read is packed again to the same. */
#include "../../cache/records.c"

#include "../../base/files/outputs.h"
#include "fuzz.h"

static void add_sum(struct cul_buf *body) {
  struct cul_digest sum = cul_digest_of(body->data, body->len);
  for (int i = 0; i < SUM_BYTES; i++)
    cul_buf_addc(body, (char)(sum.w[0] >> (8 * i)));
}

static void check_outputs(struct cul_bytes outputs) {
  struct cul_output_file file;
  size_t at = 0, before = 0;
  while (cul_outputs_next(outputs, &at, &file)) {
    fuzz_demand(at > before && at <= outputs.len, "a file beyond the outputs");
    fuzz_demand(strlen(file.name) < outputs.len, "a name without an end");
    fuzz_demand(file.bytes.len <= outputs.len, "more bytes than there are");
    before = at;
  }
}

static void check_again(const struct taken *taken) {
  struct cul_request request = {.flags = taken->traced ? CUL_RUN_TRACE : 0,
                                .wall_ms = taken->wall_ms,
                                .cpu_ms = taken->cpu_ms,
                                .rss_bytes = taken->rss_bytes,
                                .out_bytes = taken->out_bytes};
  struct cul_buf body = {0};
  struct taken again;
  pack_body(&request, &taken->record, &body);
  fuzz_demand(unpack_body(&body, &again), "what was packed is not read");
  fuzz_demand(again.record.end == taken->record.end &&
                  again.record.status == taken->record.status &&
                  cul_bytes_equal(cul_buf_bytes(&again.record.out),
                                  cul_buf_bytes(&taken->record.out)) &&
                  cul_bytes_equal(cul_buf_bytes(&again.record.outputs),
                                  cul_buf_bytes(&taken->record.outputs)),
              "another record");
  cul_record_release(&again.record);
  cul_buf_release(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_buf body = {0};
  struct taken taken;
  cul_buf_add(&body, data, size);
  if (unpack_body(&body, &taken)) /* by its own sum */
    cul_record_release(&taken.record);
  add_sum(&body);
  check_outputs((struct cul_bytes){(const char *)data, size});
  if (unpack_body(&body, &taken)) {
    check_outputs(cul_buf_bytes(&taken.record.outputs));
    check_again(&taken);
    cul_record_release(&taken.record);
  }
  cul_buf_release(&body);
  return 0;
}
