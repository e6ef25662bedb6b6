/* The command and the input as parts of what is reduced: see target.h. */
#include <stdlib.h>

#include "target.h"

struct cul_command cul_target_variant(const struct cul_target *target,
                                      char *const *argv) {
  struct cul_command command = target->command;
  if (argv)
    command.argv = (const char *const *)argv;
  return command;
}

void cul_target_replace_command(struct cul_target *target, char **argv) {
  char **old = target->shorter_argv;
  target->shorter_argv = argv;
  target->shorter = cul_target_variant(target, argv);
  target->probe.request.cmd = &target->shorter;
  free(old);
}

void cul_target_replace_text(struct cul_target *target, struct cul_buf *text) {
  if (target->given.len == 0) {
    target->given = target->text;
    target->text = (struct cul_buf){0};
  }
  cul_buf_release(&target->text);
  target->text = *text;
  *text = (struct cul_buf){0};
}

void cul_target_restore(struct cul_target *target) {
  target->probe.request.cmd = &target->command;
  free(target->shorter_argv);
  target->shorter_argv = NULL;
  if (target->given.len == 0)
    return;
  cul_buf_release(&target->text);
  target->text = target->given;
  target->given = (struct cul_buf){0};
}

const struct cul_command *cul_target_command(const struct cul_target *target) {
  return target->probe.request.cmd ? target->probe.request.cmd
                                   : &target->command;
}

struct cul_bytes cul_target_given(const struct cul_target *target) {
  return cul_buf_bytes(target->given.len ? &target->given : &target->text);
}
