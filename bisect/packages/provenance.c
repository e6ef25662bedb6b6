/* Find the commit that a package was built from: see provenance.h. */
#include "provenance.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "../../base/files/file.h"

static const size_t most_file = 1 << 20, most_record = 64 << 20;
enum { COMMIT = 40, SHORT_COMMIT = 7 };

/* ---- texts ---- */

static bool is_hex(char c) {
  return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

static size_t hex_digits(const char *at) {
  size_t n = 0;
  while (is_hex(at[n]))
    n++;
  return n;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The first commit of a line; NULL: none. */
static char *commit_in(const char *line, size_t len) {
  for (size_t i = 0; i < len; i++) {
    size_t n = hex_digits(line + i);
    bool alone = (i == 0 || !is_word(line[i - 1])) && !is_word(line[i + n]);
    if (n == COMMIT && alone)
      return cul_xstrndup(line + i, n);
    i += n;
  }
  return NULL;
}

static bool speaks_of_commits(const char *line, size_t len) {
  static const char *const words[] = {"git", "commit", "revision", "sha"};
  char *text = cul_xstrndup(line, len);
  bool found = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    found = found || strcasestr(text, words[i]);
  free(text);
  return found;
}

char *cul_provenance_of_text(const char *text) {
  char *first = NULL;
  while (*text) {
    size_t len = strcspn(text, "\n");
    char *commit = commit_in(text, len);
    if (commit && speaks_of_commits(text, len)) {
      free(first);
      return commit;
    }
    if (first)
      free(commit);
    else
      first = commit;
    text += len + (text[len] != '\0');
  }
  return first;
}

/* The commit in a segment "git1a2b3c4", "g1a2b3c4" or without prefix; it has
 * letters and digits, so it is no date. */
static char *commit_of_segment(const char *at, size_t len) {
  size_t skip = strncasecmp(at, "git", 3) == 0                    ? 3
                : len > 0 && tolower((unsigned char)at[0]) == 'g' ? 1
                                                                  : 0;
  bool letters = skip > 0;
  if (skip > len || hex_digits(at + skip) < len - skip ||
      len - skip < SHORT_COMMIT || len - skip > COMMIT)
    return NULL;
  for (size_t i = skip; i < len; i++)
    letters = letters || isalpha((unsigned char)at[i]);
  return letters ? cul_xstrndup(at + skip, len - skip) : NULL;
}

char *cul_provenance_of_version(const char *version) {
  const char *at = strchr(version, '+');
  char *commit = NULL;
  while (at && *at && !commit) {
    size_t len = strcspn(++at, ".-_");
    commit = commit_of_segment(at, len);
    at += len;
  }
  return commit;
}

/* The repository in a line: "https://host/owner/name" without the rest of the
 * URL. */
static char *repository_in(const char *line, size_t len) {
  static const char scheme[] = "https://";
  const char *from = memmem(line, len, scheme, sizeof scheme - 1);
  size_t n, parts = 0, end = 0;
  if (!from)
    return NULL;
  n = strcspn(from, " \t\r\n#?");
  for (size_t i = sizeof scheme - 1; i <= n && parts < 3; i++)
    if (i == n || from[i] == '/') {
      parts += from[i - 1] != '/';
      end = i;
    }
  return parts == 3 ? cul_xstrndup(from, end) : NULL;
}

/* How surely does the line's label name a repository?  2: it does; 1: it may;
 * 0: it does not. */
static int rank_of(const char *line) {
  static const char *const labels[] = {"repository", "source", "code",
                                       "github"};
  size_t len = strcspn(line, "\n,");
  char *label = NULL;
  int rank = 0;
  if (strncasecmp(line, "Home-page:", 10) == 0)
    return 1;
  if (strncasecmp(line, "Project-URL:", 12) != 0)
    return 0;
  label = cul_xstrndup(line + 12, len > 12 ? len - 12 : 0);
  rank = strcasestr(label, "home") ? 1 : 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(labels); i++)
    if (strcasestr(label, labels[i]))
      rank = 2;
  free(label);
  return rank;
}

char *cul_provenance_repository(const char *metadata) {
  char *best = NULL;
  int best_rank = 0;
  while (*metadata && *metadata != '\n' && *metadata != '\r') {
    size_t len = strcspn(metadata, "\n");
    int rank = rank_of(metadata);
    char *found = rank > best_rank ? repository_in(metadata, len) : NULL;
    if (found) {
      free(best);
      best = found;
      best_rank = rank;
    }
    metadata += len + (metadata[len] != '\0');
  }
  return best;
}

/* ---- files ---- */

/* Compare names after PEP 503: all characters but letters and digits are
 * alike. */
static bool same_name(const char *a, const char *b, size_t len) {
  size_t i = 0;
  for (; *a && i < len; a++, i++) {
    bool x = isalnum((unsigned char)*a), y = isalnum((unsigned char)b[i]);
    if (x != y ||
        (x && tolower((unsigned char)*a) != tolower((unsigned char)b[i])))
      return false;
  }
  return !*a && i == len;
}

/* The entry of a directory that `fits`; heap, a whole path. */
static char *find_in(const char *dir, const char *key,
                     bool (*fits)(const char *name, const char *key)) {
  DIR *names = opendir(dir);
  char *out = NULL;
  for (const struct dirent *e; names && !out && (e = readdir(names));)
    if (fits(e->d_name, key))
      out = cul_xasprintf("%s/%s", dir, e->d_name);
  if (names)
    closedir(names);
  return out;
}

static bool is_python(const char *name, const char *key) {
  return strncmp(name, key, strlen(key)) == 0;
}

static bool is_info(const char *name, const char *package) {
  return cul_text_ends(name, ".dist-info") &&
         same_name(package, name, strcspn(name, "-"));
}

static char *read_text(const char *dir, const char *name, size_t most) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  bool read = cul_file_read_own(path, most, &text, &ignored) == 0;
  free(path);
  if (read)
    return cul_buf_take(&text);
  cul_buf_release(&text);
  return NULL;
}

