/* The title that a maintainer would give a bug: "[Part] Message in
 * Type::function".
 *
 * The part is the pass, spelled as in the source if a frame or the source file
 * shows that; else the source file if it is not a header, the type of the
 * function, or the dialect. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../../oracles/oracle.h"
#include "../../oracles/rules/rules.h"
#include "../../oracles/signature/brief.h"
#include "report.h"

enum {
  MOST = 140 /* maximal bytes of a message */
};

/* ---- names ---- */

/* Component i of a qualified name, counted from the last; components are
 * separated by "::" (Java, Go: ".").  Empty: it has fewer. */
static struct cul_bytes word_of(const char *name, size_t i) {
  const char *end = name + strlen(name);
  bool dots = !strstr(name, "::") && strchr(name, '.') &&
              !strpbrk(name, "<> "); /* not a C++ name */
  for (;; i--) {
    const char *start = end;
    while (start > name &&
           !(dots ? start[-1] == '.'
                  : start - name >= 2 && start[-1] == ':' && start[-2] == ':'))
      start--;
    if (i == 0)
      return (struct cul_bytes){start, (size_t)(end - start)};
    if (start == name)
      return (struct cul_bytes){start, 0};
    end = start - (dots ? 1 : 2);
  }
}

/* Copy the name of the function that contains a lambda: "a::B::f" for
 * "a::B::f::lambda::operator()". */
static void without_lambdas(const char *name, char *out, size_t size) {
  char *lambda;
  snprintf(out, size, "%s", name);
  lambda = strstr(out, "::lambda");
  if (lambda && lambda != out)
    *lambda = '\0';
}

/* The test of the bucket's first failure; "": unknown. */
static const char *test_of(const struct cul_triage *t,
                           const struct cul_bucket *bucket) {
  return bucket->n_members /* none: the bucket is of an earlier run */
             ? t->members[bucket->members[0]].test
             : "";
}

/* Is it an accessor in a header, such as "getParent"?  Whoever calls it with an
 * object that is gone is to blame. */
static bool is_accessor(const struct cul_frame *frame) {
  static const char *const verbs[] = {"get", "is", "has"};
  const char *dot = strrchr(frame->module, '.');
  struct cul_bytes word = word_of(frame->name, 0);
  if (!dot || (strncmp(dot, ".h", 2) != 0 && strcmp(dot, ".inc") != 0))
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(verbs); i++)
    if (cul_bytes_start(word, verbs[i]) &&
        isupper((unsigned char)word.data[strlen(verbs[i])]))
      return true;
  return false;
}

static bool is_of_source(const struct cul_frame *frame) {
  const char *dot = strrchr(frame->module, '.');
  return dot && (dot[1] == 'c' || !strcmp(dot, ".mm") || !strcmp(dot, ".rs"));
}

/* The frame to blame: the first relevant one with a name, but for a crash or a
 * report of a sanitizer in an accessor the one in a source file that called it.
 * NULL: none has a name. */
static const struct cul_frame *blamed(const struct cul_signature *sig) {
  enum { NEAR = 3 };
  const struct cul_frame *frames[NEAR];
  size_t n = cul_frames_relevant(sig, true, frames, NEAR);
  bool fault = sig->kind == CUL_KIND_SIGNAL || sig->kind == CUL_KIND_SANITIZER;
  for (size_t i = 0; fault && i < n && (i == 0 || is_accessor(frames[i - 1]));
       i++)
    if (i > 0 && is_of_source(frames[i]))
      return frames[i];
  return n ? frames[0] : NULL;
}

/* Is the failure about numbers that a known test compares?  The function that
 * compares them is a helper. */
static bool names_test_first(const struct cul_triage *t,
                             const struct cul_bucket *bucket) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  const char *test = test_of(t, bucket);
  bool target = cul_bytes_start((struct cul_bytes){test, strlen(test)}, "//");
  return sig->kind == CUL_KIND_MISMATCH && sig->n_frames && !target &&
         cul_names_test(test);
}

