/* Undoes XML references, escaped line ends and wrapped lines: see undo.h. */
#include "undo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../oracles/common/regex.h"
#include "../../oracles/rules/rules.h"
#include "../../oracles/signature/words.h"

enum {
  NARROW = 40,       /* minimal columns of a terminal */
  WIDE = 400,        /* maximal columns of a terminal */
  FEW = 2,           /* minimal number of lines that fill the width */
  MOST_ASKED = 4000, /* lines on which rules are tried */
  MOST_TRACED = 400, /* lines of a trace in which a loop comes again */
  MOST_PIECE = 100,  /* lines of a piece of work that was to fail */
};

static bool begins(struct cul_bytes in, size_t at, const char *with) {
  size_t n = strlen(with);
  return in.len - at >= n && !memcmp(in.data + at, with, n);
}

static void put_code(unsigned long code, struct cul_buf *out) {
  if (code < 0x80) {
    cul_buf_addc(out, (char)code);
  } else if (code < 0x800) {
    cul_buf_addc(out, (char)(0xc0 | code >> 6));
    cul_buf_addc(out, (char)(0x80 | (code & 0x3f)));
  } else {
    cul_buf_addc(out, (char)(0xe0 | (code >> 12 & 0xf)));
    cul_buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
    cul_buf_addc(out, (char)(0x80 | (code & 0x3f)));
  }
}

/* The length of a numeric reference without its "&", "#39;" or "#x27;", or
 * 0. */
static size_t number_at(struct cul_bytes in, size_t at) {
  const char *s = in.data + at;
  size_t left = at < in.len ? in.len - at : 0, n = 1;
  bool hex = left > 2 && s[1] == 'x';
  size_t first = hex ? 2 : 1;
  if (!left || *s != '#')
    return 0;
  for (n = first; n < left && n < 9 && isxdigit((unsigned char)s[n]); n++)
    if (!hex && !isdigit((unsigned char)s[n]))
      return 0;
  return n > first && n < left && s[n] == ';' ? n + 1 : 0;
}

/* Append the character of a numeric reference; returns its length, or 0.  Zero
 * width spaces are dropped: they only allow a page to break the line. */
static size_t take_number(struct cul_bytes in, size_t at, struct cul_buf *out) {
  enum { NO_BLANK = 0x200b };
  size_t n = number_at(in, at);
  bool hex = n && in.data[at + 1] == 'x';
  unsigned long code =
      n ? strtoul(in.data + at + 1 + hex, NULL, hex ? 16 : 10) : 0;
  if (code && code < 0x10000 && code != NO_BLANK)
    put_code(code, out);
  return n;
}

