/* The text of a module at phase "flow": see dispatch_text.h. */
#include "dispatch_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mlir_words.h"

void cul_dispatch_site_release(struct cul_dispatch_site *site) {
  free(site->symbol);
  free(site->workload);
  free(site->value);
  cul_mlir_words_release(&site->operands);
  cul_mlir_words_release(&site->types);
  cul_mlir_words_release(&site->results);
}

static const char *line_start(const char *text, const char *at) {
  while (at > text && at[-1] != '\n')
    at--;
  return at;
}

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || (c && strchr("_-./+", c));
}

/* The type of a result, which is written as T, as "%a as T", or as "%a", where
 * it is the type of this operand. */
static const char *result_type(const struct cul_dispatch_site *site, size_t i) {
  const char *text = site->results.items[i], *as = strstr(text, " as ");
  if (*text != '%')
    return text;
  for (size_t k = 0; !as && k < site->operands.n; k++)
    if (strcmp(site->operands.items[k], text) == 0)
      return site->types.items[k];
  return as ? as + 4 : text;
}

static bool is_tensor(const char *type) {
  return cul_mlir_starts(type, "tensor<");
}

/* Read the operation.  at: the text behind "flow.dispatch ".  False: its form
 * is not known. */
static bool read_site(const char *at, struct cul_dispatch_site *out) {
  const char *end = at + strcspn(at, "[( \n"), *eq;
  if (*at != '@')
    return false;
  out->symbol = cul_xstrndup(at, (size_t)(end - at));
  at = end;
  end = *at == '[' ? cul_mlir_behind_brackets(at) : at;
  out->workload = cul_xstrndup(at, (size_t)(end - at));
  if (*end != '(')
    return false;
  at = end + 1;
  end = cul_mlir_behind_brackets(end);
  cul_mlir_words_split(at, end - 1, &out->operands);
  at = strstr(end, " : (");
  if (!at || memchr(end, '\n', (size_t)(at - end)))
    return false;
  end = cul_mlir_behind_brackets(at + 3);
  cul_mlir_words_split(at + 4, end - 1, &out->types);
  if (!cul_mlir_starts(end, " -> "))
    return false;
  at = end + 4;
  end = at + strcspn(at, "\n");
  if (*at == '(') {
    end = cul_mlir_behind_brackets(at) - 1;
    at++;
  }
  cul_mlir_words_split(at, end, &out->results);
  eq = strstr(out->line, " = ");
  out->value = cul_xstrndup(out->line + strspn(out->line, " "),
                            strcspn(out->line + strspn(out->line, " "), " :="));
  return eq && out->operands.n == out->types.n && out->results.n > 0;
}

int cul_dispatch_site_find(const struct cul_buf *flow, const char *event,
                           size_t nth, struct cul_dispatch_site *out,
                           struct cul_err *err) {
  const char *text = cul_buf_str(flow), *colons = strstr(event, "::"), *at;
  char *mark = cul_xasprintf("flow.dispatch @%.*s::@%s",
                             (int)(colons ? colons - event : 0), event,
                             colons ? colons + 2 : event);
  const char *found = NULL;
  for (at = text; (at = strstr(at, mark)); at += strlen(mark))
    if (!is_name_char(at[strlen(mark)])) {
      found = at;
      if (nth-- == 0)
        break;
    }
  free(mark);
  *out = (struct cul_dispatch_site){0};
  if (!found)
    return cul_fail(err, CUL_EUSAGE, "", "phase flow has no dispatch %.200s",
                    event);
  out->line = line_start(text, found);
  if (!read_site(found + strlen("flow.dispatch "), out))
    return cul_fail(err, CUL_EUSAGE, "",
                    "the form of its dispatch %.200s is not known", event);
  return 0;
}

/* Append the text up to the first operation of the module.  Returns the text
 * behind that; NULL: there is no module. */
static const char *add_head(const char *text, struct cul_buf *out) {
  const char *at =
      cul_mlir_starts(text, "module") ? text : strstr(text, "\nmodule");
  const char *end = at ? strchr(at + 1, '\n') : NULL;
  if (!end)
    return NULL;
  cul_buf_add(out, text, (size_t)(end + 1 - text));
  return end + 1;
}

/* Append the resources that follow the module, if the text in out uses any. */
static void add_tail(const char *text, struct cul_buf *out) {
  const char *at = strstr(text, "\n{-#");
  if (at && strstr(cul_buf_str(out), "dense_resource<"))
    cul_buf_adds(out, at);
}

static void add_value(const struct cul_dispatch_site *site, size_t i,
                      struct cul_buf *out) {
  cul_buf_adds(out, site->value);
  if (site->results.n > 1)
    cul_buf_addf(out, "#%zu", i);
}

