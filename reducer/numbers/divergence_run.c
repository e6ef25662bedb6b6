/* Programs that print values: see divergence_run.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/tensor/literal.h"
#include "../../runners/live.h"
#include "divergence_run.h"

static const uint64_t most_printed = (uint64_t)256 << 20, make_ms = 60 * 1000;
static const uint64_t most_traced = (uint64_t)64 << 20;
/* Longer prints are not put into the store. */
static const size_t most_stored = (size_t)4 << 20;

void cul_divergence_add_word(struct cul_divergence_words *words,
                             const char *word) {
  words->items[words->n++] = word;
  words->items[words->n] = NULL;
}

void cul_divergence_add_root(const struct cul_inner *inner,
                             struct cul_divergence_words *out) {
  snprintf(out->root, sizeof out->root, "%u", inner->root);
  cul_divergence_add_word(out, inner->whole ? "--whole" : "--trace");
  if (!inner->whole)
    cul_divergence_add_word(out, out->root);
}

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
  CUL_OWNED(cul_record) record = {0};
  CUL_HEAP char *tmp =
      cul_xasprintf("%s/t%04d", job->target->dir, CUL_SLOT_OTHER);
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

int cul_divergence_list(struct cul_divergence_job *job,
                        const char *const *words, cul_divergence_line *fn,
                        struct cul_err *err) {
  CUL_OWNED(cul_buf) text = {0};
  int rc = cul_divergence_make(job, words, NULL, &text, err);
  for (const char *at = cul_buf_str(&text); rc == 0 && *at;) {
    size_t n = strcspn(at, "\n");
    fn(job, at);
    at += n + (at[n] == '\n');
  }
  return rc;
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
  CUL_HEAP char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
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
  CUL_OWNED(cul_record) record = {0};
  CUL_OWNED(cul_placed) placed = {0};
  bool suspect = cul_role_is_suspect(role);
  if (cul_target_place(target, CUL_SLOT_OTHER, &placed, err) < 0 ||
      cul_placed_fill(&placed, cul_buf_bytes(program), err) < 0)
    return err->code;
  request.cmd = cul_target_command(target);
  if (role != CUL_ROLE_SUSPECT) {
    request.role = target->probe.roles[role].name;
    request.cmd = target->probe.roles[role].cmd;
    request.tool = target->probe.roles[role].tool;
  }
  request.out_bytes = out ? most_printed : most_traced;
  job->runs[suspect ? CUL_ROLE_SUSPECT : role]++;
  if (run_placed(job, &placed.art, &request, &record, err) < 0 ||
      check_end(&record, suspect ? "command" : "reference", err) < 0 ||
      (out && parse(&record.out, out, err) < 0))
    return err->code;
  if (printed)
    cul_buf_add(printed, record.out.data, record.out.len);
  return 0;
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
  CUL_OWNED(cul_difference) difference = {0};
  CUL_OWNED(cul_buf) pattern = {0};
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
}

static int ask_reference(struct cul_divergence_job *job,
                         const struct cul_buf *show, enum cul_run_role role,
                         struct cul_tensors *out, struct cul_err *err) {
  const char *words[] = {"--show", cul_buf_str(show), NULL};
  CUL_OWNED(cul_buf) program = {0};
  int rc = cul_divergence_make(job, words, NULL, &program, err);
  return rc ? rc : cul_divergence_run(job, &program, role, out, NULL, err);
}

static void add_missing(const struct cul_tensors *known, const char *name,
                        struct cul_buf *show) {
  if (!cul_tensors_find(known, name))
    cul_buf_addf(show, "%s%s", show->len ? "," : "", name);
}

int cul_divergence_want(struct cul_divergence_job *job, const uint32_t *numbers,
                        size_t n, struct cul_err *err) {
  CUL_OWNED(cul_buf) show = {0};
  int rc = 0;
  for (size_t i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "%u", numbers[i]);
    add_missing(&job->want, name, &show);
  }
  if (show.len)
    rc = ask_reference(job, &show, CUL_ROLE_REFERENCE, &job->want, err);
  return rc;
}

int cul_divergence_doubt(struct cul_divergence_job *job, struct cul_err *err) {
  CUL_OWNED(cul_buf) show = {0};
  int rc = 0;
  for (size_t i = 0; job->fresh && i < job->want.n; i++)
    add_missing(&job->again, job->want.items[i].name, &show);
  if (show.len)
    rc = ask_reference(job, &show, CUL_ROLE_POISON, &job->again, err);
  return rc;
}
