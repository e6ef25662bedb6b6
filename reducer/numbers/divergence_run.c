/* Make and run programs that print values, and bisect with them: see
 * divergence.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/tensor/literal.h"
#include "../../runners/live.h"
#include "divergence_job.h"

static const uint64_t most_printed = (uint64_t)256 << 20, make_ms = 60 * 1000;
static const uint64_t most_traced = (uint64_t)64 << 20;
/* Longer prints are not put into the store. */
static const size_t most_stored = (size_t)4 << 20;

static int run_engine(struct cul_divergence_job *job, const char *const *words,
                      const char *to, struct cul_buf *out,
                      struct cul_err *err) {
  enum { MOST_WORDS = 24 };
  const char *argv[MOST_WORDS] = {job->program, "--run", "program"};
  size_t n = 3;
  struct cul_command command = {
      .argv = argv, .cwd = ".", .environment = job->target->tool.environment};
  struct cul_request request = {.role = "program",
                                .cmd = &command,
                                .wall_ms = make_ms,
                                .out_bytes = most_printed};
  const struct cul_subst subst = {"@{out}", to};
  struct cul_artefact none = {.subst = &subst,
                              .n_subst = to != NULL,
                              .dir = "",
                              .file = "",
                              .live_fd = -1};
  struct cul_record record = {0};
  char *tmp = cul_xasprintf("%s/t%04d", job->target->dir, CUL_SLOT_OTHER);
  int rc;
  if (job->conf->target.inputs.values) {
    argv[n++] = "--inputs";
    argv[n++] = job->conf->target.inputs.values;
  }
  for (; *words && n < MOST_WORDS - 2; words++)
    argv[n++] = *words;
  argv[n] = job->input;
  rc = cul_probe_wait(&job->target->probe, cul_runner_find("process"), &none,
                      &request, tmp, &record, err);
  if (rc == 0 && (record.end != CUL_EXITED || record.status != 0)) {
    const char *why = cul_buf_str(&record.err);
    if (strncmp(why, "error: ", 7) == 0)
      why += 7;
    rc = cul_fail(err, CUL_EUSAGE, "", "no program can be made of it: %.*s",
                  (int)strcspn(why, "\n"), why);
  }
  if (rc == 0)
    cul_buf_add(out, record.out.data, record.out.len);
  cul_record_release(&record);
  free(tmp);
  return rc;
}

/* The two sides of a comparison run the same program. */
int cul_divergence_make(struct cul_divergence_job *job,
                        const char *const *words, const char *to,
                        struct cul_buf *out, struct cul_err *err) {
  struct cul_buf by = {0}, made = {0};
  bool keeps = !to; /* nothing else that changes is read or written */
  int rc = 0;
  for (size_t i = 0; words[i]; i++) {
    keeps = keeps && strcmp(words[i], "--from") != 0;
    cul_buf_addf(&by, "%s\n", words[i]);
  }
  if (!keeps || strcmp(cul_buf_str(&by), cul_buf_str(&job->made_by)) != 0)
    rc = run_engine(job, words, to, &made, err);
  else
    cul_buf_add(&made, job->made.data, job->made.len);
  if (rc == 0)
    cul_buf_add(out, made.data, made.len);
  if (rc == 0 && keeps && made.len <= most_stored) {
    cul_buf_release(&job->made);
    cul_buf_release(&job->made_by);
    job->made = made;
    job->made_by = by;
    return 0;
  }
  cul_buf_release(&made);
  cul_buf_release(&by);
  return rc;
}

/* ---- the flow ---- */

static char *field(const char **at, char end) {
  size_t n = strcspn(*at, (const char[]){end, '\n', '\0'});
  char *out = cul_xstrndup(*at, n);
  *at += n + ((*at)[n] == end);
  return out;
}

/* Read a location, heap.  The engine's parser calls the file "-": replace that
 * by the input's name. */
