/* What operations require: classes, questions, answers. */
#include "mlir_helper.h"

#include <signal.h>

#include "../../../reducer/opmodel/batch.h"
#include "../../../reducer/opmodel/sets.h"
#include "../../../reducer/subject/apart.h"

static const char upstream[] =
    "func.func private @g(i32)\n"
    "func.func @f(%a: tensor<4x8xf32>, %b: tensor<16x32xf32>, %x: f32,\n"
    "             %m: memref<4xf32>, %i: index, %n: i32) -> tensor<8x4xf32> {\n"
    "  %0 = tosa.transpose %a {perms = array<i32: 1, 0>}\n"
    "      : (tensor<4x8xf32>) -> tensor<8x4xf32>\n"
    "  %1 = tosa.transpose %b {perms = array<i32: 1, 0>}\n"
    "      : (tensor<16x32xf32>) -> tensor<32x16xf32>\n"
    "  %2 = arith.addf %x, %x fastmath<fast> : f32\n"
    "  %3 = arith.addf %x, %x : f32\n"
    "  %4 = memref.load %m[%i] {nontemporal = true} : memref<4xf32>\n"
    "  %5 = vector.broadcast %x : f32 to vector<4xf32>\n"
    "  %6 = vector.extract_strided_slice %5\n"
    "      {offsets = [1], sizes = [2], strides = [1]}\n"
    "      : vector<4xf32> to vector<2xf32>\n"
    "  func.call @g(%n) : (i32) -> ()\n"
    "  scf.for %k = %i to %i step %i {\n"
    "    memref.store %x, %m[%k] : memref<4xf32>\n"
    "  } {note.mine}\n"
    "  return %0 : tensor<8x4xf32>\n"
    "}\n";

static const struct cul_class *class_of(struct cul_ir *ir, const char *name,
                                        size_t n) {
  return cul_model_class(ir, op_named(ir, name, n));
}

static enum cul_ruling drop(struct cul_ir *ir, const char *op, size_t n,
                            const char *attr) {
  const struct cul_spot *how;
  const struct cul_class *class = class_of(ir, op, n);
  assert_non_null(class);
  return cul_class_drop(class, cul_ir_str(attr), &how);
}

/* Sizes count by which are equal, values by what a verifier may see in them. */
static void classes_abstract_from_sizes(void **state) {
  needs_mlir(22);
  struct cul_ir *ir = open_native(upstream);
  (void)state;
  cul_model_look(ir);
  assert_ptr_equal(class_of(ir, "tosa.transpose", 0),
                   class_of(ir, "tosa.transpose", 1));
  assert_ptr_not_equal(class_of(ir, "arith.addf", 0),
                       class_of(ir, "arith.addf", 1));
  close_module(ir);
}

static void libmlir_says_what_may_go(void **state) {
  needs_mlir(22);
  struct cul_ir *ir = open_native(upstream);
  (void)state;
  cul_model_look(ir);
  assert_int_equal(drop(ir, "tosa.transpose", 0, "perms"), CUL_REFUSED);
  assert_int_equal(drop(ir, "arith.addf", 0, "fastmath"), CUL_ACCEPTED);
  /* It comes back: a default. */
  assert_int_equal(drop(ir, "arith.addf", 1, "fastmath"), CUL_REFUSED);
  assert_int_equal(drop(ir, "memref.load", 0, "nontemporal"), CUL_ACCEPTED);
  assert_int_equal(drop(ir, "vector.extract_strided_slice", 0, "sizes"),
                   CUL_REFUSED);
  assert_int_equal(drop(ir, "func.call", 0, "callee"), CUL_REFUSED);
  assert_int_equal(drop(ir, "scf.for", 0, "note.mine"), CUL_ACCEPTED);
  assert_int_equal(drop(ir, "func.func", 1, "function_type"), CUL_REFUSED);
  assert_string_equal(verdict(ir), ""); /* asking has changed nothing */
  close_module(ir);
}

