/* Computes the identity of a tool from the files of a traced run: see
 * identity.h.  The store keeps the list of files and its digest. */
#include "identity.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/environment.h"
#include "../../base/files/file.h"
#include "../../cache/cache.h"
#include "../plan.h"
#include "../process.h"
#include "../sandbox/sandbox.h"
#include "../trace/fileset.h"
#include "../trace/program.h"
#include "built.h"
#include "closure.h"

static const char space[] = "tool 5", space_there[] = "tool there 3";
static const char space_beyond[] = "tool beyond 1";

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void hash_list(struct cul_hasher *h, const char *const *items) {
  for (; items && *items; items++)
    cul_hasher_field(h, *items);
  cul_hasher_field(h, NULL);
}

/* The key under which the list of files of this command is stored.  Elsewhere,
 * relative names lead to other files, so the working directory is part of it; a
 * tool that uses none of them has the same identity in each. */
static struct cul_digest key_of(const struct cul_command *cmd,
                                const char *program) {
  /* Any variable may affect which files a tool uses. */
  struct cul_digest environment = cul_environment_digest(cmd->environment);
  struct cul_hasher *h = cul_hasher_new();
  char *here = cmd->cwd ? realpath(cmd->cwd, NULL) : NULL;
  cul_hasher_field(h, "tool files 8");
  cul_hasher_field(h, program);
  hash_list(h, cmd->argv);
  hash_list(h, cmd->env);
  cul_hasher_u64(h, cmd->delivery);
  cul_hasher_field(h, here ? here : cmd->cwd);
  cul_hasher_field(h, cmd->inputs);
  free(here);
  cul_hasher_add(h, &environment, sizeof environment);
  return cul_hasher_finish(h);
}

/* Does argv[0] depend on the artefact?  Then the command alone does not
 * determine the program, and nothing can be recalled for it. */
static bool is_template(const struct cul_command *cmd) {
  return strstr(cmd->argv[0], "@{") || strstr(cmd->argv[0], "@@");
}

/* A list of paths: sorted, unique, owned. */
struct paths {
  char **items;
  size_t n, room;
};

static void paths_add(struct paths *p, const char *path, size_t len) {
  if (p->n == p->room) {
    p->room = p->room ? p->room * 2 : 64;
    p->items = cul_xreallocarray(p->items, p->room, sizeof *p->items);
  }
  p->items[p->n++] = cul_xstrndup(path, len);
}

static void paths_sort(struct paths *p) {
  size_t n = 0;
  if (p->n)
    qsort(p->items, p->n, sizeof *p->items, compare_texts);
  for (size_t i = 0; i < p->n; i++)
    if (n && strcmp(p->items[n - 1], p->items[i]) == 0)
      free(p->items[i]);
    else
      p->items[n++] = p->items[i];
  p->n = n;
}

static void paths_release(struct paths *p) {
  for (size_t i = 0; i < p->n; i++)
    free(p->items[i]);
  free(p->items);
  *p = (struct paths){0};
}

static bool below(const char *path, size_t len, const char *dir) {
  size_t n = dir ? strlen(dir) : 0;
  return n && len > n && memcmp(path, dir, n) == 0 && path[n] == '/';
}

/* The parsed trace of a record (struct cul_record, files). */
struct trace {
  struct paths paths;          /* executed or read */
  struct paths looked, listed; /* looked: names; listed: directories */
  struct paths timed;          /* files whose times were asked for */
  struct paths imported;       /* sources of Python modules */
  struct paths moved;          /* directories: below each files moved */
  struct paths changed;        /* files that it wrote, made or removed */
  struct paths read_back;      /* of these, those that it read, too */
  struct paths kept;           /* that it would have made, but were there */
  struct cul_buf unseen;       /* phrases, one a line */
  struct cul_buf calls;        /* of programs, one a line */
  char *wrapper, *escape;
  char *network;          /* family of a socket that was made; or NULL */
  struct cul_digest then; /* digest from an earlier job; zero: none */
  struct cul_digest left; /* of read_back as that job's run left it */
  /* For a run on another machine (cul_identity_see): "DIGEST NAME" of each
   * file, and the digest of everything else. */
  struct paths there;
  struct cul_digest rest, variables, installed;
};

static void trace_release(struct trace *t) {
  paths_release(&t->paths);
  paths_release(&t->looked);
  paths_release(&t->listed);
  paths_release(&t->timed);
  paths_release(&t->imported);
  paths_release(&t->changed);
  paths_release(&t->read_back);
  paths_release(&t->kept);
  paths_release(&t->moved);
  paths_release(&t->there);
  cul_buf_release(&t->unseen);
  cul_buf_release(&t->calls);
  free(t->wrapper);
  free(t->escape);
  free(t->network);
}

/* DIR/NAME.py for DIR/__pycache__/NAME.TAG.pyc; NULL for another path.  On the
 * heap. */
static char *source_of(const char *path, size_t len) {
  static const char cache[] = "/__pycache__/";
  char *copy = cul_xstrndup(path, len), *source = NULL;
  char *at = strstr(copy, cache);
  if (at && len > 4 && strcmp(copy + len - 4, ".pyc") == 0) {
    const char *name = at + sizeof cache - 1;
    source = cul_xasprintf("%.*s/%.*s.py", (int)(at - copy), copy,
                           (int)strcspn(name, "."), name);
  }
  free(copy);
  return source;
}