static char *take_location(struct cul_divergence_job *job, const char **at) {
  char *raw = field(at, '\t'), *out, *hit = strstr(raw, "\"-\"");
  if (!hit)
    return raw;
  if (hit == raw && !strchr(raw + 3, '"'))
    out = cul_xasprintf("%s%s", job->conf->target.input, raw + 3);
  else
    out = cul_xasprintf("%.*s\"%s\"%s", (int)(hit - raw), raw,
                        job->conf->target.input, hit + 3);
  free(raw);
  return out;
}

void cul_divergence_read_op(struct cul_divergence_job *job, const char *at,
                            struct cul_flow_op *out) {
  out->name = field(&at, '\t');
  out->location = take_location(job, &at);
  out->text = field(&at, '\n');
}

int cul_divergence_list(struct cul_divergence_job *job,
                        const char *const *words, cul_divergence_line *fn,
                        struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_divergence_make(job, words, NULL, &text, err);
  for (const char *at = cul_buf_str(&text); rc == 0 && *at;) {
    size_t n = strcspn(at, "\n");
    fn(job, at);
    at += n + (at[n] == '\n');
  }
  cul_buf_release(&text);
  return rc;
}

static void read_line(struct cul_divergence_job *job, const char *at) {
  unsigned op, end, inside;
  unsigned long long elements;
  int skip = 0;
  job->fresh |= strncmp(at, "fresh\n", 6) == 0;
  if (sscanf(at, "op %*u %u %n", &inside, &skip) == 1) {
    struct cul_flow_op *new;
    job->ops = cul_xreallocarray(job->ops, job->n_ops + 1, sizeof *job->ops);
    new = &job->ops[job->n_ops++];
    *new = (struct cul_flow_op){.inside = inside};
    cul_divergence_read_op(job, at + skip, new);
  } else if (sscanf(at, "stop %u %n", &op, &skip) == 1 && op < job->n_ops) {
    at += skip;
    free(job->ops[op].stop);
    job->ops[op].stop = field(&at, '\n');
  } else if (sscanf(at, "value %*u %u %u %llu %n", &op, &end, &elements,
                    &skip) == 3) {
    job->values =
        cul_xreallocarray(job->values, job->n_values + 1, sizeof *job->values);
    at += skip;
    job->values[job->n_values++] =
        (struct cul_flow_item){op, end, elements, field(&at, '\n')};
  }
}

int cul_divergence_read_flow(struct cul_divergence_job *job,
                             struct cul_err *err) {
  static const char *const words[] = {"--flow", NULL};
  cul_divergence_free_flow(job);
  return cul_divergence_list(job, words, read_line, err);
}

void cul_flow_op_release(struct cul_flow_op *op) {
  free(op->name);
  free(op->location);
  free(op->text);
  free(op->stop);
}

void cul_divergence_free_flow(struct cul_divergence_job *job) {
  for (size_t i = 0; i < job->n_ops; i++)
    cul_flow_op_release(&job->ops[i]);
  for (size_t i = 0; i < job->n_values; i++)
    free(job->values[i].type);
  free(job->ops);
  free(job->values);
  job->ops = NULL;
  job->values = NULL;
  job->n_ops = job->n_values = 0;
}

/* ---- runs ---- */

/* Read an integer, signed or not, as 64 bits; skip blanks, commas and the
 * brackets of vectors. */
static bool next_number(const char **at, uint64_t *out) {
  char *end;
  *at += strspn(*at, " (),\n");
  *out = **at == '-' ? (uint64_t)strtoll(*at, &end, 10)
                     : (uint64_t)strtoull(*at, &end, 10);
  if (end == *at)
    return false;
  *at = end;
  return true;
}

