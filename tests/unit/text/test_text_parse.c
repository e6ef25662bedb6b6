/* Tokens, brackets, statements and names of texts, by example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "text_invariants.h"

static struct cul_text *open_str(const char *bytes) {
  return open_text(bytes, strlen(bytes));
}

/* The tokens, with a bar between. */
static void expect_tokens(const char *bytes, const char *lang,
                          const char *want) {
  struct cul_text *text = cul_xcalloc(1, sizeof *text);
  struct cul_buf got = {0};
  text->lang = cul_lang_named(lang);
  text->bytes = cul_xstrdup(bytes);
  text->len = strlen(bytes);
  cul_text_lex(text, 0);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    struct cul_bytes token = cul_text_token(text, i);
    cul_buf_addf(&got, "%s%.*s", i ? "|" : "", (int)token.len, token.data);
  }
  assert_string_equal(cul_buf_str(&got), want);
  cul_buf_release(&got);
  free(text->tokens);
  free(text->lines);
  free(text->bytes);
  free(text);
}

static void test_tokens(void **state) {
  (void)state;
  expect_tokens("%0:2 = a.b %x#1, @\"f g\"", "mlir",
                "%0|:|2|=|a.b|%x|#1|,|@\"f g\"");
  expect_tokens("tensor<4x?x0x8xf32> -> f32", "mlir",
                "tensor|<|4|x|?|x|0|x|8|x|f32|>|->|f32");
  expect_tokens("vector<[4]xi1> 0x1F 1.5e-3 x", "mlir",
                "vector|<|[|4|]|x|i1|>|0x1F|1.5e-3|x");
  expect_tokens("a->b >= c::d // e", "c", "a|->|b|>=|c|::|d|// e");
  expect_tokens("R\"x(a) } \"b\n)x\" 1'000 'c'", "c",
                "R\"x(a) } \"b\n)x\"|1'000|'c'");
  expect_tokens("a = \\\n  b", "python", "a|=|b");
  expect_tokens("'\\'' + \"a\\\"b\" /* c\nd */;", "c",
                "'\\''|+|\"a\\\"b\"|/* c\nd */|;");
  expect_tokens("it's", "llvm", "it|'|s");
  expect_tokens("\"open\nx", "mlir", "\"|open|x");
  expect_tokens("'''a\n'b''' # c", "python", "'''a\n'b'''|# c");
  expect_tokens("add.f32 %f1, 0f3F; // x", "ptx", "add.f32|%f1|,|0f3F|;|// x");
  expect_tokens("%r.1 = add i32 %a, -1 ; x", "llvm",
                "%r.1|=|add|i32|%a|,|-|1|; x");
}

static void expect_lang(const char *bytes, const char *lang) {
  assert_string_equal(cul_lang_guess(bytes, strlen(bytes))->name, lang);
}

static void test_languages(void **state) {
  (void)state;
  expect_lang("func.func @f() {\n  return\n}\n", "mlir");
  expect_lang("\"builtin.module\"() ({\n}) : () -> ()\n", "mlir");
  expect_lang("module {\n  tt.func @k() {\n  }\n}\n", "mlir");
  expect_lang("; x\ndefine void @f() {\n  ret void\n}\n", "llvm");
  expect_lang("//\n.version 8.0\n.target sm_80\n", "ptx");
  expect_lang("#include <a.h>\nint main(void) {\n  return 0;\n}\n", "c");
  expect_lang("import os\n\ndef f():\n    return 1\n", "python");
  expect_lang("dear reader\n", "plain");
  expect_lang("", "plain");
}

/* Brackets of a text: for each token ( ) or . for none. */
static void expect_brackets(const char *bytes, const char *want) {
  struct cul_text *text = open_str(bytes);
  char got[64] = "";
  for (uint32_t i = 0; i < text->n_tokens; i++)
    got[i] = text->tokens[i].kind == CUL_TOKEN_OPEN    ? '('
             : text->tokens[i].kind == CUL_TOKEN_CLOSE ? ')'
                                                       : '.';
  assert_string_equal(got, want);
  close_text(text);
}

static void test_brackets(void **state) {
  (void)state;
  expect_brackets("( [ ] )", "(())");
  expect_brackets("( ] )", "(.)");
  expect_brackets("{ ( }", "(.)");
  expect_brackets("{ ) }", "(.)");
  expect_brackets("} {", "..");
  expect_brackets("module {\n a<b> c < d }", ".(.(.)...)");
  expect_brackets("module { x<(y) -> z> }", ".(.((.)..))");
}

/* Items as "first-end<parent" each. */
static void expect_items(const char *bytes, const char *want) {
  struct cul_text *text = open_str(bytes);
  struct cul_buf got = {0};
  for (uint32_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *item = &text->items[i];
    cul_buf_addf(&got, "%s%u-%u", i ? " " : "", item->first, item->end);
    if (item->parent != CUL_TEXT_NONE)
      cul_buf_addf(&got, "<%u", item->parent);
  }
  assert_string_equal(cul_buf_str(&got), want);
  cul_buf_release(&got);
  close_text(text);
}

