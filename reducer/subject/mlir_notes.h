/* Which operations were edited since the sheet was last right.
 *
 * The linker puts functions of mlir_notes.c before every function of the C API
 * that changes a module (--wrap, by the list in that file; a test goes through
 * all that are called).  So no mutation can forget to say what it did.  What a
 * call may change in more places than are worth noting makes the notes useless:
 * then everything is looked at. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_NOTES_H
#define CUL_REDUCER_SUBJECT_MLIR_NOTES_H

#include <mlir-c/IR.h>
#include <stdbool.h>
#include <stddef.h>

enum cul_note_kind {
  CUL_NOTE_CHANGED, /* op: in itself, or in the arguments of its first block */
  CUL_NOTE_PLACED,  /* op, with all inside it, was put where it is now */
  CUL_NOTE_LEFT     /* op stood in block, and does not, or elsewhere */
};

/* op and block may be out of the module by now; they are never freed. */
struct cul_note {
  enum cul_note_kind kind;
  MlirOperation op;
  MlirBlock block;
};

/* Forget all; from now on edits of modules of this context are noted, and of no
 * others. */
void cul_notes_begin(MlirContext context);
/* What was edited since, in order; false: unknown.  Borrowed until the next
 * edit. */
bool cul_notes_get(MlirContext context, const struct cul_note **notes,
                   size_t *n);
/* The context goes. */
void cul_notes_end(MlirContext context);

#endif
