/* The engine "inputs": the inputs of a call, as iree-run-module takes them, for
 * the module in f64.  Each has the values of the original's input: a number
 * that is read in f32 is rounded to f32 first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/files/file.h"
#include "../../../base/options/opt.h"
#include "../../../base/tensor/tensor.h"
#include "../engine.h"

struct options {
  const char *into;
  struct cul_strings inputs;
};

static const struct cul_opt opts[] = {
    {.name = "into",
     .type = CUL_OPT_STRING,
     .value = "DIR",
     .offset = offsetof(struct options, into),
     .help = "where the inputs in f64 are written, as NUMBER.bin"},
    {.name = "input",
     .type = CUL_OPT_LIST,
     .value = "INPUT",
     .offset = offsetof(struct options, inputs),
     .help = "4xf32=1 2 3 4, 4xf32=0.5, 4xf32=@FILE.bin, @FILE.npy, or 0.5"},
    {.name = NULL}};

/* Append the values of an input; nothing for a number without a type, which
 * fits any. */
static int read_input(const char *word, struct cul_tensors *out,
                      struct cul_err *err) {
  const char *values = strchr(word, '=');
  struct cul_tensor_hint hint = {0};
  char *type;
  int rc;
  if (*word == '@')
    return cul_tensors_load(word + 1, NULL, out, err);
  if (!values)
    return 0;
  if (values[1] != '@')
    return cul_tensors_parse_text((struct cul_bytes){word, strlen(word)}, NULL,
                                  out, err);
  type = cul_xstrndup(word, (size_t)(values - word));
  rc = cul_tensor_hint_parse(type, &hint, err);
  if (rc == 0)
    rc = cul_tensors_load(values + 2, &hint, out, err);
  free(type);
  return rc;
}

/* The type in f64 for a type; the same type: it stays. */
static enum cul_dtype wide_of(enum cul_dtype dtype) {
  enum cul_dtype part = cul_dtype_info(dtype)->part;
  if (cul_dtype_info(part)->kind != CUL_IS_FLOAT)
    return dtype;
  return cul_dtype_info(dtype)->kind == CUL_IS_COMPLEX ? CUL_C128 : CUL_F64;
}

/* Write a tensor in f64 to a file, and append to word the input that names
 * it. */
static int write_wide(const struct cul_tensor *from, const char *path,
                      struct cul_buf *word, struct cul_err *err) {
  struct cul_tensors to = {0};
  struct cul_tensor *made;
  int rc = cul_tensors_add(&to, "", wide_of(from->dtype), from->rank,
                           from->dims, &made, err);
  for (uint64_t i = 0; rc == 0 && i < from->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(from); part++)
      cul_tensor_set(made, i, part, cul_tensor_get(from, i, part));
  if (rc == 0) {
    cul_tensor_type(made, word);
    cul_buf_addf(word, "=@%s", path);
    rc = cul_file_write(path, made->data,
                        made->n * cul_dtype_info(made->dtype)->size, 0600, err);
  }
  cul_tensors_release(&to);
  return rc;
}

static int convert(const char *word, const char *dir, size_t number,
                   struct cul_err *err) {
  struct cul_tensors read = {0};
  char *path = cul_xasprintf("%s/%zu.bin", dir, number);
  struct cul_buf other = {0};
  int rc = read_input(word, &read, err);
  bool wide = false;
  if (rc == 0 && read.n > 1)
    rc = cul_fail(err, CUL_EUSAGE, "give one array per file",
                  "%s: has %zu arrays", word, read.n);
  if (rc == 0 && read.n)
    wide = wide_of(read.items[0].dtype) != read.items[0].dtype;
  if (wide)
    rc = write_wide(&read.items[0], path, &other, err);
  if (rc == 0)
    printf("--input=%s\n", wide ? cul_buf_str(&other) : word);
  cul_buf_release(&other);
  cul_tensors_release(&read);
  free(path);
  return rc;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct options options = {0};
  struct cul_err err = {0};
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  int rc = cul_opt_parse(opts, &options, argc, argv, &operands, &err);
  (void)subject;
  (void)warm;
  if (rc == 0 && !options.into)
    rc = cul_fail(&err, CUL_EUSAGE, "add --into DIR", "no directory is given");
  for (size_t i = 0; rc == 0 && i < options.inputs.n; i++)
    rc = convert(options.inputs.items[i], options.into, i, &err);
  if (rc == 0)
    return 0;
  fprintf(stderr, "error: %s; %s\n", err.what, err.advice);
  return CUL_ENGINE_USAGE;
}

const struct cul_engine cul_engine_inputs = {
    .name = "inputs",
    .summary = "print the inputs of a call for the module in f64",
    .opts = opts,
    .run = run,
};
