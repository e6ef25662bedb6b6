/* Extracts repros from a log: an MLIR crash reproducer, the IR that a pass
 * failed on, an nvFuser definition, PTX that ptxas refused, the command of a
 * crash.  Pure, except that the input of a crashed command is read from disk.
 *
 * A log is the text kept by a console or a CI service: colours, time stamps and
 * one prefix of each line ("[rank0]: ", a quote) are removed. */
#ifndef CUL_SYSTEMS_LOG_H
#define CUL_SYSTEMS_LOG_H

#include "../base/buf.h"

struct cul_log {
  struct cul_buf text;     /* cleaned text; every line ends in '\n' */
  struct cul_bytes *lines; /* of text, without their ends; heap */
  size_t n;
  const char *dir; /* the log's directory, where its files may be; borrowed */
};

/* One repro, as a file that can be run.  Strings are on the heap, except
 * kind. */
struct cul_log_repro {
  const char *kind; /* static: a name of its kind for people */
  char *name; /* name of the file to write: "repro.mlir", "segment-8.py" */
  struct cul_buf text;
  char **argv; /* command that runs it, "@@" is the file; NULL terminated */
  /* static: a file of culprit (cul_own_file), named by argv[1], to be copied to
   * the directory of the repro; NULL = none */
  const char *helper;
  char *why;   /* the log's description of the failure; "" = none */
  char *fault; /* NULL: complete; else the missing part, and advice */
  size_t line; /* line of the log, from 1, at which the text starts */
};

struct cul_log_repros {
  struct cul_log_repro *items;
  size_t n;
};

/* One kind of repro: a line READER(NAME) in list.h. */
struct cul_log_reader {
  const char *kind;
  /* How to make tools print such a repro, in one clause. */
  const char *advice;
  /* Used only if no earlier reader found anything. */
  bool fallback;
  void (*read)(const struct cul_log *log, struct cul_log_repros *out);
};

/* Clean the text of a log.  dir: see struct cul_log. */
void cul_log_read(struct cul_bytes text, const char *dir, struct cul_log *out);
void cul_log_release(struct cul_log *log);

/* All repros of the log, in the order of the readers, each kind in the order
 * of the log; equal texts once. */
void cul_log_find(const struct cul_log *log, struct cul_log_repros *out);
void cul_log_repros_release(struct cul_log_repros *repros);
/* Append the advice of each reader, one per line, for a log without repros. */
void cul_log_advice(struct cul_buf *out);

/* --- for the readers ---------------------------------------------------- */

/* The lines of one print, which all have the same prefix. */
struct cul_log_block {
  const struct cul_log *log;
  struct cul_bytes prefix;
};

/* The block of the print that contains line i; the print's own text starts at
 * column. */
struct cul_log_block cul_log_block(const struct cul_log *log, size_t i,
                                   size_t column);
/* Line i without the prefix; false if it is not in the block, or after the
 * end.  (i may be SIZE_MAX: a step before the first line.) */
bool cul_log_line(const struct cul_log_block *block, size_t i,
                  struct cul_bytes *out);
/* Append lines from..to, including to, each with its '\n'. */
void cul_log_lines(const struct cul_log_block *block, size_t from, size_t to,
                   struct cul_buf *out);

/* The position of word in text; text.len if there is none. */
size_t cul_bytes_find(struct cul_bytes text, const char *word);
/* A line without blanks at both ends, on the heap. */
char *cul_log_words(struct cul_bytes line);
/* The number of brackets that text opens and does not close, outside MLIR
 * strings and comments; negative: more are closed than opened. */
int cul_log_open_brackets(struct cul_bytes text);
/* Split a command line into words; a word with blanks or quotes may be quoted
 * as LLVM does ("...", with \ before ", \ and $).  Heap, NULL terminated, one
 * block. */
char **cul_log_split(struct cul_bytes line);
/* A copy of argv (NULL terminated) for a repro to own. */
char **cul_log_argv(const char *const *argv);

/* Add a repro, taking over its memory; a duplicate text is dropped. */
void cul_log_add(struct cul_log_repros *repros, struct cul_log_repro *repro);

#endif
