/* See hosts.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/environment.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../preload.h"
#include "hosts_private.h"

extern const struct cul_runner cul_runner_preload;

static const uint64_t second = 1000 * 1000;
enum {
  LEAST_DEPTH = 2, /* minimal number of runs at a worker: one runs, one waits */
  MOST_DEPTH = 8,
  MOST_LOST = 3, /* lost connections after which a run is given up */
};

/* ---- runs ---- */

/* After the loss of a worker: make its runs elsewhere, or end those whose build
 * directory is lost with it. */
static void take_back(struct cul_link *link) {
  struct cul_hosts *hosts = link->hosts;
  bool count = link->state == CUL_LINK_READY && !link->judged;
  for (size_t i = 0; i < hosts->n_runs; i++) {
    struct cul_run *run = hosts->runs[i];
    if (run->link != link || run->over)
      continue;
    if (run->artefact->elsewhere) {
      cul_run_end(run, cul_xstrdup(link->why));
      continue;
    }
    run->link = NULL;
    run->lost += count;
  }
  link->n_runs = 0;
}

static void take_record(struct cul_link *link, struct cul_codec *codec) {
  struct cul_remote_record record = {0};
  struct cul_run *run;
  cul_remote_pass_record(codec, &record);
  run = cul_codec_is_done(codec) ? cul_link_run(link, record.id) : NULL;
  if (!cul_codec_is_done(codec))
    cul_link_lose(link, "it sent a record that is none", false);
  if (!run) {
    cul_remote_record_release(&record);
    return;
  }
  run->record = record;
  if (!run->message.building)
    run->hosts->run_us =
        run->hosts->run_us
            ? (7 * run->hosts->run_us + record.record.wall_us) / 8
            : record.record.wall_us;
  cul_hosts_lessons.ran(link, run);
  cul_run_end(run, NULL);
}

static void take_refusal(struct cul_link *link, struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  struct cul_run *run;
  cul_remote_pass_words(codec, &words);
  run = cul_codec_is_done(codec) ? cul_link_run(link, words.id) : NULL;
  if (run)
    cul_run_end(run, cul_xasprintf("%s: %s", cul_link_name(link),
                                   cul_buf_str(&words.text)));
  cul_buf_release(&words.text);
}

static bool take(struct cul_link *link, uint32_t type,
                 struct cul_codec *codec) {
  if (type == CUL_FRAME_RECORD)
    take_record(link, codec);
  else if (type == CUL_FRAME_REFUSED)
    take_refusal(link, codec);
  else
    return false;
  return true;
}

const struct cul_hosts_part cul_hosts_runs = {.lost = take_back, .take = take};

static void send_run(struct cul_link *link, struct cul_run *run) {
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  run->message.id = ++link->hosts->last_id;
  cul_remote_pass_run(&codec, &run->message);
  if (body.len > CUL_FRAME_MOST) {
    cul_run_end(run,
                cul_xstrdup("the files of this run are too large to send"));
  } else {
    cul_link_send(link, CUL_FRAME_RUN, &body);
    run->link = link;
    link->n_runs++;
  }
  cul_buf_release(&body);
}

/* The number of runs to send to a worker, so that the next one has arrived when
 * one ends.  It does not affect results. */
static size_t depth_of(const struct cul_link *link) {
  uint64_t run_us = link->hosts->run_us ? link->hosts->run_us : second;
  uint64_t more = (link->trip_us + run_us - 1) / run_us;
  size_t depth = LEAST_DEPTH + (size_t)(more < MOST_DEPTH ? more : MOST_DEPTH);
  return depth < MOST_DEPTH ? depth : MOST_DEPTH;
}

static struct cul_link *least_busy(struct cul_hosts *hosts) {
  struct cul_link *best = NULL;
  for (size_t i = 0; i < hosts->n; i++) {
    struct cul_link *link = &hosts->links[i];
    if (link->state == CUL_LINK_READY && link->n_runs < depth_of(link) &&
        (!best || link->n_runs < best->n_runs))
      best = link;
  }
  return best;
}

