/* The best rule for the texts of a record, and the pass they name.
 *
 * One pass over each text finds the lines that contain a rule's word; only
 * there is the expression tried, on a window of a few lines.  So the time is
 * linear in the text, even if all of it is one line. */
#include "../common/regex.h"
#include "../rules/rules.h"
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WINDOW_BEFORE = 1024, /* bytes of an overlong line before its word */
  WINDOW_AFTER = 4096,
  WINDOW_ABOVE = 8192,
  LINE_BELOW = 120, /* more for each line a rule asks for below */
  RANK_OF_HOLLOW = 13,
  RANK_OF_ECHO = 29,   /* below those of all reports */
  RANK_OF_DEATH = 50,  /* rules from this rank on explain a death by signal */
  RANK_OF_ANY = 15,    /* rules up to this rank match any error line */
  MAX_SEEN = 1 << 18,  /* bytes one rule's expression sees of one text */
  MOST_SAID = 64,      /* messages of a log that are kept */
  MOST_REPEATED = 4,   /* of one rule */
  RANK_OF_REPORT = 30, /* rules below it find that something failed, not what */
};

/* The state of a rule while one text is scanned. */
struct progress {
  size_t next; /* the rule was tried on the text before this offset */
  size_t seen;
  int n; /* matches */
  bool done;
};

struct scan {
  const struct cul_rules *rules;
  struct cul_bytes text;
  int source;
  const struct cul_match_scope *asked;
  struct progress *progress;
  pcre2_match_data *data;
  struct cul_matches *out;
};

struct window {
  size_t start, end; /* of the bytes the expression sees */
  size_t line_end;   /* of the line with the word */
  uint32_t options;
};

static size_t line_start(struct cul_bytes text, size_t at, size_t floor) {
  const char *nl =
      at > floor ? memrchr(text.data + floor, '\n', at - floor) : NULL;
  return nl ? (size_t)(nl - text.data) + 1 : floor;
}

static size_t line_end(struct cul_bytes text, size_t at, size_t ceiling) {
  const char *nl =
      at < ceiling ? memchr(text.data + at, '\n', ceiling - at) : NULL;
  return nl ? (size_t)(nl - text.data) : ceiling;
}

static struct window window_of(const struct cul_rule *rule,
                               struct cul_bytes text, size_t word,
                               size_t word_end) {
  struct window w = {0};
  size_t floor = word > WINDOW_BEFORE ? word - WINDOW_BEFORE : 0;
  size_t after = WINDOW_AFTER + (size_t)rule->below * LINE_BELOW;
  size_t ceiling = text.len - word_end > after ? word_end + after : text.len;
  w.start = line_start(text, word, floor);
  w.end = w.line_end = line_end(text, word_end, ceiling);
  floor = w.start > WINDOW_ABOVE ? w.start - WINDOW_ABOVE : 0;
  for (int i = 0; i < rule->above && w.start > floor; i++)
    w.start = line_start(text, w.start - 1, floor);
  for (int i = 0; i < rule->below && w.end < ceiling; i++)
    w.end = line_end(text, w.end + 1, ceiling);
  if (w.start > 0 && text.data[w.start - 1] != '\n')
    w.options |= PCRE2_NOTBOL;
  if (w.end < text.len && text.data[w.end] != '\n')
    w.options |= PCRE2_NOTEOL;
  return w;
}

/* The part of a path after the last '/' or '\\'. */
static struct cul_bytes base_name(struct cul_bytes path) {
  for (size_t i = path.len; i > 0; i--)
    if (path.data[i - 1] == '/' || path.data[i - 1] == '\\')
      return (struct cul_bytes){path.data + i, path.len - i};
  return path;
}

/* Is it a function that only runs the kernel which its first template argument
 * names, such as cutlass::device_kernel<Kernel>? */
static bool is_kernel_wrapper(const char *name) {
  static const char *const words[] = {"devicekernel", "kernel",
                                      "globalkernel", "kernelwrapper",
                                      "kernelentry",  "kernelagent"};
  char plain[32];
  (void)cul_symbol_plain(name, plain, sizeof plain);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (!strcmp(plain, words[i]))
      return true;
  return false;
}

