/* Runs the user's own pip: see pip.h. */
#include "pip.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../pipeline/shell_text.h"
#include "../../runners/trace/program.h"
#include "../build/build_log.h"
#include "pep440.h"

/* ---- versions ---- */

static void add(char ***items, size_t *n, char *text) {
  *items = cul_xreallocarray(*items, *n + 1, sizeof **items);
  (*items)[(*n)++] = text;
}

/* Append the words of a list "a, b, c" that are versions. */
static void read_versions(const char *line, struct cul_pip_versions *out) {
  while (*line) {
    size_t n = strcspn(line, ", \r\n");
    struct cul_pep440 parsed;
    char *one = cul_xstrndup(line, n);
    if (n > 0 && cul_pep440_parse(one, &parsed))
      add(&out->items, &out->n, one);
    else
      free(one);
    line += n + (line[n] != '\0');
  }
}

static void read_page(const char *at, struct cul_pip_versions *out) {
  char *page = cul_xstrndup(at, strcspn(at, " \r\n"));
  for (size_t i = 0; i < out->n_pages; i++)
    if (strcmp(out->pages[i], page) == 0) {
      free(page);
      return;
    }
  add(&out->pages, &out->n_pages, page);
}

static int by_order(const void *a, const void *b) {
  struct cul_pep440 one, other;
  bool known = cul_pep440_parse(*(char *const *)a, &one) &&
               cul_pep440_parse(*(char *const *)b, &other);
  return known ? cul_pep440_compare(&one, &other) : 0;
}

void cul_pip_read_listing(const char *said, struct cul_pip_versions *out) {
  static const char versions[] = "Available versions: ";
  static const char page[] = "Fetching project page and analyzing links: ";
  while (*said) {
    size_t n = strcspn(said, "\n");
    char *line = cul_xstrndup(said, n);
    const char *at = line + strspn(line, " ");
    if (strncmp(at, versions, sizeof versions - 1) == 0)
      read_versions(at + sizeof versions - 1, out);
    else if (strncmp(at, page, sizeof page - 1) == 0)
      read_page(at + sizeof page - 1, out);
    free(line);
    said += n + (said[n] != '\0');
  }
  if (out->n)
    qsort(out->items, out->n, sizeof *out->items, by_order);
}

static void free_all(char **items, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(items[i]);
  free(items);
}

void cul_pip_versions_release(struct cul_pip_versions *versions) {
  free_all(versions->items, versions->n);
  free_all(versions->pages, versions->n_pages);
  *versions = (struct cul_pip_versions){0};
}

/* ---- times ---- */

/* Is the file, "name-1.2-py3-none-any.whl" or "name-1.2.tar.gz", of this
 * version? */
static bool is_of(const char *file, const struct cul_pep440 *version) {
  static const char *const endings[] = {".tar.gz", ".zip", ".tar.bz2", NULL};
  const char *from = NULL;
  struct cul_pep440 parsed;
  char *text;
  size_t n = 0;
  bool same;
  if (cul_text_ends(file, ".whl")) {
    from = strchr(file, '-');
    n = from ? strcspn(from + 1, "-") : 0;
  } else {
    from = strrchr(file, '-');
    for (const char *const *e = endings; from && *e && n == 0; e++)
      if (cul_text_ends(file, *e))
        n = strlen(from + 1) - strlen(*e);
  }
  if (!from)
    return false;
  text = cul_xstrndup(from + 1, n);
  same = cul_pep440_parse(text, &parsed) &&
         cul_pep440_compare(&parsed, version) == 0;
  free(text);
  return same;
}

char *cul_pip_first_upload(const char *page, const struct cul_pep440 *version) {
  json_t *root = json_loads(page, 0, NULL), *file;
  const json_t *files = json_object_get(root, "files");
  const char *first = NULL;
  char *out;
  size_t i;
  json_array_foreach(files, i, file) {
    const char *name = json_string_value(json_object_get(file, "filename"));
    const char *time = json_string_value(json_object_get(file, "upload-time"));
    if (name && time && is_of(name, version) &&
        (!first || strcmp(time, first) < 0))
      first = time;
  }
  out = first ? cul_xstrdup(first) : NULL;
  json_decref(root);
  return out;
}

/* ---- pip ---- */

/* Append the beginning of a script: "PYTHON" as one word, in the user's
 * directory. */