/* Only web addresses: a package can contain anything, and the user is shown a
 * command with it. */
static bool is_web(const char *url) {
  return url && strncmp(url, "https://", 8) == 0;
}

static void of_direct_url(const char *info, struct cul_provenance *out) {
  char *text = read_text(info, "direct_url.json", most_file);
  json_t *root = text ? json_loads(text, 0, NULL) : NULL;
  const char *commit = json_string_value(
      json_object_get(json_object_get(root, "vcs_info"), "commit_id"));
  const char *url = json_string_value(json_object_get(root, "url"));
  size_t n = commit ? hex_digits(commit) : 0;
  if (n >= SHORT_COMMIT && n <= COMMIT && !commit[n]) {
    out->commit = cul_xstrdup(commit);
    out->repository = is_web(url) ? cul_xstrdup(url) : NULL;
  }
  json_decref(root);
  free(text);
}

/* Is the file named after a version: "pkg/version.py", "pkg/_version.json"? */
static bool tells_version(const char *path) {
  const char *name = cul_basename(path);
  return strcasestr(name, "version") &&
         (cul_text_ends(name, ".py") || cul_text_ends(name, ".json") ||
          cul_text_ends(name, ".txt"));
}

/* RECORD lists the files of a package: "PATH,DIGEST,SIZE". */
static void of_files(const char *site, const char *info,
                     struct cul_provenance *out) {
  char *record = read_text(info, "RECORD", most_record);
  for (const char *at = record; at && *at && !out->commit;) {
    char *path = cul_xstrndup(at, strcspn(at, ",\r\n"));
    char *text = !strstr(path, "..") && tells_version(path)
                     ? read_text(site, path, most_file)
                     : NULL;
    if (text)
      out->commit = cul_provenance_of_text(text);
    free(text);
    free(path);
    at += strcspn(at, "\n");
    at += *at != '\0';
  }
  free(record);
}

static void look_at(const char *site, const char *info, const char *version,
                    struct cul_provenance *out) {
  char *metadata = read_text(info, "METADATA", most_file);
  of_direct_url(info, out);
  if (!out->commit)
    out->commit = cul_provenance_of_version(version);
  if (!out->commit)
    of_files(site, info, out);
  if (!out->repository && metadata)
    out->repository = cul_provenance_repository(metadata);
  free(metadata);
}

void cul_provenance_find(const char *venv, const char *package,
                         const char *version, struct cul_provenance *out) {
  char *lib = cul_xasprintf("%s/lib", venv);
  char *python = find_in(lib, "python", is_python);
  char *site = python ? cul_xasprintf("%s/site-packages", python) : NULL;
  char *info = site ? find_in(site, package, is_info) : NULL;
  *out = (struct cul_provenance){0};
  if (info)
    look_at(site, info, version, out);
  free(info);
  free(site);
  free(python);
  free(lib);
}

void cul_provenance_release(struct cul_provenance *provenance) {
  free(provenance->commit);
  free(provenance->repository);
  *provenance = (struct cul_provenance){0};
}
