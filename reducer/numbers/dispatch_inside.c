/* The operations inside a dispatch: see dispatch_inside.h. */
#include "dispatch_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "dispatch_text.h"
#include "dispatch_values.h"

static void level_release(struct cul_dispatch_level *level) {
  for (size_t i = 0; i < level->n; i++) {
    struct cul_dispatch_op *op = &level->ops[i];
    free(op->value), free(op->type), free(op->name);
    free(op->location), free(op->text);
  }
  free(level->ops);
  cul_buf_release(&level->module);
}

/* ---- the operations of its function ---- */

/* The first FILE:LINE:COLUMN of a location; heap, "" = none. */
static char *place_of(const struct cul_divergence_job *job, const char *at) {
  const char *input = job->conf->target.input;
  for (; (at = strchr(at, '"')); at++) {
    const char *end = strchr(at + 1, '"');
    char *file, *out;
    if (!end)
      break;
    if (end[1] != ':' || !isdigit((unsigned char)end[2])) {
      at = end;
      continue;
    }
    file = cul_xstrndup(at + 1, (size_t)(end - at - 1));
    out = cul_xasprintf("%s:%.*s",
                        strcmp(cul_basename(file), cul_basename(input)) == 0 ||
                                strcmp(file, "-") == 0
                            ? input
                            : file,
                        (int)strspn(end + 2, "0123456789:"), end + 2);
    free(file);
    return out;
  }
  return cul_xstrdup("");
}

/* The start of the location of the operation that ends at `end`; `end` if it
 * has none. */
static const char *location_of(const char *text, const char *end) {
  const char *found = end;
  for (const char *at = text; (at = strstr(at, " loc(")) && at < end; at++)
    found = at;
  return found;
}

/* The type of the last result, with which the operation's text ends; heap.
 * NULL: it is no tensor of a static shape. */
static char *last_type(const char *text, const char *end) {
  static const char *const before[] = {" -> ", " into ", " to ", " : "};
  const char *found = NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(before); i++)
    for (const char *at = text; (at = strstr(at, before[i])) && at < end; at++)
      if (at + strlen(before[i]) > found)
        found = at + strlen(before[i]);
  return found && cul_mlir_starts(found, "tensor<") &&
                 !memchr(found, '?', (size_t)(end - found))
             ? cul_xstrndup(found, (size_t)(end - found))
             : NULL;
}

/* Append a dispatch.tensor.load as a slice of the function's argument. */
static void add_load(const char *text, const char *end, struct cul_buf *out) {
  const char *load = strstr(text, "dispatch.tensor.load "), *at, *type, *inner;
  const char *eq = strstr(text, " = ");
  cul_buf_add(out, text, (size_t)(eq + 3 - text));
  cul_buf_adds(out, "tensor.extract_slice ");
  at = load + strlen("dispatch.tensor.load ");
  cul_buf_add(out, at, strcspn(at, ","));
  for (at = strchr(at, '['); at && at < end; at = strchr(at, '[')) {
    const char *close = cul_mlir_behind_brackets(at);
    cul_buf_add(out, at, (size_t)(close - at));
    at = close;
    if (!cul_mlir_starts(at, ", "))
      break;
  }
  type = at ? strstr(at, " : ") : NULL;
  inner = type ? strstr(type, "tensor<tensor") : NULL;
  inner = inner ? inner : type ? strstr(type, ":tensor<") : NULL;
  at = type ? strstr(type, " -> ") : NULL;
  if (!inner || !at)
    return;
  inner = strstr(inner, "tensor<");
  cul_buf_adds(out, " : ");
  cul_buf_add(out, inner,
              (size_t)(cul_mlir_behind_brackets(inner + 6) - inner));
  cul_buf_adds(out, " to ");
  cul_buf_add(out, at + 4, (size_t)(end - at - 4));
  cul_buf_addc(out, '\n');
}

/* Append to out the operation whose text is given; a load becomes a slice, and
 * stores and returns are left out.  Add it to body->ops if it computes a single
 * tensor; those in `plain` only create or move values, and are not added. */
