/* Dependencies of tasks against dependencies: which order was lost.
 *
 * pypto's runtime, simpler, writes deps.json: {"edges": [{"pred": A, "succ": B,
 * "source": ..., "flags": ["wait", "retain"]}, ...]}, formerly [[A, B], ...],
 * and "tasks", with their kernels. A and B are 64-bit numbers, decimal strings
 * mostly: the ring in the upper half, the task in the lower.  B waits for A,
 * unless the flags lack "wait"; with "retain", the memory of A is kept until B
 * has ended. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/page/document.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "../../systems/simpler.h"
#include "compare_kind.h"

enum { GOT, WANT };
enum {
  MOST_PRINTED = 20, /* edges of each kind */
  MOST_REPORTED = 1000,
  MOST_DRAWN = 150, /* tasks */
};

enum kind { KEPT, UNORDERED, RELEASED, ORDERED, NEW, N_KINDS };
static const char *const kinds[N_KINDS] = {"kept", "unordered", "released",
                                           "lost", "new"};

struct task {
  uint64_t number;
  const json_t *kernels[2]; /* by side; borrowed from a graph, or NULL */
  bool has[2];              /* by side */
  size_t layer;             /* of the picture */
  bool drawn;
};

/* An edge; ends are indices of tasks. */
struct edge {
  uint32_t ends[2]; /* pred, succ */
  bool has[2];      /* by side: does it order its ends? */
  bool retains[2];
  enum kind kind;
  const char *source; /* borrowed from a graph, or "" */
};

struct deps {
  const struct cul_compare_job *job;
  json_t *graphs[2];
  struct task *tasks; /* by number */
  struct edge *edges; /* by ends */
  size_t n_tasks, n_edges, n_kind[N_KINDS], only[2];
  size_t n_other; /* tasks whose kernels are others in the other run */
  /* Of GOT: succ of the edges of task i are out[first[i]..first[i + 1]]. */
  uint32_t *first, *out;
  json_t *names[2]; /* of kernels; NULL: unknown */
  bool rings;       /* there is another one than 0 */
  bool flags;       /* edges of both sides have flags */
  bool host;        /* the runtime is host_build_graph */
};

/* ---- reading ---- */

static bool number_of(const json_t *task, uint64_t *out) {
  const char *text = json_string_value(task);
  char *end;
  if (json_is_integer(task)) {
    *out = (uint64_t)json_integer_value(task);
    return json_integer_value(task) >= 0;
  }
  if (!text || !isdigit((unsigned char)*text)) /* strtoull accepts " -1" */
    return false;
  errno = 0;
  *out = strtoull(text, &end, text[1] == 'x' ? 16 : 10);
  return *end == '\0' && errno == 0;
}

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The file of dependencies that path is or, where it holds no dump of
 * arguments, contains; heap, or NULL. */
static char *file_of(const char *path) {
  static const char *const dumps[] = {"args_dump", "tensor_dump", "."};
  static const char *const places[] = {"dfx_outputs", "."};
  if (is_file(path))
    return cul_xstrdup(path);
  for (size_t p = 0; p < CUL_ARRAY_SIZE(places); p++) {
    char *file = cul_xasprintf("%s/%s/deps.json", path, places[p]);
    bool dump = false;
    for (size_t d = 0; d < CUL_ARRAY_SIZE(dumps) && !dump; d++) {
      char *args =
          cul_xasprintf("%s/%s/%s/args_dump.json", path, places[p], dumps[d]);
      char *tensors =
          cul_xasprintf("%s/%s/%s/tensor_dump.json", path, places[p], dumps[d]);
      dump = is_file(args) || is_file(tensors);
      free(args);
      free(tensors);
    }
    if (!dump && is_file(file))
      return file;
    free(file);
  }
  return NULL;
}

/* *out: the graph of path; NULL: path is of another kind.  *names: of kernels,
 * or NULL.  Only the start of a file is looked at before it is parsed.  Errors:
 * EUSAGE (it is cut short). */
