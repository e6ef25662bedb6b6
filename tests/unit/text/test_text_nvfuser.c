/* Definitions of nvFuser: what fits and what does not, what goes with what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../../reducer/subject/text/language/language.h"
#include "../../../reducer/subject/text/nvfuser.h"
#include "text_invariants.h"

/* Two inputs, 4x6 with a gap and 6. */
#define HEAD                                                                   \
  "import torch\n"                                                             \
  "from nvfuser import FusionDefinition, DataType\n"                           \
  "def nvfuser_fusion_id1(fd : FusionDefinition) -> None :\n"                  \
  "    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[False, True])\n"      \
  "    T1 = fd.define_tensor(shape=[6], contiguity=[True])\n"
#define TAIL                                                                   \
  "with FusionDefinition() as fd:\n"                                           \
  "    nvfuser_fusion_id1(fd)\n"                                               \
  "inputs = [\n"                                                               \
  "    torch.randn(30).as_strided((4, 6), (8, 1)),\n"                          \
  "    torch.randn(6).as_strided((6,), (1,)),\n"                               \
  "]\n"                                                                        \
  "fd.execute(inputs)\n"

static struct cul_text *parse(const char *text) {
  return cul_text_parse((struct cul_bytes){text, strlen(text)},
                        cul_lang_guess(text, strlen(text)));
}

static bool holds(const char *script) {
  struct cul_text *text = parse(script);
  uint32_t token;
  bool good;
  assert_true(cul_text_is_nvfuser(text));
  good = cul_text_nvfuser.holds(text, &token);
  cul_text_free((struct cul_subject *)text);
  return good;
}

/* Statements behind the inputs; an output of T9. */
static bool body_holds(const char *statements) {
  char *script =
      cul_xasprintf(HEAD "%s    fd.add_output(T9)\n" TAIL, statements);
  bool good = holds(script);
  free(script);
  return good;
}

static void test_operations(void **state) {
  static const struct {
    const char *statements;
    bool fits;
  } rows[] = {
      {"    T9 = fd.ops.neg(T0)\n", true},
      {"    T9 = fd.ops.neg(T7)\n", false},
      {"    T9 = fd.ops.add(T0, T0)\n", true},
      {"    T9 = fd.ops.add(T0, T1)\n", false},
      {"    T9 = fd.ops.permute(T0, dims=[1, 0])\n", true},
      {"    T9 = fd.ops.permute(T0, dims=[0, 0])\n", false},
      {"    T9 = fd.ops.permute(T0, dims=[0])\n", false},
      {"    T9 = fd.ops.sum(T0, dims=[1], keepdim=False)\n", true},
      {"    T9 = fd.ops.sum(T0, dims=[2], keepdim=False)\n", false},
      {"    T9 = fd.ops.sum(T0, dims=[], keepdim=False)\n", false},
      {"    T8 = fd.ops.sum(T0, dims=[0], keepdim=False)\n"
       "    T9 = fd.ops.mul(T8, T1)\n",
       true},
      {"    T8 = fd.ops.sum(T0, dims=[1], keepdim=False)\n"
       "    T9 = fd.ops.mul(T8, T1)\n",
       false},
      {"    T9 = fd.ops.broadcast_in_dim(T1, shape=[4, 6], "
       "broadcast_dims=[1])\n",
       true},
      {"    T9 = fd.ops.broadcast_in_dim(T1, shape=[4, 6], "
       "broadcast_dims=[0])\n",
       false},
      {"    S2 = fd.define_scalar(2, dtype=DataType.Int)\n"
       "    S3 = fd.define_scalar(12, dtype=DataType.Int)\n"
       "    V4 = fd.define_vector([S2, S3], dtype=DataType.Int)\n"
       "    T9 = fd.ops.reshape(T0, new_shape=V4)\n",
       true},
      {"    T9 = fd.ops.reshape(T0, new_shape=[2, 6])\n", false},
      {"    T9 = fd.ops.slice(T0, start_indices=[0, 2], end_indices=[4, 6], "
       "strides=[1, 1])\n",
       true},
      {"    T9 = fd.ops.slice(T0, start_indices=[0, 2], end_indices=[4, 7], "
       "strides=[1, 1])\n",
       false},
      {"    T9 = fd.ops.cat([T0, T0], dim=1)\n", true},
      {"    T9 = fd.ops.cat([T0, T1], dim=1)\n", false},
      {"    T8 = fd.ops.permute(T0, dims=[1, 0])\n"
       "    T9 = fd.ops.matmul(T0, T8)\n",
       true},
      {"    T9 = fd.ops.matmul(T0, T0)\n", false},
      /* What is not known fits. */
      {"    T8 = fd.ops.scaled_grouped_thing(T0, T1)\n"
       "    T9 = fd.ops.add(T8, T0)\n",
       true},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++)
    if (body_holds(rows[i].statements) != rows[i].fits)
      fail_msg("%s", rows[i].statements);
}

