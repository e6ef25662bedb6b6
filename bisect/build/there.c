/* See there.h. */
#include "there.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../pipeline/shell_text.h"

/* ---- the files ---- */

/* A file whose digest is known.  looks: "SIZE INODE SECONDS NANOSECONDS". */
struct known {
  char *name, *looks;
  struct cul_digest digest;
};

struct listing {
  const char *dir;
  char **names; /* of files, links and empty directories */
  size_t n, room;
  struct known *known; /* in the order of their names */
  size_t n_known, room_known, at;
  struct cul_buf memo;
};

static int collect(struct listing *l, const char *name, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", l->dir, name);
  DIR *dir = opendir(path);
  size_t before = l->n;
  bool any = false;
  int rc = dir ? 0
               : cul_fail(err, CUL_EENV, "", "cannot read %s: %s", path,
                          strerror(errno));
  for (const struct dirent *e; rc == 0 && dir && (e = readdir(dir));) {
    char *inner;
    struct stat st;
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    any = true;
    inner = cul_xasprintf("%s%s%s", name, *name ? "/" : "", e->d_name);
    if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(st.st_mode)) {
      rc = collect(l, inner, err);
      free(inner);
    } else {
      l->names = cul_xgrow(l->names, l->n, &l->room, sizeof *l->names);
      l->names[l->n++] = inner;
    }
  }
  if (rc == 0 && !any && *name && l->n == before) {
    l->names = cul_xgrow(l->names, l->n, &l->room, sizeof *l->names);
    l->names[l->n++] = cul_xstrdup(name);
  }
  if (dir)
    closedir(dir);
  free(path);
  return rc;
}

