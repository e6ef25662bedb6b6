/* Rule files: every example holds; a user's own rules; bad rules. */
#include "oracle_helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../base/files/file.h"

static char dir[] = BINARY_DIR "/unit/rules-XXXXXX";

static int make_dir(void **state) {
  (void)state;
  return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
  (void)state;
  cul_rmtree(dir);
  return 0;
}

static void put_file(const char *name, const char *text) {
  struct cul_err err;
  char *path = cul_xasprintf("%s/%s", dir, name);
  assert_int_equal(cul_file_write(path, text, strlen(text), 0600, &err), 0);
  free(path);
}

static void drop_file(const char *name) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  remove(path);
  free(path);
}

static void every_example_holds(void **state) {
  struct cul_rules *rules = make_rules();
  struct cul_buf failures = {0};
  size_t n = cul_rules_check(rules, &failures);
  (void)state;
  assert_string_equal(cul_buf_str(&failures), "");
  assert_true(n >= 2 * (rules->n_rules + rules->n_norms));
  assert_true(rules->n_rules >= 50);
  for (int i = 0; i < CUL_N_LISTS; i++)
    assert_true(rules->lists[i].n > 5);
  cul_buf_release(&failures);
  cul_rules_free(rules);
}

static void a_wrong_example_is_reported(void **state) {
  struct cul_rules *rules;
  struct cul_err err;
  struct cul_buf failures = {0};
  (void)state;
  put_file("local.rules", "rule mine\nkind fatal\nrank 60\nfind oops\n"
                          "match oops: (.*)\ntext $1\n"
                          "yes oops: 1\ngives 1\nno oops: 2\n"
                          "rule lonely\nkind fatal\nrank 60\nfind x\n"
                          "match x\ntext\nyes y\n");
  assert_int_equal(cul_rules_load(dir, &rules, &err), 0);
  cul_rules_check(rules, &failures);
  assert_non_null(strstr(cul_buf_str(&failures),
                         "mine: unexpected text: 'oops: 1' gives 'N'"));
  assert_non_null(strstr(cul_buf_str(&failures), "mine: matches: 'oops: 2'"));
  assert_non_null(strstr(cul_buf_str(&failures),
                         "lonely: has no example that does not match"));
  assert_non_null(
      strstr(cul_buf_str(&failures), "lonely: does not match: 'y'"));
  cul_buf_release(&failures);
  cul_rules_free(rules);
  drop_file("local.rules");
}

static void a_users_rule_is_used(void **state) {
  struct cul_rules *rules, *plain = make_rules();
  struct cul_err err;
  struct cul_signature sig, own;
  const char *text = "frobnicator: wheel 7 fell off\n";
  (void)state;
  put_file("local.rules", "rule frob\nkind fatal\nrank 75\nfind frobnicator: \n"
                          "match frobnicator: (.*)$\ntext $1\n"
                          "yes frobnicator: a\ngives a\nno frob: a\n");
  put_file("local.frames", "list helper\nmine::wrap\nyes mine::wrap\nno x\n");
  setenv("CULPRIT_RULES", dir, 1);
  assert_int_equal(cul_rules_new(&rules, &err), 0);
  unsetenv("CULPRIT_RULES");
  sig = read_signature(plain, CUL_EXITED, 3, text);
  assert_int_equal(sig.kind, CUL_KIND_EXIT);
  own = read_signature(rules, CUL_EXITED, 3, text);
  assert_int_equal(own.kind, CUL_KIND_FATAL);
  assert_string_equal(own.text, "wheel N fell off");
  assert_string_equal(own.rule, "frob");
  assert_true(cul_list_has(&rules->lists[CUL_LIST_HELPER], "mine::wrap", 0));
  /* Keys under other rules are other keys. */
  own = read_signature(rules, CUL_EXITED, 4, "");
  sig = read_signature(plain, CUL_EXITED, 4, "");
  assert_false(cul_digest_equal(&sig.key, &own.key));
  cul_rules_free(rules);
  cul_rules_free(plain);
  drop_file("local.rules");
  drop_file("local.frames");
}

static void a_users_file_replaces_ours(void **state) {
  struct cul_rules *rules;
  struct cul_err err;
  struct cul_signature sig;
  (void)state;
  put_file("python.rules", "# none\n");
  assert_int_equal(cul_rules_load(dir, &rules, &err), 0);
  sig = read_signature(rules, CUL_EXITED, 1, "ValueError: no\n");
  assert_int_equal(sig.kind, CUL_KIND_EXIT);
  cul_rules_free(rules);
  drop_file("python.rules");
}

static void refuse(const char *name, const char *text, const char *what) {
  struct cul_rules *rules;
  struct cul_err err = {0};
  put_file(name, text);
  assert_int_equal(cul_rules_load(dir, &rules, &err), CUL_EUSAGE);
  if (!strstr(err.what, what))
    fail_msg("'%s' does not say '%s'", err.what, what);
  assert_true(err.advice[0] != '\0');
  assert_null(rules);
  drop_file(name);
}