static void add_views(size_t n, const char *before, struct cul_buf *out) {
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(out, "%s%s!hal.buffer_view", i ? ", " : "", before);
}

/* Append the exports of values, and the function's end. */
static void add_exports(const struct cul_mlir_words *values,
                        const struct cul_mlir_words *types,
                        struct cul_buf *out) {
  for (size_t i = 0; i < values->n; i++)
    cul_buf_addf(out,
                 "    %%culprit_out%zu = hal.tensor.export %s \"output%zu\" : "
                 "%s -> !hal.buffer_view\n",
                 i, values->items[i], i, types->items[i]);
  cul_buf_adds(out, "    util.return");
  for (size_t i = 0; i < values->n; i++)
    cul_buf_addf(out, "%s%%culprit_out%zu", i ? ", " : " ", i);
  cul_buf_adds(out, " : ");
  add_views(values->n, "", out);
  cul_buf_adds(out, "\n  }\n");
}

static char *value_name(const struct cul_dispatch_site *site, size_t i) {
  struct cul_buf out = {0};
  add_value(site, i, &out);
  return cul_buf_take(&out);
}

/* Append the module with the function around the dispatch changed so that it
 * returns these values; extra: lines that compute them at its end. */
static int add_look(const struct cul_buf *flow,
                    const struct cul_dispatch_site *site, const char *extra,
                    const struct cul_mlir_words *values,
                    const struct cul_mlir_words *types, struct cul_buf *out,
                    struct cul_err *err) {
  const char *text = cul_buf_str(flow), *head = NULL, *ret, *end, *at;
  for (at = text; (at = strstr(at, "\n  util.func ")) && at < site->line; at++)
    head = at + 1;
  ret = strstr(site->line, "\n    util.return");
  end = strstr(site->line, "\n  }\n");
  at = head ? strpbrk(head, "(\n") : NULL;
  at = at && *at == '(' ? cul_mlir_behind_brackets(at) : NULL;
  if (!at || !ret || !end || at > ret || ret > end ||
      !cul_mlir_starts(site->line, "    %"))
    return cul_fail(err, CUL_EUSAGE, "",
                    "the dispatch is inside control flow, or an initializer");
  cul_buf_add(out, text, (size_t)(at - text));
  cul_buf_adds(out, " -> (");
  add_views(values->n, "", out);
  cul_buf_adds(out, ") {\n");
  at = strchr(at, '\n') + 1;
  cul_buf_add(out, at, (size_t)(ret + 1 - at));
  cul_buf_adds(out, extra);
  add_exports(values, types, out);
  cul_buf_adds(out, end + strlen("\n  }\n"));
  return 0;
}

/* Append lines that make a tensor of a number, of an integer type with whole
 * bytes. */
static void add_number(const char *name, const char *type, size_t i,
                       struct cul_buf *extra, struct cul_mlir_words *values,
                       struct cul_mlir_words *types) {
  bool index = strcmp(type, "index") == 0, bit = strcmp(type, "i1") == 0;
  const char *stored = index ? "i64" : bit ? "i8" : type;
  if (index || bit)
    cul_buf_addf(extra, "    %%culprit_stored%zu = arith.%s %s : %s to %s\n", i,
                 index ? "index_cast" : "extui", name, type, stored);
  cul_buf_addf(extra, "    %%culprit_scalar%zu = flow.tensor.splat ", i);
  if (index || bit)
    cul_buf_addf(extra, "%%culprit_stored%zu", i);
  else
    cul_buf_adds(extra, name);
  cul_buf_addf(extra, " : tensor<%s>\n", stored);
  cul_mlir_words_add(values, cul_xasprintf("%%culprit_scalar%zu", i));
  cul_mlir_words_add(types, cul_xasprintf("tensor<%s>", stored));
}

int cul_dispatch_text_look(const struct cul_buf *flow,
                           const struct cul_dispatch_site *site,
                           const struct cul_dispatch_scalars *scalars,
                           struct cul_buf *out, size_t *n_read,
                           struct cul_err *err) {
  CUL_OWNED(cul_mlir_words) values = {0}, types = {0};
  CUL_OWNED(cul_buf) extra = {0};
  for (size_t i = 0; scalars && i < scalars->names.n; i++)
    add_number(scalars->names.items[i], scalars->types.items[i], i, &extra,
               &values, &types);
  for (size_t i = 0; !scalars && i < site->types.n; i++)
    if (is_tensor(site->types.items[i])) {
      cul_mlir_words_add(&values, cul_xstrdup(site->operands.items[i]));
      cul_mlir_words_add(&types, cul_xstrdup(site->types.items[i]));
    }
  *n_read = values.n;
  for (size_t i = 0; !scalars && i < site->results.n; i++) {
    cul_mlir_words_add(&values, value_name(site, i));
    cul_mlir_words_add(&types, cul_xstrdup(result_type(site, i)));
  }
  return add_look(flow, site, cul_buf_str(&extra), &values, &types, out, err);
}

