/* What stands between the tool's text and the parser's: wrapped types,
 * expanded aliases, resource sections. */
#include "mlir_helper.h"

#include "../../../reducer/subject/ir/foreign.h"
#include "../../../reducer/subject/ir/mangle.h"
#include "../../../reducer/subject/mlir/alias.h"
#include "../../../reducer/subject/mlir/resources.h"

static struct cul_bytes bytes(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

/* text wrapped is wrapped, and comes back. */
static void check_wrap(const char *text, const char *wrapped) {
  struct cul_buf there = {0}, back = {0};
  cul_ir_mangle(bytes(text), &there);
  assert_string_equal(cul_buf_str(&there), wrapped);
  cul_ir_unmangle(cul_buf_bytes(&there), &back);
  assert_string_equal(cul_buf_str(&back), text);
  cul_buf_release(&there);
  cul_buf_release(&back);
}

static void wraps_memory_spaces(void **state) {
  (void)state;
  check_wrap("memref<4xf32, #gpu.address_space<workgroup>>",
             "memref<4xf32, \"cul#gpu.address_space<workgroup>\">");
  check_wrap("memref<?x4xf32, strided<[?, 1], offset: ?>, #s.c<A>>",
             "memref<?x4xf32, strided<[?, 1], offset: ?>, \"cul#s.c<A>\">");
  check_wrap("memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>, #a.b>",
             "memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>, "
             "\"cul#a.b\">");
  check_wrap("memref<*xf32, #a.b<\"x\\22\">>",
             "memref<*xf32, \"cul#a.b<\\\"x\\\\22\\\">\">");
  check_wrap("(memref<f32, #a.b>) -> tensor<4xmemref<2xi8, #c.d>>",
             "(memref<f32, \"cul#a.b\">) -> "
             "tensor<4xmemref<2xi8, \"cul#c.d\">>");
}

static void wraps_foreign_elements(void **state) {
  (void)state;
  check_wrap("vector<4x!llvm.ptr>", "!cul.type<vector<4x!llvm.ptr>>");
  check_wrap("vector<[4]x2x!llvm.ptr<3>>",
             "!cul.type<vector<[4]x2x!llvm.ptr<3>>>");
  check_wrap("tensor<2xvector<2x!a.b>>", "tensor<2x!cul.type<vector<2x!a.b>>>");
  check_wrap("memref<?x!a.b<memref<4xf32, #c.d>>>",
             "!cul.type<memref<?x!a.b<memref<4xf32, #c.d>>>>");
}

static void leaves_the_rest(void **state) {
  (void)state;
  check_wrap("memref<4xf32, 3>", "memref<4xf32, 3>");
  check_wrap("memref<4xf32, \"s\">", "memref<4xf32, \"s\">");
  check_wrap("\"memref<4xf32, #a.b>\"", "\"memref<4xf32, #a.b>\"");
  check_wrap("// memref<4xf32, #a.b>\n", "// memref<4xf32, #a.b>\n");
  check_wrap("!foo.memref<4, #a.b>", "!foo.memref<4, #a.b>");
  check_wrap("@memref<4xf32, #a.b>", "@memref<4xf32, #a.b>");
  check_wrap("tensor<4x!a.b, #a.b>", "tensor<4x!a.b, #a.b>");
  /* Damaged text passes through. */
  check_wrap("memref<4xf32, #a.b", "memref<4xf32, #a.b");
  check_wrap("vector<4x!a.b<\"", "vector<4x!a.b<\"");
}

static void check_part(const char *text, const char *rest) {
  assert_string_equal(text + cul_ir_part_end(text, 0), rest);
}

static void finds_the_end_of_a_part(void **state) {
  (void)state;
  check_part("tensor<4xf32>, 3>", ", 3>");
  check_part("(i32) -> (f32)>", ">");
  check_part("\"a, b\">", ">");
  check_part("tensor<4xf32, \"a\\\"\">, 3>", ", 3>");
  /* the backslash that ends the string is written as two */
  check_part("tensor<4xf32, \"a\\\\\">, 3>", ", 3>");
}

static void check_expand(const char *text, const char *expanded) {
  struct cul_buf out = {0};
  cul_ir_expand_aliases(bytes(text), &out);
  assert_string_equal(cul_buf_str(&out), expanded);
  cul_buf_release(&out);
}

static void expands_aliases(void **state) {
  (void)state;
  check_expand("#a = #x.y<1>\n\"op\"() {k = #a, l = #ab, m = \"#a\"}\n",
               "\n\"op\"() {k = #x.y<1>, l = #ab, m = \"#a\"}\n");
  /* One inside another, a type, several lines. */
  check_expand("#a = 1 : i32\n#b = #x.y<[#a,\n 2]>\n!t = !x.t<#b>\n!t #b1 #b\n",
               "\n\n\n\n!x.t<#x.y<[1 : i32,\n 2]>> #b1 #x.y<[1 : i32,\n 2]>\n");
  check_expand("#m = affine_map<(d0) -> (d0)>\n#m\n",
               "\naffine_map<(d0) -> (d0)>\n");
  /* Locations stay; so do attributes of dialects. */
  check_expand("#loc = loc(\"f\":1:1)\nloc(#loc) #d.x = 1\n",
               "#loc = loc(\"f\":1:1)\nloc(#loc) #d.x = 1\n");
}

static const char section[] =
    "{-#\n"
    "  dialect_resources: {\n"
    "    builtin: {\n"
    "      one: \"0x0400000000000000\",\n"
    "      \"t w\": \"0x0400000001000000\"\n"
    "    },\n"
    "    other: { three: \"0x04#-}\" }\n"
    "  },\n"
    "  external_resources: { tool: { pipeline: \"{a}\", on: true } }\n"
    "#-}\n";

static void check_resources(const char *module, const char *kept) {
  char *text = cul_xasprintf("%s%s", module, section);
  struct cul_buf rest = {0}, cut = {0};
  char *all = cul_xasprintf("%s%s", module, kept);
  cul_ir_resources_cut(bytes(text), &rest, &cut);
  assert_null(strstr(cul_buf_str(&rest), "resources"));
  cul_buf_clear(&rest);
  cul_buf_adds(&rest, module);
  cul_ir_resources_add(cul_buf_bytes(&cut), &rest);
  assert_string_equal(cul_buf_str(&rest), all);
  cul_buf_release(&rest);
  cul_buf_release(&cut);
  free(all);
  free(text);
}

static void keeps_named_resources(void **state) {
  (void)state;
  check_resources("dense_resource<one> \"{-#\" // {-#\n",
                  "\n{-#\n"
                  "  dialect_resources: {\n"
                  "    builtin: {\n"
                  "      one: \"0x0400000000000000\"\n"
                  "    }\n"
                  "  },\n"
                  "  external_resources: { tool: { pipeline: \"{a}\", on: "
                  "true } }\n"
                  "#-}\n");
  check_resources("dense_resource<\"t w\"> #other.r<three>\n",
                  "\n{-#\n"
                  "  dialect_resources: {\n"
                  "    builtin: {\n"
                  "      \"t w\": \"0x0400000001000000\"\n"
                  "    },\n"
                  "    other: {\n"
                  "      three: \"0x04#-}\"\n"
                  "    }\n"
                  "  },\n"
                  "  external_resources: { tool: { pipeline: \"{a}\", on: "
                  "true } }\n"
                  "#-}\n");
  check_resources("nothing\n",
                  "\n{-#\n"
                  "  external_resources: { tool: { pipeline: \"{a}\", on: "
                  "true } }\n"
                  "#-}\n");
}

/* Through the parser: both worlds, a dialect that nobody knows. */
static void foreign_resources_survive(void **state) {
  static const char text[] =
      "\"builtin.module\"() ({\n"
      "  %0 = \"x.y\"() {v = dense_resource<b> : tensor<1xi32>} : () -> i32\n"
      "}) : () -> ()\n"
      "{-# dialect_resources: { builtin: { b: \"0x0400000001000000\" },\n"
      "  torch: { c: \"0x0400000001000000\" } } #-}\n";
  static const enum cul_form forms[] = {CUL_FORM_OPAQUE, CUL_FORM_GENERIC};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(forms); i++) {
    struct cul_ir *ir = open_module(text, forms[i], true);
    assert_string_equal(verdict(ir), "");
    assert_written_has(ir, "dense_resource<b> : tensor<1xi32>");
    assert_written_has(ir, "b: \"0x0400000001000000\"");
    close_module(ir);
  }
}

