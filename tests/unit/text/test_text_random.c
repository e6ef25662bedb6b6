/* Random texts, in the shape of each language and in none: whatever the bytes
 * are, nothing is lost, nothing is broken, nothing takes long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../rounds.h"
#include "text_invariants.h"

static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Words that the parser treats in ways of their own. */
static const char *const words[] = {"{",
                                    "}",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    "<",
                                    ">",
                                    "\n",
                                    "\n",
                                    "\n  ",
                                    "\n    ",
                                    " ",
                                    "  ",
                                    "\t",
                                    "\"",
                                    "'",
                                    "\\",
                                    "//",
                                    "/*",
                                    "*/",
                                    "#",
                                    ";",
                                    ":",
                                    ",",
                                    "=",
                                    "->",
                                    "%0",
                                    "%a",
                                    "%a:2",
                                    "%0#1",
                                    "@f",
                                    "@\"g h\"",
                                    "^bb1",
                                    "!t",
                                    "x",
                                    "4x",
                                    "4x8xf32",
                                    "0x1F",
                                    "1.5e-3",
                                    "tensor<",
                                    "dense<",
                                    "func.func @f",
                                    "module {",
                                    "%x = add",
                                    "return",
                                    "else",
                                    "else {",
                                    "def f():",
                                    "if x:",
                                    "define i32 @f(i32 %n) {",
                                    "\"\"\"",
                                    "'''",
                                    "\r\n",
                                    "<{",
                                    "}>",
                                    "sym_name = \"f\"",
                                    "iter_args(%i = %j)",
                                    "\xff\xfe",
                                    "loc(",
                                    "\n#if A\n",
                                    "\n#else\n",
                                    "\n#endif\n",
                                    "\n#include <a>\n",
                                    "#define A {",
                                    "R\"x(",
                                    ")x\"",
                                    "\\\n",
                                    "\n@a(\n",
                                    "\n@a\n",
                                    "to",
                                    "into"};

static void make_words(uint64_t seed, struct cul_buf *out) {
  uint32_t n = next(&seed) % 120;
  cul_buf_clear(out);
  cul_buf_reserve(out, 1);
  for (uint32_t i = 0; i < n; i++)
    cul_buf_adds(out, words[next(&seed) % CUL_ARRAY_SIZE(words)]);
}

static void make_bytes(uint64_t seed, struct cul_buf *out) {
  uint32_t n = next(&seed) % 300;
  cul_buf_clear(out);
  cul_buf_reserve(out, 1);
  for (uint32_t i = 0; i < n; i++)
    cul_buf_addc(out, (char)next(&seed));
}

static void test_random_words(void **state) {
  struct cul_buf text = {0};
  (void)state;
  for (uint64_t seed = 0; seed < ROUNDS(200); seed++) {
    make_words(seed, &text);
    check_text(text.data, text.len, seed);
  }
  cul_buf_release(&text);
}

static void test_random_bytes(void **state) {
  struct cul_buf text = {0};
  (void)state;
  for (uint64_t seed = 0; seed < ROUNDS(100); seed++) {
    make_bytes(seed, &text);
    check_text(text.data, text.len, seed);
  }
  cul_buf_release(&text);
}

/* Texts that make a careless parser quadratic, or deeply recursive. */
static void test_hard_shapes_take_linear_time(void **state) {
  static const char *const parts[] = {
      "{\n",    "(",     "}",        ")",          "[(",   "\"\\",
      "'",      "%a ",   "%a=",      "<",          "a<",   "/*",
      "{\n}\n", "x:\n",  "\n#if\n{", "\n#else\n}", "\\\n", "\t",
      "^b:\n",  "@f(\n", "if x:\n ", "(,",         "{,",   "%0=%0\n"};
  struct cul_buf text = {0};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++) {
    cul_buf_clear(&text);
    for (int k = 0; k < ROUNDS(8000); k++)
      cul_buf_adds(&text, parts[i]);
    check_text(text.data, text.len, i);
  }
  cul_buf_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_words),
      cmocka_unit_test(test_random_bytes),
      cmocka_unit_test(test_hard_shapes_take_linear_time),
  };
  return cmocka_run_group_tests_name("text_random", tests, NULL, NULL);
}