static void test_statements(void **state) {
  (void)state;
  expect_items("a\nb\n", "0-1 1-2");
  expect_items("a\n\n\nb\n", "0-3 3-4");
  expect_items("a {\n  b\n}\nc\n", "0-3 1-2<0 3-4");
  expect_items("if {\n  b\n} else {\n  c\n}\n", "0-5 1-2<0 3-4<0");
  expect_items("f()\n{\n  a;\n}\n", "0-4 2-3<0");
  expect_items("f();\n{\n  a;\n}\n", "0-1 1-4 2-3<1");
  expect_items("{\n{\na\n}}\nb\n", "0-4 1-4<0 2-3<1 4-5");
  expect_items("}\na\n", "0-1 1-2");
  /* Conditional groups, also around brackets that do not pair up. */
  expect_items("#include <a>\n#if A\na;\n#else\nb;\n#endif\nc;\n",
               "0-1 1-6 2-3<1 4-5<1 6-7");
  expect_items("#include <a>\nf() {\n#if A\n(a\n#endif\nb;\n}\nc;\n",
               "0-1 1-7 2-5<1 3-4<2 5-6<1 7-8");
  expect_items("#include <a>\n#if A\nf() {\n#else\ng() {\n#endif\n}\nc;\n",
               "0-1 1-7 2-3<1 4-6<1 7-8");
  expect_items("#include <a>\n#define A { \\\n b\nc;\n", "0-1 1-2 2-3");
  /* Decorators belong to what they decorate. */
  expect_items("import a\n@b(\n  c\n)\n@d\ndef f():\n  g\nh\n",
               "0-1 1-7 2-3<1 6-7<1 7-8");
  expect_items("f {\n^a:\n  x\n  y {\n  }\n^b:\n  z\n}\n",
               "0-8 1-5<0 2-3<1 3-5<1 5-7<0 6-7<4");
  expect_items("import a\ndef f(x,\n y):\n  if x:\n    a\n\n  b\nc\n",
               "0-1 1-7 3-6<1 4-6<2 6-7<1 7-8");
  expect_items("import a\nif x:\n  y\nelse:\n  z\nw\n",
               "0-1 1-5 2-3<1 4-5<1 5-6");
}

/* Where the name at each use is defined: pairs of columns, uses only. */
static void expect_defs(const char *bytes, const char *want) {
  struct cul_text *text = open_str(bytes);
  const struct cul_text_names *names = cul_text_names(text);
  struct cul_buf got = {0};
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    const struct cul_token *t = &text->tokens[i];
    if (names->def[i] == CUL_TEXT_NONE || names->def[i] == i)
      continue;
    cul_buf_addf(&got, "%s%.*s@%u", got.len ? " " : "", (int)t->len,
                 text->bytes + t->start, text->tokens[names->def[i]].line);
  }
  assert_string_equal(cul_buf_str(&got), want);
  cul_buf_release(&got);
  close_text(text);
}

static void test_names(void **state) {
  (void)state;
  /* Arguments, results; a name in two functions. */
  expect_defs("func.func @f(%a: i32) {\n  %0 = x %a\n  y %0\n}\n"
              "func.func @g(%a: i32) {\n  z %a, %0, @f\n}\n",
              "%a@0 %0@1 %a@4 @f@0");
  /* A name in two bodies beside each other; the outer one from inside. */
  expect_defs("func.func @f() {\n  %c = k\n  if {\n    %0 = x %c\n    u %0\n"
              "  } else {\n    %0 = y %c\n    u %0\n  }\n}\n",
              "%c@1 %0@3 %c@1 %0@6");
  /* Blocks see each other, both ways. */
  expect_defs("func.func @f() {\n  br ^a(%1)\n^a(%p: i32):\n  %1 = x %p\n"
              "  br ^b\n^b:\n  u %1\n}\n",
              "^a@2 %1@3 %p@2 ^b@5 %1@3");
  /* Loops define in their header. */
  expect_defs("func.func @f(%n: index) {\n"
              "  %r = for %i = %n to %n iter_args(%x = %n) {\n"
              "    u %i, %x\n  }\n  u %r#0, %i\n}\n",
              "%n@0 %n@0 %n@0 %i@1 %x@1 %r@1");
  expect_defs("func.func @f(%n: index) {\n"
              "  scf.parallel (%i, %j) = (%n, %n) {\n    u %i, %j\n  }\n}\n",
              "%n@0 %n@0 %i@1 %j@1");
  /* Long argument lists; symbols of the generic form. */
  expect_defs("func.func @f(\n    %a: i32,\n    %b: i32) {\n  u %a, %b\n}\n",
              "%a@1 %b@2");
  expect_defs("\"func.func\"() <{sym_name = \"f\"}> ({\n^bb0:\n"
              "  \"func.call\"() {callee = @f} : () -> ()\n}) : () -> ()\n",
              "@f@0");
  /* LLVM: arguments without colons, labels without sigils. */
  expect_defs("define void @f(i32 %n) {\na:\n  br label %a\n"
              "  %x = add i32 %n, 1\n  call void @f(i32 %x)\n}\n",
              "%a@1 %n@0 @f@0 %x@3");
}