/* Add a path; for a compiled Python module, add its source instead.  Python
 * recompiles the module whenever the source changes, and often reads the source
 * in its stead. */
static void add_source(struct paths *paths, const char *path, size_t len) {
  char *copy = cul_xstrndup(path, len), *source = cul_built_source(copy);
  paths_add(paths, source, strlen(source));
  free(source);
  free(copy);
}

/* Note the source of a Python module.  Python only compares its time with that
 * in the compiled module, so its times are ignored (drop_imported). */
static void note_import(struct paths *paths, const char *path, size_t len) {
  char *source = source_of(path, len);
  if (source)
    paths_add(paths, source, strlen(source));
  free(source);
}

/* Add a name that was looked for, except of compiled Python modules, which come
 * and go with their sources. */
static void take_looked(struct paths *paths, const char *path, size_t len) {
  if (!memmem(path, len, "/__pycache__", 12))
    paths_add(paths, path, len);
}

static void take_digest(struct cul_digest *out, const char *hex, size_t len) {
  char *copy = cul_xstrndup(hex, len);
  if (!cul_digest_parse(copy, out))
    *out = (struct cul_digest){{0, 0}};
  free(copy);
}

/* Is the path the candidate's directory or below it? */
static bool is_outside(const char *path, size_t len, const char *dir) {
  return below(path, len, dir) ||
         (dir && strlen(dir) == len && memcmp(path, dir, len) == 0);
}

/* Store the text; a later one replaces it. */
static void take_text(char **out, const char *text, size_t len) {
  free(*out);
  *out = cul_xstrndup(text, len);
}

static void take_line(struct trace *t, const char *line, size_t len,
                      const char *const *outside) {
  const char *path = line + 2;
  size_t n = len - 2;
  if (line[0] == '!')
    take_text(&t->escape, path, n);
  else if (line[0] == 'w')
    take_text(&t->wrapper, path, n);
  else if (line[0] == 'n')
    take_text(&t->network, path, n);
  else if (line[0] == 'u')
    cul_buf_addf(&t->unseen, "%.*s\n", (int)n, path);
  else if (line[0] == 'a')
    cul_buf_addf(&t->calls, "%.*s\n", (int)n, path);
  else if (line[0] == '=')
    take_digest(&t->then, path, n);
  else if (line[0] == '~')
    take_digest(&t->left, path, n);
  else if (line[0] == 'h')
    take_digest(&t->rest, path, n);
  else if (line[0] == 'e')
    take_digest(&t->variables, path, n);
  else if (line[0] == 'i')
    take_digest(&t->installed, path, n);
  else if (line[0] == 'f')
    paths_add(&t->there, path, n);
  else if (line[0] == 'm')
    paths_add(&t->moved, path, n);
  else if (line[0] == 'd') /* refused: see cul_record_refused */
    return;
  else if (is_outside(path, n, outside[0]) || is_outside(path, n, outside[1]))
    return;
  else if (line[0] == 't')
    take_looked(&t->timed, path, n);
  else if (line[0] == 'o')
    paths_add(&t->changed, path, n);
  else if (line[0] == 'b')
    paths_add(&t->read_back, path, n);
  else if (line[0] == 'k')
    paths_add(&t->kept, path, n);
  else if (line[0] == 'l')
    paths_add(&t->listed, path, n);
  else if (line[0] == 'p')
    take_looked(&t->looked, path, n);
  else
    add_source(&t->paths, path, n);
  note_import(&t->imported, path, n);
}

/* Drop the Python modules from the paths. */
static void drop_modules(struct paths *paths, const struct paths *imported) {
  size_t n = 0;
  paths_sort(paths);
  for (size_t i = 0; i < paths->n; i++) {
    char *path = paths->items[i];
    if (imported->n && bsearch(&path, imported->items, imported->n,
                               sizeof *imported->items, compare_texts))
      free(path);
    else
      paths->items[n++] = path;
  }
  paths->n = n;
}

/* Ignore what Python asks about the sources of its modules: it asks more of
 * those that are compiled already.  Their content counts. */
static void drop_imported(struct trace *t) {
  paths_sort(&t->imported);
  drop_modules(&t->timed, &t->imported);
  drop_modules(&t->looked, &t->imported);
}

static void read_trace(struct trace *t, const char *text,
                       const char *candidate_dir) {
  char *real = candidate_dir ? realpath(candidate_dir, NULL) : NULL;
  const char *const outside[] = {candidate_dir, real};
  while (*text) {
    size_t len = strcspn(text, "\n");
    if (len > 2)
      take_line(t, text, len, outside);
    text += len + (text[len] == '\n');
  }
  drop_imported(t);
  free(real);
}

static int digest_file(struct cul_cache *cache, const char *path,
                       struct cul_digest *out, struct cul_err *err) {
  return cache ? cul_cache_file_digest(cache, path, out, err)
               : cul_file_digest(path, out, err);
}

struct timed {
  const char *name;
  struct timespec at; /* time of last modification */
};