/* The first template argument of the symbol if it is a type with a namespace;
 * empty: none. */
static struct cul_bytes first_argument(struct cul_bytes symbol) {
  const char *open = memchr(symbol.data, '<', symbol.len);
  size_t at = open ? (size_t)(open + 1 - symbol.data) : symbol.len, end = at;
  int depth = 0;
  for (; end < symbol.len; end++) {
    char c = symbol.data[end];
    if (depth == 0 && (c == ',' || c == '>'))
      break;
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
  }
  symbol = (struct cul_bytes){symbol.data + at, end - at};
  return cul_bytes_hold(symbol, "::") ? symbol : (struct cul_bytes){NULL, 0};
}

/* Append one group of a match: as it is (how = 0), as a file's base name ('f'),
 * or as a symbol ('s'). */
static void add_group(struct cul_bytes part, char how, struct cul_buf *out) {
  char name[400];
  if (how == 'f')
    part = base_name(part);
  if (how == 's') {
    struct cul_bytes kernel = first_argument(part);
    cul_symbol_clean(part.data, part.len, name, sizeof name);
    if (kernel.len && is_kernel_wrapper(name))
      cul_symbol_clean(kernel.data, kernel.len, name, sizeof name);
    part = (struct cul_bytes){name, strlen(name)};
  }
  cul_buf_add(out, part.data, part.len);
}

/* Remove the empty brackets of a place that the text does not contain. */
static void drop_empty_place(struct cul_buf *out) {
  static const char nowhere[] = " ()";
  const size_t n = sizeof nowhere - 1;
  if (out->len > n && !memcmp(out->data + out->len - n, nowhere, n))
    out->len -= n;
}

/* Expand $1, $f1 (base name) and $s1 (function without arguments) in template.
 */
static void expand(const char *template, const char *subject,
                   const PCRE2_SIZE *groups, int n_groups,
                   struct cul_buf *out) {
  size_t start = out->len;
  for (const char *c = template; *c; c++) {
    char how = c[0] == '$' && (c[1] == 'f' || c[1] == 's') ? c[1] : 0;
    int group = c[0] == '$' ? c[how ? 2 : 1] - '0' : -1;
    if (group < 0 || group > 9) {
      if (*c != ' ' || out->len == start || out->data[out->len - 1] != ' ')
        cul_buf_addc(out, *c);
      continue;
    }
    c += how ? 2 : 1;
    if (group < n_groups && groups[2 * group] != PCRE2_UNSET)
      add_group((struct cul_bytes){subject + groups[2 * group],
                                   groups[2 * group + 1] - groups[2 * group]},
                how, out);
  }
  if (strstr(template, " ($"))
    drop_empty_place(out);
  while (out->len > start && out->data[out->len - 1] == ' ')
    out->data[--out->len] = '\0';
}

/* May an uncaught exception pass on the message of such a rule? */
static bool is_behind_exceptions(const struct cul_rule *rule) {
  return rule->rank >= RANK_OF_REPORT &&
         (rule->kind == CUL_KIND_DEVICE || rule->kind == CUL_KIND_MEMORY ||
          rule->kind == CUL_KIND_INFRASTRUCTURE);
}

/* Is the new match in the words of an exception, so that it identifies the
 * failure better than the exception's class? */
static bool is_told_by(const struct cul_match *old, const struct cul_rule *rule,
                       size_t start) {
  return old->rule->kind == CUL_KIND_EXCEPTION && is_behind_exceptions(rule) &&
         start >= old->start && start < old->end;
}

static bool tells_old(const struct cul_match *old, const struct cul_rule *rule,
                      size_t start, size_t end) {
  return rule->kind == CUL_KIND_EXCEPTION && is_behind_exceptions(old->rule) &&
         old->start >= start && old->start < end;
}

/* The rank of a match; of a hollow exception RANK_OF_HOLLOW at most, of an
 * echo, and of a hollow message with which a process dies, RANK_OF_ECHO. */
