/* Original locations: see origins.h. */
#include "origins.h"

#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "../plan/plan.h"

/* The file name that a worker's parser gives to its text. */
static const char parsed_text[] = "\"-\"";

/* Append the location with `name`, quoted, in place of each `file`, which is
 * quoted already. */
static void rename_file(struct cul_bytes location, const char *file,
                        const char *name, struct cul_buf *out) {
  const char *at = location.data, *end = at + location.len, *hit;
  size_t n = strlen(file);
  while ((hit = memmem(at, (size_t)(end - at), file, n))) {
    cul_buf_add(out, at, (size_t)(hit - at));
    cul_buf_addf(out, "\"%s\"", name);
    at = hit + n;
  }
  cul_buf_add(out, at, (size_t)(end - at));
}

/* "a.mlir":3:4 reads better without quotes; others stay as MLIR prints. */
static void unquote(struct cul_buf *location) {
  char *close;
  if (location->len < 2 || location->data[0] != '"')
    return;
  close = strchr(location->data + 1, '"');
  if (!close || close[1] != ':' || strchr(close + 1, '"'))
    return;
  memmove(close, close + 1, strlen(close));
  memmove(location->data, location->data + 1, location->len - 2);
  location->len -= 2;
  location->data[location->len] = '\0';
}

/* Append a location in the input.  If an opt tool printed the text that the
 * worker parsed, a location in that text tells nothing about the input and is
 * left out; one in the file that the tool read is kept. */
static void add_location(const struct cul_reduce *job,
                         struct cul_bytes location, struct cul_buf *out) {
  const char *input = job->conf->target.input;
  CUL_OWNED(cul_buf) renamed = {0}, text = {0};
  CUL_HEAP char *printed = cul_xasprintf(
      "\"%s\"", job->subject.form.read ? job->subject.form.read : input);
  if (!job->subject.form.read ||
      !memmem(location.data, location.len, parsed_text, strlen(parsed_text))) {
    rename_file(location, parsed_text, input, &renamed);
    rename_file(cul_buf_bytes(&renamed), printed, input, &text);
    unquote(&text);
    cul_buf_add(out, text.data, text.len);
  }
}

/* One line of a list of origins; a missing field is empty. */
struct origin {
  struct cul_bytes op, location, made_for, line;
};

/* The text up to a tab, which is consumed, or to the end of the line. */
static struct cul_bytes next_field(const char **at) {
  struct cul_bytes field = {*at, strcspn(*at, "\t\n")};
  *at += field.len;
  if (**at == '\t')
    ++*at;
  return field;
}

/* Read the next line; false at the end.  The fields borrow from the text. */
static bool next_line(const char **at, struct origin *out) {
  if (!**at)
    return false;
  out->op = next_field(at);
  out->location = next_field(at);
  out->made_for = next_field(at);
  out->line = next_field(at);
  if (**at == '\n')
    ++*at;
  return true;
}

int cul_origins_find(struct cul_reduce *job, struct cul_err *err) {
  CUL_OWNED(cul_buf) lines = {0};
  bool changed;
  const char *at;
  struct origin origin;
  int rc = 0;
  cul_buf_clear(&job->outcome.origins);
  if (job->subject.losses.origins)
    return 0;
  rc = cul_edit_space_adopt(&job->subject.space, &changed, err);
  if (rc == 0)
    rc = cul_worker_origins(job->subject.space.worker, &lines, err);
  if (rc == CUL_ELOST) { /* the origins are lost with the worker */
    cul_buf_clear(&lines);
    rc = cul_reduce_recover(job, rc, err);
  }
  at = cul_buf_str(&lines);
  while (rc == 0 && next_line(&at, &origin)) {
    cul_buf_add(&job->outcome.origins, origin.op.data, origin.op.len);
    cul_buf_addc(&job->outcome.origins, '\t');
    add_location(job, origin.location, &job->outcome.origins);
    if (origin.made_for.len)
      cul_buf_addf(&job->outcome.origins, "\t%.*s", (int)origin.made_for.len,
                   origin.made_for.data);
    cul_buf_addc(&job->outcome.origins, '\n');
  }
  return rc;
}

/* ---- lines in the result ---- */

