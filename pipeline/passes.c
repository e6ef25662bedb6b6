/* The passes in a command: see passes.h. */
#include "passes.h"

#include <stdlib.h>
#include <string.h>

static void add(struct cul_passes *p, uint32_t id) {
  p->ids = cul_xreallocarray(p->ids, p->n + 1, sizeof *p->ids);
  p->ids[p->n++] = id;
}

static bool is_flag(const struct cul_passes *p, uint32_t item) {
  return p->args.items[item].kind == CUL_ARG_FLAG;
}

/* Does help (of an MLIR tool) list a pass or pipeline of this name? LLVM's
 * option library indents passes by six columns below the line "Compiler passes
 * to run", and their options by two more. */
static bool help_names_pass(struct cul_bytes help, struct cul_bytes name) {
  static const char head[] = "Compiler passes to run";
  char *line = cul_xasprintf("\n      --%.*s", (int)name.len, name.data);
  size_t n = strlen(line);
  const char *end = help.data + help.len;
  const char *at =
      help.len ? memmem(help.data, help.len, head, sizeof head - 1) : NULL;
  while (at && (at = memmem(at, (size_t)(end - at), line, n))) {
    at += n;
    if (at < end && strchr(" =\n", *at))
      break;
  }
  free(line);
  return at && name.len;
}

static void read_section(struct cul_passes *p, struct cul_bytes text) {
  if (!cul_arguments_has(&p->args, "run-reproducer") ||
      !cul_reproducer_find(text, &p->repro) ||
      !cul_pipeline_read(p->repro.pipeline, &p->list))
    return;
  p->section = true;
  for (uint32_t i = 0; i < p->list.n; i++)
    if (p->list.items[i].kind == CUL_PIPE_PASS)
      add(p, i);
}

void cul_passes_read(const char *const *argv, struct cul_bytes text,
                     struct cul_bytes help, struct cul_passes *out) {
  *out = (struct cul_passes){0};
  cul_arguments_read(argv, &out->args);
  read_section(out, text);
  for (uint32_t i = 0; i < out->args.n && !out->section; i++)
    if (cul_arguments_is_pass(&out->args, i))
      add(out, i);
  for (uint32_t i = 0; i < out->args.n && help.len && cul_passes_need_help(out);
       i++)
    if (is_flag(out, i) &&
        help_names_pass(help, cul_arguments_name(&out->args, i)))
      add(out, i);
}

bool cul_passes_need_help(const struct cul_passes *p) {
  if (p->section)
    return false;
  for (size_t i = 0; i < p->n; i++)
    if (!is_flag(p, p->ids[i]))
      return false;
  return p->args.n > 0;
}

void cul_passes_release(struct cul_passes *passes) {
  cul_pipeline_release(&passes->list);
  cul_arguments_release(&passes->args);
  free(passes->ids);
  free(passes->own);
  *passes = (struct cul_passes){0};
}

struct cul_bytes cul_passes_name(const struct cul_passes *p, size_t i) {
  return p->section ? cul_pipeline_name(&p->list, p->ids[i])
                    : cul_arguments_name(&p->args, p->ids[i]);
}

static struct cul_bytes written(const struct cul_pipeline *list, uint32_t i) {
  const struct cul_pipe_item *item = &list->items[i];
  return (struct cul_bytes){list->text.data + item->from,
                            item->to - item->from};
}

struct cul_bytes cul_passes_written(const struct cul_passes *p, size_t i) {
  const struct cul_argument *item;
  const struct cul_word *word;
  if (p->section)
    return written(&p->list, p->ids[i]);
  item = &p->args.items[p->ids[i]];
  word = &p->args.words[item->word];
  if (item->kind == CUL_ARG_ITEM)
    return written(&word->list, item->item);
  return (struct cul_bytes){p->args.argv[word->arg] + word->from,
                            word->to - word->from};
}

static bool is_in(struct cul_bytes name, const char *const *names) {
  for (; names && *names; names++)
    if (strlen(*names) == name.len && !memcmp(*names, name.data, name.len))
      return true;
  return false;
}

char **cul_passes_argv(const struct cul_passes *p,
                       const struct cul_pass_range *range) {
  bool *gone = cul_xcalloc(p->args.n + 1, sizeof *gone);
  char **argv;
  for (size_t i = 0; i < p->n && !p->section; i++)
    gone[p->ids[i]] = i < range->from || i >= range->to;
  for (uint32_t i = 0; i < p->args.n; i++)
    gone[i] |=
        (range->no_output && p->args.items[i].kind == CUL_ARG_OUTPUT) ||
        (is_flag(p, i) && is_in(cul_arguments_name(&p->args, i), range->less));
  cul_arguments_spread(&p->args, gone);
  argv = cul_arguments_write(&p->args, gone, range->more);
  free(gone);
  return argv;
}

/* Write the section with the pipeline of the range. */
static void write_section(const struct cul_passes *p,
                          const struct cul_pass_range *range,
                          struct cul_buf *out) {
  bool *gone = cul_xcalloc(p->list.n + 1, sizeof *gone);
  struct cul_buf pipeline = {0};
  for (size_t i = 0; i < p->n; i++)
    gone[p->ids[i]] = i < range->from || i >= range->to;
  cul_pipeline_write(&p->list, gone, &pipeline);
  cul_reproducer_replace(p->repro.section, &p->repro, cul_buf_bytes(&pipeline),
                         out);
  cul_buf_release(&pipeline);
  free(gone);
}

void cul_passes_text(const struct cul_passes *p, struct cul_bytes module,
                     const struct cul_pass_range *range, struct cul_buf *out) {
  struct cul_reproducer own;
  size_t before = module.len;
  if (p->section && cul_reproducer_find(module, &own))
    before = (size_t)(own.section.data - module.data);
  cul_buf_add(out, module.data, before);
  if (!p->section)
    return;
  if (before == module.len)
    cul_buf_addc(out, '\n');
  write_section(p, range, out);
  cul_buf_addc(out, '\n');
}