/* ---- the tool's verifier ---- */

static const char foreign[] =
    "\"builtin.module\"() ({\n"
    "  \"func.func\"() <{function_type = (i32) -> (), sym_name = \"g\"}> ({\n"
    "  ^bb0(%x: i32):\n"
    "    \"my.far\"(%x) <{at = 1 : i32, callee = @g}> : (i32) -> ()\n"
    "    \"my.box\"(%x) <{hi = 1 : i32, lo = 2 : i32}> ({\n"
    "      %0 = \"my.in\"(%x) <{k = 1 : i32}> : (i32) -> i32\n"
    "      \"my.end\"(%0) <{last = 1 : i32}> : (i32) -> ()\n"
    "    }) : (i32) -> ()\n"
    "    \"func.return\"() : () -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

/* Its rules: my.in and my.end stand in my.box; my.box has hi and lo or none;
 * my.far has at. */
static enum cul_ruling judge(struct cul_bytes body) {
  char *text = cul_xstrndup(body.data, body.len);
  bool box = strstr(text, "my.box") != NULL;
  bool good = !strstr(text, "hi = ") == !strstr(text, "lo = ");
  good = good && (box || !strstr(text, "my.in"));
  good = good && (box || !strstr(text, "my.end"));
  good = good && (!strstr(text, "my.far") || strstr(text, "at = "));
  good = good && (!strstr(text, "@g") || strstr(text, "sym_name = \"g\""));
  free(text);
  return good ? CUL_ACCEPTED : CUL_REFUSED;
}

typedef enum cul_ruling judge_fn(struct cul_bytes body);

static size_t teach(struct cul_ir *ir, cul_wanted_fn *wanted,
                    judge_fn *judging) {
  size_t rounds = 0;
  for (;; rounds++) {
    struct cul_buf message = {0}, answers = {0};
    struct cul_batch batch;
    size_t n;
    cul_op_model.questions((struct cul_subject *)ir, wanted, &message);
    cul_batch_init(&batch, cul_buf_bytes(&message));
    n = batch.n;
    for (size_t i = 0; i < n; i++)
      cul_buf_addc(&answers, (char)(batch.texts[i].len ? judging(batch.texts[i])
                                                       : CUL_UNKNOWN));
    if (n)
      cul_op_model.told((struct cul_subject *)ir, cul_buf_bytes(&answers));
    cul_batch_release(&batch);
    cul_buf_release(&message);
    cul_buf_release(&answers);
    if (n == 0)
      return rounds;
  }
}

static void a_foreign_verifier_says_what_may_go(void **state) {
  struct cul_ir *ir = open_opaque(foreign);
  const struct cul_spot *how;
  (void)state;
  assert_false(cul_model_is_verified(ir));
  assert_in_range(teach(ir, NULL, judge), 1, 3);
  assert_true(cul_model_is_verified(ir));
  assert_int_equal(drop(ir, "my.far", 0, "at"), CUL_REFUSED);
  assert_int_equal(drop(ir, "my.far", 0, "callee"), CUL_ACCEPTED);
  assert_int_equal(drop(ir, "my.in", 0, "k"), CUL_ACCEPTED);
  assert_int_equal(drop(ir, "my.end", 0, "last"), CUL_ACCEPTED);
  assert_int_equal(
      cul_class_drop(class_of(ir, "my.box", 0), cul_ir_str("lo"), &how),
      CUL_ACCEPTED);
  assert_true(cul_ir_str_is(mlirIdentifierStr(how->with), "hi"));
  close_module(ir);
}

static bool all(const void *op) {
  (void)op;
  return true;
}

/* What was asked about types says nothing of attributes. */
static void attributes_are_asked_after_types(void **state) {
  struct cul_ir *ir = open_opaque(foreign);
  (void)state;
  assert_in_range(teach(ir, all, judge), 1, 4);
  assert_in_range(teach(ir, NULL, judge), 1, 3);
  assert_int_equal(drop(ir, "my.far", 0, "at"), CUL_REFUSED);
  assert_int_equal(drop(ir, "my.far", 0, "callee"), CUL_ACCEPTED);
  close_module(ir);
}

