/* Finds the part of a log that belongs to each failed test, and the prefix that
 * a harness writes before every line. harness.rules defines the forms. */
#include "../common/regex.h"
#include "../rules/rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_LINE = 4096,       /* of a line, what the expression sees */
  MAX_PREFIX = 256,      /* what may stand before a line */
  MAX_SECTIONS = 100000, /* of one log */
  MOST_COMPARED = 2000,  /* of which a summary is compared with */
  MOST_DETAILS = 200,    /* lines below an item of a list */
  MOST_AT_ONCE = 64      /* targets that are made at a time */
};

struct parts {
  const struct cul_rules *rules;
  struct cul_bytes text;
  pcre2_match_data *data;
  size_t next;   /* offset after the last line that was a mark */
  size_t told;   /* the end of the lines about the last item of a list */
  size_t *tried; /* for each rule: the offset up to which it was tried */
  struct cul_section *items;
  size_t n;
  bool open, sure;          /* the last item has not ended; it has failed */
  bool within;              /* it began within one that has failed */
  bool good;                /* the tests shown have passed */
  bool repeated;            /* they were run again */
  size_t asked;             /* an offset */
  struct cul_bytes passed;  /* the part of a test that passed around it */
  struct cul_bytes started; /* name of the test that started last */
  size_t start;             /* its offset */
};

/* Drop the last test, which passed before offset `at`.  If it began within the
 * output of a test that failed, its output belongs to that one. */
static void drop_last(struct parts *p, size_t at) {
  p->n--;
  if (p->items[p->n].start <= p->asked && p->asked < at)
    p->passed = (struct cul_bytes){p->text.data + p->items[p->n].start,
                                   at - p->items[p->n].start};
  p->open = p->sure = p->within;
  p->within = false;
}

/* End the open section at `at`. */
static void close_at(struct parts *p, size_t at) {
  p->items[p->n - 1].end = at;
  p->open = false;
}

/* Is it the test that started last, with no section since? */
static bool is_started(const struct parts *p, struct cul_bytes name) {
  return name.len && p->started.len == name.len &&
         !memcmp(p->started.data, name.data, name.len) &&
         (p->n == 0 || p->items[p->n - 1].end <= p->start);
}

static void begin(struct parts *p, const struct cul_rule *rule, size_t at,
                  struct cul_bytes name) {
  struct cul_section *section;
  p->within = p->open && p->sure;
  if (p->open)
    close_at(p, at);
  if (p->n == MAX_SECTIONS)
    return;
  if ((p->n & (p->n - 1)) == 0)
    p->items =
        cul_xreallocarray(p->items, p->n ? 2 * p->n : 1, sizeof *p->items);
  if (rule->part != CUL_PART_TEST && is_started(p, name))
    at = p->start; /* its output precedes this line */
  section = &p->items[p->n++];
  *section = (struct cul_section){
      .start = at, .end = at, .by = rule->name, .repeated = p->repeated};
  snprintf(section->name, sizeof section->name, "%.*s", (int)name.len,
           name.data);
  p->open = true;
  p->sure = rule->part != CUL_PART_TEST;
}

/* The part of a name after the last ':' or blank before its parameters. */
static struct cul_bytes last_word(const char *name) {
  size_t at = 0;
  for (size_t i = 0; name[i] && name[i + 1] && name[i] != '['; i++)
    if (name[i] == ':' || name[i] == ' ')
      at = i + 1;
  return (struct cul_bytes){name + at, strlen(name + at)};
}

/* Does the name end with that word, but for a subtest's "(i=0)"? */
static bool is_named(const char *name, struct cul_bytes word) {
  size_t len = strlen(name);
  const char *sub =
      len && name[len - 1] == ')' ? memmem(name, len, " (", 2) : NULL;
  if (sub)
    len = (size_t)(sub - name);
  return len >= word.len &&
         !memcmp(name + len - word.len, word.data, word.len) &&
         (len == word.len || strchr(".: ", name[len - word.len - 1]));
}

