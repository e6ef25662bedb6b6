/* The connections to workers: see hosts_private.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/status.h"
#include "hosts_private.h"

static const uint64_t second = 1000 * 1000;
/* boot_s: limit for the start of a worker (an image may have to be fetched);
 * told_s: the user is told if the start takes longer; silent_s: limit for the
 * silence of a worker. */
static const uint64_t boot_s = 900, silent_s = 60, told_s = 10;
enum {
  MOST_TRIES = 3, /* attempts to connect a link */
  MOST_NOISE = 64 * 1024,
  MOST_SAID = 4096,
  LITTLE = 1 << 20, /* bytes that may wait to be sent before more are added */
};

static const struct cul_hosts_part *const parts[] = {
    &cul_hosts_lessons, &cul_hosts_files, &cul_hosts_runs};

static void close_fd(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

/* Append the last output of the command to standard error, as one line. */
static void last_words_of(const struct cul_link *link, struct cul_buf *out) {
  const char *text = cul_buf_str(&link->wire.said),
             *end = text + link->wire.said.len;
  const char *at;
  while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
    end--;
  at = end;
  while (at > text && at[-1] != '\n')
    at--;
  cul_buf_add(out, at, (size_t)(end - at > 300 ? 300 : end - at));
}

static void unlink_fds(struct cul_link *link) {
  close_fd(&link->wire.to);
  close_fd(&link->wire.from);
  close_fd(&link->wire.err);
  cul_buf_release(&link->wire.read);
  cul_buf_release(&link->wire.write);
  link->wire.written = 0;
  link->wire.full = false;
}

void cul_link_lose(struct cul_link *link, const char *why, bool again) {
  struct cul_buf words = {0};
  last_words_of(link, &words);
  free(link->why);
  link->why = cul_xasprintf("%s: %s%s%s", cul_link_name(link), why,
                            words.len ? ": " : "", cul_buf_str(&words));
  cul_buf_release(&words);
  again = again && link->was_ready && link->tries < MOST_TRIES;
  cul_status_note(UINT64_MAX, "%s%s", link->why,
                  again ? "; connecting again" : "; continuing without it");
  unlink_fds(link);
  close_fd(&link->wire.control);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
    if (parts[i]->lost)
      parts[i]->lost(link);
  link->program.asks = link->program.sends = link->program.looked = false;
  link->state = again ? CUL_LINK_IDLE : CUL_LINK_OUT;
  link->again_us = cul_now_us() + second;
}

static void watch(struct cul_link *link, int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  int epoll = link->hosts->events;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) < 0 && errno == ENOENT)
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* The process between culprit and the command (culprit-link).  Because of it,
 * the command is not among culprit's children, and it ends when culprit ends
 * for any reason. */
static _Noreturn void hold(const char *command, int control, const int fds[3]) {
  char *text = cul_xasprintf("%s sh", command);
  char shell[] = "sh", option[] = "-c", *argv[] = {shell, option, text, NULL};
  struct pollfd ends[2] = {{.fd = control, .events = POLLIN}};
  pid_t pid;
  prctl(PR_SET_NAME, "culprit-link");
  setsid(); /* survive a signal to culprit's process group */
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
  /* the input of the command has ended as well, so it may end on its own */
  if (!ends[1].revents)
    cul_wait_readable(ends[1].fd, 4000);
  kill(-pid, SIGKILL);
  _exit(0);
}

/* Pipes: the command reads 0 and writes 1 and 2; closing 3 ends it. */
static bool spawn(struct cul_link *link) {
  int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  bool ok = true;
  for (int i = 0; i < 4 && ok; i++)
    ok = pipe2(pipes[i], O_CLOEXEC) == 0;
  link->wire.pid = ok ? fork() : -1;
  if (link->wire.pid == 0) {
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
  link->wire.to = pipes[0][1];
  link->wire.from = pipes[1][0];
  link->wire.err = pipes[2][0];
  link->wire.control = pipes[3][1];
  if (link->wire.pid > 0)
    return true;
  unlink_fds(link);
  close_fd(&link->wire.control);
  return false;
}

/* The script for the shell of the other machine.  While the program is missing,
 * it prints "culprit-need" and reads a line: "send", followed by the program,
 * or "look", because another worker may have sent it.  Then it prints
 * "culprit-have".  Nothing is sent before it has asked, because a shell may
 * read ahead.  A line follows the program; without it the program is
 * incomplete.  A missing home directory is not created; the directory used
 * instead is removed, with or without the program, also when nobody reads what
 * the script prints: a signal ends a shell without its EXIT trap. */
static void add_script(const struct cul_link *link, struct cul_buf *out) {
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
      "w=$d/worker-%s && o=--once; fi; "
      "trap 'rm -rf \"$w.$$\" ${o:+\"$d\"}' EXIT; "
      "trap 'exit 1' HUP INT PIPE TERM; ",
      hex, hex);
  cul_buf_addf(out,
               "n=%s; while [ \"$n\" ] || [ ! -x \"$w\" ]; do n=; "
               "echo; echo culprit-need; read -r a || exit 1; "
               "if [ \"$a\" = send ]; then "
               "{ (umask 077; head -c %zu >\"$w.$$\") && read -r a && "
               "chmod 700 \"$w.$$\" && mv -f \"$w.$$\" \"$w\"; } || "
               "exit 1; fi; "
               "done; echo; echo culprit-have; exec \"$w\" $o\n",
               link->program.anew ? "1" : "", link->hosts->program.len);
}

