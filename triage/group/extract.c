/* Extracts the failures of one text: splits it by the harness output around
 * each test, then reads the signature of each part. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../oracles/rules/rules.h"
#include "../../oracles/signature/words.h"
#include "../table.h"
#include "../text/clean.h"
#include "../text/damage.h"
#include "../text/prefix.h"
#include "../text/results.h"
#include "../text/steps.h"
#include "../triage.h"
#include "heat.h"

void cul_triage_problem(struct cul_triage *t, const char *name,
                        const char *why) {
  t->problems =
      cul_xreallocarray(t->problems, t->n_problems + 1, sizeof *t->problems);
  t->problems[t->n_problems++] =
      (struct cul_problem){cul_xstrdup(name), cul_xstrdup(why)};
}

enum {
  EXCERPT = 8 << 10, /* bytes of a log in its excerpt */
  EXCERPT_BEFORE = 2 << 10,
  EXCERPT_LINE = 400, /* bytes of a line in an excerpt */
  N_EXCERPTS = 5,     /* members of a bucket that get an excerpt */
  SAMPLE = 32 << 10,
  MOST_GUESSES = 32,   /* lines of a log that may name its failure */
  MOST_BETWEEN = 2000, /* sections between two that show the same test */
};

/* The identity of a kind: its signature, and the key that depends on flags. */
static struct cul_digest identity_of(const struct cul_kind_of *kind) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &kind->sig, sizeof kind->sig);
  cul_hasher_u64(h, kind->keys.level[2].w[0]);
  return cul_hasher_finish(h);
}

size_t cul_triage_copy_kind(struct cul_triage *t,
                            const struct cul_kind_of *kind) {
  struct cul_digest identity = identity_of(kind);
  bool made;
  size_t *index = cul_table_at(t->table, &identity, &made);
  if (!made)
    return *index;
  if ((t->n_kinds & (t->n_kinds - 1)) == 0)
    t->kinds = cul_xreallocarray(t->kinds, t->n_kinds ? 2 * t->n_kinds : 1,
                                 sizeof *t->kinds);
  t->kinds[t->n_kinds] = cul_xmalloc(sizeof *kind);
  *t->kinds[t->n_kinds] = *kind;
  *index = t->n_kinds;
  return t->n_kinds++;
}

static size_t keep_kind(struct cul_triage *t,
                        const struct cul_log_failure *told, const char *own,
                        bool corrupted) {
  struct cul_kind_of *kind = cul_xcalloc(1, sizeof *kind);
  size_t index;
  kind->sig = told->sig;
  kind->corrupted = corrupted;
  cul_keys_of(&kind->sig, own, corrupted, &kind->keys);
  index = cul_triage_copy_kind(t, kind);
  free(kind);
  return index;
}

static struct cul_member *new_member(struct cul_triage *t) {
  if ((t->n_members & (t->n_members - 1)) == 0)
    t->members = cul_xreallocarray(
        t->members, t->n_members ? 2 * t->n_members : 1, sizeof *t->members);
  t->members[t->n_members] = (struct cul_member){0};
  return &t->members[t->n_members++];
}

static const char *string_in(const json_t *line, const char *key) {
  return json_string_value(json_object_get(line, key));
}

static char *copy_in(const json_t *line, const char *key) {
  const char *text = string_in(line, key);
  return text ? cul_xstrdup(text) : NULL;
}

/* The command of a line of a list: an array of arguments, or one string for a
 * shell.  NULL: none. */
static json_t *command_in(const json_t *line) {
  const json_t *command = json_object_get(line, "command");
  if (json_is_array(command) && json_array_size(command))
    return json_deep_copy(command);
  return json_is_string(command) || json_is_object(command)
             ? json_pack("[s, s, O]", "bash", "-c", command)
             : NULL;
}

/* The module next to the log: a.mlir for a.log and for a.mlir.log.  Heap; NULL:
 * none. */
static char *module_beside(const char *log) {
  static const char *const endings[] = {"", ".mlir", ".py", ".ll"};
  const char *dot = strrchr(cul_basename(log), '.');
  size_t stem = dot ? (size_t)(dot - log) : 0;
  for (size_t i = 0; stem && i < CUL_ARRAY_SIZE(endings); i++) {
    char *path = cul_xasprintf("%.*s%s", (int)stem, log, endings[i]);
    const char *end = strrchr(cul_basename(path), '.');
    bool source = end && (!strcmp(end, ".mlir") || !strcmp(end, ".py") ||
                          !strcmp(end, ".ll"));
    if (source && access(path, R_OK) == 0)
      return path;
    free(path);
  }
  return NULL;
}

/* Append lines, each truncated to EXCERPT_LINE bytes. */
static void add_lines(struct cul_bytes part, struct cul_buf *out) {
  for (size_t at = 0; at < part.len && out->len < EXCERPT;) {
    const char *line = part.data + at;
    const char *nl = memchr(line, '\n', part.len - at);
    size_t len = nl ? (size_t)(nl - line) : part.len - at;
    size_t shown = len < EXCERPT_LINE ? len : EXCERPT_LINE;
    while (shown < len && shown > 0 && (line[shown] & 0xc0) == 0x80)
      shown--;
    cul_buf_add(out, line, shown);
    cul_buf_adds(out, shown < len ? " ...\n" : "\n");
    at += len + 1;
  }
}

/* The part of the log around offset `at`, that of the message.  Heap. */
static char *excerpt_of(struct cul_bytes text, size_t at) {
  struct cul_buf out = {0};
  size_t start =
      text.len <= EXCERPT || at < EXCERPT_BEFORE ? 0 : at - EXCERPT_BEFORE;
  const char *nl =
      start ? memchr(text.data + start, '\n', text.len - start) : NULL;
  if (nl && (size_t)(nl - text.data) < at)
    start = (size_t)(nl - text.data) + 1;
  while (start < at && (text.data[start] & 0xc0) == 0x80)
    start++;
  if (start)
    cul_buf_adds(&out, "[...]\n");
  add_lines((struct cul_bytes){text.data + start, text.len - start}, &out);
  return cul_buf_take(&out);
}