static int read_one(const char **at, struct cul_tensors *out,
                    struct cul_err *err) {
  uint64_t number, rank, dims[CUL_TENSOR_MAX_RANK], bits, bytes;
  struct cul_tensor *tensor;
  enum cul_dtype dtype;
  size_t n = strcspn(*at, "\n"), size = 0;
  char name[24];
  bool good = cul_dtype_parse(*at, n, &dtype);
  if (good)
    size = cul_dtype_info(dtype)->size;
  *at += n;
  good = good && size <= sizeof bits;
  good = good && next_number(at, &number) && next_number(at, &rank) &&
         rank <= CUL_TENSOR_MAX_RANK;
  for (uint64_t d = 0; good && d < rank; d++)
    good = next_number(at, &dims[d]);
  if (!good)
    return cul_fail(err, CUL_EUSAGE, "", "the program prints no values");
  snprintf(name, sizeof name, "%llu", (unsigned long long)number);
  if (cul_tensor_room(dtype, (size_t)rank, dims, CUL_TENSOR_MAX_BYTES, &bytes,
                      err) < 0)
    return err->code;
  /* Every number takes at least one byte of text. */
  if (strnlen(*at, bytes / size) < bytes / size)
    return cul_fail(err, CUL_EUSAGE, "", "value %s is cut short", name);
  if (cul_tensors_add(out, name, dtype, (size_t)rank, dims, &tensor, err) < 0)
    return err->code;
  for (uint64_t i = 0; i < tensor->n; i++) {
    if (!next_number(at, &bits))
      return cul_fail(err, CUL_EUSAGE, "", "value %s is cut short", name);
    memcpy(tensor->data + i * size, &bits, size);
  }
  return 0;
}

int cul_divergence_next(const char **at, struct cul_tensors *out, bool *found,
                        struct cul_err *err) {
  static const char mark[] = "@out ";
  const char *next = strstr(*at, mark);
  *found = next != NULL;
  if (!next)
    return 0;
  *at = next + sizeof mark - 1;
  return read_one(at, out, err);
}

/* Read all values of a print, named by number. */
static int parse(const struct cul_buf *printed, struct cul_tensors *out,
                 struct cul_err *err) {
  const char *at = cul_buf_str(printed);
  bool found = true;
  int rc = 0;
  while (rc == 0 && found)
    rc = cul_divergence_next(&at, out, &found, err);
  return rc;
}

static int run_placed(struct cul_divergence_job *job,
                      const struct cul_artefact *artefact,
                      const struct cul_request *request,
                      struct cul_record *record, struct cul_err *err) {
  struct cul_target *target = job->target;
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  bool found = false;
  int rc = 0;
  if (target->cache)
    rc = cul_cache_get(target->cache, &artefact->digest, request, record,
                       &found, err);
  target->probe.counts.cached += found;
  if (rc == 0 && !found)
    rc = cul_probe_run_apart(&target->probe, artefact, request, tmp, record,
                             err);
  if (rc == 0 && record->end == CUL_MACHINE)
    rc = cul_record_fail(record, err);
  if (rc == 0 && !found && target->cache && record->end != CUL_DEADLINE &&
      record->out.len <= most_stored)
    rc = cul_cache_put(target->cache, &artefact->digest, request, record, err);
  free(tmp);
  return rc;
}

static int check_end(const struct cul_record *record, const char *who,
                     struct cul_err *err) {
  const char *why = cul_buf_str(&record->err);
  if (record->end == CUL_EXITED && record->status == 0 && !record->truncated)
    return 0;
  if (record->truncated || record->end == CUL_DEADLINE)
    return cul_fail(
        err, CUL_EUSAGE, "",
        "the %s does not end %s on a program that prints the values", who,
        record->truncated ? "within 64 MiB of output" : "in time");
  return cul_fail(err, CUL_EUSAGE, "",
                  "the %s fails on a program that prints the values: %.*s", who,
                  (int)strcspn(why, "\n"), why);
}

