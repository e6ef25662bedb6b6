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

static int read_files(const struct cul_record *record, struct cul_tensors *out,
                      struct cul_err *err) {
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
  return 0;
}

static int read_printed(struct cul_bytes text, struct cul_tensors *out,
                        struct cul_err *err) {
  if (cul_tensors_parse_text(text, NULL, out, err) < 0)
    return err->code;
  drop_loose(out);
  return 0;
}

/* Cut the text at its first line that separates runs of one program; the rest,
 * which is empty if there is none. */
static struct cul_bytes cut_run(struct cul_bytes *text) {
  static const char mark[] = "wide: strayed\n";
  const size_t len = sizeof mark - 1;
  struct cul_bytes rest = *text;
  while (rest.len) {
    const char *end = memchr(rest.data, '\n', rest.len);
    bool found = rest.len >= len && memcmp(rest.data, mark, len) == 0;
    size_t line = end ? (size_t)(end + 1 - rest.data) : rest.len;
    if (found)
      text->len = (size_t)(rest.data - text->data);
    rest.data += line;
    rest.len -= line;
    if (found)
      break;
  }
  return rest;
}

/* Read a run in f64 that was repeated with numbers that stray: how far its
 * results move. */
static int read_strayed(struct cul_bytes runs, struct cul_numbers *out,
                        struct cul_err *err) {
  int rc = 0;
  if (runs.len && out->noise.n == 0)
    rc = cul_noise_add(&out->tensors, &out->noise, err);
  while (runs.len && rc == 0) {
    struct cul_bytes run = runs;
    struct cul_tensors strayed = {0};
    runs = cut_run(&run);
    rc = read_printed(run, &strayed, err);
    if (rc == 0)
      cul_noise_spread(&out->tensors, &strayed, &out->noise);
    cul_tensors_release(&strayed);
  }
  return rc;
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

/* Copy the rest of the first line that begins with `mark`, if there is one. */
static void copy_line(const struct cul_buf *text, const char *mark, char *out,
                      size_t room) {
  const char *line = line_of(text, mark);
  if (line)
    snprintf(out, room, "%.*s", (int)strcspn(line, "\n"), line);
}

int cul_numbers_read(const struct cul_record *record, struct cul_numbers *out,
                     struct cul_err *err) {
  const char *wide = line_of(&record->err, "wide: digits=");
  struct cul_bytes text = cul_buf_bytes(&record->out), runs = {0};
  int rc = read_files(record, &out->tensors, err);
  if (wide)
    runs = cut_run(&text);
  if (rc == 0 && out->tensors.n == 0) {
    rc = read_printed(text, &out->tensors, err);
    split(&out->tensors, "result[noise ", &out->noise);
    split(&out->tensors, "result[bound ", &out->bounds);
    if (rc == 0)
      rc = read_strayed(runs, out, err);
  }
  if (rc < 0)
    return rc;
  if (wide) {
    char *end;
    out->digits = (unsigned)strtoul(wide, &end, 10);
    out->exact = strncmp(end, " exact=yes", 10) == 0;
  }
  copy_line(&record->err, "wide: unchanged: ", out->unchanged,
            sizeof out->unchanged);
  copy_line(&record->err, "raised: ", out->raised, sizeof out->raised);
  copy_line(&record->err, "warning: within one allocation: ", out->outside,
            sizeof out->outside);
  return 0;
}

void cul_numbers_release(struct cul_numbers *numbers) {
  cul_tensors_release(&numbers->tensors);
  cul_tensors_release(&numbers->noise);
  cul_tensors_release(&numbers->bounds);
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