/* The line of a location in the parsed text, "-":LINE:COLUMN; 0 for a location
 * in another file, which a loc() of the text names. */
static unsigned long line_of(struct cul_bytes location) {
  size_t n = strlen(parsed_text);
  bool here = location.len > n + 1 &&
              memcmp(location.data, parsed_text, n) == 0 &&
              location.data[n] == ':';
  return here ? strtoul(location.data + n + 1, NULL, 10) : 0;
}

/* Add the lines to the origins if `places` has the same operations; else return
 * false. */
static bool add_lines(const char *places, struct cul_buf *origins) {
  CUL_OWNED(cul_buf) out = {0};
  const char *at = cul_buf_str(origins), *other = places;
  struct origin origin, place;
  bool same = true;
  while (same && next_line(&at, &origin)) {
    unsigned long line;
    same = next_line(&other, &place) && cul_bytes_equal(place.op, origin.op);
    line = same ? line_of(place.location) : 0;
    cul_buf_addf(&out, "%.*s\t%.*s\t%.*s", (int)origin.op.len, origin.op.data,
                 (int)origin.location.len, origin.location.data,
                 (int)origin.made_for.len, origin.made_for.data);
    if (line)
      cul_buf_addf(&out, "\t%lu", line);
    cul_buf_addc(&out, '\n');
  }
  same = same && !*other;
  if (same) {
    cul_buf_clear(origins);
    cul_buf_add(origins, out.data, out.len);
  }
  return same;
}

/* Parse the result as `how` and add lines.  *done: the operations were the
 * same, in the same order. */
static int place_by(struct cul_reduce *job, struct cul_reading how, bool *done,
                    struct cul_err *err) {
  CUL_OWNED(cul_chosen_form) read = {0};
  CUL_OWNED(cul_buf) places = {0};
  struct cul_err own = {0};
  int rc = cul_form_identity(&job->subject.workers, how,
                             cul_buf_bytes(&job->outcome.text), &read, &own);
  if (rc == 0)
    rc = cul_worker_origins(read.worker, &places, &own);
  *done = rc == 0 && add_lines(cul_buf_str(&places), &job->outcome.origins);
  if (rc != CUL_EENV && rc != CUL_EINTR)
    return 0; /* the origins stay without lines */
  *err = own;
  return rc;
}

int cul_origins_place(struct cul_reduce *job, struct cul_err *err) {
  struct cul_reading how = cul_form_reading(&job->subject.form);
  bool done = false;
  int rc;
  if (job->outcome.origins.len == 0)
    return 0;
  rc = place_by(job, how, &done, err);
  how.form = CUL_FORM_NATIVE; /* the pretty form of an opaque result */
  if (rc == 0 && !done && job->subject.form.form == CUL_FORM_OPAQUE)
    rc = place_by(job, how, &done, err);
  return rc;
}

/* ---- as JSON ---- */

/* Append the operation that this one was made for. */
static void add_purpose(const struct origin *origin, struct cul_buf *out) {
  cul_buf_add(out, origin->made_for.data, origin->made_for.len);
  if (!origin->location.len)
    return;
  cul_buf_adds(out, " at ");
  cul_buf_add(out, origin->location.data, origin->location.len);
}

static json_t *name_json(struct cul_bytes name) {
  CUL_HEAP char *text = cul_xstrndup(name.data, name.len);
  return cul_report_string(text);
}

static json_t *json_of(const struct origin *origin) {
  bool kept = origin->location.len && !origin->made_for.len;
  json_t *out =
      json_pack("{s:o, s:o}", "operation", name_json(origin->op), "location",
                kept ? name_json(origin->location) : json_null());
  if (origin->made_for.len) {
    CUL_OWNED(cul_buf) text = {0};
    add_purpose(origin, &text);
    json_object_set_new(out, "for", cul_report_string(cul_buf_str(&text)));
  }
  if (origin->line.len)
    json_object_set_new(out, "line",
                        json_integer(strtol(origin->line.data, NULL, 10)));
  return out;
}

json_t *cul_origins_json(const struct cul_reduce *job) {
  json_t *out = json_array();
  const char *at = cul_buf_str(&job->outcome.origins);
  struct origin origin;
  while (next_line(&at, &origin))
    json_array_append_new(out, json_of(&origin));
  return out;
}