int cul_divergence_run(struct cul_divergence_job *job,
                       const struct cul_buf *program, enum cul_run_role role,
                       struct cul_tensors *out, struct cul_buf *printed,
                       struct cul_err *err) {
  struct cul_target *target = job->target;
  struct cul_request request = target->probe.request;
  struct cul_record record = {0};
  struct cul_placed placed;
  bool suspect = role == CUL_ROLE_SUSPECT || role == CUL_ROLE_SUSPECT_POISON;
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_buf_bytes(program), err);
  request.cmd = cul_target_command(target);
  if (role != CUL_ROLE_SUSPECT) {
    request.role = target->probe.roles[role].name;
    request.cmd = target->probe.roles[role].cmd;
    request.tool = target->probe.roles[role].tool;
  }
  request.out_bytes = out ? most_printed : most_traced;
  job->runs[suspect ? CUL_ROLE_SUSPECT : role]++;
  if (rc == 0)
    rc = run_placed(job, &placed.art, &request, &record, err);
  if (rc == 0)
    rc = check_end(&record, suspect ? "command" : "reference", err);
  if (rc == 0 && out)
    rc = parse(&record.out, out, err);
  if (rc == 0 && printed)
    cul_buf_add(printed, record.out.data, record.out.len);
  cul_record_release(&record);
  cul_placed_release(&placed);
  return rc;
}

/* ---- values ---- */

void cul_divergence_skip(struct cul_tensor *got, const struct cul_tensor *want,
                         const struct cul_tensor *a,
                         const struct cul_tensor *b) {
  size_t size = cul_dtype_info(want->dtype)->size;
  if (!a || !b || a->n != b->n || a->n != got->n || a->n != want->n ||
      a->dtype != got->dtype || want->dtype != got->dtype)
    return;
  for (uint64_t i = 0; i < want->n * size; i += size)
    if (memcmp(a->data + i, b->data + i, size) != 0)
      memcpy(got->data + i, want->data + i, size);
}

/* Copy those elements of want to got that are not finite in want. */
static void skip_nonfinite(struct cul_tensor *got,
                           const struct cul_tensor *want) {
  size_t size = cul_dtype_info(want->dtype)->size;
  if (got->dtype != want->dtype || got->n != want->n)
    return;
  for (uint64_t i = 0; i < want->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(want); part++)
      if (!isfinite(cul_tensor_get(want, i, part)))
        memcpy(got->data + i * size, want->data + i * size, size);
}

void cul_divergence_compare(const struct cul_divergence_job *job,
                            struct cul_tensor *got,
                            const struct cul_tensor *want,
                            struct cul_divergent *out) {
  struct cul_tolerance_conf conf = job->target->oracle_conf.mismatch.tolerance;
  struct cul_tolerance tolerance;
  struct cul_difference difference;
  struct cul_buf pattern = {0};
  *out = (struct cul_divergent){0};
  conf.rounding = !job->exact;
  cul_divergence_skip(got, want, cul_tensors_find(&job->want, got->name),
                      cul_tensors_find(&job->again, got->name));
  if (job->overflows)
    skip_nonfinite(got, want);
  tolerance = cul_tolerance_of(&conf, got, want);
  cul_tensor_compare(got, want, &tolerance, &difference);
  out->severity = difference.severity;
  out->differs = difference.class == CUL_ERR_SHAPE ||
                 (difference.n_fail > 0 && difference.severity >= job->floor);
  if (out->differs)
    cul_tensor_pattern(got, want, &difference, &pattern);
  snprintf(out->what, sizeof out->what, "%llu of %llu are off%s%.140s",
           (unsigned long long)difference.n_fail,
           (unsigned long long)difference.n, pattern.len ? ", " : "",
           cul_buf_str(&pattern));
  cul_buf_release(&pattern);
  cul_difference_release(&difference);
}

static int ask_reference(struct cul_divergence_job *job,
                         const struct cul_buf *show, enum cul_run_role role,
                         struct cul_tensors *out, struct cul_err *err) {
  const char *words[] = {"--show", cul_buf_str(show), NULL};
  struct cul_buf program = {0};
  int rc = cul_divergence_make(job, words, NULL, &program, err);
  if (rc == 0)
    rc = cul_divergence_run(job, &program, role, out, NULL, err);
  cul_buf_release(&program);
  return rc;
}