static int load_graph(const char *path, json_t **out, json_t **names,
                      struct cul_err *err) {
  char *file = file_of(path);
  json_t *json = NULL;
  json_error_t why;
  FILE *stream = file ? fopen(file, "re") : NULL;
  int c = 0, rc = 0;
  if (stream) {
    while ((c = fgetc(stream)) == ' ' || c == '\n' || c == '\t' || c == '\r')
      ;
    fclose(stream);
  }
  if (c == '{')
    json = cul_simpler_load(file, &why);
  if (c == '{' && !json && strcmp(cul_basename(file), "deps.json") == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "write it again: the run may have ended early",
                  "%s:%d: not JSON: %s", file, why.line, why.text);
  if (json_is_array(json_object_get(json, "edges")) &&
      !json_object_get(json, "traceEvents"))
    *out = json;
  else
    json_decref(json);
  if (*out) {
    const char *slash = strrchr(file, '/');
    char *dir =
        slash ? cul_xstrndup(file, (size_t)(slash - file)) : cul_xstrdup(".");
    *names = cul_simpler_names(dir);
    free(dir);
  }
  free(file);
  return rc;
}

static void add_task(struct deps *deps, const json_t *task, int side,
                     const json_t *kernels, bool *known, uint64_t *number) {
  *known = number_of(task, number);
  if (!*known)
    return;
  if ((deps->n_tasks & (deps->n_tasks - 1)) == 0)
    deps->tasks =
        cul_xreallocarray(deps->tasks, deps->n_tasks ? 2 * deps->n_tasks : 1,
                          sizeof *deps->tasks);
  deps->tasks[deps->n_tasks] = (struct task){.number = *number};
  deps->tasks[deps->n_tasks].kernels[side] = kernels;
  deps->tasks[deps->n_tasks++].has[side] = true;
}

