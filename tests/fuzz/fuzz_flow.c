/* What a program that prints values says of itself and of them: the list of
 * what is inside an operation, up to a zero byte, and the values.  Numbers of
 * operations in the list lead to operations that there are. */
#include "../../reducer/numbers/divergence_inner.c"
#include "fuzz.h"

static void each_line(struct cul_divergence_job *job, const char *text,
                      cul_divergence_line *line) {
  while (*text) {
    size_t n = strcspn(text, "\n");
    line(job, text);
    text += n + (text[n] == '\n');
  }
}

static void check_inner(const struct cul_inner *inner) {
  for (size_t i = 0; i < inner->n_ops; i++)
    fuzz_demand(inner->ops[i].last < inner->n_ops &&
                    (i == 0 || inner->ops[i].parent < i),
                "inside of an operation that there is not");
  for (size_t i = 0; i < inner->n_steps; i++)
    fuzz_demand(inner->steps[i].op < inner->n_ops,
                "a step of an operation that there is not");
}

static void read_values(struct cul_inner *inner, const char *text) {
  struct walk walk = {.at = text};
  struct cul_err err = {0};
  uint64_t when = 0;
  while (advance(inner, &walk, &err) == 0 && walk.step != UINT32_MAX) {
    note(inner, &walk, ++when);
    who_decides(inner, walk.step, walk.step / 2);
  }
  cul_tensors_release(&walk.value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  struct cul_divergence_job job = {0};
  char *inner = fuzz_text(&in), *values = fuzz_text(&in);
  struct cul_divergence_conf conf = {.target.input = "input.mlir"};
  struct cul_err err = {0};
  job.conf = &conf;
  each_line(&job, inner, read_line);
  if (check_list(&job.inner, &err) == 0) {
    check_inner(&job.inner);
    read_values(&job.inner, values);
  }
  cul_inner_release(&job.inner);
  free(inner);
  free(values);
  return 0;
}