/* Write "Type::function" of the frame to blame; "": none has a name. */
static void place_of(const struct cul_triage *t,
                     const struct cul_bucket *bucket, char *out, size_t size) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  const struct cul_frame *frame = blamed(sig);
  bool generic;
  const char *comma = strrchr(sig->text, '(');
  char name[sizeof frame->name];
  struct cul_bytes first;
  comma = comma ? strstr(comma, ", ") : NULL;
  out[0] = '\0';
  if (names_test_first(t, bucket)) {
    snprintf(out, size, "%s", test_of(t, bucket));
    return;
  }
  if (frame) {
    const char *place = cul_frame_place(t->rules, sig, frame, &generic);
    if (generic) {
      const char *test = test_of(t, bucket);
      snprintf(out, size, "%s", cul_names_test(test) ? test : place);
      return;
    }
    without_lambdas(place, name, sizeof name);
  } else if (cul_signature_message_kind(sig) == CUL_KIND_ASSERTION && comma &&
             comma[2] != ')')
    snprintf(name, sizeof name, "%.*s", (int)strcspn(comma + 2, " )"),
             comma + 2);
  else
    return;
  first = word_of(name, 1);
  if (!first.len)
    first = word_of(name, 0);
  snprintf(out, size, "%s", first.data);
}

/* ---- the part ---- */

/* Have a and b the same letters and digits, regardless of case and of a "Pass"
 * at the end of b? */
static bool spells(const char *a, struct cul_bytes b) {
  size_t i = 0;
  for (; *a; a++) {
    if (!isalnum((unsigned char)*a))
      continue;
    if (i == b.len ||
        tolower((unsigned char)*a) != tolower((unsigned char)b.data[i]))
      return false;
    i++;
  }
  return i == b.len || (b.len - i == 4 && !memcmp(b.data + i, "Pass", 4));
}

static size_t without_pass(struct cul_bytes word) {
  return word.len > 4 && !memcmp(word.data + word.len - 4, "Pass", 4)
             ? word.len - 4
             : word.len;
}

/* A component of a frame's name that spells the pass; type: only if it is a
 * type.  Empty: none. */
static struct cul_bytes find_spelt(const struct cul_signature *sig, bool type) {
  struct cul_bytes word = {NULL, 0};
  for (size_t i = 0; i < sig->n_frames; i++)
    for (size_t k = 0; (word = word_of(sig->frames[i].name, k)).len; k++)
      if (spells(sig->pass, word) &&
          (!type || isupper((unsigned char)*word.data)))
        return word;
  return (struct cul_bytes){NULL, 0};
}

/* Append the pass as the source spells it: as a type, as another name, or as
 * the file.  False: not found. */
static bool add_spelt(const struct cul_signature *sig, struct cul_buf *out) {
  struct cul_bytes word = find_spelt(sig, true);
  if (!word.len)
    word = find_spelt(sig, false);
  if (word.len) {
    cul_buf_add(out, word.data, without_pass(word));
    return true;
  }
  word = (struct cul_bytes){sig->file, strcspn(sig->file, ".")};
  if (!word.len || !spells(sig->pass, word))
    return false;
  cul_buf_add(out, word.data, word.len);
  return true;
}

/* Is it a header?  It does not show which part includes it. */
static bool is_header(const char *file) {
  const char *dot = strrchr(file, '.');
  return !dot || !strncmp(dot, ".h", 2) || !strcmp(dot, ".inc") ||
         !strcmp(dot, ".def");
}

static void add_part(const struct cul_triage *t,
                     const struct cul_bucket *bucket, const char *place,
                     struct cul_buf *out) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  struct cul_bytes type = word_of(place, 1);
  const struct cul_frame *frame = blamed(sig);
  if (frame && !sig->pass[0] && !strcmp(place, test_of(t, bucket)) &&
      (!strstr(place, frame->name) || strcmp(sig->file, frame->module) != 0))
    return; /* the file is that of a helper */
  if (sig->pass[0] && sig->pass[0] != '(') {
    if (!add_spelt(sig, out))
      cul_buf_adds(out, sig->pass);
  } else if (sig->file[0] && !is_header(sig->file) &&
             strncmp(sig->file, "__", 2) != 0) { /* such as __init__.py */
    cul_buf_add(out, sig->file, strcspn(sig->file, "."));
  } else if (type.len) {
    cul_buf_add(out, type.data, type.len);
  } else if (!sig->file[0]) {
    cul_bucket_component(t, bucket, out);
  }
}

/* ---- the message ---- */

/* For "unreachable executed", extend "(FILE)" at the end to "(FILE:LINE)". */
static void add_line(const struct cul_signature *sig, struct cul_buf *out) {
  size_t n = strlen(sig->file);
  if (sig->kind != CUL_KIND_UNREACHABLE || !sig->line || out->len < n + 2 ||
      memcmp(out->data + out->len - n - 1, sig->file, n) != 0 ||
      out->data[out->len - 1] != ')')
    return;
  out->len--;
  cul_buf_addf(out, ":%u)", sig->line);
}

/* The message behind what a logger prints before it: "E0731 02:21:07.004920
 * 5512 pool.cc:2985] ", of which the log's prefix may be a part, or
 * "/w/toy/pool.cc:2985: ". */