/* The worker that must make this run; NULL: it is not available now. */
static struct cul_link *own_link(struct cul_run *run) {
  struct cul_link *link = &run->hosts->links[run->artefact->elsewhere->worker];
  if (link->state == CUL_LINK_OUT)
    cul_run_end(run, cul_xstrdup(link->why));
  return link->state == CUL_LINK_READY && link->n_runs < MOST_DEPTH ? link
                                                                    : NULL;
}

static bool is_of(const struct cul_link *link, const struct cul_home *home) {
  return cul_digest_equal(&link->store, &home->store);
}

/* The ready link whose machine has the fewest installations; of several, the
 * least busy one. */
static struct cul_link *emptiest(const struct cul_hosts *hosts) {
  struct cul_link *best = NULL;
  size_t least = 0;
  for (size_t i = 0; i < hosts->n; i++) {
    struct cul_link *link = &hosts->links[i];
    size_t n = 0;
    if (link->state != CUL_LINK_READY)
      continue;
    for (size_t k = 0; k < hosts->homes.n; k++)
      n += is_of(link, &hosts->homes.items[k]);
    if (!best || n < least || (n == least && link->n_runs < best->n_runs)) {
      best = link;
      least = n;
    }
  }
  return best;
}

/* A worker on the machine that has the run's installation or will make it;
 * NULL: none is available now. */
static struct cul_link *home_link(struct cul_run *run) {
  struct cul_hosts *hosts = run->hosts;
  struct cul_link *best = NULL, *first;
  struct cul_home *home = NULL;
  bool left = false;
  for (size_t i = 0; i < hosts->homes.n && !home; i++)
    if (strcmp(hosts->homes.items[i].install, run->message.install.name) == 0)
      home = &hosts->homes.items[i];
  for (size_t i = 0; i < hosts->n && home; i++) {
    struct cul_link *link = &hosts->links[i];
    if (link->state == CUL_LINK_OUT || !is_of(link, home))
      continue;
    left = true;
    if (link->state == CUL_LINK_READY && link->n_runs < depth_of(link) &&
        (!best || link->n_runs < best->n_runs))
      best = link;
  }
  if (left || !(first = emptiest(hosts)))
    return best;
  if (!home) {
    hosts->homes.items =
        cul_xgrow(hosts->homes.items, hosts->homes.n, &hosts->homes.room,
                  sizeof *hosts->homes.items);
    home = &hosts->homes.items[hosts->homes.n++];
    home->install = cul_xstrdup(run->message.install.name);
  }
  home->store = first->store;
  return first->n_runs < depth_of(first) ? first : NULL;
}

static void dispatch(struct cul_hosts *hosts) {
  struct cul_link *free_one = least_busy(hosts);
  for (size_t i = 0; i < hosts->n_runs; i++) {
    struct cul_run *run = hosts->runs[i];
    struct cul_link *link;
    if (run->over || run->link)
      continue;
    if (run->lost >= MOST_LOST) {
      cul_run_end(
          run, cul_xasprintf(
                   "%u connections were lost while it ran; the last one: %s",
                   run->lost, hosts->links[0].why ? hosts->links[0].why : ""));
      continue;
    }
    link = run->artefact->elsewhere    ? own_link(run)
           : run->message.install.name ? home_link(run)
                                       : free_one;
    if (!link)
      continue;
    send_run(link, run);
    free_one = least_busy(hosts);
  }
}

/* Is there work for pump?  It is called for each run in progress, so usually
 * there is none. */
static bool is_due(const struct cul_hosts *hosts, uint64_t now) {
  struct epoll_event event;
  return hosts->look.due || now - hosts->look.at_us >= second / 10 ||
         epoll_wait(hosts->events, &event, 1, 0) != 0;
}

