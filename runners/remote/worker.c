/* culprit-worker: makes runs for a culprit on another machine.  It exchanges
 * the frames of message.h over standard input and output, and makes each run
 * under the same supervisor as local runs.
 *
 * It has two processes: the worker itself, and its keeper, which waits for the
 * worker, ends the processes that it left, and removes its directory.  The
 * worker ends when its standard input ends. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/environment.h"
#include "../../base/files/depot.h"
#include "../../base/files/file.h"
#include "../../base/files/held.h"
#include "../../base/files/outputs.h"
#include "../../base/visible.h"
#include "../identity/built.h"
#include "../identity/identity.h"
#include "../identity/outside.h"
#include "../process.h"
#include "../sandbox/sandbox.h"
#include "../tree/strays.h"
#include "message.h"
#include "store.h"
#include "workspaces.h"

/* MOST_RUNS: runs at a time, including waiting ones.  MOST_VANISHED: how often
 * a file may be removed from the store before its use. */
enum { MOST_RUNS = 64, MOST_VANISHED = 3 };

/* A file below "sent". */
struct sent {
  char *name; /* name on culprit's machine */
  struct cul_digest digest;
};

struct task {
  struct cul_remote_run asked;
  bool used;
  uint64_t turn;
  struct cul_digest
      *lacks; /* requested files that have not arrived, from first_lack on */
  size_t first_lack, n_lacks;
  unsigned vanished;
  struct cul_remote_workspace *workspace; /* or NULL */
  bool *differs; /* index: file; it must be written into the workspace */
  char *dir, *tmp, *out;
  struct cul_command command;
  struct cul_subst *subst;
  struct cul_artefact artefact;
  struct cul_request request;
  struct cul_run *run;     /* NULL: the task waits */
  struct install *install; /* its installation, or NULL */
};

/* The installation of a task. */
struct install {
  int lock;    /* shared, or exclusive while it is being made; -1: none */
  bool making; /* the task currently runs the script that makes it */
  bool wanted; /* it must be made here, so the files of the script are needed */
  char *dir, *text;
  const char *words[4];
  struct cul_command command;
  struct cul_subst subst;
  struct cul_artefact artefact;
  struct cul_request request;
};

/* A file whose digest is known while it is not changed. */
struct content {
  char *path;
  struct stat st;
  struct cul_digest digest;
};

struct worker {
  int in, out; /* descriptors for frames */
  struct cul_held place;
  struct cul_buf read, write;
  struct cul_environment *environment; /* NULL until there is a job */
  struct cul_digest variables; /* digest of all variables that runs see */
  struct cul_digest
      surroundings; /* digest of the variables that affect compilers */
  struct task tasks[MOST_RUNS];
  struct cul_remote_store store;
  struct cul_remote_workspaces workspaces;
  struct cul_depot
      installs; /* opened when one is needed; path NULL until then */
  struct cul_environment *builds; /* for builds; NULL until there is one */
  struct cul_remote_job job;
  struct sent *sent;
  size_t n_sent, room_sent;
  struct content *contents; /* sorted by path */
  size_t n_contents, room_contents;
  uint64_t turn;
  bool ended;
};

static volatile sig_atomic_t told_to_end;

static void end_soon(int signal_number) { told_to_end = signal_number; }

/* ---- frames ---- */

static void send_frame(struct worker *w, enum cul_frame_type type,
                       const struct cul_buf *body) {
  cul_frame_add(&w->write, type, cul_buf_bytes(body));
}

static void send_words(struct worker *w, enum cul_frame_type type, uint32_t id,
                       const char *text) {
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  struct cul_remote_words words = {.id = id};
  cul_buf_adds(&words.text, text);
  cul_remote_pass_words(&codec, &words);
  send_frame(w, type, &body);
  cul_buf_release(&words.text);
  cul_buf_release(&body);
}

static uint64_t memory_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void send_hello(struct worker *w) {
  struct utsname name = {0};
  struct cul_remote_hello hello = {.version = CUL_REMOTE_VERSION,
                                   .memory_bytes = memory_bytes()};
  struct cul_err ignored = {0};
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  (void)uname(&name);
  hello.host = cul_xstrdup(name.nodename);
  hello.system =
      cul_xasprintf("%s %s %s", name.sysname, name.release, name.machine);
  hello.cores = cores > 0 ? (uint32_t)cores : 1;
  (void)!cul_file_digest("/proc/self/exe", &hello.program, &ignored);
  hello.store = w->store.identity;
  cul_remote_pass_hello(&codec, &hello);
  send_frame(w, CUL_FRAME_HELLO, &body);
  cul_remote_hello_release(&hello);
  cul_buf_release(&body);
}

/* ---- names: "@{there}" and this worker's directory ---- */

/* Append text with each `from` replaced. */
static void replace(const char *text, size_t len, const char *from,
                    const char *to, struct cul_buf *out) {
  size_t n = strlen(from);
  const char *at = text, *end = text + len, *next;
  while ((next = memmem(at, (size_t)(end - at), from, n))) {
    cul_buf_add(out, at, (size_t)(next - at));
    cul_buf_adds(out, to);
    at = next + n;
  }
  cul_buf_add(out, at, (size_t)(end - at));
}

static char *here(const struct worker *w,
                  const struct cul_remote_workspace *workspace,
                  const char *text) {
  struct cul_buf out = {0}, next = {0};
  replace(text, strlen(text), CUL_REMOTE_THERE, w->place.path, &out);
  if (w->installs.held.path) {
    replace(cul_buf_str(&out), out.len, CUL_REMOTE_INSTALLS,
            w->installs.held.path, &next);
    cul_buf_release(&out);
    out = next;
    next = (struct cul_buf){0};
  }
  if (!workspace)
    return cul_buf_take(&out);
  replace(cul_buf_str(&out), out.len, CUL_REMOTE_WORKSPACES, workspace->above,
          &next);
  cul_buf_clear(&out);
  replace(cul_buf_str(&next), next.len, CUL_REMOTE_WORKSPACE,
          workspace->held.path, &out);
  cul_buf_release(&next);
  return cul_buf_take(&out);
}

static void localize(const struct worker *w,
                     const struct cul_remote_workspace *workspace,
                     char **words) {
  for (; words && *words; words++) {
    char *word = here(w, workspace, *words);
    free(*words);
    *words = word;
  }
}

/* ---- the files of a run ---- */

static int load(const struct worker *w, const struct cul_remote_file *file,
                struct cul_buf *out, struct cul_err *err) {
  if (file->carried)
    cul_buf_add(out, file->bytes.data, file->bytes.len);
  else if (!cul_remote_store_get(&w->store, &file->digest, out))
    return cul_fail(err, CUL_ELOST, "", "%s is not there any more", file->name);
  return 0;
}

