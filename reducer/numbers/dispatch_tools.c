/* Calls of the tools of one side: see dispatch_tools.h. */
#include "dispatch_tools.h"

#include <stdlib.h>
#include <string.h>

#include "../../pipeline/shell_text.h"

static const uint64_t most_printed = (uint64_t)CUL_DISPATCH_MOST_MIB << 20;

const struct cul_command *cul_dispatch_command(struct cul_divergence_job *job,
                                               enum cul_run_role role) {
  return role == CUL_ROLE_SUSPECT ? cul_target_command(job->target)
                                  : &job->target->roles.of[role].command;
}

/* With a trace, a module is compiled in two steps, and every value printed. */
enum { TIMES_LONGER = 5 };

void cul_dispatch_add_message(const struct cul_record *record,
                              struct cul_buf *out) {
  const char *log = cul_buf_str(&record->err), *found = NULL;
  size_t len = 0;
  if (record->end == CUL_DEADLINE) {
    cul_buf_addf(out,
                 "it takes more than %d times the limit of a run; --timeout "
                 "SECONDS sets another limit",
                 TIMES_LONGER);
    return;
  }
  for (const char *at = log; *at && !found; at += len + (at[len] == '\n')) {
    len = strcspn(at, "\n");
    for (const char *p = at; p < at + len && !found; p++)
      if (strncmp(p, "error: ", 7) == 0 ||
          (strncmp(p, ".c:", 3) == 0 && memchr(p, ';', len - (size_t)(p - at))))
        found = at;
  }
  if (!found)
    for (const char *at = log; *at; at += len + (at[len] == '\n')) {
      len = strcspn(at, "\n");
      found = len && *at != '@' && *at != '=' ? at : found;
    }
  if (found)
    cul_buf_add(out, found,
                strcspn(found, "\n") < 300 ? strcspn(found, "\n") : 300);
}

int cul_dispatch_run(struct cul_divergence_job *job,
                     const struct cul_command *command,
                     const struct cul_buf *text, enum cul_run_role role,
                     struct cul_record *record, struct cul_err *err) {
  struct cul_target *target = job->target;
  struct cul_request request = target->probe.request;
  CUL_OWNED(cul_placed) placed = {0};
  CUL_HEAP char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_buf_bytes(text), err);
  request.cmd = command;
  request.out_bytes = most_printed;
  request.wall_ms *= TIMES_LONGER;
  request.flags |= CUL_RUN_NO_CACHE;
  job->runs[role]++;
  if (rc == 0)
    rc = cul_probe_run_apart(&target->probe, &placed.art, &request, tmp, record,
                             err);
  if (rc == 0 && record->end == CUL_MACHINE)
    rc = cul_record_fail(record, err);
  return rc;
}

void cul_dispatch_add_compile(const struct cul_dispatch_side *side,
                              struct cul_buf *out) {
  const struct cul_mlir_words *words = &side->words[CUL_IREE_COMPILE];
  cul_shell_quote(words->items[0], out);
  for (size_t i = 1; i < words->n; i++) {
    const char *word = words->items[i];
    if (strcmp(word, "-o") == 0)
      i++;
    else if (*word == '-' && word[1] && !cul_mlir_starts(word, "-o=") &&
             !cul_mlir_starts(word, "--o=")) {
      cul_buf_addc(out, ' ');
      cul_shell_quote(word, out);
    }
  }
}

void cul_dispatch_add_run(const struct cul_dispatch_side *side, bool inputs,
                          struct cul_buf *out) {
  static const char *const left[] = {"--module=", "--output=", "--expected"};
  const struct cul_mlir_words *words = &side->words[CUL_IREE_RUN_MODULE];
  cul_shell_quote(words->items[0], out);
  for (size_t i = 1; i < words->n; i++) {
    const char *word = words->items[i];
    bool leave = !inputs && (cul_mlir_starts(word, "--input=") ||
                             cul_mlir_starts(word, "--function="));
    for (size_t k = 0; k < CUL_ARRAY_SIZE(left); k++)
      leave = leave || cul_mlir_starts(word, left[k]);
    if (leave)
      continue;
    cul_buf_addc(out, ' ');
    cul_shell_quote(word, out);
  }
}