static int compare_timed(const void *a, const void *b) {
  const struct timed *x = a, *y = b;
  if (x->at.tv_sec != y->at.tv_sec)
    return x->at.tv_sec < y->at.tv_sec ? -1 : 1;
  if (x->at.tv_nsec != y->at.tv_nsec)
    return x->at.tv_nsec < y->at.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* Hash the order of the modification times of files, and which of them are
 * equal, or within the same second.  This is all that a program learns by
 * comparing times.  Missing files are ignored. */
static void hash_times(struct cul_hasher *h, const struct paths *paths) {
  struct timed *files = cul_xcalloc(paths->n + 1, sizeof *files);
  size_t n_files = 0;
  for (size_t i = 0; i < paths->n; i++) {
    struct stat st;
    if (stat(paths->items[i], &st) == 0)
      files[n_files++] = (struct timed){paths->items[i], st.st_mtim};
  }
  qsort(files, n_files, sizeof *files, compare_timed);
  for (size_t i = 0; i < n_files; i++) {
    const struct timespec *at = &files[i].at, *last = &files[i ? i - 1 : 0].at;
    bool same_second = at->tv_sec == last->tv_sec;
    cul_hasher_field(h, files[i].name);
    cul_hasher_u64(h, same_second);
    cul_hasher_u64(h, same_second && at->tv_nsec == last->tv_nsec);
  }
  cul_hasher_field(h, NULL);
  free(files);
}

/* A directory whose names are read. */
struct listing {
  struct cul_cache *cache; /* or NULL */
  char *real;              /* its path without links; or NULL */
};

/* Did culprit itself write the file?  People keep results where they work, and
 * another result is no other tool. */
static bool is_result(void *self, const char *name) {
  const struct listing *listing = self;
  return listing->real &&
         cul_cache_is_result(listing->cache, listing->real, name);
}

/* Hash which of the names that were looked for exist, the names in directories
 * that were read, and the order of file times.  is_spared: is_result, or NULL
 * on another machine, which has no cache. */
static void hash_looks(struct cul_hasher *h, const struct trace *t,
                       bool (*is_spared)(void *self, const char *name),
                       struct cul_cache *cache) {
  for (size_t i = 0; i < t->looked.n; i++)
    cul_lookup_hash(h, -1, t->looked.items[i]);
  cul_hasher_field(h, NULL);
  for (size_t i = 0; i < t->listed.n; i++) {
    struct listing listing = {cache, realpath(t->listed.items[i], NULL)};
    cul_listing_hash(h, -1, t->listed.items[i], is_spared, &listing);
    free(listing.real);
  }
  hash_times(h, &t->timed);
}

static bool is_executable(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && (st.st_mode & 0111);
}

static void print_paths(char letter, const struct paths *paths,
                        struct cul_buf *out) {
  for (size_t i = 0; i < paths->n; i++)
    cul_buf_addf(out, "%c %s\n", letter, paths->items[i]);
}

/* Digest all that the trace names into out.  False: a file cannot be read;
 * out->why is the reason, unless it is set already. */
static bool digest_trace(struct cul_cache *cache, const struct cul_command *cmd,
                         const struct trace *t, struct cul_identity *out) {
  const struct paths *paths = &t->paths;
  struct cul_hasher *h = cul_hasher_new();
  bool ok = true;
  cul_hasher_field(h, "tool 3");
  cul_hasher_field(h, out->program);
  if (cmd->inputs)
    cul_hasher_field(h, cmd->inputs);
  for (size_t i = 0; i < paths->n; i++) {
    struct cul_digest d;
    struct cul_err err = {0};
    char hex[CUL_DIGEST_HEX];
    if (digest_file(cache, paths->items[i], &d, &err)) {
      if (!out->why)
        out->why =
            cul_xasprintf("a file it uses cannot be read again: %s", err.what);
      ok = false;
      continue;
    }
    cul_hasher_field(h, paths->items[i]);
    cul_hasher_u64(h, d.w[0]);
    cul_hasher_u64(h, d.w[1]);
    cul_hasher_u64(h, is_executable(paths->items[i]));
    cul_buf_addf(&out->files, "%s %s\n", cul_digest_hex(&d, hex),
                 paths->items[i]);
    out->n_files++;
  }
  hash_looks(h, t, is_result, cache);
  print_paths('p', &t->looked, &out->looked);
  print_paths('l', &t->listed, &out->looked);
  out->digest = cul_hasher_finish(h);
  if (!ok)
    out->digest = (struct cul_digest){{0, 0}};
  return ok;
}

/* Digest what the tool wrote and read again, as it is now.  This is no part of
 * the tool, but what a run left there, in a cache, is read by the next one: if
 * it has changed, the next run may show that. */
static struct cul_digest digest_left(struct cul_cache *cache,
                                     const struct trace *t) {
  struct cul_hasher *h = cul_hasher_new();
  for (size_t i = 0; i < t->read_back.n; i++) {
    struct cul_digest content = {{0, 0}};
    struct cul_err unread = {0};
    if (digest_file(cache, t->read_back.items[i], &content, &unread))
      content = (struct cul_digest){{0, 0}};
    cul_hasher_field(h, t->read_back.items[i]);
    cul_hasher_add(h, &content, sizeof content);
  }
  return cul_hasher_finish(h);
}

/* The same for a run on another machine, which has digested the files. */
static void digest_there(const struct cul_command *cmd, const struct trace *t,
                         struct cul_identity *out) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_field(h, "tool elsewhere 3");
  cul_hasher_field(h, out->program);
  if (cmd->inputs)
    cul_hasher_field(h, cmd->inputs);
  for (size_t i = 0; i < t->there.n; i++) {
    cul_hasher_field(h, t->there.items[i]);
    cul_buf_addf(&out->files, "%s\n", t->there.items[i]);
  }
  cul_hasher_add(h, &t->rest, sizeof t->rest);
  cul_hasher_add(h, &t->variables, sizeof t->variables);
  cul_hasher_add(h, &t->installed, sizeof t->installed);
  out->n_files = t->there.n;
  out->digest = cul_hasher_finish(h);
}

