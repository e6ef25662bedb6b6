/* Reads IREE's dispatches.  iree-run-module prints them to standard error for a
 * module compiled with --iree-flow-trace-dispatch-tensors: "=== EXE::EXPORT
 * inputs ===", one line per tensor, an empty line; the same for "outputs".
 *
 * In a module that culprit compiled (reducer/numbers/iree-compile.sh), each
 * value is printed once in a block.  The name is then followed by the numbers
 * of the values: "EXE @0,+1 inputs", "EXE @0,1@+2 outputs" (inputs, then
 * outputs).  A value with "+" is printed below; one without is the value that
 * was printed last with this number.  A step whose inputs are all known has no
 * "inputs": the line of its outputs has their numbers.  Steps inside control
 * flow are printed together, with inputs, outputs and scalars:
 * "=== EXE @0,+1@+2@+3; EXE @2@+4@ steps ===". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "log.h"
#include "trace.h"

enum kind { INPUTS, OUTPUTS, STEPS };
static const char *const kind_ends[] = {
    " inputs ===", " outputs ===", " steps ==="};

struct header {
  struct cul_bytes name; /* of STEPS: their list */
  enum kind kind;
  /* the numbers of the values of this header, and of the step's inputs; they
   * end at the first other character.  NULL: there are none */
  const char *numbers, *inputs;
};

/* Cut the numbers off the name. */
static void cut_numbers(struct header *header) {
  size_t at = cul_bytes_find(header->name, " @");
  const char *end = header->name.data + header->name.len, *second;
  if (at == header->name.len)
    return;
  header->inputs = header->numbers = header->name.data + at + 2;
  header->name.len = at;
  second = memchr(header->numbers, '@', (size_t)(end - header->numbers));
  if (header->kind == OUTPUTS)
    header->numbers = second ? second + 1 : NULL;
}

/* Is the line "=== NAME inputs ==="? */
static bool is_header(struct cul_bytes line, struct header *out) {
  size_t at = cul_bytes_find(line, "=== "), end = 0;
  bool found = false;
  if (at == line.len)
    return false;
  line = (struct cul_bytes){line.data + at + 4, line.len - at - 4};
  *out = (struct header){0};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kind_ends) && !found; i++) {
    end = cul_bytes_find(line, kind_ends[i]);
    found = end < line.len;
    out->kind = (enum kind)i;
  }
  out->name = (struct cul_bytes){line.data, end};
  if (!found || end == 0)
    return false;
  if (out->kind != STEPS)
    cut_numbers(out);
  return true;
}

/* Is the line a status of IREE's runtime or compiler: "FILE.c:LINE: CODE;
 * MESSAGE" or "FILE:LINE:COLUMN: error: MESSAGE"? */
static bool is_status(struct cul_bytes line) {
  char text[256];
  size_t n = line.len < sizeof text - 1 ? line.len : sizeof text - 1;
  const char *at;
  memcpy(text, line.data, n);
  text[n] = '\0';
  if (strstr(text, ": error: ") || strncmp(text, "error: ", 7) == 0)
    return true;
  at = strstr(text, ".c:");
  at = at ? at + 3 : (at = strstr(text, ".cc:")) ? at + 4 : NULL;
  if (!at || at[strspn(at, "0123456789")] != ':')
    return false;
  at += strspn(at, "0123456789") + 1;
  at += *at == ' ';
  n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  return n > 2 && at[n] == ';';
}

/* The values of the trace; a tensor of the trace owns its elements. */
struct values {
  struct cul_tensor *items; /* heap; the last printed with each number; data
                             * NULL: nothing yet */
  size_t n;
  struct cul_tensors printed; /* below the current header */
  size_t used;                /* number of those that have a number */
};

enum { MOST_KNOWN = 1 << 20 };

static void remember(struct values *values, size_t number,
                     const struct cul_tensor *tensor) {
  if (number >= values->n) {
    size_t n = 2 * number + 16;
    values->items = cul_xreallocarray(values->items, n, sizeof *values->items);
    memset(values->items + values->n, 0,
           (n - values->n) * sizeof *values->items);
    values->n = n;
  }
  values->items[number] = *tensor;
}

/* Append a copy of the tensor that refers to the same elements. */
static void append(struct cul_tensors *to, const struct cul_tensor *tensor) {
  struct cul_tensor copy = *tensor;
  copy.name = cul_xasprintf("result[%zu]", to->n);
  copy.text = NULL;
  to->items = cul_xreallocarray(to->items, to->n + 1, sizeof *to->items);
  to->items[to->n++] = copy;
}

/* Copy the elements of a tensor that shares them with another one. */
static void own_elements(struct cul_tensor *tensor) {
  size_t size = tensor->n * cul_dtype_info(tensor->dtype)->size;
  unsigned char *own = cul_xmalloc(size + 1);
  memcpy(own, tensor->data, size);
  tensor->data = own;
}

