/* Rules of operations: the format, what is refused, how one is found; and that
 * every example beside a rule holds before the verifier. */
#include "mlir_helper.h"

#include <sys/wait.h>
#include <unistd.h>

#include "../../../reducer/mutations/retype/retype.h"
#include "../../../reducer/mutations/retype/rules/rules.h"
#include "../../../reducer/opmodel/opmodel.h"

static const void *meaning(const char *word) {
  static const char meanings[] = {'>', '='};
  return strpbrk(word, ">[")         ? &meanings[0]
         : strcmp(word, "tied") == 0 ? &meanings[1]
                                     : NULL;
}

static int add(struct cul_op_rules *rules, const char *text,
               struct cul_err *err) {
  return cul_op_rules_add(rules, "own.rules",
                          (struct cul_bytes){text, strlen(text)}, meaning, err);
}

static const char *found(const struct cul_op_rules *rules, const char *name) {
  const struct cul_op_rule *rule =
      cul_op_rules_find(rules, (struct cul_bytes){name, strlen(name)});
  return rule ? rule->name : "";
}

static void reads_words(void **state) {
  struct cul_op_rules rules = {0};
  struct cul_err err = {0};
  const struct cul_op_rule *rule;
  (void)state;
  assert_int_equal(add(&rules,
                       "# comment\n\n"
                       "my.op ab,b>a tied=x,,y\n"
                       "  tied r[i]=0[i]+low[i]?\n"
                       "yes first\n|second\nno third",
                       &err),
                   0);
  assert_int_equal(cul_op_rules_sort(&rules, &err), 0);
  assert_int_equal(rules.n, 1);
  rule = &rules.rules[0];
  assert_int_equal(rule->line, 3);
  assert_int_equal(rule->n_words, 4);
  assert_string_equal(rule->words[0].text, "ab,b>a");
  assert_int_equal(rule->words[0].n_args, 0);
  assert_string_equal(rule->words[1].text, "tied");
  assert_int_equal(rule->words[1].n_args, 3);
  assert_string_equal(rule->words[1].args[1], "");
  assert_string_equal(rule->words[1].args[2], "y");
  assert_ptr_equal(rule->words[2].meaning, meaning("tied"));
  assert_string_equal(rule->words[3].text, "r[i]=0[i]+low[i]?");
  assert_int_equal(rule->words[3].n_args, 0);
  cul_op_rules_release(&rules);
}

static void tells_equations(void **state) {
  static const char *const good[] = {"r[i]=0[i]+low[i]?", "0[i]>=@1[i]?+r[i]",
                                     "0[1]>64", "a[2i]?~a[2i+1]?"};
  static const char *const bad[] = {"r[i]",    "r[i]=",    "=r[i]",
                                    "a=b[i]",  "r[i=0[i]", "r[i]=0[i]>1[i]",
                                    "r[i]~a[i"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(good); i++)
    assert_true(cul_retype_is_equation(good[i]));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(bad); i++)
    assert_false(cul_retype_is_equation(bad[i]));
}

static void finds_the_longest(void **state) {
  struct cul_op_rules rules = {0};
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(add(&rules,
                       "my. tied\nmy.op tied\nmy.op.deep. tied\n"
                       "my.op.deep.end tied\nother.op tied\n",
                       &err),
                   0);
  assert_int_equal(cul_op_rules_sort(&rules, &err), 0);
  assert_string_equal(found(&rules, "my.op"), "my.op");
  assert_string_equal(found(&rules, "my.open"), "my.");
  assert_string_equal(found(&rules, "my.op.other"), "my.");
  assert_string_equal(found(&rules, "my.op.deep.end"), "my.op.deep.end");
  assert_string_equal(found(&rules, "my.op.deep.ends"), "my.op.deep.");
  assert_string_equal(found(&rules, "other.op"), "other.op");
  assert_string_equal(found(&rules, "other.ops"), "");
  assert_string_equal(found(&rules, "my"), "");
  assert_string_equal(found(&rules, ""), "");
  cul_op_rules_release(&rules);
}

static void says_what_is_wrong(void **state) {
  static const char *const bad[][2] = {
      {"my.op tied\nmy.two wrong=1", "own.rules:2: no such word: 'wrong'"},
      {"word tied", "own.rules:1: not the name of an operation: 'word'"},
      {"my.op", "own.rules:1: no word for 'my.op'"},
      {"my.op tied=1,2,3,4,5,6,7,8,9",
       "own.rules:1: too many arguments of 'tied'"},
      {"my.op tied tied tied tied tied tied tied tied tied",
       "own.rules:1: too many words for 'my.op'"}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(bad); i++) {
    struct cul_op_rules rules = {0};
    struct cul_err err = {0};
    assert_int_equal(add(&rules, bad[i][0], &err), CUL_EINTERNAL);
    assert_string_equal(err.what, bad[i][1]);
    assert_non_null(strstr(err.advice, "core.rules"));
    cul_op_rules_release(&rules);
  }
}