static void begin(struct cul_link *link) {
  link->tries++;
  link->life++;
  cul_buf_clear(&link->wire.said);
  if (!spawn(link)) {
    cul_link_lose(link, "cannot start the command that connects", true);
    return;
  }
  fcntl(link->wire.to, F_SETFL, O_NONBLOCK);
  fcntl(link->wire.from, F_SETFL, O_NONBLOCK);
  fcntl(link->wire.err, F_SETFL, O_NONBLOCK);
  watch(link, link->wire.from, EPOLLIN);
  watch(link, link->wire.err, EPOLLIN);
  link->state = CUL_LINK_BOOT;
  link->since_us = link->heard_us = cul_now_us();
  link->told = false;
  link->pinged_us = 0;
  add_script(link, &link->wire.write);
}

/* Write as much as possible now. */
static void write_some(struct cul_link *link) {
  struct cul_buf *out = &link->wire.write;
  while (link->wire.written < out->len) {
    ssize_t n = write(link->wire.to, out->data + link->wire.written,
                      out->len - link->wire.written);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break; /* the pipe is full; a lost connection is noticed when reading */
    link->wire.written += (size_t)n;
  }
  if (link->wire.written == out->len) {
    out->len = link->wire.written = 0;
  } else if (link->wire.written > out->len / 2) {
    memmove(out->data, out->data + link->wire.written,
            out->len - link->wire.written);
    out->len -= link->wire.written;
    link->wire.written = 0;
  }
}

static void flush(struct cul_link *link) {
  if (link->wire.to < 0)
    return;
  write_some(link);
  if (link->wire.write.len - link->wire.written < LITTLE) {
    for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
      if (parts[i]->room)
        parts[i]->room(link);
    write_some(link);
  }
  if ((link->wire.write.len > 0) == link->wire.full)
    return;
  link->wire.full = !link->wire.full;
  watch(link, link->wire.to, link->wire.full ? EPOLLOUT : 0);
}

/* ---- messages of workers ---- */

/* Remove everything up to and including the first `word` from the buffer.
 * False: it is not there. */
static bool take_word(struct cul_buf *buf, const char *word) {
  size_t n = strlen(word);
  char *at = buf->len ? memmem(buf->data, buf->len, word, n) : NULL;
  if (!at)
    return false;
  at += n;
  buf->len -= (size_t)(at - buf->data);
  memmove(buf->data, at, buf->len);
  return true;
}

/* Process the answer of the shell, if it has arrived. */
static void take_boot(struct cul_link *link) {
  if (take_word(&link->wire.read, "culprit-need\n"))
    link->program.asks = true;
  if (take_word(&link->wire.read, "culprit-have\n"))
    link->state = CUL_LINK_HELLO;
  else if (link->wire.read.len > MOST_NOISE)
    cul_link_lose(link, "the command does not start a shell", false);
}

/* Send the program once for workers of the same command, which may share it;
 * the others wait and look for it. */
static void share_program(struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n; i++) {
    struct cul_link *link = &hosts->links[i];
    bool wait = false, sent = false;
    if (link->state != CUL_LINK_BOOT || !link->program.asks)
      continue;
    for (size_t k = 0; k < hosts->n; k++) {
      const struct cul_link *other = &hosts->links[k];
      if (k == i || !other->program.sends ||
          strcmp(other->command, link->command) != 0)
        continue;
      wait |= other->state == CUL_LINK_BOOT || other->state == CUL_LINK_HELLO;
      sent |= other->state == CUL_LINK_READY;
    }
    if (wait && !link->program.anew)
      continue;
    link->program.asks = false;
    if (sent && !link->program.looked && !link->program.anew) {
      cul_buf_adds(&link->wire.write, "look\n");
      link->program.looked = true;
      continue;
    }
    link->program.sends = true;
    cul_buf_adds(&link->wire.write, "send\n");
    cul_buf_add(&link->wire.write, hosts->program.data, hosts->program.len);
    cul_buf_adds(&link->wire.write, "\n");
  }
}