static void pip_begin(const struct cul_pip *pip, struct cul_buf *script) {
  if (!pip->conf.scripts->hosts) {
    cul_buf_adds(script, "cd ");
    cul_shell_quote(pip->cwd, script);
    cul_buf_adds(script, " || exit\n");
  }
  cul_shell_quote(pip->python, script);
}

/* Is the word for pip a directory of wheels of this machine, for scripts that
 * run elsewhere? */
static bool is_sent(const struct cul_pip *pip, const char *word) {
  struct stat st;
  return pip->conf.scripts->hosts && word[0] != '-' && !strstr(word, "://") &&
         stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Append pip's options for its index, each after a blank. */
static void pip_add_index(const struct cul_pip *pip, struct cul_buf *script) {
  for (const char *const *word = pip->conf.index; word && *word; word++) {
    char *there = is_sent(pip, *word)
                      ? cul_hosts_path(pip->conf.scripts->hosts, *word)
                      : NULL;
    cul_buf_addc(script, ' ');
    cul_shell_quote(there ? there : *word, script);
    free(there);
  }
}

/* Directories of wheels on this machine; NULL terminated, heap. */
static const char **pip_files(const struct cul_pip *pip) {
  const char *const *index = pip->conf.index;
  const char **out;
  size_t n = 0;
  while (index && index[n])
    n++;
  out = cul_xcalloc(n + 1, sizeof *out);
  n = 0;
  for (; index && *index; index++)
    if (is_sent(pip, *index))
      out[n++] = *index;
  return out;
}

static int pip_run(const struct cul_pip *pip, struct cul_buf *script,
                   struct cul_buf *said, bool *ok, struct cul_err *err) {
  const char **files = pip_files(pip);
  int rc = cul_scripts_run(pip->conf.scripts, NULL, files, cul_buf_str(script),
                           said, ok, err);
  free(files);
  return rc;
}

/* ---- finding Python ---- */

static int find_python(struct cul_pip *pip, struct cul_err *err) {
  const char *name = pip->conf.python ? pip->conf.python : "python3";
  char *found = cul_find_program(name);
  if (pip->conf.scripts->hosts) { /* one of there */
    free(found);
    pip->python = cul_xstrdup(name);
    return 0;
  }
  if (!found || access(found, X_OK) < 0) {
    free(found);
    return cul_fail(err, CUL_EENV,
                    "install it (Debian: apt install python3 python3-pip "
                    "python3-venv), or give --python PROGRAM",
                    "cannot find the program %s", name);
  }
  pip->python = found[0] == '/' ? cul_xstrdup(found)
                                : cul_xasprintf("%s/%s", pip->cwd, found);
  free(found);
  return 0;
}

static int fail_module(const struct cul_pip *pip, const char *said,
                       struct cul_err *err) {
  char why[200];
  bool venv = strstr(said, "No module named venv") != NULL;
  bool none = strstr(said, "No module named pip") != NULL;
  cul_first_error(said, why, sizeof why);
  if (pip->conf.scripts->hosts && strstr(said, "not found"))
    return cul_fail(err, CUL_EENV,
                    "install it there (Debian: apt install python3 python3-pip "
                    "python3-venv), or give --python PROGRAM",
                    "cannot find the program %s there", pip->python);
  if (venv || none)
    return cul_fail(err, CUL_EENV,
                    "install it (Debian: apt install python3-pip "
                    "python3-venv), or give another --python PROGRAM",
                    "%s has no %s", pip->python, venv ? "venv" : "pip");
  return cul_fail(err, CUL_EENV, "run it by hand; or give --python PROGRAM",
                  "%s -m pip does not work: %s", pip->python, why);
}

/* Does this pip ("pip 23.2.1 from ...") have --python, which came with 22.3? */
static bool reaches_others(const char *said) {
  const char *at = strstr(said, "pip ");
  char *end = NULL;
  unsigned long major = at ? strtoul(at + 4, &end, 10) : 0;
  unsigned long minor = end && *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
  return major > 22 || (major == 22 && minor >= 3);
}

/* Ask for pip's version and configuration, and, on the last line, for the
 * Python program of environments. */
static int ask(struct cul_pip *pip, struct cul_buf *said, struct cul_err *err) {
  struct cul_buf script = {0};
  bool ok;
  int rc;
  pip_begin(pip, &script);
  cul_buf_adds(&script, " -m pip --version && ");
  cul_shell_quote(pip->python, &script);
  cul_buf_adds(&script, " -m pip config list && ");
  cul_shell_quote(pip->python, &script);
  cul_buf_adds(&script, " -m venv --without-pip \"$TMPDIR/venv\" && "
                        "readlink -f \"$TMPDIR/venv/bin/python3\"");
  rc = pip_run(pip, &script, said, &ok, err);
  if (rc == 0 && !ok)
    rc = fail_module(pip, cul_buf_str(said), err);
  cul_buf_release(&script);
  return rc;
}

static bool same_line(const char *a, const char *b) {
  size_t n = strcspn(a, "\n");
  return n == strcspn(b, "\n") && memcmp(a, b, n) == 0;
}

/* A shim, such as pyenv's, may start another Python in another directory: use
 * the Python that it starts here, if that has the same pip. */
static int pass_shim(struct cul_pip *pip, const char *said,
                     struct cul_err *err) {
  struct cul_program kind;
  struct cul_buf script = {0}, again = {0};
  const char *end = said + strlen(said), *at = end;
  char *shim = pip->python;
  bool ok;
  int rc;
  if (!pip->conf.scripts->hosts)
    cul_program_read(shim, &kind);
  if ((!pip->conf.scripts->hosts && kind.kind != CUL_PROGRAM_SCRIPT) ||
      end == said)
    return 0;
  for (at--; at > said && at[-1] != '\n'; at--)
    ;
  pip->python = cul_xstrndup(at, strcspn(at, "\n"));
  pip_begin(pip, &script);
  cul_buf_adds(&script, " -m pip --version");
  rc = pip_run(pip, &script, &again, &ok, err);
  if (rc == 0 && ok && same_line(said, cul_buf_str(&again))) {
    free(shim);
  } else {
    free(pip->python);
    pip->python = shim;
  }
  cul_buf_release(&again);
  cul_buf_release(&script);
  return rc;
}

static int get_to_know(struct cul_pip *pip, struct cul_err *err) {
  struct cul_buf said = {0};
  struct cul_hasher *h = cul_hasher_new();
  int rc = ask(pip, &said, err);
  if (rc == 0)
    rc = pass_shim(pip, cul_buf_str(&said), err);
  pip->reaches = reaches_others(cul_buf_str(&said));
  cul_hasher_field(h, "environment of packages 1");
  cul_hasher_field(h, cul_buf_str(&said));
  for (const char *const *word = pip->conf.index; word && *word; word++)
    cul_hasher_field(h, *word);
  cul_hasher_u64(h, (uint64_t)pip->conf.no_deps * 2 + pip->conf.pre);
  pip->key = cul_hasher_finish(h);
  cul_buf_release(&said);
  return rc;
}

int cul_pip_open(struct cul_pip *pip, const struct cul_pip_conf *conf,
                 struct cul_err *err) {
  int rc;
  *pip = (struct cul_pip){.conf = *conf};
  pip->cwd = getcwd(NULL, 0);
  if (!pip->cwd)
    return cul_fail(err, CUL_EENV, "go to one that is there",
                    "the working directory: %s", strerror(errno));
  rc = find_python(pip, err);
  return rc ? rc : get_to_know(pip, err);
}

void cul_pip_release(struct cul_pip *pip) {
  free(pip->python);
  free(pip->cwd);
  *pip = (struct cul_pip){0};
}

/* ---- installing ---- */

static void add_requirements(const struct cul_pip *pip,
                             const char *const *requirements,
                             struct cul_buf *script) {
  cul_buf_adds(script, pip->conf.no_deps ? " --no-deps" : "");
  cul_buf_adds(script, pip->conf.pre ? " --pre" : "");
  cul_buf_adds(script, " --");
  for (; *requirements; requirements++) {
    cul_buf_addc(script, ' ');
    cul_shell_quote(*requirements, script);
  }
}

/* Write the script that makes an environment and installs the requirements, by
 * the user's pip if it has --python, else by the environment's. */
static void write_install(const struct cul_pip *pip, const char *dir,
                          const char *const *requirements,
                          struct cul_buf *script) {
  pip_begin(pip, script);
  cul_buf_addf(script, " -m venv%s ", pip->reaches ? " --without-pip" : "");
  cul_shell_quote(dir, script);
  cul_buf_adds(script, " &&\n");
  if (pip->reaches) {
    cul_shell_quote(pip->python, script);
    cul_buf_adds(script, " -m pip --python ");
    cul_shell_quote(dir, script);
    cul_buf_adds(script, "/bin/python");
  } else {
    cul_shell_quote(dir, script);
    cul_buf_adds(script, "/bin/python -m pip");
  }
  cul_buf_adds(script, " install");
  pip_add_index(pip, script);
  add_requirements(pip, requirements, script);
}

/* Append the first requirement, in characters for a file name. */
static void add_plain(const char *requirement, struct cul_buf *out) {
  size_t most = 60;
  for (; *requirement && most > 0; requirement++, most--)
    if (isalnum((unsigned char)*requirement) || strchr("._+-", *requirement))
      cul_buf_addc(out, *requirement);
    else if (out->len > 0 && out->data[out->len - 1] != '-')
      cul_buf_addc(out, '-');
}

/* "toolx==1.0" and "Toolx-1.0-py3-none-any.whl" begin alike then: in lower
 * case, each run of other characters than "a" to "z", digits, "+" and "!" is a
 * "-". */
static void add_alike(const char *name, struct cul_buf *out) {
  for (; *name; name++)
    if (isalnum((unsigned char)*name) || strchr("+!", *name))
      cul_buf_addc(out, (char)tolower((unsigned char)*name));
    else if (out->len > 0 && out->data[out->len - 1] != '-')
      cul_buf_addc(out, '-');
  cul_buf_addc(out, '-');
}

/* Append the name of a package, as add_alike: of "toolx[extra]==1.0" up to
 * what is no name; of a file, "Toolx-1.0-py3-none-any.whl", up to its
 * version. */
static void add_package(const char *text, bool file, struct cul_buf *out) {
  size_t n = strcspn(text, "[=<>!~;@( ");
  char *name;
  for (size_t i = 0; file && i + 1 < n; i++)
    if (text[i] == '-' && isdigit((unsigned char)text[i + 1]))
      n = i;
  name = cul_xstrndup(text, n);
  add_alike(name, out);
  free(name);
}

/* May pip install the file for the requirement, which names its package?  A
 * version other than the given one is not installed; of several, a pattern, or
 * with a marker, any may be. */
static bool is_for(const char *file, const char *requirement) {
  const char *version =
      strpbrk(requirement, ";,*") ? NULL : strstr(requirement, "==");
  struct cul_buf wanted = {0}, given = {0};
  bool may;
  add_package(requirement, false, &wanted);
  if (version) {
    wanted.len--;
    add_alike(version, &wanted);
  }
  add_alike(file, &given);
  may = strncmp(cul_buf_str(&given), cul_buf_str(&wanted), wanted.len) == 0;
  cul_buf_release(&wanted);
  cul_buf_release(&given);
  return may;
}

static bool is_package_of(const char *file, const char *requirement) {
  struct cul_buf wanted = {0}, given = {0};
  bool same;
  add_package(requirement, false, &wanted);
  add_package(file, true, &given);
  same = strcmp(cul_buf_str(&given), cul_buf_str(&wanted)) == 0;
  cul_buf_release(&wanted);
  cul_buf_release(&given);
  return same;
}

static bool is_archive(const char *file) {
  static const char *const ends[] = {".whl", ".tar.gz", ".zip", ".tar.bz2",
                                     ".tar.xz"};
  size_t n = strlen(file);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++)
    if (n > strlen(ends[i]) && strcmp(file + n - strlen(ends[i]), ends[i]) == 0)
      return true;
  return false;
}