static int rank_of(const struct cul_rule *rule, bool hollow, bool echo) {
  bool dies = rule->rank >= RANK_OF_DEATH;
  int most = hollow && !dies  ? RANK_OF_HOLLOW
             : hollow || echo ? RANK_OF_ECHO
                              : rule->rank;
  return rule->rank < most ? rule->rank : most;
}

static bool better(const struct scan *s, const struct cul_match *old,
                   const struct cul_rule *rule, int rank, size_t start,
                   size_t end) {
  int old_rank;
  int source = s->source;
  if (!old->rule)
    return true;
  if (s->asked->log && source == old->source && is_told_by(old, rule, start))
    return true;
  if (s->asked->log && source == old->source &&
      tells_old(old, rule, start, end))
    return false;
  old_rank = rank_of(old->rule, old->hollow, old->echo);
  if (rank != old_rank)
    return rank > old_rank;
  if (rule->last && rule == old->rule && source == old->source)
    return start >= old->start;
  return source == old->source && start < old->start;
}

/* The best match so far of such rules. */
static struct cul_match *found_by(struct cul_matches *out,
                                  const struct cul_rule *rule) {
  return rule->pass ? &out->pass : rule->input ? &out->input : &out->failure;
}

static void keep_error(struct scan *s, const struct cul_rule *rule,
                       const struct window *w, int n_groups, size_t word) {
  struct cul_matches *out = s->out;
  struct cul_buf raw = {0};
  expand(rule->text, s->text.data + w->start,
         pcre2_get_ovector_pointer(s->data), n_groups, &raw);
  out->errors =
      cul_xreallocarray(out->errors, out->n_errors + 1, sizeof *out->errors);
  out->errors[out->n_errors++] =
      (struct cul_error_match){.source = s->source,
                               .start = w->start,
                               .word = word,
                               .raw = cul_xstrndup(cul_buf_str(&raw), raw.len)};
  cul_buf_release(&raw);
}

/* Do failures of the kind have many sources, each with words of its own? */
static bool has_many_forms(enum cul_kind kind) {
  return kind == CUL_KIND_DEVICE || kind == CUL_KIND_MISMATCH ||
         kind == CUL_KIND_MEMORY || kind == CUL_KIND_TIMEOUT ||
         kind == CUL_KIND_INFRASTRUCTURE || kind == CUL_KIND_SIGNAL;
}

/* Does the rule replace a message that has many forms by its own words? */
static bool has_own_words(const struct cul_rule *rule) {
  const char *text = rule->text;
  if (rule->part)
    return false;
  if (!strchr(text, '$'))
    return text[0] || rule->kind == CUL_KIND_TIMEOUT;
  for (; has_many_forms(rule->kind) && *text; text++)
    if (*text == '$')
      text += text[1] == 'f' || text[1] == 's' ? 2 : 1;
    else if (isalpha((unsigned char)*text))
      return true;
  return false;
}

/* The offset behind the mark that pytest or a CI service puts before an error,
 * if the match is behind it, too. */
static size_t behind_mark(struct cul_bytes text, size_t from, size_t start) {
  static const char pytest[] = "E  ", ci[] = "##[";
  struct cul_bytes line = {text.data + from, text.len - from};
  const char *close;
  if (cul_bytes_start(line, pytest))
    return from + 1;
  close = cul_bytes_start(line, ci) ? memchr(line.data, ']', line.len) : NULL;
  return close && (size_t)(close - text.data) < start + 16
             ? (size_t)(close + 1 - text.data)
             : from;
}

/* Append the line of a match as printed; of a long line only the part that ends
 * with the match, from the beginning of a word. */
static void add_line(struct cul_bytes text, size_t start, size_t end,
                     struct cul_buf *out) {
  enum { MOST = 120 };
  size_t from = line_start(text, start, start > 4096 ? start - 4096 : 0);
  size_t to =
      line_end(text, start, text.len - end > 512 ? end + 512 : text.len);
  end = end < to ? end : to;
  if (to - from > MOST && end - from > MOST && start > from) {
    size_t at = end - from > MOST ? end - MOST : from;
    at = at < start ? at : start;
    while (at < start && text.data[at - 1] != ' ')
      at++;
    from = at;
  }
  from = behind_mark(text, from, start);
  while (from < to && strchr(" \t", text.data[from]))
    from++;
  while (to > from && strchr(" \t\r", text.data[to - 1]))
    to--;
  cul_buf_add(out, text.data + from, to - from);
}

