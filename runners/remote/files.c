/* Sends the files that runs need: see hosts_private.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/environment.h"
#include "../../base/files/file.h"
#include "hosts_private.h"

/* ---- the files of a run ---- */

/* The absolute path without "..", heap.  Links stay, because the command may
 * distinguish names. */
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

static bool is_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* The digest of a file, cached by its stat data. */
static int digest_of(struct cul_hosts *hosts, const char *path,
                     const struct stat *st, struct cul_digest *out,
                     struct cul_err *err) {
  struct cul_content *known = NULL;
  int rc;
  for (size_t i = 0; i < hosts->contents.n && !known; i++)
    if (strcmp(hosts->contents.items[i].path, path) == 0)
      known = &hosts->contents.items[i];
  if (known && known->st.st_size == st->st_size &&
      known->st.st_ino == st->st_ino && known->st.st_dev == st->st_dev &&
      is_time(&known->st.st_mtim, &st->st_mtim) &&
      is_time(&known->st.st_ctim, &st->st_ctim)) {
    *out = known->digest;
    return 0;
  }
  rc = cul_file_digest(path, out, err);
  if (rc == 0 && !known) {
    hosts->contents.items =
        cul_xgrow(hosts->contents.items, hosts->contents.n,
                  &hosts->contents.room, sizeof *hosts->contents.items);
    known = &hosts->contents.items[hosts->contents.n++];
    known->path = cul_xstrdup(path);
  }
  if (rc == 0) {
    known->st = *st;
    known->digest = *out;
  }
  return rc;
}

/* Add a file; takes over path. */
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

/* Add a file, or all files of a directory.  name: on the other machine.  The
 * depth is limited, because links may form cycles. */
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

/* Must this path be sent?  Listed files and files below the working directory
 * are; other paths in a command exist on the other machine. */
static bool is_to_send(const struct cul_hosts *hosts, const char *path) {
  struct stat st;
  if (stat(path, &st) < 0 || below(path, hosts->shared))
    return false;
  return is_listed(hosts, path) ||
         (S_ISREG(st.st_mode) && below(path, hosts->here));
}

/* Convert a word of the command: in "--x=PATH" and "PATH", a file to be sent
 * gets its path on the other machine. */
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

char *cul_hosts_path(const struct cul_hosts *hosts, const char *path) {
  char *whole = absolute(hosts, path), *out;
  if (below(whole, hosts->shared))
    return whole;
  out = cul_xasprintf(CUL_REMOTE_THERE "/sent%s", whole);
  free(whole);
  return out;
}

