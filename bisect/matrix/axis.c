/* Axes: see axis.h. */
#include "axis.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"

static const size_t most_list = 1 << 20;

/* Names of other placeholders. */
static const char *const taken[] = {"dir", "out", "commit", "original", NULL};

static bool is_name(const char *name) {
  size_t n = 0;
  for (; name[n]; n++)
    if (!isalnum((unsigned char)name[n]) && name[n] != '_' && name[n] != '-')
      return false;
  return n > 0;
}

static bool is_taken(const char *name) {
  for (const char *const *t = taken; *t; t++)
    if (strcmp(*t, name) == 0)
      return true;
  return false;
}

/* One option --axis, and the place in its file. */
struct source {
  const char *spec;
  const char *file; /* as messages call it; NULL: the option itself */
  uint32_t line;
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static struct cul_bytes trim(struct cul_bytes text) {
  while (text.len && is_blank(text.data[0])) {
    text.data++;
    text.len--;
  }
  while (text.len && is_blank(text.data[text.len - 1]))
    text.len--;
  return text;
}

/* Put the place, and the axis, before what is reported. */
static int fail_at(const struct source *source, const struct cul_axis *axis,
                   struct cul_err *err) {
  if (!source->file)
    return cul_fail_in(err, "--axis %s", axis->name);
  return cul_fail_in(err, "%s:%u: %s", source->file, source->line, axis->name);
}

static int add_value(struct cul_axis *axis, struct cul_bytes value,
                     const struct source *source, struct cul_err *err) {
  const char *label = memmem(value.data, value.len, ":=", 2);
  struct cul_bytes name = value, text = {NULL, 0};
  if (label) {
    name.len = (size_t)(label - value.data);
    text = (struct cul_bytes){label + 2, value.len - name.len - 2};
  }
  if (source->file) {
    name = trim(name);
    text = trim(text);
  }
  if (name.len == 0) {
    cul_fail(err, CUL_EUSAGE, "--axis flag=off:=0,on:=1",
             "%.*s has no label before :=", (int)value.len, value.data);
    return fail_at(source, axis, err);
  }
  for (uint32_t i = 0; i < axis->n; i++)
    if (strlen(axis->values[i]) == name.len &&
        memcmp(axis->values[i], name.data, name.len) == 0) {
      cul_fail(err, CUL_EUSAGE, "leave one of them out", "\"%s\" appears twice",
               axis->values[i]);
      return fail_at(source, axis, err);
    }
  axis->values =
      cul_xreallocarray(axis->values, axis->n + 1, sizeof *axis->values);
  axis->texts =
      cul_xreallocarray(axis->texts, axis->n + 1, sizeof *axis->texts);
  axis->texts[axis->n] = label ? cul_xstrndup(text.data, text.len) : NULL;
  axis->values[axis->n++] = cul_xstrndup(name.data, name.len);
  return 0;
}

static int fail_empty(const struct cul_axis *axis, const struct source *source,
                      struct cul_err *err) {
  cul_fail(err, CUL_EUSAGE,
           "give it a label, as in --axis flag=none:=,--fast; the command then "
           "lacks that word",
           "a value is empty");
  return fail_at(source, axis, err);
}

/* Add the values of a text.  In a file, an empty value is not a value: it comes
 * from a blank line, or from one that continues. */
static int add_values(struct cul_axis *axis, struct cul_bytes text,
                      char separator, const struct source *source,
                      struct cul_err *err) {
  bool more = text.len > 0;
  int rc = 0;
  while (more && rc == 0) {
    const char *end = text.len ? memchr(text.data, separator, text.len) : NULL;
    struct cul_bytes value = {text.data,
                              end ? (size_t)(end - text.data) : text.len};
    size_t past = value.len + (end != NULL);
    more = end != NULL;
    text = (struct cul_bytes){text.data + past, text.len - past};
    if (source->file)
      value = trim(value);
    if (value.len)
      rc = add_value(axis, value, source, err);
    else if (separator == ',' && !source->file)
      rc = fail_empty(axis, source, err);
  }
  return rc;
}

static int read_values(struct cul_axis *axis, const char *text,
                       const struct source *source, struct cul_err *err) {
  struct cul_bytes value = {text, strlen(text)};
  struct cul_buf list = {0};
  int rc;
  if (text[0] != '@' || text[1] == '{')
    return add_values(axis, value, ',', source, err);
  rc = cul_file_read(text + 1, most_list, &list, err);
  value = (struct cul_bytes){cul_buf_str(&list), strlen(cul_buf_str(&list))};
  if (rc == 0)
    rc = add_values(axis, value, '\n', source, err);
  cul_buf_release(&list);
  return rc;
}

/* Check that every axis has values. */
static int check_values(const struct cul_axis *axis,
                        const struct source *source, struct cul_err *err) {
  if (axis->n)
    return 0;
  cul_fail(err, CUL_EUSAGE, "--axis opt=mlir-opt-19,mlir-opt-22",
           "no value is given");
  return fail_at(source, axis, err);
}

/* Add an axis without values.  An axis of the command line may have the name of
 * an axis of a file, and replaces it. */
static int add_axis(struct cul_axes *axes, struct cul_bytes name,
                    const struct source *source, struct cul_err *err) {
  struct cul_axis *axis;
  axes->axes = cul_xreallocarray(axes->axes, axes->n + 1, sizeof *axes->axes);
  axis = &axes->axes[axes->n++];
  *axis = (struct cul_axis){.name = cul_xstrndup(name.data, name.len),
                            .offered = source->file != NULL};
  if (!is_name(axis->name) && !source->file)
    return cul_fail(err, CUL_EUSAGE, "letters, digits, - and _ make a name",
                    "--axis \"%s\" has no name", source->spec);
  if (!is_name(axis->name))
    return cul_fail(err, CUL_EUSAGE, "letters, digits, - and _ make a name",
                    "%s:%u: \"%s\" is not a name", source->file, source->line,
                    axis->name);
  if (is_taken(axis->name)) {
    cul_fail(err, CUL_EUSAGE, "choose another name",
             "@{%s} has another meaning", axis->name);
    return fail_at(source, axis, err);
  }
  for (size_t i = 0; i + 1 < axes->n; i++)
    if (strcmp(axes->axes[i].name, axis->name) == 0 &&
        axes->axes[i].offered == axis->offered) {
      cul_fail(err, CUL_EUSAGE, "give it once, with all its values",
               "it is given twice");
      return fail_at(source, axis, err);
    }
  return 0;
}

/* ---- files of axes ---- */

/* A line without its comment, which begins with a # that is the first character
 * or follows a blank. */
static struct cul_bytes without_comment(struct cul_bytes line) {
  for (size_t i = 0; i < line.len; i++)
    if (line.data[i] == '#' && (i == 0 || is_blank(line.data[i - 1])))
      line.len = i;
  return line;
}

/* "NAME = VALUES", or, after a blank, more values of the axis before.  first:
 * the number of axes that other options gave. */
static int read_line(struct cul_axes *axes, size_t first, struct cul_bytes line,
                     const struct source *source, struct cul_err *err) {
  const char *equals = memchr(line.data, '=', line.len);
  struct cul_bytes name = line;
  int rc;
  if (is_blank(line.data[0]) && axes->n > first)
    return add_values(&axes->axes[axes->n - 1], line, ',', source, err);
  if (!equals || is_blank(line.data[0]))
    return cul_fail(err, CUL_EUSAGE,
                    "a line is NAME = VALUE, LABEL:=VALUE, ..., or begins "
                    "with a blank and has more values, or is a # comment",
                    "%s:%u: \"%.*s\" gives no axis", source->file, source->line,
                    (int)trim(line).len, trim(line).data);
  name.len = (size_t)(equals - line.data);
  rc = add_axis(axes, trim(name), source, err);
  line = (struct cul_bytes){equals + 1, line.len - name.len - 1};
  return rc ? rc : add_values(&axes->axes[axes->n - 1], line, ',', source, err);
}

/* first: as in read_line. */
static int read_text(struct cul_axes *axes, size_t first, struct cul_bytes text,
                     struct source *source, struct cul_err *err) {
  struct source begun = *source; /* of the last axis */
  int rc = 0;
  while (text.len && rc == 0) {
    const char *end = memchr(text.data, '\n', text.len);
    struct cul_bytes line = {text.data,
                             end ? (size_t)(end - text.data) : text.len};
    text.data += line.len + (end != NULL);
    text.len -= line.len + (end != NULL);
    source->line++;
    line = without_comment(line);
    if (trim(line).len == 0)
      continue;
    if (!is_blank(line.data[0])) {
      if (axes->n > first)
        rc = check_values(&axes->axes[axes->n - 1], &begun, err);
      begun = *source;
    }
    if (rc == 0)
      rc = read_line(axes, first, line, source, err);
  }
  if (rc == 0 && axes->n == first)
    rc = cul_fail(err, CUL_EUSAGE, "a line is NAME = VALUE, LABEL:=VALUE, ...",
                  "%s gives no axis", source->file);
  return rc ? rc : check_values(&axes->axes[axes->n - 1], &begun, err);
}

static const struct cul_embedded *built_in(const char *name) {
  for (size_t i = 0; i < cul_n_axis_files; i++) {
    size_t n = strcspn(cul_axis_files[i].name, ".");
    if (strlen(name) == n && memcmp(cul_axis_files[i].name, name, n) == 0)
      return &cul_axis_files[i];
  }
  return NULL;
}

static int fail_unknown(const char *spec, struct cul_err *err) {
  struct cul_buf advice = {0};
  cul_buf_adds(&advice, "built in:");
  for (size_t i = 0; i < cul_n_axis_files; i++)
    cul_buf_addf(&advice, " @%.*s", (int)strcspn(cul_axis_files[i].name, "."),
                 cul_axis_files[i].name);
  cul_buf_adds(&advice, "; a file must exist, or its path have a /");
  cul_fail(err, CUL_EUSAGE, cul_buf_str(&advice),
           "--axis %s: neither axes that are built in nor a file", spec);
  cul_buf_release(&advice);
  return err->code;
}

/* --axis @NAME: a file, or axes that are built in. */
static int read_file(const char *spec, struct cul_axes *axes,
                     struct cul_err *err) {
  struct source source = {.spec = spec, .file = spec + 1};
  const struct cul_embedded *own = built_in(spec + 1);
  struct cul_buf read = {0};
  struct cul_bytes text;
  int rc = 0;
  if (own) {
    source.file = own->name;
    text = (struct cul_bytes){(const char *)own->data, own->len};
    return read_text(axes, axes->n, text, &source, err);
  }
  if (!strchr(spec, '/') && access(spec + 1, F_OK) != 0)
    return fail_unknown(spec, err);
  rc = cul_file_read(spec + 1, most_list, &read, err);
  if (rc < 0)
    rc = cul_fail_in(err, "--axis");
  text = (struct cul_bytes){read.data, read.len};
  if (rc == 0)
    rc = read_text(axes, axes->n, text, &source, err);
  cul_buf_release(&read);
  return rc;
}

static int read_axis(const char *spec, struct cul_axes *axes,
                     struct cul_err *err) {
  const char *equals = strchr(spec, '=');
  const struct source source = {.spec = spec};
  struct cul_axis *axis;
  int rc;
  if (spec[0] == '@')
    return read_file(spec, axes, err);
  if (!equals)
    return cul_fail(err, CUL_EUSAGE, "--axis opt=mlir-opt-19,mlir-opt-22",
                    "--axis \"%s\" gives no values", spec);
  rc = add_axis(axes, (struct cul_bytes){spec, (size_t)(equals - spec)},
                &source, err);
  if (rc < 0)
    return rc;
  axis = &axes->axes[axes->n - 1];
  rc = read_values(axis, equals + 1, &source, err);
  return rc ? rc : check_values(axis, &source, err);
}

/* ---- the axes of a job ---- */

static void release_axis(struct cul_axis *axis) {
  for (uint32_t k = 0; k < axis->n; k++) {
    free(axis->values[k]);
    if (axis->texts)
      free(axis->texts[k]);
  }
  free(axis->values);
  free(axis->texts);
  free(axis->name);
}

/* The axis whose placeholder begins at text, and its length; NULL: none. */
static const struct cul_axis *axis_at(const struct cul_axes *axes,
                                      const char *text, size_t *len) {
  if (text[0] != '@' || text[1] != '{')
    return NULL;
  for (size_t i = 0; i < axes->n; i++) {
    size_t n = strlen(axes->axes[i].name);
    if (strncmp(text + 2, axes->axes[i].name, n) == 0 && text[2 + n] == '}') {
      *len = n + 3;
      return &axes->axes[i];
    }
  }
  return NULL;
}

bool cul_axes_are_in(const struct cul_axes *axes, const char *const *argv) {
  size_t len;
  for (; *argv; argv++)
    for (const char *at = *argv; *at; at++)
      if (axis_at(axes, at, &len))
        return true;
  return false;
}

static bool is_used(struct cul_axis *axis, const char *const *const *commands) {
  const struct cul_axes alone = {axis, 1};
  for (; *commands; commands++)
    if (cul_axes_are_in(&alone, *commands))
      return true;
  return false;
}

/* Check that a command contains an axis of this option, which gave axes[first]
 * and those behind; of a file, one axis is enough. */
static int check_used(const struct cul_axes *axes, size_t first,
                      const char *spec, const char *const *const *commands,
                      struct cul_err *err) {
  struct cul_buf names = {0};
  for (size_t i = first; i < axes->n; i++) {
    if (is_used(&axes->axes[i], commands)) {
      cul_buf_release(&names);
      return 0;
    }
    cul_buf_addf(&names, "%s@{%s}", i > first ? ", " : "", axes->axes[i].name);
  }
  if (spec[0] == '@')
    cul_fail(err, CUL_EUSAGE, "put one of them where its value belongs",
             "no command contains an axis of %s: %s", spec,
             cul_buf_str(&names));
  else
    cul_fail(err, CUL_EUSAGE, "put it where its value belongs",
             "no command contains %s", cul_buf_str(&names));
  cul_buf_release(&names);
  return err->code;
}

static bool is_replaced(const struct cul_axes *axes,
                        const struct cul_axis *axis) {
  for (size_t i = 0; i < axes->n && axis->offered; i++)
    if (!axes->axes[i].offered && strcmp(axes->axes[i].name, axis->name) == 0)
      return true;
  return false;
}

/* Remove axes of files that were replaced, or that no command contains. */
static void choose(struct cul_axes *axes, const char *const *const *commands) {
  size_t n = 0;
  bool *left = cul_xcalloc(axes->n + 1, sizeof *left);
  for (size_t i = 0; i < axes->n; i++)
    left[i] = is_replaced(axes, &axes->axes[i]) ||
              (commands && !is_used(&axes->axes[i], commands));
  for (size_t i = 0; i < axes->n; i++)
    if (left[i])
      release_axis(&axes->axes[i]);
    else
      axes->axes[n++] = axes->axes[i];
  axes->n = n;
  free(left);
}

int cul_axes_read(const char *const *specs, size_t n,
                  const char *const *const *commands, struct cul_axes *out,
                  struct cul_err *err) {
  static const char example[] = "--axis opt=mlir-opt-19,mlir-opt-22";
  int rc = 0;
  *out = (struct cul_axes){0};
  if (n == 0)
    return cul_fail(err, CUL_EUSAGE, example, "no --axis is given");
  for (size_t i = 0; i < n && rc == 0; i++) {
    size_t first = out->n;
    rc = read_axis(specs[i], out, err);
    if (rc == 0 && commands)
      rc = check_used(out, first, specs[i], commands, err);
  }
  if (rc == 0)
    choose(out, commands);
  if (rc == 0 && out->n > CUL_MAX_AXES)
    rc = cul_fail(err, CUL_EUSAGE, example, "more than %d axes are given",
                  CUL_MAX_AXES);
  return rc;
}

void cul_axes_release(struct cul_axes *axes) {
  for (size_t i = 0; i < axes->n; i++)
    release_axis(&axes->axes[i]);
  free(axes->axes);
  *axes = (struct cul_axes){0};
}

static const char *text_of(const struct cul_axis *axis, uint32_t value) {
  return axis->texts && axis->texts[value] ? axis->texts[value]
                                           : axis->values[value];
}

/* Append the word with its values.  False: leave the word out, because an empty
 * value was all of it. */
static bool expand(const struct cul_axes *axes, const uint32_t *at,
                   const char *arg, struct cul_buf *out) {
  size_t before = out->len;
  bool emptied = false;
  while (*arg) {
    size_t len = 0;
    const struct cul_axis *axis = axis_at(axes, arg, &len);
    if (axis) {
      const char *text = text_of(axis, at[axis - axes->axes]);
      emptied = emptied || (axis->texts && !*text);
      cul_buf_adds(out, text);
      arg += len;
    } else {
      cul_buf_addc(out, *arg++);
    }
  }
  return !emptied || out->len > before;
}

char **cul_axes_argv(const struct cul_axes *axes, const uint32_t *at,
                     const char *const *argv) {
  struct cul_buf text = {0};
  size_t n = 0;
  char **out, *strings;
  for (; *argv; argv++)
    if (expand(axes, at, *argv, &text)) {
      cul_buf_addc(&text, '\0');
      n++;
    }
  out = cul_xmalloc((n + 1) * sizeof *out + text.len);
  strings = (char *)(out + n + 1);
  if (text.len)
    memcpy(strings, text.data, text.len);
  for (size_t i = 0; i < n; i++) {
    out[i] = strings;
    strings += strlen(strings) + 1;
  }
  out[n] = NULL;
  cul_buf_release(&text);
  return out;
}

void cul_axis_name(const struct cul_axis *axis, uint32_t at,
                   struct cul_buf *out) {
  cul_buf_addf(out, "%s%s%s", axis->name, axis->equals ? axis->equals : "=",
               axis->values[at]);
}

void cul_axes_name(const struct cul_axes *axes, const uint32_t *at,
                   struct cul_buf *out) {
  for (size_t i = 0; i < axes->n; i++) {
    if (i > 0)
      cul_buf_adds(out, ", ");
    cul_axis_name(&axes->axes[i], at[i], out);
  }
}
