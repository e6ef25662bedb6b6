/* Instance classes.  The key of a class has all parts of an operation on which
 * a verifier may depend; of sizes and other numbers, only which are equal. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"

enum {
  MOST_NUMBERS = 64, /* different numbers in one class */
  MOST_ENTRIES = 16, /* entries of a list that count */
  MOST_TEXT = 256    /* bytes of an attribute's text that count */
};

struct key {
  struct cul_ir *ir;
  struct cul_buf text;
  uint64_t exact; /* smaller numbers may be numbers of dimensions */
  uint64_t numbers[MOST_NUMBERS];
  size_t n_numbers;
};

/* Append 0, 1 and numbers of dimensions as they are, because verifiers treat
 * them differently; append only the order of appearance of other numbers. */
static void add_number(struct key *key, uint64_t number) {
  size_t i = 0;
  if (number <= 1 || number < key->exact) {
    cul_buf_addf(&key->text, "%llu", (unsigned long long)number);
    return;
  }
  while (i < key->n_numbers && key->numbers[i] != number)
    i++;
  if (i == key->n_numbers && i < MOST_NUMBERS)
    key->numbers[key->n_numbers++] = number;
  cul_buf_addf(&key->text, "#%zu", i);
}

/* Does text[i] begin a number, not the end of a name such as f32? */
static bool begins_number(const char *text, size_t i) {
  char before = i ? text[i - 1] : ' ';
  if (!isdigit((unsigned char)text[i]))
    return false;
  if (before == 'x') /* 4x8, ?x8, [4]x8 */
    return i > 1 &&
           (isdigit((unsigned char)text[i - 2]) || strchr("?]*", text[i - 2]));
  return !isalnum((unsigned char)before) && before != '_' && before != '.' &&
         before != '$';
}

static void add_printed(struct key *key, const char *text, size_t most) {
  for (size_t i = 0; i < most && text[i];) {
    if (begins_number(text, i)) {
      char *end;
      add_number(key, strtoull(text + i, &end, 10));
      i = (size_t)(end - text);
    } else {
      cul_buf_addc(&key->text, text[i++]);
    }
  }
}

static void add_type(struct key *key, MlirType type) {
  add_printed(key, cul_ir_type_text(key->ir, type), SIZE_MAX);
  cul_buf_addc(&key->text, ' ');
}

static void add_attr(struct key *key, MlirAttribute attr);

static void add_array(struct key *key, MlirAttribute attr) {
  intptr_t n = mlirArrayAttrGetNumElements(attr);
  cul_buf_addc(&key->text, '[');
  for (intptr_t i = 0; i < n && i < MOST_ENTRIES; i++) {
    add_attr(key, mlirArrayAttrGetElement(attr, i));
    cul_buf_addc(&key->text, ',');
  }
  cul_buf_adds(&key->text, n > MOST_ENTRIES ? "...]" : "]");
}

static void add_dictionary(struct key *key, MlirAttribute attr) {
  intptr_t n = mlirDictionaryAttrGetNumElements(attr);
  cul_buf_addc(&key->text, '{');
  for (intptr_t i = 0; i < n && i < MOST_ENTRIES; i++) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(attr, i);
    MlirStringRef name = mlirIdentifierStr(named.name);
    cul_buf_add(&key->text, name.data, name.length);
    cul_buf_addc(&key->text, '=');
    add_attr(key, named.attribute);
    cul_buf_addc(&key->text, ',');
  }
  cul_buf_addc(&key->text, '}');
}

/* Append the kind of an attribute, and its value if a verifier may depend on
 * it. */
static void add_attr(struct key *key, MlirAttribute attr) {
  if (!attr.ptr) {
    cul_buf_adds(&key->text, "null");
  } else if (mlirAttributeIsAElements(attr)) {
    bool splat = mlirAttributeIsADenseElements(attr) &&
                 mlirDenseElementsAttrIsSplat(attr);
    if (splat)
      add_printed(key, cul_ir_attr_text(key->ir, attr), MOST_TEXT);
    else
      cul_buf_adds(&key->text, "elements ");
    add_type(key, mlirAttributeGetType(attr));
  } else if (mlirAttributeIsAFloat(attr)) {
    cul_buf_adds(&key->text, "float ");
    add_type(key, mlirAttributeGetType(attr));
  } else if (mlirAttributeIsAString(attr)) {
    cul_buf_adds(&key->text, "string");
  } else if (mlirAttributeIsASymbolRef(attr)) {
    cul_buf_adds(&key->text, "symbol");
  } else if (mlirAttributeIsAArray(attr)) {
    add_array(key, attr);
  } else if (mlirAttributeIsADictionary(attr)) {
    add_dictionary(key, attr);
  } else if (mlirAttributeIsAType(attr)) {
    add_type(key, mlirTypeAttrGetValue(attr));
  } else {
    add_printed(key, cul_ir_attr_text(key->ir, attr), MOST_TEXT);
  }
}

static void add_values(struct key *key, MlirOperation op) {
  cul_buf_adds(&key->text, "\n  operands: ");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirOperationGetOperand(op, i).ptr)
      add_type(key, mlirValueGetType(mlirOperationGetOperand(op, i)));
  cul_buf_adds(&key->text, "\n  results: ");
  CUL_IR_EACH_RESULT(result, op) add_type(key, mlirValueGetType(result));
  cul_buf_addf(&key->text, "\n  successors: %zd",
               mlirOperationGetNumSuccessors(op));
}

