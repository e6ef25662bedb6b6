/* Two prints of numbers, the first up to a zero byte behind a byte that says
 * the tolerance: compared element by element, drawn, put into words.  A print
 * is equal to itself. */
#include "../../base/tensor/compare.h"
#include "fuzz.h"

static struct cul_tolerance_conf tolerance_of(uint8_t which) {
  static const char *const presets[] = {NULL, NULL, "numpy", "torch"};
  struct cul_tolerance_conf conf = {
      .preset = presets[which % 4], .rtol = -1, .atol = -1, .ulps = -1};
  conf.rounding = which % 4 == 1;
  if (which & 4)
    conf.ulps = which;
  if (which & 8)
    conf.atol = which;
  conf.signed_zero = which & 16;
  conf.flush_denormals = which & 32;
  return conf;
}

static void draw(const struct cul_output *output) {
  struct cul_buf out = {0};
  if (output->got && output->want && output->difference.off) {
    cul_tensor_pattern(output->got, output->want, &output->difference, &out);
    cul_heatmap_svg(output->want, &output->difference, &out);
    cul_heatmap_png(output->want, &output->difference, &out);
  }
  cul_buf_release(&out);
}

static void compare(const struct cul_tensors *got,
                    const struct cul_tensors *want,
                    const struct cul_tolerance_conf *tolerance) {
  struct cul_outputs outputs;
  cul_tensors_compare(got, want, tolerance, &outputs);
  for (size_t i = 0; i < outputs.n; i++) {
    const struct cul_difference *d = &outputs.items[i].difference;
    struct cul_buf place = {0};
    cul_outputs_place(&outputs, &outputs.items[i], &place);
    cul_buf_release(&place);
    fuzz_demand(d->n_fail <= d->n && d->n_differ <= d->n,
                "more differ than there are");
    fuzz_demand(d->n == 0 || (d->first < d->n && d->worst < d->n),
                "an element beyond the last");
    if (i < 4)
      draw(&outputs.items[i]);
  }
  fuzz_demand(got != want || outputs.n_fail == 0 ||
                  outputs.class == CUL_ERR_NONFINITE ||
                  outputs.class == CUL_ERR_UNWRITTEN,
              "a print differs from itself");
  cul_outputs_release(&outputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  struct cul_tolerance_conf tolerance = tolerance_of(fuzz_byte(&in));
  struct cul_bytes first = fuzz_part(&in), second = {in.at, in.left};
  struct cul_tensors got = {0}, want = {0};
  const struct cul_tensor_hint hint = {0};
  struct cul_err err = {0};
  if (cul_tolerance_check(&tolerance, &err) == 0 &&
      cul_tensors_parse_text(first, &hint, &got, &err) == 0 &&
      cul_tensors_parse_text(second, &hint, &want, &err) == 0) {
    compare(&got, &want, &tolerance);
    compare(&got, &got, &tolerance);
  }
  cul_tensors_release(&got);
  cul_tensors_release(&want);
  return 0;
}
