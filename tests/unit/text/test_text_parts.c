/* A large text is opened in parts, without tokens: what it holds, what edits
 * leave, and how it becomes an ordinary text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "text_invariants.h"

/* What a module of C may look like, all of it in `within` blocks. */
static void write_functions(size_t bytes, int within, struct cul_buf *out) {
  for (int i = 0; i < within; i++)
    cul_buf_addf(out, "namespace n%d {\n", i);
  for (int i = 0; out->len < bytes; i++)
    cul_buf_addf(out,
                 "int f%d(int a)\n{\n  /* { is no bracket here\n   */\n"
                 "  if (a > %d) {\n    return g(a, \"}\");\n  }\n\n"
                 "  return a + %d;\n}\n",
                 i, i % 7, i);
  for (int i = 0; i < within; i++)
    cul_buf_adds(out, "}\n");
}

static struct cul_text *open_large(const struct cul_buf *bytes, bool lives) {
  struct cul_reading how = {.form = CUL_FORM_TEXT, .lives = lives};
  struct cul_subject *subject = NULL;
  struct cul_err err = {0};
  assert_int_equal(cul_subject_kind_for(CUL_FORM_TEXT)
                       ->open(cul_buf_bytes(bytes), how, NULL, &subject, &err),
                   0);
  return cul_text_of(subject);
}

static size_t list(struct cul_text *text, const char *mutation,
                   struct cul_sites *out) {
  cul_sites_clear(out);
  cul_mutation_sites(cul_mutation_find(mutation), (struct cul_subject *)text,
                     out);
  return out->n;
}

static void apply(struct cul_text *text, const char *mutation,
                  const struct cul_sites *sites, uint32_t first,
                  uint32_t last) {
  uint32_t *ids = cul_xcalloc(sites->n + 1, sizeof *ids);
  size_t applied = 0;
  for (uint32_t i = first; i <= last; i++)
    ids[i - first] = i;
  applied = cul_mutation_apply(cul_mutation_find(mutation),
                               (struct cul_subject *)text, sites, ids,
                               last - first + 1);
  assert_int_equal(applied, last - first + 1);
  free(ids);
}

static uint64_t measured(struct cul_text *text) {
  struct cul_size size = {0};
  text->head.kind->measure((struct cul_subject *)text, &size);
  return size.ops;
}

/* As a text of these bytes is counted that was read as statements. */
static uint64_t counted(const struct cul_buf *bytes,
                        const struct cul_lang *lang) {
  struct cul_text *text = cul_text_parse(cul_buf_bytes(bytes), lang);
  uint64_t n = text->n_tokens;
  cul_text_free((struct cul_subject *)text);
  return n;
}

/* Parts tile the text, and their tokens those of the text. */
static void check_parts(const struct cul_text *text) {
  uint32_t at = 0, token = 0;
  for (size_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *part = &text->lines[i];
    assert_int_equal(part->start, at);
    assert_int_equal(part->first, token);
    assert_true(part->end > at && text->bytes[part->end - 1] == '\n');
    at = part->end;
    token += part->n;
  }
  assert_int_equal(at, text->len);
  assert_int_equal(token, text->n_tokens);
}

static void test_parts_hold_whole_functions(void **state) {
  (void)state;
  for (int within = 0; within < 3; within += 2) {
    struct cul_buf bytes = {0};
    struct cul_sites sites = {0};
    struct cul_text *text;
    size_t n;
    write_functions(CUL_TEXT_ROUGH, within, &bytes);
    text = open_large(&bytes, true);
    assert_true(text->state.rough && text->bytes == bytes.data);
    assert_null(text->tokens);
    check_lossless(text, bytes.data, bytes.len);
    check_parts(text);
    assert_int_equal(measured(text), counted(&bytes, text->lang));
    n = list(text, "text-keep-part", &sites);
    assert_in_range(n, 500, 1100);
    for (size_t i = 0; i < n; i++)
      assert_memory_equal(bytes.data + (sites.detail[i] >> 32), "int f", 5);
    cul_sites_release(&sites);
    close_text(text);
    cul_buf_release(&bytes);
  }
}

/* Tokens of what is left are known without reading it; the text stays rough
 * until little is left. */