/* What an edit makes of a known class is asked about no more. */
static void fewer_attributes_need_no_question(void **state) {
  struct cul_ir *ir = open_opaque(foreign);
  struct cul_ir_change change = {.drop_attr = "k"};
  struct cul_asked before, after;
  (void)state;
  teach(ir, NULL, judge);
  cul_op_model.asked((struct cul_subject *)ir, &before);
  assert_non_null(cul_ir_rebuild(ir, op_named(ir, "my.in", 0), &change).ptr);
  assert_int_equal(teach(ir, NULL, judge), 0);
  cul_op_model.asked((struct cul_subject *)ir, &after);
  assert_int_equal(before.questions, after.questions);
  assert_int_equal(drop(ir, "my.far", 0, "at"), CUL_REFUSED);
  close_module(ir);
}

/* ---- what changes together ---- */

/* A word for the spots of op: those of one set have one letter, each set the
 * letter of its first; '?': not known. */
static const char *ties_of(struct cul_ir *ir, const char *name, size_t at,
                           enum cul_spot_kind kind) {
  static char word[64];
  char letters[64] = {0};
  size_t n, len = 0;
  const struct cul_spot *spots =
      cul_class_sets(class_of(ir, name, at), CUL_SETS_TIES, &n);
  struct {
    uint32_t place, set;
  } found[64];
  if (!spots)
    return "unknown";
  for (size_t i = 0; i < n; i++)
    if (spots[i].kind == kind)
      found[len++].place = spots[i].value * 64 + spots[i].at,
      found[len - 1].set = spots[i].set;
  for (size_t i = 0; i < len; i++)
    for (size_t k = i + 1; k < len; k++)
      if (found[k].place < found[i].place) {
        uint32_t place = found[i].place, set = found[i].set;
        found[i] = found[k];
        found[k].place = place;
        found[k].set = set;
      }
  for (size_t i = 0; i < len; i++) {
    size_t k = 0;
    while (found[k].set != found[i].set)
      k++;
    letters[i] = k == i ? (char)('a' + i) : letters[k];
    word[i] = found[i].set == UINT32_MAX ? '?' : letters[i];
  }
  word[len] = '\0';
  return word;
}

static const char shapes[] =
    "func.func @f(%a: tensor<4x8x16xf32>, %b: tensor<4x16x32xf32>,\n"
    "             %c: tensor<4x8x32xf32>, %s: tensor<4x4x4xf32>,\n"
    "             %x: tensor<8x4xf32>, %y: tensor<8x4xf32>,\n"
    "             %x1: tensor<4x8xf32>, %o: tensor<8x8xf32>,\n"
    "             %v: vector<8xf32>, %w: vector<16xf32>, %i: i32,\n"
    "             %q: vector<4x[4]xf32>) {\n"
    "  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x8x16xf32>,\n"
    "      tensor<4x16x32xf32>) outs(%c : tensor<4x8x32xf32>)\n"
    "      -> tensor<4x8x32xf32>\n"
    "  %1 = linalg.matmul ins(%x, %x1 : tensor<8x4xf32>, tensor<4x8xf32>)\n"
    "      outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %2 = arith.addf %x, %y : tensor<8x4xf32>\n"
    "  %3 = vector.outerproduct %v, %w : vector<8xf32>, vector<16xf32>\n"
    "  %4 = arith.addi %i, %i : i32\n"
    "  %5 = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>\n"
    "  %6 = vector.transpose %q, [1, 0] : vector<4x[4]xf32> to\n"
    "      vector<[4]x4xf32>\n"
    "  return\n"
    "}\n";

