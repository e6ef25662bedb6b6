/* Undoes XML references, escaped line ends and wrapped lines: see undo.h. */
#include "undo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../oracles/rules/rules.h"
#include "../../oracles/signature/words.h"

enum {
  NARROW = 40,       /* minimal columns of a terminal */
  WIDE = 400,        /* maximal columns of a terminal */
  FEW = 2,           /* minimal number of lines that fill the width */
  MOST_ASKED = 4000, /* lines on which rules are tried */
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

/* pip indents the output of the command that it quotes: cut that off. */
static void undo_quoted_output(struct cul_buf *text) {
  static const char head[] = " lines of output]", end[] = "[end of output]";
  struct cul_bytes in = cul_buf_bytes(text);
  struct cul_buf out = {0};
  size_t indent = 0;
  bool within = false;
  if (!contains(text, head))
    return;
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at);
    size_t n = 0;
    while (n < line.len && line.data[n] == ' ')
      n++;
    if (cul_bytes_hold(line, end))
      within = false;
    if (within && indent == 0 && n < line.len)
      indent = n;
    n = !within ? 0 : n < indent ? n : indent;
    cul_buf_add(&out, line.data + n, line.len - n);
    at += line.len + 1;
    if (at <= in.len)
      cul_buf_addc(&out, '\n');
    if (cul_bytes_hold(line, head)) {
      within = true;
      indent = 0;
    }
  }
  cul_buf_release(text);
  *text = out;
}

/* ---- errors that the log itself takes back ---- */

/* Where a traceback that does not count is read. */
enum unraised { COUNTS, AWAITED, WITHIN };

struct forgiving {
  const struct cul_rules *rules;
  const struct cul_line_rule **asked; /* the entries for such lines */
  size_t n_asked;
  enum unraised unraised;
  struct cul_buf out;
  size_t last;    /* where the line added last begins */
  size_t command; /* the end of the last command that a shell showed */
  bool tolerant;  /* which may fail */
  bool any;
};

static void ask_entries(struct forgiving *f) {
  f->asked = cul_xcalloc(f->rules->n_lines + 1, sizeof *f->asked);
  for (size_t i = 0; i < f->rules->n_lines; i++) {
    enum cul_line_kind kind = f->rules->lines[i].kind;
    if (kind == CUL_LINE_IGNORED || kind == CUL_LINE_UNRAISED ||
        kind == CUL_LINE_FORGIVES || kind == CUL_LINE_COMMAND ||
        kind == CUL_LINE_TOLERANT)
      f->asked[f->n_asked++] = &f->rules->lines[i];
  }
}

static bool is_kind(const struct forgiving *f, enum cul_line_kind kind,
                    struct cul_bytes line) {
  enum { MOST_BYTES = 400 };
  line.len = line.len < MOST_BYTES ? line.len : MOST_BYTES;
  for (size_t i = 0; i < f->n_asked; i++)
    if (f->asked[i]->kind == kind &&
        cul_line_matches(f->rules, f->asked[i], line, NULL))
      return true;
  return false;
}

/* Is the line part of a traceback that does not count, or its heading? */
static bool skip_unraised(struct forgiving *f, struct cul_bytes line) {
  bool head = cul_bytes_start(line, "Traceback (most recent call last)");
  bool inner = isspace((unsigned char)line.data[0]);
  if (is_kind(f, CUL_LINE_UNRAISED, line)) {
    f->unraised = AWAITED;
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

/* Does the line take back what stands above it, or may what it belongs to fail?
 * If so, drop that. */
static bool forgive(struct forgiving *f, struct cul_bytes line) {
  size_t keep = f->out.len;
  bool command = is_kind(f, CUL_LINE_COMMAND, line), skip = false;
  if (is_kind(f, CUL_LINE_FORGIVES, line)) {
    keep = f->command ? f->command : keep; /* what it ran is not known */
    skip = true;
  } else if (is_kind(f, CUL_LINE_IGNORED, line)) {
    keep = f->last;
    skip = true;
  } else if (skip_unraised(f, line) || (f->tolerant && !command)) {
    skip = true;
  }
  if (keep < f->out.len)
    f->out.data[f->out.len = keep] = '\0';
  f->any = f->any || skip;
  f->last = keep;
  if (command)
    f->tolerant = is_kind(f, CUL_LINE_TOLERANT, line);
  return skip;
}

static void undo_forgiven(const struct cul_rules *rules, struct cul_buf *text) {
  struct cul_bytes in = cul_buf_bytes(text);
  struct forgiving f = {.rules = rules};
  ask_entries(&f);
  for (size_t at = 0; at < in.len;) {
    struct cul_bytes line = line_at(in, at);
    bool shown = line.len == 0 || !forgive(&f, line);
    at += line.len + 1;
    if (!shown)
      continue;
    cul_buf_add(&f.out, line.data, line.len);
    if (at <= in.len)
      cul_buf_addc(&f.out, '\n');
    if (line.len && is_kind(&f, CUL_LINE_COMMAND, line))
      f.command = f.out.len;
  }
  free(f.asked);
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
