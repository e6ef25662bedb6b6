/* Runs the examples of rules, lists and substitutions. */
#include <stdlib.h>
#include <string.h>

#include "words.h"

static void fail(struct cul_buf *out, const char *name, const char *what,
                 const char *text, const char *got) {
  cul_buf_addf(out, "%s: %s: '%s'", name, what, text);
  if (got)
    cul_buf_addf(out, " gives '%s'", got);
  cul_buf_addc(out, '\n');
}

static void need_both(const char *name, const struct cul_examples *examples,
                      struct cul_buf *out) {
  size_t n_positive = 0;
  for (size_t i = 0; i < examples->n; i++)
    n_positive += examples->items[i].positive;
  if (!n_positive)
    cul_buf_addf(out, "%s: has no example that matches\n", name);
  if (n_positive == examples->n)
    cul_buf_addf(out, "%s: has no example that does not match\n", name);
}

/* The rule alone over the example: as the reader would. */
static void run_rule_example(const struct cul_rules *rules,
                             const struct cul_rule *rule,
                             const struct cul_example *example,
                             struct cul_buf *out) {
  struct cul_rules one = *rules;
  struct cul_rule copy = *rule;
  const char *word = rule->find;
  struct cul_bytes texts[2] = {{example->text, strlen(example->text)}};
  const struct cul_match_scope all = {
      .log = true, .errors = true, .parts = true};
  struct cul_matches found = {0};
  const struct cul_match *match = rule->pass    ? &found.pass
                                  : rule->input ? &found.input
                                                : &found.failure;
  struct cul_match line = {0};
  one.rules = &copy;
  one.n_rules = 1;
  one.literals = cul_literals_new(&word, 1);
  cul_match_texts(&one, texts, &all, &found);
  if (found.n_errors) {
    line.rule = rule;
    cul_normalise(rules, CUL_KIND_DIAGNOSTIC, found.errors[0].raw,
                  strlen(found.errors[0].raw), &line.text);
    match = &line;
  }
  if (!match->rule && example->positive)
    fail(out, rule->name, "does not match", example->text, NULL);
  if (match->rule && !example->positive)
    fail(out, rule->name, "matches", example->text, cul_buf_str(&match->text));
  if (match->rule && example->gives &&
      strcmp(example->gives, cul_buf_str(&match->text)) != 0)
    fail(out, rule->name, "unexpected text", example->text,
         cul_buf_str(&match->text));
  cul_matches_release(&found);
  cul_buf_release(&line.text);
  cul_literals_free(one.literals);
}

static void run_norm_example(const struct cul_rules *rules,
                             const struct cul_norm *norm,
                             const struct cul_example *example,
                             struct cul_buf *out) {
  struct cul_rules one = *rules;
  struct cul_norm copy = *norm;
  struct cul_buf text = {0};
  one.norms = &copy;
  one.n_norms = 1;
  copy.kinds = UINT32_MAX;
  cul_normalise(&one, CUL_KIND_NONE, example->text, strlen(example->text),
                &text);
  if (strcmp(cul_buf_str(&text), example->gives) != 0)
    fail(out, norm->name, "unexpected result", example->text,
         cul_buf_str(&text));
  cul_buf_release(&text);
}

static void run_list_example(const struct cul_list *list, const char *name,
                             const struct cul_example *example,
                             struct cul_buf *out) {
  bool module = !strncmp(example->text, "module:", 7);
  const char *text = example->text + (module ? 7 : 0);
  if (cul_list_has(list, text, module) != example->positive)
    fail(out, name, example->positive ? "not on the list" : "on the list", text,
         NULL);
}

static void run_line_example(const struct cul_rules *rules,
                             const struct cul_line_rule *rule,
                             const struct cul_example *example,
                             struct cul_buf *out) {
  struct cul_bytes line = {example->text, strlen(example->text)};
  bool matches = cul_line_matches(rules, rule, line, NULL);
  if (matches != example->positive)
    fail(out, rule->name, matches ? "matches" : "does not match", example->text,
         NULL);
}

size_t cul_rules_check(const struct cul_rules *rules,
                       struct cul_buf *failures) {
  static const char *const lists[] = {"trap",     "helper",  "stop",   "noise",
                                      "sentinel", "default", "generic"};
  size_t n_run = 0;
  for (size_t i = 0; i < rules->n_rules; i++) {
    const struct cul_examples *e = &rules->rules[i].examples;
    need_both(rules->rules[i].name, e, failures);
    for (size_t k = 0; k < e->n; k++, n_run++)
      run_rule_example(rules, &rules->rules[i], &e->items[k], failures);
  }
  for (size_t i = 0; i < rules->n_norms; i++) {
    const struct cul_examples *e = &rules->norms[i].examples;
    need_both(rules->norms[i].name, e, failures);
    for (size_t k = 0; k < e->n; k++, n_run++)
      run_norm_example(rules, &rules->norms[i], &e->items[k], failures);
  }
  for (size_t i = 0; i < rules->n_lines; i++) {
    const struct cul_examples *e = &rules->lines[i].examples;
    need_both(rules->lines[i].name, e, failures);
    for (size_t k = 0; k < e->n; k++, n_run++)
      run_line_example(rules, &rules->lines[i], &e->items[k], failures);
  }
  for (int i = 0; i < CUL_N_LISTS; i++) {
    const struct cul_examples *e = &rules->lists[i].examples;
    need_both(lists[i], e, failures);
    for (size_t k = 0; k < e->n; k++, n_run++)
      run_list_example(&rules->lists[i], lists[i], &e->items[k], failures);
  }
  return n_run;
}
