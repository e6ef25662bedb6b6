/* The parts of a command line that a reduction can leave out: arguments, and
 * passes and options inside them.
 *
 * The program and arguments with placeholders always stay; the output file (-o)
 * is a separate kind of item.  An argument's value is parsed as pipeline text
 * (pipeline.h) if it looks like that: --pass-pipeline=..., -passes=...,
 * --pass="a=1 b=2", lists.  A shell command (bash -c '...') is parsed, too: the
 * flags of the simple command that contains @@ can be left out, all else
 * stays.  Pure. */
#ifndef CUL_PIPELINE_ARGUMENTS_H
#define CUL_PIPELINE_ARGUMENTS_H

#include "pipeline.h"

enum cul_argument_kind {
  CUL_ARG_FLAG,   /* starts with a dash; removed together with its value */
  CUL_ARG_VALUE,  /* the argument after a flag, or a separate one */
  CUL_ARG_ITEM,   /* inside a value: see item */
  CUL_ARG_OUTPUT, /* -o FILE: without it a tool may write elsewhere */
};

/* An item that can be left out; enclosing items precede it. */
struct cul_argument {
  enum cul_argument_kind kind;
  uint32_t word;   /* index of the word that is or contains the item */
  uint32_t item;   /* ITEM: index into the word's pipeline */
  uint32_t parent; /* item whose removal removes this one, or CUL_PIPE_NONE */
};

/* A word of the command: an argument, or a part of a shell's string. */
struct cul_word {
  uint32_t arg;    /* index into argv */
  size_t from, to; /* its bytes there, quotes included */
  /* the bytes of the value: after "=", inside quotes */
  size_t value_from, value_to;
  size_t cut_from, cut_to;  /* bytes removed together with the whole value */
  struct cul_pipeline list; /* the value's items; n may be 0 */
};

struct cul_arguments {
  const char *const *argv; /* borrowed */
  struct cul_word *words;
  size_t n_words;
  struct cul_argument *items;
  size_t n;
  size_t append_at; /* index in argv of the shell string to which arguments are
                       appended; 0: append to argv */
  bool simple;      /* a single program: no pipe, no list of commands */
};

/* The program of the command as the user gave it: that of a command that
 * --within wraps follows its own script. */
const char *cul_arguments_program(const char *const *argv);

/* argv: NULL terminated; borrowed while out lives. */
void cul_arguments_read(const char *const *argv, struct cul_arguments *out);
void cul_arguments_release(struct cul_arguments *args);

/* Mark in gone (args->n of them) all items that depend on a marked one. */
void cul_arguments_spread(const struct cul_arguments *args, bool *gone);
/* The argv without the items marked in gone; then the words of more (NULL
 * terminated, may be NULL), which are inserted unquoted into a shell string.  A
 * removed flag leaves its value, unless that is marked too.  Heap, one block;
 * caller frees. */
char **cul_arguments_write(const struct cul_arguments *args, const bool *gone,
                           const char *const *more);
/* The name of an item: a flag without dashes and value, a pass, an option.
 * Borrowed. */
struct cul_bytes cul_arguments_name(const struct cul_arguments *args,
                                    uint32_t item);
/* Is the item a pass of a pipeline text, that is, of an argument called
 * pipeline or passes?  False for a pass that contains others: those inside
 * count. */
bool cul_arguments_is_pass(const struct cul_arguments *args, uint32_t item);
/* Is there a flag of this name (without dashes)? */
bool cul_arguments_has(const struct cul_arguments *args, const char *flag);

#endif