/* ---- numbers of the host ---- */

/* Append the value of a number as a constant; false: it is not known. */
static bool add_scalar(const struct cul_dispatch_scalars *scalars,
                       const char *name, struct cul_buf *out) {
  for (size_t i = 0; i < scalars->names.n && i < scalars->values.n; i++) {
    const struct cul_tensor *value = &scalars->values.items[i];
    size_t size = cul_dtype_info(value->dtype)->size;
    const char *type = scalars->types.items[i];
    if (strcmp(scalars->names.items[i], name) != 0 || value->n != 1)
      continue;
    cul_buf_addf(out, "    %s = arith.constant ", name);
    if (strcmp(type, "i1") == 0)
      cul_buf_adds(out,
                   cul_tensor_get(value, 0, 0) != 0 ? "true\n" : "false\n");
    else if (cul_dtype_info(value->dtype)->kind == CUL_IS_INT)
      cul_buf_addf(out, "%.0Lf : %s\n", cul_tensor_get(value, 0, 0), type);
    else {
      cul_buf_adds(out, "0x");
      for (size_t k = size; k-- > 0;)
        cul_buf_addf(out, "%02X", ((const unsigned char *)value->data)[k]);
      cul_buf_addf(out, " : %s\n", type);
    }
    return true;
  }
  return false;
}

/* ---- the dispatch alone ---- */

/* Append a constant for each size that a type names, such as %n in
 * "tensor<?x8xf32>{%n}"; the tensor gives its value.  known: the names of the
 * constants in out; the new names are added. */
static int add_sizes(const char *type, const struct cul_tensor *tensor,
                     struct cul_mlir_words *known, struct cul_buf *out,
                     struct cul_err *err) {
  const char *end = cul_mlir_behind_brackets(type + strlen("tensor")),
             *name = end;
  unsigned dim = 0;
  for (const char *at = type; at < end; at++) {
    char *copy;
    dim += *at == 'x' && (isdigit((unsigned char)at[-1]) || at[-1] == '?');
    if (*at != '?')
      continue;
    name = *name ? strchr(name + 1, '%') : NULL;
    if (!name || dim >= tensor->rank)
      return cul_fail(err, CUL_EUSAGE, "", "its type %.100s has other sizes",
                      type);
    copy = cul_xstrndup(name, cul_mlir_name_length(name));
    if (cul_mlir_words_have(known, copy)) {
      free(copy);
      continue;
    }
    cul_buf_addf(out, "    %s = arith.constant %llu : index\n", copy,
                 (unsigned long long)tensor->dims[dim]);
    cul_mlir_words_add(known, copy);
  }
  return 0;
}

/* Append a constant for each size that the types of a dispatch name; the event
 * gives their values. */
static int add_event_sizes(const struct cul_dispatch_site *site,
                           const struct cul_trace_event *event,
                           struct cul_mlir_words *known, struct cul_buf *out,
                           struct cul_err *err) {
  size_t n = 0;
  int rc = 0;
  for (size_t i = 0; i < site->types.n && rc == 0; i++)
    if (is_tensor(site->types.items[i])) {
      if (n < event->inputs.n)
        rc = add_sizes(site->types.items[i], &event->inputs.items[n], known,
                       out, err);
      n++;
    }
  for (size_t i = 0; i < site->results.n && i < event->outputs.n && rc == 0;
       i++)
    rc = add_sizes(result_type(site, i), &event->outputs.items[i], known, out,
                   err);
  return rc;
}

/* Append the constants of the module `text` that a dispatch names, as in
 * "[%c4, %c8]", and the values of scalars; those that are missing are added to
 * its names.  type: of these.  known: the names of the constants in out; the
 * new names are added. */