/* The value with this number: the next printed one (here), else the known one;
 * NULL: there is none. */
static const struct cul_tensor *find_value(bool here, unsigned long number,
                                           struct values *values) {
  if (here && values->used < values->printed.n && number < MOST_KNOWN) {
    remember(values, number, &values->printed.items[values->used]);
    return &values->printed.items[values->used++];
  }
  return !here && number < values->n && values->items[number].data
             ? &values->items[number]
             : NULL;
}

/* Append the tensors with the numbers at *numbers, move that behind them, and
 * take over the elements of the printed ones.  borrows NULL: out owns the
 * elements of all. */
static int take_numbered(const char **numbers, struct values *values,
                         struct cul_tensors *out, bool **borrows,
                         struct cul_err *err) {
  const char *at = *numbers;
  while (*at == '+' || isdigit((unsigned char)*at)) {
    bool here = *at == '+';
    char *end;
    unsigned long number = strtoul(at + here, &end, 10);
    const struct cul_tensor *value = find_value(here, number, values);
    if (!value)
      return cul_fail(err, CUL_EUSAGE, "was the output cut? print it whole",
                      "value %lu of a dispatch was not printed", number);
    append(out, value);
    if (here)
      values->printed.items[values->used - 1].data = NULL;
    else if (!borrows)
      own_elements(&out->items[out->n - 1]);
    if (borrows) {
      *borrows = cul_xreallocarray(*borrows, out->n, sizeof **borrows);
      (*borrows)[out->n - 1] = !here;
    }
    at = end + (*end == ',');
  }
  *numbers = at;
  return 0;
}

/* Have all printed values a number? */
static int all_numbered(const struct values *values, struct cul_err *err) {
  return values->used == values->printed.n
             ? 0
             : cul_fail(err, CUL_EUSAGE, "was the output cut? print it whole",
                        "a dispatch with values that have no number");
}

static int read_tensors(const struct cul_log *log, size_t *line,
                        struct cul_tensors *out, struct cul_err *err) {
  size_t first = *line, last = first;
  struct cul_bytes text;
  while (last < log->n && log->lines[last].len && !is_status(log->lines[last]))
    last++;
  *line = last;
  if (last == first)
    return 0;
  text = (struct cul_bytes){log->lines[first].data,
                            (size_t)(log->lines[last - 1].data +
                                     log->lines[last - 1].len -
                                     log->lines[first].data)};
  if (cul_tensors_parse_text(text, &(struct cul_tensor_hint){0}, out, err) < 0)
    return cul_fail_in(err, "the dispatch of line %zu", first);
  return 0;
}

/* Read the printed values of a header, which begin at *line. */
static int read_printed(const struct cul_log *log, size_t *line,
                        struct values *values, struct cul_err *err) {
  cul_tensors_release(&values->printed);
  values->used = 0;
  return read_tensors(log, line, &values->printed, err);
}

/* Read the tensors of a header, which begin at *line, into its step. */
static int read_values(const struct cul_log *log, size_t *line,
                       const struct header *header, struct values *values,
                       struct cul_trace_event *event, struct cul_err *err) {
  bool outputs = header->kind == OUTPUTS, first = !event->inputs.n;
  struct cul_tensors *to = outputs ? &event->outputs : &event->inputs;
  const char *numbers = header->numbers, *inputs = header->inputs;
  int rc;
  if (!numbers)
    return read_tensors(log, line, to, err);
  rc = read_printed(log, line, values, err);
  if (rc == 0 && outputs && first)
    rc = take_numbered(&inputs, values, &event->inputs, &event->borrows, err);
  if (rc == 0)
    rc = take_numbered(&numbers, values, to, outputs ? NULL : &event->borrows,
                       err);
  return rc ? rc : all_numbered(values, err);
}

/* Append the steps of a list, whose values begin at *line. */
static int read_steps(const struct cul_log *log, size_t *line,
                      struct cul_bytes list, struct values *values,
                      struct cul_trace *out, struct cul_err *err) {
  const char *at = list.data, *end = list.data + list.len;
  int rc = read_printed(log, line, values, err);
  while (at < end && rc == 0) {
    size_t n = cul_bytes_find((struct cul_bytes){at, (size_t)(end - at)}, " @");
    struct cul_trace_event *event = cul_trace_add(out, at, n);
    at = at + n < end ? at + n + 2 : end;
    rc = take_numbered(&at, values, &event->inputs, &event->borrows, err);
    at += at < end && *at == '@';
    if (rc == 0)
      rc = take_numbered(&at, values, &event->outputs, NULL, err);
    at += at < end && *at == '@';
    if (rc == 0)
      rc = take_numbered(&at, values, &event->scalars, NULL, err);
    if (rc == 0 &&
        (!event->outputs.n || (at < end && strncmp(at, "; ", 2) != 0)))
      rc = cul_fail(err, CUL_EUSAGE, "was the output cut? print it whole",
                    "the values of %s have no numbers", event->name);
    at += 2;
  }
  return rc ? rc : all_numbered(values, err);
}