static bool was_elsewhere(const struct trace *t) {
  return !cul_digest_is_zero(&t->rest);
}

static char *program_of(const struct cul_command *cmd) {
  char *path = is_template(cmd) ? NULL : cul_plan_program(cmd, cmd->argv[0]);
  return path ? path : cul_xstrdup(cmd->argv[0]);
}

static void print_lines(char letter, const struct cul_buf *lines,
                        struct cul_buf *out) {
  for (const char *at = cul_buf_str(lines); *at; at += strcspn(at, "\n") + 1)
    cul_buf_addf(out, "%c %.*s\n", letter, (int)strcspn(at, "\n"), at);
}

/* Store the list, as lines of a trace, and "= DIGEST": if the digest changes,
 * the tool may use other files. */
static int remember(struct cul_cache *cache, const struct cul_command *cmd,
                    const struct trace *t, const struct cul_identity *id,
                    struct cul_err *err) {
  struct cul_digest key = key_of(cmd, id->program), left;
  struct cul_buf list = {0};
  char hex[CUL_DIGEST_HEX];
  int rc;
  if (!cache || is_template(cmd))
    return 0;
  left = digest_left(cache, t);
  cul_buf_addf(&list, "= %s\n", cul_digest_hex(&id->digest, hex));
  cul_buf_addf(&list, "~ %s\n", cul_digest_hex(&left, hex));
  if (t->wrapper)
    cul_buf_addf(&list, "w %s\n", t->wrapper);
  if (t->network)
    cul_buf_addf(&list, "n %s\n", t->network);
  print_lines('u', &t->unseen, &list);
  print_lines('a', &t->calls, &list);
  print_paths('r', &t->paths, &list);
  print_paths('p', &t->looked, &list);
  print_paths('l', &t->listed, &list);
  print_paths('t', &t->timed, &list);
  print_paths('o', &t->changed, &list);
  print_paths('b', &t->read_back, &list);
  print_paths('k', &t->kept, &list);
  print_paths('m', &t->moved, &list);
  rc = cul_cache_memo_put(cache, space, &key, list.data, list.len, err);
  cul_buf_release(&list);
  return rc;
}

/* ---- beyond the first run ---- */

/* What runs other than the first one used: lines "STATE LETTER PATH", with the
 * letters of traces; x: a file that is executable.  The state is the digest of
 * a file's content; of other names, of what a program learns about them. */

/* A tool with more of them looks for names that its inputs contain. */
enum { MAX_BEYOND = 10000 };

/* One such line, without the newline; false: it is damaged. */
static bool read_beyond(const char *line, size_t len, struct cul_digest *state,
                        char *letter, char **path) {
  const char *blank = memchr(line, ' ', len);
  size_t n = blank ? (size_t)(blank - line) : 0;
  if (!blank || len < n + 4 || blank[2] != ' ')
    return false;
  take_digest(state, line, n);
  *letter = blank[1];
  *path = cul_xstrndup(blank + 3, len - n - 3);
  return true;
}

/* The present state of a name; zero: the file cannot be read. */
static struct cul_digest state_of(struct cul_cache *cache, char letter,
                                  const char *path) {
  struct cul_digest state = {{0, 0}};
  struct cul_err unread = {0};
  struct cul_hasher *h;
  if (letter == 'r' || letter == 'x') {
    if (digest_file(cache, path, &state, &unread))
      state = (struct cul_digest){{0, 0}};
    return state;
  }
  h = cul_hasher_new();
  if (letter == 'p') {
    cul_lookup_hash(h, -1, path);
  } else {
    struct listing listing = {cache, realpath(path, NULL)};
    cul_listing_hash(h, -1, path, is_result, &listing);
    free(listing.real);
  }
  return cul_hasher_finish(h);
}

static int get_beyond(struct cul_cache *cache, const struct cul_digest *first,
                      struct cul_buf *list, struct cul_err *err) {
  bool found = false;
  if (!cache || cul_digest_is_zero(first))
    return 0;
  return cul_cache_memo_get(cache, space_beyond, first, list, &found, err);
}

/* The identity is that of the first run.  If something that other runs used has
 * another state than it had, the digest depends on that. */