static void pump(struct cul_hosts *hosts) {
  uint64_t now = cul_now_us();
  if (!is_due(hosts, now))
    return;
  hosts->look.at_us = now;
  hosts->look.due = false;
  cul_hosts_links.pump(hosts);
  dispatch(hosts);
  cul_hosts_links.flush(hosts);
}

static bool is_any_left(const struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n; i++)
    if (hosts->links[i].state != CUL_LINK_OUT)
      return true;
  return false;
}

static const char *advice_of(const struct cul_environment_conf *environment) {
  return environment->allocated
             ? "check the allocation (sacct, scontrol show job), "
               "or give --slurm other options; then run the same command again"
             : "try the command of --on by hand, with \" sh\" after it; then "
               "run the same command again";
}

static int fail_all_out(const struct cul_hosts *hosts, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, hosts->advice, "no worker can make runs: %s",
                  hosts->links[0].why);
}

static void run_free(struct cul_run *run) {
  struct cul_hosts *hosts = run->hosts;
  size_t n = 0;
  for (size_t i = 0; hosts && i < hosts->n_runs; i++)
    if (hosts->runs[i] != run)
      hosts->runs[n++] = hosts->runs[i];
  if (hosts)
    hosts->n_runs = n;
  for (uint32_t i = 0; i < run->message.n_files; i++)
    free(run->paths[i]);
  free(run->paths);
  cul_remote_run_release(&run->message);
  cul_remote_record_release(&run->record);
  if (run->event >= 0)
    close(run->event);
  free(run->refused);
  free(run);
}

static int start(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  struct cul_run *run = cul_xcalloc(1, sizeof *run);
  struct cul_hosts *hosts = request->cmd->hosts;
  int rc;
  *run = (struct cul_run){.hosts = hosts,
                          .artefact = artefact,
                          .request = request,
                          .tmp = tmp,
                          .event = -1};
  if (!hosts) {
    rc = cul_runner_preload.start(artefact, request, tmp, &run->here, err);
  } else {
    run->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = run->event < 0 ? cul_fail(err, CUL_EENV, "allow more open files",
                                   "eventfd: %s", strerror(errno))
                        : cul_hosts_files.prepare(run, err);
  }
  if (rc < 0) {
    run_free(run);
    return rc;
  }
  if (hosts) {
    hosts->runs = cul_xgrow(hosts->runs, hosts->n_runs, &hosts->room,
                            sizeof *hosts->runs);
    hosts->runs[hosts->n_runs++] = run;
    hosts->look.due = true;
    pump(hosts);
  }
  *out = run;
  return 0;
}

static size_t fds(const struct cul_run *run, struct pollfd *out, size_t max) {
  if (run->here)
    return cul_runner_preload.fds(run->here, out, max);
  if (max < 2)
    return 0;
  out[0] = (struct pollfd){run->event, POLLIN, 0};
  out[1] = (struct pollfd){run->hosts->events, POLLIN, 0};
  return 2;
}

/* Replace all `from` in text. */
static void rename_in(struct cul_buf *text, const char *from, const char *to) {
  struct cul_buf out = {0};
  size_t n = strlen(from);
  const char *at = text->data, *end = at + text->len, *next;
  if (!text->len || !n || !memmem(at, text->len, from, n))
    return;
  while ((next = memmem(at, (size_t)(end - at), from, n))) {
    cul_buf_add(&out, at, (size_t)(next - at));
    cul_buf_adds(&out, to);
    at = next + n;
  }
  cul_buf_add(&out, at, (size_t)(end - at));
  cul_buf_release(text);
  *text = out;
}

/* Replace the names of sent files by their local names. */
static void rename_sent(struct cul_remote_record *got) {
  const char *slash = strrchr(got->tmp, '/');
  char *sent =
      cul_xasprintf("%.*s/sent", slash ? (int)(slash - got->tmp) : 0, got->tmp);
  if (slash && slash != got->tmp) {
    rename_in(&got->record.out, sent, "");
    rename_in(&got->record.err, sent, "");
  }
  free(sent);
}