static size_t indent_of(struct cul_bytes text, size_t at) {
  size_t n = 0;
  while (at + n < text.len &&
         (text.data[at + n] == ' ' || text.data[at + n] == '\t'))
    n++;
  return n;
}

/* The end of the lines about an item of a list: those below it that are
 * indented more. */
static size_t details_end(struct cul_bytes text, size_t start, size_t end) {
  const char *nl = start ? memrchr(text.data, '\n', start) : NULL;
  size_t own = indent_of(text, nl ? (size_t)(nl - text.data) + 1 : 0);
  for (size_t i = 0; i < MOST_DETAILS && end + 1 < text.len; i++) {
    size_t n = indent_of(text, end + 1);
    const char *line = text.data + end + 1;
    if (n <= own || end + 1 + n >= text.len || line[n] == '\n')
      break;
    nl = memchr(line, '\n', text.len - end - 1);
    end = nl ? (size_t)(nl - text.data) : text.len;
  }
  return end;
}

/* Do two rules belong to the same harness?  Their names have a common prefix:
 * "pytest-". */
static bool same_harness(const char *a, const char *b) {
  size_t n = strcspn(a, "-");
  return strcspn(b, "-") == n && strncmp(a, b, n) == 0;
}

/* Add a test from a summary.  Within the output of a failed test of another
 * harness, what follows is its output. */
static void list(struct parts *p, const struct cul_rule *rule, size_t start,
                 size_t end, struct cul_bytes name) {
  size_t n = p->n;
  bool within =
      p->open && p->sure && !same_harness(p->items[n - 1].by, rule->name);
  begin(p, rule, start, name);
  if (p->n == n)
    return;
  p->items[n].listed = true;
  if (within)
    return;
  p->told = details_end(p->text, start, end);
  close_at(p, p->told);
}

/* Is it an error outside the test proper, which may have failed as well? */
static bool is_around(const char *name) {
  return strncmp(name, "ERROR ", 6) == 0;
}

/* Is the name "f[a]" of a test "f[a] - b]", cut because its message may begin
 * there? */
static bool is_cut_from(const char *name, struct cul_bytes word) {
  struct cul_bytes whole = last_word(name);
  return word.len && word.data[word.len - 1] == ']' && whole.len > word.len &&
         memcmp(whole.data, word.data, word.len) == 0;
}

/* If it is the name of a shard, "UNIT :: DIR/PROGRAM/3/98", of the program
 * whose test is listed as "UNIT :: DIR/PROGRAM/SUITE/CASE": "SUITE/CASE"; else
 * NULL. */
static const char *case_of_shard(const char *shard, const char *test) {
  size_t n = strlen(shard);
  for (int i = 0; i < 2; i++) {
    size_t end = n;
    while (n > 0 && isdigit((unsigned char)shard[n - 1]))
      n--;
    if (n == end || n == 0 || shard[n - 1] != '/')
      return NULL;
    n -= i == 0;
  }
  return strncmp(shard, test, n) == 0 && strchr(test + n, '/') ? test + n
                                                               : NULL;
}

/* Does the output of a shard name the case?  GoogleTest prints "SUITE.CASE". */
static bool names_case(struct cul_bytes output, const char *name) {
  size_t len = strlen(name);
  for (size_t at = 0; at + len <= output.len; at++) {
    const char *here =
        memchr(output.data + at, *name, output.len - len + 1 - at);
    size_t i = 0;
    if (!here)
      return false;
    while (i < len &&
           (here[i] == name[i] || (here[i] == '.' && name[i] == '/')))
      i++;
    if (i == len)
      return true;
    at = (size_t)(here - output.data);
  }
  return false;
}

