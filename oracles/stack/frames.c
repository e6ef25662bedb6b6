/* The stack in a log: frames with roles, folded recursion, and the anchors that
 * make the addresses of two runs comparable. */
#include "../rules/rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_RAW = 512,        /* frames read from one stack */
  ENDLESS = 200,        /* this many frames may be an endless recursion */
  MAX_CYCLE = 16,       /* functions in an endless recursion */
  FOLD = 3,             /* functions in a cycle that is folded in any stack */
  MAX_WITHIN = 1 << 20, /* "NAME + N" with a larger N is in another function */
  MAX_LINE = 1 << 14,
  MAX_HANDLERS = 3, /* frames of LLVM's signal handler */
  MAX_SKIPPED = 4,  /* a stack that counts down may lack frames between two */
};

struct stack {
  struct cul_raw_frame *raw; /* its contents are borrowed from the text */
  struct cul_frame *frames;
  size_t n;
  bool down; /* its numbers count down: the innermost frame is the last */
};

/* Set the base name without a version after a dash: mlir-opt-19 -> mlir-opt. */
static void set_module(struct cul_frame *frame, struct cul_bytes path) {
  const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
  const char *back = path.len ? memrchr(path.data, '\\', path.len) : NULL;
  const char *name = back > slash ? back + 1 : slash ? slash + 1 : path.data;
  size_t len = path.len - (size_t)(name - path.data), end = len;
  while (end > 0 &&
         (isdigit((unsigned char)name[end - 1]) || name[end - 1] == '.'))
    end--;
  if (end > 1 && end < len && name[end - 1] == '-')
    len = end - 1;
  if (len >= sizeof frame->module)
    len = sizeof frame->module - 1;
  if (len)
    memcpy(frame->module, name, len);
  frame->module[len] = '\0';
}

static void set_symbol(struct cul_bytes symbol, struct cul_frame *frame) {
  struct cul_buf plain = {0};
  size_t len = symbol.len;
  if (len > 2 && !memcmp(symbol.data + len - 2, "()", 2))
    len -= 2; /* Windows writes them behind mangled names, too */
  if (symbol.data[0] == '_' && cul_demangle(symbol.data, len, &plain))
    symbol = cul_buf_bytes(&plain);
  cul_symbol_clean(symbol.data, symbol.len, frame->name, sizeof frame->name);
  cul_buf_release(&plain);
}

/* "f+0x31", "f+0x31/0x90": the name alone. */
static struct cul_bytes without_offset(struct cul_bytes name) {
  const char *plus = name.len ? memrchr(name.data, '+', name.len) : NULL;
  const char *c = plus ? plus + 1 : NULL, *end = name.data + name.len;
  size_t digits = 0;
  if (!plus || plus == name.data || end - c < 3 || memcmp(c, "0x", 2) != 0)
    return name;
  for (c += 2; c < end; c++) {
    if (end - c > 3 && !memcmp(c, "/0x", 3))
      c += 2;
    else if (isxdigit((unsigned char)*c))
      digits++;
    else
      return name;
  }
  return digits ? (struct cul_bytes){name.data, (size_t)(plus - name.data)}
                : name;
}

static void set_name(const struct cul_rules *rules, struct cul_frame *frame,
                     const struct cul_raw_frame *raw) {
  size_t len = raw->symbol.len;
  if (raw->python || raw->plain) {
    len = len < sizeof frame->name ? len : sizeof frame->name - 1;
    memcpy(frame->name, raw->symbol.data, len);
    frame->name[len] = '\0';
    return;
  }
  if (len && !(raw->has_within && raw->within > MAX_WITHIN))
    set_symbol(without_offset(raw->symbol), frame);
  if (cul_list_has(&rules->lists[CUL_LIST_NOISE], frame->name, false))
    frame->name[0] = '\0';
  if (!frame->name[0] && raw->source) /* as unreliable as the name */
    frame->module[0] = '\0';
}

static void make_frame(const struct cul_rules *rules,
                       const struct cul_raw_frame *raw,
                       struct cul_frame *frame) {
  *frame = (struct cul_frame){0};
  set_module(frame, raw->module);
  set_name(rules, frame, raw);
  frame->relative = raw->has_module_offset;
  frame->offset = raw->has_module_offset ? raw->module_offset : raw->address;
}

