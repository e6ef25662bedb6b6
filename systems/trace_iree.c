/* IREE's dispatches, as iree-run-module prints them to standard error for a
 * module compiled with --iree-flow-trace-dispatch-tensors: "=== EXE::EXPORT
 * inputs ===", one line per tensor, an empty line; the same for "outputs". */
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "log.h"
#include "trace.h"

/* Is the line "=== NAME inputs ==="? */
static bool is_header(struct cul_bytes line, struct cul_bytes *name,
                      bool *outputs) {
  static const char in[] = " inputs ===", out[] = " outputs ===";
  size_t at = cul_bytes_find(line, "=== "), end;
  if (at == line.len)
    return false;
  line = (struct cul_bytes){line.data + at + 4, line.len - at - 4};
  end = cul_bytes_find(line, in);
  *outputs = end == line.len;
  if (*outputs)
    end = cul_bytes_find(line, out);
  *name = (struct cul_bytes){line.data, end};
  return end < line.len && end > 0;
}

/* The line of a tool's status, as IREE's runtime and compiler write it:
 * "FILE.c:LINE: CODE; MESSAGE" or "FILE:LINE:COLUMN: error: MESSAGE". */
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

/* The first status line after the last step's header is why the run ended; the
 * run went on after an earlier one. */
static void note_status(const struct cul_log *log, struct cul_trace *out) {
  struct cul_bytes name, status = {0};
  bool outputs, header = false;
  for (size_t i = log->n; i-- > 0 && !header;) {
    header = is_header(log->lines[i], &name, &outputs);
    if (!header && is_status(log->lines[i]))
      status = log->lines[i];
  }
  if (header && status.len)
    out->ended = cul_xstrndup(status.data, status.len < 300 ? status.len : 300);
}

/* Drop the last event, which is cut off. */
static void drop_cut(struct cul_trace *out, size_t line) {
  struct cul_trace_event *last = &out->events[out->n - 1];
  if (!out->ended)
    out->ended = cul_xasprintf("it is cut off in line %zu", line);
  free(last->name);
  cul_tensors_release(&last->inputs);
  cul_tensors_release(&last->outputs);
  out->n--;
}

/* Does a step begin after this line?  If so, a defect before it is no cut. */
static bool goes_on(const struct cul_log *log, size_t line) {
  struct cul_bytes name;
  bool outputs, found = false;
  for (size_t i = line; i < log->n && !found; i++)
    found = is_header(log->lines[i], &name, &outputs);
  return found;
}

/* whole: the last line ends in a newline; else its last number may be cut. */
static int read_events(const struct cul_log *log, bool whole,
                       const struct cul_patience *patience,
                       struct cul_trace *out, bool *mine, struct cul_err *err) {
  bool complete = true; /* the last step has outputs, and all of them */
  size_t at = 0;
  int rc = 0;
  for (size_t i = 0; i < log->n && rc == 0; i++) {
    struct cul_trace_event *event;
    struct cul_bytes name;
    bool outputs;
    if (!is_header(log->lines[i], &name, &outputs))
      continue;
    *mine = true;
    at = i + 1;
    event = outputs && out->n ? &out->events[out->n - 1] : NULL;
    if (!event || event->outputs.n || strlen(event->name) != name.len ||
        memcmp(event->name, name.data, name.len) != 0)
      event = cul_trace_add(out, name.data, name.len);
    i++;
    rc = cul_patience_left(patience, err);
    if (rc < 0)
      return rc;
    rc = read_tensors(log, &i, outputs ? &event->outputs : &event->inputs, err);
    complete = outputs && (whole || i < log->n);
    if (rc < 0 && out->n > 1 && !goes_on(log, i)) {
      drop_cut(out, at);
      *err = (struct cul_err){0};
      return 0;
    }
  }
  if (rc == 0 && !complete)
    drop_cut(out, at);
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
