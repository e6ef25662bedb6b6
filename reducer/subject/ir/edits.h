/* All functions that edit a module, and the notes of edits since the cached
 * texts of its operations were last correct (../print/cache.h).
 *
 * No other file calls the functions of the C API that change a module
 * (tests/lint/tables.sh), so no mutation can forget to note an edit.  A call
 * that may change too many places makes the notes incomplete; the cache then
 * checks every operation.
 *
 * Each function does the same as the function of the C API that its comment
 * names, with the same ownership.  It may be called for operations that are in
 * no module, or in another one. */
#ifndef CUL_REDUCER_SUBJECT_IR_EDITS_H
#define CUL_REDUCER_SUBJECT_IR_EDITS_H

#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>
#include <stdbool.h>
#include <stddef.h>

enum cul_note_kind {
  /* op itself was changed, or the arguments of its first block */
  CUL_NOTE_CHANGED,
  CUL_NOTE_PLACED, /* op, with everything inside it, was put where it is now */
  CUL_NOTE_LEFT    /* op was taken out of block, perhaps to another place */
};

/* op and block may no longer be in the module, but are never freed. */
struct cul_note {
  enum cul_note_kind kind;
  MlirOperation op;
  MlirBlock block;
};

/* Forget all notes; from now on, note the edits of modules of this context, and
 * of no others. */
void cul_notes_begin(MlirContext context);
/* The notes since then, in order; false: they are incomplete.  Borrowed until
 * the next edit. */
bool cul_notes_get(MlirContext context, const struct cul_note **notes,
                   size_t *n);
/* Free the notes; the context is about to be destroyed. */
void cul_notes_end(MlirContext context);

/* ---- operations ---- */

/* mlirOperationSetOperand */
void cul_edit_set_operand(MlirOperation op, intptr_t at, MlirValue value);
/* mlirOperationSetOperands */
void cul_edit_set_operands(MlirOperation op, intptr_t n,
                           const MlirValue *values);
/* mlirOperationSetSuccessor */
void cul_edit_set_successor(MlirOperation op, intptr_t at, MlirBlock block);
/* mlirOperationSetAttributeByName */
void cul_edit_set_attribute(MlirOperation op, MlirStringRef name,
                            MlirAttribute attr);
/* mlirOperationSetInherentAttributeByName */
void cul_edit_set_inherent(MlirOperation op, MlirStringRef name,
                           MlirAttribute attr);
/* mlirOperationSetDiscardableAttributeByName */
void cul_edit_set_discardable(MlirOperation op, MlirStringRef name,
                              MlirAttribute attr);
/* mlirOperationRemoveDiscardableAttributeByName */
bool cul_edit_remove_discardable(MlirOperation op, MlirStringRef name);
/* mlirOperationSetLocation */
void cul_edit_set_location(MlirOperation op, MlirLocation to);
/* mlirOperationRemoveFromParent */
void cul_edit_unlink(MlirOperation op);
/* mlirOperationMoveBefore */
void cul_edit_move_before(MlirOperation op, MlirOperation other);
/* mlirOperationMoveAfter */
void cul_edit_move_after(MlirOperation op, MlirOperation other);
/* mlirOperationDestroy */
void cul_edit_destroy(MlirOperation op);
/* ---- blocks, regions ---- */

/* mlirBlockAppendOwnedOperation */
void cul_edit_append(MlirBlock block, MlirOperation op);
/* mlirBlockInsertOwnedOperation */
void cul_edit_insert_at(MlirBlock block, intptr_t at, MlirOperation op);
/* mlirBlockInsertOwnedOperationBefore */
void cul_edit_insert_before(MlirBlock block, MlirOperation other,
                            MlirOperation op);
/* mlirBlockInsertOwnedOperationAfter */
void cul_edit_insert_after(MlirBlock block, MlirOperation other,
                           MlirOperation op);
/* mlirBlockEraseArgument */
void cul_edit_erase_argument(MlirBlock block, unsigned at);
/* mlirBlockAddArgument */
MlirValue cul_edit_add_argument(MlirBlock block, MlirType type,
                                MlirLocation location);
/* mlirBlockInsertArgument */
MlirValue cul_edit_insert_argument(MlirBlock block, intptr_t at, MlirType type,
                                   MlirLocation location);
/* mlirBlockDetach */
void cul_edit_detach_block(MlirBlock block);
/* mlirRegionAppendOwnedBlock */
void cul_edit_append_block(MlirRegion region, MlirBlock block);
/* mlirRegionTakeBody */
void cul_edit_take_body(MlirRegion target, MlirRegion source);
/* mlirRegionDestroy */
void cul_edit_destroy_region(MlirRegion region);
/* ---- values ---- */

/* mlirValueSetType */
void cul_edit_set_type(MlirValue value, MlirType type);
/* mlirBlockArgumentSetLocation */
void cul_edit_set_argument_location(MlirValue argument, MlirLocation location);
/* mlirValueReplaceAllUsesOfWith */
void cul_edit_replace_uses(MlirValue value, MlirValue with);
/* ---- modules ---- */

/* mlirPassManagerRunOnOp */
MlirLogicalResult cul_edit_run_passes(MlirPassManager manager,
                                      MlirOperation op);
/* mlirModuleDestroy */
void cul_edit_destroy_module(MlirModule module);

#endif