/* Does a line report numbers that differ?  The rule's text omits the numbers,
 * so the whole line is kept. */
static bool is_of_numbers(const struct cul_rule *rule,
                          const struct cul_match *match, const struct scan *s) {
  return rule->kind == CUL_KIND_MISMATCH && !rule->part &&
         !memchr(s->text.data + match->start, '\n', match->end - match->start);
}

/* Does the text of the rule quote a sentence, so that it says more than the
 * line with its addresses and numbers? */
static bool is_sentence(const struct cul_rule *rule,
                        const struct cul_match *match) {
  enum { SENTENCE = 32 };
  return match->of_rule && strchr(rule->text, '$') &&
         match->raw.len >= SENTENCE;
}

/* How many brackets of the text are open at its end, but for those in quotes.
 */
static int open_brackets(struct cul_bytes text) {
  int n = 0;
  for (size_t i = 0; i < text.len; i++) {
    const char *c = text.data + i;
    if (i > 0 && i + 1 < text.len && c[-1] == c[1] && strchr("'\"`", c[1]))
      continue;
    n += strchr("([{", *c) != NULL;
    n -= n > 0 && strchr(")]}", *c);
  }
  return n;
}

static struct cul_bytes trimmed_line(struct cul_bytes text, size_t at) {
  size_t end = line_end(text, at, text.len);
  while (at < end && isspace((unsigned char)text.data[at]))
    at++;
  while (end > at && isspace((unsigned char)text.data[end - 1]))
    end--;
  return (struct cul_bytes){text.data + at, end - at};
}

/* If raw ends as its match does, the end of the line where only blanks and
 * colons follow in it; else 0. */
static size_t end_of_message(struct cul_bytes text, size_t end,
                             const struct cul_buf *raw) {
  enum { ALIKE = 8 };
  size_t n = raw->len < ALIKE ? raw->len : ALIKE;
  if (!n || end < n ||
      memcmp(text.data + end - n, raw->data + raw->len - n, n) != 0)
    return 0;
  while (end < text.len && strchr(": \t", text.data[end]))
    end++;
  return end < text.len && text.data[end] == '\n' ? end : 0;
}

/* Append the lines with which a message goes on behind `end`, the end of its
 * line: until the brackets are closed that this opens, else the one behind a
 * colon (of exceptions and diagnostics, join_heading compares that one, too).
 * They are for people, and not compared. */
static void add_continuation(struct cul_bytes text, size_t end,
                             enum cul_kind kind, struct cul_buf *raw) {
  enum { MOST_LINES = 16, MOST_BYTES = 2048 };
  CUL_OWNED(cul_buf) whole = {0};
  int open = open_brackets(cul_buf_bytes(raw)), lines = 0;
  bool colon = end > 0 && text.data[end - 1] == ':' &&
               kind != CUL_KIND_EXCEPTION && kind != CUL_KIND_DIAGNOSTIC;
  cul_buf_add(&whole, raw->data, raw->len);
  cul_buf_adds(&whole, colon && whole.data[whole.len - 1] != ':' ? ":" : "");
  while ((open || colon) && end < text.len && lines++ < MOST_LINES &&
         whole.len < MOST_BYTES) {
    struct cul_bytes line = trimmed_line(text, end + 1);
    if (!line.len || (colon && !isalpha((unsigned char)*line.data)))
      return;
    cul_buf_addc(&whole, ' ');
    cul_buf_add(&whole, line.data, line.len);
    end = line_end(text, end + 1, text.len);
    open = open_brackets(cul_buf_bytes(&whole));
    colon = false;
  }
  if (open)
    return;
  cul_buf_clear(raw);
  cul_buf_add(raw, whole.data, whole.len);
}

