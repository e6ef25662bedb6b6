/* Separates the failures of several processes in one text: see
 * cul_incidents_find.
 *
 * A process that dies prints a message, then perhaps a stack.  The next failure
 * begins with a message, or with the head of a stack dump, after a stack or
 * after a shell's line about the end of a process.  Another stack alone begins
 * none, because reports of sanitizers have several. */
#include "../common/regex.h"
#include "../rules/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  RANK_OF_MESSAGE = 60, /* of rules for what a process prints when it dies */
  RANK_OF_DUMP = 48,    /* ... before its stack */
  MAX_LINE = 4096,
  MAX_INCIDENTS = 1000,
  NEAR_CHAIN = 4, /* lines between a traceback and what it is chained to */
};

enum event_kind {
  EVENT_MESSAGE,
  EVENT_DUMP,
  EVENT_STACK,
  EVENT_END,
  EVENT_TRACEBACK
};

struct event {
  size_t start, end; /* offsets of its lines */
  enum event_kind kind;
};

struct finder {
  const struct cul_rules *rules;
  struct cul_bytes text;
  pcre2_match_data *data;
  size_t *tried; /* by rule: it was tried on the text before this offset */
  struct event *events;
  size_t n;
};

static void add_event(struct finder *f, enum event_kind kind, size_t start,
                      size_t end) {
  if ((f->n & (f->n - 1)) == 0)
    f->events =
        cul_xreallocarray(f->events, f->n ? 2 * f->n : 1, sizeof *f->events);
  f->events[f->n++] = (struct event){.start = start, .end = end, .kind = kind};
}

/* The kind of event that a match of the rule shows; false: none. */
static bool event_of(const struct cul_rule *rule, enum event_kind *kind) {
  if (rule->part == CUL_PART_DIED) {
    *kind = EVENT_END;
    return true;
  }
  *kind = rule->kind == CUL_KIND_SIGNAL ? EVENT_DUMP : EVENT_MESSAGE;
  if (rule->part || rule->pass || rule->input || rule->error)
    return false;
  if (rule->kind == CUL_KIND_SIGNAL)
    return rule->rank >= RANK_OF_DUMP;
  return rule->rank >= RANK_OF_MESSAGE &&
         (rule->kind == CUL_KIND_ASSERTION || rule->kind == CUL_KIND_FATAL ||
          rule->kind == CUL_KIND_ABORT || rule->kind == CUL_KIND_DEVICE ||
          rule->kind == CUL_KIND_UNREACHABLE ||
          rule->kind == CUL_KIND_SANITIZER || rule->kind == CUL_KIND_VERIFIER ||
          rule->kind == CUL_KIND_EXCEPTION);
}

static void try_rule(void *arg, size_t word, size_t end) {
  struct finder *f = arg;
  const struct cul_rule *rule = &f->rules->rules[word];
  const char *text = f->text.data, *nl;
  enum event_kind kind;
  size_t start, stop;
  if (end <= f->tried[word] || !event_of(rule, &kind))
    return;
  nl = memrchr(text, '\n', end);
  start = nl ? (size_t)(nl - text) + 1 : 0;
  if (start == end) /* the word ends the line above */
    return;
  nl = memchr(text + end, '\n', f->text.len - end);
  stop = nl ? (size_t)(nl - text) : f->text.len;
  f->tried[word] = stop;
  for (int i = 0; i < rule->below && stop < f->text.len; i++) {
    nl = memchr(text + stop + 1, '\n', f->text.len - stop - 1);
    stop = nl ? (size_t)(nl - text) : f->text.len;
  }
  if (stop - start <= MAX_LINE &&
      pcre2_match(cul_regex_ready(cul_regex_code(rule->regex)),
                  (PCRE2_SPTR)text + start, stop - start, 0, 0, f->data,
                  f->rules->limits) > 0)
    add_event(f, kind, start, f->tried[word]);
}

/* ---- stacks and tracebacks ---- */

struct reading {
  struct finder *f;
  size_t stack;   /* index + 1 of the event of the stack being read */
  int last;       /* number of its last frame */
  size_t trace;   /* the same of a traceback */
  bool framed;    /* which has a frame */
  size_t chained; /* a traceback up to this line continues the one before */
};

static void take_frame(struct reading *r, const struct cul_raw_frame *frame,
                       size_t start, size_t end) {
  if (frame->python || frame->index < 0 ||
      !(frame->address || frame->has_module_offset))
    return;
  if (r->stack && frame->index > r->last) {
    r->f->events[r->stack - 1].end = end;
  } else if (frame->index <= 1) {
    add_event(r->f, EVENT_STACK, start, end);
    r->stack = r->f->n;
  } else {
    return;
  }
  r->last = frame->index;
}

/* Does the line of an exception end with a colon, so that it may quote the
 * traceback of another one below? */
