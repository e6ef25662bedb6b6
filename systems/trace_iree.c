/* Reads IREE's dispatches.  iree-run-module prints them to standard error for a
 * module compiled with --iree-flow-trace-dispatch-tensors: "=== EXE::EXPORT
 * inputs ===", one line per tensor, an empty line; the same for "outputs".
 *
 * In a module that culprit compiled (reducer/numbers/iree-compile.sh), each
 * value is printed once in a block.  The name is then followed by the numbers
 * of the values: "EXE @0,+1 inputs", "EXE @0,1@+2 outputs" (inputs, then
 * outputs).  A value with "+" is printed below; one without is the value that
 * was printed last with this number.  A step whose inputs are all known has no
 * "inputs": the line of its outputs has their numbers.  Behind the outputs of a
 * step inside control flow, "=== EXE numbers ===" has its scalars. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "log.h"
#include "trace.h"

struct header {
  struct cul_bytes name;
  bool outputs;
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
  if (header->outputs)
    header->numbers = second ? second + 1 : NULL;
}

/* Is the line "=== NAME inputs ==="? */
static bool is_header(struct cul_bytes line, struct header *out) {
  static const char in[] = " inputs ===", after[] = " outputs ===";
  size_t at = cul_bytes_find(line, "=== "), end;
  if (at == line.len)
    return false;
  line = (struct cul_bytes){line.data + at + 4, line.len - at - 4};
  end = cul_bytes_find(line, in);
  *out = (struct header){.outputs = end == line.len};
  if (out->outputs)
    end = cul_bytes_find(line, after);
  out->name = (struct cul_bytes){line.data, end};
  if (end == line.len || end == 0)
    return false;
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

/* The last value printed with each number; a tensor of the trace owns its
 * elements. */
struct known {
  struct cul_tensor *items; /* heap; data NULL: nothing yet */
  size_t n;
};

enum { MOST_KNOWN = 1 << 20 };

static void remember(struct known *known, size_t number,
                     const struct cul_tensor *tensor) {
  if (number >= known->n) {
    size_t n = 2 * number + 16;
    known->items = cul_xreallocarray(known->items, n, sizeof *known->items);
    memset(known->items + known->n, 0, (n - known->n) * sizeof *known->items);
    known->n = n;
  }
  known->items[number] = *tensor;
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
                                           const struct cul_tensors *printed,
                                           size_t *used, struct known *known) {
  if (here && *used < printed->n && number < MOST_KNOWN) {
    remember(known, number, &printed->items[*used]);
    return &printed->items[(*used)++];
  }
  return !here && number < known->n && known->items[number].data
             ? &known->items[number]
             : NULL;
}

/* Append the tensors with these numbers, and take over the elements of the
 * printed ones. */
static int take_numbered(const char *numbers, struct cul_tensors *printed,
                         struct known *known, struct cul_tensors *out,
                         bool **borrows, struct cul_err *err) {
  size_t used = 0;
  for (const char *at = numbers; *at == '+' || isdigit((unsigned char)*at);) {
    bool here = *at == '+';
    char *end;
    unsigned long number = strtoul(at + here, &end, 10);
    const struct cul_tensor *value =
        find_value(here, number, printed, &used, known);
    if (!value)
      return cul_fail(err, CUL_EUSAGE, "was the output cut? print it whole",
                      "value %lu of a dispatch was not printed", number);
    append(out, value);
    if (here)
      printed->items[used - 1].data = NULL;
    *borrows = cul_xreallocarray(*borrows, out->n, sizeof **borrows);
    (*borrows)[out->n - 1] = !here;
    at = end + (*end == ',');
  }
  return used == printed->n
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

/* Read the tensors of a header, which begin at *line, into its step. */
static int read_values(const struct cul_log *log, size_t *line,
                       const struct header *header, struct known *known,
                       struct cul_trace_event *event, struct cul_err *err) {
  struct cul_tensors printed = {0}, none = {0};
  struct cul_tensors *to = header->outputs ? &event->outputs : &event->inputs;
  bool *own = NULL, first = !event->inputs.n;
  int rc;
  if (!header->numbers)
    return read_tensors(log, line, to, err);
  rc = read_tensors(log, line, &printed, err);
  if (rc == 0 && header->outputs && first)
    rc = take_numbered(header->inputs, &none, known, &event->inputs,
                       &event->borrows, err);
  if (rc == 0)
    rc = take_numbered(header->numbers, &printed, known, to,
                       header->outputs ? &own : &event->borrows, err);
  for (size_t i = 0; header->outputs && i < to->n && own; i++)
    if (own[i])
      own_elements(&to->items[i]);
  free(own);
  cul_tensors_release(&printed);
  return rc;
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

/* Drop the last event, which is cut off. */
static void drop_cut(struct cul_trace *out, size_t line) {
  struct cul_trace cut = {.events = cul_xmalloc(sizeof *cut.events), .n = 1};
  if (!out->ended)
    out->ended = cul_xasprintf("it is cut off in line %zu", line);
  *cut.events = out->events[--out->n];
  cul_trace_release(&cut);
}

/* Does a step begin after this line?  If so, a defect before it is no cut. */
static bool goes_on(const struct cul_log *log, size_t line) {
  struct header header;
  bool found = false;
  for (size_t i = line; i < log->n && !found; i++)
    found = is_header(log->lines[i], &header);
  return found;
}

/* Is the line the header of the scalars of this step? */
static bool is_scalars(struct cul_bytes line,
                       const struct cul_trace_event *event) {
  char *header = cul_xasprintf("=== %s numbers ===", event->name);
  bool is = cul_bytes_find(line, header) < line.len;
  free(header);
  return is;
}

/* Read all steps.  whole: the last line ends in a newline; otherwise its last
 * number may be cut off. */
static int read_events(const struct cul_log *log, bool whole,
                       const struct cul_patience *patience,
                       struct cul_trace *out, bool *mine, struct cul_err *err) {
  struct known known = {0};
  bool complete = true; /* the last step has outputs, and all of them */
  size_t at = 0;
  int rc = 0;
  for (size_t i = 0; i < log->n && rc == 0; i++) {
    struct cul_trace_event *event;
    struct header header;
    event = out->n ? &out->events[out->n - 1] : NULL;
    if (event && !event->scalars.n && is_scalars(log->lines[i], event)) {
      i++;
      rc = read_tensors(log, &i, &event->scalars, err);
      if ((rc < 0 || (!whole && i == log->n)) && !goes_on(log, i)) {
        cul_tensors_release(&event->scalars); /* cut off */
        *err = (struct cul_err){0};
        rc = 0;
      }
      continue;
    }
    if (!is_header(log->lines[i], &header))
      continue;
    *mine = true;
    at = i + 1;
    event = header.outputs && out->n ? &out->events[out->n - 1] : NULL;
    if (!event || event->outputs.n || strlen(event->name) != header.name.len ||
        memcmp(event->name, header.name.data, header.name.len) != 0)
      event = cul_trace_add(out, header.name.data, header.name.len);
    i++;
    rc = cul_patience_left(patience, err);
    if (rc < 0)
      break;
    rc = read_values(log, &i, &header, &known, event, err);
    complete = header.outputs && (whole || i < log->n);
    if (rc < 0 && out->n > 1 && !goes_on(log, i)) {
      drop_cut(out, at);
      *err = (struct cul_err){0};
      complete = true;
      rc = 0;
      break;
    }
  }
  if (rc == 0 && !complete)
    drop_cut(out, at);
  free(known.items);
  return rc;
}

static int read_iree(const char *path, const struct cul_patience *patience,
                     struct cul_trace *out, bool *mine, struct cul_err *err) {
  struct cul_buf text = {0};
  struct cul_log log;
  int rc = 0;
  if (cul_file_read(path, 0, &text, &(struct cul_err){0}) == 0 &&
      cul_bytes_find(cul_buf_bytes(&text), "puts ===") < text.len) {
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
