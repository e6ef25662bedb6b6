/* Replaces the command and the input, and restores them: see target.h. */
#include <stdlib.h>

#include "target.h"

struct cul_command cul_target_variant(const struct cul_target *target,
                                      char *const *argv) {
  struct cul_command command = target->tool.command;
  if (argv)
    command.argv = (const char *const *)argv;
  return command;
}

void cul_target_replace_command(struct cul_target *target, char **argv) {
  char **old = target->tool.shorter_argv;
  target->tool.shorter_argv = argv;
  target->tool.shorter = cul_target_variant(target, argv);
  target->probe.request.cmd = &target->tool.shorter;
  free(old);
}

int cul_target_subject_replace(struct cul_target_subject *subject,
                               struct cul_bytes text, struct cul_err *err) {
  struct cul_sealed made;
  int rc = cul_sealed_make(text, &made, err);
  if (rc < 0)
    return rc;
  if (!subject->given.bytes.data)
    subject->given = subject->text;
  else
    cul_sealed_release(&subject->text);
  subject->text = made;
  return 0;
}

static void subject_restore(struct cul_target_subject *subject) {
  if (!subject->given.bytes.data)
    return;
  cul_sealed_release(&subject->text);
  subject->text = subject->given;
  subject->given = (struct cul_sealed){.fd = -1};
}

void cul_target_restore(struct cul_target *target) {
  target->probe.request.cmd = &target->tool.command;
  free(target->tool.shorter_argv);
  target->tool.shorter_argv = NULL;
  subject_restore(&target->subject);
}

const struct cul_command *cul_target_command(const struct cul_target *target) {
  return target->probe.request.cmd ? target->probe.request.cmd
                                   : &target->tool.command;
}

struct cul_bytes
cul_target_subject_given(const struct cul_target_subject *subject) {
  return subject->given.bytes.data ? subject->given.bytes : subject->text.bytes;
}
