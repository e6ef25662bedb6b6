/* A worker on the command line asks a verifier itself: what the main program
 * does (reducer/forms/vendor.h), for tests and people, with a tool that reads
 * many modules and does not die. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../opmodel/batch.h"
#include "server.h"

/* command with "@@" replaced by path; heap. */
static char *with_path(const char *command, const char *path) {
  const char *at = strstr(command, "@@");
  return at ? cul_xasprintf("%.*s%s%s", (int)(at - command), command, path,
                            at + 2)
            : cul_xasprintf("%s %s", command, path);
}

/* A shell with this as its standard output, until it has ended. */
static void run_shell(const char *line, int out) {
  pid_t pid = fork();
  if (pid == 0) {
    if (dup2(out, STDOUT_FILENO) >= 0)
      execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
}

/* What the command prints when it reads text. */
static int run(const char *command, const struct cul_buf *text,
               struct cul_buf *printed, struct cul_err *err) {
  int in = memfd_create("questions", 0); /* the command inherits it */
  int out = memfd_create("answers", MFD_CLOEXEC), rc;
  char *path = cul_xasprintf("/dev/fd/%d", in);
  char *line = with_path(command, path);
  if (in < 0 || out < 0 || cul_write_all(in, text->data, text->len) < 0) {
    rc = cul_fail(err, CUL_EENV, "", "cannot run %s: %s", command,
                  strerror(errno));
  } else {
    run_shell(line, out);
    free(path);
    path = cul_xasprintf("/proc/self/fd/%d", out);
    rc = cul_file_read(path, 0, printed, err);
  }
  if (in >= 0)
    close(in);
  if (out >= 0)
    close(out);
  free(line);
  free(path);
  return rc;
}

bool cul_session_wants_all(const void *op) {
  (void)op;
  return true;
}

/* One round; *more: something was asked. */
static int ask(struct cul_session *session, const char *command, bool *more,
               struct cul_err *err) {
  struct cul_buf message = {0}, text = {0}, printed = {0};
  struct cul_batch batch;
  size_t *which, n = 0;
  uint8_t *answers;
  int rc = 0;
  session->kind->questions(session->subject, NULL, &message);
  if (message.len == 0)
    session->kind->questions(session->subject, cul_session_wants_all, &message);
  cul_batch_init(&batch, cul_buf_bytes(&message));
  which = cul_xreallocarray(NULL, batch.n + 1, sizeof *which);
  answers = cul_xcalloc(batch.n + 1, 1);
  for (size_t i = 0; i < batch.n; i++)
    if (batch.texts[i].len)
      which[n++] = i;
  *more = batch.n > 0;
  if (*more) {
    cul_batch_write(&batch, which, n, &text);
    rc = run(command, &text, &printed, err);
    if (rc == 0 && cul_batch_read(cul_buf_bytes(&printed), which, n, answers) !=
                       CUL_BATCH_GOOD)
      rc = cul_fail(err, CUL_EUSAGE, "it must read --split-input-file",
                    "%s does not print what it accepts", command);
    session->kind->told(session->subject,
                        (struct cul_bytes){(const char *)answers, batch.n});
  }
  free(which);
  free(answers);
  cul_batch_release(&batch);
  cul_buf_release(&message);
  cul_buf_release(&text);
  cul_buf_release(&printed);
  return rc;
}

int cul_session_teach(struct cul_session *session, const char *command,
                      struct cul_err *err) {
  bool more = session->kind->questions != NULL;
  int rc = 0;
  while (rc == 0 && more)
    rc = ask(session, command, &more, err);
  return rc;
}
