/* NumPy's .npy: magic, version, a header that is a Python dictionary, data. */
#include <stdlib.h>
#include <string.h>

#include "../status.h"
#include "literal.h"
#include "tensor.h"

#define MAGIC "\x93NUMPY"

struct header {
  char *descr; /* heap */
  bool fortran;
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
  bool has_descr, has_order, has_shape;
};

static bool sniff(struct cul_bytes bytes) {
  return bytes.len >= 6 && memcmp(bytes.data, MAGIC, 6) == 0;
}

static int damaged(struct cul_err *err, const char *what) {
  return cul_fail(err, CUL_EUSAGE, "write the file again with numpy.save", "%s",
                  what);
}

static int read_shape(struct cul_literal *in, struct header *out,
                      struct cul_err *err) {
  if (!cul_literal_char(in, '('))
    return damaged(err, "the header's shape is not a tuple");
  out->has_shape = true;
  while (!cul_literal_char(in, ')')) {
    uint64_t dim;
    if (cul_literal_char(in, '-'))
      return damaged(err, "the shape has a negative dimension");
    if (!cul_literal_number(in, &dim))
      return damaged(err, "the shape contains something other than numbers");
    if (out->rank == CUL_TENSOR_MAX_RANK)
      return damaged(err, "the shape has more than 16 dimensions");
    out->dims[out->rank++] = dim;
    cul_literal_word(in, "L"); /* Python 2 */
    if (!cul_literal_char(in, ',') && !cul_literal_peek(in, ')'))
      return damaged(err, "the shape does not end");
  }
  return 0;
}

static int read_value(struct cul_literal *in, const char *key,
                      struct header *out, struct cul_err *err) {
  if (strcmp(key, "shape") == 0 && !out->has_shape)
    return read_shape(in, out, err);
  if (strcmp(key, "fortran_order") == 0) {
    out->has_order = true;
    out->fortran = cul_literal_word(in, "True");
    return out->fortran || cul_literal_word(in, "False")
               ? 0
               : damaged(err, "fortran_order is neither True nor False");
  }
  if (strcmp(key, "descr") == 0 && !out->has_descr) {
    out->has_descr = true;
    if (cul_literal_peek(in, '['))
      return cul_fail(
          err, CUL_EUSAGE, "save each field as a separate array",
          "a structured dtype: an array of records is not a tensor");
    out->descr = cul_literal_string(in);
    return out->descr ? 0 : damaged(err, "descr is not a string");
  }
  return damaged(err, "a key of the header is unknown or repeated");
}

static int read_header(struct cul_bytes text, struct header *out,
                       struct cul_err *err) {
  struct cul_literal in = {text.data, text.data + text.len};
  if (!cul_literal_char(&in, '{'))
    return damaged(err, "the header is not a dictionary");
  while (!cul_literal_char(&in, '}')) {
    char *key = cul_literal_string(&in);
    int rc = key && cul_literal_char(&in, ':')
                 ? read_value(&in, key, out, err)
                 : damaged(err, "the header's dictionary is broken");
    free(key);
    if (rc < 0)
      return rc;
    if (!cul_literal_char(&in, ',') && !cul_literal_peek(&in, '}'))
      return damaged(err, "the header's dictionary does not end");
  }
  if (!out->has_descr || !out->has_order || !out->has_shape)
    return damaged(err, "the header lacks descr, fortran_order or shape");
  return 0;
}

/* The type for NumPy's letter and size: f4, i8, u1, b1, c8. */
static bool short_name(const char *code, enum cul_dtype *out) {
  static const struct {
    const char *code;
    enum cul_dtype dtype;
  } rows[] = {{"f8", CUL_F64},  {"f4", CUL_F32},  {"f2", CUL_F16},
              {"b1", CUL_I1},   {"i1", CUL_SI8},  {"i2", CUL_SI16},
              {"i4", CUL_SI32}, {"i8", CUL_SI64}, {"u1", CUL_UI8},
              {"u2", CUL_UI16}, {"u4", CUL_UI32}, {"u8", CUL_UI64},
              {"c8", CUL_C64},  {"c16", CUL_C128}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++)
    if (strcmp(rows[i].code, code) == 0)
      return *out = rows[i].dtype, true;
  return false;
}

/* NumPy stores types of ml_dtypes as opaque bytes of their size. */
static int unnamed_type(const char *code, const struct cul_tensor_hint *hint,
                        enum cul_dtype *out, struct cul_err *err) {
  unsigned long size = strtoul(code + 1, NULL, 10);
  if (hint->has_dtype && cul_dtype_info(hint->dtype)->size == size)
    return *out = hint->dtype, 0;
  return cul_fail(
      err, CUL_EUSAGE,
      "name it with --type (bf16, f8E4M3FN, ...), or save it as safetensors",
      "elements of %lu bytes without a type (NumPy writes bf16 and "
      "the 8 bit floats so)",
      size);
}

static int find_type(const char *descr, const struct cul_tensor_hint *hint,
                     enum cul_dtype *out, bool *big, struct cul_err *err) {
  const char *code = descr + (strchr("<>|=", descr[0]) && descr[0]);
  *big = descr[0] == '>';
  if (cul_dtype_parse(descr, strlen(descr), out) || short_name(code, out)) {
    if (hint->has_dtype &&
        cul_dtype_info(hint->dtype)->size == cul_dtype_info(*out)->size)
      *out = hint->dtype;
    return 0;
  }
  if (code[0] == 'V')
    return unnamed_type(code, hint, out, err);
  if (code[0] == 'O')
    return cul_fail(err, CUL_EUSAGE,
                    "save it with a numeric dtype: x.astype(numpy.float32)",
                    "an array of Python objects: it is a pickle, and pickles "
                    "are not executed here");
  return cul_fail(err, CUL_EUSAGE,
                  "convert it to a number type before it is saved",
                  "dtype '%.40s' is not a number type", descr);
}

