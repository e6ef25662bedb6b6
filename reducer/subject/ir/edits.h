/* Every edit of a module, and notes of what was edited since the text of its
 * operations was last right (../print/cache.h).
 *
 * Nobody else calls the functions of the C API that change a module
 * (tests/lint/edits.sh), so no mutation can forget to say what it did.  What a
 * call may change in more places than are worth noting makes the notes useless:
 * then everything is looked at.
 *
 * Each function does what its namesake of the C API does, named behind it, with
 * the same ownership; it is safe on operations of no module and of others. */
#ifndef CUL_REDUCER_SUBJECT_IR_EDITS_H
#define CUL_REDUCER_SUBJECT_IR_EDITS_H

#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>
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

/* ---- operations ---- */

/* cul_edit_set_operand */
void cul_edit_set_operand(MlirOperation op, intptr_t at, MlirValue value);
/* cul_edit_set_operands */
void cul_edit_set_operands(MlirOperation op, intptr_t n,
                           const MlirValue *values);
/* cul_edit_set_successor */
void cul_edit_set_successor(MlirOperation op, intptr_t at, MlirBlock block);
/* cul_edit_set_attribute */
void cul_edit_set_attribute(MlirOperation op, MlirStringRef name,
                            MlirAttribute attr);
/* cul_edit_set_inherent */
void cul_edit_set_inherent(MlirOperation op, MlirStringRef name,
                           MlirAttribute attr);
/* cul_edit_set_discardable */
void cul_edit_set_discardable(MlirOperation op, MlirStringRef name,
                              MlirAttribute attr);
/* cul_edit_remove_discardable */
bool cul_edit_remove_discardable(MlirOperation op, MlirStringRef name);
/* cul_edit_set_location */
void cul_edit_set_location(MlirOperation op, MlirLocation to);
/* cul_edit_unlink */
void cul_edit_unlink(MlirOperation op);
/* cul_edit_move_before */
void cul_edit_move_before(MlirOperation op, MlirOperation other);
/* cul_edit_move_after */
void cul_edit_move_after(MlirOperation op, MlirOperation other);
/* cul_edit_destroy */
void cul_edit_destroy(MlirOperation op);
/* ---- blocks, regions ---- */

/* cul_edit_append */
void cul_edit_append(MlirBlock block, MlirOperation op);
/* cul_edit_insert_at */
void cul_edit_insert_at(MlirBlock block, intptr_t at, MlirOperation op);
/* cul_edit_insert_before */
void cul_edit_insert_before(MlirBlock block, MlirOperation other,
                            MlirOperation op);
/* cul_edit_insert_after */
void cul_edit_insert_after(MlirBlock block, MlirOperation other,
                           MlirOperation op);
/* cul_edit_erase_argument */
void cul_edit_erase_argument(MlirBlock block, unsigned at);
/* cul_edit_add_argument */
MlirValue cul_edit_add_argument(MlirBlock block, MlirType type,
                                MlirLocation location);
/* cul_edit_insert_argument */
MlirValue cul_edit_insert_argument(MlirBlock block, intptr_t at, MlirType type,
                                   MlirLocation location);
/* cul_edit_detach_block */
void cul_edit_detach_block(MlirBlock block);
/* cul_edit_append_block */
void cul_edit_append_block(MlirRegion region, MlirBlock block);
/* cul_edit_take_body */
void cul_edit_take_body(MlirRegion target, MlirRegion source);
/* cul_edit_destroy_region */
void cul_edit_destroy_region(MlirRegion region);
/* ---- values ---- */

/* cul_edit_set_type */
void cul_edit_set_type(MlirValue value, MlirType type);
/* cul_edit_set_argument_location */
void cul_edit_set_argument_location(MlirValue argument, MlirLocation location);
/* cul_edit_replace_uses */
void cul_edit_replace_uses(MlirValue value, MlirValue with);
/* ---- modules ---- */

/* cul_edit_run_passes */
MlirLogicalResult cul_edit_run_passes(MlirPassManager manager,
                                      MlirOperation op);
/* cul_edit_destroy_module */
void cul_edit_destroy_module(MlirModule module);

#endif
