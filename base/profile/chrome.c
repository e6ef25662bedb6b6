/* Reads traces in Chrome's Trace Event Format, as Proton (data="trace"),
 * PyTorch, JAX and XLA write them: complete events (X), and pairs of begin and
 * end (B, E).  The path of an event consists of its lane (the names of process
 * and thread, if the trace has them) and either the "call_stack" among its
 * arguments or the events of the lane that enclose it.  Its value is its own
 * time, without that of the events inside it.  Events are parsed one by one, so
 * that memory is bounded by their number. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

struct event {
  double from, length; /* us */
  uint32_t lane, name; /* name: a child of the root of `names` */
  uint32_t stack;      /* a path in `names`; 0: the enclosing events */
};

/* A thread of a process.  Its node in `threads` is a grandchild of the root. */
struct lane {
  char *process, *thread; /* their names, heap; or NULL */
  /* indices of events that began and have not ended; their length is < 0 */
  size_t *open, n_open, cap_open;
};

struct chrome {
  struct cul_profile *out;
  struct cul_profile names, threads;
  struct lane *lanes; /* index: node of `threads` */
  struct event *events;
  size_t n_lanes, cap_lanes, n, cap;
};

static bool chrome_sniff(struct cul_bytes head) {
  return (cul_profile_begins(head, '{') &&
          cul_profile_has(head, "\"traceEvents\"")) ||
         (cul_profile_begins(head, '[') && cul_profile_has(head, "\"ph\""));
}

static struct cul_bytes bytes_of(const json_t *text) {
  return (struct cul_bytes){json_string_value(text), json_string_length(text)};
}

/* ---- lanes ---- */

static uint32_t id_of(struct chrome *c, uint32_t parent, const json_t *id) {
  char text[32] = "";
  if (json_is_string(id))
    return cul_profile_child(&c->threads, parent, bytes_of(id));
  if (json_is_number(id))
    snprintf(text, sizeof text, "%.0f", json_number_value(id));
  return cul_profile_child(&c->threads, parent,
                           (struct cul_bytes){text, strlen(text)});
}

static struct lane *lane_at(struct chrome *c, uint32_t node) {
  while (c->n_lanes <= node)
    CUL_XADD(c->lanes, c->n_lanes, c->cap_lanes) = (struct lane){0};
  return &c->lanes[node];
}

static uint32_t lane_of(struct chrome *c, const json_t *event) {
  uint32_t process = id_of(c, 0, json_object_get(event, "pid"));
  uint32_t thread = id_of(c, process, json_object_get(event, "tid"));
  lane_at(c, thread);
  return thread;
}

/* Remove a trailing "-" that does not follow a letter or digit: it is a
 * sign. */
static void cut_sign(struct cul_buf *out) {
  if (out->len && out->data[out->len - 1] == '-' &&
      (out->len == 1 || !isalnum((unsigned char)out->data[out->len - 2])))
    out->data[--out->len] = '\0';
}

/* Replace numbers of processes and threads, which differ from run to run, by
 * "#": the number of the lane itself, and all numbers of four digits or more.
 * Heap. */
static char *steady(struct cul_bytes name, const char *own) {
  struct cul_buf out = {0};
  for (size_t i = 0; i < name.len; i++) {
    size_t n = 0;
    while (i + n < name.len && isdigit((unsigned char)name.data[i + n]))
      n++;
    if (n >= 4 ||
        (n && n == strlen(own) && memcmp(name.data + i, own, n) == 0)) {
      cut_sign(&out); /* XLA writes hashes: "tf_XLAEigen/-763099126271230824" */
      cul_buf_addc(&out, '#');
    } else {
      cul_buf_add(&out, name.data + i, n ? n : 1);
    }
    i += n ? n - 1 : 0;
  }
  return cul_buf_take(&out);
}

static void name_lane(struct chrome *c, const json_t *event) {
  const json_t *name = json_object_get(json_object_get(event, "args"), "name");
  const char *what = json_string_value(json_object_get(event, "name"));
  uint32_t process = id_of(c, 0, json_object_get(event, "pid")), node = process;
  char **to;
  if (!what || !json_is_string(name))
    return;
  if (strcmp(what, "thread_name") == 0)
    node = id_of(c, process, json_object_get(event, "tid"));
  else if (strcmp(what, "process_name") != 0)
    return;
  to = node == process ? &lane_at(c, node)->process : &lane_at(c, node)->thread;
  free(*to);
  *to = steady(bytes_of(name), c->threads.nodes[node].name);
}

/* ---- events ---- */

static uint32_t stack_of(struct chrome *c, const json_t *event) {
  const json_t *frames =
      json_object_get(json_object_get(event, "args"), "call_stack");
  const json_t *frame, *name = json_object_get(event, "name");
  const char *last = "";
  uint32_t node = 0;
  size_t i;
  json_array_foreach(frames, i, frame) {
    if (!json_is_string(frame))
      return 0;
    last = json_string_value(frame);
    if (node || strcmp(last, "ROOT") != 0)
      node = cul_profile_child(&c->names, node, bytes_of(frame));
  }
  if (node && strcmp(last, json_string_value(name)) != 0)
    node = cul_profile_child(&c->names, node, bytes_of(name));
  return node;
}