/* An opaque module with aliases and spaces comes back whole. */
static void opaque_round_trip(void **state) {
  static const char text[] =
      "#ws = #gpu.address_space<workgroup>\n"
      "#in = #t.blocked<{a = [1]}>\n"
      "\"builtin.module\"() ({\n"
      "  \"x.y\"() {a = #t.slice<#in>, m = memref<4xf32, #ws>} : () -> ()\n"
      "}) : () -> ()\n";
  struct cul_ir *ir = open_opaque(text);
  (void)state;
  assert_written_has(ir, "a = #t.slice<#t.blocked<{a = [1]}>>, "
                         "m = memref<4xf32, #gpu.address_space<workgroup>>");
  close_module(ir);
}

/* Any text at all comes back, and nothing is read beyond its end. */
static void survives_any_text(void **state) {
  static const char *const pieces[] = {
      "memref<", "vector<", "4x",   "?x",           "!a.b", "#c.d<", ">",
      ",",       " ",       "\"",   "\\",           "->",   "(",     ")",
      "\n",      "#e = ",   "// ",  "{-#",          "#-}",  "{",     "}",
      "f32",     "*x",      "[4]x", "strided<[1]>", ": "};
  uint64_t random = 1;
  (void)state;
  for (int round = 0; round < 20000; round++) {
    struct cul_buf text = {0}, a = {0}, b = {0}, c = {0};
    char *exact;
    for (int i = 0; i < 12; i++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      cul_buf_adds(&text, pieces[(random >> 33) % CUL_ARRAY_SIZE(pieces)]);
    }
    /* Without the terminator, so that a sanitizer sees one byte too many. */
    exact = cul_xmalloc(text.len);
    memcpy(exact, text.data, text.len);
    cul_ir_mangle((struct cul_bytes){exact, text.len}, &a);
    cul_ir_unmangle(cul_buf_bytes(&a), &b);
    cul_buf_adds(&text, "");
    assert_string_equal(cul_buf_str(&b), cul_buf_str(&text));
    cul_buf_clear(&a);
    cul_ir_expand_aliases((struct cul_bytes){exact, text.len}, &a);
    cul_buf_clear(&a);
    cul_ir_resources_cut((struct cul_bytes){exact, text.len}, &a, &c);
    cul_ir_resources_add(cul_buf_bytes(&c), &a);
    free(exact);
    cul_buf_release(&text);
    cul_buf_release(&a);
    cul_buf_release(&b);
    cul_buf_release(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wraps_memory_spaces),
      cmocka_unit_test(wraps_foreign_elements),
      cmocka_unit_test(leaves_the_rest),
      cmocka_unit_test(finds_the_end_of_a_part),
      cmocka_unit_test(expands_aliases),
      cmocka_unit_test(keeps_named_resources),
      cmocka_unit_test(foreign_resources_survive),
      cmocka_unit_test(opaque_round_trip),
      cmocka_unit_test(survives_any_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
