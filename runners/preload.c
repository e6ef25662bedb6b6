/* The preload runner: see preload.h.
 *
 * A server's standard output and error are one end of a socket.  Once it waits,
 * it receives its runs there: the message of a live run (live.h) with the
 * descriptors of the run's supervisor.  The server itself checks that it has
 * printed nothing to the socket before. */
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "imports.h"
#include "live.h"
#include "process.h"
#include "tree/guard.h"

/* Each server keeps a started tool in memory. */
enum {
  MAX_SERVERS = 16,
  MAX_ALIKE = 1, /* servers that differ only in their imports: large ones */
  MAX_FAILED = 8 /* lists of imports after which a server could not wait */
};

struct server {
  struct cul_digest key;  /* of the plan without its limits, and of the imports;
                             zero: unused */
  struct cul_digest base; /* of the plan alone */
  size_t imports;         /* that it made: their number */
  pid_t guard;            /* its supervisor */
  int sock,
      control; /* sock: receives the runs; closing control kills the server */
  uint64_t hung_up_us; /* when control was closed */
  uint64_t used;
};

struct cul_servers {
  struct server all[MAX_SERVERS];
  uint64_t turn;
  bool refused;
  bool alone; /* no imports are made in servers */
  /* Imports are made in servers: the first such server has waited for runs. */
  bool proven;
  size_t n_failed;
  struct cul_digest failed[MAX_FAILED];
};

struct cul_servers *cul_servers_new(void) {
  return cul_xcalloc(1, sizeof(struct cul_servers));
}

bool cul_servers_usable(const struct cul_servers *servers) {
  return servers && !servers->refused;
}

static char *library_path(void) {
  return cul_own_library("libculprit-server.so");
}

/* Did the server answer that it is of another build?  What a tool printed
 * before it waited may be there, too. */
static bool is_other_build(const struct server *server, uint64_t *build) {
  struct pollfd fd = {server->sock, POLLIN, 0};
  struct cul_wire_msg msg;
  bool other;
  if (poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLIN))
    return false;
  other = cul_wire_recv(server->sock, &msg) < 0 && errno == EPROTONOSUPPORT &&
          msg.type == CUL_LIVE_OTHER_BUILD;
  *build = msg.build;
  cul_wire_msg_release(&msg);
  return other;
}

/* All servers have the same library, so none can be used. */
static void give_up_library(struct cul_servers *servers, uint64_t build) {
  CUL_HEAP char *path = library_path();
  struct cul_err err = {0};
  (void)cul_wire_fail_build(build, path ? path : "libculprit-server.so", &err);
  cul_status_note(UINT64_MAX,
                  "note:      %s; culprit starts the tool anew for each run\n"
                  "  %s",
                  err.what, err.advice);
  servers->refused = true;
}

static void hang_up(struct cul_servers *servers, struct server *server) {
  uint64_t build;
  if (server->guard > 0 && server->control >= 0) {
    if (!servers->refused && is_other_build(server, &build))
      give_up_library(servers, build);
    close(server->sock);
    close(server->control);
    server->control = -1;
    server->hung_up_us = cul_now_us();
  }
}

static void stop(struct cul_servers *servers, struct server *server) {
  hang_up(servers, server);
  if (server->guard > 0)
    cul_guard_see_off(server->guard, server->hung_up_us);
  *server = (struct server){0};
}

static bool is_gone(const struct server *server) {
  struct pollfd fd = {server->sock, 0, 0};
  return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR));
}

static bool stop_importing(struct cul_servers *servers) {
  bool found = false;
  for (int i = 0; i < MAX_SERVERS; i++)
    if (servers->all[i].imports) {
      stop(servers, &servers->all[i]);
      found = true;
    }
  servers->alone = true;
  return found;
}

void cul_servers_refuse(struct cul_servers *servers, bool gently) {
  if (gently && stop_importing(servers))
    return;
  for (int i = 0; i < MAX_SERVERS; i++)
    hang_up(servers, &servers->all[i]);
  for (int i = 0; i < MAX_SERVERS; i++)
    stop(servers, &servers->all[i]);
  servers->refused = true;
}

void cul_servers_free(struct cul_servers *servers) {
  if (servers)
    cul_servers_refuse(servers, false);
  free(servers);
}

static void add_words(struct cul_hasher *h, char *const *words) {
  for (; words && *words; words++)
    cul_hasher_field(h, *words);
  cul_hasher_field(h, NULL);
}