static void sizes_change_as_the_verifier_says(void **state) {
  struct cul_ir *ir = open_native(shapes);
  (void)state;
  cul_model_look_for_ties(ir, all);
  /* Operands, then the result: (0,3,6,9)(1,7,10)(2,4)(5,8,11). */
  assert_string_equal(ties_of(ir, "linalg.batch_matmul", 0, CUL_SPOT_SIZE),
                      "abcacfabfabf");
  assert_string_equal(ties_of(ir, "linalg.matmul", 0, CUL_SPOT_SIZE),
                      "abbdadad");
  assert_string_equal(ties_of(ir, "arith.addf", 2, CUL_SPOT_SIZE), "ababab");
  assert_string_equal(ties_of(ir, "arith.addf", 2, CUL_SPOT_ELEMENT), "aaa");
  assert_string_equal(ties_of(ir, "arith.addi", 0, CUL_SPOT_ELEMENT), "aaa");
  assert_string_equal(ties_of(ir, "vector.outerproduct", 0, CUL_SPOT_SIZE),
                      "abab");
  assert_string_equal(ties_of(ir, "vector.transpose", 0, CUL_SPOT_SIZE),
                      "abba");
  /* A product of sizes: none changes alone. */
  assert_string_equal(ties_of(ir, "vector.shape_cast", 0, CUL_SPOT_SIZE),
                      "???");
  close_module(ir);
}

/* A number of an attribute that is a size. */
static const char weaving[] =
    "\"builtin.module\"() ({\n"
    "  \"func.func\"() <{function_type = (tensor<8x4xf32>) -> (), sym_name = "
    "\"g\"}> ({\n"
    "  ^bb0(%x: tensor<8x4xf32>):\n"
    "    %0 = \"my.cut\"(%x) <{sizes = array<i64: 8, 2>, way = 4 : i64}> : "
    "(tensor<8x4xf32>) -> tensor<8x2xf32>\n"
    "    \"func.return\"() : () -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

/* The result is as sizes say, of the operand's element type; what the operand
 * is like, nobody looks at. */
static enum cul_ruling judge_cut(struct cul_bytes body) {
  char *text = cul_xstrndup(body.data, body.len);
  long a = 0, b = 0, c = 1, d = 1;
  char from[8] = "", to[8] = "-";
  const char *at = strstr(text, "array<i64: ");
  if (at)
    sscanf(at, "array<i64: %ld, %ld>", &a, &b);
  at = strstr(text, "-> tensor<");
  while (at && !strstr(text, "my.cut"))
    at = NULL;
  at = at ? strstr(strstr(text, "my.cut"), "-> tensor<") : NULL;
  if (at)
    sscanf(at, "-> tensor<%ldx%ldx%7[^>]", &c, &d, to);
  at = at ? strstr(strstr(text, "my.cut"), " : (tensor<") : NULL;
  if (at)
    sscanf(at, " : (tensor<%*dx%*dx%7[^>]", from);
  free(text);
  return a == c && b == d && strcmp(from, to) == 0 ? CUL_ACCEPTED : CUL_REFUSED;
}

static void numbers_change_with_sizes(void **state) {
  struct cul_ir *ir = open_opaque(weaving);
  size_t n, tied = 0;
  const struct cul_spot *spots;
  (void)state;
  teach(ir, all, judge_cut);
  spots = cul_class_sets(class_of(ir, "my.cut", 0), CUL_SETS_TIES, &n);
  assert_non_null(spots);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      tied += spots[i].kind == CUL_SPOT_NUMBER &&
              spots[i].set == spots[k].set && spots[k].kind == CUL_SPOT_SIZE &&
              spots[k].value == 1 && spots[k].at == spots[i].at &&
              cul_ir_str_is(mlirIdentifierStr(spots[i].attr), "sizes");
  assert_int_equal(tied, 2);
  assert_string_equal(ties_of(ir, "my.cut", 0, CUL_SPOT_SIZE), "abcd");
  assert_string_equal(ties_of(ir, "my.cut", 0, CUL_SPOT_ELEMENT), "aa");
  close_module(ir);
}