static int fold_beyond(struct cul_cache *cache, struct cul_identity *identity,
                       struct cul_err *err) {
  CUL_OWNED(cul_buf) list = {0};
  struct cul_hasher *h = cul_hasher_new();
  bool changed = false;
  struct cul_digest now;
  int rc;
  identity->first = identity->digest;
  rc = get_beyond(cache, &identity->first, &list, err);
  cul_hasher_field(h, "tool beyond 1");
  cul_hasher_add(h, &identity->first, sizeof identity->first);
  for (const char *at = cul_buf_str(&list); *at && rc == 0;) {
    size_t len = strcspn(at, "\n");
    struct cul_digest then;
    CUL_HEAP char *path = NULL;
    char letter, hex[CUL_DIGEST_HEX];
    bool is_file, same;
    if (read_beyond(at, len, &then, &letter, &path)) {
      is_file = letter == 'r' || letter == 'x';
      now = state_of(cache, letter, path);
      same = cul_digest_equal(&now, &then) &&
             (!is_file || is_executable(path) == (letter == 'x'));
      if (is_file && !cul_digest_is_zero(&now))
        cul_buf_addf(&identity->beyond, "%s %s\n", cul_digest_hex(&now, hex),
                     path);
      if (!same) {
        cul_hasher_field(h, path);
        cul_hasher_add(h, &now, sizeof now);
        cul_hasher_u64(h, is_file && is_executable(path));
      }
      changed |= !same;
    }
    at += len + (at[len] == '\n');
  }
  now = cul_hasher_finish(h);
  if (changed && rc == 0)
    identity->digest = now;
  return rc;
}

/* The names in lines, each after `skip` words; sorted. */
static void list_names(const struct cul_buf *lines, int skip,
                       struct paths *out) {
  for (const char *at = cul_buf_str(lines); *at;) {
    size_t len = strcspn(at, "\n");
    const char *name = at;
    for (int i = 0; i < skip && name; i++) {
      name = memchr(name, ' ', len - (size_t)(name - at));
      name += name != NULL;
    }
    if (name)
      paths_add(out, name, len - (size_t)(name - at));
    at += len + (at[len] == '\n');
  }
  paths_sort(out);
}

static bool has_path(const struct paths *paths, const char *path) {
  return paths->n && bsearch(&path, paths->items, paths->n,
                             sizeof *paths->items, compare_texts);
}

/* May runs make or change the file?  Then what it is, in a cache for instance,
 * is not the tool's.  Where the first run made files, those that are older
 * stay, and a name that is missing may be looked for.  A directory there is
 * listed with what runs make. */
static bool is_of_runs(const struct cul_command *cmd, char letter,
                       const char *path) {
  const struct cul_sandbox *sandbox = cul_environment_sandbox(cmd->environment);
  CUL_HEAP char *found = realpath(path, NULL);
  const char *real = found ? found : path;
  if (!sandbox || !cul_paths_cover(&sandbox->writes, real))
    return false;
  return letter == 'l' || !cul_paths_cover(&sandbox->spared.opened, real) ||
         (found && !cul_sandbox_spares(sandbox, real));
}

struct widening {
  struct cul_cache *cache;
  const struct cul_command *cmd;
  struct paths known; /* files, and "LETTER PATH" of other names */
  struct cul_buf list;
  struct cul_buf *files;
  size_t n;
  bool news;
};

static void widen_by(struct widening *w, char letter,
                     const struct paths *paths) {
  for (size_t i = 0; i < paths->n && w->n < MAX_BEYOND; i++) {
    const char *path = paths->items[i];
    CUL_HEAP char *name = cul_xasprintf("%c %s", letter, path);
    const bool is_file = letter == 'r';
    struct cul_digest state;
    char hex[CUL_DIGEST_HEX];
    if (has_path(&w->known, path) || has_path(&w->known, name) ||
        is_of_runs(w->cmd, letter, path))
      continue;
    state = state_of(w->cache, letter, path);
    if (is_file && cul_digest_is_zero(&state))
      continue; /* it is no more */
    cul_digest_hex(&state, hex);
    cul_buf_addf(&w->list, "%s %c %s\n", hex,
                 is_file && is_executable(path) ? 'x' : letter, path);
    if (is_file)
      cul_buf_addf(w->files, "%s %s\n", hex, path);
    w->news = true;
    w->n++;
  }
}

static void add_names(struct paths *to, const struct cul_buf *lines) {
  struct paths names = {0};
  list_names(lines, 1, &names);
  for (size_t i = 0; i < names.n; i++)
    paths_add(to, names.items[i], strlen(names.items[i]));
  paths_release(&names);
}

/* Files by their names alone, other names with their letters. */
static void list_known(const struct cul_identity *identity,
                       struct widening *w) {
  struct paths stored = {0};
  list_names(&w->list, 1, &stored);
  w->n = stored.n;
  for (size_t i = 0; i < stored.n; i++) {
    const char *name = stored.items[i];
    const size_t skip = *name == 'r' || *name == 'x' ? 2 : 0;
    paths_add(&w->known, name + skip, strlen(name) - skip);
  }
  paths_release(&stored);
  list_names(&identity->looked, 0, &w->known);
  add_names(&w->known, &identity->files);
  add_names(&w->known, &identity->beyond);
  paths_sort(&w->known);
}

