/* Reading the {-# ... #-} section of an MLIR file, as text ("File metadata
 * dictionary" of the MLIR language reference).  No MLIR is needed. */
#ifndef CUL_PIPELINE_SECTION_H
#define CUL_PIPELINE_SECTION_H

#include "../base/buf.h"

/* Position of mark in text outside strings and comments, from at on; text.len
 * if there is none. */
size_t cul_section_find(struct cul_bytes text, size_t at, const char *mark);

/* Walks the entries of a dictionary. */
struct cul_section_reader {
  struct cul_bytes text; /* starts after the opening bracket */
  size_t at;
};
/* Read `key :`; false at the end of the dictionary.  The value follows. */
bool cul_section_key(struct cul_section_reader *reader, struct cul_bytes *key);
/* Read a value: a string, a word, or a balanced {...} or [...]; borrowed. */
struct cul_bytes cul_section_value(struct cul_section_reader *reader);

#endif