/* Does this frame begin a new stack? */
static bool begins_anew(const struct stack *stack,
                        const struct cul_raw_frame *raw) {
  const struct cul_raw_frame *last;
  if (!stack->n || raw->index < 0)
    return false;
  last = &stack->raw[stack->n - 1];
  return last->index >= 0 && raw->index <= last->index &&
         !(raw->index == last->index && raw->address == last->address);
}

static void read_python(const struct cul_rules *rules, struct cul_bytes text,
                        struct stack *stack) {
  stack->n = cul_python_frames(text, stack->raw, MAX_RAW);
  for (size_t i = 0; i < stack->n; i++)
    make_frame(rules, &stack->raw[i], &stack->frames[i]);
}

/* Is it a numbered line, "#2812 NEW cov: 31", rather than a frame?  A whole
 * stack does not begin like this. */
static bool is_numbered_line(const struct cul_raw_frame *raw) {
  return raw->index > 1 && !raw->address && !raw->has_module_offset &&
         !raw->source;
}

/* The '(' of the arguments that end the line; 0 = there are none. */
static size_t arguments_at(struct cul_bytes line) {
  int depth = 0;
  for (size_t i = line.len; i-- > 0;) {
    depth += (line.data[i] == ')') - (line.data[i] == '(');
    if (depth == 0)
      return i;
  }
  return 0;
}

/* Parse a frame of Go, which has two lines: "x.f(0x12)" and
 * "<tab>/src/f.go:12 +0x1d".  The line that names the creator of a goroutine is
 * no frame. */
static bool parse_go(struct cul_bytes above, struct cul_bytes line,
                     struct cul_raw_frame *out) {
  const char *colon = memmem(line.data, line.len, ".go:", 4);
  size_t end;
  while (above.len && isspace((unsigned char)above.data[above.len - 1]))
    above.len--;
  end = arguments_at(above);
  while (line.len > 1 && isspace((unsigned char)line.data[1])) {
    line.data++;
    line.len--;
  }
  if (!colon || end == 0 || above.data[above.len - 1] != ')' ||
      memchr(above.data, ' ', end) || *above.data == '\t')
    return false;
  *out = (struct cul_raw_frame){.index = -1, .plain = true, .source = true};
  out->symbol = (struct cul_bytes){above.data, end};
  out->module =
      (struct cul_bytes){line.data + 1, (size_t)(colon + 2 - line.data)};
  return true;
}

/* Parse a frame of GCC, which has two lines: "0xADDR f(int)" and
 * "<tab>/src/f.c:12" or "???:0". */
static bool parse_gcc(struct cul_bytes above, struct cul_bytes line,
                      struct cul_raw_frame *out) {
  const char *blank = above.len ? memchr(above.data, ' ', above.len) : NULL;
  const char *colon = line.len ? memrchr(line.data, ':', line.len) : NULL;
  if (!blank || !colon || !cul_bytes_start(above, "0x") || line.len < 3 ||
      colon + 1 == line.data + line.len || !isdigit((unsigned char)colon[1]) ||
      blank + 1 == above.data + above.len || blank[1] == '(')
    return false;
  for (const char *c = above.data + 2; c < blank; c++)
    if (!isxdigit((unsigned char)*c))
      return false;
  *out = (struct cul_raw_frame){.index = -1,
                                .address = strtoull(above.data, NULL, 16)};
  out->symbol = (struct cul_bytes){
      blank + 1, above.len - (size_t)(blank + 1 - above.data)};
  return true;
}

/* The path and what precedes it in "NAME at PATH:12 [inlined]" and
 * "NAME at PATH (unknown line)"; false: the line has another form. */
static bool split_julia(struct cul_bytes line, struct cul_bytes *name,
                        struct cul_bytes *path) {
  static const char inlined[] = " [inlined]", unknown[] = " (unknown line)";
  const char *at = line.len ? memmem(line.data, line.len, " at ", 4) : NULL;
  const char *from = at ? at + 4 : NULL, *end = line.data + line.len, *colon;
  if (!at || at == line.data)
    return false;
  if ((size_t)(end - from) >= sizeof inlined &&
      !memcmp(end - (sizeof inlined - 1), inlined, sizeof inlined - 1))
    end -= sizeof inlined - 1;
  colon = memrchr(from, ':', (size_t)(end - from));
  if ((size_t)(end - from) >= sizeof unknown &&
      !memcmp(end - (sizeof unknown - 1), unknown, sizeof unknown - 1))
    colon = end - (sizeof unknown - 1);
  else if (!colon || colon + 1 == end || !isdigit((unsigned char)colon[1]))
    return false;
  *name = (struct cul_bytes){line.data, (size_t)(at - line.data)};
  *path = (struct cul_bytes){from, (size_t)(colon - from)};
  return path->len > 0;
}

