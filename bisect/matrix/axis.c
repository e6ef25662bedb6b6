/* Axes: see axis.h. */
#include "axis.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

static int add_value(struct cul_axis *axis, const char *text, size_t len,
                     struct cul_err *err) {
  const char *label = memmem(text, len, ":=", 2);
  char *value = cul_xstrndup(text, label ? (size_t)(label - text) : len);
  if (!*value) {
    free(value);
    return cul_fail(err, CUL_EUSAGE, "--axis flag=off:=0,on:=1",
                    "--axis %s: no label is before %.*s", axis->name, (int)len,
                    text);
  }
  for (uint32_t i = 0; i < axis->n; i++)
    if (strcmp(axis->values[i], value) == 0) {
      int rc =
          cul_fail(err, CUL_EUSAGE, "leave one of them out",
                   "--axis %s: \"%s\" stands there twice", axis->name, value);
      free(value);
      return rc;
    }
  axis->values =
      cul_xreallocarray(axis->values, axis->n + 1, sizeof *axis->values);
  axis->texts =
      cul_xreallocarray(axis->texts, axis->n + 1, sizeof *axis->texts);
  axis->texts[axis->n] = NULL;
  if (label)
    axis->texts[axis->n] =
        cul_xstrndup(label + 2, len - (size_t)(label + 2 - text));
  axis->values[axis->n++] = value;
  return 0;
}

static int add_values(struct cul_axis *axis, const char *text,
                      const char *separator, struct cul_err *err) {
  int rc = 0;
  while (*text && rc == 0) {
    size_t n = strcspn(text, separator);
    if (n > 0)
      rc = add_value(axis, text, n, err);
    text += n + (text[n] != '\0');
  }
  if (rc == 0 && axis->n == 0)
    rc = cul_fail(err, CUL_EUSAGE, "--axis opt=mlir-opt-19,mlir-opt-22",
                  "--axis %s: no value is given", axis->name);
  return rc;
}

static int read_values(struct cul_axis *axis, const char *text,
                       struct cul_err *err) {
  struct cul_buf list = {0};
  int rc;
  if (text[0] != '@' || text[1] == '{')
    return add_values(axis, text, ",", err);
  rc = cul_file_read(text + 1, most_list, &list, err);
  if (rc == 0)
    rc = add_values(axis, cul_buf_str(&list), "\n", err);
  cul_buf_release(&list);
  return rc;
}

static int read_axis(const char *spec, struct cul_axes *axes,
                     struct cul_err *err) {
  const char *equals = strchr(spec, '=');
  struct cul_axis *axis = &axes->axes[axes->n];
  if (!equals)
    return cul_fail(err, CUL_EUSAGE, "--axis opt=mlir-opt-19,mlir-opt-22",
                    "--axis \"%s\" gives no values", spec);
  axis->name = cul_xstrndup(spec, (size_t)(equals - spec));
  axes->n++;
  if (!is_name(axis->name))
    return cul_fail(err, CUL_EUSAGE, "letters, digits, - and _ make a name",
                    "--axis \"%s\" has no name", spec);
  if (is_taken(axis->name))
    return cul_fail(err, CUL_EUSAGE, "call it otherwise",
                    "--axis %s: @{%s} means something else", axis->name,
                    axis->name);
  for (size_t i = 0; i + 1 < axes->n; i++)
    if (strcmp(axes->axes[i].name, axis->name) == 0)
      return cul_fail(err, CUL_EUSAGE, "give all its values at once",
                      "--axis %s is given twice", axis->name);
  return read_values(axis, equals + 1, err);
}

int cul_axes_read(const char *const *specs, size_t n, struct cul_axes *out,
                  struct cul_err *err) {
  int rc = 0;
  *out = (struct cul_axes){0};
  if (n == 0 || n > CUL_MAX_AXES)
    return cul_fail(err, CUL_EUSAGE, "--axis opt=mlir-opt-19,mlir-opt-22",
                    n ? "more than 16 axes are given" : "no --axis is given");
  out->axes = cul_xcalloc(n, sizeof *out->axes);
  for (size_t i = 0; i < n && rc == 0; i++)
    rc = read_axis(specs[i], out, err);
  return rc;
}

void cul_axes_release(struct cul_axes *axes) {
  for (size_t i = 0; i < axes->n; i++) {
    for (uint32_t k = 0; k < axes->axes[i].n; k++) {
      free(axes->axes[i].values[k]);
      if (axes->axes[i].texts)
        free(axes->axes[i].texts[k]);
    }
    free(axes->axes[i].values);
    free(axes->axes[i].texts);
    free(axes->axes[i].name);
  }
  free(axes->axes);
  *axes = (struct cul_axes){0};
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

void cul_axes_note_used(const struct cul_axes *axes, const char *const *argv,
                        bool used[CUL_MAX_AXES]) {
  size_t len;
  for (; *argv; argv++)
    for (const char *at = *argv; *at; at++) {
      const struct cul_axis *axis = axis_at(axes, at, &len);
      if (axis)
        used[axis - axes->axes] = true;
    }
}

static const char *text_of(const struct cul_axis *axis, uint32_t value) {
  return axis->texts && axis->texts[value] ? axis->texts[value]
                                           : axis->values[value];
}

static void expand(const struct cul_axes *axes, const uint32_t *at,
                   const char *arg, struct cul_buf *out) {
  while (*arg) {
    size_t len = 0;
    const struct cul_axis *axis = axis_at(axes, arg, &len);
    if (axis) {
      cul_buf_adds(out, text_of(axis, at[axis - axes->axes]));
      arg += len;
    } else {
      cul_buf_addc(out, *arg++);
    }
  }
}

char **cul_axes_argv(const struct cul_axes *axes, const uint32_t *at,
                     const char *const *argv) {
  struct cul_buf text = {0};
  size_t n = 0;
  char **out, *strings;
  while (argv[n]) {
    expand(axes, at, argv[n++], &text);
    cul_buf_addc(&text, '\0');
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
