/* Starts a worker program: see spawn.h. */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/environment.h"
#include "../../base/files/file.h"
#include "talk.h"

static const char *const programs[CUL_N_WORKER_PROGRAMS] = {
    "culprit-worker-mlir", "culprit-worker-text"};

/* The index into programs. */
static size_t program_of(enum cul_form form) {
  return form == CUL_FORM_TEXT || form == CUL_FORM_MLIR_TEXT;
}

struct program {
  const char *path;
  char *name; /* argv[0], padded by CUL_ROLE_BYTES */
  char **env;
  const char *plugin, *entries; /* or NULL */
  bool told;                    /* CUL_WAIT_VARIABLE is set */
};

/* In the child: keep only the socket, and connect the standard streams to
 * /dev/null; told: keep standard error as CUL_WAIT_FD. */
static bool connect_fds(int sock, bool told) {
  const unsigned first = told ? CUL_WAIT_FD + 1 : CUL_WIRE_FD + 1;
  unsigned n = 0;
  int null;
  if (sock != CUL_WIRE_FD && dup2(sock, CUL_WIRE_FD) < 0)
    return false;
  fcntl(CUL_WIRE_FD, F_SETFD, 0);
  if (told && dup2(STDERR_FILENO, CUL_WAIT_FD) < 0)
    return false;
  close_range(first, ~0U, 0); /* first close others: it frees descriptors */
  while ((null = TEMP_FAILURE_RETRY(open("/dev/null", O_RDWR))) < 0 &&
         cul_wait_again(n++, errno))
    ;
  for (int fd = 0; fd < CUL_WIRE_FD && null >= 0; fd++)
    if (dup2(null, fd) < 0)
      return false;
  close_range(first, ~0U, 0);
  return null >= 0;
}

/* In the child: only async-signal-safe calls. */
static _Noreturn void become(const struct program *program, int sock) {
  char *argv[] = {program->name, NULL, NULL, NULL, NULL};
  sigset_t none;
  if (!connect_fds(sock, program->told))
    _exit(126);
  setsid();
  personality(ADDR_NO_RANDOMIZE);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (program->plugin || program->entries) {
    argv[1] = CUL_WORKER_SERVE;
    argv[2] = program->plugin ? CUL_WORKER_PLUGIN : CUL_WORKER_ENTRIES;
    argv[3] = (char *)(program->plugin ? program->plugin : program->entries);
  }
  execve(program->path, argv, program->env);
  _exit(127);
}

/* The environment with eager binding: without it each child resolves symbols
 * for itself (measured: with it a small candidate takes a third less time).
 * wait: CUL_WAIT_VARIABLE with its value, or NULL. */
static char **make_env(const struct cul_workers *workers, char *wait) {
  const char *const *passed = workers->environment
                                  ? cul_environment_list(workers->environment)
                                  : (const char *const *)environ;
  size_t n = 0;
  char **env;
  while (passed[n])
    n++;
  env = cul_xcalloc(n + 3, sizeof *env);
  memcpy(env + 1, passed, n * sizeof *env);
  env[0] = "LD_BIND_NOW=1";
  env[n + 1] = wait;
  return env;
}

char *cul_worker_program(const char *program_dir, enum cul_form form) {
  return cul_own_file(program_dir, programs[program_of(form)], X_OK);
}

/* fork(2), repeated while resources are short. */
static pid_t fork_again(void) {
  unsigned n = 0;
  pid_t pid;
  while ((pid = fork()) < 0 && cul_wait_again(n++, errno))
    ;
  return pid;
}

