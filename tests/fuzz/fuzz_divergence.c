/* What a program that prints values says of them: the list of a module's
 * operations and values, up to a zero byte, and what a run printed.  Whatever
 * it says, values are whole or there is none. */
#include "../../reducer/numbers/divergence_flow.c"
#include "../../reducer/numbers/divergence_run.c"
#include "fuzz.h"

static void read_list(struct cul_divergence_job *job, const char *text) {
  while (*text) {
    size_t n = strcspn(text, "\n");
    read_line(job, text);
    text += n + (text[n] == '\n');
  }
  for (size_t i = 0; i < job->n_ops; i++)
    fuzz_demand(job->ops[i].name && job->ops[i].location && job->ops[i].text,
                "an operation of which something is not said");
  for (size_t i = 0; i < job->n_values; i++)
    fuzz_demand(job->values[i].type != NULL, "a value without a type");
}

static void read_printed(const char *text) {
  struct cul_buf printed = {0};
  struct cul_tensors values = {0};
  struct cul_err err = {0};
  cul_buf_adds(&printed, text);
  fuzz_demand_words(parse(&printed, &values, &err), &err);
  for (size_t i = 0; i < values.n; i++)
    for (uint64_t e = 0; e < values.items[i].n; e++)
      (void)cul_tensor_get(&values.items[i], e, 0);
  cul_tensors_release(&values);
  cul_buf_release(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct cul_divergence_conf conf = {.target.input = "input.mlir"};
  struct fuzz_input in = fuzz_input(data, size);
  struct cul_divergence_job job = {.conf = &conf};
  char *list = fuzz_text(&in), *printed = fuzz_text(&in);
  read_list(&job, list);
  read_printed(printed);
  cul_divergence_free_flow(&job);
  free(list);
  free(printed);
  return 0;
}