/* ---- what goes together ---- */

/* A word for the dimensions of op, operands, then results, with ' ' between
 * values; letters as in ties_of, '-': it stays. */
static const char *dims_of(struct cul_ir *ir, const char *name, size_t at) {
  static char word[128];
  size_t n, len = 0;
  const struct cul_spot *dims =
      cul_class_sets(class_of(ir, name, at), CUL_SETS_RANKS, &n);
  if (!dims)
    return "unknown";
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && dims[i].value != dims[i - 1].value)
      word[len++] = ' ';
    word[len++] = dims[i].set == UINT32_MAX ? '-' : (char)('a' + dims[i].set);
  }
  word[len] = '\0';
  return word;
}

static const char ranks[] =
    "func.func @f(%a: vector<4x6xf32>, %m: memref<8x4x6xf32>, %i: index,\n"
    "             %x: tensor<4x6x8xf32>, %e: tensor<4x7x8xf32>, %z: f32,\n"
    "             %v: vector<6xf32>, %u: tensor<?x?xf32>,\n"
    "             %w: vector<8x6xf32>, %o: vector<4x8xf32>) {\n"
    "  %0 = vector.transpose %a, [1, 0] : vector<4x6xf32> to\n"
    "      vector<6x4xf32>\n"
    "  %1 = memref.load %m[%i, %i, %i] : memref<8x4x6xf32>\n"
    "  memref.store %1, %m[%i, %i, %i] : memref<8x4x6xf32>\n"
    "  %2 = vector.transfer_read %m[%i, %i, %i], %z\n"
    "      {in_bounds = [true, true]} : memref<8x4x6xf32>, vector<4x6xf32>\n"
    "  vector.transfer_write %2, %m[%i, %i, %i]\n"
    "      {permutation_map = affine_map<(a, b, c) -> (b, c)>}\n"
    "      : vector<4x6xf32>, memref<8x4x6xf32>\n"
    "  %3 = tensor.concat dim(1) %x, %e : (tensor<4x6x8xf32>,\n"
    "      tensor<4x7x8xf32>) -> tensor<4x13x8xf32>\n"
    "  %4 = vector.broadcast %v : vector<6xf32> to vector<4x6xf32>\n"
    "  %5 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x6x8xf32>) ->\n"
    "      tensor<4x1x8xf32>\n"
    "  %6 = arith.addf %x, %x : tensor<4x6x8xf32>\n"
    "  %7 = tosa.transpose %x {perms = array<i32: 2, 0, 1>} :\n"
    "      (tensor<4x6x8xf32>) -> tensor<8x4x6xf32>\n"
    "  %8 = tensor.cast %u : tensor<?x?xf32> to tensor<2x?xf32>\n"
    "  %9 = vector.multi_reduction <add>, %a, %v [0] : vector<4x6xf32> to\n"
    "      vector<6xf32>\n"
    "  %10 = vector.load %m[%i, %i, %i] : memref<8x4x6xf32>, vector<6xf32>\n"
    "  %11 = tensor.extract_slice %x[0, 1, 2] [2, 3, 4] [1, 1, 1] :\n"
    "      tensor<4x6x8xf32> to tensor<2x3x4xf32>\n"
    "  %12 = vector.extract_strided_slice %a {offsets = [1, 2],\n"
    "      sizes = [2, 3], strides = [1, 1]} : vector<4x6xf32> to\n"
    "      vector<2x3xf32>\n"
    "  %13 = vector.contract {indexing_maps = [\n"
    "      affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,\n"
    "      affine_map<(i, j, k) -> (i, j)>], iterator_types = [\n"
    "      \"parallel\", \"parallel\", \"reduction\"],\n"
    "      kind = #vector.kind<add>} %a, %w, %o : vector<4x6xf32>,\n"
    "      vector<8x6xf32> into vector<4x8xf32>\n"
    "  return\n"
    "}\n";

