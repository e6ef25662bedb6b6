/* Edits of a module, and notes of them: see edits.h. */
#include "edits.h"

#include <mlir-c/Pass.h>
#include <stdlib.h>

#include "../../../base/buf.h"

/* With more notes, checking every operation is as fast. */
enum { MOST = 4096 };

/* Handles of the C API have no room for the notes, so they are a global: one
 * process edits one module. */
static struct {
  const void *context; /* NULL: nothing is noted */
  struct cul_note *notes;
  size_t n, cap;
  bool unknown;
} journal;

void cul_notes_begin(MlirContext context) {
  journal.context = context.ptr;
  journal.n = 0;
  journal.unknown = false;
}

bool cul_notes_get(MlirContext context, const struct cul_note **notes,
                   size_t *n) {
  *notes = journal.notes;
  *n = journal.n;
  return journal.context == context.ptr && !journal.unknown;
}

void cul_notes_end(MlirContext context) {
  if (journal.context != context.ptr)
    return;
  free(journal.notes);
  journal.notes = NULL;
  journal.context = NULL;
  journal.n = journal.cap = 0;
}

static void lose(void) {
  journal.unknown = true;
  journal.n = 0;
}

static void add(enum cul_note_kind kind, MlirOperation op, MlirBlock block) {
  if (journal.unknown)
    return;
  if (journal.n == MOST) {
    lose();
    return;
  }
  if (journal.n == journal.cap) {
    journal.cap = journal.cap ? 2 * journal.cap : 64;
    journal.notes =
        cul_xreallocarray(journal.notes, journal.cap, sizeof *journal.notes);
  }
  journal.notes[journal.n++] = (struct cul_note){kind, op, block};
}

static bool is_noted(MlirOperation op) {
  return journal.context && op.ptr && !journal.unknown &&
         mlirOperationGetContext(op).ptr == journal.context;
}

static void changed(MlirOperation op) {
  if (is_noted(op))
    add(CUL_NOTE_CHANGED, op, (MlirBlock){NULL});
}

static void placed(MlirOperation op) {
  if (is_noted(op))
    add(CUL_NOTE_PLACED, op, mlirOperationGetBlock(op));
}

/* Call before op leaves its block. */
static void leaves(MlirOperation op) {
  MlirBlock block;
  if (!is_noted(op))
    return;
  block = mlirOperationGetBlock(op);
  if (block.ptr)
    add(CUL_NOTE_LEFT, op, block);
}

/* The cache keeps the arguments of an operation's first block with the
 * operation, and those of later blocks nowhere: a change of these loses the
 * notes. */
static void arguments_changed(MlirBlock block) {
  MlirRegion region = mlirBlockGetParentRegion(block);
  MlirOperation owner = {NULL};
  if (region.ptr)
    owner = mlirBlockGetParentOperation(block);
  if (!is_noted(owner))
    return;
  if (mlirRegionGetFirstBlock(region).ptr == block.ptr)
    changed(owner);
  else
    lose();
}

static void users_changed(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    changed(mlirOpOperandGetOwner(use));
}

/* ---- operations ---- */

void cul_edit_set_operand(MlirOperation op, intptr_t at, MlirValue value) {
  changed(op);
  mlirOperationSetOperand(op, at, value);
}

void cul_edit_set_operands(MlirOperation op, intptr_t n,
                           const MlirValue *values) {
  changed(op);
  mlirOperationSetOperands(op, n, values);
}

void cul_edit_set_successor(MlirOperation op, intptr_t at, MlirBlock block) {
  changed(op);
  mlirOperationSetSuccessor(op, at, block);
}

void cul_edit_set_attribute(MlirOperation op, MlirStringRef name,
                            MlirAttribute attr) {
  changed(op);
  mlirOperationSetAttributeByName(op, name, attr);
}

void cul_edit_set_inherent(MlirOperation op, MlirStringRef name,
                           MlirAttribute attr) {
  changed(op);
  mlirOperationSetInherentAttributeByName(op, name, attr);
}

void cul_edit_set_discardable(MlirOperation op, MlirStringRef name,
                              MlirAttribute attr) {
  changed(op);
  mlirOperationSetDiscardableAttributeByName(op, name, attr);
}

bool cul_edit_remove_discardable(MlirOperation op, MlirStringRef name) {
  changed(op);
  return mlirOperationRemoveDiscardableAttributeByName(op, name);
}