static void test_script(void **state) {
  (void)state;
  assert_false(holds(HEAD "    T2 = fd.ops.neg(T0)\n" TAIL)); /* no output */
  /* An input without its entry, an entry of another rank. */
  assert_false(holds(HEAD "    T2 = fd.define_tensor(shape=[-1])\n"
                          "    fd.add_output(T0)\n" TAIL));
  assert_false(holds("def nvfuser_fusion(fd : FusionDefinition) -> None :\n"
                     "    T0 = fd.define_tensor(shape=[-1, -1])\n"
                     "    fd.add_output(T0)\n"
                     "inputs = [torch.randn(6).as_strided((6,), (1,))]\n"));
  /* Words that nothing imports. */
  assert_false(holds("def nvfuser_fusion_id1(fd : FusionDefinition) -> None :\n"
                     "    T0 = fd.define_tensor(shape=[-1, -1])\n"
                     "    T1 = fd.define_tensor(shape=[6])\n"
                     "    fd.add_output(T0)\n" TAIL));
}

/* The first line that starts so; NONE: there is none. */
static uint32_t line_of(const struct cul_text *text, const char *name) {
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].n && cul_text_token_is(text, text->lines[i].first, name))
      return i;
  return CUL_TEXT_NONE;
}

static void expect_after(const char *script, const char *erased,
                         const char *want) {
  struct cul_text *text = parse(script);
  struct cul_pieces out = {0};
  assert_true(cul_text_erase_line(text, line_of(text, erased)));
  cul_text_nvfuser.finish(text);
  cul_text_pieces((struct cul_subject *)text, &out);
  cul_pieces_flatten(&out);
  assert_int_equal(out.own.len, strlen(want));
  assert_memory_equal(out.own.data, want, out.own.len);
  cul_pieces_release(&out);
  cul_text_free((struct cul_subject *)text);
}

static void test_goes_along(void **state) {
  (void)state;
  /* T2 and its input are read by T3 alone. */
  expect_after(
      "def nvfuser_fusion(fd : FusionDefinition) -> None :\n"
      "    T0 = fd.define_tensor(shape=[-1])\n"
      "    T1 = fd.define_tensor(shape=[-1])\n"
      "    T2 = fd.ops.neg(T1)\n"
      "    T3 = fd.ops.add(T0, T2)\n"
      "    fd.add_output(T0)\n"
      "inputs = [a.as_strided((2,), (1,)), b.as_strided((3,), (1,))]\n",
      "T3",
      "def nvfuser_fusion(fd : FusionDefinition) -> None :\n"
      "    T0 = fd.define_tensor(shape=[-1])\n"
      "    fd.add_output(T0)\n"
      "inputs = [a.as_strided((2,), (1,)),]\n");
  /* A scalar without a value is an input, too. */
  expect_after("def nvfuser_fusion(fd : FusionDefinition) -> None :\n"
               "    S0 = fd.define_scalar(None, dtype=DataType.Int)\n"
               "    T1 = fd.define_tensor(shape=[-1])\n"
               "    fd.add_output(T1)\n"
               "inputs = [\n"
               "    3,\n"
               "    a.as_strided((2,), (1,)),\n"
               "]\n",
               "S0",
               "def nvfuser_fusion(fd : FusionDefinition) -> None :\n"
               "    T1 = fd.define_tensor(shape=[-1])\n"
               "    fd.add_output(T1)\n"
               "inputs = [\n"
               "    a.as_strided((2,), (1,)),\n"
               "]\n");
}

static void test_lost_feeds(void **state) {
  static const char joined[] =
      "import torch def nvfuser_fusion(fd : FusionDefinition) -> None : T0 = "
      "fd.define_tensor(shape=[-1]) T1 = fd.ops.neg(T0) fd.add_output(T1)";
  static const char good[] = HEAD "    fd.add_output(T0)\n" TAIL;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(cul_text_nvfuser.refuse(
                       (struct cul_bytes){joined, sizeof joined - 1}, &err),
                   CUL_EUSAGE);
  assert_non_null(strstr(err.what, "line breaks"));
  assert_int_equal(
      cul_text_nvfuser.refuse((struct cul_bytes){good, sizeof good - 1}, &err),
      0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operations), cmocka_unit_test(test_script),
      cmocka_unit_test(test_goes_along), cmocka_unit_test(test_lost_feeds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