static void add_paths(struct cul_hasher *h, const struct cul_paths *paths) {
  for (size_t i = 0; paths && i < paths->n; i++)
    cul_hasher_field(h, paths->items[i]);
  cul_hasher_field(h, NULL);
}

/* The digest of everything that a started tool can depend on.  What its runs
 * may write can grow while the job learns. */
static struct cul_digest key_of(const struct cul_plan *plan) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_field(h, plan->path);
  add_words(h, plan->argv + 1);
  add_words(h, plan->envp);
  cul_hasher_field(h, plan->cwd);
  cul_hasher_u64(h, plan->as_bytes);
  cul_hasher_u64(h, plan->randomize);
  cul_hasher_u64(h, plan->box.parts);
  add_paths(h, plan->box.writes);
  return cul_hasher_finish(h);
}

/* The server of the key, or a place for a new one: an unused one, unless many
 * are alike, else the one of these, or of all, that was silent for the longest
 * time. */
static struct server *find(struct cul_servers *servers,
                           const struct server *wanted) {
  struct server *place = &servers->all[0], *alike = NULL;
  int n = 0;
  for (int i = 0; i < MAX_SERVERS; i++) {
    struct server *server = &servers->all[i];
    if (cul_digest_equal(&server->key, &wanted->key))
      return server;
    if (server->used < place->used)
      place = server;
    if (!server->imports || !cul_digest_equal(&server->base, &wanted->base))
      continue;
    n++;
    if (!alike || server->used < alike->used)
      alike = server;
  }
  return wanted->imports && alike && (n >= MAX_ALIKE || place->used) ? alike
                                                                     : place;
}

enum { N_OWN = 3 };

/* The plan's environment with the variables for the library.  own: the entries
 * to free. */
static char **make_env(const struct cul_plan *plan, const char *library,
                       const char *candidate, const char *imports,
                       char *own[N_OWN]) {
  const char *old = NULL;
  size_t n = 0, kept = 0;
  char **envp;
  while (plan->envp[n])
    n++;
  envp = cul_xcalloc(n + N_OWN + 1, sizeof *envp);
  for (size_t i = 0; i < n; i++)
    if (strncmp(plan->envp[i], "LD_PRELOAD=", 11) == 0)
      old = plan->envp[i] + 11;
    else
      envp[kept++] = plan->envp[i];
  own[0] = cul_xasprintf("LD_PRELOAD=%s%s%s", library, old ? ":" : "",
                         old ? old : "");
  own[1] =
      cul_xasprintf("CULPRIT_SERVER=%llu:%s",
                    (unsigned long long)plan->wall_ms / 1000 + 1, candidate);
  own[2] = cul_xasprintf("CULPRIT_IMPORTS=%s", imports);
  for (int i = 0; i < N_OWN; i++)
    envp[kept++] = own[i];
  return envp;
}

/* Fork the supervisor of the tool.  sock: the tool's end of the socket. */
static pid_t launch_tool(const struct cul_plan *plan, int sock, int control) {
  struct cul_supervision s = {
      .plan = plan,
      .out = fcntl(sock, F_DUPFD_CLOEXEC, 3),
      .err = fcntl(sock, F_DUPFD_CLOEXEC, 3),
      .control = control,
      .result = TEMP_FAILURE_RETRY(open("/dev/null", O_WRONLY | O_CLOEXEC)),
  };
  pid_t pid = -1;
  if (s.out >= 0 && s.err >= 0 && s.result >= 0)
    pid = cul_supervisor_fork(&s);
  close(s.out);
  close(s.err);
  close(s.result);
  return pid;
}

/* Launch a server.  Its plan has no limits and does not empty the directory;
 * the plans of its runs do. */
static pid_t launch_server(const struct cul_plan *like, const char *candidate,
                           const char *imports, int sock, int control) {
  char *library = library_path();
  struct cul_plan plan = *like;
  char *own[N_OWN] = {NULL};
  pid_t pid = -1;
  plan.wall_ms = plan.cpu_s = 0;
  plan.tmp = "";
  /* each run reports its own refused writes, and a process can have only one
   * listener; what the tool writes before it waits is not watched: the
   * candidate cannot have caused it */
  plan.box.parts &= ~(uint32_t)CUL_PART_WATCH;
  if (library) {
    plan.envp = make_env(like, library, candidate, imports, own);
    pid = launch_tool(&plan, sock, control);
    free(plan.envp);
  }
  for (int i = 0; i < N_OWN; i++)
    free(own[i]);
  free(library);
  return pid;
}