static void take_op(const struct cul_divergence_job *job,
                    struct cul_dispatch_level *body, const char *text,
                    size_t len, struct cul_buf *out) {
  const char *end = text + len, *loc, *eq, *name;
  struct cul_dispatch_op op = {0};
  static const char *const plain[] = {"tensor.empty", "arith.constant",
                                      "linalg.fill", "tensor.extract_slice",
                                      NULL};
  bool dull = false;
  char *copy = cul_xstrndup(text, len);
  text = copy, end = copy + len;
  loc = location_of(text, end);
  eq = strstr(text, " = ");
  name = text + strspn(text, " ");
  if (strstr(text, "dispatch.tensor.load ") && eq) {
    add_load(text, loc, out);
  } else if (!strstr(text, "dispatch.tensor.store ") &&
             !cul_mlir_starts(name, "return")) {
    cul_buf_adds(out, text);
    cul_buf_addc(out, '\n');
    for (size_t i = 0; eq && plain[i]; i++)
      dull = dull || cul_mlir_starts(eq + 3, plain[i]);
    op.type = eq && *name == '%' && !dull ? last_type(text, loc) : NULL;
    if (op.type && eq < strchrnul(text, '\n')) {
      op.value = cul_xstrndup(name, (size_t)(eq - name));
      op.name = cul_xstrndup(eq + 3, strcspn(eq + 3, " (\n"));
      op.location = place_of(job, loc);
      op.text = cul_xstrndup(name, (size_t)(loc - name));
      if (!strchr(op.value, ':'))
        CUL_XADD(body->ops, body->n, body->cap) = op;
      else
        free(op.value), free(op.name), free(op.location), free(op.text),
            free(op.type);
    } else {
      free(op.type);
    }
  }
  free(copy);
}

/* The constant that defines a name in @main of the part; NULL: none does. */
static const char *number_of(const struct cul_buf *part, const char *name) {
  char *mark = cul_xasprintf("\n    %s = arith.constant ", name);
  const char *found = strstr(cul_buf_str(part), mark);
  found = found ? strstr(found, "arith.constant ") : NULL;
  free(mark);
  return found;
}

/* Append the tensors of the dispatch's function that it reads to out, as
 * arguments, and its numbers to body, as the constants that the part gives it.
 * False: there is something else. */
static bool add_arguments(const char *at, const struct cul_dispatch_site *site,
                          const struct cul_buf *part, struct cul_buf *out,
                          struct cul_buf *body) {
  const char *end = cul_mlir_behind_brackets(at), *comma = "";
  struct cul_mlir_words items = {0};
  bool good = true;
  cul_mlir_words_split(at + 1, end - 1, &items);
  for (size_t i = 0; i < items.n && good; i++) {
    const char *item = items.items[i], *inner = strstr(item, ":tensor<");
    int name = (int)strcspn(item, ":");
    const char *number = inner || i >= site->operands.n
                             ? NULL
                             : number_of(part, site->operands.items[i]);
    if (strstr(item, "writeonly"))
      continue;
    good = inner || number;
    if (number)
      cul_buf_addf(body, "        %.*s = %.*s\n", name, item,
                   (int)strcspn(number, "\n"), number);
    if (inner) {
      cul_buf_addf(out, "%s%.*s: %.*s", comma, name, item,
                   (int)(cul_mlir_behind_brackets(inner + 7) - inner - 1),
                   inner + 1);
      comma = ", ";
    }
  }
  cul_mlir_words_release(&items);
  return good;
}

/* List the operations of the function of an event, and make the module that
 * returns their values.  flow: printed with locations and without aliases;
 * part: the module with the dispatch alone. */