void cul_edit_set_location(MlirOperation op, MlirLocation to) {
  changed(op);
#if CUL_MLIR_MAJOR >= 22 /* see compat.h */
  mlirOperationSetLocation(op, to);
#else
  (void)to;
#endif
}

void cul_edit_unlink(MlirOperation op) {
  leaves(op);
  mlirOperationRemoveFromParent(op);
}

void cul_edit_move_before(MlirOperation op, MlirOperation other) {
  leaves(op);
  mlirOperationMoveBefore(op, other);
  placed(op);
}

void cul_edit_move_after(MlirOperation op, MlirOperation other) {
  leaves(op);
  mlirOperationMoveAfter(op, other);
  placed(op);
}

/* Destroy op, which usually is a trial copy, and remove the notes that point to
 * it. */
void cul_edit_destroy(MlirOperation op) {
  size_t kept = 0;
  leaves(op);
  if (is_noted(op) && mlirOperationGetNumRegions(op) > 0 && journal.n > 0)
    lose();
  for (size_t i = 0; i < journal.n; i++) {
    const struct cul_note *note = &journal.notes[i];
    if (note->op.ptr != op.ptr)
      journal.notes[kept++] = *note;
    else if (note->kind == CUL_NOTE_LEFT)
      lose();
  }
  journal.n = journal.unknown ? 0 : kept;
  mlirOperationDestroy(op);
}

/* ---- blocks, regions ---- */

void cul_edit_append(MlirBlock block, MlirOperation op) {
  mlirBlockAppendOwnedOperation(block, op);
  placed(op);
}

void cul_edit_insert_at(MlirBlock block, intptr_t at, MlirOperation op) {
  mlirBlockInsertOwnedOperation(block, at, op);
  placed(op);
}

void cul_edit_insert_before(MlirBlock block, MlirOperation other,
                            MlirOperation op) {
  mlirBlockInsertOwnedOperationBefore(block, other, op);
  placed(op);
}

void cul_edit_insert_after(MlirBlock block, MlirOperation other,
                           MlirOperation op) {
  mlirBlockInsertOwnedOperationAfter(block, other, op);
  placed(op);
}

void cul_edit_erase_argument(MlirBlock block, unsigned at) {
  arguments_changed(block);
  mlirBlockEraseArgument(block, at);
}

MlirValue cul_edit_add_argument(MlirBlock block, MlirType type,
                                MlirLocation location) {
  arguments_changed(block);
  return mlirBlockAddArgument(block, type, location);
}

MlirValue cul_edit_insert_argument(MlirBlock block, intptr_t at, MlirType type,
                                   MlirLocation location) {
  arguments_changed(block);
  return mlirBlockInsertArgument(block, at, type, location);
}

void cul_edit_detach_block(MlirBlock block) {
  lose();
  mlirBlockDetach(block);
}

void cul_edit_append_block(MlirRegion region, MlirBlock block) {
  lose();
  mlirRegionAppendOwnedBlock(region, block);
}

void cul_edit_take_body(MlirRegion target, MlirRegion source) {
  lose();
  mlirRegionTakeBody(target, source);
}

void cul_edit_destroy_region(MlirRegion region) {
  lose();
  mlirRegionDestroy(region);
}

/* ---- values ---- */

void cul_edit_set_type(MlirValue value, MlirType type) {
  if (mlirValueIsABlockArgument(value))
    arguments_changed(mlirBlockArgumentGetOwner(value));
  else
    changed(mlirOpResultGetOwner(value));
  users_changed(value);
  mlirValueSetType(value, type);
}

void cul_edit_set_argument_location(MlirValue argument, MlirLocation location) {
  arguments_changed(mlirBlockArgumentGetOwner(argument));
#if CUL_MLIR_MAJOR >= 22 /* see compat.h */
  mlirBlockArgumentSetLocation(argument, location);
#else
  (void)location;
#endif
}

void cul_edit_replace_uses(MlirValue value, MlirValue with) {
  users_changed(value);
  mlirValueReplaceAllUsesOfWith(value, with);
}

/* ---- modules ---- */

MlirLogicalResult cul_edit_run_passes(MlirPassManager manager,
                                      MlirOperation op) {
  lose();
  return mlirPassManagerRunOnOp(manager, op);
}

/* The notes are lost, because they may point to operations of the module. */
void cul_edit_destroy_module(MlirModule module) {
  if (journal.n > 0)
    lose();
  mlirModuleDestroy(module);
}