static int by_number(const void *a, const void *b) {
  const struct task *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static int by_ends(const void *a, const void *b) {
  const struct edge *x = a, *y = b;
  for (int end = 0; end < 2; end++)
    if (x->ends[end] != y->ends[end])
      return x->ends[end] < y->ends[end] ? -1 : 1;
  return strcmp(x->source, y->source);
}

static json_t *end_of(const json_t *edge, size_t i) {
  return json_is_array(edge) ? json_array_get(edge, i)
                             : json_object_get(edge, i ? "succ" : "pred");
}

/* Each task once. */
static void merge_tasks(struct deps *deps) {
  size_t n = 0;
  if (deps->n_tasks)
    qsort(deps->tasks, deps->n_tasks, sizeof *deps->tasks, by_number);
  for (size_t i = 0; i < deps->n_tasks; i++) {
    struct task *task = &deps->tasks[i];
    if (n == 0 || deps->tasks[n - 1].number != task->number)
      deps->tasks[n++] = *task;
    for (int side = 0; side < 2; side++) {
      deps->tasks[n - 1].has[side] |= task->has[side];
      if (!deps->tasks[n - 1].kernels[side])
        deps->tasks[n - 1].kernels[side] = task->kernels[side];
    }
    deps->rings |= task->number >> 32 != 0;
  }
  deps->n_tasks = n;
  for (size_t i = 0; i < n; i++) {
    const struct task *task = &deps->tasks[i];
    for (int side = 0; side < 2; side++)
      deps->only[side] += task->has[side] && !task->has[!side];
    deps->n_other += task->kernels[GOT] && task->kernels[WANT] &&
                     !json_equal(task->kernels[GOT], task->kernels[WANT]);
  }
}

static int read_tasks(struct deps *deps, int side, struct cul_err *err) {
  const json_t *list = json_object_get(deps->graphs[side], "tasks"), *item;
  const json_t *edges = json_object_get(deps->graphs[side], "edges");
  uint64_t number;
  bool known;
  size_t i;
  json_array_foreach(list, i, item)
      add_task(deps, json_object_get(item, "task_id"), side,
               json_object_get(item, "kernel_ids"), &known, &number);
  json_array_foreach(edges, i, item) for (size_t end = 0; end < 2; end++) {
    add_task(deps, end_of(item, end), side, NULL, &known, &number);
    if (!known)
      return cul_fail(err, CUL_EUSAGE, "write it again with this runtime",
                      "%s: edges[%zu] has no %s", deps->job->paths[side], i,
                      end ? "succ" : "pred");
  }
  return 0;
}

static bool has_word(const json_t *words, const char *word) {
  const json_t *item;
  size_t i;
  json_array_foreach(
      words, i, item) if (json_is_string(item) &&
                          !strcmp(json_string_value(item), word)) return true;
  return false;
}

/* Flags of one side alone, of an older runtime, are no difference. */
static bool has_flags(const json_t *graph) {
  const json_t *edge;
  size_t i;
  json_array_foreach(json_object_get(graph, "edges"), i,
                     edge) if (json_object_get(edge, "flags")) return true;
  return false;
}

static void read_edges(struct deps *deps, int side) {
  const json_t *list = json_object_get(deps->graphs[side], "edges"), *item;
  size_t i;
  deps->edges =
      cul_xreallocarray(deps->edges, deps->n_edges + json_array_size(list) + 1,
                        sizeof *deps->edges);
  json_array_foreach(list, i, item) {
    const char *source = json_string_value(json_object_get(item, "source"));
    const json_t *flags = deps->flags ? json_object_get(item, "flags") : NULL;
    struct edge edge = {.source = source ? source : ""};
    for (size_t end = 0; end < 2; end++) {
      struct task key = {0};
      const struct task *task = NULL;
      if (number_of(end_of(item, end), &key.number))
        task = bsearch(&key, deps->tasks, deps->n_tasks, sizeof key, by_number);
      edge.ends[end] = (uint32_t)(task - deps->tasks);
    }
    edge.has[side] = !flags || has_word(flags, "wait");
    edge.retains[side] = has_word(flags, "retain");
    deps->edges[deps->n_edges++] = edge;
  }
}

/* Each pair once: an edge for every tensor is one order. */
static void merge_edges(struct deps *deps) {
  size_t n = 0;
  if (deps->n_edges)
    qsort(deps->edges, deps->n_edges, sizeof *deps->edges, by_ends);
  for (size_t i = 0; i < deps->n_edges; i++) {
    struct edge *edge = &deps->edges[i];
    if (n == 0 ||
        memcmp(deps->edges[n - 1].ends, edge->ends, sizeof edge->ends) != 0)
      deps->edges[n++] = *edge;
    for (int side = 0; side < 2; side++) {
      deps->edges[n - 1].has[side] |= edge->has[side];
      deps->edges[n - 1].retains[side] |= edge->retains[side];
    }
  }
  deps->n_edges = n;
}

/* ---- what was lost ---- */

static void list_successors(struct deps *deps) {
  deps->first = cul_xcalloc(deps->n_tasks + 2, sizeof *deps->first);
  deps->out = cul_xcalloc(deps->n_edges + 1, sizeof *deps->out);
  for (size_t i = 0; i < deps->n_edges; i++)
    if (deps->edges[i].has[GOT])
      deps->first[deps->edges[i].ends[0] + 1]++;
  for (size_t i = 0; i < deps->n_tasks; i++)
    deps->first[i + 1] += deps->first[i];
  /* Edges are sorted by their first end. */
  for (size_t i = 0, n = 0; i < deps->n_edges; i++)
    if (deps->edges[i].has[GOT])
      deps->out[n++] = deps->edges[i].ends[1];
}

enum { SOUGHT = 1, AFTER = 2 };

/* Mark what comes after the first end of an edge in GOT, until all that it lost
 * is found; its lost edges begin with this one. */
static void mark_after(const struct deps *deps, size_t edge,
                       unsigned char *marks, uint32_t *stack) {
  uint32_t task = deps->edges[edge].ends[0];
  size_t n = 0, left = 0;
  memset(marks, 0, deps->n_tasks * sizeof *marks);
  for (; edge < deps->n_edges && deps->edges[edge].ends[0] == task; edge++)
    if (!deps->edges[edge].has[GOT]) {
      marks[deps->edges[edge].ends[1]] = SOUGHT;
      left++;
    }
  stack[n++] = task;
  while (n && left) {
    uint32_t at = stack[--n];
    for (uint32_t i = deps->first[at]; i < deps->first[at + 1]; i++) {
      unsigned char *mark = &marks[deps->out[i]];
      if (*mark & AFTER)
        continue;
      left -= *mark == SOUGHT;
      *mark |= AFTER;
      stack[n++] = deps->out[i];
    }
  }
}

/* Did GOT lose the hold on the memory of the first end? */
static bool is_released(const struct edge *edge) {
  return edge->retains[WANT] && !edge->retains[GOT];
}

static void classify(struct deps *deps) {
  unsigned char *marks = cul_xcalloc(deps->n_tasks + 1, sizeof *marks);
  uint32_t *stack = cul_xcalloc(deps->n_tasks + 2, sizeof *stack);
  uint32_t marked = UINT32_MAX;
  for (size_t i = 0; i < deps->n_edges; i++) {
    struct edge *edge = &deps->edges[i];
    if (edge->has[GOT] == edge->has[WANT] && is_released(edge)) {
      edge->kind = RELEASED;
    } else if (edge->has[GOT]) {
      edge->kind = edge->has[WANT] ? KEPT : NEW;
    } else if (!edge->has[WANT]) {
      edge->kind = edge->retains[GOT] == edge->retains[WANT] ? KEPT : NEW;
    } else {
      if (marked != edge->ends[0])
        mark_after(deps, i, marks, stack);
      marked = edge->ends[0];
      edge->kind = marks[edge->ends[1]] & AFTER ? ORDERED : UNORDERED;
    }
    deps->n_kind[edge->kind]++;
  }
  free(marks);
  free(stack);
}

/* ---- words ---- */

/* "12", or "2:12" where there are several rings, or as simpler's viewer has the
 * tasks of host_build_graph, with an id space in the upper two bits: "g3t12" is
 * a task of task 3. */
static void number_task(const struct deps *deps, uint64_t number,
                        struct cul_buf *out) {
  enum { SUB_TASK = 1, PARAMETER = 2 };
  unsigned low = (unsigned)number, space = (unsigned)(number >> 62);
  if (deps->host && space == SUB_TASK)
    cul_buf_addf(out, "g%ut%u", (unsigned)(number >> 32) & 0xfffff, low);
  else if (deps->host && space == PARAMETER)
    cul_buf_addf(out, "p%u", low);
  else if (deps->rings && !deps->host)
    cul_buf_addf(out, "%u:%u", (unsigned)(number >> 32), low);
  else
    cul_buf_addf(out, "%u", low);
}

static void name_task(const struct deps *deps, uint32_t i,
                      struct cul_buf *out) {
  const struct task *task = &deps->tasks[i];
  int side = task->kernels[GOT] ? GOT : WANT;
  char *kernels = cul_simpler_kernels(
      deps->names[deps->names[side] ? side : !side], task->kernels[side]);
  number_task(deps, task->number, out);
  if (kernels)
    cul_buf_addf(out, " (%s)", kernels);
  free(kernels);
}

static void name_edge(const struct deps *deps, const struct edge *edge,
                      struct cul_buf *out) {
  name_task(deps, edge->ends[0], out);
  cul_buf_adds(out, " -> ");
  name_task(deps, edge->ends[1], out);
  if (*edge->source)
    cul_buf_addf(out, ", %s", edge->source);
  if (!edge->has[GOT] && edge->retains[GOT])
    cul_buf_adds(out, ", retained, but without a wait");
}

static void print_kind(const struct deps *deps, enum kind kind,
                       const char *words) {
  size_t n = 0;
  for (size_t i = 0; i < deps->n_edges && n < MOST_PRINTED; i++) {
    struct cul_buf name = {0};
    if (deps->edges[i].kind != kind)
      continue;
    name_edge(deps, &deps->edges[i], &name);
    cul_say(deps->job->out, "%-10s %s\n", words, cul_buf_str(&name));
    cul_buf_release(&name);
    n++;
  }
  if (deps->n_kind[kind] > n)
    cul_say(deps->job->out, "%-10s %zu more\n", "", deps->n_kind[kind] - n);
}

static void summarize(const struct deps *deps, struct cul_buf *out) {
  size_t lost = deps->n_kind[UNORDERED] + deps->n_kind[ORDERED];
  cul_buf_addf(out, "%zu tasks, %zu edges in both", deps->n_tasks,
               deps->n_kind[KEPT]);
  cul_buf_addf(out, "; %zu lost", lost);
  if (lost)
    cul_buf_addf(out, ", %zu of them without any other order",
                 deps->n_kind[UNORDERED]);
  if (deps->n_kind[RELEASED])
    cul_buf_addf(out, "; %zu no longer retained", deps->n_kind[RELEASED]);
  cul_buf_addf(out, "; %zu new", deps->n_kind[NEW]);
  if (deps->only[GOT] || deps->only[WANT])
    cul_buf_addf(out, "; tasks in one run only: %zu in got, %zu in want",
                 deps->only[GOT], deps->only[WANT]);
  if (deps->n_other)
    cul_buf_addf(out, "; tasks whose kernels differ: %zu", deps->n_other);
}

static void print(const struct deps *deps) {
  struct cul_buf text = {0};
  summarize(deps, &text);
  cul_say(deps->job->out, "%s\n", cul_buf_str(&text));
  cul_buf_release(&text);
  print_kind(deps, UNORDERED, "unordered:");
  print_kind(deps, RELEASED, "released:");
  print_kind(deps, ORDERED, "lost:");
  print_kind(deps, NEW, "new:");
}

static bool is_equal(const struct deps *deps) {
  return deps->n_kind[KEPT] == deps->n_edges && !deps->only[GOT] &&
         !deps->only[WANT];
}

/* Kinds of edges, worst first, as lists are cut. */
static const enum kind worst_first[] = {UNORDERED, RELEASED, ORDERED, NEW};

static void report_kind(const struct deps *deps, enum kind kind, json_t *list) {
  for (size_t i = 0; i < deps->n_edges && json_array_size(list) < MOST_REPORTED;
       i++) {
    const struct edge *edge = &deps->edges[i];
    struct cul_buf ends[2] = {{0}, {0}};
    if (edge->kind != kind)
      continue;
    for (int end = 0; end < 2; end++)
      cul_buf_addf(&ends[end], "%llu",
                   (unsigned long long)deps->tasks[edge->ends[end]].number);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "kind", kinds[kind], "pred",
                        cul_buf_str(&ends[0]), "succ", cul_buf_str(&ends[1])));
    for (int end = 0; end < 2; end++)
      cul_buf_release(&ends[end]);
  }
}