/* Of result `number` of what the line's token def defines. */
static void expect_type_of(const char *line, uint32_t def, uint32_t number,
                           const char *want) {
  struct cul_buf bytes = {0}, type = {0};
  struct cul_text *text;
  cul_buf_addf(&bytes, "module {\n%s\n}\n", line);
  text = open_text(bytes.data, bytes.len);
  assert_int_equal(cul_text_type_of_result(text, 2 + def, number, &type),
                   *want != 0);
  assert_string_equal(cul_buf_str(&type), want);
  close_text(text);
  cul_buf_release(&bytes);
  cul_buf_release(&type);
}

static void expect_type(const char *line, const char *want) {
  expect_type_of(line, 0, 0, want);
}

static void test_types_of_several(void **state) {
  const char *generic = "%0:3 = \"a.b\"(%a) : (i8) -> (i32, f32, t<4xi8, 2>)";
  const char *named = "%a, %b:2, %c = a.b %x : i8, i16 -> (i1, i2, i3, i4)";
  (void)state;
  expect_type_of(generic, 0, 0, "i32");
  expect_type_of(generic, 0, 2, "t<4xi8, 2>");
  expect_type_of(generic, 0, 3, "");
  expect_type_of(named, 0, 0, "i1");
  expect_type_of(named, 2, 1, "i3");
  expect_type_of(named, 6, 0, "i4");
  /* As printers shorten them: one for all, one for each, the first behind an
   * arrow. */
  expect_type_of("%a, %b = arith.mulsi_extended %x, %y : i32", 2, 0, "i32");
  expect_type_of("%a, %b = arith.addui_extended %x, %y : i32, i1", 0, 0, "i32");
  expect_type_of("%a, %b = arith.addui_extended %x, %y : i32, i1", 2, 0, "i1");
  expect_type_of("%r:2 = scf.for %i = %a to %b step %c iter_args(%x = %p, "
                 "%y = %q) -> (f32, f64)  : i32 {\n}",
                 0, 1, "f64");
  expect_type("%r = scf.for %i = %a to %b step %c iter_args(%x = %p) -> (f32)"
              " : i32 {\n}",
              "f32");
}

static void test_types(void **state) {
  (void)state;
  expect_type("%0 = arith.addi %a, %b : i32", "i32");
  expect_type("%0 = arith.extf %a : f32 to f64", "f64");
  expect_type("%0 = call @f(%a) : (i32) -> tensor<4xf32>", "tensor<4xf32>");
  expect_type("%0 = scf.if %c -> (f32) {\n}", "f32");
  expect_type("%0 = \"a.b\"() <{x = 1 : i8}> : () -> !t.u<v> loc(#loc)",
              "!t.u<v>");
  expect_type("%0 = arith.select %c, %a, %b : i1, index // x", "index");
  expect_type("%0 = arith.cmpi slt, %a, %b : index", "i1");
  expect_type("%0 = tensor.extract %t[%i] : tensor<6x8xf32>", "f32");
  expect_type("%0 = memref.load %m[%i] : memref<?x!t.u<v>, strided<[1]>>",
              "!t.u<v>");
  expect_type("%0 = arith.cmpf oge, %a, %b : tensor<2x4xf32, #e>",
              "tensor<2x4xi1, #e>");
  expect_type("%0 = tt.addptr %a, %b : tensor<8x!tt.ptr<f32>, #b>, i32",
              "tensor<8x!tt.ptr<f32>, #b>");
  expect_type("%0 = tt.load %a, %m : tensor<8x!tt.ptr<f32>, #b> loc(#l)",
              "tensor<8xf32, #b>");
  expect_type("%0 = tt.load %a {x = 1} : !tt.ptr<f16, 1>", "f16");
  expect_type("%0 = memref.dim %m, %i : memref<?xf32>", "index");
  expect_type("%0 = affine.apply #map(%a)", "index");
  expect_type("%0 = arith.constant 4 : index", "index");
  expect_type("%0 = arith.constant true", "i1");
  expect_type("%0 = foo.bar", "");
  expect_type("%0 = foo.bar %a", "");
  expect_type("%0 = a.b ins(%x : i8) {\n^bb0(%y: i8):\n  c %y : i16\n"
              "} -> f64\n%1 = d : i2",
              "f64");
  expect_type("%0 = \"a.b\"() ({\n  %1 = c : i16\n}) {x} : () -> f64\nd",
              "f64");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tokens),
      cmocka_unit_test(test_languages),
      cmocka_unit_test(test_brackets),
      cmocka_unit_test(test_statements),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_types_of_several),
  };
  return cmocka_run_group_tests_name("text_parse", tests, NULL, NULL);
}
