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

static int read_tensors(const struct cul_log *log, size_t *line,
                        struct cul_tensors *out, struct cul_err *err) {
  size_t first = *line, last = first;
  struct cul_bytes text;
  while (last < log->n && log->lines[last].len)
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

static int read_events(const struct cul_log *log, struct cul_trace *out,
                       bool *mine, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < log->n && rc == 0; i++) {
    struct cul_trace_event *event;
    struct cul_bytes name;
    bool outputs;
    if (!is_header(log->lines[i], &name, &outputs))
      continue;
    *mine = true;
    event = outputs && out->n ? &out->events[out->n - 1] : NULL;
    if (!event || event->outputs.n || strlen(event->name) != name.len ||
        memcmp(event->name, name.data, name.len) != 0)
      event = cul_trace_add(out, name.data, name.len);
    i++;
    rc = read_tensors(log, &i, outputs ? &event->outputs : &event->inputs, err);
  }
  return rc;
}

static int read_iree(const char *path, struct cul_trace *out, bool *mine,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  struct cul_log log;
  int rc = 0;
  if (cul_file_read(path, 0, &text, &(struct cul_err){0}) == 0 &&
      cul_bytes_find(cul_buf_bytes(&text), "puts ===") < text.len) {
    cul_log_read(cul_buf_bytes(&text), "", &log);
    rc = read_events(&log, out, mine, err);
    cul_log_release(&log);
  }
  cul_buf_release(&text);
  return rc < 0 ? cul_fail_in(err, "%s", path) : 0;
}

const struct cul_trace_reader cul_trace_iree = {.name = "iree",
                                                .read = read_iree};
