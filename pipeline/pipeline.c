/* Reads and writes pipeline text: see pipeline.h. A recursive descent of
 * bounded depth. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

/* No real pipeline is nested deeper. */
enum { MAX_DEPTH = 64 };

struct reader {
  struct cul_pipeline *out;
  struct cul_bytes text;
  size_t at;
  int depth;
};

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct reader *r) {
  while (r->at < r->text.len && is_space(r->text.data[r->at]))
    r->at++;
}

static char peek(const struct reader *r) {
  return r->at < r->text.len ? r->text.data[r->at] : '\0';
}

static bool take(struct reader *r, char c) {
  if (r->at >= r->text.len || r->text.data[r->at] != c)
    return false;
  r->at++;
  return true;
}

static uint32_t add_item(struct reader *r, enum cul_pipe_kind kind,
                         uint32_t parent) {
  struct cul_pipeline *p = r->out;
  if (p->n == p->cap) {
    p->cap = p->cap ? p->cap * 2 : 16;
    p->items = cul_xreallocarray(p->items, p->cap, sizeof *p->items);
  }
  p->items[p->n] =
      (struct cul_pipe_item){.kind = kind, .from = r->at, .parent = parent};
  return (uint32_t)p->n++;
}

/* Advance past the string at r->at; false: it does not end. */
static bool skip_string(struct reader *r) {
  char quote = r->text.data[r->at++];
  while (r->at < r->text.len && r->text.data[r->at] != quote)
    r->at += r->text.data[r->at] == '\\' ? 2 : 1;
  return take(r, quote);
}

static char closing(char c) {
  switch (c) {
  case '(':
    return ')';
  case '[':
    return ']';
  case '{':
    return '}';
  case '<':
    return '>';
  default:
    return '\0';
  }
}

/* Advance past a value, up to a blank or one of `ends` outside brackets. */
static bool skip_value(struct reader *r, const char *ends) {
  char open[MAX_DEPTH];
  size_t n = 0;
  while (r->at < r->text.len) {
    char c = r->text.data[r->at];
    if (c == '\0')
      return false;
    if (n == 0 && (is_space(c) || strchr(ends, c)))
      return true;
    if (c == '"' || c == '\'') {
      if (!skip_string(r))
        return false;
      continue;
    }
    if (n > 0 && c == open[n - 1])
      n--;
    else if (closing(c) && n == MAX_DEPTH)
      return false;
    else if (closing(c))
      open[n++] = closing(c);
    r->at++;
  }
  return n == 0;
}

/* Read key or key=value. */
static bool read_option(struct reader *r, uint32_t parent, const char *ends) {
  uint32_t item = add_item(r, CUL_PIPE_OPTION, parent);
  size_t from = r->at;
  const char *equals;
  if (!skip_value(r, ends) || r->at == from)
    return false;
  equals = memchr(r->text.data + from, '=', r->at - from);
  r->out->items[item].name_to =
      equals ? (size_t)(equals - r->text.data) : r->at;
  r->out->items[item].to = r->at;
  return equals != r->text.data + from;
}

/* Read options between brackets, up to close. */
static bool read_options(struct reader *r, uint32_t parent, char close) {
  char ends[] = {close, close == '>' ? ';' : '\0', '\0'};
  for (;;) {
    skip_space(r);
    if (take(r, close))
      return true;
    if (close == '>' && take(r, ';'))
      continue;
    if (r->at >= r->text.len || !read_option(r, parent, ends))
      return false;
  }
}

static bool is_name(char c) {
  return c && !is_space(c) && !strchr(",(){}<>[]'\"=;\\`", c);
}

static bool read_list(struct reader *r, uint32_t parent, char close);

static bool read_element(struct reader *r, uint32_t parent) {
  uint32_t item = add_item(r, CUL_PIPE_PASS, parent);
  size_t from = r->at;
  char bracket;
  while (is_name(peek(r)))
    r->at++;
  if (r->at == from)
    return false;
  r->out->items[item].name_to = r->out->items[item].to = r->at;
  skip_space(r);
  bracket = peek(r);
  if (bracket == '{' || bracket == '<') {
    r->at++;
    r->out->items[item].bracket = bracket;
    if (!read_options(r, item, closing(bracket)))
      return false;
    r->out->items[item].to = r->at;
    skip_space(r);
  }
  if (take(r, '(')) {
    r->out->items[item].kind = CUL_PIPE_NEST;
    if (!read_list(r, item, ')'))
      return false;
    r->out->items[item].to = r->at;
  }
  return true;
}

/* Read elements separated by commas, up to close; 0: to the end of the text. */
static bool read_list(struct reader *r, uint32_t parent, char close) {
  bool ok = ++r->depth <= MAX_DEPTH;
  skip_space(r);
  if (ok && close && take(r, close))
    return r->depth--, true;
  while (ok) {
    skip_space(r);
    ok = read_element(r, parent);
    skip_space(r);
    if (ok && !take(r, ','))
      break;
  }
  r->depth--;
  return ok && (close ? take(r, close) : r->at == r->text.len);
}