static void refuses_two_of_one_name(void **state) {
  struct cul_op_rules rules = {0};
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(add(&rules, "my.op tied\na.b tied\nmy.op tied", &err), 0);
  assert_int_equal(cul_op_rules_sort(&rules, &err), CUL_EINTERNAL);
  assert_non_null(strstr(err.what, "both are rules of 'my.op'"));
  cul_op_rules_release(&rules);
}

/* ---- examples beside the rules that are built in ---- */

/* Functions that verify (holds) or that the verifier refuses. */
struct example {
  char *name; /* of the rule that it stands behind */
  char *text; /* operations, as the body of a module */
  const char *file;
  int line;
  bool holds;
};
static struct example examples[200];
static size_t n_examples;

/* name: of the last rule. */
static void read_example_line(const char *file, int number, const char *line,
                              char *name, size_t size) {
  bool yes = strncmp(line, "yes ", 4) == 0, no = strncmp(line, "no ", 3) == 0;
  struct example *last = &examples[n_examples ? n_examples - 1 : 0];
  if (line[0] == '|') {
    struct cul_buf text = {0};
    assert_true(n_examples > 0 && last->file == file);
    cul_buf_addf(&text, "%s\n%s", last->text, line + 1);
    free(last->text);
    last->text = cul_buf_take(&text);
  } else if (yes || no) {
    assert_true(*name && n_examples < CUL_ARRAY_SIZE(examples));
    examples[n_examples++] =
        (struct example){cul_xstrdup(name), cul_xstrdup(line + (yes ? 4 : 3)),
                         file, number, yes};
  } else if (*line && !strchr("# ", *line)) {
    snprintf(name, size, "%.*s", (int)strcspn(line, " "), line);
  }
}

static int read_examples(void **state) {
  (void)state;
  for (size_t i = 0; i < cul_n_op_rule_files; i++) {
    const struct cul_embedded *file = &cul_op_rule_files[i];
    char *text = cul_xstrndup((const char *)file->data, file->len);
    char name[100] = "", *at = text, *line;
    for (int number = 1; (line = strsep(&at, "\n")); number++)
      read_example_line(file->name, number, line, name, sizeof name);
    free(text);
  }
  return 0;
}

static int free_examples(void **state) {
  (void)state;
  for (size_t i = 0; i < n_examples; i++) {
    free(examples[i].name);
    free(examples[i].text);
  }
  return 0;
}

enum { NOTHING, DONE, INVALID };

/* What comes of one node that becomes `to`, in a fork, as in a candidate: a
 * context of its own for each would take ten times as long. */
static int change_one(const struct example *example, struct cul_ir *ir,
                      struct cul_retype *g, uint32_t node, int64_t to) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    if (!cul_retype_try(g, node, to) || cul_retype_apply(g) == 0)
      _exit(NOTHING);
    if (!verdict(ir)[0])
      _exit(DONE);
    fprintf(stderr, "%s:%d: %s: node %u becomes %lld: %s\n", example->file,
            example->line, example->name, node, (long long)to, verdict(ir));
    _exit(INVALID);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (!WIFEXITED(status) || WEXITSTATUS(status) == INVALID)
    fail_msg("%s:%d: %s: not valid, or status %d", example->file, example->line,
             example->name, status);
  return WEXITSTATUS(status);
}

/* Each size that may, alone, becomes smaller, or each dimension goes: the
 * module stays valid.  Returns how many did. */
static size_t change_each(const struct example *example, bool ranks) {
  struct cul_ir *ir = open_native(example->text);
  struct cul_retype g;
  size_t done = 0;
  cul_retype_build(ir, ranks, &g);
  for (uint32_t node = 0; node < g.n_nodes; node++)
    if (g.node[node].value > 1 && g.node[node].value < 1000 &&
        cul_retype_find(&g, node) == node)
      done +=
          change_one(example, ir, &g, node,
                     ranks ? CUL_RETYPE_GONE : g.node[node].value / 2) == DONE;
  cul_retype_release(&g);
  close_module(ir);
  return done;
}

static void follows_what_holds(void **state) {
  size_t n = 0, shrunk = 0;
  (void)state;
  needs_mlir(22);
  for (size_t i = 0; i < n_examples; i++) {
    const struct example *example = &examples[i];
    if (!example->holds)
      continue;
    shrunk += change_each(example, false);
    change_each(example, true);
    n++;
  }
  assert_true(n >= 15);
  assert_true(shrunk > 2 * n);
}