/* The position in Fortran order of element i in row-major order. */
static uint64_t fortran_place(const struct cul_tensor *tensor, uint64_t i) {
  uint64_t index[CUL_TENSOR_MAX_RANK], at = 0, step = 1;
  cul_tensor_index(tensor, i, index);
  for (size_t d = 0; d < tensor->rank; d++) {
    at += index[d] * step;
    step *= tensor->dims[d];
  }
  return at;
}

static void copy_data(struct cul_tensor *tensor, const char *data, bool fortran,
                      bool big) {
  const struct cul_dtype_info *info = cul_dtype_info(tensor->dtype);
  unsigned part = cul_dtype_info(info->part)->size;
  if (!fortran && !big && tensor->n) {
    memcpy(tensor->data, data, tensor->n * info->size);
    return;
  }
  for (uint64_t i = 0; i < tensor->n; i++) {
    cul_status_pass(i);
    const char *from =
        data + (fortran ? fortran_place(tensor, i) : i) * info->size;
    unsigned char *to = tensor->data + i * info->size;
    for (unsigned b = 0; b < info->size; b++)
      to[big ? b / part * part + (part - 1 - b % part) : b] =
          (unsigned char)from[b];
  }
}

static int read_data(const struct header *header, struct cul_bytes data,
                     const struct cul_tensor_hint *hint,
                     struct cul_tensors *out, struct cul_err *err) {
  struct cul_tensor *tensor;
  enum cul_dtype dtype;
  uint64_t need = 0;
  bool big;
  if (find_type(header->descr, hint, &dtype, &big, err) < 0 ||
      cul_tensor_room(dtype, header->rank, header->dims, data.len, &need, err) <
          0)
    return err->code;
  if (need < data.len)
    return cul_fail(err, CUL_EUSAGE, "write the file again with numpy.save",
                    "%zu byte%s of data, but its shape has %llu", data.len,
                    cul_s(data.len), (unsigned long long)need);
  if (cul_tensors_add(out, "", dtype, header->rank, header->dims, &tensor,
                      err) < 0)
    return err->code;
  copy_data(tensor, data.data, header->fortran, big);
  return 0;
}

static int read_npy(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
                    struct cul_tensors *out, struct cul_err *err) {
  const unsigned char *b = (const unsigned char *)bytes.data;
  struct header header = {0};
  size_t fixed = 10, len;
  int rc;
  if (bytes.len < 12 || !sniff(bytes))
    return damaged(err, bytes.len < 12 ? "cut off in the header"
                                       : "the magic of .npy is missing");
  if (b[6] < 1 || b[6] > 3)
    return damaged(err, "an unknown version of .npy (1 to 3 are known)");
  len = b[8] | (size_t)b[9] << 8;
  if (b[6] > 1) {
    fixed = 12;
    len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  }
  if (len > bytes.len - fixed)
    return damaged(err, "cut off in the header");
  rc = read_header((struct cul_bytes){bytes.data + fixed, len}, &header, err);
  if (rc == 0)
    rc = read_data(
        &header,
        (struct cul_bytes){bytes.data + fixed + len, bytes.len - fixed - len},
        hint, out, err);
  free(header.descr);
  return rc;
}

/* The name of the type in NumPy or ml_dtypes. */
static const char *descr_of(enum cul_dtype dtype) {
  switch (dtype) {
  case CUL_F64:
    return "<f8";
  case CUL_F32:
    return "<f4";
  case CUL_F16:
    return "<f2";
  case CUL_I1:
  case CUL_UI1:
    return "|b1";
  case CUL_I8:
  case CUL_SI8:
    return "|i1";
  case CUL_I16:
  case CUL_SI16:
    return "<i2";
  case CUL_I32:
  case CUL_SI32:
    return "<i4";
  case CUL_I64:
  case CUL_SI64:
  case CUL_INDEX:
    return "<i8";
  case CUL_UI8:
    return "|u1";
  case CUL_UI16:
    return "<u2";
  case CUL_UI32:
    return "<u4";
  case CUL_UI64:
    return "<u8";
  case CUL_C64:
    return "<c8";
  case CUL_C128:
    return "<c16";
  default:
    return cul_dtype_info(dtype)->name;
  }
}

void cul_tensor_write_npy(const struct cul_tensor *tensor,
                          struct cul_buf *out) {
  struct cul_buf head = {0};
  unsigned char fixed[10] = MAGIC "\x01";
  cul_buf_addf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (",
               descr_of(tensor->dtype));
  for (size_t d = 0; d < tensor->rank; d++)
    cul_buf_addf(&head, "%s%llu", d ? ", " : "",
                 (unsigned long long)tensor->dims[d]);
  /* "(32,)" as NumPy writes it: IREE's reader takes no blank there. */
  cul_buf_adds(&head, tensor->rank == 1 ? ",), }" : "), }");
  while ((sizeof fixed + head.len + 1) % 64)
    cul_buf_addc(&head, ' ');
  cul_buf_addc(&head, '\n');
  fixed[8] = (unsigned char)(head.len & 255);
  fixed[9] = (unsigned char)(head.len >> 8);
  cul_buf_add(out, fixed, sizeof fixed);
  cul_buf_add(out, head.data, head.len);
  cul_buf_add(out, tensor->data,
              tensor->n * cul_dtype_info(tensor->dtype)->size);
  cul_buf_release(&head);
}

const struct cul_tensor_format cul_tensor_npy = {
    .name = "npy", .ends = ".npy", .sniff = sniff, .read = read_npy};