/* Add the installation of the command, with the files for its script. */
static int add_install(struct cul_run *run, struct cul_err *err) {
  const struct cul_install *install = run->request->cmd->install;
  struct cul_remote_run *message = &run->message;
  int rc = 0;
  enum cul_remote_place place = CUL_PLACE_INSTALL;
  message->building = install && !install->name;
  if (message->building)
    place = CUL_PLACE_SENT;
  if (install && install->name) {
    message->install.name = cul_xstrdup(install->name);
    message->install.script = cul_xstrdup(install->script);
    message->install.most_bytes = install->most_bytes;
  }
  for (const char *const *f = install ? install->files : NULL;
       rc == 0 && f && *f; f++) {
    char *path = absolute(run->hosts, *f);
    if (!below(path, run->hosts->shared))
      rc = add_path(run, place, path, path, 0, err);
    free(path);
  }
  return rc;
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

/* Add the substitutions, except "@@", "@{dir}" and "@{out}", which the worker
 * sets. */
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
  message->placed = dir && *dir && !run->artefact->elsewhere;
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

/* Add the entries of a build directory. */
static int add_workspace(struct cul_run *run, struct cul_err *err) {
  const struct cul_elsewhere *workspace = run->artefact->elsewhere;
  struct cul_remote_run *message = &run->message;
  const char *at = workspace->files.data, *end = at + workspace->files.len;
  size_t room = 0, room_paths = 0;
  cul_buf_adds(&message->lists, workspace->lists ? workspace->lists : "");
  if (!workspace->workspace)
    return 0;
  message->workspace = cul_xstrdup(workspace->workspace);
  message->building = workspace->building;
  message->anew = workspace->anew;
  for (; workspace->building && at < end; at += strlen(at) + 1) {
    struct cul_remote_file file = {.place = CUL_PLACE_WORKSPACE};
    char hex[CUL_DIGEST_HEX];
    int name = 0;
    if (sscanf(at, "%o %32s %n", &file.mode, hex, &name) != 2 || !name ||
        !cul_digest_parse(hex, &file.digest))
      return cul_fail(err, CUL_EINTERNAL, "", "no entry of a build: %s", at);
    file.name = cul_xstrdup(at + name);
    message->files = cul_xgrow(message->files, message->n_files, &room,
                               sizeof *message->files);
    run->paths = cul_xgrow(run->paths, message->n_files, &room_paths,
                           sizeof *run->paths);
    run->paths[message->n_files] =
        cul_xasprintf("%s/%s", workspace->dir, file.name);
    /* links and files without content */
    file.carried = !S_ISREG(file.mode);
    if (S_ISLNK(file.mode)) {
      char target[4096];
      ssize_t n = readlink(run->paths[message->n_files], target, sizeof target);
      cul_buf_add(&file.bytes, target, n > 0 ? (size_t)n : 0);
    }
    message->files[message->n_files++] = file;
  }
  return 0;
}

static int prepare(struct cul_run *run, struct cul_err *err) {
  int rc = 0;
  fill_message(run);
  if (run->artefact->elsewhere)
    rc = add_workspace(run, err);
  else if (run->message.placed)
    rc = add_path(run, CUL_PLACE_CANDIDATE, "", run->artefact->dir, 0, err);
  if (rc == 0 && !run->artefact->elsewhere)
    rc = add_install(run, err);
  /* the text of a shell may name listed files */
  for (char **sent = run->hosts->sent; rc == 0 && *sent; sent++)
    if (!below(*sent, run->hosts->shared) && !has_name(run, *sent))
      rc = add_path(run, CUL_PLACE_SENT, *sent, *sent, 0, err);
  if (rc == 0)
    rc = add_words(run, err);
  return rc ? rc : add_substitutions(run, err);
}

static int open_paths(struct cul_hosts *hosts,
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
    /* a command may use either path */
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

/* ---- once per machine ---- */

/* The entry of a digest among the files in transfer, or a free entry. */
static struct cul_flight *find_flight(const struct cul_hosts *hosts,
                                      const struct cul_digest *digest,
                                      const struct cul_digest *store) {
  size_t at = (size_t)(digest->w[0] ^ store->w[0]) & (hosts->room_flights - 1);
  for (;; at = (at + 1) & (hosts->room_flights - 1)) {
    struct cul_flight *flight = &hosts->flights[at];
    if (cul_digest_is_zero(&flight->digest) ||
        (cul_digest_equal(&flight->digest, digest) &&
         cul_digest_equal(&hosts->links[flight->link].store, store)))
      return flight;
  }
}

static void make_room(struct cul_hosts *hosts) {
  struct cul_flight *old = hosts->flights;
  size_t n = hosts->room_flights;
  if (hosts->n_flights * 2 < n)
    return;
  hosts->room_flights = n ? 2 * n : 256;
  hosts->flights = cul_xcalloc(hosts->room_flights, sizeof *hosts->flights);
  for (size_t i = 0; i < n; i++)
    if (!cul_digest_is_zero(&old[i].digest))
      *find_flight(hosts, &old[i].digest, &hosts->links[old[i].link].store) =
          old[i];
  free(old);
}

/* Is the file being sent to this machine?  *link: by which link. */
static bool is_flying(struct cul_hosts *hosts, const struct cul_flight *flight,
                      struct cul_link **link) {
  if (cul_digest_is_zero(&flight->digest))
    return false;
  *link = &hosts->links[flight->link];
  return (*link)->state == CUL_LINK_READY && (*link)->life == flight->life &&
         (*link)->outbox.n_kept < flight->number;
}

/* Send the file at path, unless it is already being sent there. */
static void give(struct cul_link *link, const struct cul_run *run,
                 const struct cul_digest *digest, const char *path) {
  struct cul_hosts *hosts = link->hosts;
  struct cul_flight *flight;
  struct cul_link *other;
  make_room(hosts);
  flight = find_flight(hosts, digest, &link->store);
  if (is_flying(hosts, flight, &other)) {
    if (other != link && link->outbox.waits[flight->link] < flight->number)
      link->outbox.waits[flight->link] = flight->number;
    return;
  }
  hosts->n_flights += cul_digest_is_zero(&flight->digest);
  *flight = (struct cul_flight){.digest = *digest,
                                .link = (uint32_t)(link - hosts->links),
                                .life = link->life,
                                .number = ++link->outbox.n_sent};
  link->outbox.parcels =
      cul_xgrow(link->outbox.parcels, link->outbox.n, &link->outbox.room,
                sizeof *link->outbox.parcels);
  link->outbox.parcels[link->outbox.n++] =
      (struct cul_parcel){cul_xstrdup(path), run->message.id};
}

static int by_digest(const void *one, const void *other) {
  const struct cul_digest *a = one, *b = other;
  if (a->w[0] != b->w[0])
    return a->w[0] < b->w[0] ? -1 : 1;
  return a->w[1] < b->w[1] ? -1 : a->w[1] > b->w[1];
}

/* Send the files that the worker lacks, from the paths of the run. */
static void take_need(struct cul_link *link, const struct cul_run *run,
                      const char *text) {
  struct cul_digest *needs = NULL;
  size_t n = 0, room = 0;
  for (; strcspn(text, "\n") == CUL_DIGEST_HEX - 1; text += CUL_DIGEST_HEX) {
    char hex[CUL_DIGEST_HEX];
    memcpy(hex, text, CUL_DIGEST_HEX - 1);
    hex[CUL_DIGEST_HEX - 1] = '\0';
    needs = cul_xgrow(needs, n, &room, sizeof *needs);
    n += cul_digest_parse(hex, &needs[n]);
    if (!text[CUL_DIGEST_HEX - 1])
      break;
  }
  if (n)
    qsort(needs, n, sizeof *needs, by_digest);
  for (uint32_t i = 0; n && i < run->message.n_files; i++) {
    const struct cul_remote_file *file = &run->message.files[i];
    if (!file->carried &&
        bsearch(&file->digest, needs, n, sizeof *needs, by_digest))
      give(link, run, &file->digest, run->paths[i]);
  }
  free(needs);
}

/* Send the next files while the buffer has room. */
static void send_parcels(struct cul_link *link) {
  enum { SOME = 1 << 20 };
  while (link->outbox.first < link->outbox.n &&
         link->wire.write.len - link->wire.written < SOME) {
    struct cul_parcel *parcel = &link->outbox.parcels[link->outbox.first++];
    struct cul_buf bytes = {0};
    struct cul_err err = {0};
    struct cul_run *run = cul_link_run(link, parcel->run);
    /* an unreadable file is sent empty, because the worker counts files */
    if (cul_file_read(parcel->path, CUL_FRAME_MOST, &bytes, &err) < 0) {
      cul_buf_clear(&bytes);
      if (run)
        cul_run_end(run, cul_xstrdup(err.what));
    }
    cul_link_send(link, CUL_FRAME_FILE, &bytes);
    cul_buf_release(&bytes);
    free(parcel->path);
  }
  if (link->outbox.first == link->outbox.n)
    link->outbox.first = link->outbox.n = 0;
}

/* Tell workers that waited for files of this link to look for them, unless they
 * wait for another link. */
static void tell_waiting(struct cul_link *from, bool gone) {
  static const struct cul_buf empty;
  struct cul_hosts *hosts = from->hosts;
  size_t at = (size_t)(from - hosts->links);
  for (size_t i = 0; i < hosts->n; i++) {
    struct cul_link *link = &hosts->links[i];
    bool waits = false;
    if (!link->outbox.waits[at] ||
        (!gone && from->outbox.n_kept < link->outbox.waits[at]))
      continue;
    link->outbox.waits[at] = 0;
    for (size_t k = 0; k < hosts->n; k++)
      waits |= link->outbox.waits[k] != 0;
    if (!waits && link->state == CUL_LINK_READY)
      cul_link_send(link, CUL_FRAME_LOOK, &empty);
  }
}

static bool take(struct cul_link *link, uint32_t type,
                 struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  struct cul_digest digest;
  const struct cul_run *run;
  if (type == CUL_FRAME_KEPT) {
    cul_codec_digest(codec, &digest);
    if (!cul_codec_is_done(codec))
      return false;
    link->outbox.n_kept++;
    tell_waiting(link, false);
    return true;
  }
  if (type != CUL_FRAME_NEED)
    return false;
  cul_remote_pass_words(codec, &words);
  run = cul_codec_is_done(codec) ? cul_link_run(link, words.id) : NULL;
  if (run)
    take_need(link, run, cul_buf_str(&words.text));
  cul_buf_release(&words.text);
  return true;
}

static void forget_parcels(struct cul_link *link) {
  for (; link->outbox.first < link->outbox.n; link->outbox.first++)
    free(link->outbox.parcels[link->outbox.first].path);
  link->outbox.first = link->outbox.n = 0;
}

static void lost(struct cul_link *link) {
  forget_parcels(link);
  memset(link->outbox.waits, 0, sizeof link->outbox.waits);
  tell_waiting(link, true);
}

static void release(struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->contents.n; i++)
    free(hosts->contents.items[i].path);
  for (size_t i = 0; hosts->links && i < hosts->n; i++) {
    forget_parcels(&hosts->links[i]);
    free(hosts->links[i].outbox.parcels);
  }
  free(hosts->contents.items);
  free(hosts->flights);
}

const struct cul_hosts_part cul_hosts_files = {.open = open_paths,
                                               .lost = lost,
                                               .take = take,
                                               .room = send_parcels,
                                               .prepare = prepare,
                                               .release = release};