/* Append the block arguments and terminators of a region; its other operations
 * do not count. */
static void add_region(struct key *key, MlirRegion region) {
  size_t blocks = 0;
  cul_buf_adds(&key->text, "\n  region:");
  CUL_IR_EACH_BLOCK(block, region) {
    MlirOperation last = mlirBlockGetTerminator(block);
    if (blocks++ > 1)
      continue;
    cul_buf_adds(&key->text, " (");
    CUL_IR_EACH_ARGUMENT(argument, block)
    add_type(key, mlirValueGetType(argument));
    cul_buf_addc(&key->text, ')');
    if (last.ptr)
      add_printed(key, cul_ir_name(last).data, cul_ir_name(last).length);
  }
}

static uint64_t most_rank(MlirOperation op) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < cul_ir_n_values(op); i++) {
    MlirValue value = cul_ir_value(op, i);
    MlirType type = value.ptr ? mlirValueGetType(value) : (MlirType){NULL};
    if (type.ptr && cul_ir_is_ranked(type) &&
        (uint64_t)mlirShapedTypeGetRank(type) > most)
      most = (uint64_t)mlirShapedTypeGetRank(type);
  }
  return most;
}

static void add_op(struct key *key, MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op);
  MlirStringRef name = cul_ir_name(op);
  cul_buf_add(&key->text, name.data, name.length);
  if (parent.ptr) {
    name = cul_ir_name(parent);
    cul_buf_addf(&key->text, " in %.*s", (int)name.length, name.data);
  }
  add_values(key, op);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    add_region(key, mlirOperationGetRegion(op, i));
  key->exact = most_rank(op);
  CUL_IR_EACH_ATTR(walk, key->ir, op) {
    name = walk.attr->name;
    cul_buf_addf(&key->text,
                 "\n  %s %.*s: ", walk.attr->inherent ? "inherent" : "has",
                 (int)name.length, name.data);
    add_attr(key, walk.attr->attr);
  }
}

/* The numbers in the value are counted apart from those of the operation. */
uint64_t cul_class_value(struct cul_ir *ir, MlirAttribute attr) {
  struct key key = {.ir = ir};
  struct cul_digest digest;
  add_attr(&key, attr);
  digest = cul_digest_of(key.text.data, key.text.len);
  cul_buf_release(&key.text);
  return digest.w[0];
}

struct cul_class *cul_class_of(struct cul_ir *ir, struct cul_model *model,
                               MlirOperation op) {
  struct key key = {.ir = ir};
  struct cul_digest digest;
  struct cul_class *class;
  add_op(&key, op);
  digest = cul_digest_of(key.text.data, key.text.len);
  for (size_t i = 0; i < model->n; i++)
    if (cul_digest_equal(&model->classes[i]->key, &digest)) {
      cul_buf_release(&key.text);
      return model->classes[i];
    }
  class = cul_xcalloc(1, sizeof *class);
  class->key = digest;
  class->text = cul_buf_take(&key.text);
  class->op = mlirOperationGetName(op);
  return CUL_XADD(model->classes, model->n, model->cap) = class;
}

void cul_class_free(struct cul_class *class) {
  for (int i = 0; i < CUL_N_SETS; i++)
    cul_sets_free(class->sets[i]);
  free(class->text);
  free(class);
}

/* ---- what is known of a class ---- */

enum cul_ruling cul_class_drop(const struct cul_class *class,
                               MlirStringRef name,
                               const struct cul_spot **spot) {
  const struct cul_sets *sets = class->sets[CUL_SETS_PARTS];
  for (size_t i = 0; sets && i < sets->n; i++) {
    const struct cul_spot *it = &sets->spots[i];
    if (it->kind != CUL_SPOT_ATTR ||
        !mlirStringRefEqual(mlirIdentifierStr(it->attr), name))
      continue;
    *spot = it;
    return it->with.ptr ? CUL_ACCEPTED : it->alone;
  }
  return CUL_REFUSED; /* an attribute of the structure, or above MOST_ATTRS */
}

enum cul_ruling cul_class_drop_operand(const struct cul_class *class,
                                       uint32_t operand) {
  const struct cul_sets *sets = class->sets[CUL_SETS_PARTS];
  size_t i = sets && sets->known
                 ? cul_sets_find(sets, CUL_SPOT_OPERAND, operand, 0)
                 : SIZE_MAX;
  return i == SIZE_MAX ? CUL_UNKNOWN : sets->spots[i].alone;
}

bool cul_class_is_asked(const struct cul_class *class) {
  const struct cul_sets *sets = class->sets[CUL_SETS_PARTS];
  return sets && sets->known;
}

const struct cul_spot *cul_class_sets(const struct cul_class *class,
                                      enum cul_sets_kind kind, size_t *n) {
  const struct cul_sets *sets = class->sets[kind];
  *n = sets ? sets->n : 0;
  return sets && sets->known ? sets->spots : NULL;
}

void cul_class_thin(struct cul_ir *ir, const struct cul_class *class,
                    uint64_t gone, MlirOperation op, bool *keep) {
  const struct cul_sets *sets = class->sets[CUL_SETS_RANKS];
  (void)cul_ranks_thin(ir, sets, sets->variant, gone, op, keep);
}
