/* Read rule files, and find rules by name.  Format: core.rules. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  struct cul_op_rules *rules;
  const char *file;
  int line;
  cul_op_meaning_fn *meaning;
  struct cul_err *err;
};

static int complain(struct reader *r, const char *what, const char *word) {
  return cul_fail(r->err, CUL_EINTERNAL,
                  "correct that line; the format is described at the head of "
                  "reducer/opmodel/core.rules",
                  "%s:%d: %s '%s'", r->file, r->line, what, word);
}

/* Keep the text as long as the rules. */
static char *keep(struct cul_op_rules *rules, char *text) {
  rules->texts =
      cul_xreallocarray(rules->texts, rules->n_texts + 1, sizeof(char *));
  return rules->texts[rules->n_texts++] = text;
}

/* Cut off the next word at *at; NULL: there is none. */
static char *next_word(char **at) {
  char *word = *at + strspn(*at, " \t"), *end = word + strcspn(word, " \t");
  if (!*word)
    return NULL;
  *at = *end ? end + 1 : end;
  *end = '\0';
  return word;
}

/* Read arguments such as "a,b,,", of which each may be empty. */
static int read_args(struct reader *r, struct cul_op_word *word, char *at) {
  for (;;) {
    char *end = at + strcspn(at, ",");
    bool last = !*end;
    if (word->n_args == CUL_OP_ARGS)
      return complain(r, "too many arguments of", word->text);
    *end = '\0';
    word->args[word->n_args++] = at;
    if (last)
      return 0;
    at = end + 1;
  }
}

static int read_word(struct reader *r, struct cul_op_rule *rule, char *text) {
  struct cul_op_word *word = &rule->words[rule->n_words];
  char *args = text + strcspn(text, "=[");
  if (rule->n_words == CUL_OP_WORDS)
    return complain(r, "too many words for", rule->name);
  /* A word with brackets before "=" is an equation, without arguments. */
  args = *args == '=' ? args : NULL;
  if (args)
    *args++ = '\0';
  *word = (struct cul_op_word){.text = text, .meaning = r->meaning(text)};
  if (!word->meaning)
    return complain(r, "no such word:", text);
  rule->n_words++;
  return args ? read_args(r, word, args) : 0;
}

static int read_words(struct reader *r, char *line) {
  struct cul_op_rule *rule = &r->rules->rules[r->rules->n - 1];
  char *text;
  int rc = 0;
  while (rc == 0 && (text = next_word(&line)))
    rc = read_word(r, rule, text);
  return rc == 0 && rule->n_words == 0 ? complain(r, "no word for", rule->name)
                                       : rc;
}

static int read_rule(struct reader *r, char *line) {
  struct cul_op_rules *rules = r->rules;
  char *name = next_word(&line);
  if (!strchr(name, '.'))
    return complain(r, "not the name of an operation:", name);
  CUL_XADD(rules->rules, rules->n, rules->cap) =
      (struct cul_op_rule){.name = name, .file = r->file, .line = r->line};
  return read_words(r, line);
}

/* Is the line no rule?  The examples are only for the tests
 * (tests/unit/mlir/test_mlir_rules.c). */
static bool says_nothing(const char *line) {
  return strchr("#|", line[0]) || line[strspn(line, " \t")] == '\0' ||
         strncmp(line, "yes ", 4) == 0 || strncmp(line, "no ", 3) == 0;
}

static int read_line(struct reader *r, char *line) {
  if (says_nothing(line))
    return 0;
  return line[0] == ' ' && r->rules->n > 0 ? read_words(r, line)
                                           : read_rule(r, line);
}

int cul_op_rules_add(struct cul_op_rules *rules, const char *file,
                     struct cul_bytes text, cul_op_meaning_fn *meaning,
                     struct cul_err *err) {
  char *line = keep(rules, cul_xstrndup(text.data, text.len));
  struct reader r = {
      .rules = rules, .file = file, .meaning = meaning, .err = err};
  int rc = 0;
  while (rc == 0 && *line) {
    char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end;
    *end = '\0';
    r.line++;
    rc = read_line(&r, line);
    line = next;
  }
  return rc;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct cul_op_rule *)a)->name,
                ((const struct cul_op_rule *)b)->name);
}

int cul_op_rules_sort(struct cul_op_rules *rules, struct cul_err *err) {
  qsort(rules->rules, rules->n, sizeof *rules->rules, by_name);
  for (size_t i = 1; i < rules->n; i++)
    if (by_name(&rules->rules[i - 1], &rules->rules[i]) == 0)
      return cul_fail(err, CUL_EINTERNAL, "leave one of them out",
                      "%s:%d and %s:%d both are rules of '%s'",
                      rules->rules[i - 1].file, rules->rules[i - 1].line,
                      rules->rules[i].file, rules->rules[i].line,
                      rules->rules[i].name);
  return 0;
}

static int compare_name(const void *key, const void *item) {
  const struct cul_bytes *name = key;
  const char *other = ((const struct cul_op_rule *)item)->name;
  int order = strncmp(name->data, other, name->len);
  return order ? order : -(other[name->len] != '\0');
}

const struct cul_op_rule *cul_op_rules_find(const struct cul_op_rules *rules,
                                            struct cul_bytes name) {
  while (name.len > 0) {
    const struct cul_op_rule *rule = bsearch(
        &name, rules->rules, rules->n, sizeof *rules->rules, compare_name);
    if (rule)
      return rule;
    do
      name.len--;
    while (name.len > 0 && name.data[name.len - 1] != '.');
  }
  return NULL;
}

void cul_op_rules_release(struct cul_op_rules *rules) {
  for (size_t i = 0; i < rules->n_texts; i++)
    free(rules->texts[i]);
  free(rules->texts);
  free(rules->rules);
  *rules = (struct cul_op_rules){.n = 0};
}