/* May pip install the file for one of the requirements, or for what these
 * depend on? */
static bool may_install(const struct cul_pip *pip,
                        const char *const *requirements, const char *file) {
  bool named = false, may = false;
  for (const char *const *r = requirements; *r && !may; r++) {
    named = named || is_package_of(file, *r);
    may = is_package_of(file, *r) && is_for(file, *r);
  }
  return may || (!named && !pip->conf.no_deps && is_archive(file));
}

/* Hash the name and the state of the file. */
static void hash_file(const char *path, struct cul_hasher *h) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
    cul_hasher_field(h, cul_basename(path));
    cul_hasher_u64(h, (uint64_t)st.st_size);
    cul_hasher_u64(h, (uint64_t)st.st_mtim.tv_sec);
    cul_hasher_u64(h, (uint64_t)st.st_mtim.tv_nsec);
  }
}

/* Hash the file of a requirement "toolx @ file:///a/toolx-1.0.whl". */
static void hash_own_file(const char *requirement, struct cul_hasher *h) {
  const char *at = strstr(requirement, "file://");
  char *path = at ? cul_xstrndup(at + 7, strcspn(at + 7, "# ;")) : NULL;
  if (path)
    hash_file(path, h);
  free(path);
}

/* Hash the files in directories of this machine that may be installed: a
 * version may be built anew there under its old name, and so may what it
 * depends on. */
