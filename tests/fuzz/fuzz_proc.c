/* What /proc says of other processes, in which names are theirs to choose:
 * stat, children, fdinfo, syscall, schedstat, maps, locks.  Any bytes will do;
 * the first tells which file they are. */
#include "../../cache/wait.c"
#include "../../runners/preload/fork_state.c"
#include "../../runners/tree/pace.c"
#include "../../runners/tree/proc.c"
#include "fuzz.h"

static void read_stat(const char *text) {
  struct cul_proc proc = {.pid = 7};
  if (take_stat(text, &proc))
    fuzz_demand(proc.state != '\0' && strrchr(text, ')'),
                "a process of which nothing was said");
  state_of(text);
  ended_of(text);
}

/* As many as there are blanks behind them, and never more than fit. */
static void read_children(const char *text) {
  pid_t pids[8];
  size_t blanks = 0, n = read_pids(text, pids, CUL_ARRAY_SIZE(pids));
  for (const char *at = text; *at; at++)
    blanks += *at == ' ';
  fuzz_demand(
      n == (blanks < CUL_ARRAY_SIZE(pids) ? blanks : CUL_ARRAY_SIZE(pids)),
      "another number of children");
}

static void read_task(const char *text) {
  static const ino_t pipes[2] = {12, 345};
  struct cul_pace_sample sample = {.at_us = 0};
  unsigned long long fd;
  take_schedstat(text, &sample);
  if (take_call(text, &fd))
    fuzz_demand(*text != '\0', "a call of a task that makes none");
  is_pipe(text, pipes);
  can_write(text);
}

static void read_maps(const char *text, size_t len) {
  FILE *maps = len ? fmemopen((void *)(uintptr_t)text, len, "r") : NULL;
  if (!maps)
    return;
  has_shared(maps);
  fclose(maps);
}

static void read_locks(const char *text) {
  static const struct files files = {{456, 7, 0, 1}};
  fuzz_demand(writer_in(text, &files) >= 0, "a holder that is no process");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_input in = fuzz_input(data, size);
  unsigned kind = fuzz_byte(&in);
  char *text = fuzz_text(&in);
  switch (kind % 5) {
  case 0:
    read_stat(text);
    break;
  case 1:
    read_children(text);
    break;
  case 2:
    read_task(text);
    break;
  case 3:
    read_maps(text, strlen(text));
    break;
  default:
    read_locks(text);
    break;
  }
  free(text);
  return 0;
}