static int fail_place(const char *name, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "make room there", "cannot write %s there: %s",
                  name, strerror(errno));
}

static struct sent *find_sent(const struct worker *w, const char *name) {
  for (size_t i = 0; i < w->n_sent; i++)
    if (strcmp(w->sent[i].name, name) == 0)
      return &w->sent[i];
  return NULL;
}

static struct sent *make_sent(struct worker *w, const char *name) {
  struct sent *sent = find_sent(w, name);
  if (sent)
    return sent;
  w->sent = cul_xgrow(w->sent, w->n_sent, &w->room_sent, sizeof *w->sent);
  w->sent[w->n_sent] = (struct sent){.name = cul_xstrdup(name)};
  return &w->sent[w->n_sent++];
}

/* Put a sent file in place; it stays until the job sends other content. */
static int place_sent(struct worker *w, const struct cul_remote_file *file,
                      struct cul_err *err) {
  struct sent *sent = make_sent(w, file->name);
  struct cul_buf bytes = {0};
  char *name = cul_xasprintf("sent%s", file->name), *slash;
  int dir, rc = 0;
  if (cul_digest_equal(&sent->digest, &file->digest)) {
    free(name);
    return 0;
  }
  slash = strrchr(name, '/');
  *slash = '\0';
  dir = cul_beneath_mkdirs(w->place.fd, name, 0700);
  *slash = '/';
  rc = dir < 0 ? fail_place(file->name, err) : load(w, file, &bytes, err);
  if (rc == 0 && cul_beneath_put(w->place.fd, name, bytes.data, bytes.len,
                                 (mode_t)(file->mode & 0777)) < 0)
    rc = fail_place(file->name, err);
  if (rc == 0)
    sent->digest = file->digest;
  if (dir >= 0)
    close(dir);
  cul_buf_release(&bytes);
  free(name);
  return rc;
}

static int place_candidate(struct worker *w, const struct task *task,
                           const struct cul_remote_file *file,
                           struct cul_err *err) {
  struct cul_buf bytes = {0};
  int rc = load(w, file, &bytes, err), dir = -1, parent;
  char *slash = strrchr(file->name, '/');
  if (rc == 0)
    rc = cul_held_claim(&w->place, task->dir, &dir, err);
  if (rc == 0 && slash) {
    *slash = '\0';
    parent = cul_beneath_mkdirs(dir, file->name, 0700);
    *slash = '/';
    rc = parent < 0 ? fail_place(file->name, err) : 0;
    if (parent >= 0)
      close(parent);
  }
  if (rc == 0 && cul_beneath_put(dir, file->name, bytes.data, bytes.len,
                                 (mode_t)(file->mode & 0777)) < 0)
    rc = fail_place(file->name, err);
  if (dir >= 0)
    close(dir);
  cul_buf_release(&bytes);
  return rc;
}

/* Are the files of the installation's script needed? Not if it exists
 * already. */
static bool wants_install(const struct task *task) {
  return task->install && task->install->wanted;
}

static int place_files(struct worker *w, const struct task *task,
                       struct cul_err *err) {
  int rc = 0;
  for (uint32_t i = 0; i < task->asked.n_files && rc == 0; i++) {
    const struct cul_remote_file *file = &task->asked.files[i];
    if (file->place == CUL_PLACE_WORKSPACE ||
        (file->place == CUL_PLACE_INSTALL && !wants_install(task)))
      continue;
    rc = file->place != CUL_PLACE_CANDIDATE && file->name[0] == '/'
             ? place_sent(w, file, err)
             : place_candidate(w, task, file, err);
  }
  if (rc == 0 && task->workspace && task->asked.building)
    rc = cul_remote_workspace_put(task->workspace, &task->asked, task->differs,
                                  &w->store, err);
  return rc;
}

/* Is the file neither in its place nor in the store? */
static bool is_lacking(const struct worker *w, const struct task *task,
                       uint32_t at) {
  const struct cul_remote_file *file = &task->asked.files[at];
  const struct sent *sent =
      file->place == CUL_PLACE_SENT || file->place == CUL_PLACE_INSTALL
          ? find_sent(w, file->name)
          : NULL;
  if (file->place == CUL_PLACE_INSTALL && !wants_install(task))
    return false;
  if (file->carried ||
      (file->place == CUL_PLACE_WORKSPACE && !task->differs[at]) ||
      (sent && cul_digest_equal(&sent->digest, &file->digest)))
    return false;
  return !cul_remote_store_has(&w->store, &file->digest);
}

/* Is the file already listed?  Files arrive in the order of the requests. */
static bool is_listed(const struct task *task, const struct cul_digest *one) {
  for (size_t i = 0; i < task->n_lacks; i++)
    if (cul_digest_equal(&task->lacks[task->first_lack + i], one))
      return true;
  return false;
}

static int by_digest(const void *one, const void *other) {
  const struct cul_digest *a = one, *b = other;
  if (a->w[0] != b->w[0])
    return a->w[0] < b->w[0] ? -1 : 1;
  return a->w[1] < b->w[1] ? -1 : a->w[1] > b->w[1];
}

/* Find the missing files and request them. */
static void ask_for_files(struct worker *w, struct task *task) {
  struct cul_buf text = {0};
  char hex[CUL_DIGEST_HEX];
  size_t n = 0;
  free(task->lacks);
  task->lacks =
      cul_xcalloc((size_t)task->asked.n_files + 1, sizeof *task->lacks);
  for (uint32_t i = 0; i < task->asked.n_files; i++)
    if (is_lacking(w, task, i))
      task->lacks[n++] = task->asked.files[i].digest;
  qsort(task->lacks, n, sizeof *task->lacks, by_digest);
  task->first_lack = task->n_lacks = 0;
  for (size_t i = 0; i < n; i++) {
    if (task->n_lacks > 0 &&
        cul_digest_equal(&task->lacks[i], &task->lacks[task->n_lacks - 1]))
      continue;
    cul_buf_addf(&text, "%s\n", cul_digest_hex(&task->lacks[i], hex));
    task->lacks[task->n_lacks++] = task->lacks[i];
  }
  if (text.len)
    send_words(w, CUL_FRAME_NEED, task->asked.id, cul_buf_str(&text));
  cul_buf_release(&text);
}

/* ---- a run ---- */

static int empty_dir(struct worker *w, const char *path, struct stat *st,
                     struct cul_err *err) {
  int dir, rc = cul_held_claim(&w->place, path, &dir, err);
  if (rc < 0)
    return rc;
  (void)!cul_beneath_empty(dir, NULL);
  if (st && fstat(dir, st) < 0)
    rc = fail_place(path, err);
  close(dir);
  return rc;
}