int cul_identity_widen(struct cul_cache *cache,
                       const struct cul_command *command,
                       struct cul_identity *identity,
                       const struct cul_record *traced,
                       const char *candidate_dir, struct cul_err *err) {
  struct widening w = {
      .cache = cache, .cmd = command, .files = &identity->beyond};
  struct trace t = {0};
  int rc;
  if (cul_digest_is_zero(&identity->first))
    return 0;
  rc = get_beyond(cache, &identity->first, &w.list, err);
  read_trace(&t, cul_buf_str(&traced->files), candidate_dir);
  paths_sort(&t.paths);
  paths_sort(&t.looked);
  paths_sort(&t.listed);
  list_known(identity, &w);
  if (rc == 0) {
    widen_by(&w, 'r', &t.paths);
    widen_by(&w, 'p', &t.looked);
    widen_by(&w, 'l', &t.listed);
  }
  if (rc == 0 && w.news && cache)
    rc = cul_cache_memo_put(cache, space_beyond, &identity->first, w.list.data,
                            w.list.len, err);
  paths_release(&w.known);
  cul_buf_release(&w.list);
  trace_release(&t);
  return rc;
}

/* Without a tracer, use the list of the loader. */
static void close_untraced(const struct cul_command *cmd, struct trace *t,
                           struct cul_identity *out) {
  struct cul_buf list = {0};
  const char *why = cul_closure_list(cmd, out->program, &list);
  for (const char *at = cul_buf_str(&list); *at;) {
    size_t len = strcspn(at, "\n");
    paths_add(&t->paths, at, len);
    at += len + 1;
  }
  cul_buf_release(&list);
  if (why)
    out->why = cul_xstrdup(why);
}

static void hand_over(struct trace *t, struct cul_identity *out) {
  out->wrapper = t->wrapper;
  t->wrapper = NULL;
  out->unseen = t->unseen;
  t->unseen = (struct cul_buf){0};
  out->calls = t->calls;
  t->calls = (struct cul_buf){0};
}

/* Set where runs of the command may read and write from now on.  escape: why
 * this is not completely known; or NULL. */
static void teach_sandbox(const struct cul_command *cmd, const struct trace *t,
                          const char *escape) {
  struct cul_sandbox *sandbox = cul_environment_sandbox(cmd->environment);
  const struct paths *reads[] = {&t->paths, &t->looked, &t->listed};
  bool shows; /* only what it may write; false: also what it tried to write */
  if (!sandbox)
    return;
  shows = !sandbox->fixed && !sandbox->sealed;
  if (escape && sandbox->fixed)
    cul_sandbox_leave_out(sandbox, CUL_PART_READS, escape);
  else if (escape)
    cul_sandbox_unknown(sandbox, escape);
  if (escape)
    return;
  for (size_t i = 0; i < t->changed.n && shows; i++)
    cul_sandbox_add_write(sandbox, cmd->environment, t->changed.items[i],
                          CUL_WRITE_ONLY);
  for (size_t i = 0; i < t->read_back.n && shows; i++)
    cul_sandbox_add_write(sandbox, cmd->environment, t->read_back.items[i],
                          CUL_WRITE_READ_BACK);
  for (size_t i = 0; i < t->kept.n && shows; i++)
    cul_sandbox_add_write(sandbox, cmd->environment, t->kept.items[i],
                          CUL_WRITE_KEPT);
  for (size_t i = 0; i < t->moved.n && shows; i++)
    cul_paths_add(&sandbox->moves, t->moved.items[i]);
  for (size_t k = 0; k < CUL_ARRAY_SIZE(reads); k++)
    for (size_t i = 0; i < reads[k]->n; i++)
      cul_sandbox_add_read(sandbox, cmd->environment, reads[k]->items[i]);
  sandbox->alone = !t->network && (sandbox->alone || !sandbox->learned);
  sandbox->learned = true;
}

/* Why the trace is not complete; or NULL. */
static const char *escape_of(const struct cul_record *traced,
                             const struct trace *t) {
  return traced->trace_closed ? NULL
         : t->escape          ? t->escape
                              : "part of it escaped tracing";
}

void cul_identity_teach(const struct cul_command *command,
                        const struct cul_record *traced,
                        const char *candidate_dir) {
  struct trace t = {0};
  read_trace(&t, cul_buf_str(&traced->files), candidate_dir);
  teach_sandbox(command, &t, escape_of(traced, &t));
  trace_release(&t);
}

/* Learn the identity of a tool on another machine.  Neither its files nor its
 * sandbox are here.  An installation is made there, so it may be another one
 * the next time. */
static int learn_there(struct cul_cache *cache,
                       const struct cul_command *command,
                       const struct cul_record *traced, struct trace *t,
                       struct cul_identity *out, struct cul_err *err) {
  struct cul_digest key;
  int rc = 0;
  out->program = cul_xstrdup(command->argv[0]);
  if (!traced->trace_closed)
    out->why = cul_xstrdup(escape_of(traced, t));
  digest_there(command, t, out);
  if (out->why)
    out->digest = (struct cul_digest){{0, 0}};
  key = key_of(command, out->program);
  if (cache && !out->why && !is_template(command) && !command->install)
    rc = cul_cache_memo_put(cache, space_there, &key, traced->files.data,
                            traced->files.len, err);
  hand_over(t, out);
  trace_release(t);
  return rc;
}