/* Parse a frame of Julia's signal handler.  Its form is that of many sentences,
 * so it is a frame only below the handler's heading and other frames;
 * *inside: such a line has been seen last. */
static bool parse_julia(struct cul_bytes line, bool *inside,
                        struct cul_raw_frame *out) {
  struct cul_bytes name, path;
  if (cul_bytes_start(line, "in expression starting at ")) {
    *inside = true;
    return false;
  }
  if (!*inside || cul_bytes_start(line, "unknown function (ip: "))
    return false;
  *inside = split_julia(line, &name, &path);
  if (*inside)
    *out = (struct cul_raw_frame){
        .index = -1, .symbol = name, .module = path, .placed = true};
  return *inside;
}

static bool parse(struct cul_bytes above, struct cul_bytes line,
                  struct cul_raw_frame *out) {
  return cul_frame_parse(line, out) ||
         (line.len && isspace((unsigned char)line.data[0]) &&
          (parse_gcc(above, line, out) || parse_go(above, line, out)));
}

/* Does the line end a stack of Go or Java that has frames?  "Caused by" of Java
 * instead restarts it: the stack of the cause replaces that of the exception.
 */
static bool ends(struct stack *stack, struct cul_bytes line) {
  if (!stack->n || !stack->raw[stack->n - 1].plain)
    return false;
  if (cul_bytes_start(line, "Caused by: "))
    stack->n = 0;
  return !line.len;
}

static enum cul_frame_role role_of(const struct cul_rules *rules,
                                   const struct cul_frame *frame) {
  const struct cul_list *lists = rules->lists;
  if (!frame->name[0] && !frame->module[0])
    return CUL_FRAME_TRAP; /* an invalid address */
  if (frame->module[0] &&
      cul_list_has(&lists[CUL_LIST_TRAP], frame->module, true))
    return CUL_FRAME_TRAP;
  if (!frame->name[0])
    return CUL_FRAME_RELEVANT;
  if (cul_list_has(&lists[CUL_LIST_TRAP], frame->name, false))
    return CUL_FRAME_TRAP;
  if (cul_list_has(&lists[CUL_LIST_STOP], frame->name, false))
    return CUL_FRAME_OUTER;
  if (cul_list_has(&lists[CUL_LIST_HELPER], frame->name, false))
    return CUL_FRAME_HELPER;
  return CUL_FRAME_RELEVANT;
}

/* Does the stack continue although its numbers restart?  adjacent: yes, if all
 * its frames are TRAP so far, as when a symbolizer resolves a part again.  Else
 * yes, if its frames have neither name nor module. */
static bool goes_on(const struct cul_rules *rules, const struct stack *stack,
                    bool adjacent) {
  const struct cul_frame *at = stack->frames, *end = at + stack->n;
  for (; at < end; at++)
    if (adjacent ? role_of(rules, at) != CUL_FRAME_TRAP
                 : at->name[0] || at->module[0])
      return false;
  return true;
}

/* Is raw, without an address, the frame that b calls in a stack whose numbers
 * count down, as TVM's do? */
static bool counts_down(const struct cul_raw_frame *b,
                        const struct cul_raw_frame *raw) {
  return raw->index >= 0 && raw->index < b->index &&
         b->index - raw->index <= MAX_SKIPPED && !raw->address && !b->address &&
         !raw->has_module_offset && !raw->source;
}

static void add_frame(const struct cul_rules *rules,
                      const struct cul_raw_frame *raw, struct stack *stack) {
  make_frame(rules, raw, &stack->frames[stack->n]);
  stack->raw[stack->n++] = *raw;
}

/* Are all frames names alone, as the calls of the program that an analyser
 * interprets, while the next stack has addresses? */