static int read_body(const struct cul_divergence_job *job,
                     const struct cul_buf *flow, const struct cul_buf *part,
                     const char *event, struct cul_dispatch_level *out,
                     struct cul_err *err) {
  const char *colons = strstr(event, "::"), *at, *end, *from = NULL;
  char *mark =
      cul_xasprintf("      func.func @%s(", colons ? colons + 2 : event);
  struct cul_buf body = {0};
  struct cul_dispatch_site site = {0};
  int rc = cul_dispatch_site_find(part, event, 0, &site, err);
  at = strstr(cul_buf_str(flow), mark);
  end = at ? strstr(at, "\n      }") : NULL;
  cul_buf_adds(&out->module, "func.func @main(");
  if (rc == 0 && (!end || !add_arguments(at + strlen(mark) - 1, &site, part,
                                         &out->module, &body)))
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "its function reads other things than tensors and numbers");
  cul_dispatch_site_release(&site);
  free(mark);
  if (rc < 0) {
    cul_buf_release(&body);
    return rc;
  }
  for (at = strchr(at, '\n') + 1; at <= end; at += strcspn(at, "\n") + 1) {
    bool begin = cul_mlir_starts(at, "        ") && at[8] != ' ' &&
                 at[8] != '}' && at[8] != '^';
    if (begin && from)
      take_op(job, out, from, (size_t)(at - 1 - from), &body);
    from = begin ? at : from;
  }
  if (from)
    take_op(job, out, from, (size_t)(end - from), &body);
  cul_buf_adds(&out->module, ") -> (");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_addf(&out->module, ") {\n%s        return ", cul_buf_str(&body));
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].value);
  cul_buf_adds(&out->module, " : ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_adds(&out->module, "\n}\n");
  cul_buf_release(&body);
  return 0;
}

/* ---- operations in the body of a linalg.generic ---- */

/* A linalg.generic.  The values of one of its scalar operations in all
 * iterations are a tensor of its shape. */
struct generic {
  const char *head; /* from its name to its outputs */
  size_t head_n;
  const char *shape; /* "4x8x" */
  size_t shape_n;
  const char *body, *end;          /* its operations, up to the yield */
  struct cul_mlir_words arguments; /* of its block; the last is its output's */
};

/* Does the text name the value? */
static bool names(const char *text, const char *end, const char *value) {
  size_t n = strlen(value);
  for (const char *at = text; (at = strstr(at, value)) && at < end; at++)
    if (cul_mlir_name_length(at) == n)
      return true;
  return false;
}

/* Read the operation; false: it is no linalg.generic of this form, or an
 * element of its result depends on other iterations. */
static bool read_generic(const struct cul_dispatch_op *op,
                         struct generic *out) {
  const char *begin = strstr(op->text, "linalg.generic ");
  const char *outs = begin ? strstr(begin, " outs(") : NULL;
  const char *block = outs ? strstr(outs, "\n        ^bb0(") : NULL;
  const char *close =
      block ? cul_mlir_behind_brackets(strchr(block, '(')) : NULL;
  const char *last = strrchr(op->type, 'x'), *shape = strchr(op->type, '<') + 1;
  const char *output;
  char *name;
  bool good;
  *out = (struct generic){.head = begin};
  if (!close || !cul_mlir_starts(close, ":\n") || strchr(op->type, ',') ||
      memmem(begin, (size_t)(outs - begin), "\"reduction\"", 11))
    return false;
  out->head_n = (size_t)(outs - begin);
  out->shape = shape;
  out->shape_n = last ? (size_t)(last + 1 - shape) : 0;
  out->body = close + 2;
  out->end = strstr(close, "\n          linalg.yield ");
  cul_mlir_words_split(strchr(block, '(') + 1, close - 1, &out->arguments);
  if (!out->end || out->arguments.n == 0)
    return false;
  output = out->arguments.items[out->arguments.n - 1];
  name = cul_xstrndup(output, strcspn(output, ":"));
  good = !names(out->body, out->end, name);
  free(name);
  return good;
}

/* The type of a tensor of the generic's shape whose elements have the type of a
 * scalar operation's value; heap.  NULL: that type is not known.  It is read
 * from the end of the operation's text, but an operation with a word before its
 * operands, such as a comparison, has the type of the operands there. */