static int make_dirs(struct worker *w, struct task *task, struct cul_err *err) {
  struct stat st = {0};
  int rc = empty_dir(w, task->dir, NULL, err), sent;
  if (rc == 0)
    rc = empty_dir(w, task->out, NULL, err);
  if (rc == 0)
    rc = empty_dir(w, task->tmp, &st, err);
  task->request.tmp_dev = st.st_dev;
  task->request.tmp_ino = st.st_ino;
  if (rc == 0 && task->command.cwd &&
      cul_held_name(&w->place, task->command.cwd)) {
    sent = cul_beneath_mkdirs(
        w->place.fd, cul_held_name(&w->place, task->command.cwd), 0700);
    if (sent < 0)
      return fail_place(task->command.cwd, err);
    close(sent);
  }
  return rc;
}

/* Fill in the request of the process runner from the message. */
static void fill_task(struct worker *w, struct task *task) {
  struct cul_remote_run *asked = &task->asked;
  size_t n = 0;
  localize(w, task->workspace, asked->argv);
  localize(w, task->workspace, asked->env);
  localize(w, task->workspace, asked->values);
  if (asked->cwd) {
    char *cwd = here(w, task->workspace, asked->cwd);
    free(asked->cwd);
    asked->cwd = cwd;
  }
  task->command = (struct cul_command){
      .argv = (const char *const *)asked->argv,
      .delivery = (enum cul_delivery)asked->delivery,
      .cwd = asked->cwd,
      .environment = asked->building ? w->builds : w->environment,
      .env = (const char *const *)asked->env};
  while (asked->keys && asked->keys[n])
    n++;
  task->subst = cul_xcalloc(n + 1, sizeof *task->subst);
  for (size_t i = 0; i < n; i++)
    task->subst[i] = (struct cul_subst){
        asked->keys[i],
        strcmp(asked->keys[i], "@{out}") == 0 ? task->out : asked->values[i]};
  task->artefact =
      (struct cul_artefact){.subst = task->subst,
                            .n_subst = n,
                            .dir = task->workspace ? task->workspace->held.path
                                   : asked->placed ? task->dir
                                                   : "",
                            .file = asked->file,
                            .live_fd = -1};
  task->request = (struct cul_request){.role = "remote",
                                       .cmd = &task->command,
                                       .attempt = asked->attempt,
                                       .flags = asked->flags,
                                       .wall_ms = asked->wall_ms,
                                       .cpu_ms = asked->cpu_ms,
                                       .rss_bytes = asked->rss_bytes,
                                       .out_bytes = asked->out_bytes};
}

/* Release the task's installation, or abandon making it. */
static void leave_install(struct worker *w, struct install *install,
                          const char *name) {
  struct cul_err ignored = {0};
  if (install->lock < 0)
    return;
  if (install->making)
    (void)!cul_depot_end(&w->installs, name, false, install->lock, &ignored);
  else
    close(install->lock);
  install->lock = -1;
  install->making = false;
}

static void task_free(struct worker *w, struct task *task) {
  if (task->install) {
    leave_install(w, task->install, task->asked.install.name);
    free(task->install->dir);
    free(task->install->text);
    free(task->install);
  }
  cul_remote_run_release(&task->asked);
  free(task->dir);
  free(task->tmp);
  free(task->out);
  free(task->subst);
  free(task->lacks);
  free(task->differs);
  *task = (struct task){0};
}

static void refuse(struct worker *w, struct task *task,
                   const struct cul_err *err) {
  char *why = cul_xasprintf("%s%s%s", err->what, err->advice[0] ? "; " : "",
                            err->advice);
  send_words(w, CUL_FRAME_REFUSED, task->asked.id, why);
  free(why);
  task_free(w, task);
}

/* ---- installations ---- */

/* use bash if it exists, as for local scripts */
static const char shell_text[] =
    "exec 2>&1; if command -v bash >/dev/null; then exec bash -c \"$0\"; "
    "else exec sh -c \"$0\"; fi";

/* Start the script that makes the installation; its files are here. */
static int make_install(struct worker *w, struct task *task,
                        struct cul_err *err) {
  enum { SAID = 16 << 20 };
  static const char *const no_env[] = {NULL};
  struct install *install = task->install;
  install->dir = cul_depot_path(&w->installs, task->asked.install.name);
  install->text = here(w, NULL, task->asked.install.script);
  install->words[0] = "/bin/sh";
  install->words[1] = "-c";
  install->words[2] = shell_text;
  install->words[3] = "@{script}";
  install->subst = (struct cul_subst){"@{script}", install->text};
  install->command = (struct cul_command){
      .argv = install->words, .environment = w->builds, .env = no_env};
  install->artefact = (struct cul_artefact){.subst = &install->subst,
                                            .n_subst = 1,
                                            .dir = install->dir,
                                            .file = "",
                                            .live_fd = -1};
  install->request =
      (struct cul_request){.role = "build",
                           .cmd = &install->command,
                           .flags = CUL_RUN_SYMBOLIZE | CUL_RUN_RANDOMIZE,
                           .out_bytes = SAID,
                           .tmp_dev = task->request.tmp_dev,
                           .tmp_ino = task->request.tmp_ino};
  return cul_runner_process.start(&install->artefact, &install->request,
                                  task->tmp, &task->run, err);
}

/* Provide the installation.  *ready: it exists; otherwise its script was
 * started, or the task waits for another worker or for files. */
static int have_install(struct worker *w, struct task *task, bool *ready,
                        struct cul_err *err) {
  struct install *install = task->install;
  enum cul_depot_state state;
  int rc = cul_depot_enter(&w->installs, task->asked.install.name, &state,
                           &install->lock, err);
  *ready = rc == 0 && state == CUL_DEPOT_READY;
  install->making = rc == 0 && state == CUL_DEPOT_EMPTY;
  if (!install->making)
    return rc;
  if (!install->wanted) {
    install->wanted = true;
    ask_for_files(w, task);
  }
  if (task->n_lacks) {
    leave_install(w, install, task->asked.install.name);
    return 0;
  }
  rc = make_dirs(w, task, err);
  if (rc == 0)
    rc = place_files(w, task, err);
  return rc ? rc : make_install(w, task, err);
}

static void start(struct worker *w, struct task *task) {
  struct cul_sandbox *sandbox =
      cul_environment_sandbox(task->command.environment);
  struct cul_err err = {0};
  bool ready = true;
  int rc = task->install ? have_install(w, task, &ready, &err) : 0;
  if (rc == 0 && !ready)
    return;
  if (rc == 0)
    rc = make_dirs(w, task, &err);
  sandbox->without |= task->asked.without;
  /* without a traced test of a build, it is unknown where tests write */
  if (!task->workspace || (!task->asked.building && sandbox->learned))
    sandbox->sealed |= task->asked.sealed;
  if (rc == 0)
    rc = place_files(w, task, &err);
  if (rc == CUL_ELOST && ++task->vanished < MOST_VANISHED) {
    if (task->install)
      leave_install(w, task->install, task->asked.install.name);
    ask_for_files(w, task);
    return;
  }
  if (rc == 0)
    rc = cul_runner_process.start(&task->artefact, &task->request, task->tmp,
                                  &task->run, &err);
  if (rc < 0)
    refuse(w, task, &err);
}

