/* Tensors in memory and in files: npy, npz, safetensors, PyTorch's .pt, raw
 * bytes, and the text that IREE and MLIR's runners print.
 *
 * Every reader takes foreign bytes: whatever is wrong with them is an error
 * that says what, where and what to do, and none reads more memory than its
 * limits say. */
#ifndef CUL_BASE_TENSOR_TENSOR_H
#define CUL_BASE_TENSOR_TENSOR_H

#include "../buf.h"
#include "dtype.h"

#define CUL_TENSOR_MAX_RANK 16
/* Bytes of all tensors of one file or directory; a header that asks for more
 * is refused before anything is allocated. */
#define CUL_TENSOR_MAX_BYTES (UINT64_C(4) << 30)
/* Tensors of one file or directory. */
#define CUL_TENSOR_MAX_COUNT 65536

struct cul_tensor {
  char *name; /* heap; never NULL; "" where there is only one */
  enum cul_dtype dtype;
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
  uint64_t n;          /* elements: the product of dims */
  unsigned char *data; /* heap; n elements, row-major, little endian, numbers
                          of less than 8 bits one a byte */
  bool untyped;        /* of printed text: dtype is a guess */
  char *text; /* heap; of printed text: what stood around the numbers; or NULL
               */
};

struct cul_tensors {
  struct cul_tensor *items; /* heap */
  size_t n;
};

/* What a file does not say by itself. */
struct cul_tensor_hint {
  bool has_dtype; /* wins over what the file says, if it has the same size */
  enum cul_dtype dtype;
  bool has_shape; /* raw bytes need one */
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

/* "2x3xf32" or "f32": fills the hint's shape and dtype.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_tensor_hint_parse(const char *text,
                                         struct cul_tensor_hint *out,
                                         struct cul_err *err);

/* A file format: one row of list.h. */
struct cul_tensor_format {
  const char *name;
  const char *ends; /* of file names, with dots and blanks: ".npy .x" */
  /* May these bytes be of this format?  NULL: only by the file's name. */
  bool (*sniff)(struct cul_bytes bytes);
  bool weak; /* sniff is a guess: a file's name counts more */
  /* Append the tensors of a file; one that needs no name has "".  Errors:
   * EUSAGE. */
  int (*read)(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
              struct cul_tensors *out, struct cul_err *err);
};
extern const struct cul_tensor_format *const cul_tensor_formats[]; /* NULL */

/* Append a tensor with room for its elements, zeroed; name is copied.  dims
 * may be NULL where rank is 0.  *out: borrowed until the next append.
 * Errors: EUSAGE where the rank or the size is above the limits. */
CUL_MUST_CHECK int cul_tensors_add(struct cul_tensors *tensors,
                                   const char *name, enum cul_dtype dtype,
                                   size_t rank, const uint64_t *dims,
                                   struct cul_tensor **out,
                                   struct cul_err *err);
/* The tensor of that name, or NULL; borrowed. */
const struct cul_tensor *cul_tensors_find(const struct cul_tensors *tensors,
                                          const char *name);
/* Move all of `from` behind those of `to`, their names prefixed. */
void cul_tensors_move(struct cul_tensors *to, struct cul_tensors *from,
                      const char *prefix);
void cul_tensors_release(struct cul_tensors *tensors);

/* Read the bytes of one file, whose format its bytes or the end of its name
 * tell.  name: for messages, and for its end.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_tensors_parse(struct cul_bytes bytes, const char *name,
                                     const struct cul_tensor_hint *hint,
                                     struct cul_tensors *out,
                                     struct cul_err *err);
/* Is a file of this name one of tensors, by its end? */
bool cul_tensors_knows(const char *name);
/* Read a file, or every file of a directory that is of a format by its name
 * (its tensors are named after the files, without their ends; sorted).
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_tensors_load(const char *path,
                                    const struct cul_tensor_hint *hint,
                                    struct cul_tensors *out,
                                    struct cul_err *err);
/* Append everything that standard output says of tensors: IREE's results,
 * memref prints, vector prints; every other line with numbers is a tensor of
 * them, its words kept in `text`.  Nothing there is no error.  Errors: EUSAGE
 * where a print is cut short or contradicts itself. */
CUL_MUST_CHECK int cul_tensors_parse_text(struct cul_bytes bytes,
                                          const struct cul_tensor_hint *hint,
                                          struct cul_tensors *out,
                                          struct cul_err *err);

/* The element's number; part: 0, or 1 for the imaginary part. */
cul_number cul_tensor_get(const struct cul_tensor *tensor, uint64_t i,
                          unsigned part);
void cul_tensor_set(struct cul_tensor *tensor, uint64_t i, unsigned part,
                    cul_number value);
/* Parts of an element: 2 for complex, else 1. */
unsigned cul_tensor_parts(const struct cul_tensor *tensor);
/* The element's index in every dimension: out[rank]. */
void cul_tensor_index(const struct cul_tensor *tensor, uint64_t i,
                      uint64_t *out);
/* The same as "[1, 2]", appended; the element's number, of a complex one both
 * parts. */
void cul_tensor_add_index(const struct cul_tensor *tensor, uint64_t i,
                          struct cul_buf *out);
void cul_tensor_add_value(const struct cul_tensor *tensor, uint64_t i,
                          struct cul_buf *out);
/* "2x3xf32" appended. */
void cul_tensor_type(const struct cul_tensor *tensor, struct cul_buf *out);

/* The bytes of a .npy file (version 1.0) appended.  Types that NumPy does not
 * have are written by their ml_dtypes name, which the reader here knows. */
void cul_tensor_write_npy(const struct cul_tensor *tensor, struct cul_buf *out);

#endif
