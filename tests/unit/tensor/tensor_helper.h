/* Tensor files of the tests' own making. */
#ifndef CUL_TESTS_TENSOR_HELPER_H
#define CUL_TESTS_TENSOR_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zip.h>

#include "../../../base/tensor/tensor.h"

/* A .npy file of version 1 with this header and these bytes behind it. */
static inline void make_npy(struct cul_buf *out, const char *header,
                            const void *data, size_t len) {
  unsigned char head[10] = "\x93NUMPY\x01";
  head[8] = (unsigned char)strlen(header);
  cul_buf_add(out, head, sizeof head);
  cul_buf_adds(out, header);
  cul_buf_add(out, data, len);
}

struct member {
  const char *name;
  struct cul_bytes bytes;
  int method; /* ZIP_CM_... */
};

static inline void make_zip(struct cul_buf *out, const struct member *members,
                            size_t n) {
  zip_error_t why;
  zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &why);
  zip_t *zip = zip_open_from_source(source, ZIP_TRUNCATE, &why);
  zip_int64_t len;
  zip_source_keep(source);
  for (size_t i = 0; i < n; i++) {
    zip_source_t *one =
        zip_source_buffer(zip, members[i].bytes.data, members[i].bytes.len, 0);
    zip_int64_t at = zip_file_add(zip, members[i].name, one, 0);
    assert_true(at >= 0);
    zip_set_file_compression(zip, (zip_uint64_t)at, members[i].method, 0);
  }
  assert_int_equal(zip_close(zip), 0);
  assert_int_equal(zip_source_open(source), 0);
  zip_source_seek(source, 0, SEEK_END);
  len = zip_source_tell(source);
  zip_source_seek(source, 0, SEEK_SET);
  cul_buf_reserve(out, (size_t)len);
  assert_int_equal(zip_source_read(source, out->data, (zip_uint64_t)len), len);
  out->len = (size_t)len;
  zip_source_close(source);
  zip_source_free(source);
}

/* Parse; the file's name chooses where the bytes do not. */
static inline int parse(const struct cul_buf *bytes, const char *name,
                        const char *type, struct cul_tensors *out,
                        struct cul_err *err) {
  struct cul_tensor_hint hint = {0};
  /* Exactly as large as the file, so that a sanitizer sees overruns. */
  char *copy = cul_xmalloc(bytes->len);
  int rc = type ? cul_tensor_hint_parse(type, &hint, err) : 0;
  *out = (struct cul_tensors){0};
  if (bytes->len)
    memcpy(copy, bytes->data, bytes->len);
  if (rc == 0)
    rc = cul_tensors_parse((struct cul_bytes){copy, bytes->len}, name, &hint,
                           out, err);
  free(copy);
  return rc;
}

/* The file is refused with this in its message, and every shorter one of the
 * same beginning too is refused or read, but never harms. */
static inline void refused(struct cul_buf *bytes, const char *name,
                           const char *type, const char *what) {
  struct cul_tensors tensors;
  struct cul_err err = {0};
  int rc = parse(bytes, name, type, &tensors, &err);
  if (rc != CUL_EUSAGE || !strstr(err.what, what) || !err.advice[0])
    fail_msg("%s: wanted \"%s\", got %d \"%s\" (\"%s\")", name, what, rc,
             err.what, err.advice);
  cul_tensors_release(&tensors);
  cul_buf_release(bytes);
}

static inline void read_well(struct cul_buf *bytes, const char *name,
                             const char *type, struct cul_tensors *out) {
  struct cul_err err = {0};
  if (parse(bytes, name, type, out, &err) < 0)
    fail_msg("%s: %s", name, err.what);
  cul_buf_release(bytes);
}

static inline void check_type(const struct cul_tensor *tensor,
                              const char *type) {
  struct cul_buf text = {0};
  cul_tensor_type(tensor, &text);
  assert_string_equal(cul_buf_str(&text), type);
  cul_buf_release(&text);
}

static inline void check_values(const struct cul_tensor *tensor,
                                const char *type, const double *values) {
  check_type(tensor, type);
  for (uint64_t i = 0; i < tensor->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
      assert_true(cul_tensor_get(tensor, i, part) ==
                  values[i * cul_tensor_parts(tensor) + part]);
}

/* No beginning of a good file is read, or read past its end. */
static inline void no_prefix(const struct cul_buf *file, const char *name) {
  struct cul_tensors got;
  struct cul_err err;
  for (size_t n = 0; n < file->len; n++) {
    struct cul_buf part = {0};
    cul_buf_add(&part, file->data, n);
    assert_int_equal(parse(&part, name, NULL, &got, &err), CUL_EUSAGE);
    assert_true(err.what[0] && err.advice[0]);
    cul_tensors_release(&got);
    cul_buf_release(&part);
  }
}

#endif
