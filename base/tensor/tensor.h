/* Tensors in memory and in files: npy, npz, safetensors, PyTorch's .pt, raw
 * bytes, and the text that IREE and MLIR's runners print.
 *
 * Every reader accepts foreign bytes: any defect in them is an error with what,
 * where and what to do, and no reader allocates more memory than its limits
 * allow. */
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
  char *name; /* heap; never NULL; "" if it is the only one */
  enum cul_dtype dtype;
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
  uint64_t n;          /* elements: the product of dims */
  unsigned char *data; /* heap; n elements, row-major, little endian; numbers of
                          less than 8 bits take one byte each */
  bool untyped;        /* read from printed text: dtype is a guess */
  unsigned digits;     /* of printed text: the most significant digits that a
                          number has; 0: the bits are known */
  char *text; /* heap; for printed text, the text around the numbers; or NULL */
};

struct cul_tensors {
  struct cul_tensor *items; /* heap */
  size_t n;
};

/* Type and shape for files that do not contain them. */
struct cul_tensor_hint {
  bool has_dtype; /* overrides the file's type if that has the same size */
  enum cul_dtype dtype;
  bool has_shape; /* raw bytes need a shape */
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

/* Parse "2x3xf32" or "f32" into the shape and type of the hint.  Errors:
 * EUSAGE. */
CUL_MUST_CHECK int cul_tensor_hint_parse(const char *text,
                                         struct cul_tensor_hint *out,
                                         struct cul_err *err);

/* A file format: one row of list.h. */
struct cul_tensor_format {
  const char *name;
  const char *ends; /* of file names, with dots and blanks: ".npy .x" */
  /* Can these bytes have this format?  NULL: the file's name decides. */
  bool (*sniff)(struct cul_bytes bytes);
  bool weak; /* sniff is a guess: a file's name has precedence */
  /* Append the tensors of a file; a tensor without a name gets "".  Errors:
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
/* Move all tensors of `from` to the end of `to` and prefix their names. */
void cul_tensors_move(struct cul_tensors *to, struct cul_tensors *from,
                      const char *prefix);
void cul_tensors_release(struct cul_tensors *tensors);

/* Read the bytes of one file; its bytes or the end of its name determine the
 * format.  name: for that end, and for messages.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_tensors_parse(struct cul_bytes bytes, const char *name,
                                     const struct cul_tensor_hint *hint,
                                     struct cul_tensors *out,
                                     struct cul_err *err);
/* Is this the name of a tensor file, by its extension? */
bool cul_tensors_knows(const char *name);
/* Read a file, or every file of a directory whose name has the extension of a
 * format (tensors are named after the files, without extensions; sorted).
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_tensors_load(const char *path,
                                    const struct cul_tensor_hint *hint,
                                    struct cul_tensors *out,
                                    struct cul_err *err);
/* Append all tensors that standard output contains: IREE's results, memref
 * prints, vector prints.  Every other line with numbers becomes a tensor of its
 * numbers, its words kept in `text`.  No tensors is no error.  Errors: EUSAGE
 * where a print is cut short or contradicts itself. */
CUL_MUST_CHECK int cul_tensors_parse_text(struct cul_bytes bytes,
                                          const struct cul_tensor_hint *hint,
                                          struct cul_tensors *out,
                                          struct cul_err *err);

/* The value of element i; part: 0, or 1 for the imaginary part. */
cul_number cul_tensor_get(const struct cul_tensor *tensor, uint64_t i,
                          unsigned part);
void cul_tensor_set(struct cul_tensor *tensor, uint64_t i, unsigned part,
                    cul_number value);
/* The number of parts of an element: 2 for complex, else 1. */
unsigned cul_tensor_parts(const struct cul_tensor *tensor);
/* Write the index of element i in every dimension to out[rank]. */
void cul_tensor_index(const struct cul_tensor *tensor, uint64_t i,
                      uint64_t *out);
/* Append that index as "[1, 2]"; append the element's value, both parts if
 * complex. */
void cul_tensor_add_index(const struct cul_tensor *tensor, uint64_t i,
                          struct cul_buf *out);
void cul_tensor_add_value(const struct cul_tensor *tensor, uint64_t i,
                          struct cul_buf *out);
/* Append "got 1, want 2", with as many digits as show the difference. */
void cul_tensor_add_pair(const struct cul_tensor *got,
                         const struct cul_tensor *want, uint64_t i,
                         struct cul_buf *out);
/* Append the type: "2x3xf32". */
void cul_tensor_type(const struct cul_tensor *tensor, struct cul_buf *out);

/* Append the bytes of a .npy file (version 1.0).  Types that NumPy lacks are
 * written with their ml_dtypes names, which the reader here accepts. */
void cul_tensor_write_npy(const struct cul_tensor *tensor, struct cul_buf *out);

#endif
