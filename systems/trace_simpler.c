/* Reads pypto's tasks, as dumped by its runtime, simpler: a directory with
 * args_dump.json and args.bin (formerly tensor_dump.json and tensor_dump.bin),
 * and optionally deps.json with the edges between tasks; or a directory
 * build_output/X with these in dfx_outputs/args_dump. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "simpler.h"
#include "trace.h"

struct dump {
  const struct cul_patience *patience;
  const char *dir;
  const char *json_name; /* file name below dir */
  json_t *json;
  json_t *names;        /* of kernels; NULL: unknown */
  struct cul_buf bytes; /* all tensor data */
  struct cul_trace *out;
  struct cul_err *err;
};

static int wrong(struct dump *dump, const char *what, size_t i) {
  return cul_fail(dump->err, CUL_EUSAGE, "dump it again with this runtime",
                  "%s/%s: args[%zu]: %s", dump->dir, dump->json_name, i, what);
}

static struct cul_trace_event *event_of(struct cul_trace *out,
                                        const char *task) {
  for (size_t i = out->n; i-- > 0;)
    if (strcmp(out->events[i].name, task) == 0)
      return &out->events[i];
  return cul_trace_add(out, task, strlen(task));
}

static int shape_of(const json_t *shape, uint64_t *dims, size_t *rank) {
  const json_t *dim;
  size_t i;
  *rank = json_array_size(shape);
  if (!json_is_array(shape) || *rank > CUL_TENSOR_MAX_RANK)
    return -1;
  json_array_foreach(shape, i, dim) {
    if (!json_is_integer(dim) || json_integer_value(dim) < 0)
      return -1;
    dims[i] = (uint64_t)json_integer_value(dim);
  }
  return 0;
}

static bool is_text(const json_t *object, const char *key, const char *text) {
  const char *value = json_string_value(json_object_get(object, key));
  return value && strcmp(value, text) == 0;
}

/* The list that an argument belongs to; NULL: not used here. */
static struct cul_tensors *list_of(struct dump *dump, const json_t *arg) {
  const char *task = json_string_value(json_object_get(arg, "task_id"));
  const char *role = json_string_value(json_object_get(arg, "role"));
  const char *stage = json_string_value(json_object_get(arg, "stage"));
  const char *kind = json_string_value(json_object_get(arg, "kind"));
  struct cul_trace_event *event;
  bool after;
  if (!task || !role || !stage || (kind && strcmp(kind, "tensor") != 0) ||
      json_is_true(json_object_get(arg, "truncated")) ||
      json_is_true(json_object_get(arg, "overwritten")))
    return NULL;
  after = strcmp(stage, "after_completion") == 0;
  if (strcmp(role, "inout") != 0 && after != (strcmp(role, "output") == 0))
    return NULL;
  event = event_of(dump->out, task);
  if (!event->what)
    event->what =
        cul_simpler_kernels(dump->names, json_object_get(arg, "func_id"));
  return after ? &event->outputs : &event->inputs;
}

/* "argument 3", or its name in the graph. */
static void name_argument(const json_t *arg, char *out, size_t room) {
  const char *known = json_string_value(json_object_get(arg, "name"));
  json_int_t index = json_integer_value(json_object_get(arg, "arg_index"));
  if (known && *known)
    snprintf(out, room, "%s", known);
  else
    snprintf(out, room, "argument %lld", (long long)index);
}

/* Scalars are in the manifest itself. */
static int read_scalar(struct dump *dump, const json_t *arg) {
  const char *task = json_string_value(json_object_get(arg, "task_id"));
  const char *type = json_string_value(json_object_get(arg, "dtype"));
  const json_t *value = json_object_get(arg, "value");
  enum cul_dtype dtype;
  struct cul_tensor *tensor;
  char name[64];
  if (!task || !(json_is_number(value) || json_is_boolean(value)))
    return 0;
  if (!type || !cul_dtype_parse(type, strlen(type), &dtype))
    dtype = json_is_integer(value) ? CUL_SI64 : CUL_F64;
  name_argument(arg, name, sizeof name);
  if (cul_tensors_add(&event_of(dump->out, task)->scalars, name, dtype, 0, NULL,
                      &tensor, dump->err) < 0)
    return dump->err->code;
  cul_tensor_set(
      tensor, 0, 0,
      json_is_integer(value)
          ? (cul_number)json_integer_value(value)
          : (cul_number)(json_is_true(value) + json_number_value(value)));
  return 0;
}

