/* NumPy's .npz: a zip of .npy files, named after the arrays. */
#include <stdlib.h>
#include <string.h>

#include "tensor.h"
#include "zip.h"

extern const struct cul_tensor_format cul_tensor_npy;

/* Length without the end ".npy", or 0. */
static size_t stem_of(const char *name) {
  size_t len = strlen(name);
  return len > 4 && strcmp(name + len - 4, ".npy") == 0 ? len - 4 : 0;
}

static bool sniff(struct cul_bytes bytes) {
  struct cul_zip *zip = NULL;
  struct cul_err ignored;
  bool found = false;
  if (!cul_zip_sniff(bytes) || cul_zip_open(bytes, &zip, &ignored) < 0)
    return false;
  for (size_t i = 0; i < cul_zip_count(zip) && !found; i++)
    found = stem_of(cul_zip_name(zip, i)) > 0;
  cul_zip_close(zip);
  return found;
}

static int read_member(struct cul_zip *zip, size_t i,
                       const struct cul_tensor_hint *hint,
                       struct cul_tensors *out, struct cul_err *err) {
  const char *name = cul_zip_name(zip, i);
  struct cul_tensors read = {0};
  struct cul_buf bytes = {0};
  char *stem;
  int rc;
  if (!stem_of(name))
    return cul_fail(err, CUL_EUSAGE, "write it again with numpy.savez",
                    "member \"%.80s\" is no .npy file", name);
  stem = cul_xstrndup(name, stem_of(name));
  rc = cul_zip_read(zip, i, &bytes, err);
  if (rc == 0)
    rc = cul_tensor_npy.read(cul_buf_bytes(&bytes), hint, &read, err);
  if (rc < 0)
    cul_fail_in(err, "array \"%.80s\"", stem);
  if (rc == 0 && cul_tensors_find(out, stem))
    rc = cul_fail(err, CUL_EUSAGE, "write it again with numpy.savez",
                  "array \"%.80s\" is there twice", stem);
  cul_tensors_move(out, &read, stem);
  cul_buf_release(&bytes);
  free(stem);
  return rc;
}

static int read_npz(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
                    struct cul_tensors *out, struct cul_err *err) {
  struct cul_zip *zip = NULL;
  int rc = cul_zip_open(bytes, &zip, err);
  for (size_t i = 0; rc == 0 && i < cul_zip_count(zip); i++)
    rc = read_member(zip, i, hint, out, err);
  cul_zip_close(zip);
  return rc;
}

const struct cul_tensor_format cul_tensor_npz = {
    .name = "npz", .ends = ".npz", .sniff = sniff, .read = read_npz};