static bool only_interprets(const struct stack *stack,
                            const struct cul_raw_frame *next) {
  for (size_t i = 0; i < stack->n; i++) {
    const struct cul_raw_frame *raw = &stack->raw[i];
    if (raw->index < 0 || raw->address || raw->has_module_offset ||
        raw->source || raw->module.len)
      return false;
  }
  return next->index == 0 && next->address;
}

/* Store a frame of the first stack; false: it begins another one.  first: a
 * numbered line that is a frame only if the next one has a lower number. */
static bool take_frame(const struct cul_rules *rules,
                       const struct cul_raw_frame *raw, bool adjacent,
                       struct cul_raw_frame *first, struct stack *stack) {
  if (!stack->n && is_numbered_line(raw)) {
    stack->down = counts_down(first, raw);
    if (stack->down)
      add_frame(rules, first, stack);
    *first = *raw;
    if (!stack->down)
      return true;
  } else if (!stack->n && counts_down(first, raw)) {
    stack->down = true;
    add_frame(rules, first, stack);
  } else if (stack->n == 1 && counts_down(&stack->raw[0], raw)) {
    stack->down = true;
  } else if (stack->down) {
    if (!counts_down(&stack->raw[stack->n - 1], raw))
      return raw->index < 0;
  } else if (begins_anew(stack, raw) && only_interprets(stack, raw)) {
    stack->n = 0;
  } else if (begins_anew(stack, raw) && !goes_on(rules, stack, adjacent)) {
    return false;
  }
  if (stack->n < MAX_RAW)
    add_frame(rules, raw, stack);
  return true;
}

static void turn(struct stack *stack) {
  for (size_t i = 0, k = stack->n; i + 1 < k; i++) {
    struct cul_raw_frame raw = stack->raw[i];
    struct cul_frame frame = stack->frames[i];
    k--;
    stack->raw[i] = stack->raw[k];
    stack->frames[i] = stack->frames[k];
    stack->raw[k] = raw;
    stack->frames[k] = frame;
  }
}

/* Drop the program counter, which is printed before the frames of the handler,
 * if the stack contains it; else it is the innermost frame. */
static void drop_counter(struct stack *stack) {
  for (size_t i = 1; i < stack->n && stack->raw[0].counter; i++) {
    if (stack->raw[i].address != stack->raw[0].address)
      continue;
    stack->n--;
    memmove(&stack->raw[0], &stack->raw[1], stack->n * sizeof stack->raw[0]);
    memmove(&stack->frames[0], &stack->frames[1],
            stack->n * sizeof stack->frames[0]);
  }
}

/* Does the text end within the name of this frame?  Only blanks follow it then,
 * and none of the parts that follow a whole name: arguments, the object, the
 * place in the sources, an offset. */
static bool is_cut(const struct cul_raw_frame *raw, struct cul_bytes text,
                   size_t at) {
  struct cul_bytes name = raw->symbol;
  bool numbered = raw->index >= 0 && raw->address;
  for (; at < text.len; at++)
    if (!isspace((unsigned char)text.data[at]))
      return false;
  return numbered && name.len && !raw->source && !raw->has_module_offset &&
         !raw->has_within && !memchr(name.data, '(', name.len) &&
         !memchr(name.data, ' ', name.len);
}

/* Read the first stack of text. */
static void read_stack(const struct cul_rules *rules, struct cul_bytes text,
                       struct stack *stack) {
  struct cul_bytes above = {NULL, 0};
  struct cul_raw_frame first = {.index = -1};
  bool adjacent = false, julia = false;
  size_t at = 0;
  while (at < text.len && stack->n < MAX_RAW) {
    const char *start = text.data + at;
    const char *nl = memchr(start, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - start) : text.len - at;
    struct cul_bytes line = {start, len < MAX_LINE ? len : MAX_LINE};
    struct cul_raw_frame raw;
    bool found = parse_julia(line, &julia, &raw) ||
                 (parse(above, line, &raw) && !raw.python);
    at += len + 1;
    if (found && is_cut(&raw, text, at)) {
      raw.symbol.len = 0;
      found = raw.module.len > 0;
    }
    above = line;
    if (ends(stack, line) ||
        (found && !take_frame(rules, &raw, adjacent, &first, stack)))
      break;
    adjacent = found && stack->n;
  }
  if (stack->down || (stack->n && stack->raw[0].last_first))
    turn(stack);
  drop_counter(stack);
}