static char *scalar_type(const struct generic *generic, const char *text,
                         const char *end) {
  static const char *const before[] = {" : ", " to "};
  const char *eq = strstr(text, " = "), *found = NULL;
  const char *operand = eq && eq < end ? strchr(eq + 3, ' ') : NULL;
  char *type;
  if (!operand || operand[1] != '%')
    return NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(before); i++)
    for (const char *at = text; (at = strstr(at, before[i])) && at < end; at++)
      if (!found || at + strlen(before[i]) > found)
        found = at + strlen(before[i]);
  if (!found)
    return NULL;
  for (const char *at = found; at < end; at++)
    if (!isalnum((unsigned char)*at))
      return NULL;
  type = cul_xasprintf("tensor<%.*s%.*s>", (int)generic->shape_n,
                       generic->shape, (int)(end - found), found);
  if (cul_mlir_element_bytes(type))
    return type;
  free(type);
  return NULL;
}

/* Append a copy of the generic that ends with operation `op`, whose text ends
 * at `end`, and yields its value. */
static void add_until(const struct generic *generic,
                      const struct cul_dispatch_op *op, size_t number,
                      const char *end, struct cul_buf *out) {
  const struct cul_mlir_words *arguments = &generic->arguments;
  const char *output = arguments->items[arguments->n - 1];
  const char *element = op->type + strlen("tensor<") + generic->shape_n;
  int n = (int)strcspn(element, ">");
  cul_buf_addf(out, "        %%culprit_empty%zu = tensor.empty() : %s\n",
               number, op->type);
  cul_buf_addf(out, "        %%culprit_value%zu = ", number);
  cul_buf_add(out, generic->head, generic->head_n);
  cul_buf_addf(out, " outs(%%culprit_empty%zu : %s) {\n        ^bb0(", number,
               op->type);
  for (size_t i = 0; i + 1 < arguments->n; i++)
    cul_buf_addf(out, "%s, ", arguments->items[i]);
  cul_buf_addf(out, "%.*s: %.*s):\n", (int)strcspn(output, ":"), output, n,
               element);
  cul_buf_add(out, generic->body, (size_t)(end - generic->body));
  cul_buf_addf(out, "\n          linalg.yield %s : %.*s\n        } -> %s\n",
               op->value, n, element, op->type);
}

/* List the scalar operations whose values can be returned, and make the module
 * that returns them.  of: the function around the generic.  *n: the number of
 * all its operations. */
static void read_scalars(const struct cul_divergence_job *job,
                         const struct cul_dispatch_level *of,
                         const struct generic *generic,
                         struct cul_dispatch_level *out, size_t *n) {
  const char *text = cul_buf_str(&of->module), *returns = text, *from, *next;
  const char *args = strstr(text, ") -> ("), *ops = strstr(text, ") {\n");
  struct cul_buf copies = {0};
  for (const char *at = text; (at = strstr(at, "\n        return ")); at++)
    returns = at + 1;
  *n = 0;
  for (from = generic->body; from < generic->end; from = next) {
    const char *loc;
    struct cul_dispatch_op op = {0};
    next = from;
    do
      next = strchrnul(next, '\n') + 1;
    while (next < generic->end && !cul_mlir_starts(next, "          %"));
    next = next > generic->end ? generic->end + 1 : next;
    (*n)++;
    loc = location_of(from, next - 1);
    op.type = scalar_type(generic, from, loc);
    if (!op.type)
      continue;
    from += strspn(from, " ");
    op.behind = *n - 1 > out->n;
    op.value = cul_xstrndup(from, cul_mlir_name_length(from));
    op.name = cul_xstrndup(strstr(from, " = ") + 3,
                           strcspn(strstr(from, " = ") + 3, " \n"));
    op.location = place_of(job, loc);
    op.text = cul_xstrndup(from, (size_t)(loc - from));
    add_until(generic, &op, out->n, next - 1, &copies);
    CUL_XADD(out->ops, out->n, out->cap) = op;
  }
  cul_buf_add(&out->module, text, (size_t)(args - text));
  cul_buf_adds(&out->module, ") -> (");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_add(&out->module, ops, (size_t)(returns - ops));
  cul_buf_adds(&out->module, cul_buf_str(&copies));
  cul_buf_adds(&out->module, "        return ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%%culprit_value%zu", i ? ", " : "", i);
  cul_buf_adds(&out->module, " : ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_adds(&out->module, "\n}\n");
  cul_buf_release(&copies);
}

