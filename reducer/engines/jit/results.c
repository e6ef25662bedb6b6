/* Results as text: see results.h. */
#include "results.h"

static void print_real(cul_number value, struct cul_buf *out) {
  /* 21 digits distinguish any two numbers with 64 bits of fraction. */
  cul_buf_addf(out, "%.21Lg", value);
}

static void print_tensor(const struct cul_tensor *tensor, struct cul_buf *out) {
  cul_tensor_type(tensor, out);
  cul_buf_addc(out, '=');
  for (uint64_t i = 0; i < tensor->n; i++) {
    cul_buf_adds(out, i ? " " : "");
    if (cul_tensor_parts(tensor) == 1) {
      print_real(cul_tensor_get(tensor, i, 0), out);
      continue;
    }
    cul_buf_addc(out, '(');
    print_real(cul_tensor_get(tensor, i, 0), out);
    cul_buf_addc(out, ',');
    print_real(cul_tensor_get(tensor, i, 1), out);
    cul_buf_addc(out, ')');
  }
  cul_buf_addc(out, '\n');
}

void cul_results_print(const struct cul_tensors *tensors, const char *prefix,
                       const char *suffix, struct cul_buf *text) {
  for (size_t i = 0; i < tensors->n; i++) {
    cul_buf_addf(text, "result[%s%zu%s]: ", prefix, i, suffix);
    print_tensor(&tensors->items[i], text);
  }
}