static void test_edits_are_measured(void **state) {
  struct cul_buf bytes = {0}, left = {0};
  struct cul_sites sites = {0};
  struct cul_text *text;
  (void)state;
  write_functions(2 * CUL_TEXT_ROUGH, 1, &bytes);
  text = open_large(&bytes, true);
  list(text, "text-erase-parts", &sites);
  apply(text, "text-erase-parts", &sites, 3, 20);
  write_text(text, &left);
  assert_true(left.len < bytes.len);
  assert_int_equal(measured(text), counted(&left, text->lang));
  list(text, "text-keep-part", &sites);
  assert_true(text->state.rough && !text->edited && !text->state.borrowed);
  check_lossless(text, left.data, left.len);
  check_parts(text);
  apply(text, "text-keep-part", &sites, 100, 110);
  cul_buf_clear(&left);
  write_text(text, &left);
  assert_int_equal(measured(text), counted(&left, text->lang));
  assert_int_equal(list(text, "text-keep-part", &sites), 0);
  assert_true(list(text, "text-keep-range", &sites) > 0);
  assert_false(text->state.rough);
  assert_int_equal(text->n_tokens, counted(&left, text->lang));
  check_lossless(text, left.data, left.len);
  cul_sites_release(&sites);
  close_text(text);
  cul_buf_release(&bytes);
  cul_buf_release(&left);
}

/* Another mutation may read the text as statements while candidates of parts
 * are still made: sites name the same bytes then. */
static void test_parts_of_a_text_that_was_read(void **state) {
  struct cul_buf bytes = {0}, rough = {0}, read = {0};
  struct cul_sites sites = {0}, lines = {0};
  struct cul_text *text;
  (void)state;
  write_functions(CUL_TEXT_ROUGH, 1, &bytes);
  text = open_large(&bytes, false);
  assert_true(text->state.rough && text->bytes != bytes.data);
  list(text, "text-erase-parts", &sites);
  apply(text, "text-erase-parts", &sites, 7, 400);
  write_text(text, &rough);
  close_text(text);
  text = open_large(&bytes, true);
  list(text, "text-erase-parts", &sites);
  assert_true(list(text, "text-erase-lines", &lines) > 0);
  assert_false(text->state.rough);
  apply(text, "text-erase-parts", &sites, 7, 400);
  write_text(text, &read);
  assert_int_equal(rough.len, read.len);
  assert_memory_equal(rough.data, read.data, read.len);
  cul_sites_release(&sites);
  cul_sites_release(&lines);
  close_text(text);
  cul_buf_release(&bytes);
  cul_buf_release(&rough);
  cul_buf_release(&read);
}

/* Brackets of no use, and none: any line begins a part. */
static void test_any_text_has_parts(void **state) {
  static const char *const lines[] = {"((((\n", "}}}\n", "a b c\n"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(lines); i++) {
    struct cul_buf bytes = {0};
    struct cul_sites sites = {0};
    struct cul_text *text;
    while (bytes.len < CUL_TEXT_ROUGH)
      cul_buf_adds(&bytes, lines[i]);
    text = open_large(&bytes, true);
    check_parts(text);
    assert_in_range(list(text, "text-keep-part", &sites), 500, 1100);
    cul_sites_release(&sites);
    close_text(text);
    cul_buf_release(&bytes);
  }
}

/* What is checked as a whole, or nested by indentation, is read at once. */
static void test_small_and_indented_texts_are_read(void **state) {
  struct cul_buf bytes = {0};
  struct cul_text *text;
  (void)state;
  cul_buf_adds(&bytes, "import os\ndef f(x):\n  return x\n");
  text = open_large(&bytes, true);
  assert_false(text->state.rough || text->state.borrowed);
  close_text(text);
  while (bytes.len < CUL_TEXT_ROUGH)
    cul_buf_adds(&bytes, "def f(x):\n  return x\n");
  text = open_large(&bytes, true);
  assert_string_equal(text->lang->name, "python");
  assert_false(text->state.rough || text->state.borrowed);
  close_text(text);
  cul_buf_release(&bytes);
}

/* Candidates of PTX are checked where the input passes the check, which reads
 * tokens. */
static void test_checked_texts_are_read(void **state) {
  struct cul_reading how = {
      .form = CUL_FORM_TEXT, .check = true, .lives = true};
  struct cul_buf bytes = {0};
  struct cul_subject *subject = NULL;
  struct cul_err err = {0};
  (void)state;
  cul_buf_adds(&bytes, ".version 8.0\n.target sm_80\n");
  while (bytes.len < CUL_TEXT_ROUGH)
    cul_buf_adds(&bytes, ".entry k(.param .u64 p)\n{\n  ret;\n}\n");
  assert_int_equal(cul_subject_kind_for(CUL_FORM_TEXT)
                       ->open(cul_buf_bytes(&bytes), how, NULL, &subject, &err),
                   0);
  assert_string_equal(cul_text_of(subject)->lang->name, "ptx");
  assert_false(cul_text_of(subject)->state.rough);
  assert_true(cul_text_of(subject)->state.check);
  close_text(cul_text_of(subject));
  cul_buf_release(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_hold_whole_functions),
      cmocka_unit_test(test_edits_are_measured),
      cmocka_unit_test(test_parts_of_a_text_that_was_read),
      cmocka_unit_test(test_any_text_has_parts),
      cmocka_unit_test(test_small_and_indented_texts_are_read),
      cmocka_unit_test(test_checked_texts_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