/* What a test printed, with the sections of other harnesses within. */
static struct cul_bytes output_of(const struct parts *p,
                                  const struct cul_section *section) {
  size_t end = p->text.len;
  for (const struct cul_section *next = section + 1;
       next < p->items + p->n && end == p->text.len; next++)
    if (same_harness(next->by, section->by))
      end = next->start;
  return (struct cul_bytes){p->text.data + section->start,
                            end - section->start};
}

/* Does the section show that test of a list? */
static bool shows(const struct parts *p, const struct cul_section *section,
                  const char *name) {
  struct cul_bytes word = last_word(name);
  const char *of_shard = case_of_shard(section->name, name);
  return is_around(section->name) == is_around(name) &&
         (is_named(section->name, word) || is_cut_from(section->name, word) ||
          (of_shard && names_case(output_of(p, section), of_shard)));
}

/* Does the log show the output of this listed test, or list the test before?
 * Only whole names of listed tests are compared, because tests of two files or
 * classes may have the same last word. */
static bool is_shown(const struct parts *p, size_t i) {
  size_t first = i > MOST_COMPARED ? i - MOST_COMPARED : 0;
  for (size_t k = first; k < p->n && k < i + MOST_COMPARED; k++)
    if (p->items[k].listed
            ? k < i && strcmp(p->items[k].name, p->items[i].name) == 0
            : shows(p, &p->items[k], p->items[i].name))
      return true;
  return false;
}

/* Is a repeated attempt all that the log shows of a test that it lists as
 * failed? */
static bool stands_for(const struct parts *p, size_t i) {
  bool listed = false;
  for (size_t k = i + 1; k < p->n && k < i + MOST_COMPARED; k++)
    if (!p->items[k].repeated &&
        (shows(p, &p->items[i], p->items[k].name) ||
         strcmp(p->items[k].name, p->items[i].name) == 0)) {
      if (!p->items[k].listed)
        return false; /* the last attempt is shown, too */
      listed = true;
    }
  return listed;
}

/* Drop the attempts after which the test passed, or its last attempt is
 * shown. */
static void drop_repeated(struct parts *p) {
  size_t n = 0;
  bool *keep = cul_xcalloc(p->n + 1, sizeof *keep);
  for (size_t i = 0; i < p->n; i++)
    keep[i] = !p->items[i].repeated || stands_for(p, i);
  for (size_t i = 0; i < p->n; i++)
    if (keep[i])
      p->items[n++] = p->items[i];
  p->n = n;
  free(keep);
}

/* Drop the tests of a summary whose output was shown. */
static void drop_shown(struct parts *p) {
  size_t n = 0;
  bool *drop = cul_xcalloc(p->n + 1, sizeof *drop);
  for (size_t i = 0; i < p->n; i++)
    drop[i] = p->items[i].listed && is_shown(p, i);
  for (size_t i = 0; i < p->n; i++)
    if (!drop[i])
      p->items[n++] = p->items[i];
    else if (n > 0 && p->items[n - 1].end == p->items[i].start)
      p->items[n - 1].end = p->items[i].end; /* it was a part of that */
    else if (i + 1 < p->n && !drop[i + 1] &&
             p->items[i + 1].start == p->items[i].end + 1 &&
             shows(p, &p->items[i + 1], p->items[i].name))
      p->items[i + 1].start = p->items[i].start; /* it heads that */
  p->n = n;
  free(drop);
}

/* ---- targets of make ---- */

/* Is the line a message about a file with that stem: "b.c:1:3", "In file
 * included from lib/b.c:1:"? */
static bool names_file(struct cul_bytes line, struct cul_bytes stem) {
  const char *s = line.data, *end = s + line.len;
  while (stem.len && (s = memmem(s, (size_t)(end - s), stem.data, stem.len))) {
    const char *at = s + stem.len;
    bool fresh = s == line.data || s[-1] == ' ' || s[-1] == '/';
    if (fresh && at < end && *at == '.') {
      at++;
      while (at < end && isalnum((unsigned char)*at))
        at++;
      if (at < end && *at == ':')
        return true;
    }
    s++;
  }
  return false;
}