static json_t *report_of(const struct deps *deps) {
  json_t *list = json_array();
  for (size_t k = 0; k < CUL_ARRAY_SIZE(worst_first); k++)
    report_kind(deps, worst_first[k], list);
  return json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "equal",
                   is_equal(deps), "tasks", (json_int_t)deps->n_tasks,
                   "other_kernels", (json_int_t)deps->n_other, "kept",
                   (json_int_t)deps->n_kind[KEPT], "unordered",
                   (json_int_t)deps->n_kind[UNORDERED], "released",
                   (json_int_t)deps->n_kind[RELEASED], "lost",
                   (json_int_t)deps->n_kind[ORDERED], "new",
                   (json_int_t)deps->n_kind[NEW], "edges", list);
}

/* ---- the picture ---- */

static size_t draw_ends(struct deps *deps, const struct edge *edge) {
  size_t n = 0;
  for (int end = 0; end < 2; end++) {
    struct task *task = &deps->tasks[edge->ends[end]];
    n += !task->drawn;
    task->drawn = true;
  }
  return n;
}

/* Draw the ends of edges that changed, unordered ones first, then their
 * neighbours. */
static size_t choose(struct deps *deps) {
  bool *near = cul_xcalloc(deps->n_tasks + 1, sizeof *near);
  size_t n = 0;
  for (size_t k = 0; k < CUL_ARRAY_SIZE(worst_first); k++)
    for (size_t i = 0; i < deps->n_edges && n < MOST_DRAWN; i++)
      if (deps->edges[i].kind == worst_first[k])
        n += draw_ends(deps, &deps->edges[i]);
  for (size_t i = 0; i < deps->n_tasks; i++)
    near[i] = deps->tasks[i].drawn;
  for (size_t i = 0; i < deps->n_edges && n < MOST_DRAWN; i++)
    if (near[deps->edges[i].ends[0]] || near[deps->edges[i].ends[1]])
      n += draw_ends(deps, &deps->edges[i]);
  free(near);
  return n;
}