static size_t take_reference(struct cul_bytes in, size_t at,
                             struct cul_buf *out) {
  static const struct {
    const char *name;
    char c;
  } names[] = {{"lt;", '<'},
               {"gt;", '>'},
               {"amp;", '&'},
               {"quot;", '"'},
               {"apos;", '\''}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (begins(in, at, names[i].name)) {
      cul_buf_addc(out, names[i].c);
      return strlen(names[i].name);
    }
  return take_number(in, at, out);
}

void cul_unescape(struct cul_bytes text, struct cul_buf *out) {
  for (size_t i = 0; i < text.len; i++) {
    const char *next = memchr(text.data + i, '&', text.len - i);
    size_t end = next ? (size_t)(next - text.data) : text.len, n;
    cul_buf_add(out, text.data + i, end - i);
    i = end;
    if (i == text.len)
      break;
    n = take_reference(text, i + 1, out);
    if (!n)
      cul_buf_addc(out, '&');
    i += n;
  }
}

/* ---- undoing ---- */

static bool contains(const struct cul_buf *text, const char *what) {
  return memmem(cul_buf_str(text), text->len, what, strlen(what)) != NULL;
}

/* Replace text by the other form if the rules understand more of that, or
 * as_well: as much.  Takes over other. */
static void take_better(const struct cul_rules *rules, struct cul_buf *text,
                        struct cul_buf *other, bool as_well) {
  size_t before = cul_understood(rules, cul_buf_bytes(text));
  size_t after = cul_understood(rules, cul_buf_bytes(other));
  if (after > before || (as_well && after == before)) {
    cul_buf_release(text);
    *text = *other;
  } else {
    cul_buf_release(other);
  }
}

static bool contains_references(struct cul_bytes text) {
  static const char *const names[] = {"&lt;", "&gt;", "&quot;", "&apos;"};
  const char *end = text.data + text.len;
  for (const char *at = text.data;
       (at = memchr(at, '&', (size_t)(end - at))) != NULL; at++) {
    if (number_at(text, (size_t)(at + 1 - text.data)))
      return true;
    for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
      if (begins(text, (size_t)(at - text.data), names[i]))
        return true;
  }
  return false;
}

static void undo_references(const struct cul_rules *rules,
                            struct cul_buf *text) {
  struct cul_buf other = {0};
  if (!contains_references(cul_buf_bytes(text)))
    return;
  cul_unescape(cul_buf_bytes(text), &other);
  take_better(rules, text, &other, true);
}

static void undo_line_ends(const struct cul_rules *rules,
                           struct cul_buf *text) {
  struct cul_buf other = {0};
  const char *s = cul_buf_str(text);
  if (!contains(text, "\\n"))
    return;
  for (size_t i = 0; i < text->len; i++) {
    char c = s[i] == '\\' && i + 1 < text->len ? s[i + 1] : '\0';
    bool known = c && strchr("nt\"", c);
    cul_buf_addc(&other, !known ? s[i] : c == 'n' ? '\n' : c == 't' ? '\t' : c);
    i += known;
  }
  take_better(rules, text, &other, false);
}

static struct cul_bytes line_at(struct cul_bytes text, size_t at) {
  const char *nl = memchr(text.data + at, '\n', text.len - at);
  return (struct cul_bytes){text.data + at,
                            nl ? (size_t)(nl - text.data) - at : text.len - at};
}

/* The number of UTF-8 characters. */
static size_t columns_of(struct cul_bytes line) {
  size_t n = 0;
  for (size_t i = 0; i < line.len; i++)
    n += (line.data[i] & 0xc0) != 0x80;
  return n;
}

/* The width of the longest line; *filled: the number of lines that have it.  0:
 * this is not the width of a terminal. */
static size_t width_of(struct cul_bytes text, size_t *filled) {
  size_t most = 0, n = 0;
  for (size_t at = 0; at < text.len;) {
    struct cul_bytes line = line_at(text, at);
    size_t columns = line.len < most ? 0 : columns_of(line);
    if (columns > most) {
      most = columns;
      n = 0;
    }
    n += columns == most;
    if (most > WIDE)
      return 0;
    at += line.len + 1;
  }
  *filled = n;
  return most >= NARROW ? most : 0;
}

/* Is it a common width of terminals and of the pages of CI services? */
static bool is_usual(size_t width) {
  return width == 80 || width == 100 || width == 120 || width == 132 ||
         width == 160 || width == 200;
}

/* Is it a heading such as "=== FAILURES ==="?  It fills the width without being
 * wrapped. */
static bool is_heading(struct cul_bytes line) {
  enum { FEW_MARKS = 3 };
  size_t n = 0;
  if (!line.len || !strchr("=-_*#~+", line.data[0]))
    return false;
  while (n < line.len && line.data[n] == line.data[0])
    n++;
  return (n >= FEW_MARKS || (n < line.len && line.data[n] == ' ')) &&
         line.data[line.len - 1] == line.data[0];
}

/* Do the rules understand more of the lines if they are not joined?  The first
 * may have the width by chance, and be followed by a frame; or each line names
 * a failed test. */
static bool is_better_apart(const struct cul_rules *rules,
                            struct cul_bytes line, struct cul_bytes next) {
  struct cul_buf joined = {0};
  size_t below = cul_understood(rules, next), apart = 0, together = 0;
  if (below) {
    cul_buf_add(&joined, line.data, line.len);
    cul_buf_add(&joined, next.data, next.len);
    apart = cul_understood(rules, line) + below;
    together = cul_understood(rules, cul_buf_bytes(&joined));
  }
  cul_buf_release(&joined);
  return apart > together;
}

struct wrapped {
  const struct cul_rules *rules;
  struct cul_bytes text;
  size_t width, n_asked; /* n_asked: lines on which rules were tried */
};

/* Was the line at `at` wrapped at its end?  Headings were not, nor lines of
 * which the rules understand more if they are not joined. */
static bool is_broken(struct wrapped *w, size_t at, struct cul_bytes line) {
  struct cul_raw_frame frame;
  struct cul_bytes next;
  if (line.len < w->width || columns_of(line) != w->width)
    return false;
  next = line_at(w->text, at + line.len + 1);
  if (is_heading(line) || is_heading(next) ||
      (cul_frame_parse(next, &frame) && frame.address))
    return false;
  return w->n_asked++ >= MOST_ASKED || !is_better_apart(w->rules, line, next);
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Append the text with wrapped lines joined.  Returns whether each was broken
 * within a word. */
static bool join(struct wrapped *w, struct cul_buf *out) {
  struct cul_bytes text = w->text;
  bool words = true;
  for (size_t at = 0; at < text.len;) {
    struct cul_bytes line = line_at(text, at);
    bool ends = at + line.len == text.len;
    cul_buf_add(out, line.data, line.len);
    if (ends)
      break;
    at += line.len + 1;
    if (at == text.len || !is_broken(w, at - line.len - 1, line))
      cul_buf_addc(out, '\n');
    else
      words =
          words && is_word(line.data[line.len - 1]) && is_word(text.data[at]);
  }
  return words;
}

/* Join wrapped lines.  A single line of a common width may be complete, so it
 * is only joined with the next if it was broken within a word, or if the rules
 * understand more then. */
static void undo_wrapping(const struct cul_rules *rules, struct cul_buf *text) {
  struct wrapped w = {.rules = rules, .text = cul_buf_bytes(text)};
  struct cul_buf other = {0};
  size_t filled, width = width_of(cul_buf_bytes(text), &filled);
  bool words;
  if (!width || (filled < FEW && !is_usual(width)))
    return;
  w.width = width;
  words = join(&w, &other);
  take_better(rules, text, &other, is_usual(width) && (filled >= FEW || words));
}

/* ---- tables ---- */

/* The offset of the last cell of a row whose other cells are blank, "|    |
 * | text |", or 0. */
static size_t last_cell(struct cul_bytes row) {
  size_t at = 0, n_bars = 0, i = 0;
  for (; i < row.len && strchr("| ", row.data[i]); i++)
    if (row.data[i] == '|') {
      at = i;
      n_bars++;
    }
  return row.len && *row.data == '|' && row.data[row.len - 1] == '|' &&
                 i < row.len && n_bars > 1
             ? at
             : 0;
}

/* Does the row continue the row above?  It does if both have the same length
 * and a bar before the last cell. */
static bool continues(struct cul_bytes above, struct cul_bytes row) {
  size_t at = last_cell(row);
  return at && above.len == row.len && *above.data == '|' &&
         above.data[at] == '|';
}

static void drop_blanks_and_bar(struct cul_buf *out) {
  bool bar = false;
  while (out->len && (out->data[out->len - 1] == ' ' ||
                      (!bar && out->data[out->len - 1] == '|'))) {
    bar = bar || out->data[out->len - 1] == '|';
    out->len--;
  }
}

/* Join the lines that a table wraps in its last cell. */
static void undo_tables(const struct cul_rules *rules, struct cul_buf *text) {
  struct cul_bytes in = cul_buf_bytes(text), above = {"", 0};
  struct cul_buf other = {0};
  bool any = false;
  if (!contains(text, "|\n|"))
    return;
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at);
    size_t cell = continues(above, line) ? last_cell(line) + 1 : 0;
    at += line.len + 1;
    if (cell) {
      any = true;
      drop_blanks_and_bar(&other);
      while (line.data[cell] == ' ')
        cell++;
      cul_buf_addc(&other, ' ');
    } else if (other.len) {
      cul_buf_addc(&other, '\n');
    }
    cul_buf_add(&other, line.data + cell, line.len - cell);
    above = line;
  }
  if (any)
    take_better(rules, text, &other, true);
  else
    cul_buf_release(&other);
}