void cul_link_send(struct cul_link *link, enum cul_frame_type type,
                   const struct cul_buf *body) {
  cul_frame_add(&link->wire.write, type, cul_buf_bytes(body));
}

static void say_ready(struct cul_link *link,
                      const struct cul_remote_hello *hello) {
  if (!link->was_ready)
    cul_status_note(UINT64_MAX, "%s: runs are made there (%s, %u core%s)",
                    cul_link_name(link), hello->system, hello->cores,
                    cul_s(hello->cores));
  link->was_ready = true;
}

static void lose_stranger(struct cul_link *link) {
  cul_link_lose(link, "the program there is not a worker of this version",
                false);
}

/* Process the first message of a worker.  If its program is not the one that
 * was sent, send it again, once. */
static void take_hello(struct cul_link *link, struct cul_codec *codec) {
  static const struct cul_buf empty;
  struct cul_hosts *hosts = link->hosts;
  struct cul_remote_hello hello = {0};
  struct cul_buf body = {0};
  struct cul_codec out = {.out = &body};
  cul_remote_pass_hello(codec, &hello);
  if (!cul_codec_is_done(codec) || !hello.host || !hello.system) {
    lose_stranger(link);
  } else if (hello.version != CUL_REMOTE_VERSION ||
             !cul_digest_equal(&hello.program, &hosts->program_digest)) {
    bool again = !link->program.anew;
    link->was_ready |= again;
    link->program.anew = true;
    cul_link_lose(
        link, "the worker's program there differs from the one that was sent",
        again);
  } else {
    free(link->name);
    link->name = cul_xstrdup(hello.host);
    link->store = hello.store;
    link->outbox.n_sent = link->outbox.n_kept = 0;
    cul_remote_pass_job(&out, &hosts->job);
    cul_link_send(link, CUL_FRAME_JOB, &body);
    link->state = CUL_LINK_READY;
    cul_link_send(link, CUL_FRAME_PING, &empty);
    link->pinged_us = cul_now_us();
    say_ready(link, &hello);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
      if (parts[i]->ready)
        parts[i]->ready(link);
  }
  cul_remote_hello_release(&hello);
  cul_buf_release(&body);
}

struct cul_run *cul_link_run(const struct cul_link *link, uint32_t id) {
  for (size_t i = 0; i < link->hosts->n_runs; i++) {
    struct cul_run *run = link->hosts->runs[i];
    if (run->link == link && run->message.id == id && !run->over)
      return run;
  }
  return NULL; /* the run was cancelled */
}

void cul_run_end(struct cul_run *run, char *why) {
  const uint64_t one = 1;
  if (run->link)
    run->link->n_runs--;
  run->link = NULL;
  run->over = true;
  run->refused = why;
  (void)!write(run->event, &one, sizeof one);
}

static void take_pong(struct cul_link *link) {
  uint64_t trip_us = cul_now_us() - link->pinged_us;
  if (link->pinged_us && (!link->trip_us || trip_us < link->trip_us))
    link->trip_us = trip_us;
  link->pinged_us = 0;
}

static bool take_other(struct cul_link *link, uint32_t type,
                       struct cul_codec *codec) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
    if (parts[i]->take && parts[i]->take(link, type, codec))
      return true;
  return false;
}

static void take_frame(struct cul_link *link, uint32_t type,
                       struct cul_bytes body) {
  struct cul_codec codec = {.at = body.data, .end = body.data + body.len};
  bool ready = link->state == CUL_LINK_READY;
  if (link->state == CUL_LINK_HELLO && type == CUL_FRAME_HELLO)
    take_hello(link, &codec);
  else if (ready && type == CUL_FRAME_PONG)
    take_pong(link);
  else if (!ready || !take_other(link, type, &codec))
    lose_stranger(link);
}

static void take_frames(struct cul_link *link) {
  size_t done = 0;
  while (link->state == CUL_LINK_HELLO || link->state == CUL_LINK_READY) {
    struct cul_bytes rest = {link->wire.read.data + done,
                             link->wire.read.len - done};
    struct cul_bytes body;
    uint32_t type;
    size_t used;
    enum cul_frame_state state = cul_frame_next(rest, &type, &body, &used);
    if (state == CUL_FRAME_BAD)
      lose_stranger(link);
    if (state != CUL_FRAME_WHOLE)
      break;
    done += used;
    take_frame(link, type, body);
  }
  if (done && link->wire.read.len) {
    memmove(link->wire.read.data, link->wire.read.data + done,
            link->wire.read.len - done);
    link->wire.read.len -= done;
  }
}