/* ---- the first operation whose value differs ---- */

/* Run the level's module on both sides, and set level->wrong to the first
 * operation whose value differs. */
static int compare_level(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_level *level,
                         struct cul_err *err) {
  struct cul_tensors got = {0}, want = {0};
  struct cul_dispatch_request request = {&sides->reference, "", &level->module,
                                         part->arguments, level->n};
  int rc = cul_dispatch_call(sides->job, &request, &want, err);
  request.side = &sides->suspect;
  if (rc == 0)
    rc = cul_dispatch_call(sides->job, &request, &got, err);
  for (size_t i = 0; rc == 0 && i < level->n && !level->wrong; i++)
    if (cul_dispatch_differ(sides->job, &got.items[i], &want.items[i],
                            level->what, sizeof level->what))
      level->wrong = &level->ops[i];
  cul_tensors_release(&got);
  cul_tensors_release(&want);
  return rc;
}

/* If the wrong operation is a linalg.generic, find the wrong scalar operation
 * inside it.  It is no error if none is found. */
static int enter_generic(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_inside *inside,
                         struct cul_err *err) {
  struct cul_dispatch_level *body = &inside->body, *scalars = &inside->scalars;
  struct generic generic;
  char *ignored = NULL;
  size_t n = 0;
  int rc = 0;
  if (read_generic(body->wrong, &generic))
    read_scalars(sides->job, body, &generic, scalars, &n);
  if (n == 1 && scalars->n == 1) {
    scalars->wrong = &scalars->ops[0];
    snprintf(scalars->what, sizeof scalars->what, "%s", body->what);
  } else if (scalars->n) {
    rc = cul_dispatch_excuse(compare_level(sides, part, scalars, err), &ignored,
                             err);
  }
  cul_mlir_words_release(&generic.arguments);
  free(ignored);
  return rc;
}

/* Find the wrong operation; EUSAGE: none is found. */
static int enter(struct cul_dispatch_sides *sides,
                 const struct cul_dispatch_part *part,
                 struct cul_dispatch_inside *inside, struct cul_err *err) {
  struct cul_buf flow = {0};
  struct cul_dispatch_level *body = &inside->body;
  int rc = cul_dispatch_print(
      sides->job, &sides->suspect,
      "--compile-to=flow --mlir-print-local-scope --mlir-print-debuginfo",
      &flow, err);
  if (rc == 0)
    rc = read_body(sides->job, &flow, &part->module,
                   sides->suspect.trace.events[part->step].name, body, err);
  if (rc == 0 && body->n == 0)
    rc = cul_fail(err, CUL_EUSAGE, "", "no operation of it computes a tensor");
  if (rc == 0)
    rc = compare_level(sides, part, body, err);
  if (rc == 0 && !body->wrong)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "its operations agree where each value is returned");
  if (rc == 0)
    rc = enter_generic(sides, part, inside, err);
  cul_buf_release(&flow);
  return rc;
}

int cul_dispatch_inside_find(struct cul_dispatch_sides *sides,
                             const struct cul_dispatch_part *part,
                             struct cul_dispatch_inside *out,
                             struct cul_err *err) {
  return cul_dispatch_excuse(enter(sides, part, out, err), &out->stop, err);
}

void cul_dispatch_inside_release(struct cul_dispatch_inside *inside) {
  level_release(&inside->body);
  level_release(&inside->scalars);
  free(inside->stop);
}