/* ---- tracebacks behind a logger's prefix ---- */

/* Do both begin alike, but for the digits? */
static bool begins_alike(struct cul_bytes line, struct cul_bytes prefix) {
  if (line.len < prefix.len)
    return false;
  for (size_t i = 0; i < prefix.len; i++)
    if (line.data[i] != prefix.data[i] &&
        !(isdigit((unsigned char)line.data[i]) &&
          isdigit((unsigned char)prefix.data[i])))
      return false;
  return true;
}

/* What stands before the heading of a traceback; empty: the line is none, or
 * nothing but blanks stands there. */
static struct cul_bytes before_traceback(struct cul_bytes line) {
  static const char head[] = "Traceback (most recent call last):";
  const char *at = memmem(line.data, line.len, head, sizeof head - 1);
  size_t n = at ? (size_t)(at - line.data) : 0, i = 0;
  while (i < n && isspace((unsigned char)line.data[i]))
    i++;
  return (struct cul_bytes){line.data, i < n ? n : 0};
}

/* A logger that prints a traceback in one message writes its prefix before each
 * line: cut it off the traceback and the lines behind it. */
static void undo_logged_tracebacks(struct cul_buf *text) {
  struct cul_bytes in = cul_buf_bytes(text), prefix = {"", 0};
  struct cul_buf out = {0};
  bool any = false;
  if (!contains(text, "Traceback (most recent call last):"))
    return;
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at), found = before_traceback(line);
    size_t cut;
    if (found.len && at + line.len < in.len &&
        begins_alike(line_at(in, at + line.len + 1), found))
      prefix = found;
    cut = prefix.len && begins_alike(line, prefix) ? prefix.len : 0;
    prefix.len = cut;
    any = any || cut;
    cul_buf_add(&out, line.data + cut, line.len - cut);
    at += line.len + 1;
    if (at <= in.len)
      cul_buf_addc(&out, '\n');
  }
  cul_buf_release(any ? text : &out);
  if (any)
    *text = out;
}