static int read_argument(struct dump *dump, const json_t *arg, size_t i) {
  struct cul_tensors *list = list_of(dump, arg);
  const char *type = json_string_value(json_object_get(arg, "dtype"));
  json_int_t at = json_integer_value(json_object_get(arg, "bin_offset"));
  json_int_t size = json_integer_value(json_object_get(arg, "bin_size"));
  uint64_t dims[CUL_TENSOR_MAX_RANK];
  struct cul_tensor *tensor;
  enum cul_dtype dtype;
  char name[64];
  size_t rank;
  if (is_text(arg, "kind", "scalar"))
    return read_scalar(dump, arg);
  if (!list)
    return 0;
  if (!type || !cul_dtype_parse(type, strlen(type), &dtype))
    return wrong(dump, "an unknown dtype", i);
  if (shape_of(json_object_get(arg, "shape"), dims, &rank) < 0)
    return wrong(dump, "a shape that is none", i);
  name_argument(arg, name, sizeof name);
  if (cul_tensors_add(list, name, dtype, rank, dims, &tensor, dump->err) < 0)
    return dump->err->code;
  if (at < 0 || size < 0 || (uint64_t)at > dump->bytes.len ||
      (uint64_t)size > dump->bytes.len - (uint64_t)at ||
      (uint64_t)size != tensor->n * cul_dtype_info(dtype)->size)
    return wrong(dump,
                 "its bytes are not in the payload, or their number does not "
                 "fit its shape",
                 i);
  if (size)
    memcpy(tensor->data, dump->bytes.data + at, (size_t)size);
  return 0;
}

/* ---- the end of a run that hung ---- */

/* For each event, set begun if the dump has a record of its outputs, and ended
 * if it has one from after its completion. */
static void read_ends(const struct dump *dump, const json_t *args, bool *begun,
                      bool *ended) {
  const json_t *arg;
  size_t i, at = 0;
  json_array_foreach(args, i, arg) {
    const char *task = json_string_value(json_object_get(arg, "task_id"));
    if (!task)
      continue;
    if (at >= dump->out->n || strcmp(dump->out->events[at].name, task) != 0)
      at = cul_trace_find(dump->out, task);
    if (at == SIZE_MAX)
      continue;
    begun[at] |=
        is_text(arg, "role", "output") || is_text(arg, "role", "inout");
    ended[at] |= is_text(arg, "stage", "after_completion");
  }
}

/* If some tasks ended, leave out those that began and did not end, and note the
 * first of them.  If the dump lacks records, it is not known which ended. */
static void drop_unfinished(struct dump *dump, const json_t *args) {
  struct cul_trace *out = dump->out;
  bool *begun = cul_xcalloc(out->n + 1, sizeof *begun),
       *ended = cul_xcalloc(out->n + 1, sizeof *ended);
  struct cul_trace dropped = {
      .events = cul_xcalloc(out->n + 1, sizeof *dropped.events)};
  size_t n_ended = 0, kept = 0, open = 0;
  read_ends(dump, args, begun, ended);
  for (size_t i = 0; i < out->n; i++)
    n_ended += ended[i];
  if (json_integer_value(json_object_get(dump->json, "dropped_records")) ||
      json_integer_value(json_object_get(dump->json, "dropped_overwrite")))
    n_ended = 0;
  for (size_t i = 0; i < out->n; i++) {
    struct cul_trace_event *event = &out->events[i];
    if (n_ended == 0 || !begun[i] || ended[i]) {
      out->events[kept++] = *event;
      continue;
    }
    if (open++ == 0)
      out->at = cul_xstrdup(event->name);
    dropped.events[dropped.n++] = *event;
  }
  out->n = kept;
  cul_trace_release(&dropped);
  if (open == 1)
    out->ended = cul_xasprintf("task %s began and did not end", out->at);
  else if (open)
    out->ended = cul_xasprintf("%zu tasks began and did not end, first %s",
                               open, out->at);
  free(begun);
  free(ended);
}