static int by_name(const void *one, const void *other) {
  return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Read the known files: entries "DIGEST LOOKS\tNAME", each ended by a zero. */
static void read_memo(struct listing *l, const char *path) {
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  const char *at, *end;
  if (cul_file_read_own(path, 0, &text, &ignored) < 0)
    cul_buf_clear(&text);
  at = cul_buf_str(&text);
  end = at + text.len;
  for (; at < end; at += strlen(at) + 1) {
    const char *tab = strchr(at, '\t');
    char hex[CUL_DIGEST_HEX];
    struct known known;
    snprintf(hex, sizeof hex, "%.32s", at);
    if (!tab || tab - at <= CUL_DIGEST_HEX ||
        !cul_digest_parse(hex, &known.digest))
      break;
    known.looks =
        cul_xstrndup(at + CUL_DIGEST_HEX, (size_t)(tab - at) - CUL_DIGEST_HEX);
    known.name = cul_xstrdup(tab + 1);
    l->known =
        cul_xgrow(l->known, l->n_known, &l->room_known, sizeof *l->known);
    l->known[l->n_known++] = known;
  }
  cul_buf_release(&text);
}

static int digest_of(struct listing *l, const char *name, const char *path,
                     const struct stat *st, struct cul_digest *out,
                     struct cul_err *err) {
  char hex[CUL_DIGEST_HEX];
  char *looks =
      cul_xasprintf("%llu %llu %lld %ld", (unsigned long long)st->st_size,
                    (unsigned long long)st->st_ino,
                    (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
  const struct known *known;
  int rc = 0;
  while (l->at < l->n_known && strcmp(l->known[l->at].name, name) < 0)
    l->at++;
  known = l->at < l->n_known ? &l->known[l->at] : NULL;
  if (known && strcmp(known->name, name) == 0 &&
      strcmp(known->looks, looks) == 0)
    *out = known->digest;
  else
    rc = cul_file_digest(path, out, err);
  cul_buf_addf(&l->memo, "%s %s\t%s", cul_digest_hex(out, hex), looks, name);
  cul_buf_addc(&l->memo, '\0');
  free(looks);
  return rc;
}

static int add_entry(struct listing *l, const char *name, struct cul_buf *out,
                     struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", l->dir, name), target[4096];
  char hex[CUL_DIGEST_HEX];
  struct cul_digest digest = {{0, 0}};
  struct stat st;
  ssize_t n;
  int rc = 0;
  if (lstat(path, &st) < 0) {
    rc = cul_fail(err, CUL_EENV, "", "cannot read %s: %s", path,
                  strerror(errno));
  } else if (S_ISREG(st.st_mode)) {
    rc = digest_of(l, name, path, &st, &digest, err);
  } else if (S_ISLNK(st.st_mode)) {
    n = readlink(path, target, sizeof target);
    digest = cul_digest_of(target, n > 0 ? (size_t)n : 0);
  }
  cul_buf_addf(out, "%o %s %s", (unsigned)(st.st_mode & (S_IFMT | 0111)),
               cul_digest_hex(&digest, hex), name);
  cul_buf_addc(out, '\0');
  free(path);
  return rc;
}

int cul_there_list(const char *dir, const char *memo, struct cul_buf *out,
                   struct cul_err *err) {
  struct listing l = {.dir = dir};
  struct cul_err ignored = {0};
  int rc = collect(&l, "", err);
  if (l.n)
    qsort(l.names, l.n, sizeof *l.names, by_name);
  read_memo(&l, memo);
  for (size_t i = 0; i < l.n && rc == 0; i++)
    rc = add_entry(&l, l.names[i], out, err);
  if (rc == 0)
    (void)!cul_file_replace_step(memo, l.memo.data, l.memo.len, 0600, &ignored);
  for (size_t i = 0; i < l.n; i++)
    free(l.names[i]);
  for (size_t i = 0; i < l.n_known; i++) {
    free(l.known[i].name);
    free(l.known[i].looks);
  }
  free(l.names);
  free(l.known);
  cul_buf_release(&l.memo);
  return rc;
}

/* ---- a run there ---- */

struct cul_there {
  struct cul_command command;
  struct cul_subst subst[4];
  struct cul_artefact art;
  struct cul_request request;
  struct cul_run *run; /* NULL: it has ended */
  char *script, *commit, *tmp;
  int events, timer;
};

static const char *const words[] = {"/bin/sh", "-c", "@{script}", NULL};

static bool watch(struct cul_there *there) {
  struct pollfd fds[CUL_RUN_MAX_FDS];
  struct itimerspec each = {{1, 0}, {1, 0}};
  struct epoll_event event = {.events = EPOLLIN};
  size_t n = cul_runner_remote.fds(there->run, fds, CUL_RUN_MAX_FDS);
  there->events = epoll_create1(EPOLL_CLOEXEC);
  there->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (there->events < 0 || there->timer < 0 ||
      timerfd_settime(there->timer, 0, &each, NULL) < 0)
    return false;
  for (size_t i = 0; i < n; i++)
    if (epoll_ctl(there->events, EPOLL_CTL_ADD, fds[i].fd, &event) < 0)
      return false;
  return epoll_ctl(there->events, EPOLL_CTL_ADD, there->timer, &event) == 0;
}

/* env: NULL terminated; must live as long as the run. */
static int start(struct cul_there *there, const struct cul_there_conf *conf,
                 const char *const *env, uint32_t flags, struct cul_err *err) {
  enum { LOG = 16 << 20 };
  int rc;
  there->script = cul_xstrdup(conf->script);
  there->commit = cul_xstrdup(conf->commit ? conf->commit : "");
  there->tmp = cul_xstrdup(conf->tmp);
  there->subst[0] = (struct cul_subst){"@{script}", there->script};
  there->subst[1] = (struct cul_subst){"@{commit}", there->commit};
  there->subst[2] = (struct cul_subst){"@{ceiling}", CUL_ELSEWHERE_ABOVE};
  there->subst[3] = (struct cul_subst){
      "@{epoch}", cul_environment_get(conf->environment, "SOURCE_DATE_EPOCH")};
  if (!there->subst[3].value) /* equal sources, equal bits */
    there->subst[3].value = "315532800";
  there->command = (struct cul_command){.argv = words,
                                        .environment = conf->environment,
                                        .env = env,
                                        .hosts = conf->hosts};
  there->art = (struct cul_artefact){
      .subst = there->subst,
      .n_subst = 4,
      .dir = conf->elsewhere->dir ? conf->elsewhere->dir : "",
      .file = "",
      .live_fd = -1,
      .elsewhere = conf->elsewhere};
  there->request = (struct cul_request){.role = "build",
                                        .cmd = &there->command,
                                        .flags = flags | CUL_RUN_SYMBOLIZE |
                                                 CUL_RUN_RANDOMIZE,
                                        .out_bytes = LOG};
  rc = cul_runner_remote.start(&there->art, &there->request, there->tmp,
                               &there->run, err);
  if (rc == 0 && !watch(there))
    rc = cul_fail(err, CUL_EENV, "allow more open files", "epoll: %s",
                  strerror(errno));
  return rc;
}

void cul_there_free(struct cul_there *there) {
  if (!there)
    return;
  if (there->run)
    cul_runner_remote.cancel(there->run);
  if (there->events >= 0)
    close(there->events);
  if (there->timer >= 0)
    close(there->timer);
  free(there->script);
  free(there->commit);
  free(there->tmp);
  free(there);
}

static struct cul_there *there_new(void) {
  struct cul_there *there = cul_xcalloc(1, sizeof *there);
  there->events = there->timer = -1;
  return there;
}

int cul_there_begin(const struct cul_there_conf *conf, struct cul_there **out,
                    int *fd, struct cul_err *err) {
  /* git must not find a repository around the directory. */
  static const char *const env[] = {"CULPRIT_COMMIT=@{commit}",
                                    "GIT_CEILING_DIRECTORIES=@{ceiling}",
                                    "SOURCE_DATE_EPOCH=@{epoch}", NULL};
  struct cul_there *there = there_new();
  struct cul_there_conf whole = *conf;
  /* Builds run under bash, as on this machine, or under sh without a bash. */
  char *script;
  struct cul_buf quoted = {0};
  int rc;
  cul_shell_quote(conf->script, &quoted);
  script = cul_xasprintf("exec 2>&1; if command -v bash >/dev/null; then exec "
                         "bash -c %s; else exec sh -c %s; fi",
                         cul_buf_str(&quoted), cul_buf_str(&quoted));
  whole.script = script;
  rc = start(there, &whole, env, CUL_RUN_TRACE | CUL_RUN_ABROAD, err);
  cul_buf_release(&quoted);
  free(script);
  if (rc == 0) {
    *fd = there->events;
    *out = there;
  } else {
    cul_there_free(there);
  }
  return rc;
}

int cul_there_advance(struct cul_there *there, bool *done,
                      struct cul_record *record, struct cul_err *err) {
  uint64_t beats;
  int rc;
  *done = false;
  (void)!read(there->timer, &beats, sizeof beats);
  rc = cul_runner_remote.advance(there->run, record, done, err);
  if (rc == 0 && *done)
    there->run = NULL;
  return rc;
}

/* ---- survey ---- */

/* Prints a line for each fact on which builds may depend: the contents of
 * programs, packages, variables. */
static const char survey_text[] =
    "for p in bash cc c++ gcc g++ clang clang++ ld ld.lld as cmake ninja make "
    "bazel cargo rustc go python3 %s; do f=$(command -v \"$p\") || continue; "
    "[ -f \"$f\" ] && echo \"$p $(cksum <\"$f\")\"; done; "
    "for f in /var/lib/dpkg/status /var/lib/rpm/rpmdb.sqlite "
    "/lib/apk/db/installed; do [ -r $f ] && echo \"$f $(cksum <$f)\"; done; "
    "for d in /usr/local/include /usr/local/lib /var/lib/pacman/local; do "
    "[ -d $d ] && echo \"$d $(ls $d | cksum)\"; done; "
    "env | grep -E '^(PATH|CC|CXX|CPP|LD|AR|MAKE|CMAKE|C(XX|PP)?FLAGS|LDFLAGS|"
    "[A-Z_]*_PATH|CPATH|RUSTFLAGS|GOFLAGS)[A-Z_]*=' | sort; uname -m; :";

/* The script of the survey, with the words of the build that may name programs.
 */
static char *survey_script(const char *build) {
  struct cul_buf names = {0};
  char *text = cul_xstrdup(build ? build : ""), *at = NULL, *script;
  for (char *word = strtok_r(text, " \t\n;&|()'\"", &at); word;
       word = strtok_r(NULL, " \t\n;&|()'\"", &at))
    if (!strchr(word, '=') && !strstr(word, "@{")) {
      cul_shell_quote(word, &names);
      cul_buf_addc(&names, ' ');
    }
  script = cul_xasprintf(survey_text, cul_buf_str(&names));
  free(text);
  cul_buf_release(&names);
  return script;
}

struct asked {
  struct cul_elsewhere elsewhere;
  struct cul_there *there; /* NULL: it has answered, or never will */
  char *text;              /* its answer; NULL: none */
};

static char *first_difference(const char *one, const char *other) {
  while (*one) {
    size_t n = strcspn(one, "\n"), m = strcspn(other, "\n");
    if (n != m || strncmp(one, other, n) != 0)
      return cul_xstrndup(one, strcspn(one, " =\n"));
    one += n + (one[n] == '\n');
    other += m + (other[m] == '\n');
  }
  return cul_xstrndup(other, strcspn(other, " =\n"));
}

static int advance(struct asked *asked, struct cul_err *err) {
  struct cul_record record = {0};
  bool done;
  int rc = cul_there_advance(asked->there, &done, &record, err);
  if (rc == 0 && done) {
    if (record.end == CUL_EXITED)
      asked->text = cul_xstrdup(cul_buf_str(&record.out));
    cul_record_release(&record);
  }
  if (rc < 0 || done) {
    cul_there_free(asked->there);
    asked->there = NULL;
  }
  return rc;
}

/* Compare all answers with the first one.  Workers that differ, or did not
 * answer in time, are left out. */
static int compare(struct cul_hosts *hosts, const struct asked *asked, size_t n,
                   struct cul_buf *out, struct cul_err *err) {
  const char *first = NULL;
  for (size_t i = 0; i < n; i++) {
    char *what, *why;
    if (asked[i].there && cul_hosts_life(hosts, i) != UINT32_MAX)
      cul_hosts_leave_out(hosts, i, "it does not answer in time");
    if (!asked[i].text)
      continue;
    if (!first) {
      first = asked[i].text;
      cul_buf_adds(out, first);
    } else if (strcmp(first, asked[i].text) != 0) {
      what = first_difference(first, asked[i].text);
      why = cul_xasprintf("its builds use other programs or files (%s)", what);
      cul_hosts_leave_out(hosts, i, why);
      free(why);
      free(what);
    }
  }
  return first ? 0
               : cul_fail(err, CUL_EENV, "check those machines",
                          "no worker can make builds");
}

static size_t count_open(const struct asked *asked, size_t n, bool answered) {
  size_t open = 0;
  for (size_t i = 0; i < n; i++)
    open += answered ? asked[i].text != NULL : asked[i].there != NULL;
  return open;
}

/* Wait for all workers, but only for while_us after the first answer. */
static int wait_all(struct asked *asked, size_t n,
                    const struct cul_patience *patience, struct cul_err *err) {
  static const uint64_t while_us = 120 * 1000 * 1000;
  uint64_t first_us = 0;
  int rc = 0;
  while (rc == 0 && count_open(asked, n, false)) {
    struct pollfd fds[CUL_MAX_HOSTS];
    size_t open = 0;
    for (size_t i = 0; i < n; i++)
      if (asked[i].there)
        fds[open++] = (struct pollfd){asked[i].there->events, POLLIN, 0};
    (void)poll(fds, open, 100);
    for (size_t i = 0; i < n && rc == 0; i++)
      if (asked[i].there)
        rc = advance(&asked[i], err);
    cul_status_beat();
    if (rc == 0)
      rc = patience->left(patience->self, err);
    if (!first_us && count_open(asked, n, true))
      first_us = cul_now_us();
    if (first_us && cul_now_us() - first_us > while_us)
      break;
  }
  return rc;
}

int cul_there_survey(struct cul_hosts *hosts, const char *build,
                     const char *tmp, const struct cul_environment *environment,
                     const struct cul_patience *patience, struct cul_buf *out,
                     struct cul_err *err) {
  static const char *const env[] = {NULL};
  size_t n = cul_hosts_count(hosts);
  struct asked *asked = cul_xcalloc(n + 1, sizeof *asked);
  char *script = survey_script(build);
  int rc = 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    const struct cul_there_conf conf = {.hosts = hosts,
                                        .elsewhere = &asked[i].elsewhere,
                                        .environment = environment,
                                        .script = script,
                                        .tmp = tmp};
    asked[i].elsewhere.worker = i;
    asked[i].there = there_new();
    rc = start(asked[i].there, &conf, env, 0, err);
  }
  if (rc == 0)
    rc = wait_all(asked, n, patience, err);
  if (rc == 0)
    rc = compare(hosts, asked, n, out, err);
  for (size_t i = 0; i < n; i++) {
    cul_there_free(asked[i].there);
    free(asked[i].text);
  }
  free(asked);
  free(script);
  return rc;
}