static bool hands_on(struct cul_bytes line) {
  return line.len && line.data[line.len - 1] == ':' &&
         !isspace((unsigned char)line.data[0]) &&
         (memmem(line.data, line.len, "Error: ", 7) ||
          memmem(line.data, line.len, "Exception: ", 11));
}

static void take_line(struct reading *r, size_t number, struct cul_bytes line,
                      size_t start, size_t end) {
  static const char *const chains[] = {
      "During handling of the above exception",
      "The above exception was the direct cause"};
  struct cul_raw_frame frame;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(chains); i++)
    if (cul_bytes_start(line, chains[i]))
      r->chained = number + NEAR_CHAIN;
  if (hands_on(line))
    r->chained = number + NEAR_CHAIN;
  if (cul_bytes_start(line, "Traceback (most recent call last)")) {
    if (!(r->chained && number <= r->chained && r->f->n))
      add_event(r->f, EVENT_TRACEBACK, start, end);
    r->trace = r->f->n;
    r->framed = false;
  } else if (cul_frame_parse(line, &frame)) {
    r->framed = r->framed || frame.python;
    take_frame(r, &frame, start, end);
  } else if (r->trace && r->framed && line.len &&
             !isspace((unsigned char)line.data[0])) {
    r->f->events[r->trace - 1].end = end;
    r->trace = 0;
  }
}

static void read_lines(struct finder *f) {
  struct reading r = {.f = f, .last = -1};
  size_t number = 0;
  for (size_t at = 0; at < f->text.len; number++) {
    const char *start = f->text.data + at;
    const char *nl = memchr(start, '\n', f->text.len - at);
    size_t len = nl ? (size_t)(nl - start) : f->text.len - at;
    struct cul_bytes line = {start, len < MAX_LINE ? len : MAX_LINE};
    take_line(&r, number, line, at, at + len);
    at += len + 1;
  }
}

/* ---- incidents ---- */

static int by_start(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (int)x->kind - (int)y->kind;
}

/* The kinds of events that the current incident has had. */
struct had {
  bool message, dump, stack, end, traceback;
  size_t behind; /* offset behind its last stack, traceback or end */
};

static bool begins_next(const struct had *had, const struct event *event) {
  if (event->start < had->behind)
    return false;
  switch (event->kind) {
  case EVENT_MESSAGE:
  case EVENT_DUMP:
    return had->stack || (had->end && (had->message || had->dump));
  case EVENT_TRACEBACK:
    return had->traceback;
  case EVENT_STACK:
    return had->end && (had->message || had->stack);
  case EVENT_END:
    break;
  }
  return false;
}

static void note(struct had *had, const struct event *event) {
  had->message = had->message || event->kind == EVENT_MESSAGE;
  had->dump = had->dump || event->kind == EVENT_DUMP;
  had->stack = had->stack || event->kind == EVENT_STACK;
  had->traceback = had->traceback || event->kind == EVENT_TRACEBACK;
  if (event->kind == EVENT_END)
    had->end = had->message || had->stack || had->dump;
  if (event->kind != EVENT_MESSAGE && event->kind != EVENT_DUMP &&
      event->end > had->behind)
    had->behind = event->end;
}

static size_t cut(const struct finder *f, struct cul_bytes *out, size_t max) {
  struct had had = {0};
  size_t n = 0, start = 0;
  for (size_t i = 0; i < f->n && n + 1 < max; i++) {
    if (begins_next(&had, &f->events[i])) {
      size_t at = had.behind;
      out[n++] = (struct cul_bytes){f->text.data + start, at - start};
      start = at;
      had = (struct had){0};
    }
    note(&had, &f->events[i]);
  }
  out[n++] = (struct cul_bytes){f->text.data + start, f->text.len - start};
  return n;
}

size_t cul_incidents_find(const struct cul_rules *rules, struct cul_bytes text,
                          struct cul_bytes **out) {
  struct finder f = {.rules = rules, .text = text};
  size_t n;
  f.data = pcre2_match_data_create(10, NULL);
  if (!f.data)
    cul_no_memory(0);
  f.tried = cul_xcalloc(rules->n_rules, sizeof *f.tried);
  cul_literals_scan(rules->literals, text, try_rule, &f);
  read_lines(&f);
  if (f.n)
    qsort(f.events, f.n, sizeof *f.events, by_start);
  *out = cul_xcalloc(f.n + 1 < MAX_INCIDENTS ? f.n + 1 : MAX_INCIDENTS,
                     sizeof **out);
  n = cut(&f, *out, f.n + 1 < MAX_INCIDENTS ? f.n + 1 : MAX_INCIDENTS);
  pcre2_match_data_free(f.data);
  free(f.tried);
  free(f.events);
  return n;
}