/* The number behind "KEY=" in a line; false: there is none. */
static bool number_in(const char *line, size_t len, const char *key,
                      unsigned long long *out) {
  const char *at = memmem(line, len, key, strlen(key));
  char *end;
  if (!at)
    return false;
  at += strlen(key);
  *out = strtoull(at, &end, 10);
  return end > at;
}

/* Append the kernels of a task, from a line of the watchdog about each task:
 * [STALL ...] TASK ring=1 task_id=42 ... kernels=[aic:3 aiv0:7 aiv1:-1] ... */
static void read_kernels(const char *log, unsigned long long task,
                         struct cul_buf *out) {
  for (const char *at = log; (at = strstr(at, "TASK ring=")); at++) {
    size_t len = strcspn(at, "\n");
    const char *kernel = memmem(at, len, "kernels=[", 9), *end;
    unsigned long long ring, number;
    if (!kernel || !number_in(at, len, "ring=", &ring) ||
        !number_in(at, len, " task_id=", &number) ||
        (number | ring << 32) != task)
      continue;
    kernel += 9;
    cul_buf_adds(out, ", kernel");
    for (end = kernel + strcspn(kernel, "]\n"); kernel < end;) {
      size_t word = strcspn(kernel, " ]\n");
      if (word && !memmem(kernel, word, ":-", 2))
        cul_buf_addf(out, " %.*s", (int)word, kernel);
      kernel += word + strspn(kernel + word, " ");
    }
    return;
  }
}

/* Read a line of the watchdog: [STALL ...] sub_class=... stuck_task_id=N. */
static void read_stall(const char *log, const char *line,
                       struct cul_trace *out) {
  size_t len = strcspn(line, "\n");
  const char *class = memmem(line, len, "sub_class=", 10);
  unsigned long long task, core, done;
  struct cul_buf text = {0};
  cul_buf_adds(&text, "the scheduler stalled");
  if (class)
    cul_buf_addf(&text, " (%.*s)", (int)strcspn(class + 10, " \r\n"),
                 class + 10);
  if (number_in(line, len, "completed=", &done))
    cul_buf_addf(&text, " when %llu task%s had ended", done, cul_s(done));
  if (number_in(line, len, "stuck_task_id=", &task)) {
    out->at = cul_xasprintf("0x%016llx", task);
    cul_buf_addf(&text, ", at task %s (%llu:%llu)", out->at, task >> 32,
                 task & 0xffffffff);
    read_kernels(log, task, &text);
  }
  if (number_in(line, len, "stuck_core=", &core))
    cul_buf_addf(&text, " on core %llu", core);
  out->ended = cul_buf_take(&text);
}

/* Read the log of a run that hung: it has no steps; the last line of the
 * watchdog gives the reason of its end. */
static bool read_hang(const char *path, struct cul_trace *out) {
  enum { MOST = 64 << 20 };
  static const char mark[] = "[STALL ";
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  const char *found = NULL;
  if (cul_file_read(path, MOST, &text, &ignored) == 0)
    for (const char *at = cul_buf_str(&text); (at = strstr(at, mark)); at++)
      if (!found || memmem(at, strcspn(at, "\n"), "stuck_task_id=", 14))
        found = at;
  if (found)
    read_stall(cul_buf_str(&text), found, out);
  cul_buf_release(&text);
  return found != NULL;
}