static void hash_files(const struct cul_pip *pip,
                       const char *const *requirements, struct cul_hasher *h) {
  const char *const *word = pip->conf.index;
  for (; word && word[0] && word[1]; word++) {
    const char *dir = word[1];
    struct dirent **entries = NULL;
    int n;
    if (strcmp(word[0], "--find-links") != 0)
      continue;
    dir += strncmp(dir, "file://", 7) == 0 ? 7 : 0;
    n = scandir(dir, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
      char *path = cul_xasprintf("%s/%s", dir, entries[i]->d_name);
      if (may_install(pip, requirements, entries[i]->d_name))
        hash_file(path, h);
      free(path);
      free(entries[i]);
    }
    free(entries);
  }
}

/* The environment's name: the same for the same requirements, their files, and
 * pip. */
static char *pip_environment_name(const struct cul_pip *pip,
                                  const char *const *requirements) {
  struct cul_buf out = {0};
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX];
  cul_hasher_add(h, &pip->key, sizeof pip->key);
  for (const char *const *r = requirements; *r; r++) {
    cul_hasher_field(h, *r);
    hash_own_file(*r, h);
  }
  hash_files(pip, requirements, h);
  digest = cul_hasher_finish(h);
  add_plain(*requirements ? *requirements : "empty", &out);
  cul_buf_addf(&out, "-%.16s", cul_digest_hex(&digest, hex));
  return cul_buf_take(&out);
}