/* A task stands below all that it waits for; edges of a cycle do not count
 * once it is as deep as there are tasks. */
static size_t find_layers(struct deps *deps, size_t n) {
  size_t deepest = 0;
  bool moved = true;
  for (size_t round = 0; moved && round < n; round++) {
    moved = false;
    for (size_t i = 0; i < deps->n_edges; i++) {
      struct task *pred = &deps->tasks[deps->edges[i].ends[0]];
      struct task *succ = &deps->tasks[deps->edges[i].ends[1]];
      if (!pred->drawn || !succ->drawn || pred == succ ||
          succ->layer > pred->layer || pred->layer + 1 >= n)
        continue;
      succ->layer = pred->layer + 1;
      deepest = succ->layer > deepest ? succ->layer : deepest;
      moved = true;
    }
  }
  return deepest;
}

enum { BOX = 150, TALL = 24, WIDE = 210, DOWN = 70, LEAST = 840 };

/* An edge over several layers bends around the tasks between. */
static void draw_edge(const struct deps *deps, const struct edge *edge,
                      const size_t *column, const char *stroke,
                      struct cul_buf *out) {
  const struct task *a = &deps->tasks[edge->ends[0]];
  const struct task *b = &deps->tasks[edge->ends[1]];
  size_t x = column[edge->ends[0]] * WIDE + BOX / 2, y = a->layer * DOWN + TALL;
  size_t x2 = column[edge->ends[1]] * WIDE + BOX / 2, y2 = b->layer * DOWN;
  size_t bend = b->layer > a->layer + 1 || b->layer <= a->layer ? BOX + 40 : 0;
  cul_buf_addf(out, "<path fill=\"none\" %s d=\"M%zu %zuQ%zu %zu %zu %zu\"/>\n",
               stroke, x, y, (x + x2) / 2 + bend, (y + y2) / 2, x2, y2);
}

