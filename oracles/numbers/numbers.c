/* The numbers of a run: see numbers.h. */
#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/outputs.h"

static bool is_loose(const struct cul_tensor *tensor) {
  return strncmp(tensor->name, "lines[", strlen("lines[")) == 0;
}

/* If some values are printed as tensors, a loose number is a time, a count or
 * part of a warning: drop it. */
static void drop_loose(struct cul_tensors *tensors) {
  struct cul_tensors loose = {0};
  size_t n_loose = 0, kept = 0;
  for (size_t i = 0; i < tensors->n; i++)
    n_loose += is_loose(&tensors->items[i]);
  if (n_loose == 0 || n_loose == tensors->n)
    return;
  loose.items = cul_xcalloc(n_loose, sizeof *loose.items);
  for (size_t i = 0; i < tensors->n; i++)
    if (is_loose(&tensors->items[i]))
      loose.items[loose.n++] = tensors->items[i];
    else
      tensors->items[kept++] = tensors->items[i];
  tensors->n = kept;
  cul_tensors_release(&loose);
}

static int read_tensors(const struct cul_record *record,
                        struct cul_tensors *out, struct cul_err *err) {
  struct cul_bytes files = cul_buf_bytes(&record->outputs);
  struct cul_output_file file;
  size_t at = 0;
  while (cul_outputs_next(files, &at, &file)) {
    struct cul_tensors read = {0};
    if (!cul_tensors_knows(file.name))
      continue;
    if (cul_tensors_parse(file.bytes, file.name, NULL, &read, err) < 0)
      return err->code;
    cul_tensors_move(out, &read, file.name);
  }
  if (out->n)
    return 0;
  if (cul_tensors_parse_text(cul_buf_bytes(&record->out), NULL, out, err) < 0)
    return err->code;
  drop_loose(out);
  return 0;
}

/* Move out tensors with this mark: "result[noise 0]" is the noise of
 * "result[0]". */
static void split(struct cul_tensors *tensors, const char *mark,
                  struct cul_tensors *out) {
  size_t kept = 0, len = strlen(mark), before = strlen("result[");
  out->items = cul_xcalloc(tensors->n + 1, sizeof *out->items);
  for (size_t i = 0; i < tensors->n; i++) {
    struct cul_tensor *tensor = &tensors->items[i];
    if (strncmp(tensor->name, mark, len) != 0) {
      tensors->items[kept++] = *tensor;
      continue;
    }
    memmove(tensor->name + before, tensor->name + len,
            strlen(tensor->name + len) + 1);
    out->items[out->n++] = *tensor;
  }
  tensors->n = kept;
}

/* The rest of the first line that begins with `mark`; NULL: none. */
static const char *line_of(const struct cul_buf *text, const char *mark) {
  const char *at = cul_buf_str(text);
  size_t len = strlen(mark);
  while (at && strncmp(at, mark, len) != 0) {
    at = strchr(at, '\n');
    at = at ? at + 1 : NULL;
  }
  return at ? at + len : NULL;
}

int cul_numbers_read(const struct cul_record *record, struct cul_numbers *out,
                     struct cul_err *err) {
  const char *wide = line_of(&record->err, "wide: digits=");
  const char *raised = line_of(&record->err, "raised: ");
  const char *outside =
      line_of(&record->err, "warning: within one allocation: ");
  int rc = read_tensors(record, &out->tensors, err);
  if (rc < 0)
    return rc;
  split(&out->tensors, "result[noise ", &out->noise);
  split(&out->tensors, "result[bound ", &out->bounds);
  if (wide) {
    char *end;
    out->digits = (unsigned)strtoul(wide, &end, 10);
    out->exact = strncmp(end, " exact=yes", 10) == 0;
  }
  if (raised)
    snprintf(out->raised, sizeof out->raised, "%.*s",
             (int)strcspn(raised, "\n"), raised);
  if (outside)
    snprintf(out->outside, sizeof out->outside, "%.*s",
             (int)strcspn(outside, "\n"), outside);
  return 0;
}

void cul_numbers_release(struct cul_numbers *numbers) {
  cul_tensors_release(&numbers->tensors);
  cul_tensors_release(&numbers->noise);
  cul_tensors_release(&numbers->bounds);
}

bool cul_numbers_demoted(const struct cul_tensors *wide,
                         const struct cul_tensors *reference) {
  for (size_t i = 0; i < wide->n && i < reference->n; i++) {
    const struct cul_tensor *tensor = &wide->items[i];
    if (!tensor->untyped && tensor->dtype != CUL_F64 &&
        cul_dtype_info(tensor->dtype)->kind == CUL_IS_FLOAT &&
        tensor->dtype == reference->items[i].dtype)
      return true;
  }
  return false;
}

