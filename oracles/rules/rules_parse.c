/* Parses rule files into compiled rules, lists and substitutions. The formats
 * are described at the head of signature/llvm.rules, trap.frames, text.norm,
 * words.lines. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "../common/regex.h"

struct parser {
  struct cul_rules *rules;
  const char *file;
  int line;
  enum cul_code code; /* code of errors */
  struct cul_rule *rule;
  struct cul_norm *norm;
  struct cul_list *list;
  struct cul_line_rule *line_rule;
  struct cul_examples *examples; /* examples of the current entry */
  struct cul_err *err;
};

static int complain(struct parser *p, const char *what, const char *value) {
  return cul_fail(p->err, p->code,
                  "correct that line; the format is described at the head of "
                  "oracles/signature/llvm.rules",
                  "%s:%d: %s '%s'", p->file, p->line, what, value);
}

static const char *const kind_words[] = {
    [CUL_KIND_SIGNAL] = "signal",
    [CUL_KIND_ASSERTION] = "assertion",
    [CUL_KIND_FATAL] = "fatal",
    [CUL_KIND_UNREACHABLE] = "unreachable",
    [CUL_KIND_VERIFIER] = "verifier",
    [CUL_KIND_DIAGNOSTIC] = "diagnostic",
    [CUL_KIND_SANITIZER] = "sanitizer",
    [CUL_KIND_EXCEPTION] = "exception",
    [CUL_KIND_ABORT] = "abort",
    [CUL_KIND_DEVICE] = "device",
    [CUL_KIND_TIMEOUT] = "timeout",
    [CUL_KIND_MEMORY] = "memory",
    [CUL_KIND_MISMATCH] = "mismatch",
    [CUL_KIND_INFRASTRUCTURE] = "infrastructure",
};

static enum cul_kind kind_of_word(const char *word, size_t len) {
  for (size_t i = 1; i < CUL_ARRAY_SIZE(kind_words); i++)
    if (kind_words[i] && strlen(kind_words[i]) == len &&
        !memcmp(kind_words[i], word, len))
      return (enum cul_kind)i;
  return CUL_KIND_NONE;
}

/* A user's expression is compiled at once, so that what is wrong with it is
 * reported with its line; the examples of ours show that they are right. */
static int compile(struct parser *p, const char *pattern,
                   struct cul_regex **out) {
  int number;
  size_t offset;
  char message[160];
  *out = cul_xcalloc(1, sizeof **out);
  (*out)->text = pattern;
  if (p->code == CUL_EINTERNAL)
    return 0;
  (*out)->code = cul_regex_compile(pattern, &number, &offset);
  if ((*out)->code)
    return 0;
  pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
  return cul_fail(p->err, p->code, "correct that expression",
                  "%s:%d: %s at offset %zu of '%s'", p->file, p->line, message,
                  offset, pattern);
}

static int begin_rule(struct parser *p, const char *value) {
  struct cul_rules *r = p->rules;
  r->rules = cul_xreallocarray(r->rules, r->n_rules + 1, sizeof *r->rules);
  p->rule = &r->rules[r->n_rules++];
  *p->rule = (struct cul_rule){
      .name = cul_xstrdup(value), .file = p->file, .line = p->line};
  p->examples = &p->rule->examples;
  return 0;
}

static int begin_norm(struct parser *p, const char *value) {
  struct cul_rules *r = p->rules;
  r->norms = cul_xreallocarray(r->norms, r->n_norms + 1, sizeof *r->norms);
  p->norm = &r->norms[r->n_norms++];
  *p->norm = (struct cul_norm){.name = cul_xstrdup(value), .kinds = UINT32_MAX};
  p->examples = &p->norm->examples;
  return 0;
}

/* A key of one value that comes again belongs to an entry whose first line was
 * lost, as in a comment without its line end. */
static int set_text(struct parser *p, char **field, const char *value) {
  if (*field)
    return complain(p, "its entry has this key already:", value);
  *field = cul_xstrdup(value);
  return 0;
}

