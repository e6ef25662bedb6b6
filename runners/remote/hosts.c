/* See hosts.h. */
#include "hosts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../identity/identity.h"
#include "../preload.h"
#include "message.h"

extern const struct cul_runner cul_runner_preload;

static const uint64_t second = 1000 * 1000;
/* A worker is started within this time (an image may have to be fetched), and
 * answers within that. */
static const uint64_t boot_s = 900, silent_s = 60;
enum {
  MOST_LINKS = 64,
  LEAST_DEPTH = 2, /* runs that a worker has at a time: one runs, one waits */
  MOST_DEPTH = 8,
  MOST_TRIES = 3, /* connections of a link */
  MOST_LOST = 3,  /* connections that a run may outlive */
  MOST_NOISE = 64 * 1024,
  MOST_SAID = 4096,
};

enum link_state {
  LINK_IDLE, /* not started yet, or to be started again */
  LINK_BOOT, /* waits for the shell there */
  LINK_HELLO,
  LINK_READY,
  LINK_OUT, /* for good */
};

struct link {
  struct cul_hosts *hosts;
  const char *command; /* of the hosts */
  enum link_state state;
  pid_t pid; /* the process that holds the command's */
  int to, from, err, control;
  struct cul_buf read, write, said;
  uint64_t since_us, heard_us, pinged_us, again_us;
  uint64_t trip_us; /* there and back; 0 = not known yet */
  unsigned tries;
  bool was_ready, anew; /* the program there is to be sent again */
  char *name;           /* of the machine, once it is known */
  size_t n_runs, n_lessons;
  char *why; /* it is out, or was lost */
};

/* A traced run, as the other workers learn it. */
struct lesson {
  char *text, *seen;
};

struct content {
  char *path;
  struct stat st;
  struct cul_digest digest;
};

struct cul_hosts {
  char **commands; /* by link */
  struct link *links;
  size_t n;
  char *shared;
  char **sent; /* absolute; NULL terminated */
  char *here;  /* the working directory */
  struct cul_remote_job job;
  struct cul_buf program;
  struct cul_digest program_digest;
  struct cul_run **runs; /* in the order of their start */
  size_t n_runs, room;
  struct lesson *lessons;
  size_t n_lessons, room_lessons;
  struct content *contents;
  size_t n_contents, room_contents;
  uint32_t last_id;
  uint64_t run_us; /* what a run takes, on average of the last ones */
  int events;      /* epoll: all descriptors of the links */
};

struct cul_run {
  struct cul_run *here; /* made on this machine; or NULL */
  struct cul_hosts *hosts;
  const struct cul_artefact *artefact;
  const struct cul_request *request;
  const char *tmp;
  struct cul_remote_run message;
  char **paths;      /* of the message's files, at home */
  struct link *link; /* where it is; NULL: it waits */
  unsigned lost;
  int event; /* readable once it is over */
  bool over;
  struct cul_remote_record record;
  char *refused; /* why it cannot be made; or NULL */
};

/* ---- links ---- */

static void close_fd(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

static const char *name_of(const struct link *link) {
  return link->name ? link->name : link->command;
}

/* What the command printed to standard error last, as one line. */
static void last_words_of(const struct link *link, struct cul_buf *out) {
  const char *text = cul_buf_str(&link->said), *end = text + link->said.len;
  const char *at;
  while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
    end--;
  at = end;
  while (at > text && at[-1] != '\n')
    at--;
  cul_buf_add(out, at, (size_t)(end - at > 300 ? 300 : end - at));
}

/* Runs that were there are to be made elsewhere. */
static void take_back(struct link *link, bool count) {
  struct cul_hosts *hosts = link->hosts;
  for (size_t i = 0; i < hosts->n_runs; i++) {
    struct cul_run *run = hosts->runs[i];
    if (run->link != link || run->over)
      continue;
    run->link = NULL;
    run->lost += count;
  }
  link->n_runs = 0;
}

static void unlink_fds(struct link *link) {
  close_fd(&link->to);
  close_fd(&link->from);
  close_fd(&link->err);
  cul_buf_release(&link->read);
  cul_buf_release(&link->write);
}

/* The connection is over: again later, where it was of use, else for good. */
static void lose(struct link *link, const char *why, bool again) {
  struct cul_buf words = {0};
  last_words_of(link, &words);
  free(link->why);
  link->why = cul_xasprintf("%s: %s%s%s", name_of(link), why,
                            words.len ? ": " : "", cul_buf_str(&words));
  cul_buf_release(&words);
  again = again && link->was_ready && link->tries < MOST_TRIES;
  cul_status_note(UINT64_MAX, "%s%s", link->why,
                  again ? "; connecting again" : "; going on without it");
  unlink_fds(link);
  close_fd(&link->control);
  take_back(link, link->state == LINK_READY);
  link->n_lessons = 0;
  link->state = again ? LINK_IDLE : LINK_OUT;
  link->again_us = cul_now_us() + second;
}

static void watch(struct link *link, int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  int epoll = link->hosts->events;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) < 0 && errno == ENOENT)
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* The process between: no child of culprit's own that is a stray, and the end
 * of the command where culprit ends, however that is. */