static void dimensions_go_as_the_verifier_says(void **state) {
  needs_mlir(22);
  struct cul_ir *ir = open_native(ranks);
  static const char *const known[][2] = {
      {"vector.transpose", "ab ba"},
      {"memref.load", "abc"},
      {"memref.store", "abc"},
      {"vector.transfer_write", "ab c--"},
      {"tensor.concat", "a-b a-b a-b"}, /* not the one it is along */
      {"vector.broadcast", "a b-"},
      {"tosa.reduce_sum", "a-b a-b"},
      {"arith.addf", "abc abc abc"},
      {"tosa.transpose", "abc cab"},
      {"tensor.cast", "ab ab"},
      {"vector.multi_reduction", "a- - -"},
      {"vector.load", "abc d"},
      {"tensor.extract_slice", "abc abc"},
      {"vector.extract_strided_slice", "ab ab"},
      {"vector.contract", "unknown"}}; /* loops */
  (void)state;
  cul_model_look_for_ties(ir, all);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(known); i++)
    assert_string_equal(dims_of(ir, known[i][0], 0), known[i][1]);
  close_module(ir);
}

/* ---- files of questions ---- */

static void a_file_tells_who_does_not_verify(void **state) {
  static const char good[] = "x culprit_question_0 y culprit_question_3";
  static const char blind[] =
      "culprit_question_0 culprit_question_1 culprit_question_2";
  static const size_t which[] = {1, 0};
  uint8_t answers[2] = {CUL_UNKNOWN, CUL_UNKNOWN};
  (void)state;
  assert_int_equal(
      cul_batch_read((struct cul_bytes){"no", 2}, which, 2, answers),
      CUL_BATCH_SILENT);
  assert_int_equal(cul_batch_read((struct cul_bytes){blind, sizeof blind - 1},
                                  which, 2, answers),
                   CUL_BATCH_BLIND);
  assert_int_equal(answers[0], CUL_UNKNOWN);
  assert_int_equal(cul_batch_read((struct cul_bytes){good, sizeof good - 1},
                                  which, 2, answers),
                   CUL_BATCH_GOOD);
  assert_int_equal(answers[1], CUL_REFUSED);
  assert_int_equal(answers[0], CUL_ACCEPTED);
}

/* ---- verifiers that die ---- */

enum { N_WORK = 7 };

static void work(void *arg, size_t i, struct cul_buf *out) {
  (void)arg;
  if (i == 2 || i == 6)
    abort();
  if (i == 3)
    raise(SIGSEGV);
  if (i == 4)
    exit(0);
  cul_buf_addf(out, "%zu", i);
}

static void worked(void *arg, size_t i, const struct cul_bytes *bytes) {
  char **all = arg;
  all[i] = bytes ? cul_xstrndup(bytes->data, bytes->len) : cul_xstrdup("died");
}

static void a_death_is_an_answer(void **state) {
  static const char *const wanted[N_WORK] = {"0",    "1", "died", "died",
                                             "died", "5", "died"};
  char *all[N_WORK] = {NULL};
  (void)state;
  cul_apart(N_WORK, work, worked, all);
  for (size_t i = 0; i < N_WORK; i++) {
    assert_string_equal(all[i], wanted[i]);
    free(all[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_abstract_from_sizes),
      cmocka_unit_test(libmlir_says_what_may_go),
      cmocka_unit_test(a_foreign_verifier_says_what_may_go),
      cmocka_unit_test(attributes_are_asked_after_types),
      cmocka_unit_test(fewer_attributes_need_no_question),
      cmocka_unit_test(sizes_change_as_the_verifier_says),
      cmocka_unit_test(numbers_change_with_sizes),
      cmocka_unit_test(dimensions_go_as_the_verifier_says),
      cmocka_unit_test(a_file_tells_who_does_not_verify),
      cmocka_unit_test(a_death_is_an_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