/* The first line within [from, end) that names a file of that stem; end: there
 * is none. */
static size_t find_file(struct cul_bytes text, size_t from, size_t end,
                        struct cul_bytes stem) {
  while (from < end) {
    const char *nl = memchr(text.data + from, '\n', end - from);
    size_t stop = nl ? (size_t)(nl - text.data) : end;
    if (names_file((struct cul_bytes){text.data + from, stop - from}, stem))
      return from;
    from = stop + 1;
  }
  return end;
}

/* "b" of "lib/b.c.o"; *dotted: it has an ending. */
static struct cul_bytes stem_of(struct cul_bytes name, bool *dotted) {
  const char *slash = memrchr(name.data, '/', name.len);
  size_t at = slash ? (size_t)(slash - name.data) + 1 : 0;
  const char *dot = memchr(name.data + at, '.', name.len - at);
  *dotted = dot && dot > name.data + at;
  return (struct cul_bytes){name.data + at,
                            (dot ? (size_t)(dot - name.data) : name.len) - at};
}

/* Find the output of a target within that of others, with which it was made at
 * the same time: returns its begin.  SIZE_MAX: there is none. */
static size_t find_among(const struct parts *p, struct cul_bytes stem,
                         size_t *end) {
  size_t least = p->n > MOST_AT_ONCE ? p->n - MOST_AT_ONCE : 0;
  for (size_t k = p->n; k > least && p->items[k - 1].made; k--) {
    const struct cul_section *other = &p->items[k - 1];
    size_t at = find_file(p->text, other->start, other->end, stem);
    if (at == other->end || at == other->start)
      continue;
    *end = other->end;
    return at;
  }
  return SIZE_MAX;
}

/* Add a target that failed; make reports this after the target's output. */
static void add_target(struct parts *p, const struct cul_rule *rule,
                       size_t start, size_t end, struct cul_bytes name) {
  static const char error[] = "error: ";
  size_t from = p->next, at, n;
  bool dotted;
  struct cul_bytes stem = stem_of(name, &dotted);
  if (p->open)
    close_at(p, start);
  if (!dotted &&
      !memmem(p->text.data + from, start - from, error, strlen(error)))
    return; /* it depends on the target that failed, or runs tests */
  at = find_file(p->text, from, start, stem);
  if (at == start)
    at = find_among(p, stem, &end);
  n = p->n;
  begin(p, rule, at == SIZE_MAX ? from : at, name);
  if (p->n == n)
    return;
  p->items[n].made = true;
  close_at(p, end);
}

/* Drop the section of a single target that failed: the whole log is about it.
 */
static void drop_lone_target(struct parts *p) {
  size_t n_targets = 0, last = 0;
  for (size_t i = 0; i < p->n; i++)
    if (p->items[i].made) {
      n_targets++;
      last = i;
    }
  if (n_targets != 1)
    return;
  p->n--;
  memmove(p->items + last, p->items + last + 1,
          (p->n - last) * sizeof *p->items);
}

/* Is the open section that of this failed test, which began in another way? */
static bool is_open_test(const struct parts *p, const struct cul_rule *rule,
                         struct cul_bytes name) {
  const struct cul_section *open = p->open ? &p->items[p->n - 1] : NULL;
  return open && p->sure && open->by != rule->name &&
         strlen(open->name) == name.len &&
         !memcmp(open->name, name.data, name.len);
}

