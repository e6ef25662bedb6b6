/* Loads and frees a rule set: built-in files, a user's files, examples. */
#include "rules.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"

static int compare_patterns(const void *a, const void *b) {
  const struct cul_pattern *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  return order ? order : (int)x->prefix - (int)y->prefix;
}

bool cul_list_has(const struct cul_list *list, const char *text, bool module) {
  for (size_t i = 0; i < list->n; i++) {
    const struct cul_pattern *p = &list->items[i];
    if (p->module == module && !strncmp(p->text, text, p->len) &&
        (p->prefix || !text[p->len]))
      return true;
  }
  return false;
}

/* Read the user's file of that name in dir; false: there is none. */
static bool read_custom(const char *dir, const char *name,
                        struct cul_buf *text) {
  struct cul_err ignored;
  char *path;
  int rc;
  if (!dir)
    return false;
  path = cul_xasprintf("%s/%s", dir, name);
  rc = cul_file_read(path, 1 << 20, text, &ignored);
  free(path);
  return rc == 0;
}

static int load_custom(struct cul_rules *rules, const char *name,
                       const struct cul_buf *text, struct cul_hasher *hasher,
                       struct cul_err *err) {
  cul_hasher_field(hasher, name);
  cul_hasher_field(hasher, cul_buf_str(text));
  return cul_rules_parse(rules, name, cul_buf_bytes(text), CUL_EUSAGE, err);
}

static int load_file(struct cul_rules *rules, const char *dir,
                     const struct cul_embedded *file, struct cul_hasher *hasher,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  struct cul_bytes own = {(const char *)file->data, file->len};
  int rc = read_custom(dir, file->name, &text)
               ? load_custom(rules, file->name, &text, hasher, err)
               : cul_rules_parse(rules, file->name, own, CUL_EINTERNAL, err);
  cul_buf_release(&text);
  return rc;
}

static bool is_built_in(const char *name) {
  for (size_t i = 0; i < cul_n_rule_files; i++)
    if (!strcmp(cul_rule_files[i].name, name))
      return true;
  return false;
}

/* Is it a file of rules, by its ending?  Other files are ignored. */
static int is_rules(const struct dirent *entry) {
  static const char *const endings[] = {".rules", ".frames", ".norm", ".lines"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(endings); i++)
    if (entry->d_name[0] != '.' && cul_text_ends(entry->d_name, endings[i]))
      return 1;
  return 0;
}

/* Add the user's files that replace no built-in one, in the order of their
 * names. */
static int load_added(struct cul_rules *rules, const char *dir,
                      struct cul_hasher *hasher, struct cul_err *err) {
  struct dirent **entries = NULL;
  int n = dir ? scandir(dir, &entries, is_rules, alphasort) : 0, rc = 0;
  if (n < 0)
    return cul_fail(err, CUL_EUSAGE,
                    "$CULPRIT_RULES names a directory with rules of your own",
                    "cannot read %s: %s", dir, strerror(errno));
  for (int i = 0; i < n; i++) {
    struct cul_buf text = {0};
    const char *name = entries[i]->d_name;
    if (rc == 0 && !is_built_in(name)) {
      if (read_custom(dir, name, &text))
        rc = load_custom(rules, name, &text, hasher, err);
      else
        rc = cul_fail(err, CUL_EUSAGE, "make it readable, or take it away",
                      "cannot read %s/%s", dir, name);
    }
    cul_buf_release(&text);
    free(entries[i]);
  }
  free(entries);
  return rc;
}

static void build_literals(struct cul_rules *rules) {
  const char **words = cul_xcalloc(rules->n_rules, sizeof *words);
  for (size_t i = 0; i < rules->n_rules; i++)
    words[i] = rules->rules[i].find;
  rules->literals = cul_literals_new(words, rules->n_rules);
  free(words);
}

/* Expressions match a few kilobytes at most; one that needs more steps is
 * defective. */
enum { STEP_LIMIT = 50000, HEAP_KIB = 64 << 10 };