/* The role of a Python function, which the lists have as "py:NAME". */
static enum cul_frame_role role_in_python(const struct cul_rules *rules,
                                          const struct cul_frame *frame) {
  char name[sizeof frame->name + 4];
  snprintf(name, sizeof name, "py:%s", frame->name);
  if (cul_list_has(&rules->lists[CUL_LIST_TRAP], name, false))
    return CUL_FRAME_TRAP;
  if (cul_list_has(&rules->lists[CUL_LIST_HELPER], name, false))
    return CUL_FRAME_HELPER;
  return cul_list_has(&rules->lists[CUL_LIST_STOP], name, false)
             ? CUL_FRAME_OUTER
             : CUL_FRAME_RELEVANT;
}

/* Is it a function of the library of C++ or Zig?  Sanitizers name inlined
 * functions without their class, so the directory of the source decides. */
static bool is_of_library(const struct cul_raw_frame *raw) {
  static const char *const folders[] = {"/include/c++/", "/c++/v1/",
                                        "/libc++/",      "/libcxx/include/",
                                        "\\MSVC\\",      "/lib/std/"};
  for (size_t i = 0; raw->source && i < CUL_ARRAY_SIZE(folders); i++)
    if (memmem(raw->module.data, raw->module.len, folders[i],
               strlen(folders[i])))
      return true;
  return false;
}

/* Is it a function of the C library, by the directory of its source?  No object
 * is printed then. */
static bool is_of_libc(const struct cul_raw_frame *raw) {
  static const char *const folders[] = {"/glibc-2.", "/eglibc-2.",
                                        "/src/lib/libc/"};
  for (size_t i = 0; raw->source && i < CUL_ARRAY_SIZE(folders); i++)
    if (memmem(raw->module.data, raw->module.len, folders[i],
               strlen(folders[i])))
      return true;
  return false;
}

/* Is it a function of a header that is inlined into the next frame and printed
 * without its class?  It may be any code's helper. */
static bool is_inlined_helper(const struct stack *stack, size_t i) {
  const struct cul_raw_frame *raw = &stack->raw[i];
  size_t len = raw->module.len;
  return raw->source && i + 1 < stack->n && raw->address &&
         raw->address == raw[1].address && len > 2 &&
         !memcmp(raw->module.data + len - 2, ".h", 2) &&
         !strstr(stack->frames[i].name, "::");
}

/* Is it a sanitizer's replacement of a library function?  Unlike its caller, it
 * has no place in the sources; it is in the program itself. */
static bool is_interceptor(const struct stack *stack, size_t i) {
  const struct cul_raw_frame *raw = stack->raw;
  struct cul_bytes module = raw[0].module, name = raw[0].symbol;
  return i == 0 && stack->n > 1 && raw[0].index == 0 && !raw[0].placed &&
         raw[0].has_module_offset && raw[1].placed && name.len &&
         !memchr(name.data, ':', name.len) &&
         !memchr(name.data, '(', name.len) && module.len &&
         !memmem(module.data, module.len, ".so", 3) &&
         !memmem(module.data, module.len, ".dylib", 6) &&
         !memmem(module.data, module.len, ".dll", 4);
}

static enum cul_frame_role role_at(const struct cul_rules *rules,
                                   const struct stack *stack, size_t i) {
  enum cul_frame_role role = role_of(rules, &stack->frames[i]);
  if (stack->raw[i].python)
    return role_in_python(rules, &stack->frames[i]);
  if (role != CUL_FRAME_RELEVANT)
    return role;
  return is_of_libc(&stack->raw[i])      ? CUL_FRAME_TRAP
         : is_interceptor(stack, i)      ? CUL_FRAME_TRAP
         : is_of_library(&stack->raw[i]) ? CUL_FRAME_HELPER
         : is_inlined_helper(stack, i)   ? CUL_FRAME_HELPER
                                         : role;
}

/* Mark functions that are inlined into a TRAP frame as TRAP, too. */
static void mark_inlined(struct stack *stack) {
  for (size_t i = stack->n; i-- > 1;)
    if (stack->frames[i].role == CUL_FRAME_TRAP && stack->raw[i].address &&
        stack->raw[i].address == stack->raw[i - 1].address)
      stack->frames[i - 1].role = CUL_FRAME_TRAP;
}