static void draw_edges(const struct deps *deps, const size_t *column,
                       struct cul_buf *out) {
  static const char *const strokes[N_KINDS] = {
      "stroke=\"#888\"", "stroke=\"#c00\" stroke-width=\"3\"",
      "stroke=\"#808\" stroke-width=\"2\"",
      "stroke=\"#d80\" stroke-dasharray=\"6 3\"",
      "stroke=\"#06c\" stroke-dasharray=\"2 3\""};
  for (size_t i = 0; i < deps->n_edges; i++) {
    const uint32_t *ends = deps->edges[i].ends;
    if (deps->tasks[ends[0]].drawn && deps->tasks[ends[1]].drawn)
      draw_edge(deps, &deps->edges[i], column, strokes[deps->edges[i].kind],
                out);
  }
}

static void draw_tasks(const struct deps *deps, const size_t *column,
                       struct cul_buf *out) {
  for (uint32_t i = 0; i < deps->n_tasks; i++) {
    struct cul_buf name = {0};
    if (!deps->tasks[i].drawn)
      continue;
    name_task(deps, i, &name);
    cul_buf_addf(out,
                 "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" "
                 "rx=\"4\" fill=\"#eee\" stroke=\"#555\"/><text x=\"%zu\" "
                 "y=\"%zu\" fill=\"#000\" font-size=\"11\" "
                 "text-anchor=\"middle\">",
                 column[i] * WIDE, deps->tasks[i].layer * DOWN, BOX, TALL,
                 column[i] * WIDE + BOX / 2,
                 deps->tasks[i].layer * DOWN + TALL - 8);
    /* Names of kernels are of others: letters, digits and signs only. */
    for (size_t k = 0; k < name.len && k < 26; k++)
      cul_buf_addc(out, name.data[k] < ' ' || strchr("<>&\"'", name.data[k]) ||
                                (unsigned char)name.data[k] > '~'
                            ? '?'
                            : name.data[k]);
    cul_buf_adds(out, "</text>\n");
    cul_buf_release(&name);
  }
}