static void fill(struct scan *s, const struct cul_rule *rule,
                 const char *subject, int n_groups, size_t start,
                 struct cul_match *best) {
  const PCRE2_SIZE *groups = pcre2_get_ovector_pointer(s->data);
  best->rule = rule;
  best->source = s->source;
  best->start = start;
  best->end = start + groups[1] - groups[0];
  cul_buf_clear(&best->raw);
  cul_buf_clear(&best->text);
  expand(rule->text, subject, groups, n_groups, &best->raw);
  if (rule->part)
    cul_buf_add(&best->text, best->raw.data, best->raw.len);
  else
    cul_normalise(s->rules, rule->kind, cul_buf_str(&best->raw), best->raw.len,
                  &best->text);
  best->frame[0] = '\0';
  if (rule->frame) {
    struct cul_buf frame = {0};
    expand(rule->frame, subject, groups, n_groups, &frame);
    snprintf(best->frame, sizeof best->frame, "%s", cul_buf_str(&frame));
    cul_buf_release(&frame);
  }
  best->of_rule = s->asked->log && has_own_words(rule);
  cul_buf_clear(&best->line);
  if (best->of_rule || (s->asked->log && is_of_numbers(rule, best, s)))
    add_line(s->text, best->start, best->end, &best->line);
  if (best->line.len && !is_sentence(rule, best)) {
    cul_buf_clear(&best->raw);
    cul_buf_add(&best->raw, best->line.data, best->line.len);
  }
  if (s->asked->log && !rule->part &&
      end_of_message(s->text, best->end, &best->raw))
    add_continuation(s->text, end_of_message(s->text, best->end, &best->raw),
                     rule->kind, &best->raw);
}

/* Is the match before the known cause, or is none known?  If both are on one
 * line, the rule of the higher rank counts, wherever its match begins. */
static bool is_first(const struct scan *s, const struct cul_rule *rule,
                     size_t start) {
  const struct cul_match *cause = &s->out->cause;
  size_t from, to;
  if (!cause->rule)
    return true;
  if (cause->source != s->source)
    return false;
  from = start < cause->start ? start : cause->start;
  to = start < cause->start ? cause->start : start;
  if (!memchr(s->text.data + from, '\n', to - from) &&
      rule->rank != cause->rule->rank)
    return rule->rank > cause->rule->rank;
  return start < cause->start;
}

/* Has a rule for any error line matched a line with which any failure may end?
 * Such a line does not name the failure. */
static bool is_closing(const struct scan *s, const struct cul_rule *rule,
                       const struct window *w) {
  struct cul_bytes line = {s->text.data + w->start, w->line_end - w->start};
  if (!s->asked->log || rule->kind != CUL_KIND_DIAGNOSTIC ||
      rule->rank > RANK_OF_ANY)
    return false;
  for (size_t i = 0; i < s->rules->n_lines; i++)
    if ((s->rules->lines[i].kind == CUL_LINE_CLOSING ||
         s->rules->lines[i].kind == CUL_LINE_NEUTRAL ||
         s->rules->lines[i].kind == CUL_LINE_ECHO) &&
        cul_line_matches(s->rules, &s->rules->lines[i], line, NULL))
      return true;
  return false;
}

/* Does the rule find, in a log, a report of a failure, or an exception, which
 * may only pass one on? */
static bool is_report(const struct scan *s, const struct cul_rule *rule) {
  return s->asked->log && !rule->part && !rule->pass && !rule->input &&
         (rule->rank >= RANK_OF_REPORT || rule->kind == CUL_KIND_EXCEPTION);
}

static void keep_said(struct scan *s, const struct cul_rule *rule,
                      const struct window *w, int n_groups) {
  struct cul_matches *out = s->out;
  const PCRE2_SIZE *groups = pcre2_get_ovector_pointer(s->data);
  struct cul_buf raw = {0};
  if (!is_report(s, rule) || out->n_said == MOST_SAID)
    return;
  expand(rule->text, s->text.data + w->start, groups, n_groups, &raw);
  out->said = cul_xreallocarray(out->said, out->n_said + 1, sizeof *out->said);
  out->said[out->n_said++] =
      (struct cul_said){.rule = rule,
                        .start = w->start + groups[0],
                        .raw = cul_xstrndup(cul_buf_str(&raw), raw.len)};
  cul_buf_release(&raw);
}