/* Keep an excerpt of the first few members of each key.  The first one also
 * keeps a larger sample, to be read again when the rules have changed. */
static void keep_text(struct cul_triage *t, struct cul_member *member,
                      struct cul_bytes text, size_t offset) {
  const size_t at = offset < text.len ? offset : 0;
  struct cul_digest key = t->kinds[member->kind]->keys.level[2];
  size_t *n, start = at > SAMPLE / 4 && text.len > SAMPLE ? at - SAMPLE / 4 : 0;
  key.w[1] ^= 1; /* a key other than those of kinds in this table */
  n = cul_table_at(t->table, &key, NULL);
  if (*n == 0)
    member->sample =
        cul_xstrndup(text.data + start,
                     text.len - start < SAMPLE ? text.len - start : SAMPLE);
  if ((*n)++ < N_EXCERPTS)
    member->excerpt = excerpt_of(text, at);
  if (*n == 1 && t->kinds[member->kind]->sig.kind == CUL_KIND_MISMATCH) {
    struct cul_bytes numbers = cul_heat_find(text);
    member->numbers =
        numbers.len ? cul_xstrndup(numbers.data, numbers.len) : NULL;
  }
}

/* Make a signature for a failed test about which only the name is known. */
static void take_test_name(const char *test, struct cul_log_failure *log) {
  struct cul_signature *sig = &log->sig;
  memset(sig, 0, sizeof *sig);
  sig->kind = CUL_KIND_DIAGNOSTIC;
  snprintf(sig->text, sizeof sig->text, "test failed: %s", test);
  snprintf(sig->raw, sizeof sig->raw, "%s", sig->text);
  snprintf(sig->title, sizeof sig->title, "%.250s", sig->text);
}

/* Append the name of the test to the title if nothing better locates the
 * failure: a crash or timeout without a message, wrong numbers, or a comparison
 * by the test, each without a stack, or any failure in a function that says
 * nothing. */
static void add_test_name(const struct cul_rules *rules, const char *test,
                          struct cul_log_failure *told) {
  struct cul_signature *sig = &told->sig;
  size_t n = strlen(sig->title);
  const char *within = strrchr(test, ' '); /* lit prints "SUITE :: NAME" */
  if (strstr(sig->title, within ? within + 1 : test) ||
      cul_signature_name_test(rules, test, sig))
    return;
  if (!sig->n_frames && (cul_signature_is_silent(sig) || told->of_test ||
                         sig->kind == CUL_KIND_MISMATCH))
    snprintf(sig->title + n, sizeof sig->title - n, " in %.200s", test);
}

/* The name of a failure without message and stack: that of the test, else of
 * the log.  Heap. */
