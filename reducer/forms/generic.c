/* Print the generic form by a tool: see generic.h. */
#include "generic.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/reproducer.h"
#include "../../pipeline/section.h"
#include "forms.h"

/* The argv for --opt-tool 'CMD @@', which a shell runs as it was typed. */
static char **typed_argv(const char *typed) {
  char **argv = cul_xcalloc(4, sizeof *argv);
  argv[0] = "bash";
  argv[1] = "-c";
  argv[2] = (char *)typed;
  return argv;
}

struct cul_system_tool cul_generic_tool(const struct cul_target *target,
                                        const char *dir) {
  const struct cul_identity *identity = &target->tool.identity;
  return (struct cul_system_tool){
      .program = identity->wrapper ? identity->wrapper : identity->program,
      .files = cul_buf_str(&identity->files),
      .program_dir = dir};
}

char **cul_form_opt_tool(const struct cul_target *target, const char *typed) {
  char *dir = cul_program_dir();
  const struct cul_system_tool tool = cul_generic_tool(target, dir);
  char **argv = typed ? typed_argv(typed) : cul_system_generic_argv(&tool);
  free(dir);
  return argv;
}

/* Does a line of printed MLIR start like this? */
static bool starts_module(struct cul_bytes line) {
  static const char *const starts[] = {
      "\"", "#", "!", "//", "module", "builtin.module", "{-#"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(starts); i++)
    if (line.len >= strlen(starts[i]) &&
        memcmp(line.data, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* The printed module without the warnings that a wrapper or an interpreter
 * prints before it; everything if no module is recognized. */
static struct cul_bytes without_preface(struct cul_bytes text) {
  for (struct cul_bytes at = text; at.len;) {
    const char *feed = memchr(at.data, '\n', at.len);
    size_t n = feed ? (size_t)(feed - at.data) + 1 : at.len;
    if (starts_module(at))
      return at;
    at.data += n;
    at.len -= n;
  }
  return text;
}

/* The input for the tool: a crash reproducer gets an empty pipeline, because
 * some tools run it without being asked (mlir-opt up to 16), and fail. */
static void add_passive(struct cul_bytes input, struct cul_buf *out) {
  static const char none[] = "builtin.module()";
  struct cul_reproducer repro;
  if (cul_reproducer_find(input, &repro))
    cul_reproducer_replace(input, &repro,
                           (struct cul_bytes){none, sizeof none - 1}, out);
  else
    cul_buf_add(out, input.data, input.len);
}

int cul_form_print(struct cul_target *target, const char *const *argv,
                   struct cul_bytes text, uint64_t wall_ms,
                   struct cul_record *record, char **path,
                   struct cul_err *err) {
  struct cul_command command = {.argv = argv,
                                .delivery = CUL_BY_PLACEHOLDER,
                                .cwd = ".",
                                .environment = target->tool.environment};
  struct cul_request request = {.role = "opt-tool",
                                .cmd = &command,
                                .wall_ms = wall_ms,
                                .out_bytes = (uint64_t)1 << 30};
  struct cul_placed placed = {0};
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, text, err);
  if (rc == 0)
    rc = cul_probe_wait(&target->probe, target->probe.runner, &placed.art,
                        &request, tmp, record, err);
  if (rc == 0 && path)
    *path = cul_xstrdup(placed.path);
  cul_placed_release(&placed);
  free(tmp);
  return rc;
}

/* Run the tool and take the generic form from its output. */
static int ask_opt_tool(struct cul_target *target, const char *const *argv,
                        uint64_t wall_ms, struct cul_buf *out, char **read,
                        struct cul_err *err) {
  struct cul_record record = {0};
  struct cul_buf asked = {0};
  char *path = NULL;
  int rc;
  add_passive(target->subject.text.bytes, &asked);
  rc = cul_form_print(target, argv, cul_buf_bytes(&asked), wall_ms, &record,
                      &path, err);
  if (rc == 0 && (record.end != CUL_EXITED || record.status != 0))
    rc = cul_fail(
        err, CUL_EUSAGE, "", "%s does not print the generic form: %.*s",
        argv[1] && strcmp(argv[1], "-c") == 0 ? "--opt-tool" : argv[0],
        (int)strcspn(cul_buf_str(&record.err), "\n"), cul_buf_str(&record.err));
  if (rc == 0) {
    struct cul_bytes printed =
        without_preface((struct cul_bytes){record.out.data, record.out.len});
    cul_buf_add(out, printed.data, printed.len);
    *read = path;
    path = NULL;
  }
  cul_record_release(&record);
  cul_buf_release(&asked);
  free(path);
  return rc;
}

/* If the tool printed the section of a reproducer, put the pipeline of the
 * input back. */
static void keep_passes(struct cul_bytes input, struct cul_buf *generic) {
  struct cul_reproducer old, printed;
  struct cul_buf out = {0};
  if (!cul_reproducer_find(input, &old) ||
      !cul_reproducer_find(cul_buf_bytes(generic), &printed))
    return;
  cul_reproducer_replace(cul_buf_bytes(generic), &printed, old.pipeline, &out);
  cul_buf_release(generic);
  *generic = out;
}

/* A module printed in local scope loses its {-# #-} section, which has the
 * weights: append that of the input. */
static void keep_section(struct cul_bytes input, struct cul_buf *generic) {
  struct cul_bytes printed = cul_buf_bytes(generic);
  size_t start = cul_section_find(input, 0, "{-#");
  size_t end = cul_section_find(input, start, "#-}");
  keep_passes(input, generic);
  printed = cul_buf_bytes(generic);
  if (end == input.len || cul_section_find(printed, 0, "{-#") < printed.len)
    return;
  cul_buf_addc(generic, '\n');
  cul_buf_add(generic, input.data + start, end + 3 - start);
  cul_buf_addc(generic, '\n');
}

void cul_generic_ask(struct cul_target *target, const char *const *argv,
                     uint64_t wall_ms, struct cul_generic_asked *out) {
  out->rc =
      ask_opt_tool(target, argv, wall_ms, &out->text, &out->read, &out->err);
  if (out->rc == 0)
    keep_section(target->subject.text.bytes, &out->text);
}

void cul_generic_asked_release(struct cul_generic_asked *asked) {
  cul_buf_release(&asked->text);
  free(asked->read);
}