/* ---- what asking finds as well ---- */

static bool any_op(const void *op) {
  (void)op;
  return true;
}

static uint32_t node_of(const struct cul_retype *g, MlirOperation op,
                        const struct cul_spot *spot) {
  return cul_retype_find(
      g, cul_retype_size(g, cul_ir_value(op, spot->value), spot->at));
}

/* Does the verifier show the very sizes that the rule ties? */
static bool is_learnt(const struct cul_retype *g, MlirOperation op) {
  const struct cul_class *class = cul_model_class(g->ir, op);
  size_t n = 0;
  const struct cul_spot *spots =
      class ? cul_class_sets(class, CUL_SETS_TIES, &n) : NULL;
  for (size_t i = 0; spots && i < n; i++) {
    if (spots[i].set == UINT32_MAX)
      return false;
    for (size_t k = 0; k < i; k++)
      if (spots[i].kind == CUL_SPOT_SIZE && spots[k].kind == CUL_SPOT_SIZE &&
          (spots[i].set == spots[k].set) !=
              (node_of(g, op, &spots[i]) == node_of(g, op, &spots[k])))
        return false;
  }
  return spots && n > 0;
}

static uint32_t dim_node(const struct cul_retype *g, MlirOperation op,
                         const struct cul_spot *dim) {
  return cul_retype_find(
      g, cul_retype_size(g, cul_ir_value(op, dim->value), dim->at));
}

/* Does the verifier let those dimensions go together that the rule does? */
static bool goes_as_learnt(struct cul_ir *ir, MlirOperation op) {
  const struct cul_class *class = cul_model_class(ir, op);
  size_t n = 0;
  const struct cul_spot *dims = cul_class_sets(class, CUL_SETS_RANKS, &n);
  struct cul_retype g;
  bool same = dims != NULL;
  cul_retype_build(ir, true, &g);
  for (size_t i = 0; i < n && same; i++) {
    size_t mark = g.trail.n;
    bool goes = cul_retype_try(&g, dim_node(&g, op, &dims[i]), CUL_RETYPE_GONE);
    same = goes == (dims[i].set != UINT32_MAX);
    for (size_t k = 0; goes && k < n; k++)
      same &= (cul_retype_now(&g, dim_node(&g, op, &dims[k])) ==
               CUL_RETYPE_GONE) == (dims[k].set == dims[i].set);
    cul_retype_undo(&g, mark);
  }
  cul_retype_release(&g);
  return same;
}

/* A rule is not needed where asking finds the same sizes and dimensions. */
static void what_is_learnt_needs_no_rule(void **state) {
  (void)state;
  needs_mlir(22);
  for (size_t i = 0; i < n_examples; i++) {
    const struct example *example = &examples[i];
    struct cul_retype g;
    struct cul_ir *ir;
    MlirOperation op;
    if (!example->holds || cul_text_ends(example->name, "."))
      continue;
    ir = open_native(example->text);
    op = op_named(ir, example->name, 0);
    cul_model_look_for_ties(ir, any_op);
    cul_retype_build(ir, false, &g);
    if (g.relations.n == 0 && is_learnt(&g, op) && goes_as_learnt(ir, op))
      fail_msg("%s:%d: %s: asking its verifier finds the same", example->file,
               example->line, example->name);
    cul_retype_release(&g);
    close_module(ir);
  }
}

static bool opens(const char *text) {
  const struct cul_subject_kind *kind = cul_subject_kind_for(CUL_FORM_NATIVE);
  struct cul_subject *subject = NULL;
  const struct cul_reading reading = {CUL_FORM_NATIVE, .check = true};
  struct cul_err err = {0};
  if (kind->open((struct cul_bytes){text, strlen(text)}, reading, NULL,
                 &subject, &err) < 0)
    return false;
  kind->free(subject);
  return true;
}

static void the_verifier_refuses_what_does_not(void **state) {
  size_t n = 0;
  (void)state;
  needs_mlir(22);
  for (size_t i = 0; i < n_examples; i++) {
    const struct example *example = &examples[i];
    if (example->holds)
      continue;
    if (opens(example->text))
      fail_msg("%s:%d: %s: is valid", example->file, example->line,
               example->name);
    n++;
  }
  assert_true(n >= 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_words),
      cmocka_unit_test(tells_equations),
      cmocka_unit_test(finds_the_longest),
      cmocka_unit_test(says_what_is_wrong),
      cmocka_unit_test(refuses_two_of_one_name),
      cmocka_unit_test(follows_what_holds),
      cmocka_unit_test(what_is_learnt_needs_no_rule),
      cmocka_unit_test(the_verifier_refuses_what_does_not),
  };
  return cmocka_run_group_tests(tests, read_examples, free_examples);
}