/* ---- quoted output ---- */

/* Does the line head the output of a command that pip or cargo quotes? */
static bool heads_quote(struct cul_bytes line) {
  static const char *const heads[] = {" lines of output]", "  --- stdout",
                                      "  --- stderr"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(heads); i++)
    if (cul_bytes_hold(line, heads[i]))
      return true;
  return false;
}

/* They indent that output: cut the blanks off. */
static void undo_quoted_output(struct cul_buf *text) {
  static const char end[] = "[end of output]";
  struct cul_bytes in = cul_buf_bytes(text);
  struct cul_buf out = {0};
  size_t indent = 0;
  bool within = false;
  if (!contains(text, " lines of output]") && !contains(text, "  --- std"))
    return;
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at);
    size_t n = 0;
    while (n < line.len && line.data[n] == ' ')
      n++;
    if (cul_bytes_hold(line, end) || (n == 0 && line.len))
      within = false;
    if (within && indent == 0 && n < line.len)
      indent = n;
    n = !within ? 0 : n < indent ? n : indent;
    cul_buf_add(&out, line.data + n, line.len - n);
    at += line.len + 1;
    if (at <= in.len)
      cul_buf_addc(&out, '\n');
    if (heads_quote(line)) {
      within = true;
      indent = 0;
    }
  }
  cul_buf_release(text);
  *text = out;
}

/* ---- errors that the log itself takes back ---- */

/* Where a traceback, or a warning, that does not count is read. */
enum unraised { COUNTS, AWAITED, WITHIN, WARNED };

