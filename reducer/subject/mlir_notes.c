/* Functions that the linker puts before those of the C API: see mlir_notes.h.
 *
 * The build reads the names off the lines that begin with WRAP. */
#include "mlir_notes.h"

#include <mlir-c/Pass.h>
#include <stdlib.h>

#include "../../base/buf.h"

/* More are not worth having: all is looked at then. */
enum { MOST = 4096 };

/* A callee of the C API has no argument for it.  One module is edited in a
 * process. */
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

/* Before it goes. */
static void leaves(MlirOperation op) {
  MlirBlock block;
  if (!is_noted(op))
    return;
  block = mlirOperationGetBlock(op);
  if (block.ptr)
    add(CUL_NOTE_LEFT, op, block);
}

/* What the arguments of a later block are is told by no operation. */
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

/* The name of a function, its parameters, then what stands before it.  The
 * linker gives real its own name back. */
#define WRAP(type, name, parameters)                                           \
  type __real_##name parameters;                                               \
  type __wrap_##name parameters;                                               \
  type __wrap_##name parameters

/* ---- operations ---- */

WRAP(void, mlirOperationSetOperand,
     (MlirOperation op, intptr_t at, MlirValue value)) {
  changed(op);
  __real_mlirOperationSetOperand(op, at, value);
}

WRAP(void, mlirOperationSetOperands,
     (MlirOperation op, intptr_t n, const MlirValue *values)) {
  changed(op);
  __real_mlirOperationSetOperands(op, n, values);
}

WRAP(void, mlirOperationSetSuccessor,
     (MlirOperation op, intptr_t at, MlirBlock block)) {
  changed(op);
  __real_mlirOperationSetSuccessor(op, at, block);
}

WRAP(void, mlirOperationSetAttributeByName,
     (MlirOperation op, MlirStringRef name, MlirAttribute attr)) {
  changed(op);
  __real_mlirOperationSetAttributeByName(op, name, attr);
}

WRAP(void, mlirOperationSetInherentAttributeByName,
     (MlirOperation op, MlirStringRef name, MlirAttribute attr)) {
  changed(op);
  __real_mlirOperationSetInherentAttributeByName(op, name, attr);
}

WRAP(void, mlirOperationSetDiscardableAttributeByName,
     (MlirOperation op, MlirStringRef name, MlirAttribute attr)) {
  changed(op);
  __real_mlirOperationSetDiscardableAttributeByName(op, name, attr);
}

WRAP(bool, mlirOperationRemoveDiscardableAttributeByName,
     (MlirOperation op, MlirStringRef name)) {
  changed(op);
  return __real_mlirOperationRemoveDiscardableAttributeByName(op, name);
}

WRAP(void, mlirOperationSetLocation, (MlirOperation op, MlirLocation to)) {
  changed(op);
  __real_mlirOperationSetLocation(op, to);
}

WRAP(void, mlirOperationRemoveFromParent, (MlirOperation op)) {
  leaves(op);
  __real_mlirOperationRemoveFromParent(op);
}

WRAP(void, mlirOperationMoveBefore, (MlirOperation op, MlirOperation other)) {
  leaves(op);
  __real_mlirOperationMoveBefore(op, other);
  placed(op);
}

WRAP(void, mlirOperationMoveAfter, (MlirOperation op, MlirOperation other)) {
  leaves(op);
  __real_mlirOperationMoveAfter(op, other);
  placed(op);
}

/* A trial copy, mostly; notes must not lead to it. */
WRAP(void, mlirOperationDestroy, (MlirOperation op)) {
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
  __real_mlirOperationDestroy(op);
}

/* ---- blocks, regions ---- */

WRAP(void, mlirBlockAppendOwnedOperation, (MlirBlock block, MlirOperation op)) {
  __real_mlirBlockAppendOwnedOperation(block, op);
  placed(op);
}

WRAP(void, mlirBlockInsertOwnedOperation,
     (MlirBlock block, intptr_t at, MlirOperation op)) {
  __real_mlirBlockInsertOwnedOperation(block, at, op);
  placed(op);
}

WRAP(void, mlirBlockInsertOwnedOperationBefore,
     (MlirBlock block, MlirOperation other, MlirOperation op)) {
  __real_mlirBlockInsertOwnedOperationBefore(block, other, op);
  placed(op);
}

WRAP(void, mlirBlockInsertOwnedOperationAfter,
     (MlirBlock block, MlirOperation other, MlirOperation op)) {
  __real_mlirBlockInsertOwnedOperationAfter(block, other, op);
  placed(op);
}

WRAP(void, mlirBlockEraseArgument, (MlirBlock block, unsigned at)) {
  arguments_changed(block);
  __real_mlirBlockEraseArgument(block, at);
}

WRAP(MlirValue, mlirBlockAddArgument,
     (MlirBlock block, MlirType type, MlirLocation location)) {
  arguments_changed(block);
  return __real_mlirBlockAddArgument(block, type, location);
}

WRAP(MlirValue, mlirBlockInsertArgument,
     (MlirBlock block, intptr_t at, MlirType type, MlirLocation location)) {
  arguments_changed(block);
  return __real_mlirBlockInsertArgument(block, at, type, location);
}

WRAP(void, mlirBlockDetach, (MlirBlock block)) {
  lose();
  __real_mlirBlockDetach(block);
}

WRAP(void, mlirRegionAppendOwnedBlock, (MlirRegion region, MlirBlock block)) {
  lose();
  __real_mlirRegionAppendOwnedBlock(region, block);
}

WRAP(void, mlirRegionTakeBody, (MlirRegion target, MlirRegion source)) {
  lose();
  __real_mlirRegionTakeBody(target, source);
}

WRAP(void, mlirRegionDestroy, (MlirRegion region)) {
  lose();
  __real_mlirRegionDestroy(region);
}

/* ---- values ---- */

WRAP(void, mlirValueSetType, (MlirValue value, MlirType type)) {
  if (mlirValueIsABlockArgument(value))
    arguments_changed(mlirBlockArgumentGetOwner(value));
  else
    changed(mlirOpResultGetOwner(value));
  users_changed(value);
  __real_mlirValueSetType(value, type);
}

WRAP(void, mlirBlockArgumentSetLocation,
     (MlirValue argument, MlirLocation location)) {
  arguments_changed(mlirBlockArgumentGetOwner(argument));
  __real_mlirBlockArgumentSetLocation(argument, location);
}

WRAP(void, mlirValueReplaceAllUsesOfWith, (MlirValue value, MlirValue with)) {
  users_changed(value);
  __real_mlirValueReplaceAllUsesOfWith(value, with);
}

/* ---- modules ---- */

WRAP(MlirLogicalResult, mlirPassManagerRunOnOp,
     (MlirPassManager manager, MlirOperation op)) {
  lose();
  return __real_mlirPassManagerRunOnOp(manager, op);
}

/* Operations in it may be noted. */
WRAP(void, mlirModuleDestroy, (MlirModule module)) {
  if (journal.n > 0)
    lose();
  __real_mlirModuleDestroy(module);
}