/* Fill the record, with the paths of the run's files replaced by local ones. */
static void fill_record(struct cul_run *run, struct cul_record *out) {
  struct cul_remote_record *got = &run->record;
  struct cul_buf *texts[] = {&got->record.out, &got->record.err,
                             &got->record.files};
  const char *dir = run->artefact->dir;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(texts); i++) {
    if (dir && *dir)
      rename_in(texts[i], got->dir, dir);
    rename_in(texts[i], got->tmp, run->tmp);
    for (size_t k = 0; k < run->artefact->n_subst; k++)
      if (strcmp(run->artefact->subst[k].key, "@{out}") == 0)
        rename_in(texts[i], got->out, run->artefact->subst[k].value);
  }
  rename_sent(got);
  *out = got->record;
  got->record = (struct cul_record){0};
}

/* Did the installation for this run fail? */
static bool lacks_install(const struct cul_run *run) {
  const struct cul_record *record = &run->record.record;
  return run->message.install.name && record->end == CUL_NOT_STARTED &&
         record->status == ENOPKG &&
         strcmp(run->request->role, CUL_ELSEWHERE_INSTALL) != 0;
}

static int advance(struct cul_run *run, struct cul_record *out, bool *done,
                   struct cul_err *err) {
  struct cul_hosts *hosts = run->hosts;
  int rc;
  *done = false;
  if (run->here) {
    rc = cul_runner_preload.advance(run->here, out, done, err);
    if (rc == 0 && *done)
      run_free(run);
    return rc;
  }
  pump(hosts);
  if (run->over && run->refused && run->artefact->elsewhere) {
    *out = (struct cul_record){.end = CUL_MACHINE, .status = EIO};
    cul_buf_adds(&out->err, run->refused);
    *done = true;
    run_free(run);
    return 0;
  }
  if (run->over && !run->refused && lacks_install(run))
    return cul_fail(
        err, CUL_EENV,
        "solve the problem on that machine; then run the same command again",
        "%s cannot be installed there: %.*s", run->message.install.name, 300,
        cul_buf_str(&run->record.record.err));
  if (run->over && run->refused)
    return cul_fail(
        err, CUL_EENV,
        "solve the problem on that machine; then run the same command again",
        "a run cannot be made: %s", run->refused);
  if (!run->over)
    return is_any_left(hosts) ? 0 : fail_all_out(hosts, err);
  fill_record(run, out);
  *done = true;
  run_free(run);
  return 0;
}

static void cancel(struct cul_run *run) {
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  if (run->here)
    cul_runner_preload.cancel(run->here);
  if (run->link) {
    cul_codec_u32(&codec, &run->message.id);
    cul_link_send(run->link, CUL_FRAME_CANCEL, &body);
    cul_buf_release(&body);
    run->link->n_runs--;
    run->link = NULL; /* the record may have arrived, but nobody needs it */
    run->over = true;
    cul_hosts_links.flush(run->hosts);
    run->hosts->look.due = true;
  }
  run_free(run);
}

static void hang_up(struct cul_run *run) {
  if (run->here)
    cul_runner_preload.hang_up(run->here);
}

const struct cul_runner cul_runner_remote = {
    .name = "remote",
    .summary = "let a worker on another machine run it; here if the command "
               "names none",
    .start = start,
    .fds = fds,
    .advance = advance,
    .cancel = cancel,
    .hang_up = hang_up,
};

/* ---- open and free ---- */

/* Parse "4*ssh a": *n = 4; returns the rest, or NULL if there is no command. */
static const char *read_on(const char *text, size_t *n) {
  size_t digits = strspn(text, "0123456789");
  *n = 1;
  if (digits && digits < 4 && text[digits] == '*') {
    *n = (size_t)strtoul(text, NULL, 10);
    text += digits + 1;
  }
  text += strspn(text, " ");
  return *text ? text : NULL;
}