int cul_dispatch_script(struct cul_divergence_job *job,
                        const struct cul_dispatch_side *side,
                        const struct cul_buf *script,
                        const struct cul_buf *module, struct cul_record *record,
                        struct cul_err *err) {
  const char *argv[] = {"bash",    "-c", cul_buf_str(script),
                        "culprit", "@@", NULL};
  const struct cul_command *given = cul_dispatch_command(job, side->role);
  struct cul_command command = {
      .argv = argv, .cwd = given->cwd, .environment = given->environment};
  int rc = cul_dispatch_run(job, &command, module, side->role, record, err);
  CUL_OWNED(cul_buf) message = {0};
  if (rc == 0 && (record->end != CUL_EXITED || record->status)) {
    cul_dispatch_add_message(record, &message);
    rc = cul_fail(err, CUL_EUSAGE, "", "the %s's tools fail on a part: %.300s",
                  side->name, cul_buf_str(&message));
  }
  return rc;
}

int cul_dispatch_print(struct cul_divergence_job *job,
                       const struct cul_dispatch_side *side, const char *flags,
                       struct cul_buf *out, struct cul_err *err) {
  struct cul_bytes subject = job->target->subject.text.bytes;
  CUL_OWNED(cul_buf) script = {0}, text = {0};
  CUL_OWNED(cul_record) record = {0};
  cul_buf_add(&text, subject.data, subject.len);
  cul_dispatch_add_compile(side, &script);
  cul_buf_addf(&script, " %s \"$1\" -o -", flags);
  if (cul_dispatch_script(job, side, &script, &text, &record, err) < 0)
    return err->code;
  cul_buf_add(out, record.out.data, record.out.len);
  return 0;
}

int cul_dispatch_flow(struct cul_divergence_job *job,
                      struct cul_dispatch_side *side, struct cul_err *err) {
  return side->flow.len ? 0
                        : cul_dispatch_print(job, side, "--compile-to=flow",
                                             &side->flow, err);
}

/* Read "@npy SIZE", a line, and that many bytes, n times. */
static int read_npy(struct cul_bytes text, size_t n, struct cul_tensors *out,
                    struct cul_err *err) {
  static const char mark[] = "@npy ";
  for (size_t i = 0; i < n; i++) {
    CUL_OWNED(cul_tensors) one = {0};
    char name[32], *end = NULL;
    size_t size = 0;
    if (cul_bytes_start(text, mark))
      size = strtoul(text.data + strlen(mark), &end, 10);
    if (!end || *end != '\n' || size > text.len - (size_t)(end + 1 - text.data))
      return cul_fail(err, CUL_EUSAGE, "", "result %zu is missing", i);
    snprintf(name, sizeof name, "%03zu.npy", i);
    if (cul_tensors_parse((struct cul_bytes){end + 1, size}, name,
                          &(struct cul_tensor_hint){0}, &one, err) < 0)
      return err->code;
    name[3] = '\0';
    cul_tensors_move(out, &one, name);
    text = (struct cul_bytes){end + 1 + size,
                              text.len - size - (size_t)(end + 1 - text.data)};
  }
  return 0;
}

int cul_dispatch_call(struct cul_divergence_job *job,
                      const struct cul_dispatch_request *of,
                      struct cul_tensors *out, struct cul_err *err) {
  CUL_OWNED(cul_buf) script = {0};
  CUL_OWNED(cul_record) record = {0};
  int rc;
  cul_dispatch_add_compile(of->side, &script);
  cul_buf_addf(&script, " %s \"$1\" -o \"$TMPDIR/part.vmfb\" && ", of->from);
  cul_dispatch_add_run(of->side, !of->arguments, &script);
  cul_buf_adds(&script, " --module=\"$TMPDIR/part.vmfb\"");
  if (of->arguments)
    cul_buf_addf(&script, " --function=main%s", of->arguments);
  for (size_t i = 0; i < of->n; i++)
    cul_buf_addf(&script, " --output=@\"$TMPDIR/%03zu.npy\"", i);
  cul_buf_adds(&script, " >/dev/null && for i in \"$TMPDIR\"/*.npy; do "
                        "echo \"@npy $(stat -c %s \"$i\")\"; cat \"$i\"; done");
  rc = cul_dispatch_script(job, of->side, &script, of->module, &record, err);
  return rc ? rc : read_npy(cul_buf_bytes(&record.out), of->n, out, err);
}

int cul_dispatch_excuse(int rc, char **why, struct cul_err *err) {
  if (rc != CUL_EUSAGE)
    return rc;
  free(*why);
  *why = cul_xstrdup(err->what);
  *err = (struct cul_err){0};
  return 0;
}