static void mark(struct parts *p, const struct cul_rule *rule, size_t start,
                 size_t end, struct cul_bytes name) {
  switch (rule->part) {
  case CUL_PART_TEST:
  case CUL_PART_FAILING:
    if (!p->good && !is_open_test(p, rule, name))
      begin(p, rule, start, name);
    return;
  case CUL_PART_PASSED:
    if (p->open && !p->sure)
      drop_last(p, start);
    else if (p->open)
      close_at(p, start);
    return;
  case CUL_PART_FAILED:
    if (p->open)
      close_at(p, end);
    else
      list(p, rule, start, end, name);
    return;
  case CUL_PART_END:
  case CUL_PART_GOOD:
  case CUL_PART_REPEATED:
    if (p->open)
      close_at(p, start);
    p->good = rule->part == CUL_PART_GOOD;
    p->repeated = rule->part == CUL_PART_REPEATED;
    return;
  case CUL_PART_STARTED:
    if (p->open)
      close_at(p, start);
    p->started = name;
    p->start = start;
    return;
  case CUL_PART_LISTED:
    list(p, rule, start, end, name);
    return;
  case CUL_PART_MADE:
    add_target(p, rule, start, end, name);
    return;
  default: /* of no test */
    return;
  }
}

/* The end of the line in which at is, without its '\n'. */
static size_t line_end(struct cul_bytes text, size_t at) {
  const char *nl = memchr(text.data + at, '\n', text.len - at);
  return nl ? (size_t)(nl - text.data) : text.len;
}

/* The end of the text for the expression of a rule whose word is in the line
 * that ends at stop: it includes lines below that, none of them long. */
static size_t seen_end(struct cul_bytes text, const struct cul_rule *rule,
                       size_t stop) {
  for (int i = 0; i < rule->below && stop < text.len; i++) {
    size_t end = line_end(text, stop + 1);
    if (end - stop > MAX_LINE)
      break;
    stop = end;
  }
  return stop;
}

/* A word of a rule was found: check whether its line is a mark. */
static void try_line(void *arg, size_t word, size_t end) {
  struct parts *p = arg;
  const struct cul_rule *rule = &p->rules->rules[word];
  const char *text = p->text.data, *nl;
  const PCRE2_SIZE *groups;
  size_t start, stop, at;
  int n;
  if (!rule->part || rule->part >= CUL_PART_PREFIX || end <= p->next ||
      end <= p->tried[word])
    return;
  nl = memrchr(text + p->next, '\n', end - p->next);
  start = nl ? (size_t)(nl - text) + 1 : p->next;
  stop = line_end(p->text, end);
  p->tried[word] = stop;
  if (stop - start > MAX_LINE)
    return;
  n = pcre2_match(
      cul_regex_ready(cul_regex_code(rule->regex)), (PCRE2_SPTR)text + start,
      seen_end(p->text, rule, stop) - start, 0, 0, p->data, p->rules->limits);
  if (n <= 0)
    return;
  groups = pcre2_get_ovector_pointer(p->data);
  if (groups[0] > stop - start)
    return; /* in a line below */
  at = n > 2 && groups[4] != PCRE2_UNSET ? groups[4] : 0;
  mark(p, rule, start + at, stop,
       n > 1
           ? (struct cul_bytes){text + start + groups[2], groups[3] - groups[2]}
           : (struct cul_bytes){"", 0});
  p->next = p->told > stop ? p->told : stop;
}

static void find_parts(struct parts *p) {
  p->data = pcre2_match_data_create(10, NULL);
  p->tried = cul_xcalloc(p->rules->n_rules, sizeof *p->tried);
  if (!p->data)
    cul_no_memory(0);
  cul_literals_scan(p->rules->literals, p->text, try_line, p);
  if (p->open)
    close_at(p, p->text.len);
  pcre2_match_data_free(p->data);
  free(p->tried);
}

size_t cul_sections_find(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_section **out) {
  struct parts p = {
      .rules = rules, .text = text, .asked = SIZE_MAX, .started = {"", 0}};
  find_parts(&p);
  drop_repeated(&p);
  drop_shown(&p);
  drop_lone_target(&p);
  *out = p.items;
  return p.n;
}

