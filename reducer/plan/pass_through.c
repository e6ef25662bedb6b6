/* Other programs that make the subject smaller: see pass_through.h.
 *
 * The test of --pass-through is a shell script: it copies the file into a
 * directory of its own, names that directory in a pipe, and waits for the
 * answer in another one. */
#include "pass_through.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../pipeline/shell_text.h"
#include "../../runners/beside.h"
#include "../job/output.h"
#include "../job/watch.h"

#define PASS_THROUGH "pass-through"

struct passing {
  struct cul_reduce *job;
  char *dir, *file, *test;
  int questions;            /* pipe of the test, read here */
  struct cul_beside beside; /* the command */
  char line[64];            /* the beginning of the next question */
  size_t n_line;            /* bytes of it */
  struct cul_buf yes;       /* the smallest text that shows the failure */
  uint64_t asked;
};

int cul_pass_through_check(const char *command, struct cul_err *err) {
  if (!command ||
      (strstr(command, CUL_PASS_FILE) && strstr(command, CUL_PASS_TEST)))
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "for example: --pass-through 'llvm-reduce-22 "
                  "--test=" CUL_PASS_TEST " " CUL_PASS_FILE " -o " CUL_PASS_FILE
                  "'",
                  "--pass-through: the command must name the file to reduce "
                  "(" CUL_PASS_FILE ") and the test (" CUL_PASS_TEST ")");
}

/* ---- the test ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int write_test(const struct passing *pass, struct cul_err *err) {
  struct cul_buf text = {0};
  int rc;
  cul_buf_adds(&text, "#!/bin/sh\n# Exit status 0: the file ($1, or the one in "
                      "this directory) shows the failure.\nd=");
  cul_shell_quote(pass->dir, &text);
  cul_buf_adds(&text, "\nfile=");
  cul_shell_quote(base_name(pass->file), &text);
  cul_buf_adds(&text, "\nasked=$(mktemp -d \"$d/asked.XXXXXX\") || exit 2\n"
                      "cp -- \"${1:-$file}\" \"$asked/text\" &&\n"
                      "  mkfifo \"$asked/answer\" &&\n"
                      "  echo \"${asked##*/}\" >\"$d/questions\" &&\n"
                      "  read -r answer <\"$asked/answer\"\n"
                      "rm -rf -- \"$asked\"\n"
                      "[ \"$answer\" = yes ]\n");
  rc = cul_file_replace(pass->test, text.data, text.len, 0700, err);
  cul_buf_release(&text);
  return rc;
}