static void add_constants(const char *text, const char *names, const char *type,
                          struct cul_dispatch_scalars *scalars,
                          struct cul_mlir_words *known, struct cul_buf *out) {
  for (const char *at = names; (at = strchr(at, '%')); at++) {
    CUL_HEAP char *name = cul_xstrndup(at, cul_mlir_name_length(at));
    CUL_HEAP char *mark = cul_xasprintf("\n    %s = arith.constant", name);
    const char *found = strstr(text, mark);
    if (!cul_mlir_words_have(known, name)) {
      if (found) {
        cul_buf_add(out, found + 1, strcspn(found + 1, "\n") + 1);
      } else if (!add_scalar(scalars, name, out)) {
        cul_mlir_words_add(&scalars->names, cul_xstrdup(name));
        cul_mlir_words_add(&scalars->types, cul_xstrdup(type));
      }
      cul_mlir_words_add(known, cul_xstrdup(name));
    }
  }
}

/* Append the dispatch, applied to the arguments %culprit_inN. */
static void add_dispatch(const struct cul_dispatch_site *site,
                         struct cul_buf *out) {
  cul_buf_addf(out, "    %s", site->value);
  if (site->results.n > 1)
    cul_buf_addf(out, ":%zu", site->results.n);
  cul_buf_addf(out, " = flow.dispatch %s%s(", site->symbol, site->workload);
  for (size_t i = 0; i < site->operands.n; i++) {
    cul_buf_adds(out, i ? ", " : "");
    if (is_tensor(site->types.items[i]))
      cul_buf_addf(out, "%%culprit_in%zu", i);
    else
      cul_buf_adds(out, site->operands.items[i]);
  }
  cul_buf_adds(out, ") : (");
  for (size_t i = 0; i < site->types.n; i++)
    cul_buf_addf(out, "%s%s", i ? ", " : "", site->types.items[i]);
  cul_buf_adds(out, ") -> (");
  for (size_t i = 0; i < site->results.n; i++) {
    const char *text = site->results.items[i];
    size_t name = strcspn(text, " ");
    cul_buf_adds(out, i ? ", " : "");
    for (size_t k = 0; *text == '%' && k < site->operands.n; k++)
      if (strlen(site->operands.items[k]) == name &&
          strncmp(site->operands.items[k], text, name) == 0) {
        cul_buf_addf(out, "%%culprit_in%zu", k);
        text += name;
      }
    cul_buf_adds(out, text);
  }
  cul_buf_adds(out, ")\n");
}

/* Append the globals that hold devices. */
static void add_devices(const char *at, struct cul_buf *out) {
  while (*at) {
    size_t n = strcspn(at, "\n");
    if (cul_mlir_starts(at, "  util.global ") && memmem(at, n, "device", 6))
      cul_buf_add(out, at, n + 1);
    at += n + (at[n] == '\n');
  }
}

int cul_dispatch_text_alone(const struct cul_buf *flow,
                            const struct cul_dispatch_site *site,
                            const struct cul_trace_event *event,
                            struct cul_dispatch_scalars *scalars,
                            struct cul_buf *out, struct cul_err *err) {
  const char *text = cul_buf_str(flow), *at = add_head(text, out), *end;
  char *mark = cul_xasprintf("  flow.executable private %.*s {\n",
                             (int)(strstr(site->symbol, "::") - site->symbol),
                             site->symbol);
  const char *executable = strstr(text, mark);
  CUL_OWNED(cul_mlir_words) values = {0}, types = {0}, known = {0};
  const char *comma = "";
  int rc = 0;
  end = executable ? strstr(executable, "\n  }\n") : NULL;
  free(mark);
  if (!at || !end)
    return cul_fail(err, CUL_EUSAGE, "", "phase flow has no %s", site->symbol);
  add_devices(at, out);
  cul_buf_add(out, executable, (size_t)(end + strlen("\n  }\n") - executable));
  cul_buf_adds(out, "  util.func public @main(");
  for (size_t i = 0; i < site->types.n; i++)
    if (is_tensor(site->types.items[i])) {
      cul_buf_addf(out, "%s%%culprit_view%zu: !hal.buffer_view", comma, i);
      comma = ", ";
    }
  cul_buf_adds(out, ") -> (");
  add_views(site->results.n, "", out);
  cul_buf_adds(out, ") {\n");
  rc = add_event_sizes(site, event, &known, out, err);
  add_constants(text, site->workload, "index", scalars, &known, out);
  for (size_t i = 0; i < site->types.n; i++)
    if (is_tensor(site->types.items[i]))
      cul_buf_addf(out,
                   "    %%culprit_in%zu = hal.tensor.import %%culprit_view%zu "
                   "\"input%zu\" : !hal.buffer_view -> %s\n",
                   i, i, i, site->types.items[i]);
    else
      add_constants(text, site->operands.items[i], site->types.items[i],
                    scalars, &known, out);
  if (rc == 0 && scalars->names.n > scalars->values.n)
    rc = cul_fail(err, CUL_EUSAGE, "", "its operand %s is no constant",
                  scalars->names.items[scalars->values.n]);
  add_dispatch(site, out);
  for (size_t i = 0; i < site->results.n; i++) {
    cul_mlir_words_add(&values, value_name(site, i));
    cul_mlir_words_add(&types, cul_xstrdup(result_type(site, i)));
  }
  add_exports(&values, &types, out);
  cul_buf_adds(out, "}\n");
  add_tail(text, out);
  return rc;
}

