/* A command line as something to reduce: which of its arguments, which passes
 * and options inside them, can be left out.
 *
 * The program and what holds a placeholder always stay; where output goes
 * (-o) is an item of its own kind.  An argument's value is read as pipeline
 * text where it looks so (pipeline.h): --pass-pipeline=..., -passes=...,
 * --pass="a=1 b=2", lists. A command typed for a shell (bash -c '...') is read
 * too: the flags of the simple command that holds @@ can go, all else stays.
 * Pure. */
#ifndef CUL_PIPELINE_ARGUMENTS_H
#define CUL_PIPELINE_ARGUMENTS_H

#include "pipeline.h"

enum cul_argument_kind {
  CUL_ARG_FLAG,   /* starts with a dash; its value goes with it */
  CUL_ARG_VALUE,  /* the argument behind such a one, or one of its own */
  CUL_ARG_ITEM,   /* inside a value: see item */
  CUL_ARG_OUTPUT, /* -o FILE: without it a tool may write elsewhere */
};

/* One thing that can be left out; those around it stand before it. */
struct cul_argument {
  enum cul_argument_kind kind;
  uint32_t word;   /* index of the word it is (in) */
  uint32_t item;   /* ITEM: index into the word's pipeline */
  uint32_t parent; /* what goes with it when it goes, or CUL_PIPE_NONE */
};

/* A word of the command: an argument, or a part of a shell's string. */
struct cul_word {
  uint32_t arg;                /* index into argv */
  size_t from, to;             /* its bytes there, quotes included */
  size_t value_from, value_to; /* of these, the value: behind "=", in quotes */
  size_t cut_from, cut_to;     /* with them: what goes with all of the value */
  struct cul_pipeline list;    /* the value's items; n may be 0 */
};

struct cul_arguments {
  const char *const *argv; /* borrowed */
  struct cul_word *words;
  size_t n_words;
  struct cul_argument *items;
  size_t n;
  size_t append_at; /* of argv: the shell string that arguments are added to;
                       0: they are arguments of their own */
  bool simple;      /* one program alone: no pipe, no list of commands */
};

/* argv: NULL terminated; borrowed while out lives. */
void cul_arguments_read(const char *const *argv, struct cul_arguments *out);
void cul_arguments_release(struct cul_arguments *args);

/* Mark in gone (args->n of them) all that hangs on what is marked. */
void cul_arguments_spread(const struct cul_arguments *args, bool *gone);
/* The argv without the items marked in gone; then the words of more (NULL
 * terminated, may be NULL), which stand as they are in a shell's string.  A
 * flag that goes leaves its value, unless that is marked too.  Heap, one
 * block; caller frees. */
char **cul_arguments_write(const struct cul_arguments *args, const bool *gone,
                           const char *const *more);
/* The name of an item: a flag without dashes and value, a pass, an option.
 * Borrowed. */
struct cul_bytes cul_arguments_name(const struct cul_arguments *args,
                                    uint32_t item);
/* Is it a pass of a pipeline text: of an argument called pipeline, or passes?
 * Those inside a pass that is one stand for it. */
bool cul_arguments_is_pass(const struct cul_arguments *args, uint32_t item);
/* Is there a flag of this name (without dashes)? */
bool cul_arguments_has(const struct cul_arguments *args, const char *flag);

#endif