static bool is_running(const struct worker *w) {
  for (size_t i = 0; i < MOST_RUNS; i++)
    if (w->tasks[i].run)
      return true;
  return false;
}

/* Start the next task: one at a time, in the order of arrival. */
static void start_next(struct worker *w) {
  struct task *next = NULL;
  if (is_running(w))
    return;
  for (size_t i = 0; i < MOST_RUNS; i++) {
    struct task *task = &w->tasks[i];
    if (task->used && task->n_lacks == 0 && (!next || task->turn < next->turn))
      next = task;
  }
  if (next)
    start(w, next);
}

/* ---- the end of a run ---- */

static bool is_of_run(const struct task *task, const char *path, size_t len) {
  const char *const dirs[] = {task->dir, task->tmp, task->out};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dirs); i++) {
    size_t n = strlen(dirs[i]);
    if (len >= n && memcmp(path, dirs[i], n) == 0 &&
        (len == n || path[n] == '/'))
      return true;
  }
  return false;
}

/* Keep only the lines of a trace that are not about the run's own files. */
static void keep_lines(const struct task *task, struct cul_buf *files) {
  struct cul_buf kept = {0};
  const char *at = cul_buf_str(files);
  while (*at) {
    size_t len = strcspn(at, "\n");
    if (len <= 2 || !is_of_run(task, at + 2, len - 2))
      cul_buf_addf(&kept, "%.*s\n", (int)len, at);
    at += len + (at[len] == '\n');
  }
  cul_buf_release(files);
  *files = kept;
}

/* May another change follow that leaves the file with the same times?  Longer
 * ago than the clock tick of file systems, it may not. */
static bool is_young(const struct stat *st) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec - st->st_ctim.tv_sec) * 1000 +
             (now.tv_nsec - st->st_ctim.tv_nsec) / 1000000 <
         100;
}

/* The place of the path among the known digests, or where it would be. */
static size_t find_content(const struct worker *w, const char *path) {
  size_t from = 0, to = w->n_contents;
  while (from < to) {
    size_t at = from + (to - from) / 2;
    if (strcmp(w->contents[at].path, path) < 0)
      from = at + 1;
    else
      to = at;
  }
  return from;
}

static void keep_content(struct worker *w, size_t at, const char *path,
                         const struct content *content) {
  bool known = at < w->n_contents && strcmp(w->contents[at].path, path) == 0;
  if (!known) {
    w->contents = cul_xgrow(w->contents, w->n_contents, &w->room_contents,
                            sizeof *w->contents);
    memmove(w->contents + at + 1, w->contents + at,
            (w->n_contents++ - at) * sizeof *w->contents);
    w->contents[at].path = cul_xstrdup(path);
  }
  w->contents[at].st = content->st;
  w->contents[at].digest = content->digest;
}

/* The digest of a file outside: builds read the same ones again and again. */
static int read_digest(void *self, const char *path, struct cul_digest *out) {
  struct worker *w = self;
  struct cul_err ignored = {0};
  struct content now = {0};
  size_t at = find_content(w, path);
  bool there = stat(path, &now.st) == 0;
  if (there && at < w->n_contents && strcmp(w->contents[at].path, path) == 0 &&
      cul_stat_untouched(&w->contents[at].st, &now.st)) {
    *out = w->contents[at].digest;
    return 0;
  }
  if (cul_file_digest(path, out, &ignored) < 0)
    return -1;
  now.digest = *out;
  if (there && S_ISREG(now.st.st_mode) && !is_young(&now.st))
    keep_content(w, at, path, &now);
  return 0;
}

/* Append "Y LIST DIGEST": see bisect/build/artefacts.c. */
static void tell_built(struct worker *w, const struct task *task,
                       const char *list, struct cul_buf *out) {
  const struct cul_built_reader reader = {.digest = read_digest, .self = w};
  struct cul_digest name = cul_digest_of(list, strlen(list)), digest;
  char hex[2][CUL_DIGEST_HEX];
  bool names_commit = false;
  if (cul_built_digest(list, task->workspace->held.path, &reader, &names_commit,
                       &digest))
    cul_buf_addf(out, "Y %s %s%s\n", cul_digest_hex(&name, hex[0]),
                 cul_digest_hex(&digest, hex[1]),
                 names_commit ? " commit" : "");
}

/* Append a line "z DIGEST LINE" for each name of a list of
 * runners/identity/outside.h.  Of the worker's own directory only names of
 * files that were sent count, whose states the other side knows. */
static void tell_names(struct worker *w, const char *list,
                       struct cul_buf *out) {
  const struct cul_built_reader reader = {.digest = read_digest, .self = w};
  const char *own = w->place.path;
  const size_t n = strlen(own), sent = n + sizeof "/sent/" - 1;
  for (size_t len; *list; list += len + (list[len] == '\n')) {
    char *line = cul_xstrndup(list, len = strcspn(list, "\n")),
         *path = line + 2;
    char hex[CUL_DIGEST_HEX];
    struct cul_digest state = {{0, 0}};
    bool ignored;
    if (len > 2 &&
        (strncmp(path, own, n) != 0 || (path[n] != '/' && path[n] != '\0'))) {
      if (!cul_built_digest(line, "", &reader, &ignored, &state))
        state = (struct cul_digest){{0, 0}};
      cul_buf_addf(out, "z %s %s\n", cul_digest_hex(&state, hex), line);
    } else if (len > sent + 2 && strncmp(path + n, "/sent/", sent - n) == 0) {
      cul_buf_addf(out, "z %s %c " CUL_OUTSIDE_SENT "%s\n",
                   cul_digest_hex(&state, hex), line[0], path + sent);
    }
    free(line);
  }
}

/* Report the files that a build or test read outside the workspace, with their
 * states, as lines "z". */
static void tell_outside(struct worker *w, const struct task *task,
                         const char *files, struct cul_buf *out) {
  struct cul_buf list = {0};
  for (size_t len; *files; files += len + (files[len] == '\n')) {
    len = strcspn(files, "\n");
    cul_outside_add(files, len, task->workspace->above, &list);
  }
  cul_outside_sort(&list);
  tell_names(w, cul_buf_str(&list), out);
  cul_buf_release(&list);
}

/* For a test, report the files of the build that it used, as lines "y LINE".
 * The sandbox learns from the test, until tests are of commits that nobody has
 * looked at. */