/* ---- targets ---- */

void cul_dispatch_text_retarget(const struct cul_buf *flow,
                                const struct cul_buf *other,
                                struct cul_buf *out) {
  for (const char *at = cul_buf_str(flow); *at;) {
    size_t n = strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    const char *from = at, *eq = memmem(at, n, " = ", 3);
    if (eq && (*at == '#' || cul_mlir_starts(at, "  util.global ")) &&
        memmem(at, n, "target<", 7)) {
      CUL_HEAP char *mark = cul_xasprintf("\n%.*s = ", (int)(eq - at), at);
      const char *found = strstr(cul_buf_str(other), mark);
      from = found ? found + 1 : at;
    }
    cul_buf_add(out, from,
                strcspn(from, "\n") + (from[strcspn(from, "\n")] == '\n'));
    at += n;
  }
}

/* ---- values in the place of the dispatch ---- */

/* Append the type with the tensor's sizes in place of '?': "tensor<4x8xf32>"
 * for "tensor<?x8xf32>{%n}". */
static void add_static(const struct cul_tensor *tensor, const char *type,
                       struct cul_buf *out) {
  unsigned dim = 0;
  const char *end = cul_mlir_behind_brackets(type + strlen("tensor"));
  for (const char *at = type; at < end; at++) {
    dim += *at == 'x' && (isdigit((unsigned char)at[-1]) || at[-1] == '?');
    if (*at == '?')
      cul_buf_addf(out, "%llu",
                   dim < tensor->rank ? (unsigned long long)tensor->dims[dim]
                                      : 0ULL);
    else
      cul_buf_addc(out, *at);
  }
}

/* Append a constant with the values and sizes of a tensor. */
static void add_constant(const struct cul_tensor *tensor, const char *type,
                         struct cul_buf *out) {
  const unsigned char *at = tensor->data;
  size_t n = tensor->n * cul_dtype_info(tensor->dtype)->size;
  cul_buf_adds(out, "arith.constant dense<\"0x");
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(out, "%02X", at[i]);
  cul_buf_adds(out, "\"> : ");
  add_static(tensor, type, out);
  cul_buf_addc(out, '\n');
}

int cul_dispatch_text_replace(const struct cul_buf *flow,
                              const struct cul_dispatch_site *site,
                              const struct cul_tensors *values,
                              struct cul_buf *out, struct cul_err *err) {
  const char *text = cul_buf_str(flow);
  const char *end = strchrnul(site->line, '\n');
  CUL_OWNED(cul_buf) names = {0}, types = {0};
  int rc = 0;
  cul_buf_add(out, text, (size_t)(site->line - text));
  for (size_t i = 0; i < site->results.n && rc == 0; i++) {
    const char *type = result_type(site, i);
    const struct cul_tensor *value = &values->items[i];
    const char *comma = i ? ", " : "";
    if (cul_dtype_info(value->dtype)->size != cul_mlir_element_bytes(type)) {
      rc = cul_fail(err, CUL_EUSAGE, "", "its result is a %.100s", type);
      break;
    }
    cul_buf_addf(out, "    %%culprit_value%zu_%s = ", i, site->value + 1);
    add_constant(value, type, out);
    if (strchr(type, '?')) {
      cul_buf_addf(out,
                   "    %%culprit_sized%zu_%s = flow.tensor.reshape "
                   "%%culprit_value%zu_%s : ",
                   i, site->value + 1, i, site->value + 1);
      add_static(value, type, out);
      cul_buf_addf(out, " -> %s\n", type);
    }
    cul_buf_addf(&names, "%s%%culprit_%s%zu_%s", comma,
                 strchr(type, '?') ? "sized" : "value", i, site->value + 1);
    cul_buf_addf(
        &types, "%s%.*s", comma,
        (int)(cul_mlir_behind_brackets(type + strlen("tensor")) - type), type);
  }
  cul_buf_addf(out, "    %s", site->value);
  if (site->results.n > 1)
    cul_buf_addf(out, ":%zu", site->results.n);
  cul_buf_addf(out, " = util.optimization_barrier %s : %s", cul_buf_str(&names),
               cul_buf_str(&types));
  cul_buf_adds(out, end);
  return rc;
}