static void draw(struct deps *deps, struct cul_buf *out) {
  size_t n = choose(deps), deepest = find_layers(deps, n), widest = 1;
  size_t *column = cul_xcalloc(deps->n_tasks + 1, sizeof *column);
  size_t *width = cul_xcalloc(deepest + 1, sizeof *width);
  for (size_t i = 0; i < deps->n_tasks; i++)
    if (deps->tasks[i].drawn) {
      column[i] = width[deps->tasks[i].layer]++;
      if (width[deps->tasks[i].layer] > widest)
        widest = width[deps->tasks[i].layer];
    }
  widest = widest * WIDE < LEAST ? LEAST : widest * WIDE;
  cul_buf_addf(out,
               "<svg viewBox=\"-4 -4 %zu %zu\" width=\"%zu\" role=\"img\" "
               "xmlns=\"http://www.w3.org/2000/svg\">\n",
               widest, (deepest + 1) * DOWN, widest);
  draw_edges(deps, column, out);
  draw_tasks(deps, column, out);
  cul_buf_adds(out, "</svg>\n");
  free(column);
  free(width);
}

/* Add rows for the edges of a kind, while fewer than MOST_REPORTED are there;
 * returns how many are there then. */
static size_t list_kind(const struct deps *deps, enum kind kind, size_t n,
                        struct cul_page *page) {
  static const char *const words[N_KINDS] = {
      "", "no order", "no longer retained", "another order", "new"};
  for (size_t i = 0; i < deps->n_edges && n < MOST_REPORTED; i++) {
    struct cul_buf name = {0};
    if (deps->edges[i].kind != kind)
      continue;
    name_edge(deps, &deps->edges[i], &name);
    cul_document_row(page);
    cul_document_cell(page, cul_buf_str(&name));
    cul_document_cell(page, words[kind]);
    cul_buf_release(&name);
    n++;
  }
  return n;
}

static void list_edges(const struct deps *deps, struct cul_page *page) {
  static const char *const columns[] = {"edge", "in GOT", NULL};
  size_t n = 0;
  cul_document_table(page, columns, 0);
  for (size_t k = 0; k < CUL_ARRAY_SIZE(worst_first); k++)
    n = list_kind(deps, worst_first[k], n, page);
  cul_document_table_end(page);
  if (deps->n_edges - deps->n_kind[KEPT] > n) {
    cul_page_begin(page, CUL_PAGE_PARAGRAPH);
    cul_page_words(page, "%zu more edges are not listed.",
                   deps->n_edges - deps->n_kind[KEPT] - n);
    cul_page_end(page);
    cul_page_settle(page);
  }
}

