/* Original locations: see origins.h. */
#include "origins.h"

#include <stdlib.h>
#include <string.h>

/* How the parser of a workshop calls the text it was given. */
static const char parsed_text[] = "\"-\"";

/* Append the location with `name` in place of each quoted file `file`. */
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

/* A location in the text that an opt tool printed says nothing of the input,
 * one in the file that the tool read does. */
static void add_location(const struct cul_reduce *job,
                         struct cul_bytes location, struct cul_buf *out) {
  const char *input = job->conf->target.input;
  struct cul_buf renamed = {0}, text = {0};
  char *printed =
      cul_xasprintf("\"%s\"", job->form.read ? job->form.read : input);
  if (!job->form.read ||
      !memmem(location.data, location.len, parsed_text, strlen(parsed_text))) {
    rename_file(location, parsed_text, input, &renamed);
    rename_file(cul_buf_bytes(&renamed), printed, input, &text);
    unquote(&text);
    cul_buf_add(out, text.data, text.len);
  }
  cul_buf_release(&renamed);
  cul_buf_release(&text);
  free(printed);
}

int cul_origins_find(struct cul_reduce *job, struct cul_err *err) {
  struct cul_buf lines = {0};
  bool changed;
  const char *at, *tab, *end;
  int rc = 0;
  cul_buf_clear(&job->origins);
  if (job->origins_lost)
    return 0;
  rc = cul_edit_space_adopt(&job->space, &changed, err);
  if (rc == 0)
    rc = cul_workshop_origins(job->space.shop, &lines, err);
  for (at = cul_buf_str(&lines); rc == 0 && *at; at = end + 1) {
    tab = strchr(at, '\t');
    end = strchr(tab, '\n');
    cul_buf_add(&job->origins, at, (size_t)(tab + 1 - at));
    add_location(job, (struct cul_bytes){tab + 1, (size_t)(end - tab - 1)},
                 &job->origins);
    cul_buf_addc(&job->origins, '\n');
  }
  cul_buf_release(&lines);
  return rc;
}

/* The next line; false at the end.  Both parts are valid for the call. */
static bool next_line(const char **at, struct cul_bytes *op,
                      struct cul_bytes *location) {
  const char *tab, *end;
  if (!**at)
    return false;
  tab = strchr(*at, '\t');
  end = strchr(tab, '\n');
  *op = (struct cul_bytes){*at, (size_t)(tab - *at)};
  *location = (struct cul_bytes){tab + 1, (size_t)(end - tab - 1)};
  *at = end + 1;
  return true;
}

json_t *cul_origins_json(const struct cul_reduce *job) {
  json_t *out = json_array();
  const char *at = cul_buf_str(&job->origins);
  struct cul_bytes op, location;
  while (next_line(&at, &op, &location)) {
    json_t *where =
        location.len ? json_stringn(location.data, location.len) : json_null();
    json_array_append_new(out,
                          json_pack("{s:s%, s:o}", "operation", op.data, op.len,
                                    "location", where ? where : json_null()));
  }
  return out;
}

void cul_origins_page(const struct cul_reduce *job, struct cul_buf *out) {
  const char *at = cul_buf_str(&job->origins);
  struct cul_bytes op, location;
  if (*at)
    cul_buf_adds(out, "\n## Where it comes from\n\n"
                      "| operation | original location |\n|---|---|\n");
  while (next_line(&at, &op, &location)) {
    cul_buf_addf(out, "| `%.*s` | ", (int)op.len, op.data);
    if (location.len)
      cul_buf_addf(out, "`%.*s` |\n", (int)location.len, location.data);
    else
      cul_buf_adds(out, "made by the reduction |\n");
  }
}