/* Mark unnamed functions between two TRAP frames as TRAP, too: they belong to
 * the same code. */
static void mark_enclosed(struct stack *stack) {
  bool below = false;
  for (size_t i = stack->n; i-- > 1;) {
    struct cul_frame *frame = &stack->frames[i];
    if (frame->name[0])
      below = frame->role == CUL_FRAME_TRAP;
    else if (below && stack->frames[i - 1].role == CUL_FRAME_TRAP)
      frame->role = CUL_FRAME_TRAP;
  }
}

/* Is it LLVM's signal handler?  It is a static function, and thus unnamed; it
 * follows RunSignalHandlers and is in the same module. */
static bool is_handler(const struct stack *stack, size_t i) {
  const struct cul_frame *frame = &stack->frames[i];
  return i > 0 && !frame->name[0] &&
         !strcmp(stack->frames[i - 1].name, "llvm::sys::RunSignalHandlers") &&
         !strcmp(stack->frames[i - 1].module, frame->module);
}

/* Mark all frames from the first driver outside a relevant frame on as outer;
 * start: the first frame to look at. False: no frame is relevant. */
static bool cut_drivers(struct cul_frame *frames, size_t n, size_t start) {
  bool found = false, outside = false;
  for (size_t i = start; i < n; i++) {
    found = found || frames[i].role == CUL_FRAME_RELEVANT;
    outside = outside || (frames[i].role == CUL_FRAME_OUTER && found);
    if (outside)
      frames[i].role = CUL_FRAME_OUTER;
  }
  return found;
}

/* The index after the outermost sentinel; 0: none. */
static size_t behind_sentinel(const struct cul_rules *rules,
                              const struct stack *stack) {
  size_t behind = 0;
  for (size_t i = 0; i < stack->n; i++)
    if (stack->frames[i].name[0] &&
        cul_list_has(&rules->lists[CUL_LIST_SENTINEL], stack->frames[i].name,
                     false))
      behind = i + 1;
  return behind;
}

/* The index after the unnamed handlers of a tool without exported symbols
 * (PrintStackTrace, RunSignalHandlers, SignalHandler) and the C library's
 * trampoline; 0: the stack does not begin with them. */
static size_t behind_handlers(const struct cul_rules *rules,
                              const struct stack *stack) {
  if (!stack->n || stack->raw[0].index != 0)
    return 0;
  for (size_t i = 0; i < stack->n && i <= MAX_HANDLERS; i++) {
    const struct cul_frame *frame = &stack->frames[i];
    if (frame->name[0])
      return 0;
    if (cul_list_has(&rules->lists[CUL_LIST_TRAP], frame->module, true))
      return i + 1;
  }
  return 0;
}

/* The index of abort(), or of Go's panic; 0: there is none.  All functions that
 * it called are TRAP, including handlers of any name. */
static size_t behind_abort(const struct stack *stack) {
  enum { DEEPEST = 24 };
  size_t n = stack->n < DEEPEST ? stack->n : DEEPEST;
  for (size_t i = n; i-- > 0;)
    if (!strcmp(stack->frames[i].name, "abort") ||
        (stack->raw[i].plain && !strcmp(stack->frames[i].name, "panic")))
      return i;
  return 0;
}

/* The index after the outermost line with which a debugger separates the frames
 * of a signal handler from those below; 0: there is none. */
static size_t behind_signal(const struct stack *stack) {
  static const char line[] = "<signal handler called>";
  for (size_t i = stack->n; i-- > 0;)
    if (stack->raw[i].symbol.len == sizeof line - 1 &&
        !memcmp(stack->raw[i].symbol.data, line, sizeof line - 1))
      return i + 1;
  return 0;
}

/* Does the log begin within the stack?  The drivers in the rest of it called
 * the failing code. */
static bool lacks_innermost(const struct stack *stack) {
  return stack->n && !stack->down && stack->raw[0].index > 0;
}

/* Is it the name of a program's own handler: "signal_handler",
 * "ns::SigHandler"? */
static bool is_handler_name(const char *name) {
  static const char *const ends[] = {"signalhandler", "sighandler",
                                     "crashhandler", "faulthandler"};
  char plain[64];
  size_t n = cul_symbol_plain(name, plain, sizeof plain);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++)
    if (n >= strlen(ends[i]) && !strcmp(plain + n - strlen(ends[i]), ends[i]))
      return true;
  return false;
}