/* Does a match in a log name the signal that ended the process? */
static bool tells_end(const struct scan *s, const struct cul_rule *rule) {
  return s->asked->log && !rule->part && rule->kind == CUL_KIND_SIGNAL &&
         rule->status;
}

/* Is the line an error that programs tolerate, or one of the network that
 * concerns a server on the same machine? */
static bool is_benign(const struct scan *s, const struct cul_rule *rule,
                      size_t at) {
  size_t start = line_start(s->text, at, at > 4096 ? at - 4096 : 0);
  size_t end = line_end(s->text, at, s->text.len);
  struct cul_bytes line = {s->text.data + start, end - start};
  bool network = rule->kind == CUL_KIND_INFRASTRUCTURE;
  for (size_t i = 0; s->asked->log && i < s->rules->n_lines; i++)
    if ((s->rules->lines[i].kind == CUL_LINE_BENIGN ||
         (network && s->rules->lines[i].kind == CUL_LINE_LOCAL)) &&
        cul_line_matches(s->rules, &s->rules->lines[i], line, NULL))
      return true;
  return false;
}

/* Does the line at `at`, or the next one, report that what failed there will be
 * tried again? */
static bool is_tried_again(const struct scan *s, size_t at) {
  enum { MOST_BYTES = 400 };
  size_t start = line_start(s->text, at, at > MOST_BYTES ? at - MOST_BYTES : 0);
  size_t end = line_end(s->text, at, s->text.len);
  size_t next = end < s->text.len ? end + 1 : end;
  size_t stop = line_end(s->text, next, s->text.len);
  size_t n = stop - next < MOST_BYTES ? stop - next : MOST_BYTES;
  return cul_line_find(s->rules, CUL_LINE_AGAIN,
                       (struct cul_bytes){s->text.data + start, end - start})
                 .len > 0 ||
         cul_line_find(s->rules, CUL_LINE_RETRY,
                       (struct cul_bytes){s->text.data + next, n})
                 .len > 0;
}

/* Is it an exception or an error whose words do not name the failure, or a
 * failure of the network after which the log reports another attempt? */
static bool is_hollow(const struct scan *s, const struct cul_rule *rule,
                      const char *subject, int n_groups, size_t at) {
  struct cul_buf raw = {0};
  bool hollow;
  if (!s->asked->log || rule->part)
    return false;
  if (rule->kind == CUL_KIND_INFRASTRUCTURE)
    return is_tried_again(s, at);
  if (rule->kind != CUL_KIND_EXCEPTION && rule->kind != CUL_KIND_DIAGNOSTIC)
    return false;
  expand(rule->text, subject, pcre2_get_ovector_pointer(s->data), n_groups,
         &raw);
  hollow = cul_line_find(s->rules, CUL_LINE_HOLLOW, cul_buf_bytes(&raw)).len;
  cul_buf_release(&raw);
  return hollow;
}

/* Where the words of an exception stand, which may be below its traceback. */
static size_t words_at(const struct scan *s, const struct cul_said *said) {
  enum { MOST = 1 << 14 };
  const char *from = s->text.data + said->start;
  size_t left = s->text.len - said->start;
  const char *at =
      memmem(from, left < MOST ? left : MOST, said->raw, strlen(said->raw));
  return at ? (size_t)(at - s->text.data) : said->start;
}

/* Does the line only report that another process of the group did not come,
 * and did one raise an exception before that was not tried again? */
static bool is_wait(const struct scan *s, struct cul_bytes line) {
  size_t at = (size_t)(line.data - s->text.data);
  if (!cul_line_find(s->rules, CUL_LINE_WAITS, line).len)
    return false;
  for (size_t i = 0; i < s->out->n_said; i++) {
    const struct cul_said *said = &s->out->said[i];
    struct cul_bytes raw = {said->raw, strlen(said->raw)};
    if (said->rule->kind == CUL_KIND_EXCEPTION &&
        said->rule->rank >= RANK_OF_REPORT &&
        said->rule->rank < RANK_OF_DEATH && said->start < at &&
        !is_tried_again(s, words_at(s, said)) &&
        !cul_line_find(s->rules, CUL_LINE_HOLLOW, raw).len)
      return true;
  }
  return false;
}