static int set_number(struct parser *p, int *field, const char *value) {
  char *end;
  long number = strtol(value, &end, 10);
  if (!*value || *end || number < 0 || number > 1000)
    return complain(p, "not a number of 0 to 1000:", value);
  *field = (int)number;
  return 0;
}

static enum cul_rule_part part_of_word(const char *word) {
  static const char *const words[] = {[CUL_PART_TEST] = "test",
                                      [CUL_PART_FAILING] = "failing-test",
                                      [CUL_PART_FAILED] = "test-failed",
                                      [CUL_PART_PASSED] = "test-passed",
                                      [CUL_PART_END] = "test-end",
                                      [CUL_PART_GOOD] = "tests-good",
                                      [CUL_PART_MADE] = "target-failed",
                                      [CUL_PART_STARTED] = "test-started",
                                      [CUL_PART_PREFIX] = "prefix",
                                      [CUL_PART_DIED] = "process-end",
                                      [CUL_PART_LISTED] = "test-listed",
                                      [CUL_PART_REPEATED] = "tests-repeated",
                                      [CUL_PART_JOB] = "ci-job",
                                      [CUL_PART_STEP] = "ci-step",
                                      [CUL_PART_STEP_OUTPUT] = "ci-output",
                                      [CUL_PART_STEP_ERROR] = "ci-error",
                                      [CUL_PART_STEP_FAILED] = "ci-step-failed",
                                      [CUL_PART_CLEANUP] = "ci-cleanup",
                                      [CUL_PART_JOB_ENDED] = "ci-job-ended",
                                      [CUL_PART_JOB_PASSED] = "ci-job-passed"};
  for (size_t i = 1; i < CUL_ARRAY_SIZE(words); i++)
    if (!strcmp(words[i], word))
      return (enum cul_rule_part)i;
  return CUL_PART_NONE;
}

static int set_kind(struct parser *p, const char *value) {
  p->rule->pass = strcmp(value, "pass") == 0;
  p->rule->input = strcmp(value, "input") == 0;
  p->rule->error = strcmp(value, "error") == 0;
  p->rule->kind = kind_of_word(value, strlen(value));
  p->rule->part = part_of_word(value);
  if (!p->rule->pass && !p->rule->input && !p->rule->error && !p->rule->part &&
      p->rule->kind == CUL_KIND_NONE)
    return complain(p, "unknown kind", value);
  return 0;
}

static int set_match(struct parser *p, char **text, struct cul_regex **regex,
                     const char *value) {
  int rc = set_text(p, text, value);
  return rc ? rc : compile(p, *text, regex);
}

static void add_example(struct parser *p, const char *text, const char *gives,
                        bool positive) {
  struct cul_examples *e = p->examples;
  e->items = cul_xreallocarray(e->items, e->n + 1, sizeof *e->items);
  e->items[e->n++] = (struct cul_example){
      .text = cul_xstrdup(text),
      .gives = gives ? cul_xstrdup(gives) : NULL,
      .positive = positive,
  };
}

/* "| TEXT" continues the last example. */
static int continue_example(struct parser *p, const char *value) {
  struct cul_example *last;
  char *longer;
  if (!p->examples || !p->examples->n)
    return complain(p, "no example to continue:", value);
  last = &p->examples->items[p->examples->n - 1];
  longer = cul_xasprintf("%s\n%s", last->text, value);
  free(last->text);
  last->text = longer;
  return 0;
}

static int set_gives(struct parser *p, const char *value) {
  struct cul_examples *e = p->examples;
  if (!e->n || !e->items[e->n - 1].positive)
    return complain(p, "no example before", value);
  return set_text(p, &e->items[e->n - 1].gives, value);
}