char *cul_member_own(const char *log, const char *test) {
  const char *base = cul_basename(log);
  const char *dot = strchr(base, '.');
  if (*test)
    return cul_xstrdup(test);
  return cul_xstrndup(base,
                      dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* Does the log already have a member with this test and failure? */
static bool is_known(const struct cul_triage *t, size_t first, const char *test,
                     const struct cul_log_failure *found, const char *own,
                     bool corrupted) {
  struct cul_keys keys;
  cul_keys_of(&found->sig, own, corrupted, &keys);
  for (size_t i = first; i < t->n_members; i++)
    if (!strcmp(t->members[i].test, test) &&
        cul_digest_equal(&t->kinds[t->members[i].kind]->keys.level[2],
                         &keys.level[2]))
      return true;
  return false;
}

/* Store the lines that may describe a failure that no rule recognizes. */
static void read_guesses(struct cul_triage *t, struct cul_bytes text,
                         struct cul_member *member) {
  const struct cul_bytes texts[2] = {text, {NULL, 0}};
  struct cul_words *words = cul_xcalloc(MOST_GUESSES, sizeof *words);
  size_t n = cul_words_rank(t->rules, texts, NULL, words, MOST_GUESSES);
  struct cul_guess *out = cul_xcalloc(n + 1, sizeof *out);
  for (size_t i = 0; i < n && words[i].weight >= CUL_WEIGHT_PLAIN; i++) {
    out[i] = (struct cul_guess){
        .raw = cul_xstrdup(words[i].raw),
        .text = cul_xstrdup(words[i].text),
        .id = cul_digest_of(words[i].text, strlen(words[i].text))};
    member->n_guesses++;
  }
  member->guesses = out;
  free(words);
}

/* What was read from a part of a log. */
struct found {
  struct cul_log_failure told;
  const char *damage; /* or NULL */
  bool corrupted;
  const struct cul_section *section; /* the part is this section; or NULL */
};

static void read_part(const struct cul_triage *t, struct cul_bytes text,
                      struct found *out) {
  out->section = NULL;
  out->damage = cul_read_damaged(t->rules, text, &out->told, &out->corrupted);
}

/* Is it only a report that another process ended? */
static bool is_echo(const struct cul_triage *t, const struct found *found) {
  return found->told.found && (cul_is_echo(t->rules, found->told.sig.raw) ||
                               cul_is_echo(t->rules, found->told.sig.printed));
}

/* Does the part contain no failure, or only such a report? */
static bool says_nothing(const struct cul_triage *t,
                         const struct found *found) {
  return !found->told.found || is_echo(t, found);
}

static void add_failure(struct cul_triage *t, const char *log, const char *test,
                        struct cul_bytes text, struct found *found) {
  struct cul_member *member = new_member(t);
  struct cul_log_failure *told = &found->told;
  char *own = cul_member_own(log, test);
  member->log = cul_xstrdup(log);
  member->test = cul_xstrdup(test);
  member->damage = found->damage ? cul_xstrdup(found->damage) : NULL;
  member->late = told->late;
  member->content = cul_digest_of(text.data, text.len);
  if (!told->found && *test)
    take_test_name(test, told);
  else if (*test)
    add_test_name(t->rules, test, told);
  member->kind = keep_kind(t, told, own, found->corrupted);
  if (told->sig.words && !told->found)
    read_guesses(t, text, member);
  keep_text(t, member, text, told->at);
  if (t->hear) {
    const struct cul_section *section = found->section;
    const struct cul_heard heard = {
        .text = text, .at = told->at, .by = section ? section->by : NULL};
    t->hear(t->listener, &heard);
  }
  free(own);
}

/* Give a member without a rule another line as its message. */
static void rename_guess(struct cul_triage *t, struct cul_member *member,
                         const char *raw, const char *text) {
  const struct cul_kind_of *kind = t->kinds[member->kind];
  struct cul_log_failure told = {.sig = kind->sig};
  char *own = cul_member_own(member->log, member->test);
  cul_signature_guess(t->rules, raw, text, &told.sig);
  member->kind = keep_kind(t, &told, own, kind->corrupted);
  free(own);
}

/* If all lines but the first are indented, as harnesses do below the name of a
 * test, append the text without the common indentation. False: they are
 * not. */
static bool outdent(struct cul_bytes part, struct cul_buf *out) {
  const char *first = part.len ? memchr(part.data, '\n', part.len) : NULL;
  size_t common = SIZE_MAX;
  for (const char *nl = first; nl;) {
    const char *line = nl + 1;
    size_t left = part.len - (size_t)(line - part.data);
    size_t n = 0;
    nl = memchr(line, '\n', left);
    while (n < left && line[n] == ' ')
      n++;
    if (n < left && line[n] != '\n' && n < common)
      common = n;
  }
  if (common == 0 || common == SIZE_MAX)
    return false;
  cul_buf_add(out, part.data, (size_t)(first - part.data));
  for (const char *nl = first; nl;) {
    const char *line = nl + 1;
    size_t left = part.len - (size_t)(line - part.data);
    size_t len;
    nl = memchr(line, '\n', left);
    len = nl ? (size_t)(nl - line) : left;
    cul_buf_addc(out, '\n');
    if (len > common)
      cul_buf_add(out, line + common, len - common);
  }
  return true;
}

/* Do two rules belong to the same harness?  Their names have a common prefix:
 * "pytest-". */
static bool same_harness(const char *a, const char *b) {
  size_t n = strcspn(a, "-");
  return strcspn(b, "-") == n && strncmp(a, b, n) == 0;
}

/* Does section i only contain sections of another harness?  Then failures of
 * its tests are those of the inner sections, except the death of a process. */
static bool is_wrapper(const struct cul_section *s, size_t i, size_t n) {
  return i + 1 < n && s[i].end <= s[i + 1].start &&
         s[i + 1].start - s[i].end <= 1 && /* at most a newline between them */
         !same_harness(s[i].by, s[i + 1].by);
}

/* Are both names those of one test?  unittest writes "CLASS.test" as "test
 * (MODULE.CLASS.test)". */
static bool is_same_test(const char *name, const char *other) {
  size_t n = strlen(name), m = strlen(other);
  return !strcmp(name, other) ||
         (m > n + 2 && other[m - 1] == ')' && strchr(".(", other[m - n - 2]) &&
          !memcmp(other + m - n - 1, name, n));
}

/* Does a later section show the same test, with more output? */
static bool is_shown_again(const struct cul_section *s, size_t i, size_t n) {
  for (size_t k = i + 1; k < n && k - i <= MOST_BETWEEN; k++)
    if (is_same_test(s[i].name, s[k].name))
      return true;
  return false;
}

/* Did an earlier section show the same target of a build? */
static bool was_shown(const struct cul_section *s, size_t i) {
  for (size_t k = i; s[i].made && k-- > 0 && i - k <= MOST_BETWEEN;)
    if (!strcmp(s[i].name, s[k].name))
      return true;
  return false;
}

/* Does a section show what its process died of? */
static bool tells_death(const struct cul_triage *t, struct cul_bytes text,
                        const struct cul_section *s) {
  struct found found;
  read_part(t, (struct cul_bytes){text.data + s->start, s->end - s->start},
            &found);
  return found.told.found && found.told.deadly &&
         !(found.told.sig.kind == CUL_KIND_SIGNAL && !found.told.sig.n_frames &&
           cul_signature_is_silent(&found.told.sig));
}

/* Does a summary list the death of the only process of its harness that failed,
 * while an earlier section of another harness, which that process ran, shows
 * what it died of? */
static bool is_list_of_death(const struct cul_triage *t, struct cul_bytes text,
                             const struct cul_section *s, size_t i, size_t n) {
  size_t dead = n;
  for (size_t k = 0; s[i].listed && k < n && k < MOST_BETWEEN; k++)
    if (k != i && same_harness(s[k].by, s[i].by))
      return false;
    else if (k < i && !s[k].listed)
      dead = k;
  return dead < n && tells_death(t, text, &s[dead]);
}

/* Does the section report only how its process ended, while another one shows
 * what that died of: one of the same test, one of another harness that the
 * process's end cut off just before, or, in a wrapper, one within? */
static bool is_told_elsewhere(const struct cul_triage *t, struct cul_bytes text,
                              const struct cul_section *s, size_t i, size_t n,
                              const struct found *section) {
  if (section->told.sig.kind != CUL_KIND_SIGNAL || section->told.sig.n_frames ||
      !cul_signature_is_silent(&section->told.sig))
    return false;
  if (i > 0 && !same_harness(s[i - 1].by, s[i].by) &&
      s[i].start - s[i - 1].end <= 1 && tells_death(t, text, &s[i - 1]))
    return true;
  if (is_list_of_death(t, text, s, i, n))
    return true;
  for (size_t k = i + 1; k < n && is_wrapper(s, i, n); k++)
    if (same_harness(s[k].by, s[i].by))
      break;
    else if (tells_death(t, text, &s[k]))
      return true;
  for (size_t k = i + 1; k < n && k - i <= MOST_BETWEEN; k++)
    if (!strcmp(s[i].name, s[k].name))
      return tells_death(t, text, &s[k]);
  return false;
}

/* One test reports only that its process is gone.  Read what the process died
 * of from `above`, the output before all that the harness prints of its tests.
 * True: *found is that, and its offsets are those of `above`. */
static bool read_death_above(const struct cul_triage *t, struct cul_bytes above,
                             struct found *found) {
  struct found death;
  read_part(t, above, &death);
  if (!death.told.found || !death.told.deadly || death.told.hollow)
    return false;
  *found = death;
  return true;
}

/* Does `whole` tell what a device did, where `found` only reports later that
 * the device failed, or what the device computed? */
static bool tells_device(const struct found *whole, const struct found *found) {
  return whole->told.sig.kind == CUL_KIND_SANITIZER ||
         (found->told.late && whole->told.sig.kind == CUL_KIND_DEVICE &&
          !whole->told.late);
}

/* Is it an error of a program, read by a rule?  What a set-up lives with is
 * none. */
static bool is_of_program(const struct found *found) {
  enum cul_kind kind = found->told.sig.kind;
  return kind == CUL_KIND_EXCEPTION || kind == CUL_KIND_VERIFIER ||
         (kind == CUL_KIND_DIAGNOSTIC && found->told.sig.rule[0]);
}

/* If the section of the only failed test only repeats that something failed,
 * read the crash, the timeout or the error from the whole log; if it
 * reports an error of a device late, read what the device did.  True: *found is
 * that, and its offsets are those of `text`. */
static bool read_above(const struct cul_triage *t, struct cul_bytes text,
                       struct found *found) {
  struct found whole;
  if (!found->told.hollow && !found->told.late &&
      found->told.sig.kind != CUL_KIND_MISMATCH)
    return false;
  read_part(t, text, &whole);
  if (!whole.told.found || whole.told.hollow ||
      (!found->told.hollow && !tells_device(&whole, found)) ||
      !(whole.told.deadly || is_of_program(&whole)))
    return false;
  *found = whole;
  return true;
}

/* Several tests failed, and one reports an error of a device late.  Read what
 * the device did from `above`, the output before all that the harness prints of
 * its tests.  True: *found is that, and its offsets are those of `above`. */
static bool read_device_above(const struct cul_triage *t,
                              struct cul_bytes above, struct found *found) {
  struct found device;
  read_part(t, above, &device);
  if (!device.told.found || !tells_device(&device, found))
    return false;
  *found = device;
  return true;
}

/* Is it a failure of a service, a time limit among them?  No test is to blame
 * for it. */
static bool is_of_job(const struct found *found) {
  return found->told.found && found->told.sig.kind == CUL_KIND_TIMEOUT &&
         !strncmp(found->told.sig.rule, "infra-", strlen("infra-"));
}

/* Does a summary list the test of section i by its name alone, while at least
 * as many sections of another harness, which no test of that summary contains,
 * show failures?  They are what it ran. */
static bool is_list_of_inner(const struct cul_section *s, size_t i, size_t n,
                             const bool *told) {
  size_t n_listed = 0, n_told = 0;
  for (size_t k = 0; s[i].listed && !told[i] && k < n && k < MOST_BETWEEN; k++)
    if (same_harness(s[k].by, s[i].by) && !s[k].listed)
      return false;
    else if (same_harness(s[k].by, s[i].by))
      n_listed++;
    else if (told[k] && !s[k].listed && k < i)
      n_told++;
  return n_listed > 0 && n_listed <= n_told;
}

/* Is the failure of the section told by no other one? */
static bool is_own_failure(const struct cul_triage *t, struct cul_bytes text,
                           const struct cul_section *s, size_t i, size_t n,
                           const struct found *found) {
  bool counts = found->told.deadly;
  if (!is_wrapper(s, i, n))
    counts = counts || (found->told.found && !found->told.hollow) ||
             !(is_shown_again(s, i, n) || was_shown(s, i));
  return counts && !is_told_elsewhere(t, text, s, i, n, found);
}

/* The sections of a text that is being read. */
struct reading {
  const struct cul_triage *t;
  struct cul_bytes text;
  const struct cul_section *sections;
  size_t n;
  bool asked; /* for a death above; the answer is always the same */
  enum { UNREAD, TELLS, SILENT } cause;  /* does the output above tell it? */
  struct found above;                    /* if it does */
  bool set_up;                           /* it was told for a set-up */
  enum { UNKNOWN, TOLD, UNTOLD } device; /* is what it did told above? */
  bool *told;                            /* the section shows a failure */
};

/* Is it another test around which the set-up failed for the reason that the
 * output above tells?  Tests share a set-up, which fails once. */
static bool is_shared_set_up(struct reading *r, size_t i) {
  bool before = r->set_up;
  if (cul_names_test(r->sections[i].name))
    return false;
  r->set_up = true;
  return before;
}

/* Read section i of several from the output before all of them if it only
 * repeats what that tells.  False: it was told for an earlier section. */
static bool read_before(struct reading *r, size_t i, struct cul_bytes *part,
                        struct found *found) {
  const struct cul_bytes above = {r->text.data, r->sections[0].start};
  if (!r->asked && is_echo(r->t, found)) {
    r->asked = true;
    if (read_death_above(r->t, above, found))
      *part = above;
  }
  if (found->told.hollow) {
    if (r->cause == UNREAD) {
      read_part(r->t, above, &r->above);
      r->cause = r->above.told.found && !r->above.told.hollow &&
                         is_of_program(&r->above)
                     ? TELLS
                     : SILENT;
    }
    if (r->cause != TELLS)
      return true;
    *found = r->above;
    *part = above;
    return !is_shared_set_up(r, i);
  }
  if (!found->told.late)
    return true;
  if (r->device == TOLD)
    return false;
  if (r->device == UNKNOWN)
    r->device = read_device_above(r->t, above, found) ? TOLD : UNTOLD;
  if (r->device == TOLD)
    *part = above;
  return true;
}

/* Read section i.  *part: the text that tells its failure, which may be
 * *outdented.  False: an earlier section told it. */
static bool read_section(struct reading *r, size_t i, struct cul_buf *outdented,
                         struct cul_bytes *part, struct found *found) {
  const struct cul_section *section = &r->sections[i];
  /* If only one test failed, and only a summary mentions it, any failure in the
   * log is that test's. */
  *part = r->n == 1 && section->listed
              ? r->text
              : (struct cul_bytes){r->text.data + section->start,
                                   section->end - section->start};
  if (outdent(*part, outdented))
    *part = cul_buf_bytes(outdented);
  read_part(r->t, *part, found);
  if (r->n > 1)
    return read_before(r, i, part, found);
  if (says_nothing(r->t, found)) {
    *part = r->text; /* the output of the test may precede its section */
    read_part(r->t, *part, found);
  } else if (read_above(r->t, r->text, found)) {
    *part = r->text;
  }
  return true;
}

/* The offset behind the blank lines at `at`, and behind those that name one of
 * the tests. */
static size_t behind_names(struct cul_bytes text, size_t at,
                           const struct cul_section *sections, size_t n) {
  bool named = true;
  while (named) {
    struct cul_bytes line;
    const char *nl;
    while (at < text.len && isspace((unsigned char)text.data[at]))
      at++;
    nl = memchr(text.data + at, '\n', text.len - at);
    line = (struct cul_bytes){text.data + at, nl ? (size_t)(nl - text.data) - at
                                                 : text.len - at};
    named = false;
    for (size_t i = 0; i < n && !named; i++)
      named = line.len > 0 && sections[i].name[0] &&
              cul_bytes_hold(line, sections[i].name);
    at += named ? line.len : 0;
  }
  return at;
}

/* If no section shows what failed, because the process of the tests died
 * directly behind them, read that from the whole text. */
static bool read_death_behind(const struct cul_triage *t, struct cul_bytes text,
                              const struct cul_section *sections, size_t n,
                              struct found *found) {
  enum { MOST = 16 };
  for (size_t i = 0; i < n && n <= MOST; i++) {
    read_part(t,
              (struct cul_bytes){text.data + sections[i].start,
                                 sections[i].end - sections[i].start},
              found);
    if (!says_nothing(t, found))
      return false;
  }
  if (n < 2 || n > MOST)
    return false;
  read_part(t, text, found);
  return found->told.found && found->told.deadly && !found->told.hollow &&
         !is_echo(t, found) &&
         found->told.at == behind_names(text, sections[n - 1].end, sections, n);
}

/* Is it the last test, or one that contains it, "TestPad" of "TestPad/rows"? */
static bool contains_last(const struct cul_section *sections, size_t i,
                          size_t n) {
  const char *last = sections[n - 1].name;
  size_t len = strlen(sections[i].name);
  return !strncmp(sections[i].name, last, len) &&
         (last[len] == '\0' || last[len] == '/');
}

/* Is it a failure of the infrastructure, such as a full disk, that a member of
 * the log has already?  It is one failure, whoever meets it. */
static bool is_known_condition(const struct cul_triage *t, size_t first,
                               const struct found *found) {
  struct cul_keys keys;
  if (!found->told.found || found->told.sig.kind != CUL_KIND_INFRASTRUCTURE)
    return false;
  cul_keys_of(&found->told.sig, "", found->corrupted, &keys);
  for (size_t i = first; i < t->n_members; i++)
    if (cul_digest_equal(&t->kinds[t->members[i].kind]->keys.level[0],
                         &keys.level[0]))
      return true;
  return false;
}

/* Does the section tell no failure, while an earlier one of the same test does?
 */
static bool is_told_before(const struct reading *r, size_t i) {
  for (size_t k = i; !r->told[i] && k-- > 0 && i - k <= MOST_BETWEEN;)
    if (r->told[k] && is_same_test(r->sections[k].name, r->sections[i].name))
      return true;
  return false;
}

static void add_sections(struct cul_triage *t, const char *log,
                         struct cul_bytes text,
                         const struct cul_section *sections, size_t n) {
  struct reading r = {.t = t,
                      .text = text,
                      .sections = sections,
                      .n = n,
                      .told = cul_xcalloc(n, sizeof *r.told)};
  struct found behind;
  size_t first = t->n_members;
  bool died = read_death_behind(t, text, sections, n, &behind);
  for (size_t i = 0; i < n; i++) {
    struct cul_buf outdented = {0};
    struct cul_bytes part;
    struct found found;
    bool own;
    if (died && contains_last(sections, i, n))
      continue;
    own = read_section(&r, i, &outdented, &part, &found);
    found.section = &sections[i];
    r.told[i] = found.told.found;
    if (own && is_own_failure(t, text, sections, i, n, &found) &&
        !is_known_condition(t, first, &found) && !is_told_before(&r, i) &&
        !is_list_of_inner(sections, i, n, r.told))
      add_failure(t, log, is_of_job(&found) ? "" : sections[i].name, part,
                  &found);
    cul_buf_release(&outdented);
  }
  if (died) {
    behind.section = &sections[n - 1];
    add_failure(t, log, sections[n - 1].name, text, &behind);
  }
  free(r.told);
}

/* Copy the module, command and name in a line of a list to all failures of its
 * log. */
static void take_line(struct cul_triage *t, size_t first, const json_t *line) {
  for (size_t i = first; i < t->n_members; i++) {
    struct cul_member *member = &t->members[i];
    const char *module = string_in(line, "module");
    member->module = module ? cul_xstrdup(module) : module_beside(member->log);
    member->command = command_in(line);
    if (string_in(line, "name") && !member->test[0]) {
      free(member->test);
      member->test = cul_xstrdup(string_in(line, "name"));
    }
  }
}

/* ---- logs ---- */

/* The text that is being read. */
struct adding {
  struct cul_triage *t;
  const char *log;
  size_t first; /* the first member of the log */
  bool doubtful,
      passes;    /* it may not be a log; the run is known to have passed */
  bool forgiven; /* it takes back all that it says */
};

/* Does the part say what failed, and not only that something did? */
static bool is_telling(const struct cul_triage *t, const struct found *found) {
  return !says_nothing(t, found) && !found->told.hollow;
}

/* Add the failures of all processes that wrote to the text.  What only reports
 * the failure of another process is none of its own, unless all do. */
static void add_incidents(struct adding *a, const char *test,
                          struct cul_bytes text, const struct found *whole) {
  struct cul_bytes *parts;
  size_t n = cul_incidents_find(a->t->rules, text, &parts), n_added = 0;
  struct found *found = cul_xcalloc(n, sizeof *found);
  bool told = false;
  for (size_t i = 0; i < n; i++) {
    if (n > 1)
      read_part(a->t, parts[i], &found[i]);
    else
      found[i] = *whole;
    told = told || is_telling(a->t, &found[i]);
  }
  for (size_t i = 0; i < n; i++) {
    char *own = cul_member_own(a->log, test);
    bool counts =
        told ? is_telling(a->t, &found[i])
             : found[i].told.found && !(n_added && is_echo(a->t, &found[i]));
    if (n == 1 || (counts && !is_known(a->t, a->first, test, &found[i].told,
                                       own, found[i].corrupted))) {
      add_failure(a->t, a->log, test, parts[i], &found[i]);
      n_added++;
    }
    free(own);
  }
  free(found);
  free(parts);
}

static void add_test(void *self, const char *test, struct cul_bytes raw) {
  struct adding *a = self;
  struct cul_buf text = {0};
  struct found found;
  cul_buf_add(&text, raw.data ? raw.data : "", raw.len);
  (void)cul_unwrap(a->t->rules, &text);
  read_part(a->t, cul_buf_bytes(&text), &found);
  add_failure(a->t, a->log, test, cul_buf_bytes(&text), &found);
  cul_buf_release(&text);
}

/* The output of the test around a death, if that test passed, as death tests
 * do; empty: it is a failure.  A report of a sanitizer fails the program
 * without the test. */
static struct cul_bytes death_test(const struct cul_triage *t,
                                   struct cul_bytes text,
                                   const struct found *found) {
  if (!found->told.deadly || found->told.sig.kind == CUL_KIND_SANITIZER)
    return (struct cul_bytes){text.data, 0};
  return cul_section_around(t->rules, text, found->told.at, true);
}

/* Read a text without tests that failed.  Death tests are left out, because
 * other processes may have failed before and behind them: *text is then what
 * *rest holds. */
static void read_plain(const struct cul_triage *t, struct cul_bytes *text,
                       struct cul_buf *rest, struct found *out) {
  enum { MOST_DEATHS = 64 };
  read_part(t, *text, out);
  for (size_t i = 0; i < MOST_DEATHS; i++) {
    struct cul_bytes test = death_test(t, *text, out);
    struct cul_buf shorter = {0};
    const char *end = test.data + test.len;
    if (!test.len)
      return;
    cul_buf_add(&shorter, text->data, (size_t)(test.data - text->data));
    cul_buf_add(&shorter, end, (size_t)(text->data + text->len - end));
    cul_buf_release(rest);
    *rest = shorter;
    *text = cul_buf_bytes(rest);
    read_part(t, *text, out);
  }
}

/* Add the failures of a text without tests. */
static void add_plain(struct adding *a, struct cul_bytes text) {
  struct found found;
  struct cul_buf rest = {0};
  read_plain(a->t, &text, &rest, &found);
  if (cul_is_success(a->t->rules, text, &found.told) ||
      (a->passes && !(found.told.found && found.told.any_exit)))
    a->t->n_passed++;
  else if (found.told.found)
    add_incidents(a, "", text, &found);
  else if (a->doubtful)
    a->t->n_skipped++;
  else
    add_failure(a->t, a->log, "", text, &found);
  cul_buf_release(&rest);
}

/* Were the tests that failed, from offset `from`, tried again with success? */
static bool is_retried(const struct cul_triage *t, struct cul_bytes text,
                       size_t from) {
  const struct cul_log_failure told = {
      .found = true, .deadly = true, .at = from};
  return cul_is_success(t->rules, text, &told);
}

static bool is_blank(const struct cul_buf *text) {
  return !cul_buf_str(text)[strspn(cul_buf_str(text), " \t\n")];
}

/* Returns whether the log takes back all that it says. */
static bool unwrap(const struct cul_triage *t, struct cul_buf *text) {
  bool blank = is_blank(text);
  if (!cul_status_interrupted())
    (void)cul_unwrap(t->rules, text);
  return !blank && is_blank(text);
}

/* Add the failures of a text without prefixes that is no file of results. */
static void add_output(struct adding *a, const struct cul_buf *text) {
  struct cul_section *sections = NULL;
  size_t n = cul_sections_find(a->t->rules, cul_buf_bytes(text), &sections);
  if (n > 0 && !is_retried(a->t, cul_buf_bytes(text), sections[0].start))
    add_sections(a->t, a->log, cul_buf_bytes(text), sections, n);
  else if (n > 0)
    a->t->n_passed++;
  else if (!is_blank(text))
    add_plain(a, cul_buf_bytes(text));
  else if (a->forgiven)
    a->t->n_passed++;
  else if (a->doubtful)
    a->t->n_skipped++;
  else
    cul_triage_problem(a->t, a->log, "is empty");
  free(sections);
}

/* Does the text of a step show what failed, and not only that something did?
 * Behind a step that failed, those run that gather what it left: that a file is
 * not there, or cannot be sent, follows from the failure. */
static bool tells_failure(const struct cul_triage *t,
                          const struct cul_buf *text, bool behind) {
  struct cul_section *sections = NULL;
  struct found found;
  size_t n = cul_sections_find(t->rules, cul_buf_bytes(text), &sections);
  free(sections);
  if (n > 0)
    return true;
  read_part(t, cul_buf_bytes(text), &found);
  return is_telling(t, &found) &&
         !(behind && found.told.sig.kind == CUL_KIND_INFRASTRUCTURE);
}

/* What a part of a log is, which decides whether its failures are added. */
enum part { ANY_PART, TELLING_STEP, STEP_BEHIND_FAILURE };

/* Add the failures of a part of a log with prefixes if it has any to add.
 * Returns whether it has. */
static bool add_prefixed(struct adding *a, struct cul_bytes bytes,
                         enum part part) {
  struct cul_buf text = {0};
  bool counts;
  cul_buf_add(&text, bytes.data, bytes.len);
  a->forgiven = unwrap(a->t, &text);
  counts = part == ANY_PART ||
           tells_failure(a->t, &text, part == STEP_BEHIND_FAILURE);
  if (counts)
    add_output(a, &text);
  cul_buf_release(&text);
  return counts;
}

static void read_unwrapped(const struct cul_triage *t, struct cul_bytes bytes,
                           struct cul_log_failure *out) {
  struct cul_buf text = {0};
  struct found found;
  cul_buf_add(&text, bytes.data, bytes.len);
  (void)unwrap(t, &text);
  read_part(t, cul_buf_bytes(&text), &found);
  *out = found.told;
  out->found = is_telling(t, &found);
  cul_buf_release(&text);
}

/* Did the service end the job, at a time limit or for a failure of its own?
 * Not if a process had died before: that is why it stood still. */
static bool is_ended_by_service(const struct cul_triage *t,
                                const struct cul_ci_job *job, size_t n) {
  struct cul_log_failure told;
  if (!job->verdict.len)
    return false;
  read_unwrapped(t, job->verdict, &told);
  if (!told.found || (told.sig.kind != CUL_KIND_TIMEOUT &&
                      told.sig.kind != CUL_KIND_INFRASTRUCTURE))
    return false;
  for (size_t i = 0; i < n; i++) {
    read_unwrapped(t, job[i].failed, &told);
    if (told.found && told.deadly)
      return false;
  }
  return true;
}

/* Add the failures of a job of a CI service: of the steps that failed if their
 * output shows them.  n: of its items.  */
static void add_job(struct adding *a, const struct cul_ci_job *job, size_t n) {
  bool told = is_ended_by_service(a->t, job, n) &&
              add_prefixed(a, job->verdict, TELLING_STEP);
  for (size_t i = 0; i < n && !(i == 0 && told); i++)
    if (job[i].failed.len &&
        add_prefixed(a, job[i].failed,
                     told ? STEP_BEHIND_FAILURE : TELLING_STEP))
      told = true;
  if (!told)
    (void)add_prefixed(a, job->text, ANY_PART);
}

static void add_text(struct adding *a, struct cul_buf *text) {
  struct cul_results results = {.self = a, .failed = add_test};
  struct cul_ci_job *jobs;
  size_t n, n_passed = 0, n_steps;
  if (cul_results_read(cul_buf_bytes(text), &results)) {
    a->t->n_passed += results.n_passed;
    return;
  }
  n = cul_ci_jobs_find(a->t->rules, cul_buf_bytes(text), &jobs);
  for (size_t i = 0; i < n; i += n_steps) {
    for (n_steps = 1; i + n_steps < n && jobs[i + n_steps].again;)
      n_steps++;
    if (jobs[i].passed)
      n_passed += n_steps;
    else
      add_job(a, &jobs[i], n_steps);
  }
  if (n && n == n_passed)
    a->t->n_passed++;
  if (!n) {
    a->forgiven = unwrap(a->t, text);
    add_output(a, text);
  }
  free(jobs);
}

/* Did the run succeed, according to the line of the list? */
static bool ended_well(const json_t *line) {
  const json_t *exit = json_object_get(line, "exit");
  return json_is_integer(exit) && json_integer_value(exit) == 0;
}

size_t cul_triage_add(struct cul_triage *t, const char *log,
                      struct cul_bytes raw, const json_t *line) {
  struct cul_buf text = {0};
  struct adding a = {
      .t = t, .log = log, .first = t->n_members, .passes = ended_well(line)};
  t->n_logs++;
  t->bytes += raw.len;
  cul_clean(raw, &text);
  add_text(&a, &text);
  take_line(t, a.first, line);
  cul_buf_release(&text);
  return t->n_members - a.first;
}

void cul_triage_add_doubtful(struct cul_triage *t, const char *log,
                             struct cul_bytes raw) {
  struct cul_buf text = {0};
  struct adding a = {
      .t = t, .log = log, .first = t->n_members, .doubtful = true};
  size_t skipped = t->n_skipped;
  cul_clean(raw, &text);
  add_text(&a, &text);
  if (t->n_skipped == skipped) {
    t->n_logs++;
    t->bytes += raw.len;
  }
  cul_buf_release(&text);
}

void cul_triage_add_record(struct cul_triage *t, const char *path,
                           const struct cul_record *record,
                           const char *command) {
  struct cul_buf raw = {0}, text = {0};
  struct cul_log_failure told = {.found = true};
  struct cul_member *member;
  char *own;
  cul_signature_read(t->rules, record, &told.sig);
  if (told.sig.kind == CUL_KIND_NONE)
    return;
  cul_buf_add(&raw, cul_buf_str(&record->err), record->err.len);
  cul_buf_add(&raw, cul_buf_str(&record->out), record->out.len);
  cul_clean(cul_buf_bytes(&raw), &text);
  own = cul_member_own(path, "");
  member = new_member(t);
  member->log = cul_xstrdup(path);
  member->test = cul_xstrdup("");
  member->module = cul_xstrdup(path);
  member->command = json_pack("[s, s, s]", "bash", "-c", command);
  member->content = cul_digest_of(cul_buf_str(&text), text.len);
  member->kind = keep_kind(t, &told, own, false);
  keep_text(t, member, cul_buf_bytes(&text), 0);
  free(own);
  cul_buf_release(&raw);
  cul_buf_release(&text);
}

/* Read the later messages of a failure from a list; they are for display
 * only. */
static void take_then(const json_t *line, struct cul_signature *sig) {
  const json_t *said;
  size_t i;
  json_array_foreach(json_object_get(line, "then"), i, said) {
    const char *text = json_string_value(said);
    struct cul_error_line *out = &sig->errors.lines[sig->errors.n];
    if (sig->errors.known || !text || sig->errors.n == CUL_SIG_MAX_ERRORS)
      return;
    out->place = CUL_ERROR_AFTER;
    snprintf(out->raw, sizeof out->raw, "%s", text);
    snprintf(out->text, sizeof out->text, "%s", text);
    out->id = cul_digest_of(text, strlen(text)).w[0];
    sig->errors.n++;
  }
}

bool cul_triage_add_known(struct cul_triage *t, const json_t *line) {
  const char *log = string_in(line, "log"), *test = string_in(line, "test");
  const char *damage = string_in(line, "corrupted");
  struct cul_log_failure known = {0};
  struct cul_member *member;
  char *own;
  if (!log ||
      !cul_signature_parse(json_object_get(line, "signature"), &known.sig))
    return false;
  take_then(line, &known.sig);
  cul_signature_seal(t->rules, &known.sig);
  own = cul_member_own(log, test ? test : "");
  member = new_member(t);
  t->n_logs++;
  member->log = cul_xstrdup(log);
  member->test = cul_xstrdup(test ? test : "");
  member->module =
      string_in(line, "module") ? cul_xstrdup(string_in(line, "module")) : NULL;
  member->command = command_in(line);
  member->damage = damage ? cul_xstrdup(damage) : NULL;
  member->late = json_is_true(json_object_get(line, "late"));
  member->excerpt = copy_in(line, "excerpt");
  member->numbers = copy_in(line, "numbers");
  cul_digest_parse(string_in(line, "content") ? string_in(line, "content") : "",
                   &member->content);
  member->kind = keep_kind(t, &known, own, damage != NULL);
  free(own);
  return true;
}

void cul_triage_replace(struct cul_triage *t, struct cul_member *member,
                        const struct cul_signature *sig, const char *text) {
  struct cul_log_failure told = {.found = true, .sig = *sig};
  char *own = cul_member_own(member->log, member->test);
  member->kind = keep_kind(t, &told, own, false);
  member->rerun = true;
  free(member->sample);
  member->sample = text ? cul_xstrndup(text, SAMPLE) : NULL;
  free(own);
}

/* ---- of failures that no rule recognizes: the line that describes them, the
 * first likely one that most logs do not contain ---- */

enum { FEW_LOGS = 4 /* with fewer logs, no line counts as common */ };

/* The number of logs that contain each line. */
static struct cul_table *count_lines(const struct cul_triage *t) {
  struct cul_table *counts = cul_table_new();
  for (size_t m = 0; m < t->n_members; m++)
    for (size_t i = 0; i < t->members[m].n_guesses; i++)
      ++*cul_table_at(counts, &t->members[m].guesses[i].id, NULL);
  return counts;
}

/* The index of the line to use: the first that is not common, else the
 * rarest. */
static size_t choose(const struct cul_member *member, struct cul_table *counts,
                     size_t n_logs) {
  size_t rarest = 0, fewest = SIZE_MAX;
  for (size_t i = 0; i < member->n_guesses; i++) {
    size_t n = *cul_table_at(counts, &member->guesses[i].id, NULL);
    if (n_logs < FEW_LOGS || 2 * n <= n_logs)
      return i;
    if (n < fewest) {
      fewest = n;
      rarest = i;
    }
  }
  return rarest;
}

void cul_triage_guess(struct cul_triage *t) {
  struct cul_table *counts = count_lines(t);
  size_t n_logs = 0;
  for (size_t m = 0; m < t->n_members; m++)
    n_logs += t->members[m].n_guesses > 0;
  for (size_t m = 0; m < t->n_members; m++) {
    struct cul_member *member = &t->members[m];
    size_t i = member->n_guesses ? choose(member, counts, n_logs) : 0;
    if (i > 0)
      rename_guess(t, member, member->guesses[i].raw, member->guesses[i].text);
  }
  cul_table_free(counts);
}