/* Read some bytes; -1: none are available; 0: end of file. */
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

static void read_said(struct cul_link *link) {
  struct cul_buf *said = &link->wire.said;
  if (link->wire.err >= 0 && read_some(link->wire.err, said) == 0)
    close_fd(&link->wire.err);
  if (said->len <= MOST_SAID)
    return;
  memmove(said->data, said->data + said->len - MOST_SAID, MOST_SAID);
  said->len = MOST_SAID;
  said->data[said->len] = '\0';
}

static void check_silence(struct cul_link *link) {
  uint64_t now = cul_now_us();
  static const struct cul_buf empty;
  if (link->state != CUL_LINK_READY) {
    if (now - link->since_us > boot_s * second)
      cul_link_lose(link, "nothing answers", false);
    else if (now - link->since_us > told_s * second && !link->told) {
      link->told = true;
      cul_status_note(UINT64_MAX,
                      "%s: nothing answers yet; it has %llu minutes",
                      link->command, (unsigned long long)boot_s / 60);
    }
    return;
  }
  if (now - link->heard_us < silent_s * second / 4 ||
      (!link->n_runs && !link->pinged_us))
    return;
  if (link->pinged_us && now - link->pinged_us > silent_s * second)
    cul_link_lose(link, "it does not answer any more", true);
  else if (!link->pinged_us) {
    cul_link_send(link, CUL_FRAME_PING, &empty);
    link->pinged_us = now;
  }
}

/* The connection has ended.  If the program existed there already, it may be
 * damaged (after a power failure, files may be empty), so it is sent again,
 * once. */
static void lose_end(struct cul_link *link) {
  bool damaged = link->state == CUL_LINK_HELLO && !link->program.sends &&
                 !link->program.anew;
  const char *why = damaged ? "the worker's program there does not start"
                    : link->was_ready ? "the connection is lost"
                                      : "cannot start there";
  link->was_ready |= damaged;
  link->program.anew |= damaged;
  cul_link_lose(link, why, true);
}

static void pump_link(struct cul_link *link) {
  ssize_t n;
  read_said(link);
  n = read_some(link->wire.from, &link->wire.read);
  if (n > 0) {
    link->heard_us = cul_now_us();
    if (link->state == CUL_LINK_BOOT)
      take_boot(link);
    take_frames(link);
  } else if (n == 0) {
    read_said(link);
    lose_end(link);
  }
  if (link->wire.from >= 0)
    check_silence(link);
}

static void flush_all(struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n; i++)
    flush(&hosts->links[i]);
}

static void pump(struct cul_hosts *hosts) {
  uint64_t now = cul_now_us();
  for (size_t i = 0; i < hosts->n; i++) {
    struct cul_link *link = &hosts->links[i];
    if (link->state == CUL_LINK_IDLE && now >= link->again_us)
      begin(link);
    if (link->wire.from >= 0)
      pump_link(link);
  }
  share_program(hosts);
  flush_all(hosts);
}

/* ---- the end ---- */

static void see_off(struct cul_link *link, uint64_t until_us) {
  uint64_t now = cul_now_us();
  int end = -1;
  if (link->wire.pid > 0)
    end = (int)syscall(SYS_pidfd_open, link->wire.pid, 0);
  if (end >= 0) {
    cul_wait_readable(end,
                      now < until_us ? (unsigned)((until_us - now) / 1000) : 0);
    close(end);
  }
  if (link->wire.pid > 0)
    waitpid(link->wire.pid, NULL, WNOHANG);
}

static void free_links(struct cul_hosts *hosts) {
  uint64_t until_us = cul_now_us() + 5 * second;
  for (size_t i = 0; hosts->links && i < hosts->n; i++) {
    unlink_fds(&hosts->links[i]);
    close_fd(&hosts->links[i].wire.control);
  }
  for (size_t i = 0; hosts->links && i < hosts->n; i++) {
    see_off(&hosts->links[i], until_us);
    cul_buf_release(&hosts->links[i].wire.said);
    free(hosts->links[i].name);
    free(hosts->links[i].why);
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(parts); i++)
    if (parts[i]->release)
      parts[i]->release(hosts);
  free(hosts->links);
}

const struct cul_hosts_part cul_hosts_links = {
    .pump = pump, .flush = flush_all, .release = free_links};
