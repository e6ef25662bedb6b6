/* nvFuser's definitions as text: a script of Python in which
 *   def nvfuser_fusion_id1(fd : FusionDefinition) -> None :
 * holds one statement a line, "T2 = fd.ops.add(T0, S1)", and a list
 *   inputs = [ torch.randn(N, ...).as_strided(SIZE, STRIDE), ...]
 * one entry for each define_tensor, and for each define_scalar without a value.
 * Values are named by a letter and a number: T is a tensor, S a scalar, V a
 * vector. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_NVFUSER_H
#define CUL_REDUCER_SUBJECT_TEXT_NVFUSER_H

#include "ops.h"

/* Is the text one of nvFuser's definitions? */
static inline bool cul_text_is_nvfuser(const struct cul_text *text) {
  return cul_text_is(text, "nvfuser");
}
/* A statement: "T1, T2 = fd.ops.NAME(" or "fd.add_output(". */
struct cul_nvfuser_op {
  uint32_t line;
  uint32_t equals; /* or NONE: it has no result */
  uint32_t name, open;
};
/* Does the line contain a statement? */
bool cul_text_nvfuser_op(const struct cul_text *text, uint32_t line,
                         struct cul_nvfuser_op *out);
/* Does the statement define an input? */
bool cul_text_nvfuser_takes(const struct cul_text *text,
                            const struct cul_nvfuser_op *op);
/* An argument of the statement, tokens [*first, *end): the one of this name,
 * else number k among those without a name; k NONE: only by name.  False: there
 * is none. */
bool cul_text_nvfuser_argument(const struct cul_text *text,
                               const struct cul_nvfuser_op *op,
                               const char *name, uint32_t k, uint32_t *first,
                               uint32_t *end);

/* "[" of the inputs, or NONE. */
uint32_t cul_text_nvfuser_inputs(const struct cul_text *text);
/* An entry of the inputs: "randn(" or NONE, "(" of its sizes, and of its
 * strides or NONE.  False: the entry has another form. */
struct cul_nvfuser_entry {
  uint32_t room, size, stride;
};
/* Read the entry, tokens [first, end). */
bool cul_text_nvfuser_entry(const struct cul_text *text, uint32_t first,
                            uint32_t end, struct cul_nvfuser_entry *out);
/* Read entry k of the inputs that open there; its size is NONE if it has
 * another form.  False: there are fewer entries. */
static inline bool cul_text_nvfuser_entry_at(const struct cul_text *text,
                                             uint32_t open, uint32_t k,
                                             struct cul_nvfuser_entry *out) {
  uint32_t first, end;
  if (open == CUL_TEXT_NONE || !cul_text_element(text, open, k, &first, &end))
    return false;
  if (!cul_text_nvfuser_entry(text, first, end, out))
    out->size = CUL_TEXT_NONE;
  return true;
}

/* The number at the token as it is now; false: it is none, or too large. */
static inline bool cul_text_nvfuser_number(const struct cul_text *text,
                                           uint32_t token, uint64_t *n) {
  return text->tokens[token].kind == CUL_TOKEN_NUMBER &&
         cul_bytes_whole(cul_text_now(text, token), n) && *n < 1ULL << 40;
}
/* Write another number there; returns true. */
static inline bool cul_text_nvfuser_put(struct cul_text *text, uint32_t token,
                                        uint64_t n) {
  cul_text_rewrite(text, token, "%llu", (unsigned long long)n);
  return true;
}

/* Extents of a tensor, elements of a vector; for a scalar only its value. */
enum { CUL_NVFUSER_RANK = 12 };
struct cul_nvfuser_shape {
  int rank;                        /* -1: not known */
  int64_t dims[CUL_NVFUSER_RANK];  /* -1: not known */
  uint32_t axes[CUL_NVFUSER_RANK]; /* dimensions of one axis can only be
                                      removed together */
};
/* Extents and strides of an input, before and after. */
struct cul_nvfuser_layout {
  uint32_t n;
  uint64_t old[CUL_NVFUSER_RANK], new[CUL_NVFUSER_RANK];
  uint64_t stride[CUL_NVFUSER_RANK], to[CUL_NVFUSER_RANK];
};
/* Read an entry with strides; new is set to old.  False: the strides are
 * unknown. */
bool cul_text_nvfuser_read(const struct cul_text *text,
                           const struct cul_nvfuser_entry *entry,
                           struct cul_nvfuser_layout *l);
/* Write the new extents, the strides in the old order, and the size of the
 * storage. */
void cul_text_nvfuser_write(struct cul_text *text,
                            const struct cul_nvfuser_entry *entry,
                            struct cul_nvfuser_layout *l);

struct cul_nvfuser_shapes {
  uint32_t wrong; /* a token where operands do not fit, or NONE */
  size_t n_axes;
  bool *pinned;                  /* by axis: it cannot be removed */
  struct cul_nvfuser_shape of[]; /* by token that defines a value */
};
/* Shapes in the text as parsed, without edits; computed once per revision,
 * borrowed.  Unknown operations give unknown shapes. */
const struct cul_nvfuser_shapes *cul_text_nvfuser_shapes(struct cul_text *text);

#endif
