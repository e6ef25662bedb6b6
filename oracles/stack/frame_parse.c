/* One printed stack frame.  The forms:
 *   LLVM, named:    #4 0xADDR ns::f(int) /src/f.cpp:12:3
 *   LLVM, module:   #4 0xADDR ns::f(int) (/lib/libX.so+0x64439d5)
 *   LLVM, neither:  #4 0xADDR (/lib/libX.so+0x64439d5)
 *   LLVM, plain:   4  libX.so 0xADDR ns::f(int) + 983
 *                  4  (error) 0xADDR              no object has this address
 *   sanitizers:     #0 0xADDR in ns::f(int) f.cpp:1:2 (BuildId: 12ab)
 *                   #0 ns::f(int) f.cpp:1:2 (module+0x64)     of TSan
 *   gdb:            #1  0xADDR in f (x=1) at f.c:3
 *   glog, absl:     @     0xADDR       992  ns::f()
 *                  PC: @     0xADDR  (unknown)  ns::f()
 *   c10:           frame #2: ns::f() + 0x91 (0xADDR in /lib/libX.so)
 *   lldb:           * frame #0: 0xADDR tool`ns::f(x=1) at f.c:3:4
 *                     frame #2: 0xADDR tool`f + 12
 *   systemd:        #1  0xADDR f (libX.so + 0x12)
 *   Rust:            4: krate::module::f
 *   glibc:          [bt] (2) /lib/libX.so(ns::f()+0x330) [0xADDR]  of TVM
 *                   /lib/libX.so(ns::f()+0x330) [0xADDR]
 *                   /lib/libX.so: ns::f(int)              of Taichi
 *                   --- ns::f(int)                        of tt-metal
 *   debuggerd:      #02 pc 1c2d30  /lib/libX.so (ns::f()+120) (BuildId: 12)
 *   Java:            at org.x.Type.f(Type.java:3)
 *   valgrind:       ==12==    at 0xADDR: ns::f(int) (f.cpp:3)
 *                   ==12==    by 0xADDR: f (in /lib/libX.so)
 *   Zig:            /s/f.zig:3:4: 0xADDR in f (program)
 *   UCX:            N 0xADDR f()  FILE:LINE
 *                   N  /lib/libX.so(f+0x330) [0xADDR]
 *   Windows:        0xADDR (0xARG ..), C:\b\x.exe(0xADDR) + 0x9 byte(s),
 *                   ns::f() + 0x4 byte(s), C:\s\f.cpp, line 12
 *   Python:          File "k.py", line 3, in f
 *   faulthandler:    File "k.py", line 3 in f
 *   pytest:         pkg/k.py:3: in f */
#include "../rules/rules.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct cursor {
  const char *s, *end;
};

static void skip_blanks(struct cursor *c) {
  while (c->s < c->end && (*c->s == ' ' || *c->s == '\t'))
    c->s++;
}

static bool take(struct cursor *c, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(c->end - c->s) < n || memcmp(c->s, word, n) != 0)
    return false;
  c->s += n;
  return true;
}