/* A word for pip as a script may contain it: "https://name:word@host/" without
 * the part before "@"; a file by its absolute name. */
static char *portable(const struct cul_pip *pip, const char *word) {
  const char *from = strstr(word, "://");
  size_t n = from ? strcspn(from + 3, "/@") : 0;
  if (from && from[3 + n] == '@')
    return cul_xasprintf("%.*s%s", (int)(from + 3 - word), word, from + 4 + n);
  if (!from && word[0] != '-' && word[0] != '/' && access(word, F_OK) == 0)
    return cul_xasprintf("%s/%s", pip->cwd, word);
  return cul_xstrdup(word);
}

/* Append shell commands that install the requirements with $PYTHON into
 * "$venv"; passwords in addresses of indexes are left out. */
static void pip_shell(const struct cul_pip *pip,
                      const char *const *requirements, struct cul_buf *out) {
  cul_buf_adds(out, "python=${PYTHON:-");
  cul_shell_quote(pip->conf.python ? pip->conf.python : "python3", out);
  cul_buf_addf(out, "} && \"$python\" -m venv%s \"$venv\" &&\n",
               pip->reaches ? " --without-pip" : "");
  cul_buf_addf(out, "    %s install --quiet",
               pip->reaches ? "\"$python\" -m pip --python \"$venv/bin/python\""
                            : "\"$venv/bin/python\" -m pip");
  for (const char *const *word = pip->conf.index; word && *word; word++) {
    char *plain = portable(pip, *word);
    cul_buf_addc(out, ' ');
    cul_shell_quote(plain, out);
    free(plain);
  }
  add_requirements(pip, requirements, out);
}

/* ---- way ---- */

/* Installations by pip: each is an environment with some requirements. */

static char *name(void *self, const uint32_t *at) {
  const struct cul_pip_way *way = self;
  char **requirements = way->requirements(way->self, at);
  char *out =
      pip_environment_name(&way->pip, (const char *const *)requirements);
  free(requirements);
  return out;
}

static void make(void *self, const uint32_t *at, const char *dir,
                 struct cul_buf *script, struct cul_buf *words) {
  const struct cul_pip_way *way = self;
  char **requirements = way->requirements(way->self, at);
  cul_buf_adds(words, "installing");
  for (char **r = requirements; *r; r++)
    cul_buf_addf(words, " %s", *r);
  write_install(&way->pip, dir, (const char *const *)requirements, script);
  free(requirements);
}