struct forgiving {
  const struct cul_rules *rules;
  const struct cul_line_rule **asked; /* the entries for such lines */
  size_t n_asked;
  enum unraised unraised;
  int n_warned; /* lines of the warning */
  struct cul_buf out;
  size_t last;          /* where the line added last begins */
  struct cul_bytes ran; /* the last command that a shell showed; borrowed */
  size_t command;       /* where its line ends in out */
  bool tolerant;        /* it may fail */
  bool any;
  bool trusts;  /* what was to fail, or ended well, is taken back */
  bool trusted; /* ... and was, */
  size_t taken; /* here, last */
  const struct cul_line_rule *opened; /* the process that runs */
  size_t opens;                       /* where its first line begins in out */
  pcre2_match_data *data;             /* for all lines */
};

static void ask_entries(struct forgiving *f) {
  f->asked = cul_xcalloc(f->rules->n_lines + 1, sizeof *f->asked);
  for (size_t i = 0; i < f->rules->n_lines; i++) {
    enum cul_line_kind kind = f->rules->lines[i].kind;
    if (kind == CUL_LINE_IGNORED || kind == CUL_LINE_UNRAISED ||
        kind == CUL_LINE_WARNED || kind == CUL_LINE_FORGIVES ||
        kind == CUL_LINE_COMMAND || kind == CUL_LINE_TOLERANT ||
        (f->trusts && (kind == CUL_LINE_EXPECTED || kind == CUL_LINE_PIECE ||
                       kind == CUL_LINE_OPENS || kind == CUL_LINE_CLOSES)))
      f->asked[f->n_asked++] = &f->rules->lines[i];
  }
}

/* The entry of this kind that the line matches, or NULL. */
static const struct cul_line_rule *entry_of(const struct forgiving *f,
                                            enum cul_line_kind kind,
                                            struct cul_bytes line) {
  enum { MOST_BYTES = 400 };
  line.len = line.len < MOST_BYTES ? line.len : MOST_BYTES;
  for (size_t i = 0; i < f->n_asked; i++)
    if (f->asked[i]->kind == kind &&
        pcre2_match(cul_regex_ready(cul_regex_code(f->asked[i]->regex)),
                    (PCRE2_SPTR)line.data, line.len, 0, 0, f->data,
                    f->rules->limits) > 0)
      return f->asked[i];
  return NULL;
}

static bool is_kind(const struct forgiving *f, enum cul_line_kind kind,
                    struct cul_bytes line) {
  return entry_of(f, kind, line) != NULL;
}

/* Is the line part of a traceback or a warning that does not count, or its
 * heading? */
static bool skip_unraised(struct forgiving *f, struct cul_bytes line) {
  enum { MOST_WARNED = 16 }; /* lines of a warning */
  bool head = cul_bytes_start(line, "Traceback (most recent call last)");
  bool inner = isspace((unsigned char)line.data[0]);
  if (is_kind(f, CUL_LINE_UNRAISED, line)) {
    f->unraised = AWAITED;
    return true;
  }
  if (is_kind(f, CUL_LINE_WARNED, line)) {
    f->unraised = WARNED;
    f->n_warned = 0;
    return true;
  }
  if (f->unraised == WARNED && !head && f->n_warned++ < MOST_WARNED) {
    f->unraised = inner ? COUNTS : WARNED; /* the source line ends it */
    return true;
  }
  if (f->unraised == AWAITED && head) {
    f->unraised = WITHIN;
    return true;
  }
  if (f->unraised == WITHIN) { /* the exception ends it */
    f->unraised = inner ? WITHIN : COUNTS;
    return true;
  }
  f->unraised = COUNTS;
  return false;
}

static bool is_equal(struct cul_bytes a, struct cul_bytes b) {
  return a.len == b.len && !memcmp(a.data, b.data, a.len);
}

/* Where the trace begins in which a loop is looked for: at most MOST_TRACED
 * lines above this offset. */
static size_t trace_start(struct cul_bytes in, size_t at) {
  for (size_t n = 0; at > 0 && n <= MOST_TRACED; n++) {
    const char *nl = memrchr(in.data, '\n', at - 1);
    at = nl ? (size_t)(nl - in.data) + 1 : 0;
  }
  return at;
}

