/* What erasing tokens leaves side by side, and whether it was seen before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../../reducer/mutations/text/sites.h"
#include "../../../reducer/subject/text/text.h"
#include "text_invariants.h"

static const struct cul_subject_kind *kind_of(struct cul_text *text) {
  return text->head.kind;
}

static struct cul_subject *as_subject(struct cul_text *text) {
  return (struct cul_subject *)text;
}

static void look(struct cul_text *text, const struct cul_mutation *mutation,
                 const struct cul_sites *sites, struct cul_novel *out) {
  void *trial = kind_of(text)->trials->begin(as_subject(text), sites->n);
  for (uint32_t i = 0; trial && i < sites->n; i++) {
    (void)cul_mutation_apply(mutation, as_subject(text), sites, &i, 1);
    kind_of(text)->trials->tried(trial, &out[i]);
  }
  if (trial)
    kind_of(text)->trials->end(trial);
}

/* Of a site that is a token, or a range of them. */
static uint32_t first_token(const struct cul_mutation *mutation,
                            const struct cul_sites *sites, size_t i) {
  const struct cul_text_each *each = mutation->how;
  return each->tokens ? (uint32_t)sites->detail[i]
                      : cul_text_high(sites->detail[i]);
}

/* The sites of the mutation whose edit leaves nothing novel, each by its
 * first token. */
static void plain_sites(struct cul_text *text, const char *name,
                        struct cul_buf *out) {
  const struct cul_mutation *mutation = cul_mutation_find(name);
  struct cul_sites sites = {0};
  struct cul_novel *novel;
  cul_mutation_sites(mutation, as_subject(text), &sites);
  novel = cul_xcalloc(sites.n + 1, sizeof *novel);
  look(text, mutation, &sites, novel);
  for (size_t i = 0; i < sites.n; i++) {
    struct cul_bytes token =
        cul_text_token(text, first_token(mutation, &sites, i));
    assert_true(novel[i].what[0] || !novel[i].what[1]);
    if (!novel[i].what[0])
      cul_buf_addf(out, "%s%.*s", out->len ? " " : "", (int)token.len,
                   token.data);
  }
  free(novel);
  cul_sites_release(&sites);
}

static void expect_plain(const char *bytes, const char *mutation,
                         const char *want) {
  struct cul_text *text = open_text(bytes, strlen(bytes));
  struct cul_buf got = {0}, after = {0};
  kind_of(text)->keep(as_subject(text));
  plain_sites(text, mutation, &got);
  assert_string_equal(cul_buf_str(&got), want);
  write_text(text, &after); /* every trial was taken back */
  assert_string_equal(cul_buf_str(&after), bytes);
  assert_false(text->edited);
  cul_buf_release(&got);
  cul_buf_release(&after);
  close_text(text);
}

static void test_python(void **state) {
  (void)state;
  /* "x" is a line as "b(a)" is one; "x = y(a, b)" without b ends in ", )". */
  expect_plain("import x\nx = y(a, b)\ny(a)\n", "text-erase-tokens", "import");
  expect_plain("import x\nx = y(a, -b)\ny(-a, c)\n", "text-erase-tokens",
               "import - -");
  expect_plain("def f():\n  a()\n  b()\ndef g():\n  a()\nb()\n",
               "text-erase-tokens", "def def");
}

static void test_brackets(void **state) {
  (void)state;
  expect_plain("int f(int a) { return (a); }\nint g() { return a; }\n",
               "text-erase-balanced", "int a");
}

/* Nobody knows the grammar of plain text. */
static void test_plain(void **state) {
  (void)state;
  expect_plain("dear reader\n", "text-erase-tokens", "dear reader");
}

/* What was accepted is not novel any more. */
static void test_learns(void **state) {
  const char *bytes = "a = f(x)\nb = f(x, y)\n";
  struct cul_text *text = open_text(bytes, strlen(bytes));
  const struct cul_mutation *erase = cul_mutation_find("text-erase-balanced");
  struct cul_sites sites = {0};
  struct cul_novel novel[8] = {0};
  uint32_t id = 1; /* what is inside the first brackets */
  (void)state;
  text->lang = cul_lang_named("python");
  kind_of(text)->keep(as_subject(text));
  cul_mutation_sites(erase, as_subject(text), &sites);
  assert_int_equal(sites.n, 4);
  look(text, erase, &sites, novel);
  assert_true(novel[1].what[0] && !novel[1].what[1]);
  assert_int_equal(novel[3].what[0], novel[1].what[0]);
  (void)cul_mutation_apply(erase, as_subject(text), &sites, &id, 1);
  kind_of(text)->keep(as_subject(text));
  cul_sites_clear(&sites);
  cul_mutation_sites(erase, as_subject(text), &sites);
  memset(novel, 0, sizeof novel);
  look(text, erase, &sites, novel);
  assert_int_equal(sites.n, 3); /* () encloses nothing */
  assert_int_equal(novel[2].what[0], 0);
  cul_sites_release(&sites);
  close_text(text);
}

/* What is erased between two words leaves two words, although they would be
 * one in this language without the brackets. */
static void test_words_stay_apart(void **state) {
  static const char bytes[] =
      ".version 7.0\n.entry k(.param .u32 p) .maxntid 1\n{\nret;\n}\n";
  const struct cul_mutation *erase = cul_mutation_find("text-erase-balanced");
  struct cul_text *text = open_text(bytes, strlen(bytes));
  struct cul_sites sites = {0};
  struct cul_buf after = {0};
  uint32_t first = 0;
  (void)state;
  cul_mutation_sites(erase, as_subject(text), &sites);
  (void)cul_mutation_apply(erase, as_subject(text), &sites, &first, 1);
  write_text(text, &after);
  assert_string_equal(cul_buf_str(&after),
                      ".version 7.0\n.entry k .maxntid 1\n{\nret;\n}\n");
  cul_sites_release(&sites);
  cul_buf_release(&after);
  close_text(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_python),
      cmocka_unit_test(test_brackets),
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_learns),
      cmocka_unit_test(test_words_stay_apart),
  };
  return cmocka_run_group_tests_name("text_pairs", tests, NULL, NULL);
}
