/* Repros that a log carries: an MLIR crash reproducer, the IR that a pass
 * failed on, an nvFuser definition, PTX that ptxas refused, the command of a
 * crash.  Pure: text in, texts out; only the input of a crashed command is
 * read from disk.
 *
 * A log is what a console or a CI service kept: colours, time stamps and one
 * prefix in front of each line ("[rank0]: ", a quote) are taken off. */
#ifndef CUL_SYSTEMS_LOG_H
#define CUL_SYSTEMS_LOG_H

#include "../base/buf.h"

struct cul_log {
  struct cul_buf text;     /* as cleaned; every line ends in '\n' */
  struct cul_bytes *lines; /* of text, without their ends; heap */
  size_t n;
  const char *dir; /* the log's directory: where its files may lie; borrowed */
};

/* One repro, as a file that can be run.  All strings are on the heap. */
struct cul_log_repro {
  const char *kind; /* static: what it is, for people */
  char *name;       /* of the file to write: "repro.mlir", "segment-8.py" */
  struct cul_buf text;
  char **argv; /* what runs it, "@@" is the file; NULL terminated */
  char *why;   /* the log's own words on the failure; "" = none */
  char *fault; /* NULL: whole; else what it lacks, and what to do */
  size_t line; /* of the log, from 1: where the text starts */
};

struct cul_log_repros {
  struct cul_log_repro *items;
  size_t n;
};

/* One kind of repro: a file log_NAME.c, a line READER(NAME) in list.h. */
struct cul_log_reader {
  const char *kind;
  /* What makes tools print it, where the log has none: one clause. */
  const char *advice;
  /* Ask only where no reader before it found anything. */
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
/* One line per reader: what to ask the tools for; for a log without any. */
void cul_log_advice(struct cul_buf *out);

/* --- for the readers ---------------------------------------------------- */

/* The lines of one print, which all have the same bytes in front. */
struct cul_log_block {
  const struct cul_log *log;
  struct cul_bytes prefix;
};

/* The block of the print that line i belongs to, whose own text starts at
 * column. */
struct cul_log_block cul_log_block(const struct cul_log *log, size_t i,
                                   size_t column);
/* Line i without the prefix; false where it is not of the block, or past the
 * end.  (i may be SIZE_MAX: a step before the first line.) */
bool cul_log_line(const struct cul_log_block *block, size_t i,
                  struct cul_bytes *out);
/* Append lines from..to, to included, each with its '\n'. */
void cul_log_lines(const struct cul_log_block *block, size_t from, size_t to,
                   struct cul_buf *out);

bool cul_bytes_starts(struct cul_bytes text, const char *with);
/* The position of word in text; text.len where there is none. */
size_t cul_bytes_find(struct cul_bytes text, const char *word);
/* A line without blanks at both ends, on the heap. */
char *cul_log_words(struct cul_bytes line);
/* Brackets that text opens and does not close, outside strings and comments of
 * MLIR; negative: closed too often. */
int cul_log_open_brackets(struct cul_bytes text);
/* A copy of argv (NULL terminated) as one that a repro owns. */
char **cul_log_argv(const char *const *argv);

/* Take the repro (its memory moves); one with the text of another is
 * dropped. */
void cul_log_add(struct cul_log_repros *repros, struct cul_log_repro *repro);

#endif