/* Is the traced "true" at this offset the condition of a loop, as in
 * "while true", and not of "COMMAND || true"?  It is if it also stands before
 * the same command as here, and there at the beginning or behind another
 * command that printed nothing. */
static bool is_of_loop(const struct forgiving *f, struct cul_bytes in,
                       size_t at) {
  struct cul_bytes line = line_at(in, at), first, above = {"", 0};
  size_t rest = at + line.len + 1, from = trace_start(in, at);
  if (rest >= in.len)
    return false;
  first = line_at(in, rest);
  if (!first.len || !is_kind(f, CUL_LINE_COMMAND, first))
    return false;
  for (size_t i = from, n = 0; i < in.len && n < 2 * MOST_TRACED; n++) {
    struct cul_bytes here = line_at(in, i);
    size_t next = i + here.len + 1;
    if (i != at && next < in.len && is_equal(here, line) &&
        is_equal(line_at(in, next), first) &&
        (i == 0 ||
         (is_kind(f, CUL_LINE_COMMAND, above) && !is_equal(above, f->ran))))
      return true;
    above = here;
    i = next;
  }
  return false;
}

/* Are both of one harness? */
static bool is_pair(const struct cul_line_rule *opens,
                    const struct cul_line_rule *closes) {
  size_t n = strcspn(closes->name, "-");
  return !strncmp(opens->name, closes->name, n + 1);
}

/* A sanitizer fails its process at the end, whatever the tests in it say. */
static bool shows_sanitizer(const struct forgiving *f, size_t from) {
  static const char name[] = "Sanitizer: ";
  return memmem(f->out.data + from, f->out.len - from, name, sizeof name - 1);
}

/* Does the process that runs end here, and well? */
static bool ends_well(const struct forgiving *f, struct cul_bytes line) {
  const struct cul_line_rule *closes =
      f->opened ? entry_of(f, CUL_LINE_CLOSES, line) : NULL;
  return closes && is_pair(f->opened, closes) && !shows_sanitizer(f, f->opens);
}

/* Does the line say that the piece of work that it ends was to fail?  *start:
 * where that begins in out, at most MOST_PIECE lines above. */
static bool was_to_fail(const struct forgiving *f, struct cul_bytes line,
                        size_t *start) {
  struct cul_bytes out = cul_buf_bytes(&f->out);
  size_t at = out.len, n = 0;
  if (!is_kind(f, CUL_LINE_EXPECTED, line))
    return false;
  while (at > f->taken && n++ < MOST_PIECE) {
    const char *nl = at > 1 ? memrchr(out.data, '\n', at - 1) : NULL;
    struct cul_bytes above;
    at = nl ? (size_t)(nl - out.data) + 1 : 0;
    above = line_at(out, at);
    if (is_kind(f, CUL_LINE_PIECE, above) ||
        is_kind(f, CUL_LINE_COMMAND, above))
      break;
  }
  *start = at > f->taken ? at : f->taken;
  return n <= MOST_PIECE;
}

/* If what was printed was to fail, or belongs to a process that ended well, set
 * *keep to where it begins.  Returns whether the line belongs to it. */
static bool trust(struct forgiving *f, struct cul_bytes line, size_t *keep) {
  bool planned = was_to_fail(f, line, keep);
  if (!planned && !ends_well(f, line))
    return false;
  if (!planned) {
    *keep = f->opens;
    f->opened = NULL;
  }
  f->any = f->trusted = true;
  f->taken = *keep;
  return planned;
}

/* Drop what was added behind this offset. */
static void cut_at(struct forgiving *f, size_t keep) {
  if (keep < f->out.len)
    f->out.data[f->out.len = keep] = '\0';
  f->command = f->command < keep ? f->command : keep;
  f->taken = f->taken < keep ? f->taken : keep;
  f->opens = f->opens < keep ? f->opens : keep;
}

/* Does the line at this offset take back what stands above it, or may what it
 * belongs to fail?  If so, drop that. */