int cul_identity_learn(struct cul_cache *cache,
                       const struct cul_command *command,
                       const struct cul_record *traced,
                       const char *candidate_dir, struct cul_identity *out,
                       struct cul_err *err) {
  struct trace t = {0};
  int rc = 0;
  *out = (struct cul_identity){0};
  read_trace(&t, cul_buf_str(&traced->files), candidate_dir);
  if (was_elsewhere(&t)) {
    rc = learn_there(cache, command, traced, &t, out, err);
    if (rc)
      cul_identity_release(out);
    return rc;
  }
  out->program = program_of(command);
  if (traced->end == CUL_NOT_STARTED || traced->end == CUL_MACHINE)
    out->why = cul_xstrdup("it did not run");
  else if (!traced->trace_closed && !t.paths.n)
    close_untraced(command, &t, out);
  else if (!traced->trace_closed)
    out->why = cul_xstrdup(escape_of(traced, &t));
  paths_sort(&t.paths);
  paths_sort(&t.changed);
  if (digest_trace(cache, command, &t, out) && !out->why)
    rc = remember(cache, command, &t, out, err);
  else
    out->digest = (struct cul_digest){{0, 0}};
  if (rc == 0)
    rc = fold_beyond(cache, out, err);
  teach_sandbox(command, &t, escape_of(traced, &t));
  hand_over(&t, out);
  trace_release(&t);
  if (rc)
    cul_identity_release(out);
  return rc;
}

int cul_identity_recall(struct cul_cache *cache,
                        const struct cul_command *command,
                        struct cul_identity *out, bool *found,
                        struct cul_err *err) {
  struct trace t = {0};
  struct cul_buf list = {0};
  struct cul_digest key, left;
  int rc = 0;
  *found = false;
  *out = (struct cul_identity){0};
  if (!cache || is_template(command) || command->install)
    return 0;
  if (command->hosts) {
    bool any;
    key = key_of(command, command->argv[0]);
    return cul_cache_memo_get(cache, space_there, &key, &out->there, &any, err);
  }
  out->program = program_of(command);
  key = key_of(command, out->program);
  rc = cul_cache_memo_get(cache, space, &key, &list, found, err);
  if (!rc && *found) {
    read_trace(&t, cul_buf_str(&list), NULL);
    left = digest_left(cache, &t);
    *found = digest_trace(cache, command, &t, out) &&
             cul_digest_equal(&out->digest, &t.then) &&
             cul_digest_equal(&left, &t.left);
    if (*found)
      rc = fold_beyond(cache, out, err);
    if (*found)
      teach_sandbox(command, &t, NULL);
    hand_over(&t, out);
  }
  if (rc || !*found)
    cul_identity_release(out);
  cul_buf_release(&list);
  trace_release(&t);
  return rc;
}

/* Append path with the directories of the worker, whose names differ from
 * machine to machine, replaced by short words. */
static void add_seen(const char *path, const char *own, const char *installs,
                     const struct cul_digest *digest, struct cul_buf *out) {
  bool inside = below(path, strlen(path), own);
  bool installed = below(path, strlen(path), installs);
  size_t n = installed ? strlen(installs) : inside ? strlen(own) : 0;
  char hex[CUL_DIGEST_HEX];
  cul_buf_addf(out, "f %s %s%s\n", cul_digest_hex(digest, hex),
               installed ? CUL_IDENTITY_INSTALLED
               : inside  ? CUL_IDENTITY_OWN
                         : "",
               path + n);
}

/* Remove dir and names below it; inside (or NULL): hash them first. */
static void drop_below(struct paths *paths, const char *dir,
                       struct cul_hasher *inside) {
  size_t n = 0;
  for (size_t i = 0; i < paths->n; i++) {
    char *path = paths->items[i];
    bool drop =
        dir && (below(path, strlen(path), dir) || strcmp(path, dir) == 0);
    if (!drop) {
      paths->items[n++] = path;
      continue;
    }
    if (inside)
      cul_lookup_hash(inside, -1, path);
    free(path);
  }
  paths->n = n;
}

static void hash_installed(struct trace *t, const char *installs,
                           struct cul_buf *out) {
  struct cul_hasher *h = cul_hasher_new();
  size_t n = t->looked.n + t->listed.n;
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX];
  drop_below(&t->looked, installs, h);
  drop_below(&t->listed, installs, h);
  digest = cul_hasher_finish(h);
  if (t->looked.n + t->listed.n < n)
    cul_buf_addf(out, "i %s\n", cul_digest_hex(&digest, hex));
}