/* The index after the program's own handler, and thus after all functions that
 * it called; 0: there is none. */
static size_t behind_own_handler(const struct stack *stack) {
  enum { DEEPEST = 8 };
  for (size_t i = 0; i + 1 < stack->n && i < DEEPEST; i++)
    if (is_handler_name(stack->frames[i].name))
      return i + 1;
  return 0;
}

/* Has a native stack only one frame, without a number, as from a compiler that
 * cannot walk its own stack? */
static bool is_bare(const struct stack *stack) {
  const struct cul_raw_frame *raw = stack->raw;
  return stack->n == 1 && raw->index < 0 && !raw->python && !raw->plain;
}

/* Mark the named drivers inside the first relevant frame as relevant if that
 * frame has no name: the process died in a driver, and an object without
 * symbols only called it. */
static void keep_inner_drivers(struct cul_frame *frames, size_t n) {
  size_t first = 0;
  while (first < n && frames[first].role != CUL_FRAME_RELEVANT)
    first++;
  if (first == n || frames[first].name[0])
    return;
  for (size_t i = 0; i < first; i++)
    if (frames[i].role == CUL_FRAME_OUTER && frames[i].name[0])
      frames[i].role = CUL_FRAME_RELEVANT;
}

static void assign_roles(const struct cul_rules *rules, struct stack *stack) {
  struct cul_frame *frames = stack->frames;
  size_t behind = behind_sentinel(rules, stack);
  size_t signal = behind_signal(stack);
  size_t own = behind_own_handler(stack);
  size_t handlers = signal ? signal : behind_handlers(rules, stack);
  size_t aborted = behind_abort(stack);
  for (size_t i = 0; i < stack->n; i++)
    frames[i].role = i < handlers || i < own || is_handler(stack, i) ||
                             (i < aborted && frames[i].name[0])
                         ? CUL_FRAME_TRAP
                         : role_at(rules, stack, i);
  mark_inlined(stack);
  mark_enclosed(stack);
  if (behind && cut_drivers(frames, stack->n, behind)) {
    for (size_t i = 0; i < behind; i++)
      if (frames[i].role != CUL_FRAME_TRAP)
        frames[i].role = CUL_FRAME_ASKED;
    return;
  }
  if (cut_drivers(frames, stack->n, 0)) {
    if (!lacks_innermost(stack))
      keep_inner_drivers(frames, stack->n);
    return;
  }
  if (lacks_innermost(stack) || is_bare(stack))
    return;
  for (size_t i = 0; i < stack->n; i++) /* it died in a driver itself */
    if (frames[i].role == CUL_FRAME_OUTER)
      frames[i].role = CUL_FRAME_RELEVANT;
}

/* Is it the same function, at any call site? */
static bool same_function(const struct cul_frame *a,
                          const struct cul_frame *b) {
  if (strcmp(a->name, b->name) != 0 || strcmp(a->module, b->module) != 0)
    return false;
  return a->name[0] || a->offset == b->offset;
}

static bool same_run(const struct cul_frame *a, const struct cul_frame *b,
                     size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!same_function(&a[i], &b[i]))
      return false;
  return true;
}

/* Fold repeated cycles of up to FOLD functions: the depth of a recursion does
 * not identify a failure. */
static void fold(struct cul_frame *frames, size_t *n) {
  size_t kept = 0;
  for (size_t i = 0; i < *n; i++) {
    frames[kept++] = frames[i];
    for (size_t p = 1; p <= FOLD && 2 * p <= kept; p++)
      if (same_run(&frames[kept - 2 * p], &frames[kept - p], p)) {
        kept -= p;
        break;
      }
  }
  *n = kept;
}

static int compare_frames(const struct cul_frame *a,
                          const struct cul_frame *b) {
  int order = strcmp(a->name, b->name);
  uint64_t x = a->offset & 0xfff, y = b->offset & 0xfff;
  return order ? order : (x > y) - (x < y);
}

/* Reduce an overflowed stack to its cycle, starting at the smallest name, since
 * the frame that met the end of the stack is chance. False: the outermost
 * frames are not a cycle. */
