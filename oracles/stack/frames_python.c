/* The frames of the first Python traceback of a text, as the interpreter
 * prints it, as faulthandler does, and as pytest shows it.
 *
 * pytest's short form is a line "k.py:3: in f"; the long one is the function's
 * source down to the line, then "k.py:3: ", or "k.py:3: ValueError" where it
 * was raised. */
#include "../rules/rules.h"

#include <ctype.h>
#include <string.h>

enum { MAX_LINE = 1 << 14 };

struct reader {
  struct cul_raw_frame *out;
  size_t n, most;
  struct cul_bytes
      function; /* the function whose source is shown; empty: none */
  bool pytest, newest_first, other_thread;
  bool alone; /* no thread is named the current one */
};

static void add(struct reader *r, const struct cul_raw_frame *frame) {
  if (r->n < r->most)
    r->out[r->n++] = *frame;
}

/* Note "def f(" or "async def f(" in the shown source: the outermost function
 * of an entry. */
static void note_function(struct reader *r, struct cul_bytes line) {
  size_t at = 0, end;
  if (r->function.len)
    return;
  while (at < line.len && line.data[at] == ' ')
    at++;
  line = (struct cul_bytes){line.data + at, line.len - at};
  at = cul_bytes_start(line, "async def ") ? 10
       : cul_bytes_start(line, "def ")     ? 4
                                           : 0;
  for (end = at; end < line.len && (isalnum((unsigned char)line.data[end]) ||
                                    line.data[end] == '_');
       end++)
    ;
  if (at && end < line.len && line.data[end] == '(')
    r->function = (struct cul_bytes){line.data + at, end - at};
}

/* Does the line begin with "k.py:3: " or "k.py:3: ValueError"? *raised: the
 * latter. */
static bool is_place(struct cul_bytes line, struct cul_raw_frame *frame,
                     bool *raised) {
  const char *colon = memmem(line.data, line.len, ".py:", 4);
  const char *s, *end = line.data + line.len;
  *frame = (struct cul_raw_frame){.python = true, .index = -1};
  if (!colon || memchr(line.data, ' ', (size_t)(colon - line.data)))
    return false;
  for (s = colon + 4; s < end && isdigit((unsigned char)*s); s++)
    frame->line = frame->line * 10 + (uint64_t)(*s - '0');
  if (s == colon + 4 || s == end || *s != ':')
    return false;
  for (s++; s < end && *s == ' '; s++)
    ;
  *raised = s < end;
  for (; s < end; s++)
    if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.')
      return false;
  frame->module =
      (struct cul_bytes){line.data, (size_t)(colon + 3 - line.data)};
  return true;
}

/* Add a frame of pytest's long form; true: the exception was raised there. */
static bool take_place(struct reader *r, struct cul_bytes line) {
  static const struct cul_bytes module = {"<module>", 8};
  struct cul_raw_frame frame;
  bool raised = false;
  if (!is_place(line, &frame, &raised))
    return false;
  frame.symbol = r->function.len ? r->function : module;
  add(r, &frame);
  r->pytest = true;
  r->function.len = 0;
  return raised;
}

/* Take the function of the first frame from pytest's heading "___ C.f[4] ___",
 * since pytest does not always show the line that defines the function. */
static void note_heading(struct reader *r, struct cul_bytes line) {
  const char *s = line.data, *end = s + line.len, *from;
  while (end > s && (end[-1] == '_' || end[-1] == ' '))
    end--;
  while (s < end && *s == '_')
    s++;
  if (s == line.data || s == end || *s != ' ' || end == line.data + line.len)
    return;
  for (from = ++s; s < end && (isalnum((unsigned char)*s) || *s == '_'); s++)
    if (s + 1 < end && s[1] == '.')
      from = ++s + 1;
  if (s > from && (s == end || *s == '['))
    r->function = (struct cul_bytes){from, (size_t)(s - from)};
}

/* Read a line between frames; true: the traceback has ended. */
static bool take_other(struct reader *r, struct cul_bytes line) {
  if (cul_bytes_hold(line, "(most recent call first)")) {
    bool current = cul_bytes_start(line, "Current thread ");
    if (r->n && r->newest_first && !r->other_thread)
      return true;
    r->n = current ? 0 : r->n;
    /* The first thread counts if none is named the current one. */
    r->other_thread = !current && (r->newest_first || !r->alone);
    r->newest_first = true;
    return false;
  }
  if (cul_bytes_start(line, "ExceptionGroup: ") ||
      cul_bytes_start(line, "BaseExceptionGroup: ")) {
    r->n = 0; /* its members contain the cause */
    return false;
  }
  if (!r->n)
    note_heading(r, line);
  note_function(r, line);
  if (take_place(r, line))
    return true;
  if (!r->n || !line.len || isspace((unsigned char)line.data[0]))
    return false;
  if (!r->pytest)
    return true;
  return cul_bytes_start(line, "The above exception") ||
         cul_bytes_start(line, "During handling of") ||
         cul_bytes_start(line, "___") || cul_bytes_start(line, "===") ||
         cul_bytes_start(line, "---");
}

/* Does the message that ends before offset `at` quote the traceback of another
 * process, without a heading?  That one has the cause. */
static bool quotes_traceback(struct cul_bytes text, size_t at) {
  return at < text.len &&
         cul_bytes_start((struct cul_bytes){text.data + at, text.len - at},
                         "  File \"");
}

/* Python prints the innermost frame last. */
static void reverse(struct reader *r) {
  for (size_t i = 0, j = r->n; i + 1 < j; i++) {
    struct cul_raw_frame frame = r->out[i];
    r->out[i] = r->out[--j];
    r->out[j] = frame;
  }
}

size_t cul_python_frames(struct cul_bytes text, struct cul_raw_frame *out,
                         size_t most) {
  struct reader r = {.out = out,
                     .most = most,
                     .alone = !cul_bytes_hold(text, "Current thread ")};
  bool ended = false;
  for (size_t at = 0; at < text.len && !ended;) {
    const char *start = text.data + at;
    const char *nl = memchr(start, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - start) : text.len - at;
    struct cul_bytes line = {start, len < MAX_LINE ? len : MAX_LINE};
    struct cul_raw_frame frame;
    at += len + 1;
    if (!cul_frame_parse(line, &frame) || !(frame.python || frame.last_first)) {
      ended = take_other(&r, line);
      if (ended && quotes_traceback(text, at)) {
        ended = false;
        r.n = 0;
      }
    } else if (!r.other_thread) {
      r.pytest = r.pytest || isalnum((unsigned char)*line.data) ||
                 *line.data == '.' || *line.data == '/';
      r.function.len = 0;
      add(&r, &frame);
    }
  }
  if (!r.newest_first)
    reverse(&r);
  return r.n;
}