/* Set out->ended to the first status line after the last step's header; the run
 * continued after any earlier one. */
static void note_status(const struct cul_log *log, struct cul_trace *out) {
  struct cul_bytes status = {0};
  struct header header;
  bool found = false;
  for (size_t i = log->n; i-- > 0 && !found;) {
    found = is_header(log->lines[i], &header);
    if (!found && is_status(log->lines[i]))
      status = log->lines[i];
  }
  if (found && status.len)
    out->ended = cul_xstrndup(status.data, status.len < 300 ? status.len : 300);
}

/* Drop the events from this one on, which are cut off. */
static void drop_cut(struct cul_trace *out, size_t from, size_t line) {
  if (!out->ended)
    out->ended = cul_xasprintf("it is cut off in line %zu", line);
  while (out->n > from) {
    struct cul_trace cut = {.events = cul_xmalloc(sizeof *cut.events), .n = 1};
    *cut.events = out->events[--out->n];
    cul_trace_release(&cut);
  }
}

/* Does a step begin after this line?  If so, a defect before it is no cut. */
static bool goes_on(const struct cul_log *log, size_t line) {
  struct header header;
  bool found = false;
  for (size_t i = line; i < log->n && !found; i++)
    found = is_header(log->lines[i], &header);
  return found;
}

/* The index of the step to which a header of inputs or outputs belongs, the
 * last one or a new one. */
static size_t step_of(struct cul_trace *out, const struct header *header) {
  struct cul_trace_event *last =
      header->kind == OUTPUTS && out->n ? &out->events[out->n - 1] : NULL;
  if (!last || last->outputs.n || strlen(last->name) != header->name.len ||
      memcmp(last->name, header->name.data, header->name.len) != 0)
    cul_trace_add(out, header->name.data, header->name.len);
  return out->n - 1;
}

/* Read all steps.  whole: the last line ends in a newline; otherwise its last
 * number may be cut off. */
static int read_events(const struct cul_log *log, bool whole,
                       const struct cul_patience *patience,
                       struct cul_trace *out, bool *mine, struct cul_err *err) {
  struct values values = {0};
  bool complete = true;    /* the last step has outputs, and all of them */
  size_t at = 0, from = 0; /* the last header: its line, its first step */
  int rc = 0;
  for (size_t i = 0; i < log->n && rc == 0; i++) {
    struct header header;
    if (!is_header(log->lines[i], &header))
      continue;
    *mine = true;
    at = ++i;
    rc = cul_patience_left(patience, err);
    if (rc < 0)
      break;
    from = header.kind == STEPS ? out->n : step_of(out, &header);
    rc = header.kind == STEPS
             ? read_steps(log, &i, header.name, &values, out, err)
             : read_values(log, &i, &header, &values, &out->events[from], err);
    complete = header.kind != INPUTS && (whole || i < log->n);
    if (rc < 0 && from > 0 && !goes_on(log, i)) {
      drop_cut(out, from, at);
      *err = (struct cul_err){0};
      complete = true;
      rc = 0;
      break;
    }
  }
  if (rc == 0 && !complete)
    drop_cut(out, from, at);
  cul_tensors_release(&values.printed);
  free(values.items);
  return rc;
}

/* May the text have a header? */
static bool has_headers(struct cul_bytes text) {
  bool found = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kind_ends) && !found; i++)
    found = cul_bytes_find(text, kind_ends[i]) < text.len;
  return found;
}

static int read_iree(const char *path, const struct cul_patience *patience,
                     struct cul_trace *out, bool *mine, struct cul_err *err) {
  struct cul_buf text = {0};
  struct cul_log log;
  int rc = 0;
  if (cul_file_read(path, 0, &text, &(struct cul_err){0}) == 0 &&
      has_headers(cul_buf_bytes(&text))) {
    cul_log_read(cul_buf_bytes(&text), "", &log);
    note_status(&log, out);
    rc = read_events(&log, text.data[text.len - 1] == '\n', patience, out, mine,
                     err);
    cul_log_release(&log);
  }
  cul_buf_release(&text);
  return rc == CUL_EUSAGE ? cul_fail_in(err, "%s", path) : rc;
}

const struct cul_trace_reader cul_trace_iree = {.name = "iree",
                                                .read = read_iree};