static int rule_key(struct parser *p, const char *key, const char *value) {
  struct cul_rule *r = p->rule;
  if (!strcmp(key, "rule"))
    return begin_rule(p, value);
  if (!r)
    return complain(p, "a rule begins with 'rule NAME', not with", key);
  if (!strcmp(key, "kind"))
    return set_kind(p, value);
  if (!strcmp(key, "rank"))
    return set_number(p, &r->rank, value);
  if (!strcmp(key, "above"))
    return set_number(p, &r->above, value);
  if (!strcmp(key, "below"))
    return set_number(p, &r->below, value);
  if (!strcmp(key, "signal"))
    return set_number(p, &r->status, value);
  if (!strcmp(key, "find"))
    return set_text(p, &r->find, value);
  if (!strcmp(key, "match"))
    return set_match(p, &r->match, &r->regex, value);
  if (!strcmp(key, "text"))
    return set_text(p, &r->text, value);
  if (!strcmp(key, "frame"))
    return set_text(p, &r->frame, value);
  if (!strcmp(key, "of"))
    return r->of_test = true, 0;
  if (!strcmp(key, "exit"))
    return r->any_exit = true, 0;
  if (!strcmp(key, "take"))
    return r->last = true, 0;
  if (!strcmp(key, "only"))
    return r->log = true, 0;
  if (!strcmp(key, "late"))
    return r->late = true, 0;
  if (!strcmp(key, "cause"))
    return r->cause = true, 0;
  if (!strcmp(key, "native"))
    return r->native = true, 0;
  if (!strcmp(key, "yes") || !strcmp(key, "no"))
    return add_example(p, value, NULL, key[0] == 'y'), 0;
  if (!strcmp(key, "gives"))
    return set_gives(p, value);
  return complain(p, "unknown key", key);
}

static int set_kinds(struct parser *p, const char *value) {
  p->norm->kinds = 0;
  while (*value) {
    size_t len = strcspn(value, " ");
    bool input = len == strlen("input") && !strncmp(value, "input", len);
    enum cul_kind kind = input ? CUL_KIND_NONE : kind_of_word(value, len);
    if (kind == CUL_KIND_NONE && !input)
      return complain(p, "unknown kind in", value);
    p->norm->kinds |= 1u << kind;
    value += len + strspn(value + len, " ");
  }
  return 0;
}

/* Parse "A => B". */
static int norm_example(struct parser *p, const char *value) {
  const char *arrow = strstr(value, " => ");
  char *text;
  if (!arrow)
    return complain(p, "an example is 'TEXT => RESULT', not", value);
  text = cul_xstrndup(value, (size_t)(arrow - value));
  add_example(p, text, arrow + 4, true);
  free(text);
  return 0;
}

static int norm_key(struct parser *p, const char *key, const char *value) {
  struct cul_norm *n = p->norm;
  if (!strcmp(key, "sub"))
    return begin_norm(p, value);
  if (!n)
    return complain(p, "begins with 'sub NAME', not with", key);
  if (!strcmp(key, "for"))
    return set_kinds(p, value);
  if (!strcmp(key, "match"))
    return set_match(p, &n->match, &n->regex, value);
  if (!strcmp(key, "with"))
    return set_text(p, &n->with, value);
  if (!strcmp(key, "yes"))
    return norm_example(p, value);
  if (!strcmp(key, "no"))
    return add_example(p, value, value, false), 0;
  return complain(p, "unknown key", key);
}

static int begin_line_rule(struct parser *p, const char *value) {
  struct cul_rules *r = p->rules;
  r->lines = cul_xreallocarray(r->lines, r->n_lines + 1, sizeof *r->lines);
  p->line_rule = &r->lines[r->n_lines++];
  *p->line_rule =
      (struct cul_line_rule){.name = cul_xstrdup(value), .line = p->line};
  p->examples = &p->line_rule->examples;
  return 0;
}