static struct cul_bytes without_header(struct cul_bytes raw) {
  const char *at = raw.data, *end = raw.data + raw.len, *dot = NULL;
  at += end - at > 1 && isupper((unsigned char)*at) &&
        isdigit((unsigned char)at[1]);
  at += strspn(at, "0123456789:. ");
  for (; at < end && !isspace((unsigned char)*at) && *at != ':'; at++)
    if (*at == '.')
      dot = at;
  if (!dot || at == end || *at++ != ':' || !isdigit((unsigned char)*at))
    return raw;
  while (at < end && isdigit((unsigned char)*at))
    at++;
  return end - at > 2 && (*at == ']' || *at == ':') && at[1] == ' '
             ? (struct cul_bytes){at + 2, (size_t)(end - at - 2)}
             : raw;
}

/* The length of the path of several folders with which text begins; 0: with
 * none, or with a short one.  *name: where its last component begins. */
static size_t long_path(struct cul_bytes text, size_t *name) {
  enum { LONG = 32 };
  size_t n = 0;
  *name = 0;
  while (text.data[0] == '/' && n < text.len &&
         !strchr(" \"'`(),:>]", text.data[n]))
    if (text.data[n++] == '/')
      *name = n;
  return n > LONG && *name > 1 && *name < n ? n : 0;
}

/* Append the text; of long paths only the last component. */
static void add_without_folders(struct cul_bytes text, struct cul_buf *out) {
  for (size_t i = 0, name; i < text.len; i++) {
    struct cul_bytes rest = {text.data + i, text.len - i};
    bool begins = i == 0 || strchr(" \"'`(=<[", text.data[i - 1]);
    if (begins && long_path(rest, &name))
      i += name;
    cul_buf_addc(out, text.data[i]);
  }
}

/* Append the message as printed, on one line, without the folders of files if
 * it is long; for an assertion, without its place. */
static void add_message(const struct cul_signature *sig, struct cul_buf *out) {
  struct cul_bytes raw =
      without_header((struct cul_bytes){sig->raw, strlen(sig->raw)});
  const char *open =
      raw.len && raw.data[raw.len - 1] == ')' ? strrchr(raw.data, '(') : NULL;
  CUL_OWNED(cul_buf) brief = {0}, said = {0};
  size_t start = out->len;
  if (cul_signature_message_kind(sig) == CUL_KIND_ASSERTION && open &&
      open > raw.data && open[-1] == ' ')
    raw.len = (size_t)(open - raw.data);
  while (raw.len && *raw.data == ' ')
    raw.data++, raw.len--;
  if (raw.len > MOST) {
    add_without_folders(raw, &brief);
    raw = (struct cul_bytes){cul_buf_str(&brief), brief.len};
  }
  cul_brief(raw, MOST, strlen(sig->raw) + 1 == sizeof sig->raw, &said);
  while (said.len && isspace((unsigned char)said.data[said.len - 1]))
    said.data[--said.len] = '\0';
  cul_buf_add(out, said.data, said.len);
  add_line(sig, out);
  for (size_t i = start; i < out->len; i++)
    if (isspace((unsigned char)out->data[i]))
      out->data[i] = ' ';
}

/* The words that the log has before the message: "Check failed"; empty = there
 * are none, or they say that it is an assertion. */
static struct cul_bytes words_of_check(const struct cul_signature *sig) {
  enum { ALIKE = 16 }; /* bytes that the line and the message share */
  static const char failed[] = " failed: ", assertion[] = "assert";
  const char *at = sig->printed, *start, *open = strrchr(sig->raw, '(');
  size_t n = open ? (size_t)(open - sig->raw) : strlen(sig->raw);
  while (n > 0 && sig->raw[n - 1] == ' ')
    n--;
  if (!n)
    n = strlen(sig->raw);
  while ((at = strstr(at, failed)) != NULL &&
         strncmp(at + strlen(failed), sig->raw, n < ALIKE ? n : ALIKE) != 0)
    at++;
  for (start = at; at && start > sig->printed; start--)
    if (!isalpha((unsigned char)start[-1]))
      break;
  if (!at || start == at || !strncasecmp(start, assertion, strlen(assertion)))
    return (struct cul_bytes){NULL, 0};
  return (struct cul_bytes){start, (size_t)(at - start) + strlen(" failed")};
}

/* Is the message a heading that only says the kind: "+++ Timeout +++"? */
static bool is_heading(const char *message, const char *kind) {
  enum { FEW = 3 };
  size_t filling = strspn(message, "+*=#~-_"), n = strlen(kind);
  message += filling + strspn(message + filling, " ");
  return filling >= FEW && !strncasecmp(message, kind, n) &&
         !message[n + strspn(message + n, " +*=#~-_")];
}