static void tell_list(struct worker *w, const struct task *task,
                      struct cul_record *record) {
  struct cul_built_from from = {.dir = task->workspace->held.path,
                                .since = task->workspace->since,
                                .given = (const char *const *)task->asked.argv};
  struct cul_buf list = {0}, out = {0};
  keep_lines(task, &record->files);
  tell_outside(w, task, cul_buf_str(&record->files), &out);
  from.files = cul_buf_str(&record->files);
  if (!cul_environment_sandbox(w->environment)->sealed && record->trace_closed)
    cul_identity_teach(&task->command, record, task->workspace->above);
  if (cul_built_list(&from, &list)) {
    for (const char *at = cul_buf_str(&list); *at;) {
      size_t len = strcspn(at, "\n");
      cul_buf_addf(&out, "y %.*s\n", (int)len, at);
      at += len + (at[len] == '\n');
    }
    tell_built(w, task, cul_buf_str(&list), &out);
  }
  cul_buf_adds(&record->files, cul_buf_str(&out));
  cul_buf_release(&out);
  cul_buf_release(&list);
}

/* For a build, report its digest by each list of the job. */
static void tell_builds(struct worker *w, const struct task *task,
                        struct cul_buf *files) {
  const char *at = cul_buf_str(&task->asked.lists), *end;
  for (; (end = strstr(at, "\n\n")); at = end + 2) {
    char *list = cul_xstrndup(at, (size_t)(end - at) + 1);
    tell_built(w, task, list, files);
    free(list);
  }
}

/* Append the line of a file in dir that a build read, with its real name: the
 * directories before a ".." may be products, which are only here. */
static void keep_inside(const char *line, size_t len, const char *dir,
                        struct cul_buf *out) {
  char *path = cul_xstrndup(line + 2, len - 2);
  char *real = strstr(path, "/../") ? realpath(path, NULL) : NULL;
  const char *name = real ? real : path;
  if (strncmp(name, dir, strlen(dir)) == 0)
    cul_buf_addf(out, "%c %s\n", line[0], name);
  free(real);
  free(path);
}

/* For a build, report what it read: of the trace, the lines about its directory
 * are kept. */
static void tell_build(struct worker *w, const struct task *task,
                       struct cul_record *record) {
  const char *dir = task->workspace->held.path;
  struct cul_buf kept = {0};
  keep_lines(task, &record->files);
  for (const char *at = cul_buf_str(&record->files); *at;) {
    size_t len = strcspn(at, "\n");
    if (len > 2 && strchr("d!s", at[0]))
      cul_buf_addf(&kept, "%.*s\n", (int)len, at);
    else if (len > 2 && strchr("rx", at[0]))
      keep_inside(at, len, dir, &kept);
    at += len + (at[len] == '\n');
  }
  tell_outside(w, task, cul_buf_str(&record->files), &kept);
  cul_buf_release(&record->files);
  record->files = kept;
}

static bool asks_for_outputs(const struct task *task) {
  for (char **arg = task->asked.argv; *arg; arg++)
    if (strstr(*arg, "@{out}"))
      return true;
  return false;
}

static void add_seen(struct worker *w, struct task *task,
                     struct cul_record *record) {
  struct cul_buf seen = {0}, named = {0};
  char hex[CUL_DIGEST_HEX];
  keep_lines(task, &record->files);
  if (task->request.flags & CUL_RUN_GIVEN || record->trace_closed)
    cul_identity_teach(&task->command, record, NULL);
  cul_identity_see(record, w->place.path, w->installs.held.path,
                   &w->surroundings, &seen);
  if (strncmp(cul_buf_str(&seen), "! ", 2) == 0 ||
      strstr(cul_buf_str(&seen), "\n! "))
    record->trace_closed = false;
  replace(cul_buf_str(&record->files), record->files.len, w->place.path,
          CUL_REMOTE_THERE, &named);
  if (w->installs.held.path) {
    struct cul_buf all = {0};
    replace(cul_buf_str(&named), named.len, w->installs.held.path,
            CUL_REMOTE_INSTALLED, &all);
    cul_buf_release(&named);
    named = all;
  }
  cul_buf_add(&named, seen.data, seen.len);
  cul_buf_addf(&named, "e %s\n", cul_digest_hex(&w->variables, hex));
  cul_buf_release(&seen);
  cul_buf_release(&record->files);
  record->files = named;
}

/* Send the record of a task; takes it over. */
static void report(struct worker *w, struct task *task,
                   struct cul_record *record) {
  struct cul_remote_record out = {
      .id = task->asked.id,
      .dir =
          cul_xstrdup(task->workspace ? task->workspace->held.path : task->dir),
      .tmp = cul_xstrdup(task->tmp),
      .out = cul_xstrdup(task->out)};
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  int dir =
      asks_for_outputs(task)
          ? cul_beneath_dir(w->place.fd, cul_held_name(&w->place, task->out))
          : -1;
  if (dir >= 0) {
    record->truncated += cul_outputs_collect_in(dir, &record->outputs);
    close(dir);
  }
  if (task->workspace && task->asked.building) {
    bool ended = record->end == CUL_EXITED;
    tell_build(w, task, record);
    if (ended)
      cul_remote_workspace_built(task->workspace, record->status == 0);
    if (ended && record->status == 0)
      tell_builds(w, task, &record->files);
  } else if (!task->workspace && task->asked.lists.len) {
    tell_names(w, cul_buf_str(&task->asked.lists), &record->files);
  } else if (task->request.flags & CUL_RUN_TRACE) {
    if (task->workspace)
      tell_list(w, task, record);
    else
      add_seen(w, task, record);
  }
  out.record = *record;
  cul_remote_pass_record(&codec, &out);
  if (body.len <= CUL_FRAME_MOST)
    send_frame(w, CUL_FRAME_RECORD, &body);
  else
    send_words(w, CUL_FRAME_REFUSED, task->asked.id,
               "its output is larger than a frame");
  cul_remote_record_release(&out);
  cul_buf_release(&body);
}

/* The script of the installation has ended: continue the task, or report the
 * output of the script. */
static void end_install(struct worker *w, struct task *task,
                        struct cul_record *record) {
  struct install *install = task->install;
  bool made = record->end == CUL_EXITED && record->status == 0;
  struct cul_err err = {0};
  int rc = record->end == CUL_MACHINE ? cul_record_fail(record, &err) : 0;
  char *refused = cul_record_refused(record);
  if (rc == 0)
    rc = cul_depot_end(&w->installs, task->asked.install.name, made,
                       install->lock, &err);
  else
    leave_install(w, install, task->asked.install.name);
  install->making = false;
  install->lock = -1;
  if (refused)
    cul_buf_addf(&record->out, "\nerror: the sandbox refused a write to %s\n",
                 refused);
  free(refused);
  if (rc < 0) {
    refuse(w, task, &err);
  } else if (!made) {
    struct cul_record told = {.end = CUL_NOT_STARTED, .status = ENOPKG};
    cul_buf_add(&told.err, record->out.data, record->out.len);
    report(w, task, &told);
    task_free(w, task);
  }
  cul_record_release(record);
}