static const char **files(void *self, const uint32_t *at) {
  const struct cul_pip_way *way = self;
  (void)at;
  return pip_files(&way->pip);
}

/* The variables of an environment; Python writes no bytecode there. */
static char **variables(void *self, const char *dir) {
  const struct cul_pip_way *way = self;
  const char *path =
      cul_environment_get(way->pip.conf.scripts->environment, "PATH");
  char **out = cul_xcalloc(4, sizeof *out);
  out[0] =
      cul_xasprintf("PATH=%s/bin%s%s", dir, path ? ":" : "", path ? path : "");
  out[1] = cul_xasprintf("VIRTUAL_ENV=%s", dir);
  out[2] = cul_xstrdup("PYTHONDONTWRITEBYTECODE=1");
  return out;
}

static void shell(void *self, const uint32_t *at, struct cul_buf *out) {
  const struct cul_pip_way *way = self;
  char **requirements = way->requirements(way->self, at);
  pip_shell(&way->pip, (const char *const *)requirements, out);
  free(requirements);
}

const struct cul_installs_way cul_pip_way = {
    .name = name,
    .make = make,
    .files = files,
    .variables = variables,
    .programs = "bin",
    .shell = shell,
    .enter = "  VIRTUAL_ENV=$venv\n  PATH=$venv/bin:$PATH\n"
             "  export VIRTUAL_ENV PATH\n",
    .print = "printf '%s\\n' \"PATH=$PATH\" \"VIRTUAL_ENV=$VIRTUAL_ENV\" "
             "PYTHONDONTWRITEBYTECODE=1"};

/* ---- index ---- */

/* The versions that an index offers, from pip and curl. */

int cul_pip_list(struct cul_pip *pip, const char *name, bool pre,
                 struct cul_pip_versions *out, struct cul_err *err) {
  struct cul_buf script = {0}, said = {0};
  char why[200];
  /* extras are no part of what an index lists */
  char *plain = cul_xstrndup(name, strcspn(name, "["));
  bool ok;
  int rc;
  *out = (struct cul_pip_versions){0};
  pip_begin(pip, &script);
  cul_buf_addf(&script, " -m pip index versions -vv%s",
               pre || pip->conf.pre ? " --pre" : "");
  pip_add_index(pip, &script);
  cul_buf_adds(&script, " -- ");
  cul_shell_quote(plain, &script);
  free(plain);
  rc = pip_run(pip, &script, &said, &ok, err);
  if (rc == 0) {
    cul_pip_read_listing(cul_buf_str(&said), out);
    cul_first_error(cul_buf_str(&said), why, sizeof why);
  }
  if (rc == 0 && out->n == 0)
    rc = cul_fail(err, CUL_EENV,
                  "check the name and the index: pip index versions NAME "
                  "(pip 21.2 and later)",
                  "pip offers no version of %s: %s", name, why);
  cul_buf_release(&said);
  cul_buf_release(&script);
  return rc;
}

/* pip hides passwords as ****, so culprit cannot ask such a page. */
static bool may_ask(const char *page) {
  return (strncmp(page, "https://", 8) == 0 ||
          strncmp(page, "http://", 7) == 0) &&
         !strchr(page, '*');
}

int cul_pip_uploaded(struct cul_pip *pip,
                     const struct cul_pip_versions *versions,
                     const char *version, char **out, struct cul_err *err) {
  struct cul_pep440 parsed;
  bool ok;
  int rc = 0;
  *out = NULL;
  if (!cul_pep440_parse(version, &parsed))
    return 0;
  for (size_t i = 0; i < versions->n_pages && rc == 0 && !*out; i++) {
    struct cul_buf script = {0}, said = {0};
    if (!may_ask(versions->pages[i]))
      continue;
    cul_buf_adds(&script, "exec curl -fsSL --max-time 60 -H 'Accept: "
                          "application/vnd.pypi.simple.v1+json' -- ");
    cul_shell_quote(versions->pages[i], &script);
    cul_buf_adds(&script, " 2>/dev/null");
    rc = pip_run(pip, &script, &said, &ok, err);
    if (rc == 0 && ok)
      *out = cul_pip_first_upload(cul_buf_str(&said), &parsed);
    cul_buf_release(&said);
    cul_buf_release(&script);
  }
  return rc;
}