static bool is_finite(const struct cul_tensor *tensor, uint64_t i) {
  bool finite = true;
  for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
    finite = finite && isfinite(cul_tensor_get(tensor, i, part));
  return finite;
}

bool cul_numbers_overflow(const struct cul_tensors *wide,
                          const struct cul_tensors *reference) {
  for (size_t t = 0; t < wide->n && t < reference->n; t++) {
    const struct cul_tensor *a = &reference->items[t], *b = &wide->items[t];
    for (uint64_t i = 0; i < a->n && i < b->n; i++)
      if (!is_finite(a, i) && is_finite(b, i))
        return true;
  }
  return false;
}

/* Is the name in the list? */
static bool is_among(const char *name, size_t len, const char *list) {
  while (*list) {
    size_t own = strcspn(list, ",");
    if (own == len && memcmp(list, name, len) == 0)
      return true;
    list += own;
    list += strspn(list, ", ");
  }
  return false;
}

const char *cul_numbers_raises(const char *a, const char *b, size_t *len) {
  while (*a) {
    *len = strcspn(a, ",");
    if (!is_among(a, *len, b))
      return a;
    a += *len;
    a += strspn(a, ", ");
  }
  return NULL;
}

size_t cul_numbers_wrong_seeds(const struct cul_outputs *outputs, size_t *n) {
  enum { MOST = 64 };
  bool seen[MOST] = {false}, wrong[MOST] = {false};
  size_t count = 0;
  for (size_t i = 0; i < outputs->n; i++) {
    const struct cul_output *output = &outputs->items[i];
    const char *slash = strrchr(output->name, '/');
    size_t seed = slash && strncmp(output->name, "result[", 7) == 0
                      ? strtoul(slash + 1, NULL, 10) % MOST
                      : 0;
    seen[seed] = true;
    wrong[seed] = wrong[seed] || output->difference.n_fail > 0;
  }
  *n = 0;
  for (size_t s = 0; s < MOST; s++)
    *n += seen[s], count += wrong[s];
  return count;
}

/* Append the first element that is off, on both sides: "; got 3, want 2 at
 * [1]". */
static void add_first(const struct cul_output *output,
                      const struct cul_tensors *reference,
                      struct cul_buf *out) {
  const struct cul_difference *d = &output->difference;
  const struct cul_tensor *want =
      reference->n == 1 ? &reference->items[0]
                        : cul_tensors_find(reference, output->want->name);
  if (!want || d->first >= want->n)
    want = output->want;
  cul_buf_adds(out, "; ");
  cul_tensor_add_pair(output->got, want, d->first, out);
  if (want->n == 1)
    return;
  cul_buf_adds(out, " at ");
  cul_tensor_add_index(want, d->first, out);
}

/* Append a description of the elements that are off: ", PATTERN; got 3, want
 * 2". */
static void add_words(const struct cul_outputs *outputs,
                      const struct cul_output *output,
                      const struct cul_tensors *reference,
                      struct cul_buf *out) {
  struct cul_buf words = {0};
  cul_outputs_place(outputs, output, &words);
  /* contents of unwritten memory have no pattern */
  if (!words.len && outputs->class != CUL_ERR_UNWRITTEN)
    cul_tensor_pattern(output->got, output->want, &output->difference, &words);
  if (words.len)
    cul_buf_addf(out, ", %.110s", cul_buf_str(&words));
  add_first(output, reference, out);
  cul_buf_release(&words);
}

void cul_numbers_say(const struct cul_outputs *outputs,
                     const struct cul_tensors *reference,
                     struct cul_signature *sig) {
  const struct cul_output *worst = NULL;
  const struct cul_difference *d;
  bool unwritten = outputs->class == CUL_ERR_UNWRITTEN;
  struct cul_buf words = {0};
  for (size_t i = outputs->n; i-- > 0;)
    if (outputs->items[i].difference.n_fail)
      worst = &outputs->items[i];
  if (!worst)
    cul_bug("a mismatch of outputs of which none is off");
  *sig = (struct cul_signature){.kind = CUL_KIND_MISMATCH};
  d = &worst->difference;
  if (d->class == CUL_ERR_SHAPE) {
    snprintf(sig->title, sizeof sig->title, "mismatch: %.60s: %.150s",
             worst->name, d->why);
    return;
  }
  add_words(outputs, worst, reference, &words);
  snprintf(sig->title, sizeof sig->title,
           "mismatch (%s): %.40s%s%llu of %llu are off%s",
           cul_error_class_name(unwritten ? outputs->class : d->class),
           worst->name, *worst->name ? ": " : "", (unsigned long long)d->n_fail,
           (unsigned long long)d->n, cul_buf_str(&words));
  cul_buf_release(&words);
}