static void advance(struct worker *w, struct task *task) {
  struct cul_record record = {0};
  struct cul_err err = {0};
  bool done = false;
  if (cul_runner_process.advance(task->run, &record, &done, &err) < 0) {
    cul_runner_process.cancel(task->run);
    task->run = NULL;
    refuse(w, task, &err);
  } else if (done && task->install && task->install->making) {
    task->run = NULL;
    end_install(w, task, &record);
  } else if (done) {
    task->run = NULL;
    report(w, task, &record);
    task_free(w, task);
  }
}

/* ---- incoming frames ---- */

/* Does the variable affect compilers?  False for variables that a scheduler or
 * container sets for each start. */
static bool steers(const char *entry) {
  char *shown = cul_environment_shown(entry);
  bool does = shown[0] != '#' && !strstr(entry, "VISIBLE_DEVICES=");
  free(shown);
  return does;
}

static bool starts_with_one(const char *entry, const char *const *starts,
                            size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strncmp(entry, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* Does the variable differ at each start by a scheduler, such as the devices of
 * the step? */
static bool is_of_start(const struct cul_environment *env, const char *entry) {
  static const char *const starts[] = {"SLURM", "SRUN_", "PMI", "KUBERNETES_"},
                           *const devices[] = {
                               "CUDA_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=",
                               "HIP_VISIBLE_DEVICES=", "GPU_DEVICE_ORDINAL=",
                               "ZE_AFFINITY_MASK="};
  return starts_with_one(entry, starts, CUL_ARRAY_SIZE(starts)) ||
         (cul_environment_get(env, "SLURM_STEP_ID") &&
          starts_with_one(entry, devices, CUL_ARRAY_SIZE(devices)));
}

static struct cul_digest digest_of(const struct cul_environment *env,
                                   bool all) {
  struct cul_hasher *h = cul_hasher_new();
  for (const char *const *e = cul_environment_list(env); *e; e++)
    if (all ? !is_of_start(env, *e) : steers(*e))
      cul_hasher_field(h, *e);
  return cul_hasher_finish(h);
}

static size_t count(char *const *words) {
  size_t n = 0;
  while (words && words[n])
    n++;
  return n;
}

static int make_environment(const struct cul_remote_job *job,
                            struct cul_environment **out, struct cul_err *err) {
  const struct cul_environment_conf conf = {
      .set = (const char *const *)job->set,
      .unset = (const char *const *)job->unset,
      .n_set = count(job->set),
      .n_unset = count(job->unset),
      .all = job->all,
      .sandbox = (enum cul_sandbox_mode)job->sandbox,
      .memory_bytes = job->memory_bytes};
  return cul_environment_new(&conf, out, err);
}

/* Read the first message.  False: it is malformed or of another version. */
static bool take_job(struct worker *w, struct cul_codec *codec) {
  struct cul_err err = {0};
  bool ok;
  if (w->environment)
    return false;
  cul_remote_pass_job(codec, &w->job);
  ok = cul_codec_is_done(codec) && w->job.version == CUL_REMOTE_VERSION &&
       make_environment(&w->job, &w->environment, &err) == 0;
  if (ok)
    w->surroundings = digest_of(w->environment, false);
  if (ok)
    w->variables = digest_of(w->environment, true);
  return ok;
}

/* Set up the sandbox of builds and their tests, which write to their own
 * directories and to caches.  workspace may be NULL. */
static int set_up_builds(struct worker *w,
                         const struct cul_remote_workspace *workspace,
                         struct cul_err *err) {
  struct cul_paths others = {0};
  struct cul_sandbox *sandbox;
  int rc;
  if (w->builds)
    return 0;
  rc = make_environment(&w->job, &w->builds, err);
  if (rc < 0)
    return rc;
  if (workspace)
    cul_paths_add(&others, workspace->above);
  else
    cul_paths_add(&others, w->installs.held.path);
  cul_paths_add(&others, w->place.path);
  cul_paths_add(&others, w->store.dir.path);
  if (workspace)
    cul_sandbox_add_caches(cul_environment_sandbox(w->environment),
                           w->environment, &others);
  sandbox = cul_environment_sandbox(w->builds);
  cul_sandbox_set_up_builds(sandbox, w->builds, &others);
  cul_paths_release(&others);
  return cul_sandbox_check(sandbox, err);
}

static int enter_workspace(struct worker *w, struct task *task,
                           struct cul_err *err) {
  int rc = cul_remote_workspaces_enter(&w->workspaces, &task->asked,
                                       &task->workspace, &task->differs, err);
  return rc ? rc : set_up_builds(w, task->workspace, err);
}

static bool is_plain(const char *name) {
  static const char good[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ._+-";
  return *name && *name != '.' && strspn(name, good) == strlen(name);
}

/* Open the depot of installations in the user's cache directory, or the
 * worker's own. */
static int open_installs(struct worker *w, struct cul_err *err) {
  const char *home = getenv("HOME");
  char *cache = NULL, *dir;
  int rc = CUL_EENV;
  if (w->installs.held.path)
    return 0;
  if (home && access(home, X_OK) == 0 && cul_cache_dir_make(&cache, err) == 0) {
    dir = cul_xasprintf("%s/environments", cache);
    rc = cul_depot_open(&w->installs, dir, err);
    free(dir);
  }
  free(cache);
  if (rc == 0)
    return 0;
  dir = cul_xasprintf("%s/environments", w->place.path);
  rc = cul_depot_open(&w->installs, dir, err);
  free(dir);
  return rc;
}

/* Prepare a run that makes or uses an installation. */
static int enter_installs(struct worker *w, struct task *task,
                          struct cul_err *err) {
  int rc = open_installs(w, err);
  if (rc == 0)
    rc = set_up_builds(w, NULL, err);
  if (rc < 0 || !task->asked.install.name)
    return rc;
  if (!is_plain(task->asked.install.name))
    return cul_fail(err, CUL_EENV, "", "%s names no installation",
                    task->asked.install.name);
  w->installs.most_bytes = task->asked.install.most_bytes;
  task->install = cul_xcalloc(1, sizeof *task->install);
  task->install->lock = -1;
  return 0;
}

static bool take_run(struct worker *w, struct cul_codec *codec) {
  struct task *task = NULL;
  size_t at = 0;
  struct cul_remote_run asked = {0};
  struct cul_err err = {0};
  int rc;
  for (size_t i = 0; i < MOST_RUNS && !task; i++)
    if (!w->tasks[i].used)
      task = &w->tasks[at = i];
  cul_remote_pass_run(codec, &asked);
  if (!cul_codec_is_done(codec) || !w->environment || !task) {
    cul_remote_run_release(&asked);
    return false;
  }
  *task = (struct task){.asked = asked, .used = true, .turn = ++w->turn};
  task->dir = cul_xasprintf("%s/w%04zu", w->place.path, at);
  task->tmp = cul_xasprintf("%s/t%03zu", w->place.path, at);
  task->out = cul_xasprintf("%s/o%03zu", w->place.path, at);
  rc = asked.workspace                        ? enter_workspace(w, task, &err)
       : asked.building || asked.install.name ? enter_installs(w, task, &err)
                                              : 0;
  if (rc < 0) {
    refuse(w, task, &err);
    return true;
  }
  fill_task(w, task);
  ask_for_files(w, task);
  return true;
}

static bool take_cancel(struct worker *w, struct cul_codec *codec) {
  uint32_t id = 0;
  cul_codec_u32(codec, &id);
  for (size_t i = 0; i < MOST_RUNS; i++) {
    struct task *task = &w->tasks[i];
    if (!task->used || task->asked.id != id)
      continue;
    if (task->run)
      cul_runner_process.cancel(task->run);
    task_free(w, task);
  }
  return cul_codec_is_done(codec);
}

/* Learn from the trace of another worker of the job: digest its files here, and
 * let the sandbox learn from them. */
static bool take_lesson(struct worker *w, struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  struct cul_record record = {.trace_closed = true};
  struct cul_command command = {.environment = w->environment};
  struct cul_buf seen = {0};
  char hex[CUL_DIGEST_HEX];
  bool ok;
  cul_remote_pass_words(codec, &words);
  ok = cul_codec_is_done(codec) && w->environment;
  if (ok) {
    replace(cul_buf_str(&words.text), words.text.len, CUL_REMOTE_THERE,
            w->place.path, &record.files);
    cul_identity_teach(&command, &record, NULL);
    cul_identity_see(&record, w->place.path, NULL, &w->surroundings, &seen);
    cul_buf_addf(&seen, "e %s\n", cul_digest_hex(&w->variables, hex));
    send_words(w, CUL_FRAME_SEEN, words.id, cul_buf_str(&seen));
  }
  cul_buf_release(&seen);
  cul_buf_release(&record.files);
  cul_buf_release(&words.text);
  return ok;
}

/* Remove a file that has arrived from the missing ones. */
static void strike_out(struct task *task, const struct cul_digest *digest) {
  struct cul_digest *lacks = task->lacks + task->first_lack;
  size_t n = 0;
  if (cul_digest_equal(lacks, digest)) {
    task->first_lack++;
    task->n_lacks--;
    return;
  }
  for (size_t i = 0; i < task->n_lacks; i++)
    if (!cul_digest_equal(&lacks[i], digest))
      lacks[n++] = lacks[i];
  task->n_lacks = n;
}

static void take_file(struct worker *w, struct cul_bytes body) {
  struct cul_digest digest = cul_digest_of(body.data, body.len);
  struct cul_buf kept = {0};
  struct cul_codec codec = {.out = &kept};
  struct cul_err err = {0};
  bool ok = cul_remote_store_put(&w->store, body);
  if (!ok)
    fail_place("a file", &err);
  for (size_t i = 0; i < MOST_RUNS; i++) {
    struct task *task = &w->tasks[i];
    if (!task->used || task->run || !is_listed(task, &digest))
      continue;
    if (ok)
      strike_out(task, &digest);
    else
      refuse(w, task, &err);
  }
  /* other tasks that wait for the file check for it */
  cul_codec_digest(&codec, &digest);
  send_frame(w, CUL_FRAME_KEPT, &kept);
  cul_buf_release(&kept);
}

/* Check missing files again: another worker of this machine has received files,
 * or failed to. */
static void look_again(struct worker *w) {
  for (size_t i = 0; i < MOST_RUNS; i++)
    if (w->tasks[i].used && !w->tasks[i].run && w->tasks[i].n_lacks)
      ask_for_files(w, &w->tasks[i]);
}

static bool take_frame(struct worker *w, uint32_t type, struct cul_bytes body) {
  struct cul_codec codec = {.at = body.data, .end = body.data + body.len};
  static const struct cul_buf empty;
  switch (type) {
  case CUL_FRAME_JOB:
    return take_job(w, &codec);
  case CUL_FRAME_FILE:
    take_file(w, body);
    return true;
  case CUL_FRAME_LOOK:
    look_again(w);
    return true;
  case CUL_FRAME_RUN:
    return take_run(w, &codec);
  case CUL_FRAME_CANCEL:
    return take_cancel(w, &codec);
  case CUL_FRAME_TEACH:
    return take_lesson(w, &codec);
  case CUL_FRAME_PING:
    send_frame(w, CUL_FRAME_PONG, &empty);
    return true;
  default: /* sent by workers only */
    return false;
  }
}

static void take_frames(struct worker *w) {
  size_t done = 0;
  for (;;) {
    struct cul_bytes rest = {w->read.data + done, w->read.len - done}, body;
    enum cul_frame_state state;
    uint32_t type;
    size_t used;
    state = cul_frame_next(rest, &type, &body, &used);
    if (state == CUL_FRAME_PART)
      break;
    if (state == CUL_FRAME_BAD || !take_frame(w, type, body)) {
      cul_say(stderr, "culprit-worker: a message that is none; ending\n");
      w->ended = true;
      return;
    }
    done += used;
  }
  if (done == 0)
    return;
  memmove(w->read.data, w->read.data + done, w->read.len - done);
  w->read.len -= done;
}

static void read_some(struct worker *w) {
  enum { SOME = 1 << 18 };
  ssize_t n;
  cul_buf_reserve(&w->read, SOME);
  n = read(w->in, w->read.data + w->read.len, SOME - 1);
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (n <= 0) {
    w->ended = true;
    return;
  }
  w->read.len += (size_t)n;
  take_frames(w);
}

static void write_some(struct worker *w) {
  ssize_t n = write(w->out, w->write.data, w->write.len);
  if (n < 0 && errno != EINTR && errno != EAGAIN)
    w->ended = true;
  if (n <= 0)
    return;
  memmove(w->write.data, w->write.data + n, w->write.len - (size_t)n);
  w->write.len -= (size_t)n;
}

/* ---- the loop ---- */

static void wait_some(struct worker *w) {
  struct pollfd fds[2 + CUL_RUN_MAX_FDS] = {{w->in, POLLIN, 0}, {w->out, 0, 0}};
  size_t n = 2;
  bool runs = false;
  fds[1].events = w->write.len ? POLLOUT : 0;
  for (size_t i = 0; i < MOST_RUNS && !runs; i++)
    if (w->tasks[i].run) {
      n += cul_runner_process.fds(w->tasks[i].run, fds + n, CUL_RUN_MAX_FDS);
      runs = true;
    }
  if (poll(fds, n, runs ? 100 : 1000) < 0 && errno != EINTR)
    w->ended = true;
  if (fds[1].revents & (POLLERR | POLLHUP))
    w->ended = true;
  if (fds[1].revents & POLLOUT)
    write_some(w);
  if (fds[0].revents)
    read_some(w);
}

static void work(struct worker *w) {
  send_hello(w);
  while (!w->ended && !told_to_end) {
    wait_some(w);
    for (size_t i = 0; i < MOST_RUNS; i++)
      if (w->tasks[i].run)
        advance(w, &w->tasks[i]);
    start_next(w);
  }
  for (size_t i = 0; i < MOST_RUNS; i++)
    if (w->tasks[i].run)
      cul_runner_process.hang_up(w->tasks[i].run);
  for (size_t i = 0; i < MOST_RUNS; i++)
    if (w->tasks[i].run)
      cul_runner_process.cancel(w->tasks[i].run);
  cul_strays_end(true);
  for (size_t i = 0; i < MOST_RUNS; i++)
    if (w->tasks[i].install)
      leave_install(w, w->tasks[i].install, w->tasks[i].asked.install.name);
}

/* ---- the worker's directory and its keeper ---- */

#define NAME "culprit-worker-"

static const char *base_dir(void) {
  const char *base = getenv("TMPDIR");
  return base && base[0] == '/' ? base : "/tmp";
}

/* Remove the directories of workers that were killed with their keepers.  A
 * living worker holds a lock on its directory. */
static void remove_left(void) {
  DIR *dir = opendir(base_dir());
  const struct dirent *entry;
  while (dir && (entry = readdir(dir))) {
    struct stat st;
    int fd;
    if (strncmp(entry->d_name, NAME, sizeof NAME - 1) != 0)
      continue;
    fd = TEMP_FAILURE_RETRY(
        openat(dirfd(dir), entry->d_name,
               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
      (void)!cul_beneath_remove(dirfd(dir), entry->d_name);
    if (fd >= 0)
      close(fd);
  }
  if (dir)
    closedir(dir);
}

/* Lock the new directory.  False, with errno: another starting worker may have
 * removed it before it was locked. */
static bool claim_place(struct cul_held *place) {
  struct cul_err err = {0};
  char *path = cul_xasprintf("%s/" NAME "XXXXXX", base_dir());
  char *real = mkdtemp(path) ? realpath(path, NULL) : NULL;
  struct stat st;
  bool ok = real && cul_held_open(place, real, &err) == 0;
  if (ok && (flock(place->fd, LOCK_EX | LOCK_NB) < 0 ||
             fstat(place->fd, &st) < 0 || st.st_nlink == 0)) {
    cul_held_close(place);
    errno = EAGAIN;
    ok = false;
  }
  free(real);
  free(path);
  return ok;
}

static bool open_place(struct cul_held *place) {
  enum { MOST_CLAIMS = 30 };
  bool ok = false;
  remove_left();
  for (int i = 0; i < MOST_CLAIMS && !ok; i++) {
    ok = claim_place(place);
    if (!ok && errno != EAGAIN && errno != ENOENT)
      break;
    if (!ok)
      usleep((useconds_t)(1000 * i));
  }
  if (!ok)
    cul_say(stderr, "culprit-worker: cannot make a directory in %s: %s\n",
            base_dir(), strerror(errno));
  return ok;
}

/* Move the frames to other descriptors, so that no output is mixed with
 * them. */
static bool take_streams(struct worker *w) {
  int nothing = TEMP_FAILURE_RETRY(open("/dev/null", O_RDWR | O_CLOEXEC));
  w->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  w->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (nothing < 0 || w->in < 0 || w->out < 0)
    return false;
  fcntl(w->out, F_SETFL, fcntl(w->out, F_GETFL) | O_NONBLOCK);
  return dup2(nothing, STDIN_FILENO) == STDIN_FILENO &&
         dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO;
}

static void set_signals(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action = {.sa_handler = end_soon};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++)
    sigaction(ends[i], &action, NULL);
  signal(SIGCHLD, SIG_DFL); /* it may have been inherited as ignored */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static int be_worker(struct worker *w, pid_t keeper) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != keeper)
    return 1;
  signal(SIGCHLD, SIG_IGN);
  prctl(PR_SET_NAME, "culprit-worker");
  /* a scheduler sets it differently for each process */
  unsetenv("HOSTNAME");
  if (!take_streams(w))
    return 1;
  work(w);
  cul_remote_job_release(&w->job);
  cul_depot_close(&w->installs);
  return 0;
}

/* Wait for the end of the worker; orphans become children of this process. */
static void keep_worker(pid_t worker) {
  int status;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
    if (told_to_end)
      kill(worker, SIGTERM);
  cul_strays_end(true);
}

/* Remove the program, if it was sent to a directory of its own for lack of
 * another place. */
static void remove_itself(char *path) {
  char *slash = strrchr(path, '/');
  unlink(path);
  if (slash) {
    *slash = '\0';
    rmdir(path);
    *slash = '/';
  }
}

int main(int argc, char **argv) {
  CUL_HEAP struct worker *worker = cul_xcalloc(1, sizeof *worker);
  pid_t keeper = getpid(), pid;
  struct cul_err err = {0};
  int rc = 1;
  if (argc > 2 || (argc == 2 && strcmp(argv[1], "--once") != 0) ||
      isatty(STDIN_FILENO)) {
    cul_say(stderr, "usage: culprit-worker\n"
                    "makes runs for culprit --on 'COMMAND', which starts it "
                    "and speaks to it over standard input and output\n");
    return 2;
  }
  if (argc == 2)
    remove_itself(argv[0]);
  set_signals();
  cul_strays_spare();
  if (!open_place(&worker->place))
    return 6;
  worker->workspaces.own = &worker->place;
  worker->installs.held.fd = -1;
  if (cul_remote_store_open(&worker->store, &worker->place, &err) < 0) {
    cul_say(stderr, "culprit-worker: %s\n", err.what);
    return 6;
  }
  if (chdir("/") < 0 || (pid = fork()) < 0) {
    cul_say(stderr, "culprit-worker: %s\n", strerror(errno));
  } else if (pid == 0) {
    _exit(be_worker(worker, keeper));
  } else {
    prctl(PR_SET_NAME, "culprit-keeper");
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    keep_worker(pid);
    rc = 0;
  }
  (void)!cul_beneath_empty(worker->place.fd, NULL);
  (void)!rmdir(worker->place.path);
  cul_held_close(&worker->store.dir);
  cul_held_close(&worker->place);
  return rc;
}
