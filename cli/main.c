/* culprit: finds what is to blame for a failure of an ML compiler. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/stack.h"
#include "../base/terminal/pulse.h"
#include "../base/visible.h"
#include "../probe/target/findings.h"
#include "../runners/runner.h"
#include "../runners/tree/strays.h"
#include "command.h"
#include "defaults.h"
#include "help.h"
#include "live/events.h"
#include "live/keys.h"
#include "pasted.h"

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

struct words {
  int argc;
  char **argv;
};

/* The first signal asks the job to end; a second one exits at once, and the
 * job's sweeper removes the temporary files.  Signals within a second of the
 * first count as the same one: timeout(1) signals the process, then its group,
 * and a terminal signals the group while a wrapper passes the signal on. */
static void interrupt(int signal_number) {
  static uint64_t first_us;
  uint64_t now = cul_now_us();
  if (!cul_interrupted) {
    first_us = now;
    cul_interrupted = signal_number;
  } else if (now - first_us > 1000 * 1000) {
    cul_keys_end();
    _exit(130);
  }
}

static volatile sig_atomic_t asked; /* SIGUSR1 asks for the progress now */

static void ask(int signal_number) {
  (void)signal_number;
  asked = 1;
}

/* Children need no wait (SIGCHLD is ignored, so there are no zombies); results
 * come through pipes.  If a reader goes away or a file reaches the size limit,
 * write fails instead of raising a signal. */
static void set_signals(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action = {.sa_handler = interrupt}, given;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++)
    if (ends[i] != SIGHUP || sigaction(SIGHUP, NULL, &given) < 0 ||
        given.sa_handler != SIG_IGN) /* nohup(1) */
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

/* Open closed standard streams, so that no file opened later gets their numbers
 * and receives output.  Reading from such a stream gives nothing; writing to
 * standard output is an error. */
static void fill_streams(void) {
  int fd;
  do
    fd = TEMP_FAILURE_RETRY(open("/dev/null", O_RDONLY));
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close(fd);
}

static void beat(void *self, const struct cul_status *status) {
  bool at_once = asked;
  asked = 0;
  cul_pulse_beat(self, status, at_once, cul_now_us());
}

static void note(void *self, const char *line, uint64_t left_us) {
  cul_pulse_note(self, line, left_us, cul_now_us());
}

static void make_way(void *self) { cul_pulse_make_way(self, cul_now_us()); }

/* Report progress as JSON: one event per second without other output. */
static void beat_event(void *self, const struct cul_status *status) {
  uint64_t *said_us = self, now = cul_now_us();
  if (!asked && now - *said_us < 1000 * 1000)
    return;
  asked = 0;
  *said_us = now;
  cul_event(json_pack(
      "{s:s, s:o, s:I, s:i, s:f, s:o, s:o}", "event", "working", "task",
      cul_report_string(status->task), "runs", (json_int_t)status->runs,
      "running", (int)status->running, "seconds",
      (double)(now -
               (status->running ? status->started_us : status->since_us)) /
          1e6,
      "of", status->of ? json_integer((json_int_t)status->of) : json_null(),
      "limit",
      status->limit_us ? json_real((double)status->limit_us / 1e6)
                       : json_null()));
}

static void note_event(void *self, const char *line, uint64_t left_us) {
  (void)self;
  (void)left_us;
  cul_event(json_pack("{s:s, s:o}", "event", "note", "text",
                      cul_report_string(line)));
}

static void event_said(void *self) { *(uint64_t *)self = cul_now_us(); }

static void show_events(uint64_t *said_us) {
  const struct cul_status_viewer viewer = {.self = said_us,
                                           .beat = beat_event,
                                           .note = note_event,
                                           .make_way = event_said};
  *said_us = cul_now_us();
  cul_status_view(&viewer);
}

/* Let standard error show progress for every command. */
static void show_status(struct cul_pulse *pulse, enum cul_display display) {
  const struct cul_status_viewer viewer = {
      .self = pulse, .beat = beat, .note = note, .make_way = make_way};
  bool live = cul_is_live(stderr, display);
  cul_pulse_init(pulse, stderr, live, (unsigned)cul_columns(STDERR_FILENO),
                 cul_now_us());
  cul_status_view(&viewer);
}

/* Print an error for people; returns the exit status of rc. */
static int tell(int rc, const struct cul_err *err) {
  if (rc < 0 && err->what[0])
    cul_say(stderr, "culprit: %s%s%s\n", err->what,
            err->advice[0] ? "\n  " : "", err->advice);
  return cul_exit_status(rc);
}

