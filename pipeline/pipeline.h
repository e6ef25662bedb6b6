/* Pipeline text: `builtin.module(func.func(cse,canonicalize{top-down=true}))`.
 *
 * One reader for all tools that print or accept such text: MLIR's pass manager
 * (options in {...}, separated by blanks), LLVM's (in <...>, separated by
 * semicolons), and plain lists of names.  Pure: text in, items out.  Grammar:
 * "Textual Pass Pipeline Specification" of MLIR's pass infrastructure; values
 * are kept verbatim, with balanced brackets and quotes. */
#ifndef CUL_PIPELINE_PIPELINE_H
#define CUL_PIPELINE_PIPELINE_H

#include "../base/buf.h"

#define CUL_PIPE_NONE UINT32_MAX

enum cul_pipe_kind {
  CUL_PIPE_PASS,   /* a name; its options are the items below it */
  CUL_PIPE_NEST,   /* name(...): an anchor, or a pass that contains passes */
  CUL_PIPE_OPTION, /* key or key=value */
};

/* An item that can be left out.  Items are in the order of the text, each
 * before those inside it. */
struct cul_pipe_item {
  enum cul_pipe_kind kind;
  /* bytes of the text: from..name_to is the name, from..to the whole */
  size_t from, name_to, to;
  uint32_t parent; /* the enclosing item, or CUL_PIPE_NONE */
  char bracket;    /* of its options: '{', '<', or 0 for none */
};

struct cul_pipeline {
  struct cul_bytes text; /* borrowed */
  bool options;          /* the top level is a list of options, not of passes */
  struct cul_pipe_item *items;
  size_t n, cap;
};

/* Read text as a list of passes.  false: it is none; out is then empty and
 * needs no release.  text is borrowed while out lives. */
bool cul_pipeline_read(struct cul_bytes text, struct cul_pipeline *out);
/* Read text as a list of options, as in --pass="a=1 b=2". */
bool cul_pipeline_read_options(struct cul_bytes text, struct cul_pipeline *out);
/* Append the text without the items marked in gone (n of them, by index) and
 * all inside these.  The rest is copied verbatim, except blanks between items.
 * An anchor that loses all its passes is removed, too, because no tool accepts
 * one, except for the outermost of MLIR: builtin.module(). */
void cul_pipeline_write(const struct cul_pipeline *pipeline, const bool *gone,
                        struct cul_buf *out);
/* The name of an item, borrowed. */
struct cul_bytes cul_pipeline_name(const struct cul_pipeline *pipeline,
                                   uint32_t item);
void cul_pipeline_release(struct cul_pipeline *pipeline);

#endif