static int write_page(struct deps *deps, struct cul_err *err) {
  struct cul_page page;
  struct cul_buf text = {0};
  int rc;
  if (!deps->job->html)
    return 0;
  summarize(deps, &text);
  cul_page_init(&page, CUL_PAGE_HTML, 0);
  cul_document_begin(&page, "Dependencies of tasks");
  cul_page_begin(&page, CUL_PAGE_TITLE);
  cul_page_words(&page, "%s", "Dependencies of tasks");
  cul_page_end(&page);
  cul_page_begin(&page, CUL_PAGE_PARAGRAPH);
  cul_page_words(&page, "%s. ", cul_buf_str(&text));
  cul_page_words(
      &page, "%s",
      "Red: the order is lost. Orange: the edge is lost, other edges "
      "keep the order. Blue: the edge is new.");
  if (deps->n_kind[RELEASED])
    cul_page_words(&page, "%s",
                   " Purple: the first task's memory may be used again before "
                   "the second one ends.");
  cul_page_end(&page);
  cul_page_settle(&page);
  draw(deps, &page.out);
  list_edges(deps, &page);
  cul_document_end(&page);
  if (strcmp(deps->job->html, "-") == 0)
    rc = cul_say_text(stdout, cul_buf_str(&page.out)) == EOF
             ? cul_fail(err, CUL_EENV,
                        "is the reader of the pipe still running?",
                        "cannot write to standard output")
             : 0;
  else
    rc = cul_file_write_through(deps->job->html, page.out.data, page.out.len,
                                0666, err);
  cul_page_release(&page);
  cul_buf_release(&text);
  return rc;
}

/* ---- the kind ---- */

static int compare(struct deps *deps, struct cul_err *err) {
  const struct cul_compare_profile_conf *conf = deps->job->conf;
  int rc = 0;
  if (deps->job->again->n || deps->job->number_options || conf->metric ||
      conf->threshold || conf->under)
    return cul_fail(err, CUL_EUSAGE, "leave it out",
                    "only --html and --json apply to dependencies");
  for (int side = 0; side < 2 && rc == 0; side++)
    rc = read_tasks(deps, side, err);
  if (rc < 0)
    return rc;
  merge_tasks(deps);
  deps->flags = has_flags(deps->graphs[GOT]) && has_flags(deps->graphs[WANT]);
  for (int side = 0; side < 2; side++) {
    const char *runtime =
        json_string_value(json_object_get(deps->graphs[side], "runtime"));
    deps->host |= runtime && strcmp(runtime, "host_build_graph") == 0;
    read_edges(deps, side);
  }
  merge_edges(deps);
  list_successors(deps);
  classify(deps);
  print(deps);
  return write_page(deps, err);
}

static int run(const struct cul_compare_job *job, bool *mine, json_t **report,
               struct cul_err *err) {
  struct deps deps = {.job = job};
  int rc = 0;
  for (int side = 0; side < 2 && rc == 0; side++)
    rc = load_graph(job->paths[side], &deps.graphs[side], &deps.names[side],
                    err);
  *mine = rc == 0 && (deps.graphs[GOT] || deps.graphs[WANT]);
  if (*mine && (!deps.graphs[GOT] || !deps.graphs[WANT]))
    rc = cul_fail(err, CUL_EUSAGE, "give the deps.json of the other run, too",
                  "%s contains dependencies of tasks, %s does not",
                  job->paths[deps.graphs[GOT] ? GOT : WANT],
                  job->paths[deps.graphs[GOT] ? WANT : GOT]);
  if (rc == 0 && *mine)
    rc = compare(&deps, err);
  if (rc == 0 && *mine) {
    *report = report_of(&deps);
    rc = is_equal(&deps) ? 0 : CUL_EDIFFER;
  }
  json_decref(deps.graphs[GOT]);
  json_decref(deps.graphs[WANT]);
  json_decref(deps.names[GOT]);
  json_decref(deps.names[WANT]);
  free(deps.tasks);
  free(deps.edges);
  free(deps.first);
  free(deps.out);
  return rc;
}

const struct cul_compare_kind cul_compare_deps = {.run = run};