static int start_server(struct server *server, const struct cul_plan *plan,
                        const char *candidate, const char *imports) {
  int sock[2], control[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
    return -1;
  if (cul_process_pipe(control)) {
    close(sock[0]);
    close(sock[1]);
    return -1;
  }
  server->guard = launch_server(plan, candidate, imports, sock[1], control[0]);
  close(sock[1]);
  close(control[0]);
  server->sock = sock[0];
  server->control = control[1];
  /* a stopped server does not receive: limit the wait */
  setsockopt(sock[0], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = 1},
             sizeof(struct timeval));
  if (server->guard > 0)
    return 0;
  close(sock[0]);
  close(control[1]);
  return -1;
}

/* The server cannot wait after these imports: make them no more. */
static void fail_imports(struct cul_servers *servers, struct server *server) {
  servers->failed[servers->n_failed++ % MAX_FAILED] = server->key;
  servers->alone |= !servers->proven || servers->n_failed >= MAX_FAILED;
  stop(servers, server);
}

/* Note what the servers show that make imports.  A server is proven once it has
 * not ended though another run was sent since: the first run is over then, if
 * one is made at a time. */
static void look_after(struct cul_servers *servers) {
  for (int i = 0; i < MAX_SERVERS; i++) {
    struct server *server = &servers->all[i];
    if (!server->imports)
      continue;
    if (is_gone(server))
      fail_imports(servers, server);
    else
      servers->proven |= server->used < servers->turn;
  }
}

static bool has_failed(const struct cul_servers *servers,
                       const struct cul_digest *key) {
  for (size_t i = 0; i < MAX_FAILED; i++)
    if (cul_digest_equal(&servers->failed[i], key))
      return true;
  return false;
}

/* The server that the run needs, without its process. */
static struct server choose(const struct cul_servers *servers,
                            const struct cul_plan *plan, const char *candidate,
                            struct cul_buf *imports) {
  struct server out = {.base = key_of(plan)};
  struct cul_hasher *h;
  out.key = out.base;
  if (!servers->alone)
    out.imports = cul_imports_of(plan->argv + 1, candidate, imports);
  if (out.imports == 0)
    return out;
  h = cul_hasher_new();
  cul_hasher_add(h, &out.base, sizeof out.base);
  cul_hasher_field(h, cul_buf_str(imports));
  out.key = cul_hasher_finish(h);
  if (has_failed(servers, &out.key))
    out = (struct server){.base = out.base, .key = out.base};
  return out;
}

static pid_t launch_run(struct cul_servers *servers,
                        const struct cul_artefact *artefact,
                        const struct cul_supervision *s) {
  char *candidate = cul_xasprintf("%s/%s", artefact->dir, artefact->file);
  struct cul_buf imports = {0};
  struct server wanted, *server;
  int rc = 0;
  look_after(servers);
  wanted = choose(servers, s->plan, candidate, &imports);
  server = find(servers, &wanted);
  if (!cul_digest_equal(&server->key, &wanted.key)) {
    stop(servers, server);
    *server = wanted;
    rc = start_server(server, s->plan, candidate,
                      wanted.imports ? cul_buf_str(&imports) : "");
    if (rc < 0)
      *server = (struct server){0};
  }
  free(candidate);
  cul_buf_release(&imports);
  server->used = ++servers->turn;
  if (rc == 0 && !is_gone(server) && cul_live_send(server->sock, s, false) == 0)
    return 0;
  if (rc == 0 && server->imports)
    fail_imports(servers, server);
  else
    cul_servers_refuse(servers, false);
  return errno = ECANCELED, -1;
}

static pid_t launch(const struct cul_artefact *artefact,
                    const struct cul_supervision *s) {
  if (cul_servers_usable(s->plan->servers))
    return launch_run(s->plan->servers, artefact, s);
  return errno = ECANCELED, -1;
}

static int start(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  if (!(request->flags & CUL_RUN_SERVED))
    return cul_runner_process.start(artefact, request, tmp, out, err);
  return cul_process_start(artefact, request, tmp, launch, out, err);
}

const struct cul_runner cul_runner_preload = {
    .name = "preload",
    .summary = "if requested, fork the command from a process that waits "
               "before it first opens the candidate; otherwise start it",
    .start = start,
    .fds = cul_process_fds,
    .advance = cul_process_advance,
    .cancel = cul_process_cancel,
    .hang_up = cul_process_hang_up,
};