static bool keep_cycle(struct cul_frame *frames, size_t *n) {
  size_t period = 0, first;
  struct cul_frame cycle[MAX_CYCLE];
  if (*n < ENDLESS)
    return false;
  for (size_t p = 1; p <= MAX_CYCLE && !period; p++)
    if (same_run(&frames[*n - p], &frames[*n - 2 * p], p) &&
        same_run(&frames[*n - p], &frames[*n - 3 * p], p))
      period = p;
  if (!period)
    return false;
  memcpy(cycle, &frames[*n - period], period * sizeof *cycle);
  first = 0;
  for (size_t i = 1; i < period; i++)
    if (compare_frames(&cycle[i], &cycle[first]) < 0)
      first = i;
  for (size_t i = 0; i < period; i++) {
    frames[i] = cycle[(first + i) % period];
    frames[i].role = CUL_FRAME_RELEVANT;
  }
  *n = period;
  return true;
}

static void add_anchor(struct cul_signature *sig, const char *module,
                       const struct cul_raw_frame *raw) {
  struct cul_anchor anchor = {.address = raw->address - raw->within};
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_field(h, module);
  cul_hasher_add(h, raw->symbol.data, raw->symbol.len);
  anchor.id = cul_hasher_finish(h).w[0];
  anchor.module = cul_digest_of(module, strlen(module)).w[0];
  for (size_t i = 0; i < sig->n_anchors; i++)
    if (sig->anchors[i].id == anchor.id)
      return;
  if (sig->n_anchors < CUL_SIG_MAX_ANCHORS)
    sig->anchors[sig->n_anchors++] = anchor;
}

/* Add anchors, the outermost frames first, because the stacks of two inputs
 * agree there. */
static void add_anchors(const struct stack *stack, struct cul_signature *sig) {
  for (size_t i = stack->n; i-- > 0;) {
    const struct cul_raw_frame *raw = &stack->raw[i];
    if (raw->has_within && raw->symbol.len && raw->within <= MAX_WITHIN &&
        !stack->frames[i].relative)
      add_anchor(sig, stack->frames[i].module, raw);
  }
}

/* Store the innermost frames in sig; frames of the crash handling are left out
 * first. */
static void store(const struct stack *stack, size_t n,
                  struct cul_signature *sig) {
  size_t spare = n > CUL_SIG_MAX_FRAMES ? n - CUL_SIG_MAX_FRAMES : 0;
  sig->n_frames = 0;
  for (size_t i = 0; i < n && sig->n_frames < CUL_SIG_MAX_FRAMES; i++) {
    if (spare > 0 && stack->frames[i].role == CUL_FRAME_TRAP) {
      spare--;
      continue;
    }
    sig->frames[sig->n_frames++] = stack->frames[i];
  }
}

/* Set the place where a Python exception was raised. */
static void set_place(const struct stack *stack, struct cul_signature *sig) {
  if (!stack->n || !stack->raw[0].line || sig->line)
    return;
  snprintf(sig->file, sizeof sig->file, "%s", stack->frames[0].module);
  sig->line = (uint32_t)stack->raw[0].line;
}

bool cul_frames_read(const struct cul_rules *rules, struct cul_bytes text,
                     bool python, struct cul_signature *sig) {
  struct stack stack = {0};
  bool endless;
  size_t n;
  stack.raw = cul_xmalloc(MAX_RAW * sizeof *stack.raw);
  stack.frames = cul_xmalloc(MAX_RAW * sizeof *stack.frames);
  if (python) {
    read_python(rules, text, &stack);
    set_place(&stack, sig);
  } else {
    read_stack(rules, text, &stack);
  }
  assign_roles(rules, &stack);
  add_anchors(&stack, sig);
  n = stack.n;
  endless = keep_cycle(stack.frames, &n);
  if (!endless)
    fold(stack.frames, &n);
  store(&stack, n, sig);
  free(stack.raw);
  free(stack.frames);
  return endless && !python;
}

size_t cul_frames_relevant(const struct cul_signature *sig, bool named,
                           const struct cul_frame **out, size_t n_max) {
  size_t n = 0;
  for (size_t i = 0; i < sig->n_frames && n < n_max; i++)
    if (sig->frames[i].role == CUL_FRAME_RELEVANT &&
        (!named || sig->frames[i].name[0]))
      out[n++] = &sig->frames[i];
  return n;
}