/* Does the match only report that another process ended, or was late? */
static bool is_echo(const struct scan *s, const struct cul_rule *rule,
                    size_t at) {
  size_t start = line_start(s->text, at, at > 4096 ? at - 4096 : 0);
  size_t end = line_end(s->text, at, s->text.len);
  struct cul_bytes line = {s->text.data + start, end - start};
  if (!s->asked->log || rule->part)
    return false;
  if ((rule->kind == CUL_KIND_TIMEOUT || rule->kind == CUL_KIND_SIGNAL ||
       rule->kind == CUL_KIND_INFRASTRUCTURE) &&
      is_wait(s, line))
    return true;
  return (rule->kind == CUL_KIND_SIGNAL || rule->kind == CUL_KIND_TIMEOUT) &&
         cul_line_find(s->rules, CUL_LINE_ECHO, line).len;
}

/* Returns whether the match tells a failure: what failed in the network and was
 * tried again is none, however often the log says it. */
static bool keep(struct scan *s, const struct cul_rule *rule,
                 const struct window *w, int n_groups) {
  const PCRE2_SIZE *groups = pcre2_get_ovector_pointer(s->data);
  const char *subject = s->text.data + w->start;
  size_t start = w->start + groups[0];
  bool hollow = is_hollow(s, rule, subject, n_groups, start);
  bool echo = is_echo(s, rule, start);
  keep_said(s, rule, w, n_groups);
  if (tells_end(s, rule))
    fill(s, rule, subject, n_groups, start, &s->out->end);
  if (rule->cause && s->asked->log && is_first(s, rule, start))
    fill(s, rule, subject, n_groups, start, &s->out->cause);
  if (better(s, found_by(s->out, rule), rule, rank_of(rule, hollow, echo),
             start, w->start + groups[1]) &&
      !is_closing(s, rule, w)) {
    fill(s, rule, subject, n_groups, start, found_by(s->out, rule));
    found_by(s->out, rule)->hollow = hollow;
    found_by(s->out, rule)->echo = echo;
  }
  return !hollow || rule->kind != CUL_KIND_INFRASTRUCTURE;
}

static bool is_asked(const struct cul_match_scope *asked,
                     const struct cul_rule *rule) {
  if ((rule->part && !asked->parts) || (rule->log && !asked->log) ||
      (rule->error && !asked->errors))
    return false;
  return rule->pass || rule->input || rule->error ||
         (rule->rank >= asked->min_rank &&
          (!asked->exited_zero || rule->any_exit));
}

/* Does the match begin in a line below the one with the word, which holds the
 * word, too?  The expression will see more of what follows from there. */
static bool is_found_below(const struct scan *s, const struct cul_rule *rule,
                           const struct window *w) {
  size_t start = w->start + pcre2_get_ovector_pointer(s->data)[0];
  return rule->below && start > w->line_end &&
         cul_bytes_hold(
             (struct cul_bytes){s->text.data + start, w->end - start},
             rule->find);
}

static void try_rule(void *arg, size_t word, size_t end) {
  struct scan *s = arg;
  const struct cul_rule *rule = &s->rules->rules[word];
  struct progress *p = &s->progress[word];
  struct window w;
  int n;
  if (p->done || end <= p->next || !is_asked(s->asked, rule))
    return;
  w = window_of(rule, s->text, end - strlen(rule->find), end);
  n = pcre2_match(cul_regex_ready(cul_regex_code(rule->regex)),
                  (PCRE2_SPTR)s->text.data + w.start, w.end - w.start, 0,
                  w.options, s->data, s->rules->limits);
  p->next = w.line_end;
  p->seen += w.end - w.start;
  p->done = p->seen >= MAX_SEEN;
  if (n <= 0 || is_found_below(s, rule, &w))
    return;
  if (rule->error) {
    keep_error(s, rule, &w, n, end - strlen(rule->find));
    return;
  }
  if (is_benign(s, rule, w.start + pcre2_get_ovector_pointer(s->data)[0]))
    return;
  if (!keep(s, rule, &w, n))
    return;
  p->done = p->done || (!rule->last && !tells_end(s, rule) &&
                        (!is_report(s, rule) || ++p->n == MOST_REPEATED));
}

