/* Determines the owner of a bug from a CODEOWNERS file, which has lines
 * "PATTERN OWNER..."; the last matching line counts.
 *
 * Patterns in the syntax of git match the path of the source file that the
 * failure names, and of its test.  The root of the checkout within a path is
 * unknown, so a pattern may match from any directory of the path.  "pass:",
 * "component:", "tool:" and "test:" before a pattern match these names
 * instead. */
#include <ctype.h>
#include <string.h>

#include "../../oracles/rules/rules.h"
#include "report.h"

enum { MOST_STARS = 6 /* in a pattern */ };

/* The properties of a bug that patterns match. */
struct facts {
  struct cul_buf file, test_file, pass, component, tool, test;
};

/* ---- patterns ---- */

static struct cul_bytes skip(struct cul_bytes p, size_t n) {
  return (struct cul_bytes){p.data + n, p.len - n};
}

static bool matches(struct cul_bytes p, const char *s, bool words);

/* Match a "*", which stays within a directory, or a "**", which does not. */
static bool matches_star(struct cul_bytes p, const char *s, bool words) {
  bool deep = words || (p.len > 1 && p.data[1] == '*');
  while (p.len && *p.data == '*')
    p = skip(p, 1);
  if (p.len == 0 && !deep)
    return *s && !strchr(s, '/');
  if (deep && p.len > 1 && *p.data == '/' && matches(skip(p, 1), s, words))
    return true; /* the directory part may match none */
  while (!matches(p, s, words)) {
    if (!*s || (*s == '/' && !deep))
      return false;
    s++;
  }
  return true;
}

/* Match a pattern with a path, or with a prefix of it that is a directory.
 * words: with a name instead; '/' has no meaning then. */
static bool matches(struct cul_bytes p, const char *s, bool words) {
  for (; p.len; s++, p = skip(p, 1)) {
    if (*p.data == '*')
      return matches_star(p, s, words);
    if (!*s || (*p.data != *s && !(*p.data == '?' && *s != '/')))
      return false;
  }
  return !*s || (*s == '/' && !words);
}

static bool matches_path(struct cul_bytes pattern, const char *path) {
  bool folder = pattern.len > 1 && pattern.data[pattern.len - 1] == '/';
  if (pattern.len > 1 && *pattern.data == '/')
    pattern = (struct cul_bytes){pattern.data + 1, pattern.len - 1};
  pattern.len -= folder;
  if (!*path)
    return false;
  for (const char *at = path; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (matches(pattern, at, false) &&
        !(folder && matches(pattern, at, true))) /* but not the file itself */
      return true;
  }
  return false;
}

/* Is the pattern too expensive?  Each star multiplies the time. */
static bool has_many_stars(struct cul_bytes pattern) {
  size_t n = 0;
  for (size_t i = 0; i < pattern.len; i++)
    n += pattern.data[i] == '*' && !(i && pattern.data[i - 1] == '*');
  return n > MOST_STARS;
}

static bool matches_line(struct cul_bytes pattern, const struct facts *f) {
  const struct {
    const char *word;
    const struct cul_buf *value;
  } words[] = {{"pass:", &f->pass},
               {"component:", &f->component},
               {"tool:", &f->tool},
               {"test:", &f->test}};
  if (has_many_stars(pattern))
    return false;
  if (pattern.len == 1 && *pattern.data == '*')
    return true; /* matches every bug */
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    size_t n = strlen(words[i].word);
    if (cul_bytes_start(pattern, words[i].word))
      return words[i].value->len &&
             matches((struct cul_bytes){pattern.data + n, pattern.len - n},
                     cul_buf_str(words[i].value), true);
  }
  return matches_path(pattern, cul_buf_str(&f->file)) ||
         matches_path(pattern, cul_buf_str(&f->test_file));
}

/* ---- properties of a bug ---- */