void cul_identity_see(const struct cul_record *traced, const char *own,
                      const char *installs,
                      const struct cul_digest *environment,
                      struct cul_buf *out) {
  struct cul_hasher *h = cul_hasher_new();
  struct trace t = {0};
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX];
  read_trace(&t, cul_buf_str(&traced->files), NULL);
  paths_sort(&t.paths);
  for (size_t i = 0; i < t.paths.n; i++) {
    struct cul_err err = {0};
    if (cul_file_digest(t.paths.items[i], &digest, &err) == 0)
      add_seen(t.paths.items[i], own, installs, &digest, out);
    else
      cul_buf_addf(out, "! a file it uses cannot be read again: %s\n",
                   err.what);
  }
  drop_below(&t.looked, own, NULL);
  drop_below(&t.listed, own, NULL);
  drop_below(&t.timed, own, NULL);
  drop_below(&t.timed, installs, NULL);
  hash_installed(&t, installs, out);
  hash_looks(h, &t, NULL, NULL);
  cul_hasher_add(h, environment, sizeof *environment);
  digest = cul_hasher_finish(h);
  cul_buf_addf(out, "h %s\n", cul_digest_hex(&digest, hex));
  trace_release(&t);
}

/* The length of "PREFIX/" in the path PREFIX/bin/NAME of a program; 0: it has
 * another form. */
static size_t prefix_of(const char *program) {
  const char *name = program ? strrchr(program, '/') : NULL;
  return name && name - program >= 4 && memcmp(name - 4, "/bin", 4) == 0
             ? (size_t)(name - program) - 3
             : 0;
}

/* The path with the directory's links and ".." resolved; heap. */
static char *resolved(const char *path, size_t len) {
  char *copy = cul_xstrndup(path, len), *slash = strrchr(copy, '/');
  char *dir, *out;
  if (!slash || slash == copy)
    return copy;
  *slash = '\0';
  dir = realpath(copy, NULL);
  out = cul_xasprintf("%s/%s", dir ? dir : copy, slash + 1);
  free(dir);
  free(copy);
  return out;
}

/* Is it a compiled program or library? */
static bool is_compiled(const char *path) {
  struct cul_program program;
  cul_program_read(path, &program);
  return program.kind == CUL_PROGRAM_NATIVE ||
         program.kind == CUL_PROGRAM_FOREIGN;
}

/* The directories below dir of the installations whose programs the tool ran:
 * DIR of a compiled DIR/bin/NAME.  A compiler's own files are there. */
static void list_installations(const struct cul_identity *identity,
                               const char *dir, struct paths *out) {
  const char *at = cul_buf_str(&identity->calls);
  for (; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    const char ends[] = {CUL_CALL_NEXT, '\n', '\0'};
    const char *path = at + strcspn(at, ends);
    CUL_HEAP char *program = NULL;
    size_t prefix;
    path += *path == CUL_CALL_NEXT;
    program = resolved(path, strcspn(path, ends));
    prefix = prefix_of(program);
    if (prefix && below(program, prefix - 1, dir) && is_compiled(program))
      paths_add(out, program, prefix - 1);
  }
  paths_sort(out);
}

static bool is_below_one(const char *path, const struct paths *dirs) {
  bool found = false;
  for (size_t i = 0; i < dirs->n && !found; i++)
    found = below(path, strlen(path), dirs->items[i]);
  return found;
}

/* Is a file below a directory, by its name there, part of an installation?
 * What is compiled is built in a directory of its own, or belongs to the
 * script where it lies directly beside it. */
static bool is_installed(const char *path, const char *name) {
  return (*name == '.' && strchr(name, '/')) || strstr(path, "-packages/") ||
         (strchr(name, '/') && is_compiled(path));
}

void cul_identity_below(const struct cul_identity *identity, const char *dir,
                        struct cul_buf *out) {
  size_t len = strlen(dir), prefix = prefix_of(identity->program);
  const char *at = cul_buf_str(&identity->files);
  char *program = identity->program ? realpath(identity->program, NULL) : NULL;
  struct paths installations = {0};
  list_installations(identity, dir, &installations);
  for (; *at && len > 1; at += strcspn(at, "\n"), at += *at == '\n') {
    size_t digest = strcspn(at, " \n"), n = strcspn(at, "\n");
    char *path = digest < n ? resolved(at + digest + 1, n - digest - 1)
                            : cul_xstrdup("");
    if (below(path, strlen(path), dir) &&
        !(prefix && strncmp(path, identity->program, prefix) == 0) &&
        !(program && strcmp(program, path) == 0) &&
        !is_below_one(path, &installations) &&
        !is_installed(path, path + len + 1))
      cul_buf_addf(out, "%s\n", path + len + 1);
    free(path);
  }
  paths_release(&installations);
  free(program);
}

struct cul_digest cul_identity_key(const struct cul_identity *identity) {
  struct cul_digest digest = identity->digest;
  if (!cul_digest_is_zero(&digest))
    return digest;
  digest = (struct cul_digest){{1, 1}};
  if (getrandom(&digest, sizeof digest, 0) < 0)
    digest.w[0] = cul_now_us();
  return digest;
}

void cul_identity_release(struct cul_identity *identity) {
  free(identity->program);
  free(identity->wrapper);
  free(identity->why);
  cul_buf_release(&identity->files);
  cul_buf_release(&identity->looked);
  cul_buf_release(&identity->beyond);
  cul_buf_release(&identity->unseen);
  cul_buf_release(&identity->calls);
  cul_buf_release(&identity->there);
  *identity = (struct cul_identity){0};
}
