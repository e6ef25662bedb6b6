/* Missing submodules: see lacking.h. */
#include "lacking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"

/* ---- messages, each once ---- */

static void say_missing(const struct cul_lacking *lacking,
                        const struct cul_lacking_module *missing) {
  char hex[CUL_COMMIT_HEX];
  char *base = NULL;
  const char *repo = lacking->range->conf.repo;
  cul_commit_hex(&missing->id, hex);
  if (strcmp(repo, ".") == 0)
    repo = base = realpath(repo, NULL);
  cul_notices_say(lacking->notices,
                  "submodule %s is left empty: its commit %.12s is not on this "
                  "machine (URL %s); to give it: git -C %s submodule update "
                  "--init --recursive, or git -C %s config submodule.%s.url "
                  "/DIRECTORY/OF/A/CLONE",
                  missing->path, hex, missing->url ? missing->url : "unknown",
                  repo ? repo : ".", repo ? repo : ".", missing->name);
  free(base);
}

static void note(struct cul_lacking *lacking, const struct cul_module *module) {
  struct cul_lacking_module *missing;
  for (size_t i = 0; i < lacking->n; i++)
    if (strcmp(lacking->items[i].path, module->path) == 0)
      return;
  lacking->items =
      cul_xreallocarray(lacking->items, lacking->n + 1, sizeof *lacking->items);
  missing = &lacking->items[lacking->n++];
  *missing = (struct cul_lacking_module){
      .path = cul_xstrdup(module->path),
      .name = cul_xstrdup(module->name),
      .url = module->url ? cul_xstrdup(module->url) : NULL,
      .id = module->id};
  say_missing(lacking, missing);
}

void cul_lacking_say_files(struct cul_lacking *lacking,
                           const struct cul_switched *files) {
  if (files->n_pointers && !lacking->said_pointers)
    cul_notices_warn(lacking->notices,
                     "git-lfs has no content for %s%s on this machine, only a "
                     "pointer; to fetch it: git lfs fetch "
                     "--all, in the repository",
                     files->pointer,
                     files->n_pointers > 1 ? " and other files" : "");
  lacking->said_pointers |= files->n_pointers > 0;
  if (files->n_unfiltered && !lacking->said_unfiltered)
    cul_notices_warn(lacking->notices,
                     "%s%s has the filter %s in .gitattributes, which culprit "
                     "does not run: the build sees the text as it is stored; "
                     "if that matters, let --build convert it",
                     files->unfiltered,
                     files->n_unfiltered > 1 ? " (and other files)" : "",
                     files->filter);
  lacking->said_unfiltered |= files->n_unfiltered > 0;
}

/* Was the submodule left empty on purpose, for a trial? */
static bool is_asked_for(const struct cul_repo_revision *revision,
                         const char *path) {
  for (size_t i = 0; i < revision->n_held; i++)
    if (revision->held[i].kind == CUL_LEFT_EMPTY &&
        strcmp(revision->held[i].path, path) == 0)
      return true;
  return false;
}

bool cul_lacking_paths(struct cul_lacking *lacking,
                       const struct cul_repo_revision *revision,
                       struct cul_buf *paths) {
  struct cul_modules modules;
  struct cul_err ignored = {0};
  if (cul_repo_modules(lacking->range->repo, revision, &modules, &ignored) < 0)
    return false;
  for (size_t i = 0; i < modules.n; i++)
    if (!modules.items[i].repo &&
        !is_asked_for(revision, modules.items[i].path))
      note(lacking, &modules.items[i]);
  cul_modules_lacking(&modules, paths);
  cul_modules_release(&modules);
  return true;
}

static void lacking_at(struct cul_lacking *lacking,
                       const struct cul_range *range, uint32_t commit,
                       struct cul_buf *paths) {
  struct cul_repo_revision revision;
  struct cul_override *held;
  cul_range_revision(range, commit, &revision, &held);
  if (!cul_lacking_paths(lacking, &revision, paths))
    cul_buf_clear(paths);
  free(held);
}

void cul_lacking_list(struct cul_lacking *lacking,
                      const struct cul_range *range, uint32_t commit) {
  struct cul_buf paths = {0};
  lacking_at(lacking, range, commit, &paths);
  cul_buf_release(&paths);
}

static bool has_line(const char *lines, const char *line) {
  size_t len = strlen(line);
  for (; *lines; lines = strchr(lines, '\n') + 1)
    if (strncmp(lines, line, len) == 0 && lines[len] == '\n')
      return true;
  return false;
}

bool cul_lacking_has(struct cul_lacking *lacking, const struct cul_range *range,
                     uint32_t commit, const char *path) {
  struct cul_buf paths = {0};
  bool lacks;
  lacking_at(lacking, range, commit, &paths);
  lacks = has_line(cul_buf_str(&paths), path);
  cul_buf_release(&paths);
  return lacks;
}