static _Noreturn void hold(const char *command, int control, const int fds[3]) {
  char *text = cul_xasprintf("%s sh", command);
  char shell[] = "sh", option[] = "-c", *argv[] = {shell, option, text, NULL};
  struct pollfd ends[2] = {{.fd = control, .events = POLLIN}};
  pid_t pid;
  prctl(PR_SET_NAME, "culprit-link");
  signal(SIGCHLD, SIG_DFL);
  for (int i = SIGHUP; i <= SIGTERM; i++)
    if (i != SIGKILL)
      signal(i, SIG_IGN);
  pid = fork();
  if (pid == 0) {
    sigset_t none;
    sigemptyset(&none);
    for (int i = SIGHUP; i <= SIGTERM; i++)
      signal(i, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    for (int i = 0; i < 3; i++)
      if (dup2(fds[i], i) < 0)
        _exit(126);
    execv("/bin/sh", argv);
    _exit(127);
  }
  if (pid < 0 || dup2(control, 0) < 0)
    _exit(126);
  close_range(1, ~0U, 0);
  ends[0].fd = 0;
  ends[1] = (struct pollfd){(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};
  while (poll(ends, 2, -1) < 0 && errno == EINTR)
    ;
  /* Its input has ended, too: it may end by itself. */
  if (!ends[1].revents)
    (void)poll(ends + 1, 1, 4000);
  kill(-pid, SIGKILL);
  _exit(0);
}

/* Ends of pipes: 0 there reads, 1 and 2 write; 3 ends it. */
static bool spawn(struct link *link) {
  int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  bool ok = true;
  for (int i = 0; i < 4 && ok; i++)
    ok = pipe2(pipes[i], O_CLOEXEC) == 0;
  link->pid = ok ? fork() : -1;
  if (link->pid == 0) {
    const int low[] = {fcntl(pipes[0][0], F_DUPFD_CLOEXEC, 3),
                       fcntl(pipes[1][1], F_DUPFD_CLOEXEC, 3),
                       fcntl(pipes[2][1], F_DUPFD_CLOEXEC, 3)};
    int control = fcntl(pipes[3][0], F_DUPFD_CLOEXEC, 3);
    close(pipes[0][1]);
    close(pipes[3][1]);
    hold(link->command, control, low);
  }
  close_fd(&pipes[0][0]);
  close_fd(&pipes[1][1]);
  close_fd(&pipes[2][1]);
  close_fd(&pipes[3][0]);
  link->to = pipes[0][1];
  link->from = pipes[1][0];
  link->err = pipes[2][0];
  link->control = pipes[3][1];
  if (link->pid > 0)
    return true;
  unlink_fds(link);
  close_fd(&link->control);
  return false;
}

/* What the shell there does.  It prints "culprit-need" and reads the program,
 * or "culprit-have"; nothing more is sent before the worker has spoken, as a
 * shell may read ahead.  A home that is not there is not made. */
static void add_script(const struct link *link, struct cul_buf *out) {
  char hex[CUL_DIGEST_HEX];
  cul_digest_hex(&link->hosts->program_digest, hex);
  cul_buf_addf(
      out,
      "c=${XDG_CACHE_HOME:-}; "
      "[ \"$c\" ] || [ ! -d \"${HOME:-}\" ] || c=$HOME/.cache; "
      "d=$c/culprit; w=$d/worker-%s; o=; "
      "if ! { [ \"$c\" ] && (umask 077; mkdir -p \"$d\") 2>/dev/null && "
      "[ -w \"$d\" ]; }; "
      "then d=$(mktemp -d \"${TMPDIR:-/tmp}/culprit-send-XXXXXX\") && "
      "w=$d/worker-%s && o=--once; fi; ",
      hex, hex);
  cul_buf_addf(
      out,
      "if [ -x \"$w\" ] && %s; then echo; echo culprit-have; "
      "else echo; echo culprit-need; "
      "{ (umask 077; head -c %zu >\"$w.$$\") && chmod 700 \"$w.$$\" && "
      "mv -f \"$w.$$\" \"$w\"; } || rm -f \"$w.$$\"; fi; exec \"$w\" $o\n",
      link->anew ? "false" : "true", link->hosts->program.len);
}

static void begin(struct link *link) {
  link->tries++;
  cul_buf_clear(&link->said);
  if (!spawn(link)) {
    lose(link, "cannot start the command that connects", true);
    return;
  }
  fcntl(link->to, F_SETFL, O_NONBLOCK);
  fcntl(link->from, F_SETFL, O_NONBLOCK);
  fcntl(link->err, F_SETFL, O_NONBLOCK);
  watch(link, link->from, EPOLLIN);
  watch(link, link->err, EPOLLIN);
  link->state = LINK_BOOT;
  link->since_us = link->heard_us = cul_now_us();
  link->pinged_us = 0;
  add_script(link, &link->write);
}

static void flush(struct link *link) {
  while (link->to >= 0 && link->write.len) {
    ssize_t n = write(link->to, link->write.data, link->write.len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break; /* full; that it is gone shows where it is read */
    memmove(link->write.data, link->write.data + n,
            link->write.len - (size_t)n);
    link->write.len -= (size_t)n;
  }
  if (link->to >= 0)
    watch(link, link->to, link->write.len ? EPOLLOUT : 0);
}

/* ---- what a worker says ---- */

/* The shell there has answered, or not yet. */
static void take_boot(struct link *link) {
  static const char need[] = "culprit-need\n", have[] = "culprit-have\n";
  struct cul_buf *buf = &link->read;
  char *at =
      buf->len ? memmem(buf->data, buf->len, need, sizeof need - 1) : NULL;
  bool needs = at != NULL;
  if (!at && buf->len)
    at = memmem(buf->data, buf->len, have, sizeof have - 1);
  if (!at) {
    if (buf->len > MOST_NOISE)
      lose(link, "what answers there is no shell", false);
    return;
  }
  at += sizeof need - 1;
  buf->len -= (size_t)(at - buf->data);
  memmove(buf->data, at, buf->len);
  if (needs)
    cul_buf_add(&link->write, link->hosts->program.data,
                link->hosts->program.len);
  link->state = LINK_HELLO;
}

static void send_frame(struct link *link, enum cul_frame_type type,
                       const struct cul_buf *body) {
  cul_frame_add(&link->write, type, cul_buf_bytes(body));
}

static void send_lesson(struct link *link, size_t at) {
  struct cul_remote_words words = {.id = (uint32_t)at};
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  cul_buf_adds(&words.text, link->hosts->lessons[at].text);
  cul_remote_pass_words(&codec, &words);
  send_frame(link, CUL_FRAME_TEACH, &body);
  cul_buf_release(&words.text);
  cul_buf_release(&body);
}

static void send_lessons(struct link *link) {
  while (link->n_lessons < link->hosts->n_lessons)
    send_lesson(link, link->n_lessons++);
}

static void say_ready(struct link *link, const struct cul_remote_hello *hello) {
  if (!link->was_ready)
    cul_status_note(UINT64_MAX, "%s: runs are made there (%s, %u core%s)",
                    name_of(link), hello->system, hello->cores,
                    cul_s(hello->cores));
  link->was_ready = true;
}

/* The first message.  Its program is what was sent, or is sent again once. */
static void take_hello(struct link *link, struct cul_codec *codec) {
  static const struct cul_buf empty;
  struct cul_hosts *hosts = link->hosts;
  struct cul_remote_hello hello = {0};
  struct cul_buf body = {0};
  struct cul_codec out = {.out = &body};
  cul_remote_pass_hello(codec, &hello);
  if (!cul_codec_is_done(codec) || !hello.host || !hello.system) {
    lose(link, "what answers there is no worker of this version", false);
  } else if (hello.version != CUL_REMOTE_VERSION ||
             !cul_digest_equal(&hello.program, &hosts->program_digest)) {
    bool again = !link->anew;
    link->was_ready |= again;
    link->anew = true;
    lose(link, "the worker's program there is not what was sent", again);
  } else {
    free(link->name);
    link->name = cul_xstrdup(hello.host);
    cul_remote_pass_job(&out, &hosts->job);
    send_frame(link, CUL_FRAME_JOB, &body);
    link->state = LINK_READY;
    send_frame(link, CUL_FRAME_PING, &empty);
    link->pinged_us = cul_now_us();
    say_ready(link, &hello);
    send_lessons(link);
  }
  cul_remote_hello_release(&hello);
  cul_buf_release(&body);
}

static struct cul_run *find_run(const struct link *link, uint32_t id) {
  for (size_t i = 0; i < link->hosts->n_runs; i++) {
    struct cul_run *run = link->hosts->runs[i];
    if (run->link == link && run->message.id == id && !run->over)
      return run;
  }
  return NULL; /* it was called off */
}

static void end_run(struct cul_run *run) {
  const uint64_t one = 1;
  if (run->link)
    run->link->n_runs--;
  run->link = NULL;
  run->over = true;
  (void)!write(run->event, &one, sizeof one);
}

static bool is_seen(const char *line) {
  return line[0] == 'f' || line[0] == 'h' || line[0] == '!';
}

/* Lines of a trace for the other workers, and what they must see. */
static void add_lesson(struct link *link, const struct cul_buf *files) {
  struct cul_hosts *hosts = link->hosts;
  struct cul_buf text = {0}, seen = {0};
  for (const char *at = cul_buf_str(files); *at;) {
    size_t len = strcspn(at, "\n");
    if (at[0] != 'e') /* keyed, but two places may differ in it */
      cul_buf_addf(is_seen(at) ? &seen : &text, "%.*s\n", (int)len, at);
    at += len + (at[len] == '\n');
  }
  hosts->lessons = cul_xgrow(hosts->lessons, hosts->n_lessons,
                             &hosts->room_lessons, sizeof *hosts->lessons);
  hosts->lessons[hosts->n_lessons] = (struct lesson){cul_buf_take(&text), NULL};
  hosts->lessons[hosts->n_lessons++].seen = cul_buf_take(&seen);
  for (size_t i = 0; i < hosts->n; i++)
    if (&hosts->links[i] == link && link->n_lessons + 1 == hosts->n_lessons)
      link->n_lessons++;
    else if (hosts->links[i].state == LINK_READY)
      send_lessons(&hosts->links[i]);
}

static void take_record(struct link *link, struct cul_codec *codec) {
  struct cul_remote_record record = {0};
  struct cul_run *run;
  cul_remote_pass_record(codec, &record);
  run = cul_codec_is_done(codec) ? find_run(link, record.id) : NULL;
  if (!cul_codec_is_done(codec)) {
    cul_remote_record_release(&record);
    lose(link, "it sent a record that is none", false);
    return;
  }
  if (!run) {
    cul_remote_record_release(&record);
    return;
  }
  run->record = record;
  run->hosts->run_us =
      run->hosts->run_us ? (7 * run->hosts->run_us + record.record.wall_us) / 8
                         : record.record.wall_us;
  if ((run->request->flags & CUL_RUN_TRACE) && record.record.trace_closed)
    add_lesson(link, &record.record.files);
  end_run(run);
}

/* The first file that two workers see differently, or what else. */
static char *difference(const char *one, const char *other) {
  while (*one && *one != 'f')
    one += strcspn(one, "\n") + 1;
  for (; *one == 'f'; one += strcspn(one, "\n") + 1) {
    int len = (int)strcspn(one, "\n");
    char *line = cul_xstrndup(one, (size_t)len + 1);
    bool same = strstr(other, line) != NULL;
    free(line);
    if (!same)
      return cul_xstrndup(one + 2 + CUL_DIGEST_HEX,
                          (size_t)(len - 2 - CUL_DIGEST_HEX));
  }
  return cul_xstrdup("its PATH or another variable, or which files there are");
}

static void take_seen(struct link *link, struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  const struct lesson *lesson;
  char *what, *why;
  cul_remote_pass_words(codec, &words);
  if (!cul_codec_is_done(codec) || words.id >= link->hosts->n_lessons) {
    lose(link, "it sent an answer that is none", false);
  } else {
    lesson = &link->hosts->lessons[words.id];
    if (strcmp(lesson->seen, cul_buf_str(&words.text)) != 0) {
      what = difference(lesson->seen, cul_buf_str(&words.text));
      why = cul_xasprintf("the tool there is another one (%s)", what);
      cul_buf_clear(&link->said);
      take_back(link, false);
      lose(link, why, false);
      free(why);
      free(what);
    }
  }
  cul_buf_release(&words.text);
}

static void take_refusal(struct link *link, struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  struct cul_run *run;
  cul_remote_pass_words(codec, &words);
  run = cul_codec_is_done(codec) ? find_run(link, words.id) : NULL;
  if (run) {
    run->refused =
        cul_xasprintf("%s: %s", name_of(link), cul_buf_str(&words.text));
    end_run(run);
  }
  cul_buf_release(&words.text);
}

/* Files that are missing there: the paths are those of the run. */
static void take_need(struct link *link, struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  struct cul_run *run;
  cul_remote_pass_words(codec, &words);
  run = cul_codec_is_done(codec) ? find_run(link, words.id) : NULL;
  for (uint32_t i = 0; run && i < run->message.n_files; i++) {
    struct cul_remote_file *file = &run->message.files[i];
    char hex[CUL_DIGEST_HEX];
    struct cul_buf bytes = {0};
    struct cul_err err = {0};
    if (file->carried ||
        !strstr(cul_buf_str(&words.text), cul_digest_hex(&file->digest, hex)))
      continue;
    if (cul_file_read(run->paths[i], CUL_FRAME_MOST, &bytes, &err) == 0)
      send_frame(link, CUL_FRAME_FILE, &bytes);
    else
      run->refused = cul_xstrdup(err.what);
    cul_buf_release(&bytes);
    if (run->refused) {
      end_run(run);
      break;
    }
  }
  cul_buf_release(&words.text);
}

static void take_pong(struct link *link) {
  uint64_t trip_us = cul_now_us() - link->pinged_us;
  if (link->pinged_us && (!link->trip_us || trip_us < link->trip_us))
    link->trip_us = trip_us;
  link->pinged_us = 0;
}

static void take_frame(struct link *link, uint32_t type,
                       struct cul_bytes body) {
  struct cul_codec codec = {.at = body.data, .end = body.data + body.len};
  if (link->state == LINK_HELLO && type == CUL_FRAME_HELLO)
    take_hello(link, &codec);
  else if (link->state == LINK_READY && type == CUL_FRAME_RECORD)
    take_record(link, &codec);
  else if (link->state == LINK_READY && type == CUL_FRAME_SEEN)
    take_seen(link, &codec);
  else if (link->state == LINK_READY && type == CUL_FRAME_NEED)
    take_need(link, &codec);
  else if (link->state == LINK_READY && type == CUL_FRAME_REFUSED)
    take_refusal(link, &codec);
  else if (link->state == LINK_READY && type == CUL_FRAME_PONG)
    take_pong(link);
  else
    lose(link, "what answers there is no worker of this version", false);
}

static void take_frames(struct link *link) {
  size_t done = 0;
  while (link->state == LINK_HELLO || link->state == LINK_READY) {
    struct cul_bytes rest = {link->read.data + done, link->read.len - done};
    struct cul_bytes body;
    uint32_t type;
    size_t used;
    enum cul_frame_state state = cul_frame_next(rest, &type, &body, &used);
    if (state == CUL_FRAME_BAD)
      lose(link, "what answers there is no worker of this version", false);
    if (state != CUL_FRAME_WHOLE)
      break;
    done += used;
    take_frame(link, type, body);
  }
  if (done && link->read.len) {
    memmove(link->read.data, link->read.data + done, link->read.len - done);
    link->read.len -= done;
  }
}

/* -1: nothing waits; 0: the end. */
static ssize_t read_some(int fd, struct cul_buf *buf) {
  enum { SOME = 1 << 18 };
  ssize_t n;
  cul_buf_reserve(buf, SOME);
  n = read(fd, buf->data + buf->len, SOME - 1);
  if (n > 0) {
    buf->len += (size_t)n;
    buf->data[buf->len] = '\0';
  }
  return n < 0 && errno != EAGAIN && errno != EINTR ? 0 : n;
}

static void read_said(struct link *link) {
  struct cul_buf *said = &link->said;
  if (link->err >= 0 && read_some(link->err, said) == 0)
    close_fd(&link->err);
  if (said->len <= MOST_SAID)
    return;
  memmove(said->data, said->data + said->len - MOST_SAID, MOST_SAID);
  said->len = MOST_SAID;
  said->data[said->len] = '\0';
}

static void check_silence(struct link *link) {
  uint64_t now = cul_now_us();
  static const struct cul_buf empty;
  if (link->state != LINK_READY) {
    if (now - link->since_us > boot_s * second)
      lose(link, "nothing answers", false);
    return;
  }
  if (now - link->heard_us < silent_s * second / 4 ||
      (!link->n_runs && !link->pinged_us))
    return;
  if (link->pinged_us && now - link->pinged_us > silent_s * second)
    lose(link, "it does not answer any more", true);
  else if (!link->pinged_us) {
    send_frame(link, CUL_FRAME_PING, &empty);
    link->pinged_us = now;
  }
}

static void pump_link(struct link *link) {
  ssize_t n;
  read_said(link);
  n = read_some(link->from, &link->read);
  if (n > 0) {
    link->heard_us = cul_now_us();
    if (link->state == LINK_BOOT)
      take_boot(link);
    take_frames(link);
  } else if (n == 0) {
    read_said(link);
    lose(link,
         link->was_ready ? "the connection is lost" : "cannot start there",
         true);
  }
  if (link->from >= 0)
    check_silence(link);
  flush(link);
}

/* ---- runs ---- */

static void send_run(struct link *link, struct cul_run *run) {
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  run->message.id = ++link->hosts->last_id;
  cul_remote_pass_run(&codec, &run->message);
  if (body.len > CUL_FRAME_MOST) {
    run->refused = cul_xstrdup("its files are too large to be sent");
    end_run(run);
  } else {
    send_frame(link, CUL_FRAME_RUN, &body);
    run->link = link;
    link->n_runs++;
  }
  cul_buf_release(&body);
}

/* So many that the next one is there when one has ended: whatever is chosen,
 * the results are the same. */
static size_t depth_of(const struct link *link) {
  uint64_t run_us = link->hosts->run_us ? link->hosts->run_us : second;
  uint64_t more = (link->trip_us + run_us - 1) / run_us;
  size_t depth = LEAST_DEPTH + (size_t)(more < MOST_DEPTH ? more : MOST_DEPTH);
  return depth < MOST_DEPTH ? depth : MOST_DEPTH;
}

static struct link *least_busy(struct cul_hosts *hosts) {
  struct link *best = NULL;
  for (size_t i = 0; i < hosts->n; i++) {
    struct link *link = &hosts->links[i];
    if (link->state == LINK_READY && link->n_runs < depth_of(link) &&
        (!best || link->n_runs < best->n_runs))
      best = link;
  }
  return best;
}

static void dispatch(struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n_runs; i++) {
    struct cul_run *run = hosts->runs[i];
    struct link *link;
    if (run->over || run->link)
      continue;
    if (run->lost >= MOST_LOST) {
      run->refused = cul_xasprintf(
          "%u connections were lost while it ran; the last one: %s", run->lost,
          hosts->links[0].why ? hosts->links[0].why : "");
      end_run(run);
      continue;
    }
    link = least_busy(hosts);
    if (!link)
      return;
    send_run(link, run);
  }
}

static void pump(struct cul_hosts *hosts) {
  uint64_t now = cul_now_us();
  for (size_t i = 0; i < hosts->n; i++) {
    struct link *link = &hosts->links[i];
    if (link->state == LINK_IDLE && now >= link->again_us)
      begin(link);
    if (link->from >= 0)
      pump_link(link);
  }
  dispatch(hosts);
  for (size_t i = 0; i < hosts->n; i++)
    flush(&hosts->links[i]);
}

static bool is_any_left(const struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n; i++)
    if (hosts->links[i].state != LINK_OUT)
      return true;
  return false;
}

static int fail_all_out(const struct cul_hosts *hosts, struct cul_err *err) {
  return cul_fail(
      err, CUL_EENV,
      "try the command of --on with \" sh\" behind it by hand; then "
      "run the same command again",
      "no place is left for runs: %s", hosts->links[0].why);
}

/* ---- what is sent with a run ---- */

/* Without ".."; links stay, as a command may tell names apart. */
static char *absolute(const struct cul_hosts *hosts, const char *path) {
  char *whole, *real;
  while (strncmp(path, "./", 2) == 0)
    path += 2;
  whole = path[0] == '/'           ? cul_xstrdup(path)
          : strcmp(path, ".") == 0 ? cul_xstrdup(hosts->here)
                                   : cul_xasprintf("%s/%s", hosts->here, path);
  real = strstr(whole, "/..") || strstr(whole, "/./") ? realpath(whole, NULL)
                                                      : NULL;
  if (!real)
    return whole;
  free(whole);
  return real;
}

static bool below(const char *path, const char *dir) {
  size_t n = dir ? strlen(dir) : 0;
  return n && strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

static bool is_listed(const struct cul_hosts *hosts, const char *path) {
  for (char **sent = hosts->sent; *sent; sent++)
    if (below(path, *sent))
      return true;
  return false;
}

/* A digest, remembered while the file looks the same. */
static int digest_of(struct cul_hosts *hosts, const char *path,
                     const struct stat *st, struct cul_digest *out,
                     struct cul_err *err) {
  struct content *known = NULL;
  int rc;
  for (size_t i = 0; i < hosts->n_contents && !known; i++)
    if (strcmp(hosts->contents[i].path, path) == 0)
      known = &hosts->contents[i];
  if (known && known->st.st_size == st->st_size &&
      known->st.st_ino == st->st_ino &&
      known->st.st_mtim.tv_sec == st->st_mtim.tv_sec &&
      known->st.st_mtim.tv_nsec == st->st_mtim.tv_nsec) {
    *out = known->digest;
    return 0;
  }
  rc = cul_file_digest(path, out, err);
  if (rc == 0 && !known) {
    hosts->contents = cul_xgrow(hosts->contents, hosts->n_contents,
                                &hosts->room_contents, sizeof *hosts->contents);
    known = &hosts->contents[hosts->n_contents++];
    known->path = cul_xstrdup(path);
  }
  if (rc == 0) {
    known->st = *st;
    known->digest = *out;
  }
  return rc;
}

/* path: taken over. */
static int add_file(struct cul_run *run, enum cul_remote_place place,
                    const char *name, char *path, const struct stat *st,
                    struct cul_err *err) {
  struct cul_remote_run *message = &run->message;
  struct cul_remote_file file = {.place = place, .mode = st->st_mode & 0777};
  size_t n = message->n_files;
  int rc;
  message->files =
      cul_xreallocarray(message->files, n + 1, sizeof *message->files);
  run->paths = cul_xreallocarray(run->paths, n + 1, sizeof *run->paths);
  file.name = cul_xstrdup(name);
  file.carried =
      place == CUL_PLACE_CANDIDATE && (size_t)st->st_size <= CUL_REMOTE_INLINE;
  if (file.carried) {
    rc = cul_file_read(path, CUL_REMOTE_INLINE, &file.bytes, err);
    file.digest = cul_digest_of(file.bytes.data, file.bytes.len);
  } else if (place == CUL_PLACE_CANDIDATE) {
    rc = cul_file_digest(path, &file.digest, err);
  } else {
    rc = digest_of(run->hosts, path, st, &file.digest, err);
  }
  message->files[n] = file;
  run->paths[n] = path;
  message->n_files++;
  return rc;
}

/* A file, or all that is in a directory; name: there.  Depth: a link may lead
 * anywhere. */
static int add_path(struct cul_run *run, enum cul_remote_place place,
                    const char *name, const char *path, int depth,
                    struct cul_err *err) {
  struct stat st;
  DIR *dir;
  int rc = 0;
  if (stat(path, &st) < 0 || depth > 16)
    return 0;
  if (S_ISREG(st.st_mode))
    return add_file(run, place, name, cul_xstrdup(path), &st, err);
  dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
  for (const struct dirent *e; rc == 0 && dir && (e = readdir(dir));) {
    char *inner, *inner_name;
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    inner = cul_xasprintf("%s/%s", path, e->d_name);
    inner_name = cul_xasprintf("%s%s%s", name, *name ? "/" : "", e->d_name);
    rc = add_path(run, place, inner_name, inner, depth + 1, err);
    free(inner_name);
    free(inner);
  }
  if (dir)
    closedir(dir);
  return rc;
}

static bool has_name(const struct cul_run *run, const char *name) {
  for (uint32_t i = 0; i < run->message.n_files; i++)
    if (run->message.files[i].place == CUL_PLACE_SENT &&
        below(run->message.files[i].name, name))
      return true;
  return false;
}

/* Should this path be sent?  Those of the user's own: listed ones, and files
 * below the working directory; what else a command names is over there. */
static bool is_to_send(const struct cul_hosts *hosts, const char *path) {
  struct stat st;
  if (stat(path, &st) < 0 || below(path, hosts->shared))
    return false;
  return is_listed(hosts, path) ||
         (S_ISREG(st.st_mode) && below(path, hosts->here));
}

/* The word as it is there: "--x=PATH" and "PATH" with the place of the file,
 * which is sent. */
static int send_word(struct cul_run *run, const char *word, bool first,
                     char **out, struct cul_err *err) {
  const char *equals = word[0] == '-' ? strchr(word, '=') : NULL;
  const char *part = equals ? equals + 1 : word;
  char *path;
  int rc = 0;
  *out = NULL;
  if (!*part || strstr(part, "@@") || strstr(part, "@{") ||
      (first && !strchr(part, '/')) || strlen(part) > 4000) {
    *out = cul_xstrdup(word);
    return 0;
  }
  path = absolute(run->hosts, part);
  if (is_to_send(run->hosts, path)) {
    if (!has_name(run, path))
      rc = add_path(run, CUL_PLACE_SENT, path, path, 0, err);
    *out = cul_xasprintf("%.*s" CUL_REMOTE_THERE "/sent%s", (int)(part - word),
                         word, path);
  } else {
    *out = cul_xstrdup(word);
  }
  free(path);
  return rc;
}

static size_t count(const char *const *words) {
  size_t n = 0;
  while (words && words[n])
    n++;
  return n;
}

static bool is_used(const struct cul_command *cmd, const char *key) {
  for (const char *const *arg = cmd->argv; *arg; arg++)
    if (strstr(*arg, key))
      return true;
  return false;
}

static int add_words(struct cul_run *run, struct cul_err *err) {
  const struct cul_command *cmd = run->request->cmd;
  size_t n = count(cmd->argv);
  int rc = 0;
  run->message.argv = cul_xcalloc(n + 1, sizeof *run->message.argv);
  for (size_t i = 0; i < n && rc == 0; i++)
    rc = send_word(run, cmd->argv[i], i == 0, &run->message.argv[i], err);
  n = count(cmd->env);
  run->message.env = cul_xcalloc(n + 1, sizeof *run->message.env);
  for (size_t i = 0; i < n; i++)
    run->message.env[i] = cul_xstrdup(cmd->env[i]);
  return rc;
}

/* The worker has "@@", "@{dir}" and "@{out}" of its own. */
static int add_substitutions(struct cul_run *run, struct cul_err *err) {
  const struct cul_artefact *art = run->artefact;
  struct cul_remote_run *message = &run->message;
  size_t n = 0;
  int rc = 0;
  message->keys = cul_xcalloc(art->n_subst + 1, sizeof *message->keys);
  message->values = cul_xcalloc(art->n_subst + 1, sizeof *message->values);
  for (size_t i = 0; i < art->n_subst && rc == 0; i++) {
    const char *key = art->subst[i].key, *value = art->subst[i].value;
    char *there = NULL;
    if (strcmp(key, "@@") == 0 || strcmp(key, "@{dir}") == 0 || !value)
      continue;
    if (strcmp(key, "@{out}") == 0)
      there = cul_xstrdup("");
    else if ((strcmp(key, "@{inputs}") == 0 ||
              strcmp(key, "@{original}") == 0) &&
             is_used(run->request->cmd, key) &&
             !below(value, run->hosts->shared)) {
      rc = add_path(run, CUL_PLACE_SENT, value, value, 0, err);
      there = cul_xasprintf(CUL_REMOTE_THERE "/sent%s", value);
    } else
      there = cul_xstrdup(value);
    message->keys[n] = cul_xstrdup(key);
    message->values[n++] = there;
  }
  return rc;
}

static void fill_message(struct cul_run *run) {
  const struct cul_request *request = run->request;
  const struct cul_command *cmd = request->cmd;
  const struct cul_sandbox *sandbox = cul_environment_sandbox(cmd->environment);
  struct cul_remote_run *message = &run->message;
  const char *dir = run->artefact->dir, *file = run->artefact->file;
  message->delivery = (uint32_t)cmd->delivery;
  message->placed = dir && *dir;
  message->file = cul_xstrdup(file ? file : "");
  message->attempt = request->attempt;
  message->flags = request->flags & ~(uint32_t)(CUL_RUN_SERVED | CUL_RUN_LIVE);
  message->wall_ms = request->wall_ms;
  message->cpu_ms = request->cpu_ms;
  message->rss_bytes = request->rss_bytes;
  message->out_bytes = request->out_bytes;
  message->without = sandbox ? sandbox->without : 0;
  message->sealed = sandbox && sandbox->sealed;
  if (cmd->cwd) {
    char *cwd = absolute(run->hosts, cmd->cwd);
    message->cwd = below(cwd, run->hosts->shared)
                       ? cul_xstrdup(cwd)
                       : cul_xasprintf(CUL_REMOTE_THERE "/sent%s", cwd);
    free(cwd);
  }
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
  close_fd(&run->event);
  free(run->refused);
  free(run);
}

static int prepare(struct cul_run *run, struct cul_err *err) {
  int rc = 0;
  fill_message(run);
  if (run->message.placed)
    rc = add_path(run, CUL_PLACE_CANDIDATE, "", run->artefact->dir, 0, err);
  /* A shell's text may name these. */
  for (char **sent = run->hosts->sent; rc == 0 && *sent; sent++)
    if (!below(*sent, run->hosts->shared) && !has_name(run, *sent))
      rc = add_path(run, CUL_PLACE_SENT, *sent, *sent, 0, err);
  if (rc == 0)
    rc = add_words(run, err);
  return rc ? rc : add_substitutions(run, err);
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
                        : prepare(run, err);
  }
  if (rc < 0) {
    run_free(run);
    return rc;
  }
  if (hosts) {
    hosts->runs = cul_xgrow(hosts->runs, hosts->n_runs, &hosts->room,
                            sizeof *hosts->runs);
    hosts->runs[hosts->n_runs++] = run;
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

/* text with `from` replaced. */
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

/* What the tool said of its own files is said of those here. */
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
  *out = got->record;
  got->record = (struct cul_record){0};
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
  if (run->over && run->refused)
    return cul_fail(err, CUL_EENV,
                    "see what is wrong there; then run the same command again",
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
    send_frame(run->link, CUL_FRAME_CANCEL, &body);
    run->link->n_runs--;
    flush(run->link);
    cul_buf_release(&body);
  }
  run_free(run);
}

static void hang_up(struct cul_run *run) {
  if (run->here)
    cul_runner_preload.hang_up(run->here);
}

const struct cul_runner cul_runner_remote = {
    .name = "remote",
    .summary = "have a worker on another machine run it; here where the "
               "command names none",
    .start = start,
    .fds = fds,
    .advance = advance,
    .cancel = cancel,
    .hang_up = hang_up,
};

/* ---- open and free ---- */

/* "4*ssh a": *n = 4, and the rest; 0: it names no command. */
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

static int read_commands(struct cul_hosts *hosts,
                         const struct cul_hosts_conf *conf,
                         struct cul_err *err) {
  hosts->commands = cul_xcalloc(MOST_LINKS + 1, sizeof *hosts->commands);
  for (size_t i = 0; i < conf->n_on; i++) {
    size_t n;
    const char *command = read_on(conf->on[i], &n);
    if (!command || n == 0 || hosts->n + n > MOST_LINKS)
      return cul_fail(err, CUL_EUSAGE, "--on 'ssh HOST', --on '4*ssh HOST'",
                      command ? "--on \"%s\": there are 1 to 64 workers in all"
                              : "--on \"%s\" names no command",
                      conf->on[i]);
    for (; n > 0; n--)
      hosts->commands[hosts->n++] = cul_xstrdup(command);
  }
  hosts->links = cul_xcalloc(hosts->n + 1, sizeof *hosts->links);
  for (size_t i = 0; i < hosts->n; i++)
    hosts->links[i] = (struct link){.hosts = hosts,
                                    .command = hosts->commands[i],
                                    .to = -1,
                                    .from = -1,
                                    .err = -1,
                                    .control = -1};
  return 0;
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

static int read_paths(struct cul_hosts *hosts,
                      const struct cul_hosts_conf *conf, struct cul_err *err) {
  size_t n = 0;
  hosts->here = getcwd(NULL, 0);
  if (!hosts->here)
    hosts->here = cul_xstrdup("/");
  hosts->sent = cul_xcalloc(2 * conf->n_sent + 1, sizeof *hosts->sent);
  for (size_t i = 0; i < conf->n_sent; i++) {
    char *real = conf->sent[i] ? realpath(conf->sent[i], NULL) : NULL;
    if (conf->sent[i] && !real)
      return cul_fail(err, CUL_EUSAGE,
                      "give a file or directory of this machine",
                      "cannot send %s: %s", conf->sent[i], strerror(errno));
    /* A command may name it either way. */
    if (real)
      hosts->sent[n++] = real;
    if (real)
      hosts->sent[n++] = absolute(hosts, conf->sent[i]);
  }
  if (conf->shared && !(hosts->shared = realpath(conf->shared, NULL)))
    return cul_fail(err, CUL_EUSAGE, "give a directory that both sides see",
                    "--shared %s: %s", conf->shared, strerror(errno));
  return 0;
}

/* A variable that is to be passed has the value that it has here. */
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

int cul_hosts_open(const struct cul_hosts_conf *conf, struct cul_hosts **out,
                   struct cul_err *err) {
  struct cul_hosts *hosts = cul_xcalloc(1, sizeof *hosts);
  const struct cul_environment_conf *env = conf->environment;
  int rc;
  hosts->events = epoll_create1(EPOLL_CLOEXEC);
  hosts->job = (struct cul_remote_job){
      .version = CUL_REMOTE_VERSION,
      .sandbox = (uint32_t)env->sandbox,
      .memory_bytes = env->memory_bytes,
      .set = copy_words(env->set, env->n_set, true),
      .unset = copy_words(env->unset, env->n_unset, false),
      .all = env->all};
  rc = read_commands(hosts, conf, err);
  if (rc == 0)
    rc = read_paths(hosts, conf, err);
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
    if (hosts->links[i].state == LINK_READY)
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

static void see_off(struct link *link, uint64_t until_us) {
  struct pollfd end = {-1, POLLIN, 0};
  uint64_t now = cul_now_us();
  if (link->pid > 0)
    end.fd = (int)syscall(SYS_pidfd_open, link->pid, 0);
  if (end.fd >= 0) {
    (void)poll(&end, 1, now < until_us ? (int)((until_us - now) / 1000) : 0);
    close(end.fd);
  }
  if (link->pid > 0)
    waitpid(link->pid, NULL, WNOHANG);
}

void cul_hosts_free(struct cul_hosts *hosts) {
  uint64_t until_us = cul_now_us() + 5 * second;
  if (!hosts)
    return;
  for (size_t i = 0; hosts->links && i < hosts->n; i++) {
    unlink_fds(&hosts->links[i]);
    close_fd(&hosts->links[i].control);
  }
  for (size_t i = 0; hosts->links && i < hosts->n; i++) {
    see_off(&hosts->links[i], until_us);
    cul_buf_release(&hosts->links[i].said);
    free(hosts->links[i].name);
    free(hosts->links[i].why);
  }
  for (size_t i = 0; i < hosts->n_lessons; i++) {
    free(hosts->lessons[i].text);
    free(hosts->lessons[i].seen);
  }
  for (size_t i = 0; i < hosts->n_contents; i++)
    free(hosts->contents[i].path);
  for (size_t i = 0; hosts->commands && hosts->commands[i]; i++)
    free(hosts->commands[i]);
  for (size_t i = 0; hosts->sent && hosts->sent[i]; i++)
    free(hosts->sent[i]);
  free(hosts->contents);
  free(hosts->lessons);
  free(hosts->commands);
  free(hosts->links);
  free(hosts->runs);
  free(hosts->sent);
  free(hosts->shared);
  free(hosts->here);
  cul_remote_job_release(&hosts->job);
  cul_buf_release(&hosts->program);
  close_fd(&hosts->events);
  free(hosts);
}