static bool conclude(struct cul_pipeline *out, bool ok) {
  if (!ok)
    cul_pipeline_release(out);
  return ok;
}

bool cul_pipeline_read(struct cul_bytes text, struct cul_pipeline *out) {
  struct reader r = {.out = out, .text = text};
  *out = (struct cul_pipeline){.text = text};
  return conclude(out, read_list(&r, CUL_PIPE_NONE, '\0'));
}

bool cul_pipeline_read_options(struct cul_bytes text,
                               struct cul_pipeline *out) {
  struct reader r = {.out = out, .text = text};
  bool ok = true;
  *out = (struct cul_pipeline){.text = text, .options = true};
  for (skip_space(&r); ok && r.at < text.len; skip_space(&r))
    ok = read_option(&r, CUL_PIPE_NONE, "");
  return conclude(out, ok && out->n > 0);
}

/* ---- writing ---- */

struct writer {
  const struct cul_pipeline *p;
  const bool *gone;
  struct cul_buf *out;
};

/* The first item after item and all items inside it. */
static size_t behind(const struct cul_pipeline *p, size_t item) {
  size_t next = item + 1;
  while (next < p->n && p->items[next].from < p->items[item].to)
    next++;
  return next;
}

static void write_list(const struct writer *w, size_t first, size_t end,
                       bool options, char separator);

static bool any_left(const struct writer *w, size_t first, size_t end,
                     bool options);

/* Must the item stay if it is empty?  This is true for MLIR's outermost anchor,
 * an operation's name or "any": an empty pipeline needs it, too. */
static bool stays_empty(const struct writer *w, size_t i) {
  struct cul_bytes name = cul_pipeline_name(w->p, (uint32_t)i);
  return w->p->items[i].parent == CUL_PIPE_NONE &&
         (memchr(name.data, '.', name.len) ||
          (name.len == 3 && !memcmp(name.data, "any", 3)));
}

static bool is_left(const struct writer *w, size_t i) {
  const struct cul_pipe_item *item = &w->p->items[i];
  if (w->gone[i])
    return false;
  return item->kind != CUL_PIPE_NEST || stays_empty(w, i) ||
         any_left(w, i + 1, behind(w->p, i), false);
}

static bool any_left(const struct writer *w, size_t first, size_t end,
                     bool options) {
  for (size_t i = first; i < end; i = behind(w->p, i))
    if ((w->p->items[i].kind == CUL_PIPE_OPTION) == options && is_left(w, i))
      return true;
  return false;
}

static void write_item(const struct writer *w, size_t i) {
  const struct cul_pipe_item *item = &w->p->items[i];
  size_t end = behind(w->p, i);
  if (item->kind == CUL_PIPE_OPTION) {
    cul_buf_add(w->out, w->p->text.data + item->from, item->to - item->from);
    return;
  }
  cul_buf_add(w->out, w->p->text.data + item->from, item->name_to - item->from);
  if (item->bracket && any_left(w, i + 1, end, true)) {
    cul_buf_addc(w->out, item->bracket);
    write_list(w, i + 1, end, true, item->bracket == '<' ? ';' : ' ');
    cul_buf_addc(w->out, closing(item->bracket));
  }
  if (item->kind != CUL_PIPE_NEST)
    return;
  cul_buf_addc(w->out, '(');
  write_list(w, i + 1, end, false, ',');
  cul_buf_addc(w->out, ')');
}

/* Write the items of one level, either its options or its passes. */
static void write_list(const struct writer *w, size_t first, size_t end,
                       bool options, char separator) {
  bool any = false;
  for (size_t i = first; i < end; i = behind(w->p, i)) {
    if ((w->p->items[i].kind == CUL_PIPE_OPTION) != options || !is_left(w, i))
      continue;
    if (any)
      cul_buf_addc(w->out, separator);
    any = true;
    write_item(w, i);
  }
}

void cul_pipeline_write(const struct cul_pipeline *pipeline, const bool *gone,
                        struct cul_buf *out) {
  struct writer w = {pipeline, gone, out};
  write_list(&w, 0, pipeline->n, pipeline->options,
             pipeline->options ? ' ' : ',');
}

struct cul_bytes cul_pipeline_name(const struct cul_pipeline *pipeline,
                                   uint32_t item) {
  const struct cul_pipe_item *at = &pipeline->items[item];
  return (struct cul_bytes){pipeline->text.data + at->from,
                            at->name_to - at->from};
}

void cul_pipeline_release(struct cul_pipeline *pipeline) {
  free(pipeline->items);
  *pipeline = (struct cul_pipeline){0};
}
