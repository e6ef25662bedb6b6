/* culprit: find what is to blame for a failure of an ML compiler. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../base/file.h"
#include "../base/pulse.h"
#include "../base/stack.h"
#include "../base/visible.h"
#include "../runners/runner.h"
#include "../runners/strays.h"
#include "command.h"

#define SPACE(name)
#define COMMAND(name) extern const struct cul_cli_command cul_cli_##name;
#include "list.h"
#undef COMMAND

const struct cul_cli_command *const cul_cli_commands[] = {
#define COMMAND(name) &cul_cli_##name,
#include "list.h"
#undef COMMAND
#undef SPACE
    NULL};

volatile int cul_interrupted;

static void interrupt(int signal_number) {
  if (cul_interrupted)
    _exit(130); /* asked twice: now.  What is left goes with the last process */
  cul_interrupted = signal_number;
}

static volatile sig_atomic_t asked; /* how far it is */

static void ask(int signal_number) {
  (void)signal_number;
  asked = 1;
}

/* Children end by themselves (SIGCHLD ignored: no zombies); results come
 * through pipes.  A reader that goes away, or a file that is as large as one
 * may be, is an error of write, no signal. */
static void set_signals(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++)
    sigaction(ends[i], &action, NULL);
  action.sa_handler = ask;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  cul_strays_spare();
}

/* A stream that is closed takes no file that is opened later: what is printed
 * would stand in it.  What is read from it is nothing, and what is written to
 * standard output is an error. */
static void fill_streams(void) {
  int fd;
  do
    fd = TEMP_FAILURE_RETRY(open("/dev/null", O_RDONLY));
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close(fd);
}

static void print_help(FILE *out) {
  cul_say(out, "usage: culprit COMMAND ...\n\n"
               "culprit finds what is to blame for a failure of an ML "
               "compiler or kernel stack.\n\ncommands:\n");
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++)
    cul_say(out, "  %-8s %s\n", (*c)->name, (*c)->summary);
  cul_say(
      out,
      "\n  culprit COMMAND --help   its options\n"
      "  culprit --version\n\n"
      "exit status: 0 done, 1 internal error, 2 usage, 3 the input does "
      "not show a\nfailure, 4 too flaky to decide, 5 budget spent (best "
      "result written),\n6 environment (a tool, room or memory is missing), "
      "7 compare: they differ, 130\ninterrupted (best result written)\n");
}

static int print_command_help(const struct cul_cli_command *command) {
  struct cul_buf text = {0};
  cul_opt_help(command->opts, &text);
  cul_say(stdout, "usage: culprit %s %s\n\n%s\n\noptions:\n%s", command->name,
          command->usage, command->summary, cul_buf_str(&text));
  cul_buf_release(&text);
  for (const struct cul_cli_command *const *s = command->subs; s && *s; s++)
    cul_say(stdout, "  culprit %s %s\n      %s\n", (*s)->name, (*s)->usage,
            (*s)->summary);
  return 0;
}

static const struct cul_cli_command *find(const char *name) {
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++)
    if (strcmp((*c)->name, name) == 0)
      return *c;
  return NULL;
}

/* The command itself, or the one of its own that the next word names. */
static const struct cul_cli_command *
find_sub(const struct cul_cli_command *command, const char *word) {
  for (const struct cul_cli_command *const *s = command->subs; s && *s; s++)
    if (word && strcmp(strchr((*s)->name, ' ') + 1, word) == 0)
      return *s;
  return command;
}

static bool wants_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return true;
  return false;
}

static bool wants_quiet(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--quiet") == 0 || strcmp(argv[i], "-q") == 0)
      return true;
  return false;
}

static void beat(void *self, const struct cul_status *status) {
  if (asked) {
    asked = 0;
    cul_pulse_tell(self, status, cul_now_us());
  }
  cul_pulse_beat(self, status, cul_now_us());
}

static void note(void *self, const char *line, uint64_t left_us) {
  cul_pulse_note(self, line, left_us, cul_now_us());
}

static void make_way(void *self) { cul_pulse_make_way(self, cul_now_us()); }

/* Whatever a command does, standard error says that it goes on. */
static void show_status(struct cul_pulse *pulse) {
  const struct cul_status_viewer viewer = {
      .self = pulse, .beat = beat, .note = note, .make_way = make_way};
  struct winsize size;
  bool live = isatty(STDERR_FILENO);
  unsigned columns =
      live && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col
          ? size.ws_col
          : 80;
  cul_pulse_init(pulse, stderr, live, columns, cul_now_us());
  cul_status_view(&viewer);
}

static int run(const struct cul_cli_command *given, int argc, char **argv) {
  const struct cul_cli_command *command =
      find_sub(given, argc > 1 ? argv[1] : NULL);
  int skipped = command != given;
  struct cul_command_line line = {argc - skipped, argv + skipped};
  struct cul_pulse pulse;
  struct cul_err err = {0};
  int rc;
  if (wants_help(line.argc, line.argv))
    return print_command_help(command);
  set_signals();
  cul_runners_share();
  cul_status_heed(&cul_interrupted);
  if (!wants_quiet(line.argc, line.argv))
    show_status(&pulse);
  rc = command->run(&line, &err);
  cul_status_make_way();
  cul_status_view(NULL);
  cul_strays_end(true);
  if (rc >= 0 && (fflush(stdout) || ferror(stdout)))
    rc = cul_fail(&err, CUL_EENV,
                  "see what it leads to: a full disk, a closed pipe",
                  "cannot write to standard output: %s", strerror(errno));
  if (rc < 0 && err.what[0])
    cul_say(stderr, "culprit: %s%s%s\n", err.what, err.advice[0] ? "\n  " : "",
            err.advice);
  return cul_exit_status(rc);
}

struct words {
  int argc;
  char **argv;
};

static int be_culprit(void *arg) {
  const struct words *words = arg;
  const struct cul_cli_command *command;
  int argc = words->argc;
  char **argv = words->argv;
  cul_stack_tell();
  if (argc < 2) {
    print_help(stderr);
    return 2;
  }
  if (strcmp(argv[1], "--version") == 0)
    return cul_say(stdout, "culprit %s\n", CULPRIT_VERSION) < 0;
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return 0;
  }
  command = find(argv[1]);
  if (!command) {
    cul_say(stderr, "culprit: unknown command \"%s\"\n  see: culprit --help\n",
            argv[1]);
    return 2;
  }
  return run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
  struct words words = {argc, argv};
  fill_streams();
  json_set_alloc_funcs(cul_xmalloc, free);
  return cul_stack_call(be_culprit, &words);
}