static bool has_place(const struct cul_environment_conf *conf, size_t i) {
  return !conf->part || i % conf->part[1] == conf->part[0];
}

size_t cul_hosts_places(const struct cul_environment_conf *environment) {
  size_t all = 0, mine = 0;
  for (size_t i = 0; i < environment->n_on; i++) {
    size_t n;
    if (read_on(environment->on[i], &n))
      for (; n > 0; n--)
        mine += has_place(environment, all++);
  }
  return mine;
}

static int read_commands(struct cul_hosts *hosts,
                         const struct cul_hosts_conf *conf,
                         struct cul_err *err) {
  size_t all = 0;
  hosts->commands = cul_xcalloc(CUL_MAX_HOSTS + 1, sizeof *hosts->commands);
  for (size_t i = 0; i < conf->n_on; i++) {
    size_t n;
    const char *command = read_on(conf->on[i], &n);
    if (!command || n == 0 || hosts->n + n > CUL_MAX_HOSTS)
      return cul_fail(
          err, CUL_EUSAGE, "--on 'ssh HOST', --on '4*ssh HOST'",
          command ? "--on \"%s\": the number of workers must be 1 to 256 in all"
                  : "--on \"%s\" names no command",
          conf->on[i]);
    for (; n > 0; n--)
      if (has_place(conf->environment, all++))
        hosts->commands[hosts->n++] = cul_xstrdup(command);
  }
  hosts->links = cul_xcalloc(hosts->n + 1, sizeof *hosts->links);
  for (size_t i = 0; i < hosts->n; i++)
    hosts->links[i] = (struct cul_link){
        .hosts = hosts,
        .command = hosts->commands[i],
        .wire = {.to = -1, .from = -1, .err = -1, .control = -1}};
  return 0;
}

/* Raise the limit of descriptors if the usual 1,024 do not suffice for all
 * links, the runs on each, and the rest of the job. */
static int make_room(const struct cul_hosts *hosts, struct cul_err *err) {
  enum { OTHERS = 64, PER_LINK = 5, WITH_RUNS = 16 };
  const rlim_t least = OTHERS + PER_LINK * hosts->n,
               wanted = OTHERS + WITH_RUNS * hosts->n;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
    return 0;
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur >= least
             ? 0
             : cul_fail(
                   err, CUL_EENV,
                   "raise the limit (ulimit -Hn), or give fewer workers",
                   "%zu workers need %llu open files, and %llu are allowed",
                   hosts->n, (unsigned long long)least,
                   (unsigned long long)limit.rlim_max);
}

static int read_program(struct cul_hosts *hosts, struct cul_err *err) {
  char *dir = cul_program_dir();
  char *program = cul_own_file(dir, "culprit-worker", X_OK);
  int rc = program
               ? cul_file_read(program, CUL_FRAME_MOST, &hosts->program, err)
               : cul_fail(err, CUL_EENV, "install culprit again",
                          "the program culprit-worker is missing");
  hosts->program_digest =
      cul_digest_of(hosts->program.data, hosts->program.len);
  free(program);
  free(dir);
  return rc;
}

/* Copy the words.  values: replace the name of a variable by NAME=VALUE with
 * its value here. */
static char **copy_words(const char *const *words, size_t n, bool values) {
  char **out = cul_xcalloc(n + 1, sizeof *out);
  for (size_t i = 0; i < n; i++) {
    const char *value =
        values && !strchr(words[i], '=') ? getenv(words[i]) : NULL;
    out[i] =
        value ? cul_xasprintf("%s=%s", words[i], value) : cul_xstrdup(words[i]);
  }
  return out;
}

/* The variables to set there, as NAME=VALUE: those that are set, and the
 * unkeyed ones of this process, which the other machine lacks. */
