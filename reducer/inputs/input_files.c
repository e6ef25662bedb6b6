/* Inputs that the user gives as files: --inputs DIR.  What is simplified are
 * its .npy files of one tensor; the others are copied as they are. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/outputs.h"
#include "input_data.h"
#include "input_moves.h"

static bool is_npy(const char *name) {
  size_t n = strlen(name);
  return n > 4 && strcmp(name + n - 4, ".npy") == 0;
}

static int put(const struct cul_input_data *data, const char *name,
               struct cul_bytes bytes, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", data->dir, name);
  int rc = cul_held_put(data->place, path, bytes, 0600, err);
  free(path);
  return rc;
}

/* Add it to the arguments, or copy it. */
static int take(struct cul_input_data *data, const struct cul_output_file *file,
                struct cul_err *err) {
  struct cul_tensors read = {0};
  struct cul_err ignored = {0};
  if (!is_npy(file->name) ||
      cul_tensors_parse(file->bytes, file->name, NULL, &read, &ignored) < 0 ||
      read.n != 1) {
    cul_tensors_release(&read);
    return put(data, file->name, file->bytes, err);
  }
  data->files =
      cul_xreallocarray(data->files, data->drawn.n + 1, sizeof *data->files);
  data->files[data->drawn.n] = cul_xstrdup(file->name);
  cul_tensors_move(&data->drawn, &read, "");
  return 0;
}

int cul_input_files_read(const char *from, const struct cul_held *place,
                         const char *to, struct cul_input_data **out,
                         struct cul_err *err) {
  struct cul_input_data *data = cul_xcalloc(1, sizeof *data);
  struct cul_buf bytes = {0};
  struct cul_output_file file;
  size_t at = 0;
  bool whole = cul_outputs_collect(from, &bytes) == 0;
  int rc = cul_held_ready(place, to, err);
  data->place = place;
  data->kind = cul_xstrdup("given");
  data->dir = cul_xstrdup(to);
  while (rc == 0 && whole &&
         cul_outputs_next(cul_buf_bytes(&bytes), &at, &file))
    rc = take(data, &file, err);
  cul_buf_release(&bytes);
  data->n = data->drawn.n;
  if (rc < 0 || data->n == 0) { /* nothing that can be simplified */
    cul_input_data_free(data);
    return rc;
  }
  cul_input_data_begin(data);
  *out = data;
  return 0;
}

static cul_number value_of(const struct cul_input_argument *one,
                           const struct cul_tensor *drawn, uint64_t i,
                           unsigned part) {
  if (one->fill == CUL_INPUT_ZEROS || !one->kept[i])
    return 0;
  if (one->fill == CUL_INPUT_DRAWN)
    return cul_tensor_get(drawn, i, part);
  if (part)
    return 0;
  /* Numbers that every float type has. */
  return one->fill == CUL_INPUT_ONES ? 1 : (cul_number)(1 + i % 8);
}

static int write_argument(const struct cul_input_data *data, size_t a,
                          struct cul_err *err) {
  const struct cul_tensor *drawn = &data->drawn.items[a];
  struct cul_tensors made = {0};
  struct cul_tensor *tensor;
  struct cul_buf bytes = {0};
  int rc = cul_tensors_add(&made, "", drawn->dtype, drawn->rank, drawn->dims,
                           &tensor, err);
  for (uint64_t i = 0; rc == 0 && i < drawn->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(drawn); part++)
      cul_tensor_set(tensor, i, part, value_of(&data->args[a], drawn, i, part));
  if (rc == 0)
    cul_tensor_write_npy(tensor, &bytes);
  if (rc == 0)
    rc = put(data, data->files[a], cul_buf_bytes(&bytes), err);
  cul_buf_release(&bytes);
  cul_tensors_release(&made);
  return rc;
}

int cul_input_files_write(const struct cul_input_data *data,
                          struct cul_err *err) {
  int rc = 0;
  for (size_t a = 0; a < data->n && rc == 0; a++)
    rc = write_argument(data, a, err);
  return rc;
}