static int hex_value(char ch) {
  if (isdigit((unsigned char)ch))
    return ch - '0';
  ch = (char)(ch | 0x20);
  return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

/* Parse 1 to 16 digits. */
static bool take_digits(struct cursor *c, uint64_t *out) {
  struct cursor at = *c;
  int n = 0;
  uint64_t value = 0;
  for (; at.s < at.end && n < 17 && hex_value(*at.s) >= 0; n++)
    value = value << 4 | (uint64_t)hex_value(*at.s++);
  if (n == 0 || n > 16)
    return false;
  *out = value;
  *c = at;
  return true;
}

/* Parse "0x" and the digits. */
static bool take_hex(struct cursor *c, uint64_t *out) {
  struct cursor at = *c;
  if (!take(&at, "0x") || !take_digits(&at, out))
    return false;
  *c = at;
  return true;
}

static bool take_decimal(struct cursor *c, uint64_t *out) {
  const char *start = c->s;
  uint64_t value = 0;
  while (c->s < c->end && c->s - start < 10 && isdigit((unsigned char)*c->s))
    value = value * 10 + (uint64_t)(*c->s++ - '0');
  *out = value;
  return c->s > start;
}

static struct cul_bytes between(const char *start, const char *end) {
  return (struct cul_bytes){start, end > start ? (size_t)(end - start) : 0};
}

static void trim_end(struct cursor *c) {
  while (c->end > c->s && isspace((unsigned char)c->end[-1]))
    c->end--;
}

/* The '(' that matches the last character, or NULL. */
static const char *open_of_last(const struct cursor *c) {
  int depth = 0;
  if (c->s == c->end || c->end[-1] != ')')
    return NULL;
  for (const char *p = c->end; p-- > c->s;) {
    depth += *p == ')';
    depth -= *p == '(';
    if (depth == 0)
      return p;
  }
  return NULL;
}

/* Parse "(/lib/x.so+0x12)", "(libc.so.6)", "(BuildId: ..)" at the end. */
static bool take_module_behind(struct cursor *c, struct cul_raw_frame *out) {
  const char *open = open_of_last(c);
  struct cursor in;
  const char *plus;
  if (!open || (open > c->s && open[-1] != ' '))
    return false;
  in = (struct cursor){open + 1, c->end - 1};
  plus = memrchr(in.s, '+', (size_t)(in.end - in.s));
  if (take(&in, "BuildId:")) {
    c->end = open;
    trim_end(c);
    return take_module_behind(c, out) || true;
  }
  if (plus) {
    struct cursor hex = {plus + 1, in.end};
    if (!take_hex(&hex, &out->module_offset) || hex.s != hex.end)
      return false;
    out->has_module_offset = true;
    out->module = between(in.s, plus);
  } else if (memmem(in.s, (size_t)(in.end - in.s), ".so", 3) &&
             !memchr(in.s, ' ', (size_t)(in.end - in.s))) {
    out->module = between(in.s, in.end);
  } else {
    return false;
  }
  c->end = open;
  trim_end(c);
  return true;
}

/* The blank before a path with a drive, " C:\", which may contain blanks; or
 * NULL. */
static const char *before_drive(const struct cursor *c) {
  for (const char *s = c->s; c->end - s > 3; s++)
    if (s[0] == ' ' && isalpha((unsigned char)s[1]) && s[2] == ':' &&
        s[3] == '\\')
      return s;
  return NULL;
}

/* Parse " /src/f.cpp:12:3", " at f.c:3" at the end: the source file replaces
 * the module if none is printed. */
static void take_source_behind(struct cursor *c, struct cul_raw_frame *out) {
  const char *drive = before_drive(c);
  const char *space =
      drive ? drive : memrchr(c->s, ' ', (size_t)(c->end - c->s));
  const char *from = drive ? drive + 3 : space, *colon;
  if (!space && c->s < c->end && *c->s == '/')
    space = from = c->s - 1; /* of a function without a name */
  if (!space)
    return;
  colon = memchr(from, ':', (size_t)(c->end - from));
  if (!colon || colon + 1 >= c->end ||
      (!isdigit((unsigned char)colon[1]) && colon[1] != '?'))
    return;
  out->placed = memcmp(space + 1, "??", 2) != 0;
  if (!out->module.len && out->placed) {
    out->module = between(space + 1, colon);
    out->source = true;
  }
  c->end = space < c->s ? c->s : space;
  trim_end(c);
  if (c->end - c->s > 3 && !memcmp(c->end - 3, " at", 3))
    c->end -= 3;
  if (c->end - c->s > 5 && !memcmp(c->end - 5, " from", 5))
    c->end -= 5; /* of PyTorch's recorder */
}

/* "#2812 NEW cov: 31": a name has no colon and blank before its arguments.
 * "#7 [build 2/5] RUN make", "#7 ...": nor does it begin so. */
static bool is_status(const struct cul_raw_frame *frame) {
  struct cul_bytes s = frame->symbol;
  const char *colon = s.len ? memmem(s.data, s.len, ": ", 2) : NULL;
  if (!s.len || frame->address || frame->has_module_offset)
    return false;
  return *s.data == '[' || *s.data == '.' ||
         (colon && !memchr(s.data, '(', (size_t)(colon - s.data)));
}

/* "in libc.so.6": a symbolizer that finds no function gives the object. */
static void take_object(struct cul_raw_frame *frame) {
  struct cul_bytes s = frame->symbol;
  if (frame->module.len || !s.len || memchr(s.data, ' ', s.len) ||
      memchr(s.data, '(', s.len) || !memmem(s.data, s.len, ".so", 3))
    return;
  frame->module = s;
  frame->symbol.len = 0;
}

/* Parse " (libx.so + 0x12)" at the end, as systemd prints it. */
static void take_spaced(struct cursor *c, struct cul_raw_frame *out) {
  const char *open = open_of_last(c), *plus;
  struct cursor hex;
  if (!open || open == c->s || open[-1] != ' ')
    return;
  plus = memmem(open, (size_t)(c->end - open), " + 0x", 5);
  if (!plus || memchr(open, ' ', (size_t)(plus - open)))
    return;
  hex = (struct cursor){plus + 3, c->end - 1};
  if (!take_hex(&hex, &out->module_offset) || hex.s != hex.end)
    return;
  out->has_module_offset = true;
  out->module = between(open + 1, plus);
  c->end = open;
  trim_end(c);
}

/* Parse " <libx.so>+0x12" at the end, as Fuchsia prints it. */
static void take_bracketed(struct cursor *c, struct cul_raw_frame *out) {
  const char *plus = memrchr(c->s, '+', (size_t)(c->end - c->s)), *open;
  struct cursor hex;
  if (!plus || plus == c->s || plus[-1] != '>')
    return;
  hex = (struct cursor){plus + 1, c->end};
  open = plus;
  while (open > c->s && open[-1] != ' ')
    open--;
  if (open == c->s || *open != '<' || !take_hex(&hex, &out->module_offset) ||
      hex.s != hex.end)
    return;
  out->has_module_offset = true;
  out->module = between(open + 1, plus - 1);
  c->end = open;
  trim_end(c);
}

/* TSan writes "<null>" for a function or a file that it does not know. */
static void drop_nulls(struct cursor *c) {
  static const char null[] = "<null>";
  const size_t len = sizeof null - 1;
  while ((size_t)(c->end - c->s) >= len && !memcmp(c->end - len, null, len) &&
         (c->end - len == c->s || c->end[-(ptrdiff_t)len - 1] == ' ')) {
    c->end -= len;
    trim_end(c);
  }
}

static bool parse_hash(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index, inlined;
  if (!take(&c, "#") || !take_decimal(&c, &index) || index > 9999)
    return false;
  out->index = (int)index;
  if (take(&c, ".") && !take_decimal(&c, &inlined))
    return false;
  if (c.s == c.end || (*c.s != ' ' && *c.s != '\t'))
    return false;
  skip_blanks(&c);
  if (take_hex(&c, &out->address) && c.s < c.end &&
      !isspace((unsigned char)*c.s))
    return false; /* another line begins within the address */
  skip_blanks(&c);
  take(&c, "in ");
  trim_end(&c);
  if (c.end - c.s == 2 && take(&c, "in")) /* nothing stands behind it */
    return out->address != 0;
  take_bracketed(&c, out);
  take_spaced(&c, out);
  (void)take_module_behind(&c, out);
  take_source_behind(&c, out);
  drop_nulls(&c);
  out->symbol = between(c.s, c.end);
  take_object(out);
  return (out->address || out->symbol.len || out->has_module_offset) &&
         !is_status(out);
}

/* Parse " + N" at the end of a plain frame. */
static void take_within(struct cursor *c, struct cul_raw_frame *out) {
  const char *digits = c->end;
  struct cursor number;
  while (digits > c->s && isdigit((unsigned char)digits[-1]))
    digits--;
  if (digits == c->end || digits - c->s < 3 ||
      memcmp(digits - 3, " + ", 3) != 0)
    return;
  number = (struct cursor){digits, c->end};
  out->has_within = take_decimal(&number, &out->within);
  c->end = digits - 3;
}

/* LLVM prints this for an address in no module. */
static const char nowhere[] = "(error)";

/* The name of an application of macOS may contain blanks; its column ends at
 * an address of full width. */
static void take_long_module(struct cursor *c, struct cul_raw_frame *out) {
  enum { WIDTH = 18 };
  const char *at = memmem(c->s, (size_t)(c->end - c->s), " 0x0000", 7);
  const char *end = at;
  if (!at || c->end - at <= WIDTH || at[WIDTH + 1] != ' ')
    return;
  while (end > out->module.data && end[-1] == ' ')
    end--;
  out->module = between(out->module.data, end);
  c->s = at + 1;
}

static bool parse_plain(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index;
  const char *module;
  if (!take_decimal(&c, &index) || index > 9999)
    return false;
  out->index = (int)index;
  if (c.s == c.end || *c.s != ' ')
    return false;
  skip_blanks(&c);
  module = c.s;
  while (c.s < c.end && *c.s != ' ')
    c.s++;
  out->module = between(module, c.s);
  skip_blanks(&c);
  if (out->module.len && c.s < c.end && *c.s != '0')
    take_long_module(&c, out);
  if (!out->module.len || !take_hex(&c, &out->address))
    return false;
  skip_blanks(&c);
  trim_end(&c);
  take_within(&c, out);
  out->symbol = between(c.s, c.end);
  if (out->module.len == strlen(nowhere) &&
      memcmp(out->module.data, nowhere, out->module.len) == 0)
    out->module.len = 0;
  return true;
}

/* UCX: "N 0xADDR f()  FILE:LINE". */
static bool parse_ucx(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index;
  const char *close, *colon, *slash;
  if (!take_decimal(&c, &index) || index > 999 || !take(&c, " ") ||
      !take_hex(&c, &out->address) || !take(&c, " "))
    return false;
  trim_end(&c);
  close = memmem(c.s, (size_t)(c.end - c.s), "()  ", 4);
  colon = memrchr(c.s, ':', (size_t)(c.end - c.s));
  if (!close || !colon || colon < close)
    return false;
  out->index = (int)index;
  out->symbol = between(c.s, close);
  close += 4;
  slash = memrchr(close, '/', (size_t)(colon - close));
  if (*close != '?')
    out->module = between(slash ? slash + 1 : close, colon);
  return true;
}

/* Skip the size of the frame, which may be printed before the name. */
static void skip_size(struct cursor *c) {
  struct cursor at = *c;
  uint64_t size;
  if (!take(&at, "(unknown)") && !take_decimal(&at, &size))
    return;
  if (at.s == at.end || *at.s != ' ')
    return;
  skip_blanks(&at);
  if (at.s < at.end)
    *c = at;
}

static bool parse_glog(struct cursor c, struct cul_raw_frame *out) {
  out->index = -1;
  out->counter = take(&c, "PC: ");
  if (!take(&c, "@ "))
    return false;
  skip_blanks(&c);
  if (!take_hex(&c, &out->address))
    return false;
  skip_blanks(&c);
  trim_end(&c);
  skip_size(&c);
  out->symbol = between(c.s, c.end);
  return true;
}

static bool parse_c10(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index;
  const char *open, *in;
  struct cursor tail;
  if (!take(&c, "frame #") || !take_decimal(&c, &index) || index > 9999 ||
      !take(&c, ": "))
    return false;
  out->index = (int)index;
  trim_end(&c);
  open = open_of_last(&c);
  if (!open)
    return false;
  tail = (struct cursor){open + 1, c.end - 1};
  if (!take_hex(&tail, &out->address))
    return false;
  in = memmem(tail.s, (size_t)(tail.end - tail.s), "in ", 3);
  if (in)
    out->module = between(in + 3, tail.end);
  c.end = open;
  trim_end(&c);
  for (const char *p = c.end; p - c.s > 3; p--)
    if (!memcmp(p - 3, " + ", 3)) {
      tail = (struct cursor){p, c.end};
      out->has_within = take_hex(&tail, &out->within);
      c.end = p - 3;
      break;
    }
  out->symbol = between(c.s, c.end);
  return true;
}

/* Parse lldb's frame; an asterisk marks the selected one. */
static bool parse_lldb(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index;
  const char *tick;
  (void)take(&c, "* ");
  *out = (struct cul_raw_frame){0};
  if (!take(&c, "frame #") || !take_decimal(&c, &index) || index > 9999 ||
      !take(&c, ": ") || !take_hex(&c, &out->address) || !take(&c, " "))
    return false;
  trim_end(&c);
  tick = memchr(c.s, '`', (size_t)(c.end - c.s));
  if (!tick)
    return false;
  out->index = (int)index;
  out->module = between(c.s, tick);
  c.s = tick + 1;
  take_source_behind(&c, out);
  take_within(&c, out);
  out->symbol = between(c.s, c.end);
  return true;
}

static bool parse_python(struct cursor c, struct cul_raw_frame *out) {
  const char *name;
  if (!take(&c, "File \""))
    return false;
  name = memchr(c.s, '"', (size_t)(c.end - c.s));
  if (!name)
    return false;
  out->module = between(c.s, name);
  c.s = name + 1;
  if (take(&c, ", line "))
    take_decimal(&c, &out->line);
  if (!take(&c, ", in ") && !take(&c, " in "))
    return false;
  trim_end(&c);
  out->index = -1;
  out->symbol = between(c.s, c.end);
  out->python = !cul_bytes_hold(out->symbol, "::");
  if (!out->python) { /* TVM prints its own functions like those of Python */
    out->last_first = true;
    out->source = out->module.len && *out->module.data != '<';
    out->line = 0;
    if (!out->source)
      out->module.len = 0;
  }
  return true;
}

/* Parse "4: a::b", "4: 0xADDR - a::b"; the path distinguishes it from numbered
 * lines. */
static bool parse_rust(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index;
  *out = (struct cul_raw_frame){0}; /* another form may have left values */
  if (!take_decimal(&c, &index) || index > 9999 || !take(&c, ": "))
    return false;
  skip_blanks(&c);
  if (take_hex(&c, &out->address) && !take(&c, " - "))
    return false;
  trim_end(&c);
  for (const char *s = c.s; s < c.end; s++)
    if (!isalnum((unsigned char)*s) && !strchr("_:<>{}#$.,&*[]()-; '", *s))
      return false;
  if (c.s == c.end || !(isalpha((unsigned char)*c.s) || strchr("_<", *c.s)) ||
      memmem(c.s, (size_t)(c.end - c.s), ": ", 2) ||
      (!memmem(c.s, (size_t)(c.end - c.s), "::", 2) &&
       !(out->address && c.end - c.s > 4 &&
         (!memcmp(c.s, "_ZN", 3) || !memcmp(c.s, "_R", 2)))))
    return false;
  out->index = (int)index;
  out->symbol = between(c.s, c.end);
  return true;
}

/* Parse the format of the debug help library of Windows. The name ends at its
 * offset, or without one at the next comma. */
static bool parse_windows(struct cursor c, struct cul_raw_frame *out) {
  static const char bytes[] = " byte(s), ";
  const char *at, *end;
  *out = (struct cul_raw_frame){.index = -1};
  if (!take_hex(&c, &out->address))
    return false;
  at = take(&c, " (0x") ? memmem(c.s, (size_t)(c.end - c.s), "), ", 3) : NULL;
  c.s = at ? at + 3 : c.s;
  take(&c, ", ");
  at = memmem(c.s, (size_t)(c.end - c.s), "(0x", 3);
  if (!at)
    return false;
  out->module = between(c.s, at);
  at = memmem(at, (size_t)(c.end - at), ") + ", 4);
  if (!at)
    return false;
  c.s = at + 4;
  if (!take_hex(&c, &out->module_offset) || !take(&c, " byte(s)"))
    return false;
  out->has_module_offset = true;
  c.s -= strlen(" byte(s)");
  trim_end(&c);
  if (!take(&c, bytes))
    return true; /* no name */
  end = memmem(c.s, (size_t)(c.end - c.s), " + 0x", 5);
  at = end ? end : memmem(c.s, (size_t)(c.end - c.s), ", ", 2);
  out->symbol = between(c.s, at ? at : c.end);
  return true;
}

/* Parse "pkg/k.py:3: in f". */
static bool parse_pytest(struct cursor c, struct cul_raw_frame *out) {
  const char *blank = memchr(c.s, ' ', (size_t)(c.end - c.s)), *colon = c.s;
  struct cursor at = c;
  blank = blank ? blank : c.end;
  while ((colon = memchr(colon, ':', (size_t)(blank - colon))) != NULL &&
         (colon - c.s < 3 || memcmp(colon - 3, ".py", 3) != 0))
    colon++;
  if (!colon)
    return false;
  colon -= 3;
  at.s = colon + 4;
  if (!take_decimal(&at, &out->line) || !take(&at, ": in "))
    return false;
  trim_end(&at);
  out->module = between(c.s, colon + 3);
  out->symbol = between(at.s, at.end);
  out->python = true;
  out->index = -1;
  return at.s < at.end;
}

/* Parse "at org.x.Type.f(Type.java:3)"; a module's name may precede it, and
 * an archive's may follow it. */
static bool parse_java(struct cursor c, struct cul_raw_frame *out) {
  const char *open, *close, *slash;
  if (!take(&c, "at "))
    return false;
  open = memchr(c.s, '(', (size_t)(c.end - c.s));
  close = open ? memchr(open, ')', (size_t)(c.end - open)) : NULL;
  if (!close || memchr(c.s, ' ', (size_t)(open - c.s)) ||
      !memchr(c.s, '.', (size_t)(open - c.s)) ||
      (close + 1 < c.end && close[1] != ' ' && close[1] != '\r'))
    return false;
  slash = memrchr(c.s, '/', (size_t)(open - c.s));
  *out = (struct cul_raw_frame){.index = -1, .plain = true, .source = true};
  out->symbol = between(slash ? slash + 1 : c.s, open);
  out->module = between(open + 1, memchr(open, ':', (size_t)(close - open)));
  return true;
}

/* Parse "/s/f.zig:3:4: 0xADDR in f (program)", of Zig. */
static bool parse_zig(struct cursor c, struct cul_raw_frame *out) {
  static const char ending[] = ".zig:";
  uint64_t number;
  const char *at =
      memmem(c.s, (size_t)(c.end - c.s), ending, sizeof ending - 1);
  *out = (struct cul_raw_frame){.index = -1, .source = true, .placed = true};
  if (!at)
    return false;
  out->module = between(c.s, at + sizeof ending - 2);
  c.s = at + sizeof ending - 1;
  if (!take_decimal(&c, &number) || !take(&c, ":") ||
      !take_decimal(&c, &number) || !take(&c, ": ") ||
      !take_hex(&c, &out->address) || !take(&c, " in "))
    return false;
  trim_end(&c);
  at = open_of_last(&c);
  out->symbol = between(c.s, at && at > c.s && at[-1] == ' ' ? at - 1 : c.end);
  out->plain = true;
  return out->symbol.len > 0;
}

/* Parse what valgrind prints, with or without "==PID==" before it. */
static bool parse_valgrind(struct cursor c, struct cul_raw_frame *out) {
  uint64_t pid;
  const char *open;
  *out = (struct cul_raw_frame){.index = -1};
  if (take(&c, "==") && !(take_decimal(&c, &pid) && take(&c, "==")))
    return false;
  skip_blanks(&c);
  if (!(take(&c, "at ") || take(&c, "by ")) || !take_hex(&c, &out->address) ||
      !take(&c, ": "))
    return false;
  trim_end(&c);
  open = open_of_last(&c);
  if (!open || open < c.s + 2 || open[-1] != ' ')
    return false;
  out->symbol = between(c.s, open - 1);
  c = (struct cursor){open + 1, c.end - 1};
  out->source = !take(&c, "in ");
  open = out->source ? memrchr(c.s, ':', (size_t)(c.end - c.s)) : NULL;
  out->module = between(c.s, open ? open : c.end);
  if (!memcmp(out->symbol.data, "???", 3))
    out->symbol.len = 0;
  return true;
}

/* Parse "f [0x61B0EB84+292] (base\log.cc:524)", of Chromium on Windows. */
static bool parse_bracketed(struct cursor c, struct cul_raw_frame *out) {
  const char *name = c.s, *at = memmem(c.s, (size_t)(c.end - c.s), " [0x", 4);
  *out = (struct cul_raw_frame){.index = -1};
  if (!at || at == name)
    return false;
  c.s = at + 2;
  if (!take_hex(&c, &out->address) || !take(&c, "+") ||
      !take_decimal(&c, &out->within) || !take(&c, "]") ||
      !(c.s == c.end || take(&c, " (")))
    return false;
  out->has_within = true;
  out->symbol = between(name, at);
  return true;
}

/* Parse "/lib/libX.so(ns::f()+0x330)", "/lib/libX.so(+0x9)" or the path alone,
 * as backtrace_symbols() of the C library writes it before the address. */
static void take_symbol_of(struct cursor c, struct cul_raw_frame *out) {
  const char *open = open_of_last(&c), *plus;
  struct cursor in, offset;
  uint64_t value = 0;
  out->module = between(c.s, open ? open : c.end);
  if (!open)
    return;
  in = (struct cursor){open + 1, c.end - 1};
  plus = memrchr(in.s, '+', (size_t)(in.end - in.s));
  offset = (struct cursor){plus ? plus + 1 : in.end, in.end};
  if (!take_hex(&offset, &value) && !take_decimal(&offset, &value))
    plus = NULL;
  out->symbol = between(in.s, plus ? plus : in.end);
  if (out->symbol.len) {
    out->has_within = plus != NULL;
    out->within = value;
  } else {
    out->has_module_offset = plus != NULL;
    out->module_offset = value;
  }
}

/* Parse "[0xADDR]" at the end, which backtrace_symbols() writes. */
static bool take_address_behind(struct cursor *c, struct cul_raw_frame *out) {
  const char *open = c->end > c->s && c->end[-1] == ']'
                         ? memrchr(c->s, '[', (size_t)(c->end - c->s))
                         : NULL;
  struct cursor in;
  if (!open)
    return false;
  in = (struct cursor){open + 1, c->end - 1};
  if (!take_hex(&in, &out->address) || in.s != in.end)
    return false;
  c->end = open;
  trim_end(c);
  return true;
}

/* Parse Android's, behind the number: the offset in the object, its path, and
 * in brackets the function and the identity of the object. */
static bool parse_debuggerd(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index, offset;
  const char *open;
  *out = (struct cul_raw_frame){0};
  if (!take(&c, "#") || !take_decimal(&c, &index) || index > 9999 ||
      !take(&c, " pc ") || !take_digits(&c, &offset) || !take(&c, " "))
    return false;
  skip_blanks(&c);
  trim_end(&c);
  open = memmem(c.s, (size_t)(c.end - c.s), " (BuildId: ", 11);
  c.end = open ? open : c.end;
  trim_end(&c);
  take_symbol_of(c, out);
  while (out->module.len && out->module.data[out->module.len - 1] == ' ')
    out->module.len--;
  out->index = (int)index;
  out->has_module_offset = true;
  out->module_offset = offset;
  return c.s < c.end;
}

/* Parse what TVM ("[bt] (2) "), Open MPI ("[ 2] ") and tt-metal ("--- ") write
 * before such a line; the last may also have a demangled name alone. */
static bool parse_symbols(struct cursor c, struct cul_raw_frame *out) {
  uint64_t index;
  bool behind = take(&c, "[bt] (");
  bool numbered = behind || take(&c, "[");
  *out = (struct cul_raw_frame){.index = -1};
  if (numbered) {
    skip_blanks(&c);
    if (!take_decimal(&c, &index) || index > 9999 ||
        !take(&c, behind ? ") " : "] "))
      return false;
    out->index = (int)index;
  } else if (!take(&c, "--- ")) {
    return false;
  }
  trim_end(&c);
  if (take_address_behind(&c, out)) {
    take_symbol_of(c, out);
    return c.end > c.s;
  }
  out->symbol = between(c.s, c.end);
  return !numbered && c.end > c.s &&
         memmem(c.s, (size_t)(c.end - c.s), "::", 2) &&
         memchr(c.s, '(', (size_t)(c.end - c.s)) && !is_status(out);
}

/* Is it one name, with or without arguments?  Words of a message have blanks
 * or end in a colon. */
static bool is_name(struct cul_bytes name) {
  size_t n = 0;
  for (; n < name.len && name.data[n] != '(' && name.data[n] != '<'; n++)
    if (!isalnum((unsigned char)name.data[n]) && !strchr("_:~$", name.data[n]))
      return false;
  return n > 0 && name.data[n - 1] != ':';
}

/* Parse a line of backtrace_symbols(), before which UCX writes a number, or
 * "/lib/libX.so: ns::f(int)". */
static bool parse_path(struct cursor c, struct cul_raw_frame *out) {
  const char *end;
  uint64_t index = 0;
  bool numbered = take_decimal(&c, &index);
  if (numbered && (index > 9999 || !(take(&c, "  /") || take(&c, "  ."))))
    return false;
  c.s -= numbered;
  *out = (struct cul_raw_frame){.index = numbered ? (int)index : -1};
  trim_end(&c);
  if (take_address_behind(&c, out)) {
    end = open_of_last(&c);
    if (!end || memchr(c.s, ' ', (size_t)(end - c.s)))
      return false;
    take_symbol_of(c, out);
    return true;
  }
  end = memmem(c.s, (size_t)(c.end - c.s), ": ", 2);
  if (numbered || !end || memchr(c.s, ' ', (size_t)(end - c.s)) ||
      !memmem(c.s, (size_t)(end - c.s), ".so", 3))
    return false;
  out->module = between(c.s, end);
  out->symbol = between(end + 2, c.end);
  return is_name(out->symbol);
}

bool cul_frame_parse(struct cul_bytes line, struct cul_raw_frame *out) {
  struct cursor c = {line.data, line.data + line.len};
  *out = (struct cul_raw_frame){0};
  skip_blanks(&c);
  if (c.s == c.end)
    return false;
  if ((*c.s == '#' && (parse_debuggerd(c, out) || parse_hash(c, out))) ||
      ((*c.s == '@' || *c.s == 'P') && parse_glog(c, out)) ||
      (*c.s == 'a' && parse_java(c, out)) ||
      (strchr("=ab", *c.s) && parse_valgrind(c, out)) ||
      (*c.s == 'f' && parse_c10(c, out)) ||
      ((*c.s == 'f' || *c.s == '*') && parse_lldb(c, out)) ||
      (*c.s == 'F' && parse_python(c, out)) ||
      ((*c.s == '[' || *c.s == '-') && parse_symbols(c, out)) ||
      ((*c.s == '/' || *c.s == '.') && parse_path(c, out)))
    return true;
  if (isdigit((unsigned char)*c.s) &&
      (parse_path(c, out) || parse_plain(c, out) || parse_ucx(c, out) ||
       parse_rust(c, out) || parse_windows(c, out)))
    return true;
  if ((*line.data == '\t' || *line.data == ' ') && parse_bracketed(c, out))
    return true;
  if (c.s == line.data && parse_zig(c, out))
    return true;
  *out = (struct cul_raw_frame){0};
  return c.s == line.data && parse_pytest(c, out);
}