static char **copy_set(const struct cul_environment_conf *conf) {
  char **set = copy_words(conf->set, conf->n_set, true), **out = NULL;
  size_t n = 0, room = conf->n_set + 1;
  for (char **e = environ; e && *e; e++)
    room += strchr(*e, '=') && cul_environment_is_unkeyed(conf, *e);
  out = cul_xcalloc(room, sizeof *out);
  for (char **e = environ; e && *e; e++)
    if (strchr(*e, '=') && cul_environment_is_unkeyed(conf, *e))
      out[n++] = cul_xstrdup(*e);
  for (size_t i = 0; i < conf->n_set; i++) /* of one name, the later counts */
    out[n++] = set[i];
  free(set);
  return out;
}

int cul_hosts_open(const struct cul_hosts_conf *conf, struct cul_hosts **out,
                   struct cul_err *err) {
  struct cul_hosts *hosts = cul_xcalloc(1, sizeof *hosts);
  const struct cul_environment_conf *env = conf->environment;
  int rc;
  hosts->events = epoll_create1(EPOLL_CLOEXEC);
  hosts->advice = advice_of(env);
  hosts->job = (struct cul_remote_job){
      .version = CUL_REMOTE_VERSION,
      .sandbox = (uint32_t)env->sandbox,
      .memory_bytes = env->memory_bytes,
      .set = copy_set(env),
      .unset = copy_words(env->unset, env->n_unset, false),
      .all = env->all};
  rc = read_commands(hosts, conf, err);
  if (rc == 0)
    rc = make_room(hosts, err);
  if (rc == 0)
    rc = cul_hosts_files.open(hosts, conf, err);
  if (rc == 0)
    rc = read_program(hosts, err);
  if (rc < 0) {
    cul_hosts_free(hosts);
    hosts = NULL;
  }
  *out = hosts;
  return rc;
}

static bool is_one_ready(const struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n; i++)
    if (hosts->links[i].state == CUL_LINK_READY)
      return true;
  return false;
}

int cul_hosts_wait(struct cul_hosts *hosts, const struct cul_patience *patience,
                   char **why, struct cul_err *err) {
  int rc = 0;
  *why = NULL;
  pump(hosts);
  while (rc == 0 && !is_one_ready(hosts) && is_any_left(hosts)) {
    struct pollfd end = {hosts->events, POLLIN, 0};
    (void)poll(&end, 1, 100);
    cul_status_beat();
    pump(hosts);
    rc = patience->left(patience->self, err);
  }
  if (rc == 0 && !is_any_left(hosts))
    *why = cul_xstrdup(hosts->links[0].why);
  return rc;
}

size_t cul_hosts_count(const struct cul_hosts *hosts) { return hosts->n; }

void cul_hosts_leave_out(struct cul_hosts *hosts, size_t worker,
                         const char *why) {
  struct cul_link *link = &hosts->links[worker];
  if (link->state != CUL_LINK_OUT)
    cul_link_lose(link, why, false);
}

uint32_t cul_hosts_life(const struct cul_hosts *hosts, size_t worker) {
  const struct cul_link *link = &hosts->links[worker];
  return link->state == CUL_LINK_READY ? link->life
         : link->state == CUL_LINK_OUT ? UINT32_MAX
                                       : 0;
}

void cul_hosts_free(struct cul_hosts *hosts) {
  if (!hosts)
    return;
  cul_hosts_links.release(hosts);
  for (size_t i = 0; hosts->commands && hosts->commands[i]; i++)
    free(hosts->commands[i]);
  for (size_t i = 0; hosts->sent && hosts->sent[i]; i++)
    free(hosts->sent[i]);
  free(hosts->commands);
  free(hosts->runs);
  for (size_t i = 0; i < hosts->homes.n; i++)
    free(hosts->homes.items[i].install);
  free(hosts->homes.items);
  free(hosts->sent);
  free(hosts->shared);
  free(hosts->here);
  cul_remote_job_release(&hosts->job);
  cul_buf_release(&hosts->program);
  if (hosts->events >= 0)
    close(hosts->events);
  free(hosts);
}