/* The part of the test that passed around the offset; empty: there is none. */
static struct cul_bytes passed_around(const struct cul_rules *rules,
                                      struct cul_bytes text, size_t at) {
  struct parts p = {.rules = rules,
                    .text = text,
                    .asked = at,
                    .passed = {text.data, 0},
                    .started = {"", 0}};
  find_parts(&p);
  free(p.items);
  return p.passed;
}

struct cul_bytes cul_section_around(const struct cul_rules *rules,
                                    struct cul_bytes text, size_t at,
                                    bool passed) {
  struct cul_section *sections;
  struct cul_bytes out = {text.data, 0};
  size_t n;
  if (passed)
    return passed_around(rules, text, at);
  n = cul_sections_find(rules, text, &sections);
  for (size_t i = 0; i < n; i++)
    if (sections[i].start <= at && at < sections[i].end && !sections[i].listed)
      out = (struct cul_bytes){text.data + sections[i].start,
                               sections[i].end - sections[i].start};
  free(sections);
  return out;
}

/* ---- prefixes of lines ---- */

/* Append text, each line without the prefix that rule matches. Returns the
 * number of lines cut. */
static size_t cut_prefix(const struct cul_rules *rules,
                         const struct cul_rule *rule, struct cul_bytes text,
                         struct cul_buf *out) {
  pcre2_match_data *data = pcre2_match_data_create(10, NULL);
  size_t n_cut = 0;
  if (!data)
    cul_no_memory(0);
  cul_buf_reserve(out, text.len);
  for (size_t at = 0; at < text.len;) {
    const char *line = text.data + at;
    const char *nl = memchr(line, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - line) + 1 : text.len - at, skip = 0;
    size_t seen = len < MAX_PREFIX ? len : MAX_PREFIX;
    if (pcre2_match(cul_regex_code(rule->regex), (PCRE2_SPTR)line, seen, 0,
                    PCRE2_ANCHORED, data, rules->limits) > 0)
      skip = pcre2_get_ovector_pointer(data)[1];
    n_cut += skip > 0;
    cul_buf_add(out, line + skip, len - skip);
    at += len;
  }
  pcre2_match_data_free(data);
  return n_cut;
}

static bool unwrap_by(const struct cul_rules *rules,
                      const struct cul_rule *rule, struct cul_buf *text) {
  struct cul_buf out = {0};
  size_t len = strlen(rule->find);
  bool cut = memmem(cul_buf_str(text), text->len, rule->find, len) &&
             cut_prefix(rules, rule, cul_buf_bytes(text), &out) > 0;
  if (cut) {
    cul_buf_release(text);
    *text = out;
  } else {
    cul_buf_release(&out);
  }
  return cut;
}

/* Apply every rule once; *copy is made when the first rule applies. */
static bool unwrap_once(const struct cul_rules *rules, struct cul_bytes text,
                        struct cul_buf *copy) {
  bool cut = false;
  for (size_t i = 0; i < rules->n_rules; i++) {
    const struct cul_rule *rule = &rules->rules[i];
    if (rule->part != CUL_PART_PREFIX)
      continue;
    if (!copy->data &&
        !memmem(text.data, text.len, rule->find, strlen(rule->find)))
      continue;
    if (!copy->data)
      cul_buf_add(copy, text.data, text.len);
    cut = unwrap_by(rules, rule, copy) || cut;
  }
  return cut;
}

bool cul_sections_unwrap(const struct cul_rules *rules, struct cul_bytes text,
                         struct cul_buf *out) {
  enum { LAYERS = 3 }; /* a CI service around a harness around a tool */
  struct cul_buf copy = {0};
  bool cut = false;
  for (int i = 0; i < LAYERS && unwrap_once(rules, text, &copy); i++)
    cut = true;
  if (cut) {
    cul_buf_release(out);
    *out = copy;
  } else {
    cul_buf_release(&copy);
  }
  return cut;
}