/* Describe the paths: "dep", "dep and 2 more". */
static char *in_words(const char *paths) {
  size_t len = strcspn(paths, "\n"), more = 0;
  for (const char *at = paths + len; *at; at++)
    more += *at == '\n' && at[1];
  return more ? cul_xasprintf("%.*s and %zu more", (int)len, paths, more)
              : cul_xstrndup(paths, len);
}

void cul_lacking_blame(struct cul_lacking *lacking,
                       const struct cul_range *range, uint32_t commit,
                       char why[200]) {
  static const char head[] = "without submodule ";
  struct cul_buf paths = {0};
  char *words, was[200];
  lacking_at(lacking, range, commit, &paths);
  if (paths.len > 0 && strncmp(why, head, sizeof head - 1) != 0) {
    words = in_words(cul_buf_str(&paths));
    memcpy(was, why, sizeof was);
    cul_phrase(why, sizeof was, "%s%.80s: %s", head, words, was);
    free(words);
  }
  cul_buf_release(&paths);
}

/* ---- does it matter? ---- */

bool cul_lacking_names(const struct cul_lacking *lacking,
                       const struct cul_commit_id *commit, const char *path) {
  struct cul_repo_revision revision = {.commit = *commit};
  struct cul_modules modules;
  struct cul_err ignored = {0};
  bool found = false;
  if (cul_repo_modules(lacking->range->repo, &revision, &modules, &ignored) < 0)
    return false;
  for (size_t i = 0; i < modules.n && !found; i++)
    found = strcmp(modules.items[i].path, path) == 0;
  cul_modules_release(&modules);
  return found;
}

static enum cul_doubt doubt_at(const struct cul_lacking *lacking,
                               const struct cul_range *range,
                               struct cul_lacking_module *missing, bool fails) {
  enum cul_doubt *doubt = fails ? &missing->fails : &missing->passes;
  const struct cul_commit_id *end =
      fails ? &lacking->range->goods[0] : &lacking->range->bad;
  if (fails && lacking->unmistakable)
    return CUL_DOUBT_COUNTS;
  if (*doubt != CUL_DOUBT_NEW)
    return *doubt;
  if (range->inside)
    return CUL_DOUBT_NOT;
  /* An end that has the submodule must be tried without it.  If the bad end has
   * none, it fails without it, so a pass counts; if the good end has none, that
   * proves nothing about failures of later commits. */
  return *doubt = cul_lacking_names(lacking, end, missing->path)
                      ? CUL_DOUBT_TO_TRY
                  : fails ? CUL_DOUBT_NOT
                          : CUL_DOUBT_COUNTS;
}

enum cul_doubt cul_lacking_doubt(struct cul_lacking *lacking,
                                 const struct cul_range *range, uint32_t commit,
                                 enum cul_answer answer) {
  enum cul_doubt worst = CUL_DOUBT_COUNTS;
  struct cul_buf paths = {0};
  if (answer != CUL_SAME && answer != CUL_PASSES)
    return worst;
  lacking_at(lacking, range, commit, &paths);
  for (size_t i = 0; paths.len > 0 && i < lacking->n; i++) {
    struct cul_lacking_module *missing = &lacking->items[i];
    enum cul_doubt doubt;
    if (!has_line(cul_buf_str(&paths), missing->path))
      continue;
    doubt = doubt_at(lacking, range, missing, answer == CUL_SAME);
    if (doubt == CUL_DOUBT_NOT ||
        (doubt == CUL_DOUBT_TO_TRY && worst != CUL_DOUBT_NOT))
      worst = doubt;
  }
  cul_buf_release(&paths);
  return worst;
}

bool cul_lacking_has_doubts(const struct cul_lacking *lacking) {
  for (size_t i = 0; i < lacking->n; i++)
    if (lacking->items[i].passes == CUL_DOUBT_TO_TRY ||
        lacking->items[i].fails == CUL_DOUBT_TO_TRY)
      return true;
  return false;
}

/* ---- the report ---- */

json_t *cul_lacking_report(const struct cul_lacking *lacking) {
  json_t *out = json_array();
  char hex[CUL_COMMIT_HEX];
  for (size_t i = 0; i < lacking->n; i++) {
    const struct cul_lacking_module *missing = &lacking->items[i];
    json_array_append_new(
        out,
        json_pack("{s:o, s:o, s:o, s:s}", "path",
                  cul_report_string(missing->path), "name",
                  cul_report_string(missing->name), "url",
                  missing->url ? cul_report_string(missing->url) : json_null(),
                  "commit", cul_commit_hex(&missing->id, hex)));
  }
  return out;
}

void cul_lacking_release(struct cul_lacking *lacking) {
  for (size_t i = 0; i < lacking->n; i++) {
    free(lacking->items[i].path);
    free(lacking->items[i].name);
    free(lacking->items[i].url);
  }
  free(lacking->items);
}
