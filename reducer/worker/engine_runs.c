/* Engines in a worker: run on a file, as a program; run live, on a candidate;
 * warmed up in the server, after a separate process has survived the
 * warm-up. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/lives_on.h"
#include "../../runners/live.h"
#include "../../runners/preload/stack.h"
#include "../../runners/tree/supervisor.h"
#include "../engines/engine.h"
#include "engine_runs.h"
#include "wire.h"

/* The words before those of the engine: program, --run. Milliseconds for the
 * warm-up. */
enum { ENGINE_AT = 2, WARM_MS = 10 * 1000 };

struct job {
  struct cul_session *session;
  const char *tmp;
  int argc;
  char **argv;
};

static const struct cul_engine *engine_of(int argc, char **argv) {
  if (argc <= ENGINE_AT || strcmp(argv[1], "--run") != 0)
    return NULL;
  return cul_engine_find(argv[ENGINE_AT]);
}

static int count_words(char **argv) {
  int n = 0;
  while (argv[n])
    n++;
  return n;
}

static int fail(const char *what) {
  fprintf(stderr, "error: %s\n", what);
  return CUL_ENGINE_USAGE;
}

/* Run the engine in this process; returns its exit status. */
static int run_engine(struct cul_session *session, void *warm, int argc,
                      char **argv) {
  const struct cul_engine *engine = engine_of(argc, argv);
  int status;
  if (!engine)
    return fail("--run: no such engine");
  cul_stack_catch(true, false);
  status =
      engine->run(session->subject, warm, argc - ENGINE_AT, argv + ENGINE_AT);
  return fflush(stdout) == 0 ? status : 1;
}

int cul_session_run_file(int argc, char **argv) {
  struct cul_session *session = cul_xcalloc(1, sizeof *session);
  struct cul_buf text = {0};
  struct cul_err err = {0};
  int rc;
  cul_lives_on(session);
  rc = cul_file_read(argv[argc - 1], 0, &text, &err);
  if (rc == 0)
    rc = cul_session_open(session,
                          (struct cul_reading){CUL_FORM_NATIVE, .check = true},
                          cul_buf_bytes(&text), false, &err);
  cul_buf_release(&text);
  if (rc == 0)
    return run_engine(session, NULL, argc, argv);
  fail(err.what);
  return 1; /* the status of a tool that rejects its input */
}

/* The body of the process that acts as the tool. */
static int live_body(void *arg) {
  struct job *job = arg;
  setenv("TMPDIR", job->tmp, 1);
  return run_engine(job->session, job->session->warm, job->argc, job->argv);
}

void cul_session_live(struct cul_session *session,
                      const struct cul_wire_msg *msg) {
  struct cul_plan plan = {0};
  struct job job = {.session = session};
  if (msg->n_fds != CUL_WIRE_MAX_FDS || !cul_live_unpack(&msg->body, &plan))
    _exit(1);
  job.argv = plan.argv + 1;
  job.argc = count_words(job.argv);
  job.tmp = plan.tmp;
  plan.body = live_body;
  plan.arg = &job;
  /* Code of the input runs there, so it needs the sandbox of a run. */
  cul_supervisor_fork(&(struct cul_supervision){
      .plan = &plan,
      .out = msg->fds[CUL_LIVE_OUT],
      .err = msg->fds[CUL_LIVE_ERR],
      .control = msg->fds[CUL_LIVE_CONTROL],
      .result = msg->fds[CUL_LIVE_RESULT],
  });
  cul_live_release(&plan);
}

/* Does the warm-up succeed in time? Tried in a separate process. */
static bool survives(struct cul_session *session, int argc, char **argv) {
  const struct cul_engine *engine = engine_of(argc, argv);
  struct pollfd ready = {.events = POLLIN};
  char byte = 0;
  int ends[2];
  pid_t pid;
  if (!engine || pipe2(ends, O_CLOEXEC) < 0)
    return false;
  pid = fork();
  if (pid == 0) {
    close(CUL_WIRE_FD); /* nobody needs a report of its death */
    if (engine->warm(session->subject, argc - ENGINE_AT, argv + ENGINE_AT))
      byte = 1;
    _exit(write(ends[1], &byte, 1) == 1 ? 0 : 1);
  }
  close(ends[1]);
  ready.fd = ends[0];
  if (pid > 0 && poll(&ready, 1, WARM_MS) == 1 &&
      TEMP_FAILURE_RETRY(read(ends[0], &byte, 1)) != 1)
    byte = 0;
  if (pid > 0)
    kill(pid, SIGKILL);
  close(ends[0]);
  return byte == 1;
}

void cul_session_warm(struct cul_session *session, struct cul_buf *words) {
  char **argv = cul_xcalloc(words->len + 1, sizeof *argv);
  const struct cul_engine *engine;
  int argc = 0;
  cul_stack_catch(true, true);
  for (size_t at = 0; at < words->len; at += strlen(words->data + at) + 1)
    argv[argc++] = words->data + at;
  engine = engine_of(argc, argv);
  if (engine && engine->warm && survives(session, argc, argv))
    session->warm =
        engine->warm(session->subject, argc - ENGINE_AT, argv + ENGINE_AT);
  free(argv);
}