/* Find the longest path in text whose last component is `file`. */
static void find_path(const char *text, const char *file, struct cul_buf *out) {
  size_t len = strlen(file);
  for (const char *at = text; len && (at = strstr(at, file)); at += len) {
    const char *start = at;
    while (start > text &&
           (isalnum((unsigned char)start[-1]) || strchr("_-+./@", start[-1])))
      start--;
    if ((start == at || at[-1] == '/') && !isalnum((unsigned char)at[len]) &&
        (size_t)(at - start) + len > out->len) {
      cul_buf_clear(out);
      cul_buf_add(out, start, (size_t)(at - start) + len);
    }
  }
}

/* Find the path of the source file that the failure names, else of its first
 * relevant frame. */
static void find_file(const struct cul_triage *t,
                      const struct cul_bucket *bucket, struct cul_buf *out) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  const struct cul_frame *frame = NULL;
  const char *file = sig->file;
  if (!file[0] && cul_frames_relevant(sig, false, &frame, 1) &&
      strchr(frame->module, '.') && !strstr(frame->module, ".so"))
    file = frame->module;
  cul_buf_adds(out, file);
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    if (member->excerpt)
      find_path(member->excerpt, file, out);
  }
}

/* Find the test and its file, which "tests/a.py::test_f" and "Toy :: a/b.mlir"
 * contain. */
static void find_test(const struct cul_triage *t,
                      const struct cul_bucket *bucket, struct facts *f) {
  for (size_t i = 0; i < bucket->n_members && !f->test.len; i++) {
    const char *test = t->members[bucket->members[i]].test;
    const char *lit = strstr(test, " :: "), *pytest = strstr(test, ".py::");
    cul_buf_adds(&f->test, test);
    if (lit)
      cul_buf_adds(&f->test_file, lit + 4);
    else if (pytest)
      cul_buf_add(&f->test_file, test, (size_t)(pytest + 3 - test));
  }
}

static struct facts facts_of(const struct cul_triage *t,
                             const struct cul_bucket *bucket) {
  struct facts f = {.file = {0}};
  find_file(t, bucket, &f.file);
  find_test(t, bucket, &f);
  cul_buf_adds(&f.pass, t->kinds[bucket->kind]->sig.pass);
  cul_bucket_component(t, bucket, &f.component);
  cul_bucket_tool(t, bucket, &f.tool);
  return f;
}

static void release_facts(struct facts *f) {
  cul_buf_release(&f->file);
  cul_buf_release(&f->test_file);
  cul_buf_release(&f->pass);
  cul_buf_release(&f->component);
  cul_buf_release(&f->tool);
  cul_buf_release(&f->test);
}

/* ---- the file ---- */

static struct cul_bytes trim(const char *start, const char *end) {
  while (start < end && isspace((unsigned char)*start))
    start++;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  return (struct cul_bytes){start, (size_t)(end - start)};
}

/* The pattern and the owners of a line.  Empty: the line is a comment or a
 * section. */
static struct cul_bytes read_line(struct cul_bytes line,
                                  struct cul_bytes *owners) {
  const char *end = line.data + line.len, *hash;
  size_t n = 0;
  hash = memmem(line.data, line.len, " #", 2);
  line = trim(line.data, hash ? hash : end);
  end = line.data + line.len;
  while (n < line.len && !isspace((unsigned char)line.data[n]))
    n++;
  *owners = trim(line.data + n, end);
  if (!n || strchr("#[^!", *line.data))
    n = 0;
  return (struct cul_bytes){line.data, n};
}

void cul_bucket_owner(const struct cul_triage *t,
                      const struct cul_bucket *bucket, struct cul_buf *out) {
  struct cul_bytes text = cul_buf_bytes(&t->owners), found = {"", 0};
  struct facts facts;
  if (!text.len)
    return;
  facts = facts_of(t, bucket);
  for (size_t at = 0; at < text.len;) {
    const char *nl = memchr(text.data + at, '\n', text.len - at);
    size_t len = nl ? (size_t)(nl - text.data) - at : text.len - at;
    struct cul_bytes owners,
        pattern = read_line((struct cul_bytes){text.data + at, len}, &owners);
    if (pattern.len && matches_line(pattern, &facts))
      found = owners;
    at += len + 1;
  }
  cul_buf_add(out, found.data, found.len);
  release_facts(&facts);
}