/* ---- order of dependencies ---- */

/* The number of a task: dumps have it in hexadecimal ("0x0000000200000a00"),
 * deps.json as a decimal string or a number. False: it is none. */
static bool task_number(const json_t *task, uint64_t *out) {
  const char *text = json_string_value(task);
  char *end;
  if (json_is_integer(task)) {
    *out = (uint64_t)json_integer_value(task);
    return true;
  }
  if (!text || !*text)
    return false;
  *out = strtoull(text, &end, 0);
  return *end == '\0';
}

static size_t index_of(const struct cul_trace *trace, const uint64_t *numbers,
                       const json_t *task) {
  const char *name = json_string_value(task);
  uint64_t number;
  bool known = task_number(task, &number);
  for (size_t i = 0; i < trace->n; i++)
    if (known ? numbers[i] == number
              : name && strcmp(trace->events[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}

/* The ends of an edge: {"pred": A, "succ": B}, formerly [A, B]. */
static void ends_of(const struct cul_trace *trace, const uint64_t *numbers,
                    const json_t *edge, size_t *pred, size_t *succ) {
  bool pair = json_is_array(edge);
  *pred =
      index_of(trace, numbers,
               pair ? json_array_get(edge, 0) : json_object_get(edge, "pred"));
  *succ =
      index_of(trace, numbers,
               pair ? json_array_get(edge, 1) : json_object_get(edge, "succ"));
}

/* One edge, as two indices; SIZE_MAX: it has an end that is not in the
 * trace. */
struct edge {
  size_t pred, succ;
};

static struct edge *edges_of(const struct cul_trace *trace, const json_t *edges,
                             size_t *n) {
  struct edge *out = cul_xcalloc(json_array_size(edges) + 1, sizeof *out);
  uint64_t *numbers = cul_xcalloc(trace->n + 1, sizeof *numbers);
  const json_t *edge;
  size_t i;
  *n = 0;
  for (i = 0; i < trace->n; i++)
    numbers[i] = strtoull(trace->events[i].name, NULL, 0);
  json_array_foreach(edges, i, edge) {
    ends_of(trace, numbers, edge, &out[*n].pred, &out[*n].succ);
    *n += out[*n].pred != SIZE_MAX && out[*n].succ != SIZE_MAX;
  }
  free(numbers);
  return out;
}

/* Put producers before consumers and keep the order otherwise (Kahn's
 * algorithm; the first ready event is next). After a cycle the rest keeps its
 * order. */
static void sort_events(struct cul_trace *trace, const json_t *list) {
  size_t *waits = cul_xcalloc(trace->n + 1, sizeof *waits), n = 0, n_edges;
  bool *done = cul_xcalloc(trace->n + 1, sizeof *done), ready = true;
  struct cul_trace_event *sorted = cul_xcalloc(trace->n + 1, sizeof *sorted);
  struct edge *edges = edges_of(trace, list, &n_edges);
  for (size_t i = 0; i < n_edges; i++)
    waits[edges[i].succ]++;
  while (n < trace->n) {
    size_t next = 0;
    while (next < trace->n && (done[next] || (ready && waits[next])))
      next++;
    if (next == trace->n) { /* a cycle */
      ready = false;
      continue;
    }
    done[next] = true;
    sorted[n++] = trace->events[next];
    for (size_t i = 0; i < n_edges; i++)
      if (edges[i].pred == next && waits[edges[i].succ])
        waits[edges[i].succ]--;
  }
  if (n)
    memcpy(trace->events, sorted, n * sizeof *sorted);
  free(edges);
  free(sorted);
  free(done);
  free(waits);
}

/* Sort by deps.json beside the dump or one directory above; a missing file is
 * no error. */
static void sort_by_dependencies(const struct dump *dump) {
  static const char *const places[] = {"deps.json", "../deps.json"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(places); i++) {
    char *path = cul_xasprintf("%s/%s", dump->dir, places[i]);
    json_t *deps = cul_simpler_load(path, NULL);
    free(path);
    if (!deps)
      continue;
    sort_events(dump->out, json_object_get(deps, "edges"));
    json_decref(deps);
    return;
  }
}

/* ---- files ---- */

static int read_payload(struct dump *dump, const char *other) {
  const json_t *file = json_object_get(dump->json, "bin_file");
  const char *name = json_string_value(file);
  char *path;
  int rc;
  if (json_is_null(file))
    return cul_fail(dump->err, CUL_EUSAGE,
                    "dump the tensors, too: --dump-args 2",
                    "%s/%s: it describes tensors without their elements",
                    dump->dir, dump->json_name);
  path = cul_xasprintf("%s/%s", dump->dir, name ? cul_basename(name) : other);
  rc = cul_file_read(path, CUL_TENSOR_MAX_BYTES, &dump->bytes, dump->err);
  free(path);
  return rc;
}

/* Names of kernels are one directory above the dump, or beside it. */
static void find_names(struct dump *dump) {
  char *above = cul_xasprintf("%s/..", dump->dir);
  dump->names = cul_simpler_names(above);
  if (!dump->names)
    dump->names = cul_simpler_names(dump->dir);
  free(above);
}

static int read_dump(struct dump *dump, const char *bin) {
  char *path = cul_xasprintf("%s/%s", dump->dir, dump->json_name);
  json_error_t why;
  const json_t *arg, *args;
  size_t i;
  int rc;
  dump->json = cul_simpler_load(path, &why);
  args = json_object_get(dump->json, "args");
  if (!args)
    args = json_object_get(dump->json, "tensors");
  if (!json_is_array(args))
    rc = cul_fail(dump->err, CUL_EUSAGE, "dump it again with this runtime",
                  "%s: %s", path, dump->json ? "no list \"args\"" : why.text);
  else
    rc = read_payload(dump, bin);
  find_names(dump);
  if (rc == 0)
    json_array_foreach(args, i, arg) {
      rc = cul_patience_left(dump->patience, dump->err);
      if (rc == 0)
        rc = read_argument(dump, arg, i);
      if (rc < 0)
        break;
    }
  if (rc == 0)
    drop_unfinished(dump, args);
  if (rc == 0)
    sort_by_dependencies(dump);
  json_decref(dump->json);
  json_decref(dump->names);
  cul_buf_release(&dump->bytes);
  free(path);
  return rc;
}

/* Read the dump in this directory, if there is one. */
static int read_here(const char *dir, const struct cul_patience *patience,
                     struct cul_trace *out, bool *mine, struct cul_err *err) {
  static const char *const names[][2] = {
      {"args_dump.json", "args.bin"}, {"tensor_dump.json", "tensor_dump.bin"}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    char *file = cul_xasprintf("%s/%s", dir, names[i][0]);
    *mine = access(file, F_OK) == 0;
    free(file);
    if (*mine)
      return read_dump(&(struct dump){.dir = dir,
                                      .json_name = names[i][0],
                                      .patience = patience,
                                      .out = out,
                                      .err = err},
                       names[i][1]);
  }
  return 0;
}

static int read_simpler(const char *path, const struct cul_patience *patience,
                        struct cul_trace *out, bool *mine,
                        struct cul_err *err) {
  static const char *const places[] = {"", "/args_dump", "/tensor_dump",
                                       "/dfx_outputs/args_dump",
                                       "/dfx_outputs/tensor_dump"};
  struct stat st;
  int rc = 0;
  *mine = stat(path, &st) == 0 && S_ISREG(st.st_mode) && read_hang(path, out);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(places) && !*mine && rc == 0; i++) {
    char *dir = cul_xasprintf("%s%s", path, places[i]);
    rc = read_here(dir, patience, out, mine, err);
    free(dir);
  }
  return rc;
}

const struct cul_trace_reader cul_trace_simpler = {.name = "simpler",
                                                   .read = read_simpler};