static void add_missing(const struct cul_tensors *known, const char *name,
                        struct cul_buf *show) {
  if (!cul_tensors_find(known, name))
    cul_buf_addf(show, "%s%s", show->len ? "," : "", name);
}

int cul_divergence_want(struct cul_divergence_job *job, const uint32_t *numbers,
                        size_t n, struct cul_err *err) {
  struct cul_buf show = {0};
  int rc = 0;
  for (size_t i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "%u", numbers[i]);
    add_missing(&job->want, name, &show);
  }
  if (show.len)
    rc = ask_reference(job, &show, CUL_ROLE_REFERENCE, &job->want, err);
  cul_buf_release(&show);
  return rc;
}

/* After a difference: if memory may be read before it is written, make the
 * reference compute all values of job->want again with fresh memory filled
 * differently, and add them to job->again. */
static int divergence_doubt(struct cul_divergence_job *job,
                            struct cul_err *err) {
  struct cul_buf show = {0};
  int rc = 0;
  for (size_t i = 0; job->fresh && i < job->want.n; i++)
    add_missing(&job->again, job->want.items[i].name, &show);
  if (show.len)
    rc = ask_reference(job, &show, CUL_ROLE_POISON, &job->again, err);
  cul_buf_release(&show);
  return rc;
}

/* ---- divergence bisect ---- */

/* The first difference, by few runs. */

/* One run prints the values at all places of a range if they have at most
 * most_elements elements; else at fewer places, but not fewer than PLACES. */
enum { PLACES = 5 };
static const uint64_t most_elements = 4 << 20;

/* The index of the first place at or after operation `op`; n: there is none. */
static size_t first_place(uint32_t op, const int64_t *places, size_t n) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (places[mid] < op)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The index of the first place at or after the operation that makes the value,
 * if the value is in use there; n: it is not. */
static size_t place_of(const struct cul_flow_item *value,
                       const struct cul_divergence_range *r,
                       const int64_t *places, size_t n) {
  size_t i = first_place(value->op, places, n);
  return i < n && value->op > r->lo && places[i] < value->end ? i : n;
}

static size_t spread(const struct cul_divergence_range *r, int64_t count,
                     int64_t *places) {
  int64_t width = r->hi - r->lo;
  size_t n = 0;
  for (int64_t i = 1; i <= count; i++) {
    int64_t at = r->lo + width * i / (count + 1);
    if (at > r->lo && at < r->hi && (n == 0 || at > places[n - 1]))
      places[n++] = at;
  }
  places[n++] = r->hi;
  return n;
}

static bool fits(const struct cul_divergence_job *job,
                 const struct cul_divergence_range *r, const int64_t *places,
                 size_t n) {
  uint64_t elements = 0;
  for (uint32_t v = 0; v < job->n_values; v++)
    if (place_of(&job->values[v], r, places, n) < n)
      elements += job->values[v].elements;
  return elements <= most_elements;
}

/* Choose the places: all of them, if their values can be printed; PLACES of
 * them after one program has hidden the difference; one after two have.
 * places: room for r->hi - r->lo, at least 1 + PLACES. */
static size_t choose_places(const struct cul_divergence_job *job,
                            const struct cul_divergence_range *r,
                            int64_t *places) {
  int64_t count = r->hi - r->lo - 1;
  size_t n;
  if (job->hidden > 1) {
    places[0] = r->lo + (r->hi - r->lo) / 2;
    return 1;
  }
  if (job->hidden || count < PLACES)
    count = PLACES;
  n = spread(r, count, places);
  for (; count > PLACES && !fits(job, r, places, n);
       n = spread(r, count, places))
    count = count / 2 > PLACES ? count / 2 : PLACES;
  return n;
}