static int set_line_kind(struct parser *p, const char *value) {
  static const char *const words[] = {
      [CUL_LINE_CLOSING] = "closing",   [CUL_LINE_WEAK] = "weak",
      [CUL_LINE_TELLING] = "telling",   [CUL_LINE_PLACE] = "place",
      [CUL_LINE_REJECTED] = "rejected", [CUL_LINE_ECHO] = "echo",
      [CUL_LINE_SUCCESS] = "success",   [CUL_LINE_NEUTRAL] = "neutral",
      [CUL_LINE_REPORT] = "report",     [CUL_LINE_RAISED] = "raised",
      [CUL_LINE_OUTPUT] = "output",     [CUL_LINE_SOURCE] = "source",
      [CUL_LINE_BENIGN] = "benign",     [CUL_LINE_DONE] = "done",
      [CUL_LINE_STATUS] = "status",     [CUL_LINE_GUESS] = "guess",
      [CUL_LINE_HOLLOW] = "hollow",     [CUL_LINE_CODE] = "code",
      [CUL_LINE_RETRY] = "retry",       [CUL_LINE_FAILED] = "failed",
      [CUL_LINE_UNRAISED] = "unraised", [CUL_LINE_IGNORED] = "ignored",
      [CUL_LINE_FORGIVES] = "forgives", [CUL_LINE_COMMAND] = "command",
      [CUL_LINE_TOLERANT] = "tolerant", [CUL_LINE_LOCAL] = "local",
      [CUL_LINE_PEER] = "peer",         [CUL_LINE_WAITS] = "waits",
      [CUL_LINE_EXPECTED] = "expected", [CUL_LINE_PIECE] = "piece",
      [CUL_LINE_OPENS] = "opens",       [CUL_LINE_CLOSES] = "closes",
      [CUL_LINE_AGAIN] = "again",       [CUL_LINE_WARNED] = "warned"};
  for (size_t i = 1; i < CUL_ARRAY_SIZE(words); i++)
    if (!strcmp(words[i], value))
      return p->line_rule->kind = (enum cul_line_kind)i, 0;
  return complain(p, "unknown kind", value);
}

static int set_suggested(struct parser *p, const char *value) {
  p->line_rule->suggests = kind_of_word(value, strlen(value));
  return p->line_rule->suggests == CUL_KIND_NONE
             ? complain(p, "unknown kind", value)
             : 0;
}

static int line_rule_key(struct parser *p, const char *key, const char *value) {
  struct cul_line_rule *r = p->line_rule;
  if (!strcmp(key, "line"))
    return begin_line_rule(p, value);
  if (!r)
    return complain(p, "begins with 'line NAME', not with", key);
  if (!strcmp(key, "kind"))
    return set_line_kind(p, value);
  if (!strcmp(key, "suggests"))
    return set_suggested(p, value);
  if (!strcmp(key, "match"))
    return set_match(p, &r->match, &r->regex, value);
  if (!strcmp(key, "yes") || !strcmp(key, "no"))
    return add_example(p, value, NULL, key[0] == 'y'), 0;
  return complain(p, "unknown key", key);
}

static void add_pattern(struct cul_list *list, const char *text) {
  struct cul_pattern item = {.module = !strncmp(text, "module:", 7)};
  size_t len;
  text += item.module ? 7 : 0;
  len = strlen(text);
  item.prefix = len > 0 && text[len - 1] == '*';
  item.len = len - item.prefix;
  item.text = cul_xstrndup(text, item.len);
  list->items =
      cul_xreallocarray(list->items, list->n + 1, sizeof *list->items);
  list->items[list->n++] = item;
}

/* Choose a list by file name (trap.frames) or by a line "list NAME" (in
 * local.frames). */
static int choose_list(struct parser *p, const char *name) {
  static const char *const names[] = {"trap",     "helper",  "stop",   "noise",
                                      "sentinel", "default", "generic"};
  size_t len = strcspn(name, ".");
  for (int i = 0; i < CUL_N_LISTS; i++)
    if (strlen(names[i]) == len && !memcmp(names[i], name, len)) {
      p->list = &p->rules->lists[i];
      p->examples = &p->list->examples;
      return 0;
    }
  return complain(p, "no list is called", name);
}