/* The node for the name of the event.  For events of LLVM's profiler (clang
 * -ftime-trace), the name includes the "detail": "RunPass: InstCombinePass". */
static uint32_t name_of(struct chrome *c, const json_t *event) {
  const json_t *name = json_object_get(event, "name");
  const char *detail = json_string_value(
      json_object_get(json_object_get(event, "args"), "detail"));
  struct cul_buf text = {0};
  uint32_t node;
  if (!detail || !*detail)
    return cul_profile_child(&c->names, 0, bytes_of(name));
  cul_buf_addf(&text, "%s: %s", json_string_value(name), detail);
  node = cul_profile_child(&c->names, 0, cul_buf_bytes(&text));
  cul_buf_release(&text);
  return node;
}

/* Is it one of the totals that LLVM's profiler writes into separate lanes? */
static bool is_total(const json_t *event) {
  const json_t *args = json_object_get(event, "args");
  const char *name = json_string_value(json_object_get(event, "name"));
  return name && strncmp(name, "Total ", 6) == 0 &&
         json_object_get(args, "count") && json_object_get(args, "avg ms");
}

static void begin(struct chrome *c, const json_t *event, double from,
                  double length) {
  const json_t *name = json_object_get(event, "name");
  uint32_t lane = lane_of(c, event);
  struct lane *at = lane_at(c, lane);
  if (!json_is_string(name) || !isfinite(from) || !isfinite(length) ||
      fabs(from) > 1e18 || length > 1e18) {
    c->out->skipped++;
    return;
  }
  if (length < 0)
    CUL_XADD(at->open, at->n_open, at->cap_open) = c->n;
  CUL_XADD(c->events, c->n, c->cap) =
      (struct event){.from = from,
                     .length = length,
                     .lane = lane,
                     .name = name_of(c, event),
                     .stack = stack_of(c, event)};
}

static void end(struct chrome *c, const json_t *event, double to) {
  struct lane *lane = lane_at(c, lane_of(c, event));
  struct event *begun;
  if (lane->n_open == 0) {
    c->out->skipped++;
    return;
  }
  begun = &c->events[lane->open[--lane->n_open]];
  begun->length = to - begun->from; /* < 0: it is skipped later */
}

static void take_event(struct chrome *c, const json_t *event) {
  const char *phase = json_string_value(json_object_get(event, "ph"));
  const json_t *from = json_object_get(event, "ts");
  const json_t *length = json_object_get(event, "dur");
  if (!phase)
    c->out->skipped++;
  else if (strcmp(phase, "M") == 0)
    name_lane(c, event);
  else if (strlen(phase) != 1 || !strchr("XBE", *phase) || is_total(event))
    return; /* counters, flows, instants, totals */
  else if (!json_is_number(from) || (*phase == 'X' && !json_is_number(length)))
    c->out->skipped++;
  else if (*phase == 'X' && json_number_value(length) < 0)
    c->out->skipped++;
  else if (*phase == 'E')
    end(c, event, json_number_value(from));
  else
    begin(c, event, json_number_value(from),
          *phase == 'X' ? json_number_value(length) : -1);
}

/* ---- paths ---- */

/* Order by lane, then by begin; if two events begin together, the longer one
 * comes first, because it encloses the other. */
static int by_place(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return (x->length < y->length) - (x->length > y->length);
}

static uint32_t named(struct chrome *c, uint32_t parent, const char *name) {
  return name ? cul_profile_child(c->out, parent,
                                  (struct cul_bytes){name, strlen(name)})
              : parent;
}

static uint32_t lane_path(struct chrome *c, uint32_t lane) {
  uint32_t process = c->threads.nodes[lane].parent;
  uint32_t node = named(c, 0, lane_at(c, process)->process);
  return named(c, node, lane_at(c, lane)->thread);
}

/* The path of a call stack, below a lane. */
static uint32_t stack_path(struct chrome *c, uint32_t lane, uint32_t stack) {
  uint32_t frames[CUL_PROFILE_MAX_DEPTH + 1], node = lane_path(c, lane);
  size_t n = 0;
  for (; stack && n < CUL_ARRAY_SIZE(frames); n++) {
    frames[n] = stack;
    stack = c->names.nodes[stack].parent;
  }
  while (n-- > 0)
    node = named(c, node, c->names.nodes[frames[n]].name);
  return node;
}

/* An event that encloses the current one. */
struct enclosing {
  double to, own;
  uint32_t node;
};

struct nest {
  struct enclosing *items;
  size_t n, cap;
};

static void leave(struct chrome *c, struct nest *nest, uint32_t metric) {
  const struct enclosing *last = &nest->items[--nest->n];
  cul_profile_add(c->out, last->node, metric, 1,
                  1e3 * (last->own > 0 ? last->own : 0), 0);
}

/* The path of an event inside the events of the nest.  Subtracts its time from
 * the innermost of them. */