static int prepare(struct passing *pass, struct cul_err *err) {
  char *questions;
  int rc = cul_file_replace_while(pass->file, &pass->job->output.written, 0600,
                                  false, NULL, err);
  if (rc == 0)
    rc = write_test(pass, err);
  if (rc < 0)
    return rc;
  questions = cul_xasprintf("%s/questions", pass->dir);
  unlink(questions);
  if (mkfifo(questions, 0600) == 0) /* for writing, too: it never ends */
    pass->questions =
        TEMP_FAILURE_RETRY(open(questions, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (pass->questions < 0)
    rc = cul_fail(err, CUL_EENV, "", "--pass-through: cannot make %s: %s",
                  questions, strerror(errno));
  free(questions);
  return rc;
}

/* Does it show the failure?  What cannot be judged does not. */
static int judge(struct cul_reduce *job, struct cul_bytes text, bool *same,
                 struct cul_err *err) {
  struct cul_judged judged = {0};
  struct cul_err unjudged = {0};
  int rc = cul_target_judge(&job->target, text, false, &judged, &unjudged);
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  if (rc == CUL_EENV)
    return 0;
  *err = rc ? unjudged : *err;
  return rc;
}

/* The reader opens the pipe once it has asked: soon. */
static void answer(const char *path, bool same) {
  enum { TRIES = 2000 };
  const char *text = same ? "yes\n" : "no\n";
  int fd = -1;
  for (int i = 0; i < TRIES && fd < 0; i++) {
    fd = TEMP_FAILURE_RETRY(
        open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0 && errno != ENXIO)
      return;
    if (fd < 0)
      poll(NULL, 0, 1);
  }
  if (fd < 0)
    return;
  (void)!cul_write_all(fd, text, strlen(text));
  close(fd);
}

/* name: of a directory of the test. */
static int answer_one(struct passing *pass, const char *name,
                      struct cul_err *err) {
  char *text_path = cul_xasprintf("%s/%s/text", pass->dir, name);
  char *answer_path = cul_xasprintf("%s/%s/answer", pass->dir, name);
  struct cul_buf text = {0};
  struct cul_err unread = {0};
  bool same = false;
  int rc = 0;
  if (cul_file_read_own(text_path, 0, &text, &unread) == 0)
    rc = judge(pass->job, cul_buf_bytes(&text), &same, err);
  pass->asked++;
  if (same && (pass->yes.len == 0 || text.len < pass->yes.len)) {
    cul_buf_clear(&pass->yes);
    cul_buf_add(&pass->yes, text.data, text.len);
  }
  if (rc == 0)
    answer(answer_path, same);
  cul_buf_release(&text);
  free(text_path);
  free(answer_path);
  return rc;
}

/* All questions that were asked by now. */
static int answer_all(struct passing *pass, struct cul_err *err) {
  char byte;
  int rc = 0;
  while (rc == 0 && read(pass->questions, &byte, 1) == 1) {
    if (byte != '\n' && pass->n_line + 1 < sizeof pass->line) {
      pass->line[pass->n_line++] = byte;
      continue;
    }
    pass->line[pass->n_line] = '\0';
    pass->n_line = 0;
    if (!strncmp(pass->line, "asked.", 6) && !strchr(pass->line, '/'))
      rc = answer_one(pass, pass->line, err);
  }
  return rc;
}

/* ---- the command ---- */

/* What the command prints; heap. */
static char *log_path(const struct passing *pass) {
  return cul_xasprintf("%s/log", pass->dir);
}

/* The command with its words in place; heap.  The file is named as seen from
 * its directory: cvise takes no other path. */
static char *shell_command(const struct passing *pass) {
  struct cul_buf out = {0};
  const char *at = pass->job->conf->pass_through;
  while (*at) {
    if (!strncmp(at, CUL_PASS_TEST, strlen(CUL_PASS_TEST))) {
      cul_shell_quote(pass->test, &out);
      at += strlen(CUL_PASS_TEST);
    } else if (!strncmp(at, CUL_PASS_FILE, strlen(CUL_PASS_FILE))) {
      cul_shell_quote(base_name(pass->file), &out);
      at += strlen(CUL_PASS_FILE);
    } else {
      cul_buf_addc(&out, *at++);
    }
  }
  return cul_buf_take(&out);
}

static int start(struct passing *pass, struct cul_err *err) {
  char *command = shell_command(pass), *log = log_path(pass);
  char *const argv[] = {(char *)"sh", (char *)"-c", command, NULL};
  int out = TEMP_FAILURE_RETRY(
      open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  int why =
      out < 0 ? errno : cul_beside_start(&pass->beside, argv, pass->dir, out);
  if (out >= 0)
    close(out);
  free(command);
  free(log);
  return why ? cul_fail(err, CUL_EENV, "", "--pass-through: cannot start: %s",
                        strerror(why))
             : 0;
}

/* Until the command has ended; *status: how. */
static int serve(struct passing *pass, int *status, struct cul_err *err) {
  for (;;) {
    struct pollfd fds[] = {{.fd = pass->questions, .events = POLLIN},
                           {.fd = pass->beside.fd, .events = POLLIN}};
    int rc = cul_probe_budget_left(&pass->job->target.probe, err);
    if (rc == 0 && poll(fds, CUL_ARRAY_SIZE(fds), 100) > 0 && fds[0].revents)
      rc = answer_all(pass, err);
    if (rc < 0)
      return rc;
    cul_status_beat();
    if (fds[1].revents) {
      *status = cul_beside_finish(&pass->beside, true);
      return 0;
    }
  }
}

/* ---- what it leaves ---- */

/* The text becomes the result, where it is smaller and shows the failure as the
 * job writes it.  by: as for cul_reduce_jumped. */
static int take(struct cul_reduce *job, const char *by, struct cul_bytes text,
                bool *taken, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_chosen_form found = {0};
  struct cul_err unread = {0};
  bool same = false;
  int rc = 0;
  if (cul_form_identity(&job->subject.workers,
                        cul_form_reading(&job->subject.form), text, &found,
                        &unread) == 0 &&
      cul_size_less(&found.size, &space->best.size))
    rc = judge(job, cul_pieces_flat(&found.text), &same, err);
  if (rc == 0 && same) {
    cul_edit_space_reopen(space, found.worker, &found.digest);
    found.worker = NULL;
    job->subject.losses.origins = true;
    job->target.probe.best_ops = space->best.size.ops;
    rc = cul_reduce_write_output(job, cul_pieces_flat(&found.text), err);
    cul_reduce_jumped(job, by);
    *taken = true;
  }
  cul_chosen_form_release(&found);
  return rc;
}

static int take_either(struct passing *pass, bool *taken, struct cul_err *err) {
  struct cul_buf left = {0};
  struct cul_err unread = {0};
  int rc = 0;
  if (cul_file_read_own(pass->file, 0, &left, &unread) == 0)
    rc = take(pass->job, PASS_THROUGH, cul_buf_bytes(&left), taken, err);
  if (rc == 0 && !*taken && pass->yes.len > 0)
    rc = take(pass->job, PASS_THROUGH, cul_buf_bytes(&pass->yes), taken, err);
  cul_buf_release(&left);
  return rc;
}

static const char *last_line(const char *text) {
  const char *last = text;
  for (const char *at = text; *at; at++)
    if (*at == '\n' && at[1] && at[1] != '\n')
      last = at + 1;
  return last;
}

static void note_status(const struct passing *pass, int status) {
  char *path = log_path(pass);
  struct cul_buf log = {0};
  struct cul_err unread = {0};
  const char *line;
  if (cul_file_read_own(path, 0, &log, &unread) < 0)
    cul_buf_clear(&log);
  line = last_line(cul_buf_str(&log));
  cul_status_make_way();
  cul_say(stderr,
          "note:      --pass-through: the command %s %d after %llu "
          "questions%s%.*s\n",
          WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
          (unsigned long long)pass->asked, *line ? ": " : "",
          (int)strcspn(line, "\n"), line);
  cul_buf_release(&log);
  free(path);
}

static void end(struct passing *pass) {
  cul_beside_kill(&pass->beside);
  if (pass->questions >= 0)
    close(pass->questions);
  cul_buf_release(&pass->yes);
  free(pass->dir);
  free(pass->file);
  free(pass->test);
}

int cul_pass_through(struct cul_reduce *job, bool *changed,
                     struct cul_err *err) {
  struct passing pass = {.job = job, .questions = -1};
  bool taken = false;
  int rc, status = 0;
  if (!job->conf->pass_through)
    return 0;
  pass.dir = cul_xasprintf("%s/pass-through", job->target.dir);
  pass.file = cul_xasprintf("%s/%s", pass.dir, base_name(job->output.path));
  pass.test = cul_xasprintf("%s/test.sh", pass.dir);
  rc = cul_mkdirs(pass.dir, 0700, err);
  if (rc == 0)
    rc = prepare(&pass, err);
  if (rc == 0)
    rc = start(&pass, err);
  if (rc == 0)
    rc = serve(&pass, &status, err);
  if (rc == 0) {
    if (status != 0)
      note_status(&pass, status);
    rc = take_either(&pass, &taken, err);
  }
  end(&pass);
  *changed |= taken;
  return rc;
}

/* ---- what fails in a Python script ---- */

/* Behind this, the helper prints a list of texts as JSON. */
#define STANDALONE_MARK "\nculprit-standalone: "

static bool is_left_out(const struct cul_reduce_conf *conf, const char *name) {
  const char *at = conf->without;
  size_t len = strlen(name);
  while (at && *at && !(strcspn(at, ",") == len && !strncmp(at, name, len)))
    at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',');
  return at && *at;
}

/* Does Python run the input itself, as far as its name and a run of it show? */
static bool is_script(const struct cul_reduce *job) {
  const struct cul_judged *original = &job->target.original;
  const struct cul_record *run = original->records;
  if (job->subject.form.form != CUL_FORM_TEXT || original->n == 0 ||
      !cul_text_ends(job->target.subject.path, ".py"))
    return false;
  return run->end == CUL_SIGNALED ||
         (run->end == CUL_EXITED && run->status > 128) ||
         strstr(cul_buf_str(&run->err), "Traceback (most recent call last)") ||
         strstr(cul_buf_str(&run->out), "Traceback (most recent call last)");
}

/* The helper behind the source of the script.  False: it is missing. */
static bool add_helper(struct cul_bytes source, struct cul_buf *out) {
  char *dir = cul_program_dir();
  char *path = cul_own_file(dir, CUL_STANDALONE ".py", R_OK);
  struct cul_err unread = {0};
  struct cul_buf helper = {0};
  bool there = path && cul_file_read(path, 0, &helper, &unread) == 0;
  cul_buf_adds(out, "_CULPRIT_SOURCE = bytes.fromhex(\"");
  for (size_t i = 0; there && i < source.len; i++)
    cul_buf_addf(out, "%02x", (unsigned char)source.data[i]);
  cul_buf_adds(out, "\").decode()\n");
  cul_buf_add(out, helper.data, helper.len);
  cul_buf_release(&helper);
  free(path);
  free(dir);
  return there;
}

/* The texts that the helper printed; NULL: none. */
static json_t *texts_of(const struct cul_judged *judged) {
  json_t *texts = NULL;
  for (size_t i = 0; i < judged->n && !texts; i++) {
    const char *at =
        strstr(cul_buf_str(&judged->records[i].out), STANDALONE_MARK);
    if (at && judged->records[i].role == CUL_ROLE_SUSPECT)
      texts = json_loads(at + strlen(STANDALONE_MARK), JSON_DISABLE_EOF_CHECK,
                         NULL);
  }
  return texts;
}

/* Run the helper once; *texts: a new reference, or NULL. */
static int seek_texts(struct cul_reduce *job, json_t **texts,
                      struct cul_err *err) {
  struct cul_judged judged = {0};
  struct cul_buf helper = {0};
  struct cul_err unjudged = {0};
  int rc = 0;
  if (add_helper(cul_pieces_flat(&job->output.written), &helper))
    rc = cul_target_judge(&job->target, cul_buf_bytes(&helper), false, &judged,
                          &unjudged);
  *texts = rc == 0 ? texts_of(&judged) : NULL;
  cul_judged_release(&judged);
  cul_buf_release(&helper);
  if (rc == CUL_EENV)
    return 0;
  *err = rc ? unjudged : *err;
  return rc;
}

int cul_standalone(struct cul_reduce *job, struct cul_err *err) {
  enum { LARGEST = 256 * 1024 };
  json_t *texts = NULL;
  bool taken = false;
  int rc;
  if (!is_script(job) || is_left_out(job->conf, CUL_STANDALONE) ||
      cul_pieces_flat(&job->output.written).len > LARGEST)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_CUT);
  rc = seek_texts(job, &texts, err);
  for (size_t i = 0; i < json_array_size(texts) && rc == 0 && !taken; i++) {
    const char *text = json_string_value(json_array_get(texts, i));
    rc = cul_probe_budget_left(&job->target.probe, err);
    if (rc == 0 && text)
      rc = take(job, CUL_STANDALONE, (struct cul_bytes){text, strlen(text)},
                &taken, err);
  }
  json_decref(texts);
  return rc;
}