/* Is the file named after a list?  Other files name the list in a line. */
static bool is_list(const char *file) {
  static const char *const names[] = {
      "trap.frames",     "helper.frames",  "stop.frames",   "noise.frames",
      "sentinel.frames", "default.frames", "generic.frames"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (!strcmp(file, names[i]))
      return true;
  return false;
}

static int frame_line(struct parser *p, const char *line) {
  if (!strncmp(line, "list ", 5))
    return choose_list(p, line + 5);
  if (!p->list)
    return complain(p, "'list NAME' must precede", line);
  if (!strncmp(line, "yes ", 4))
    return add_example(p, line + 4, NULL, true), 0;
  if (!strncmp(line, "no ", 3))
    return add_example(p, line + 3, NULL, false), 0;
  add_pattern(p->list, line);
  return 0;
}

static int parse_line(struct parser *p, char *line) {
  size_t len = strcspn(line, " ");
  const char *value = line[len] ? line + len + 1 : line + len;
  if (!*line || *line == '#')
    return 0;
  if (cul_text_ends(p->file, ".frames"))
    return frame_line(p, line);
  line[len] = '\0';
  if (!strcmp(line, "|"))
    return continue_example(p, value);
  if (cul_text_ends(p->file, ".lines"))
    return line_rule_key(p, line, value);
  return cul_text_ends(p->file, ".norm") ? norm_key(p, line, value)
                                         : rule_key(p, line, value);
}

/* Does the rule ask for lines above or below that the readers of its part of a
 * log do not pass to it?  It would never match. */
static bool sees_too_much(const struct cul_rule *r) {
  return r->part && (r->above || (r->below && r->part == CUL_PART_PREFIX));
}

static bool is_taken(const struct cul_rule *rules, size_t first, size_t i) {
  for (size_t k = first; k < i; k++)
    if (!strcmp(rules[k].name, rules[i].name))
      return true;
  return false;
}

/* Check that every new rule is complete. */
static int check_complete(struct parser *p, size_t first_rule,
                          size_t first_norm, size_t first_line) {
  for (size_t i = first_rule; i < p->rules->n_rules; i++) {
    struct cul_rule *r = &p->rules->rules[i];
    p->line = r->line;
    if (!r->regex || !r->find || !*r->find || !r->text || !r->rank)
      return complain(p, "kind, rank, find, match and text are needed in",
                      r->name);
    if (sees_too_much(r))
      return complain(p,
                      r->above ? "rules of its kind see no lines 'above':"
                               : "rules of its kind see no lines 'below':",
                      r->name);
    if (is_taken(p->rules->rules, first_rule, i))
      return complain(p, "another rule of this file is called", r->name);
  }
  for (size_t i = first_norm; i < p->rules->n_norms; i++)
    if (!p->rules->norms[i].regex || !p->rules->norms[i].with)
      return complain(p, "match and with are needed in",
                      p->rules->norms[i].name);
  for (size_t i = first_line; i < p->rules->n_lines; i++) {
    struct cul_line_rule *r = &p->rules->lines[i];
    p->line = r->line;
    if (!r->regex || !r->kind)
      return complain(p, "kind and match are needed in", r->name);
    if ((r->kind == CUL_LINE_GUESS) != (r->suggests != CUL_KIND_NONE))
      return complain(p, "a guess, and it alone, suggests a kind:", r->name);
  }
  return 0;
}

int cul_rules_parse(struct cul_rules *rules, const char *file,
                    struct cul_bytes text, enum cul_code code,
                    struct cul_err *err) {
  struct parser p = {.rules = rules, .file = file, .code = code, .err = err};
  size_t n_rules = rules->n_rules, n_norms = rules->n_norms;
  size_t n_lines = rules->n_lines;
  char *copy = cul_xstrndup(text.data ? text.data : "", text.len);
  int rc = 0;
  if (cul_text_ends(file, ".frames") && is_list(file))
    rc = choose_list(&p, file);
  for (char *line = copy; line && rc == 0;) {
    char *end = strchr(line, '\n');
    p.line++;
    if (end)
      *end = '\0';
    rc = parse_line(&p, line);
    line = end ? end + 1 : NULL;
  }
  if (rc == 0)
    rc = check_complete(&p, n_rules, n_norms, n_lines);
  free(copy);
  return rc;
}