static uint32_t enter(struct chrome *c, struct nest *nest,
                      const struct event *event) {
  struct enclosing *outer = nest->n ? &nest->items[nest->n - 1] : NULL;
  const char *name = c->names.nodes[event->name].name;
  if (outer)
    outer->own -= fmin(event->length, outer->to - event->from);
  if (event->stack)
    return stack_path(c, event->lane, event->stack);
  return named(c, outer ? outer->node : lane_path(c, event->lane), name);
}

static void add_events(struct chrome *c) {
  uint32_t metric = cul_profile_metric(c->out, (struct cul_bytes){"time", 4},
                                       CUL_PROFILE_TIME);
  struct nest nest = {0};
  uint32_t lane = 0;
  for (size_t i = 0; i < c->n; i++) {
    const struct event *event = &c->events[i];
    struct enclosing made = {.to = event->from + event->length,
                             .own = event->length};
    if (event->length < 0) { /* the event did not end */
      c->out->skipped++;
      continue;
    }
    while (nest.n &&
           (event->lane != lane || nest.items[nest.n - 1].to <= event->from))
      leave(c, &nest, metric);
    lane = event->lane;
    made.node = enter(c, &nest, event);
    CUL_XADD(nest.items, nest.n, nest.cap) = made;
  }
  while (nest.n)
    leave(c, &nest, metric);
  free(nest.items);
}

/* ---- the text ---- */

static void skip_space(struct cul_bytes text, size_t *at) {
  while (*at < text.len && memchr(" \t\r\n", text.data[*at], 4))
    ++*at;
}

/* Skip this character; false: another character is next. */
static bool take(struct cul_bytes text, size_t *at, char c) {
  skip_space(text, at);
  if (*at >= text.len || text.data[*at] != c)
    return false;
  ++*at;
  return true;
}

static int wants(struct cul_bytes text, size_t at, const char *what,
                 struct cul_err *err) {
  size_t line = 1;
  for (size_t i = 0; i < at; i++)
    line += text.data[i] == '\n';
  return cul_fail(err, CUL_EUSAGE, "write it again",
                  at < text.len ? "line %zu: no %s"
                                : "cut off in line %zu: no %s",
                  line, what);
}

/* Read a list of events after its "[".  open_end: the list is the whole file;
 * the format allows it to lack the "]". */
static int read_events(struct chrome *c, struct cul_bytes text, size_t *at,
                       bool open_end, struct cul_err *err) {
  while (!take(text, at, ']')) {
    json_t *event;
    skip_space(text, at);
    if (open_end && *at == text.len)
      return 0;
    event = cul_profile_json(text, at, err);
    if (!event)
      return err->code;
    take_event(c, event);
    json_decref(event);
    if (c->out->full || c->names.full || c->threads.full) {
      c->out->full = true;
      return 0;
    }
    if (take(text, at, ','))
      continue;
    skip_space(text, at);
    if ((*at < text.len && text.data[*at] != ']') ||
        (*at == text.len && !open_end))
      return wants(text, *at, "end of the events", err);
  }
  return 0;
}

static int read_members(struct chrome *c, struct cul_bytes text, size_t *at,
                        struct cul_err *err) {
  while (!take(text, at, '}')) {
    json_t *value = cul_profile_json(text, at, err);
    bool events = value && json_is_string(value) &&
                  strcmp(json_string_value(value), "traceEvents") == 0;
    if (!value)
      return err->code;
    json_decref(value);
    if (!take(text, at, ':'))
      return wants(text, *at, "value of a key", err);
    if (events && take(text, at, '[')) {
      if (read_events(c, text, at, false, err) < 0)
        return err->code;
    } else {
      value = cul_profile_json(text, at, err);
      if (!value)
        return err->code;
      json_decref(value);
    }
    skip_space(text, at);
    if (!take(text, at, ',') && (*at == text.len || text.data[*at] != '}'))
      return wants(text, *at, "end of the object", err);
  }
  return 0;
}

static void release(struct chrome *c) {
  for (size_t i = 0; i < c->n_lanes; i++) {
    free(c->lanes[i].process);
    free(c->lanes[i].thread);
    free(c->lanes[i].open);
  }
  free(c->lanes);
  free(c->events);
  cul_profile_release(&c->names);
  cul_profile_release(&c->threads);
}

static int chrome_read(struct cul_bytes text, struct cul_profile *out,
                       struct cul_err *err) {
  struct chrome c = {.out = out};
  size_t at = 0;
  int rc;
  cul_profile_child(&c.names, 0, (struct cul_bytes){"", 0});
  cul_profile_child(&c.threads, 0, (struct cul_bytes){"", 0});
  if (take(text, &at, '['))
    rc = read_events(&c, text, &at, true, err);
  else
    rc = take(text, &at, '{') ? read_members(&c, text, &at, err)
                              : wants(text, at, "object", err);
  if (c.n)
    qsort(c.events, c.n, sizeof *c.events, by_place);
  if (rc == 0 && !out->full)
    add_events(&c);
  release(&c);
  return rc;
}

const struct cul_profile_format cul_profile_chrome = {.name = "chrome",
                                                      .noun = "Chrome trace",
                                                      .part = "call path",
                                                      .json = true,
                                                      .sniff = chrome_sniff,
                                                      .read = chrome_read};