static int start(const struct cul_workers *workers, enum cul_form form,
                 const char *path, int sock) {
  const char *value = getenv(CUL_WAIT_VARIABLE);
  char *wait = value ? cul_xasprintf(CUL_WAIT_VARIABLE "=%s", value) : NULL;
  struct program program = {
      .path = path,
      .name = cul_xasprintf("%-*s", (int)strlen(path) + CUL_ROLE_BYTES, path),
      .env = make_env(workers, wait),
      .told = wait != NULL,
      .plugin = form == CUL_FORM_TEXT ? workers->plugin : NULL,
      .entries = form != CUL_FORM_TEXT && program_of(form) == 0
                     ? workers->entries
                     : NULL};
  pid_t pid = fork_again();
  if (pid == 0) {
    /* A second fork: the worker is not a child of the main program. */
    if (fork_again() == 0)
      become(&program, sock);
    _exit(0);
  }
  free(program.name);
  free(program.env);
  free(wait);
  if (pid < 0)
    return -1;
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  return 0;
}

/* *sock: our end of the socket, owned by the caller. */
static int spawn(const struct cul_workers *workers, enum cul_form form,
                 int *sock, struct cul_err *err) {
  char *path = cul_worker_program(workers->program_dir, form);
  int pair[2], rc;
  if (!path)
    return cul_fail(err, CUL_EENV, "install culprit again: a part is missing",
                    "no program %s below %s", programs[program_of(form)],
                    workers->program_dir);
  rc = cul_wire_pair(pair, err);
  if (rc < 0)
    goto out;
  if (start(workers, form, path, pair[1]) < 0)
    rc = cul_fail(err, CUL_ELOST, "end other programs", "cannot fork: %s",
                  strerror(errno));
  close(pair[1]);
  if (rc < 0)
    close(pair[0]);
  else
    *sock = pair[0];
out:
  free(path);
  return rc;
}

void cul_workers_init(struct cul_workers *workers, const char *program_dir) {
  workers->environment = NULL;
  workers->plugin = NULL;
  workers->entries = NULL;
  workers->input = NULL;
  workers->patience = (struct cul_patience){0};
  workers->program_dir =
      program_dir ? cul_xstrdup(program_dir) : cul_program_dir();
  for (size_t i = 0; i < CUL_N_WORKER_PROGRAMS; i++)
    workers->sockets[i] = -1;
}

void cul_workers_start(struct cul_workers *workers, enum cul_form form) {
  int *sock = &workers->sockets[program_of(form)];
  struct cul_err untold = {0};
  if (*sock < 0)
    (void)!spawn(workers, form, sock, &untold);
}

static void end(int *sock) {
  if (*sock >= 0)
    close(*sock);
  *sock = -1;
}

void cul_workers_release(struct cul_workers *workers) {
  for (size_t i = 0; workers->program_dir && i < CUL_N_WORKER_PROGRAMS; i++)
    end(&workers->sockets[i]);
  free(workers->entries);
  workers->entries = NULL;
  free(workers->program_dir);
  workers->program_dir = NULL;
}

int cul_workers_fork(struct cul_workers *workers, enum cul_form form,
                     struct cul_peer *out, struct cul_err *err) {
  enum { MOST = 3 };
  int *program = &workers->sockets[program_of(form)];
  char *path = cul_worker_program(workers->program_dir, form);
  int rc = CUL_ELOST;
  for (int i = 0; i < MOST && (rc == CUL_ELOST || rc == CUL_ECHILD); i++) {
    struct cul_peer peer = {.patience = workers->patience, .program = path};
    if (i > 0)
      end(program); /* it died: start another one */
    rc = *program < 0 ? spawn(workers, form, program, err) : 0;
    peer.sock = *program;
    if (peer.sock >= 0)
      rc = cul_wire_fork(&peer, CUL_WIRE_FORK, out, err);
  }
  free(path);
  if (rc != CUL_ELOST && rc != CUL_ECHILD)
    return rc;
  end(program);
  /* It has not read any input yet, so the input is not the cause. */
  err->code = CUL_EENV;
  if (!err->advice[0])
    snprintf(err->advice, sizeof err->advice, "%s", cul_wire_more_room);
  return CUL_EENV;
}