static int show(struct cul_divergence_job *job, const uint32_t *numbers,
                size_t n, struct cul_tensors *got, struct cul_err *err) {
  struct cul_buf list = {0}, program = {0};
  const char *words[] = {"--show", NULL, NULL};
  int rc;
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(&list, "%s%u", i ? "," : "", numbers[i]);
  words[1] = cul_buf_str(&list);
  rc = cul_divergence_make(job, words, NULL, &program, err);
  if (rc == 0)
    rc = cul_divergence_run(job, &program, CUL_ROLE_SUSPECT, got, NULL, err);
  cul_buf_release(&list);
  cul_buf_release(&program);
  return rc;
}

static int compare_value(struct cul_divergence_job *job,
                         struct cul_tensors *got, uint32_t number,
                         struct cul_divergent *out, struct cul_err *err) {
  char name[24];
  struct cul_tensor *mine;
  const struct cul_tensor *want;
  snprintf(name, sizeof name, "%u", number);
  mine = (struct cul_tensor *)cul_tensors_find(got, name);
  want = cul_tensors_find(&job->want, name);
  if (!mine || !want)
    return cul_fail(err, CUL_EUSAGE, "", "value %s was not printed", name);
  cul_divergence_compare(job, mine, want, out);
  return 0;
}

/* Compare the suspect's values at the places with the reference's.  *first: the
 * index of the first place with a difference; n: none. */
static int look(struct cul_divergence_job *job, struct cul_divergence_range *r,
                const int64_t *places, size_t n, size_t *first,
                struct cul_err *err) {
  uint32_t *numbers = cul_xcalloc(job->n_values + 1, sizeof *numbers);
  struct cul_tensors got = {0};
  size_t count = 0;
  int rc = 0;
  *first = n;
  for (uint32_t v = 0; v < job->n_values; v++)
    if (place_of(&job->values[v], r, places, n) < n)
      numbers[count++] = v;
  if (count)
    rc = cul_divergence_want(job, numbers, count, err);
  if (rc == 0 && count)
    rc = show(job, numbers, count, &got, err);
  for (size_t i = 0; i < count && rc == 0; i++) {
    size_t place = place_of(&job->values[numbers[i]], r, places, n);
    struct cul_divergent one;
    rc = compare_value(job, &got, numbers[i], &one, err);
    if (rc == 0 && one.differs) {
      rc = divergence_doubt(job, err);
      if (rc == 0)
        rc = compare_value(job, &got, numbers[i], &one, err);
    }
    if (rc == 0 && one.differs && place < *first) {
      *first = place;
      r->what = one;
    }
  }
  cul_tensors_release(&got);
  free(numbers);
  return rc;
}

/* One run, which narrows the range, or makes the next run print less. */
static int narrow(struct cul_divergence_job *job,
                  struct cul_divergence_range *r, struct cul_err *err) {
  int64_t *places =
      cul_xcalloc((size_t)(r->hi - r->lo) + PLACES + 1, sizeof *places);
  size_t n = choose_places(job, r, places), first;
  int rc = look(job, r, places, n, &first, err);
  if (rc == 0 && first < n) {
    r->lo = first ? places[first - 1] : r->lo;
    r->hi = places[first];
    r->seen = true;
  } else if (rc == 0 && job->hidden > 1) {
    r->lo = places[0];
  }
  job->hidden += rc == 0 && first == n;
  free(places);
  return rc;
}

int cul_divergence_bisect(struct cul_divergence_job *job,
                          struct cul_divergence_range *r, struct cul_err *err) {
  int rc = 0;
  while (rc == 0 && (r->hi - r->lo > 1 || (!r->seen && !job->hidden)))
    rc = narrow(job, r, err);
  if (rc == 0 && !r->seen)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "all printed values agree: printing them hides the "
                  "difference, or no printed value shows it");
  return rc;
}