/* Has the reader of standard output ended, as in `culprit ... | head`? */
static bool reader_left(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* Check that all output was written, unless its reader has ended. */
static int flush(int rc, struct cul_err *err) {
  if (rc < 0 || (!fflush(stdout) && !ferror(stdout)) || reader_left())
    return rc;
  return cul_fail(err, CUL_EENV, "check its target: is the disk full?",
                  "cannot write to standard output");
}

static int work(const struct cul_cli_command *command,
                const struct cul_command_line *line, struct cul_err *err) {
  struct cul_pulse pulse;
  uint64_t said_us;
  int rc;
  set_signals();
  cul_runners_share();
  cul_status_watch(&cul_interrupted);
  if (line->display == CUL_DISPLAY_JSON)
    show_events(&said_us);
  else if (!line->quiet && line->display != CUL_DISPLAY_NOTHING)
    show_status(&pulse, line->display);
  rc = command->run(line, err);
  cul_keys_end();
  cul_status_make_way();
  cul_status_view(NULL);
  cul_strays_end(true);
  return rc;
}

/* culprit help [COMMAND] */
static int help(int argc, char **argv, struct cul_err *err) {
  int used;
  const struct cul_cli_command *command = cul_command_find(argv, argc, &used);
  if (argc > used)
    return cul_command_unknown(argv[used], err);
  if (command)
    cul_help_command(command, stdout);
  else
    cul_help_overview(stdout);
  return 0;
}

static int read_display(const char *word, enum cul_display *out,
                        struct cul_err *err) {
  static const char *const words[] = {"auto", "line", "plain", "json", "none"};
  *out = CUL_DISPLAY_AUTO;
  if (!word)
    return 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (strcmp(word, words[i]) == 0) {
      *out = (enum cul_display)i;
      return 0;
    }
  return cul_fail(err, CUL_EUSAGE, "give auto, line, plain, json or none",
                  *word ? "--progress: \"%s\" is not a mode"
                        : "--progress needs MODE%s",
                  word);
}

/* ---- what a command writes ---- */

struct outputs {
  const char **values; /* of the options that write a file */
  const struct cul_opt **opts;
  size_t n;
  const char *input; /* NULL: none */
};

static void note_output(void *self, const struct cul_opt *opt,
                        const char *value) {
  struct outputs *outputs = self;
  if (!opt->writes || !value || !*value || strcmp(value, "-") == 0)
    return;
  outputs->values[outputs->n] = value;
  outputs->opts[outputs->n++] = opt;
}

static bool is_output(const struct outputs *outputs, const char *word) {
  bool is = false;
  for (size_t i = 0; i < outputs->n; i++)
    is = is || outputs->values[i] == word;
  return is;
}

/* The full name of a file that may not exist yet; heap. */
static char *place_of(const char *path) {
  char *at = cul_file_follow(path), *real, *out;
  const char *name = cul_basename(at);
  char *dir = name == at ? cul_xstrdup(".")
                         : cul_xasprintf("%.*s", (int)(name - at), at);
  real = realpath(dir, NULL);
  out = cul_xasprintf("%s/%s", real ? real : dir, name);
  free(real);
  free(dir);
  free(at);
  return out;
}

/* Do two names lead to one plain file, or would they, once it is made? */
static bool is_one_file(const char *one, const char *other) {
  struct stat a, b;
  char *x, *y;
  bool same;
  if (stat(one, &a) == 0)
    return S_ISREG(a.st_mode) && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
  x = place_of(one);
  y = place_of(other);
  same = strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

/* The part of a word that may name a file; NULL: it names none.  program: it is
 * searched for on PATH. */
static const char *name_in(const char *word, bool program) {
  const char *value = word[0] == '-' ? strchr(word, '=') : NULL;
  if (program && !strchr(word, '/'))
    return NULL;
  return value ? value + 1 : word;
}

static int fail_output(const struct cul_opt *opt, const char *value,
                       const char *word, struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE, "name another file",
                  "--%s %s: the same command line names this file as %s, which "
                  "would be replaced",
                  opt->name, value, word);
}

/* Is it the input, with which -o is compared later (cul_file_check_result)? */
static bool is_left(const struct outputs *outputs, size_t i, const char *word) {
  return outputs->opts[i]->letter == 'o' && word == outputs->input;
}

/* Does the output have the name of a part of the word, as of a script in a
 * shell command, or of a list: "sh ./run.sh @@", "axis=@list.txt"? */
static bool is_in_word(const char *value, const char *word) {
  static const char ends[] = " \t\n'\"=@;|&<>()";
  bool is = false;
  for (const char *at = word; *at && !is; at += strspn(at, ends)) {
    size_t n = strcspn(at, ends);
    CUL_HEAP char *name = cul_xstrndup(at, n);
    is = n > 0 && access(name, F_OK) == 0 && is_one_file(value, name);
    at += n;
  }
  return is;
}

/* Compare one output with all words; another output counts once. */
static int check_output(const struct outputs *outputs, size_t i, int argc,
                        char **argv, struct cul_err *err) {
  const char *value = outputs->values[i];
  bool program = false;
  for (size_t k = 0; k < i; k++)
    if (is_one_file(value, outputs->values[k]))
      return fail_output(outputs->opts[i], value, outputs->values[k], err);
  for (int at = 1; at < argc; at++) {
    const char *name = name_in(argv[at], program);
    program = strcmp(argv[at], "--") == 0;
    if (name && !is_output(outputs, argv[at]) && !is_output(outputs, name) &&
        !is_left(outputs, i, name) &&
        ((access(name, F_OK) == 0 && is_one_file(value, name)) ||
         (strpbrk(name, " =@") && is_in_word(value, name))))
      return fail_output(outputs->opts[i], value, argv[at], err);
  }
  return 0;
}

/* Check that no file that an option writes is named by another word of
 * argv[1..argc): an input, a program, a script, or another such file. */
static int check_outputs(const struct cul_opt *table, int argc, char **argv,
                         struct cul_err *err) {
  struct outputs outputs = {
      .values = cul_xcalloc((size_t)argc + 1, sizeof *outputs.values),
      .opts = cul_xcalloc((size_t)argc + 1, sizeof *outputs.opts)};
  const char *command;
  int rc = 0;
  cul_opt_peek(table, argc, argv, &outputs.input, &command);
  cul_opt_each_given(table, argc, argv, note_output, &outputs);
  for (size_t i = 0; i < outputs.n && rc == 0; i++)
    rc = check_output(&outputs, i, argc, argv, err);
  free(outputs.values);
  free(outputs.opts);
  return rc;
}

/* ---- the command ---- */

/* Do what the command's line asks for; said: how it was read, or "". */
static int run_line(const struct cul_cli_command *command,
                    struct cul_command_line *line, const char *said,
                    const struct cul_common_options *common,
                    struct cul_err *err) {
  struct cul_defaults defaults;
  int rc;
  if (common->help || common->version) {
    if (common->help)
      cul_help_command(command, stdout);
    else
      cul_version(stdout);
    return 0;
  }
  if (common->verbose)
    cul_version(stderr);
  line->defaults = &defaults;
  rc = read_display(common->progress, &line->display, err);
  if (rc == 0)
    rc = check_outputs(command->opts, line->argc, line->argv, err);
  if (rc < 0)
    return rc;
  if (*said && !line->quiet && line->display != CUL_DISPLAY_JSON)
    cul_say(stderr, "reads as:  %s\n", said);
  rc = cul_defaults_read(&defaults, command, line, err);
  if (rc == 0)
    rc = work(command, line, err);
  cul_defaults_release(&defaults);
  return rc;
}

static int run(const struct cul_cli_command *command, int used,
               const struct words *words, struct cul_common_options *common,
               struct cul_err *err) {
  struct cul_command_line line = {words->argc - used + 1,
                                  words->argv + used - 1, false,
                                  CUL_DISPLAY_AUTO, NULL};
  struct cul_pasted pasted = {0};
  int rc = 0;
  if (command->takes_tool)
    rc = cul_pasted_read(&pasted, command->opts, command->name, &line.argc,
                         &line.argv, err);
  cul_opt_take_common(cul_common_opts, common, command->opts, &line.argc,
                      line.argv);
  line.quiet = common->quiet;
  if (rc == 0)
    rc = run_line(command, &line, cul_buf_str(&pasted.said), common, err);
  cul_pasted_release(&pasted);
  return rc;
}

/* Read the options before the command; words: begin at the command
 * afterwards. */
static int read_common(struct words *words, struct cul_common_options *common,
                       struct cul_err *err) {
  int n = 1, rc;
  struct cul_operands operands = {.items = NULL, .max = 0};
  while (n < words->argc && words->argv[n][0] == '-' &&
         strcmp(words->argv[n], "--") != 0)
    n++;
  rc = cul_opt_parse(cul_common_opts, common, n, words->argv, &operands, err);
  words->argc -= n;
  words->argv += n;
  return rc;
}

static int be_told(struct words *words, struct cul_err *err) {
  struct cul_common_options common = {0};
  const struct cul_cli_command *command;
  int used, rc;
  if (words->argc == 3 && strcmp(words->argv[1], "--print") == 0)
    return cul_page(words->argv[2], err);
  rc = read_common(words, &common, err);
  if (rc < 0)
    return rc;
  if (common.version || (common.verbose && words->argc == 0)) {
    cul_version(stdout);
    return 0;
  }
  if (words->argc > 0 && strcmp(words->argv[0], "help") == 0)
    return help(words->argc - 1, words->argv + 1, err);
  if (common.help)
    return help(words->argc, words->argv, err);
  if (words->argc == 0) {
    cul_help_overview(stderr);
    return CUL_EUSAGE;
  }
  command = cul_command_find(words->argv, words->argc, &used);
  return command ? run(command, used, words, &common, err)
                 : cul_command_unknown(words->argv[0], err);
}

static int be_culprit(void *arg) {
  struct cul_err err = {0};
  int rc;
  cul_stack_tell();
  rc = be_told(arg, &err);
  return tell(flush(rc, &err), &err);
}

int main(int argc, char **argv) {
  struct words words = {argc, argv};
  fill_streams();
  json_set_alloc_funcs(cul_xmalloc, free);
  return cul_stack_call(be_culprit, &words);
}
