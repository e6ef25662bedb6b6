/* Starting a workshop program: see workshop_spawn.h. */
#include "workshop_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/file.h"
#include "workshop.h"
#include "workshop_wire.h"

static const char *program_name(enum cul_form form) {
  bool text = form == CUL_FORM_TEXT || form == CUL_FORM_MLIR_TEXT;
  return text ? "culprit-workshop-text" : "culprit-workshop-mlir";
}

/* In the child; only async-signal-safe calls. */
static _Noreturn void become(const char *path, int sock, char **env) {
  char *argv[] = {(char *)path, NULL};
  sigset_t none;
  int null = open("/dev/null", O_RDWR);
  setsid();
  personality(ADDR_NO_RANDOMIZE);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (sock == CUL_WIRE_FD)
    fcntl(sock, F_SETFD, 0);
  else
    dup2(sock, CUL_WIRE_FD);
  for (int fd = 0; fd < CUL_WIRE_FD; fd++)
    dup2(null, fd);
  close_range(CUL_WIRE_FD + 1, ~0U, 0);
  execve(path, argv, env);
  _exit(127);
}

/* The environment, plus eager binding: children then never resolve symbols,
 * each for itself (measured: a third less time per small candidate). */
static char **make_env(void) {
  size_t n = 0;
  char **env;
  while (environ[n])
    n++;
  env = cul_xcalloc(n + 2, sizeof *env);
  memcpy(env + 1, environ, n * sizeof *env);
  env[0] = "LD_BIND_NOW=1";
  return env;
}

char *cul_workshop_program(const char *program_dir, enum cul_form form) {
  return cul_own_file(program_dir, program_name(form), X_OK);
}

static int start(const char *path, int sock) {
  char **env = make_env();
  pid_t pid = fork();
  if (pid == 0) {
    /* Forked twice: the workshop is no child of the main program. */
    if (fork() == 0)
      become(path, sock, env);
    _exit(0);
  }
  free(env);
  if (pid < 0)
    return -1;
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  return 0;
}

int cul_workshop_spawn(const char *program_dir, enum cul_form form, int *sock,
                       struct cul_err *err) {
  char *path = cul_workshop_program(program_dir, form);
  int pair[2], rc = 0;
  if (!path)
    return cul_fail(err, CUL_EENV, "install culprit again: a part is missing",
                    "no program %s below %s", program_name(form), program_dir);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
    rc = cul_fail(err, CUL_EENV, "", "no socket for the workshop: %s",
                  strerror(errno));
    goto out;
  }
  if (start(path, pair[1]) < 0)
    rc = cul_fail(err, CUL_EENV, "end other programs", "cannot fork: %s",
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