static void add_what(const struct cul_signature *sig, bool tested,
                     struct cul_buf *out) {
  const char *name = cul_kind_name(cul_signature_label(sig));
  struct cul_bytes check = words_of_check(sig);
  if (sig->kind == CUL_KIND_ASSERTION && !sig->cause && check.len) {
    cul_buf_add(out, check.data, check.len);
    cul_buf_adds(out, ": ");
    add_message(sig, out);
    return;
  }
  if (sig->kind == CUL_KIND_ASSERTION && !sig->cause) {
    cul_buf_adds(out, "Assertion `");
    add_message(sig, out);
    cul_buf_addc(out, '\'');
    return;
  }
  if (sig->kind == CUL_KIND_SIGNAL) /* such as "Segmentation fault" */
    name = sig->status ? strsignal(sig->status) : "crash";
  cul_buf_addf(out, "%c%s", toupper((unsigned char)*name), name + 1);
  if (sig->kind == CUL_KIND_SIGNAL && sig->status)
    cul_buf_addf(out, " (%s)", cul_signal_name(sig->status));
  if (!sig->raw[0] || is_heading(sig->raw, cul_kind_name(sig->kind)) ||
      ((sig->kind == CUL_KIND_SIGNAL || tested) &&
       cul_signature_is_silent(sig)))
    return; /* the line only names the test */
  cul_buf_adds(out, ": ");
  add_message(sig, out);
}

/* Does the rule of the message say that the title needs the test? */
static bool is_of_test(const struct cul_rules *rules,
                       const struct cul_signature *sig) {
  for (size_t i = 0; i < rules->n_rules; i++)
    if (rules->rules[i].of_test && !strcmp(rules->rules[i].name, sig->rule))
      return true;
  return false;
}

/* Does the title need the test, if no function is known?  Messages of compilers
 * say what they are about. */
static bool needs_test(const struct cul_signature *sig) {
  switch (sig->kind) {
  case CUL_KIND_SIGNAL:
  case CUL_KIND_TIMEOUT:
  case CUL_KIND_DEVICE:
  case CUL_KIND_MEMORY:
  case CUL_KIND_MISMATCH:
  case CUL_KIND_EXCEPTION:
    return true;
  default:
    return cul_signature_is_silent(sig);
  }
}

/* The name of the file of one of lit's tests, "SUITE :: FOLDER/FILE"; else the
 * test. */
static const char *file_of(const char *test) {
  const char *slash = strrchr(test, '/');
  return slash && strstr(test, " :: ") ? slash + 1 : test;
}

/* Returns whether the title names the test. */
static bool add_test(const struct cul_triage *t,
                     const struct cul_bucket *bucket, struct cul_buf *out) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  const char *test = test_of(t, bucket);
  if (!*test && (sig->kind == CUL_KIND_TIMEOUT ||
                 (sig->kind == CUL_KIND_DEVICE && strstr(sig->input, "::"))))
    test = sig->input; /* what had not ended */
  if (*test && cul_names_test(test) && !sig->n_frames &&
      (needs_test(sig) || is_of_test(t->rules, sig)) &&
      !strstr(cul_buf_str(out), file_of(test)))
    return cul_buf_addf(out, " in %s", test), true;
  return false;
}

/* Of a crash without a message and names, the program is all that is known. */
static void add_tool(const struct cul_triage *t,
                     const struct cul_bucket *bucket, struct cul_buf *out) {
  CUL_OWNED(cul_buf) tool = {0};
  cul_bucket_tool(t, bucket, &tool);
  if (tool.len)
    cul_buf_addf(out, " in %s", cul_buf_str(&tool));
}

void cul_bucket_headline(const struct cul_triage *t,
                         const struct cul_bucket *bucket, struct cul_buf *out) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  struct cul_buf part = {0};
  char place[400];
  if (bucket->name) {
    cul_buf_adds(out, bucket->name);
    return;
  }
  place_of(t, bucket, place, sizeof place);
  add_part(t, bucket, place, &part);
  if (part.len)
    cul_buf_addf(out, "[%s] ", cul_buf_str(&part));
  add_what(sig, test_of(t, bucket)[0] != '\0', out);
  if (place[0])
    cul_buf_addf(out, " in %s", place);
  else if (!add_test(t, bucket, out) && cul_signature_is_silent(sig))
    add_tool(t, bucket, out);
  cul_buf_release(&part);
}