int cul_rules_load(const char *dir, struct cul_rules **out,
                   struct cul_err *err) {
  struct cul_rules *rules = cul_xcalloc(1, sizeof *rules);
  struct cul_hasher *hasher = cul_hasher_new();
  struct cul_digest nothing = cul_digest_of("", 0), custom;
  int rc = 0;
  *out = NULL;
  for (size_t i = 0; i < cul_n_rule_files && rc == 0; i++)
    rc = load_file(rules, dir, &cul_rule_files[i], hasher, err);
  if (rc == 0)
    rc = load_added(rules, dir, hasher, err);
  custom = cul_hasher_finish(hasher);
  if (!cul_digest_equal(&custom, &nothing))
    rules->custom = custom;
  if (rc < 0) {
    cul_rules_free(rules);
    return rc;
  }
  for (int i = 0; i < CUL_N_LISTS; i++)
    qsort(rules->lists[i].items, rules->lists[i].n,
          sizeof *rules->lists[i].items, compare_patterns);
  rules->limits = pcre2_match_context_create(NULL);
  if (!rules->limits)
    cul_no_memory(0);
  pcre2_set_match_limit(rules->limits, STEP_LIMIT);
  pcre2_set_depth_limit(rules->limits, STEP_LIMIT);
  pcre2_set_heap_limit(rules->limits, HEAP_KIB);
  build_literals(rules);
  *out = rules;
  return 0;
}

struct cul_digest cul_rules_digest(const struct cul_rules *rules) {
  struct cul_hasher *hasher = cul_hasher_new();
  cul_hasher_u64(hasher, CUL_SIG_VERSION);
  for (size_t i = 0; i < cul_n_rule_files; i++)
    cul_hasher_add(hasher, cul_rule_files[i].data, cul_rule_files[i].len);
  cul_hasher_u64(hasher, rules->custom.w[0]);
  return cul_hasher_finish(hasher);
}

int cul_rules_new(struct cul_rules **out, struct cul_err *err) {
  const char *dir = getenv("CULPRIT_RULES");
  return cul_rules_load(dir && *dir ? dir : NULL, out, err);
}

static void free_examples(struct cul_examples *examples) {
  for (size_t i = 0; i < examples->n; i++) {
    free(examples->items[i].text);
    free(examples->items[i].gives);
  }
  free(examples->items);
}

static void free_regex(struct cul_regex *regex) {
  if (regex)
    pcre2_code_free(regex->code);
  free(regex);
}

static void free_rule(struct cul_rule *rule) {
  free(rule->name);
  free(rule->find);
  free(rule->match);
  free(rule->text);
  free(rule->frame);
  free_regex(rule->regex);
  free_examples(&rule->examples);
}

static void free_norm(struct cul_norm *norm) {
  free(norm->name);
  free(norm->match);
  free(norm->with);
  free_regex(norm->regex);
  free_examples(&norm->examples);
}

static void free_line_rule(struct cul_line_rule *rule) {
  free(rule->name);
  free(rule->match);
  free_regex(rule->regex);
  free_examples(&rule->examples);
}

static void free_list(struct cul_list *list) {
  for (size_t i = 0; i < list->n; i++)
    free(list->items[i].text);
  free(list->items);
  free_examples(&list->examples);
}

void cul_rules_free(struct cul_rules *rules) {
  if (!rules)
    return;
  for (size_t i = 0; i < rules->n_rules; i++)
    free_rule(&rules->rules[i]);
  for (size_t i = 0; i < rules->n_norms; i++)
    free_norm(&rules->norms[i]);
  for (int i = 0; i < CUL_N_LISTS; i++)
    free_list(&rules->lists[i]);
  free(rules->rules);
  free(rules->norms);
  for (size_t i = 0; i < rules->n_lines; i++)
    free_line_rule(&rules->lines[i]);
  free(rules->lines);
  cul_literals_free(rules->literals);
  pcre2_match_context_free(rules->limits);
  free(rules);
}