static void bad_rules_are_refused_with_their_line(void **state) {
  (void)state;
  refuse("local.rules", "rule a\nkind fatal\nmatch a(\n", "local.rules:3:");
  refuse("local.rules", "# x\nkind fatal\n", "local.rules:2:");
  refuse("local.rules", "rule a\nkind strange\n", "unknown kind 'strange'");
  refuse("local.rules", "rule a\nrank many\n", "not a number");
  refuse("local.rules", "rule a\nrank 3\n\nfind x\n", "needed in 'a'");
  refuse("local.rules", "rule a\ncolour red\n", "unknown key 'colour'");
  refuse("local.rules", "rule a\n| more\n", "no example to continue");
  refuse("local.rules", "rule a\ngives more\n", "no example before");
  refuse("local.rules", "rule a\nfind a\n# of b rule b\nfind b\n",
         "local.rules:4: its entry has this key already: 'b'");
  refuse("local.rules",
         "rule a\nkind test\nrank 1\nfind a\nabove 1\nmatch a\ntext\n",
         "local.rules:1: rules of its kind see no lines 'above': 'a'");
  refuse("local.rules",
         "rule a\nkind prefix\nrank 1\nfind a\nbelow 1\nmatch a\ntext\n",
         "rules of its kind see no lines 'below': 'a'");
  refuse("local.rules",
         "rule a\nkind fatal\nrank 1\nfind a\nmatch a\ntext\n"
         "rule a\nkind fatal\nrank 1\nfind b\nmatch b\ntext\n",
         "local.rules:7: another rule of this file is called 'a'");
  refuse("local.norm", "sub a\nmatch [\n", "local.norm:2:");
  refuse("local.norm", "sub a\nmatch a\n", "needed in 'a'");
  refuse("local.norm", "sub a\nyes a\n", "TEXT => RESULT");
  refuse("local.frames", "foo\n", "'list NAME' must precede");
  refuse("local.frames", "list nothing\n", "no list is called 'nothing'");
}

struct hits {
  size_t n, word[16], end[16];
};

static void note_hit(void *arg, size_t word, size_t end) {
  struct hits *hits = arg;
  assert_true(hits->n < 16);
  hits->word[hits->n] = word;
  hits->end[hits->n++] = end;
}

static void literals_are_all_found(void **state) {
  const char *words[] = {"he", "she", "his", "hers", "he"};
  struct cul_literals *l = cul_literals_new(words, 5);
  struct hits hits = {0};
  (void)state;
  cul_literals_scan(l, (struct cul_bytes){"ushers\nhis", 10}, note_hit, &hits);
  assert_int_equal(hits.n, 5);
  assert_int_equal(hits.word[0], 1); /* she */
  assert_int_equal(hits.end[0], 4);
  assert_int_equal(hits.word[1] + hits.word[2], 4); /* both he */
  assert_int_equal(hits.word[3], 3);                /* hers */
  assert_int_equal(hits.end[3], 6);
  assert_int_equal(hits.word[4], 2); /* his */
  cul_literals_free(l);
  cul_literals_free(NULL);
}

struct sums {
  uint64_t hits, words;
};

static void add_hit(void *arg, size_t word, size_t end) {
  struct sums *sums = arg;
  sums->hits++;
  sums->words += (word + 1) * (end + 7) * (end + 7);
}

/* Words that overlap in every way, in texts that lead to each state by
 * different ways and more than once: as a search for each word finds them. */
static void overlapping_words_are_found(void **state) {
  enum { WORDS = 40, TEXT = 3000 };
  static char words[WORDS][9];
  static char text[TEXT];
  const char *list[WORDS];
  uint32_t seed = 1;
  (void)state;
  for (int round = 0; round < 50; round++) {
    struct sums found = {0}, wanted = {0};
    struct cul_literals *l;
    for (size_t w = 0; w < WORDS; w++) {
      size_t len = 1 + ((seed = seed * 1103515245u + 12345u) >> 16) % 8;
      for (size_t i = 0; i < len; i++)
        words[w][i] =
            (char)('a' + ((seed = seed * 1103515245u + 12345u) >> 16) % 3);
      words[w][len] = '\0';
      list[w] = words[w];
    }
    for (size_t i = 0; i < TEXT; i++)
      text[i] = (char)('a' + ((seed = seed * 1103515245u + 12345u) >> 16) % 4);
    for (size_t w = 0; w < WORDS; w++)
      for (size_t len = strlen(words[w]), i = 0; i + len <= TEXT; i++)
        if (!memcmp(text + i, words[w], len))
          add_hit(&wanted, w, i + len);
    l = cul_literals_new(list, WORDS);
    for (int again = 0; again < 2; again++) {
      found = (struct sums){0};
      cul_literals_scan(l, (struct cul_bytes){text, TEXT}, add_hit, &found);
      assert_int_equal(found.hits, wanted.hits);
      assert_int_equal(found.words, wanted.words);
    }
    cul_literals_free(l);
  }
}

/* Ours are compiled when they are first used; one that is no expression ends
 * the process. */
static void every_expression_compiles(void **state) {
  struct cul_rules *rules;
  struct cul_err err;
  (void)state;
  assert_int_equal(cul_rules_load(NULL, &rules, &err), 0);
  for (size_t i = 0; i < rules->n_rules; i++)
    assert_non_null(cul_regex_code(rules->rules[i].regex));
  for (size_t i = 0; i < rules->n_norms; i++)
    assert_non_null(cul_regex_code(rules->norms[i].regex));
  for (size_t i = 0; i < rules->n_lines; i++)
    assert_non_null(cul_regex_code(rules->lines[i].regex));
  cul_rules_free(rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_expression_compiles),
      cmocka_unit_test(overlapping_words_are_found),
      cmocka_unit_test(every_example_holds),
      cmocka_unit_test(a_wrong_example_is_reported),
      cmocka_unit_test(a_users_rule_is_used),
      cmocka_unit_test(a_users_file_replaces_ours),
      cmocka_unit_test(bad_rules_are_refused_with_their_line),
      cmocka_unit_test(literals_are_all_found),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