void cul_match_texts(const struct cul_rules *rules,
                     const struct cul_bytes texts[2],
                     const struct cul_match_scope *asked,
                     struct cul_matches *out) {
  struct scan s = {.rules = rules, .asked = asked, .out = out};
  s.data = pcre2_match_data_create(10, NULL);
  if (!s.data)
    cul_no_memory(0);
  for (s.source = 0; s.source < 2; s.source++) {
    s.text = texts[s.source];
    s.progress = cul_xcalloc(rules->n_rules, sizeof *s.progress);
    cul_literals_scan(rules->literals, s.text, try_rule, &s);
    free(s.progress);
  }
  pcre2_match_data_free(s.data);
}

/* ---- how much is understood ---- */

struct understanding {
  const struct cul_rules *rules;
  struct cul_bytes text;
  pcre2_match_data *data;
  struct progress *progress;
  size_t weight;
};

/* Add the rank of a rule that matches, once per rule. */
static void weigh_rule(void *arg, size_t word, size_t end) {
  struct understanding *u = arg;
  const struct cul_rule *rule = &u->rules->rules[word];
  struct progress *p = &u->progress[word];
  struct window w;
  if (p->done || end <= p->next || rule->part == CUL_PART_PREFIX)
    return;
  w = window_of(rule, u->text, end - strlen(rule->find), end);
  p->next = w.line_end;
  p->seen += w.end - w.start;
  p->done = pcre2_match(cul_regex_ready(cul_regex_code(rule->regex)),
                        (PCRE2_SPTR)u->text.data + w.start, w.end - w.start, 0,
                        w.options, u->data, u->rules->limits) > 0;
  u->weight += p->done ? (size_t)rule->rank : 0;
  p->done = p->done || p->seen >= MAX_SEEN;
}

/* Count the frames that begin a stack or follow the one before. */
static size_t weigh_frames(struct cul_bytes text) {
  size_t n = 0;
  int last = -2;
  for (size_t at = 0; at < text.len;) {
    size_t end = line_end(text, at, text.len);
    struct cul_raw_frame frame;
    if (cul_frame_parse((struct cul_bytes){text.data + at, end - at}, &frame) &&
        (frame.python || frame.address || frame.has_module_offset)) {
      n += frame.index <= 0 || frame.index == last + 1;
      last = frame.index;
    }
    at = end + 1;
  }
  return n;
}

size_t cul_understood(const struct cul_rules *rules, struct cul_bytes text) {
  struct understanding u = {.rules = rules, .text = text};
  u.data = pcre2_match_data_create(10, NULL);
  if (!u.data)
    cul_no_memory(0);
  u.progress = cul_xcalloc(rules->n_rules, sizeof *u.progress);
  cul_literals_scan(rules->literals, text, weigh_rule, &u);
  free(u.progress);
  pcre2_match_data_free(u.data);
  return u.weight + weigh_frames(text);
}

void cul_matches_release(struct cul_matches *matches) {
  cul_buf_release(&matches->failure.raw);
  cul_buf_release(&matches->failure.text);
  cul_buf_release(&matches->failure.line);
  cul_buf_release(&matches->cause.raw);
  cul_buf_release(&matches->cause.text);
  cul_buf_release(&matches->cause.line);
  cul_buf_release(&matches->end.raw);
  cul_buf_release(&matches->end.text);
  cul_buf_release(&matches->end.line);
  cul_buf_release(&matches->pass.raw);
  cul_buf_release(&matches->pass.text);
  cul_buf_release(&matches->pass.line);
  cul_buf_release(&matches->input.raw);
  cul_buf_release(&matches->input.text);
  cul_buf_release(&matches->input.line);
  for (size_t i = 0; i < matches->n_errors; i++)
    free(matches->errors[i].raw);
  free(matches->errors);
  for (size_t i = 0; i < matches->n_said; i++)
    free(matches->said[i].raw);
  free(matches->said);
}
