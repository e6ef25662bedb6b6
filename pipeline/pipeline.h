/* Pipeline text: `builtin.module(func.func(cse,canonicalize{top-down=true}))`.
 *
 * One reader for all who print or take such text: MLIR's pass manager
 * (options in {...}, separated by blanks), LLVM's (in <...>, separated by
 * semicolons), and plain lists of names.  Pure: text in, items out.
 * Grammar: "Textual Pass Pipeline Specification" of MLIR's pass
 * infrastructure; values are taken as they stand, brackets and quotes in
 * pairs. */
#ifndef CUL_PIPELINE_PIPELINE_H
#define CUL_PIPELINE_PIPELINE_H

#include "../base/buf.h"

#define CUL_PIPE_NONE UINT32_MAX

enum cul_pipe_kind {
  CUL_PIPE_PASS,   /* a name; its options are the items below it */
  CUL_PIPE_NEST,   /* name(...): an anchor, a pass with passes in it */
  CUL_PIPE_OPTION, /* key or key=value */
};

/* One thing that can be left out.  Items stand in the order of the text, each
 * before those inside it. */
struct cul_pipe_item {
  enum cul_pipe_kind kind;
  size_t from, name_to, to; /* bytes of the text: the name, the whole */
  uint32_t parent;          /* the item around it, or CUL_PIPE_NONE */
  char bracket;             /* of its options: '{', '<', or 0 for none */
};

struct cul_pipeline {
  struct cul_bytes text; /* borrowed */
  bool options;          /* the top level is a list of options, no passes */
  struct cul_pipe_item *items;
  size_t n, cap;
};

/* Read text as a list of passes.  false: it is none (out is empty, and needs
 * no release).  text is borrowed while out lives. */
bool cul_pipeline_read(struct cul_bytes text, struct cul_pipeline *out);
/* Read text as a list of options, as in --pass="a=1 b=2". */
bool cul_pipeline_read_options(struct cul_bytes text, struct cul_pipeline *out);
/* Append the text without the items marked in gone (n of them, by index) and
 * all inside these.  What stays is written as it stood, blanks between items
 * apart.  An anchor without passes goes too, as no tool takes one, but for the
 * outermost: name(). */
void cul_pipeline_write(const struct cul_pipeline *pipeline, const bool *gone,
                        struct cul_buf *out);
/* The name of an item, borrowed. */
struct cul_bytes cul_pipeline_name(const struct cul_pipeline *pipeline,
                                   uint32_t item);
void cul_pipeline_release(struct cul_pipeline *pipeline);

#endif