static bool forgive(struct forgiving *f, struct cul_bytes in, size_t at) {
  struct cul_bytes line = line_at(in, at);
  size_t keep = f->out.len;
  bool command = is_kind(f, CUL_LINE_COMMAND, line);
  const struct cul_line_rule *opens;
  bool skip = false;
  if (is_kind(f, CUL_LINE_FORGIVES, line)) {
    if (is_of_loop(f, in, at))
      return false;
    keep = f->command ? f->command : keep; /* what it ran is not known */
    skip = true;
  } else if (is_kind(f, CUL_LINE_IGNORED, line)) {
    keep = f->last;
    skip = true;
  } else if (skip_unraised(f, line) || (f->tolerant && !command)) {
    skip = true;
  } else if (f->trusts) {
    skip = trust(f, line, &keep);
  }
  cut_at(f, keep);
  opens = f->trusts ? entry_of(f, CUL_LINE_OPENS, line) : NULL;
  if (opens) {
    f->opened = opens;
    f->opens = keep;
  }
  f->any = f->any || skip;
  f->last = keep;
  if (command)
    f->tolerant = is_kind(f, CUL_LINE_TOLERANT, line);
  return skip;
}

/* Append in without what does not count. */
static void read_forgiven(struct forgiving *f, struct cul_bytes in) {
  f->data = pcre2_match_data_create(4, NULL);
  if (!f->data)
    cul_no_memory(0);
  ask_entries(f);
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at);
    bool shown = line.len == 0 || !forgive(f, in, at);
    at += line.len + 1;
    if (!shown)
      continue;
    cul_buf_add(&f->out, line.data, line.len);
    if (at <= in.len)
      cul_buf_addc(&f->out, '\n');
    if (line.len && is_kind(f, CUL_LINE_COMMAND, line)) {
      f->ran = line;
      f->command = f->out.len;
    }
  }
  free(f->asked);
  pcre2_match_data_free(f->data);
}

/* How much the rules understand of the text, but for the lines with which tools
 * end that have failed. */
static size_t understood_but_ends(const struct cul_rules *rules,
                                  struct cul_bytes in) {
  struct cul_buf rest = {0};
  size_t understood;
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at);
    at += line.len + 1;
    if (cul_line_find(rules, CUL_LINE_CLOSING, line).len ||
        cul_line_find(rules, CUL_LINE_ECHO, line).len)
      continue;
    cul_buf_add(&rest, line.data, line.len);
    cul_buf_addc(&rest, '\n');
  }
  understood = cul_understood(rules, cul_buf_bytes(&rest));
  cul_buf_release(&rest);
  return understood;
}

/* Does the text, without what was to fail, neither end well nor tell of another
 * failure?  Then that was the failure after all. */
static bool lacks_failure(const struct forgiving *f) {
  const struct cul_log_failure none = {0},
                               last = {.found = true, .at = f->taken};
  struct cul_bytes rest = cul_buf_bytes(&f->out);
  return !cul_is_success(f->rules, rest, &none) &&
         !cul_is_success(f->rules, rest, &last) &&
         understood_but_ends(f->rules, rest) == 0;
}

static void undo_forgiven(const struct cul_rules *rules, struct cul_buf *text) {
  struct forgiving f = {.rules = rules, .trusts = true};
  read_forgiven(&f, cul_buf_bytes(text));
  if (f.trusted && lacks_failure(&f)) {
    cul_buf_release(&f.out);
    f = (struct forgiving){.rules = rules};
    read_forgiven(&f, cul_buf_bytes(text));
  }
  cul_buf_release(f.any ? text : &f.out);
  if (f.any)
    *text = f.out;
}

void cul_undo(const struct cul_rules *rules, struct cul_buf *text) {
  if (!text->len)
    return;
  undo_references(rules, text);
  undo_line_ends(rules, text);
  undo_tables(rules, text);
  undo_wrapping(rules, text);
  undo_logged_tracebacks(text);
  undo_quoted_output(text);
  undo_forgiven(rules, text);
}
