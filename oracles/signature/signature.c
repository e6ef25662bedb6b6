/* Reads the signature of a record.
 *
 * The end of the run determines which messages can explain it.  If a signal
 * ended the tool, only messages that a dying process prints count, not earlier
 * diagnostics.  If the tool exited with an error status, all messages count.
 * The best rule determines kind and text of the signature, the rules for passes
 * its pass, and the stack its frames. */
#include "signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/settle.h"
#include "../rules/rules.h"
#include "brief.h"
#include "words.h"

/* Rules of a lower rank do not explain a death by signal. */
enum { RANK_OF_DEATH = 50 };
enum {
  RANK_OF_STEP =
      5, /* rules of a lower rank only name the step of a build that failed */
  RANK_OF_REPORT =
      30, /* rules of a lower rank show that something failed, but not what */
  NEAR_END = 1 << 16, /* maximal distance in bytes of a message from the crash
                         that it explains */
};
/* Maximal bytes of a message in a title. */
enum { TITLE_TEXT = 140 };

/* The text without colours and carriage returns.  The result borrows from text
 * if it has none, otherwise from copy. */
static struct cul_bytes plain_text(const struct cul_buf *text,
                                   struct cul_buf *copy) {
  const char *s = cul_buf_str(text);
  if (!memchr(s, '\x1b', text->len) && !memchr(s, '\r', text->len))
    return cul_buf_bytes(text);
  cul_buf_reserve(copy, text->len);
  for (size_t i = 0; i < text->len; i++) {
    if (s[i] == '\x1b' && i + 1 < text->len && s[i + 1] == '[') {
      size_t end = i + 2;
      while (end < text->len && end < i + 24 && (s[end] < '@' || s[end] > '~'))
        end++;
      i = end;
    } else if (s[i] != '\r') {
      copy->data[copy->len++] = s[i];
    }
  }
  copy->data[copy->len] = '\0';
  return cul_buf_bytes(copy);
}

/* Copy text to field, truncated between two UTF-8 characters. */
static void set_field(char *field, size_t size, const struct cul_buf *text) {
  size_t len = text->len < size ? text->len : size - 1;
  while (len > 0 && len < text->len && (text->data[len] & 0xc0) == 0x80)
    len--;
  if (len)
    memcpy(field, text->data, len);
  field[len] = '\0';
}

/* Set the message as printed; of a long one, both ends stay. */
static void set_raw(struct cul_signature *sig, const struct cul_buf *raw) {
  CUL_OWNED(cul_buf) brief = {0};
  if (raw->len < sizeof sig->raw) {
    set_field(sig->raw, sizeof sig->raw, raw);
    return;
  }
  cul_brief(cul_buf_bytes(raw), sizeof sig->raw - 64, false, &brief);
  set_field(sig->raw, sizeof sig->raw, &brief);
}

/* The length of the absolute path that begins at `at`; 0: none begins there. */
static size_t path_length(struct cul_bytes text, size_t at) {
  static const char before[] = " \t\n'\"`(=<[,",
                    behind[] = " \t\n'\"`()<>[],:;";
  size_t n = 0;
  if (text.data[at] != '/' ||
      (at > 0 && !memchr(before, text.data[at - 1], sizeof before - 1)))
    return 0;
  while (at + n < text.len &&
         !memchr(behind, text.data[at + n], sizeof behind - 1))
    n++;
  return n;
}

/* Append text, but replace each absolute path by the name of its file, because
 * directories differ from run to run. */
static void add_without_paths(struct cul_bytes text, struct cul_buf *out) {
  for (size_t at = 0; at < text.len;) {
    size_t n = path_length(text, at);
    const char *slash = n > 1 ? memrchr(text.data + at, '/', n) : NULL;
    size_t from = slash ? (size_t)(slash + 1 - text.data) : at;
    at += n > 1 ? n : 1;
    cul_buf_add(out, text.data + from, at - from);
  }
}

/* Copy the complete lines of the match to sig->printed. */
static void take_line(struct cul_bytes text, const struct cul_match *match,
                      struct cul_signature *sig) {
  size_t from = match->start, to = match->end;
  struct cul_buf line = {0};
  while (from > 0 && text.data[from - 1] != '\n')
    from--;
  while (to < text.len && text.data[to] != '\n')
    to++;
  add_without_paths((struct cul_bytes){text.data + from, to - from}, &line);
  set_field(sig->printed, sizeof sig->printed, &line);
  cul_buf_release(&line);
}

static void take_failure(const struct cul_match *match, int signal,
                         const struct cul_record *record,
                         struct cul_signature *sig) {
  const struct cul_rule *rule = match->rule;
  sig->kind = rule->kind;
  sig->status = signal ? signal : record->status;
  if (rule->kind == CUL_KIND_SIGNAL)
    sig->status = rule->status;
  snprintf(sig->rule, sizeof sig->rule, "%s", rule->name);
  set_field(sig->text, sizeof sig->text, &match->text);
  set_raw(sig, &match->raw);
}

static void take_end(const struct cul_record *record, int signal,
                     struct cul_signature *sig) {
  sig->kind = signal ? CUL_KIND_SIGNAL
              : record->end == CUL_EXITED && record->status == 0
                  ? CUL_KIND_NONE
                  : CUL_KIND_EXIT;
  sig->status = signal ? signal : record->status;
}

/* The part of text that begins with the last traceback before offset `at`, the
 * end of a message that may contain it.
 * Earlier tracebacks belong to exceptions that were being handled when this one
 * was raised. */
static struct cul_bytes from_traceback(struct cul_bytes text, size_t at) {
  static const char head[] = "Traceback (most recent call last)";
  const char *last = text.data, *end = text.data + at, *next = last;
  while (next && (next = memmem(next, (size_t)(end - next), head,
                                sizeof head - 1)) != NULL)
    last = next++;
  return (struct cul_bytes){last, text.len - (size_t)(last - text.data)};
}

/* The same, but only within the test of a harness that contains the message. */
static struct cul_bytes from_message(const struct cul_rules *rules,
                                     struct cul_bytes text,
                                     const struct cul_match *message) {
  struct cul_bytes section =
      cul_section_around(rules, text, message->start, false);
  size_t end;
  if (!section.len)
    return from_traceback(text, message->end);
  end = message->end - (size_t)(section.data - text.data);
  return from_traceback(section, end < section.len ? end : section.len);
}

/* Read the frames: from the traceback for a Python exception and for wrong
 * numbers that a test found, otherwise from the native stack.  For a signal
 * that the interpreter reports, prefer the native stack, because the traceback
 * only shows the caller. */
static void take_frames(const struct cul_rules *rules,
                        const struct cul_bytes texts[2],
                        const struct cul_match *failure,
                        struct cul_signature *sig) {
  bool python =
      !strncmp(sig->rule, "python-", 7) || sig->kind == CUL_KIND_MISMATCH;
  bool fault = python && sig->kind == CUL_KIND_SIGNAL;
  for (int i = 0; i < 2 && fault && !sig->n_frames; i++)
    (void)cul_frames_read(rules, texts[i], false, sig);
  for (int i = 0; i < 2 && !sig->n_frames; i++) {
    struct cul_bytes text = texts[i];
    if (python && failure->source == i && text.len)
      text = from_message(rules, text, failure);
    if (cul_frames_read(rules, text, python, sig) && !sig->text[0])
      snprintf(sig->text, sizeof sig->text, "stack overflow");
  }
}

/* If no frame is relevant, use the function that the message names. */
static void take_named_frame(const struct cul_match *failure,
                             struct cul_signature *sig) {
  const struct cul_frame *frame;
  size_t n = sig->n_frames;
  if (!failure->rule || !failure->frame[0] ||
      cul_frames_relevant(sig, false, &frame, 1))
    return;
  if (n == CUL_SIG_MAX_FRAMES)
    n--;
  memmove(&sig->frames[1], sig->frames, n * sizeof sig->frames[0]);
  sig->frames[0] = (struct cul_frame){.role = CUL_FRAME_RELEVANT};
  snprintf(sig->frames[0].name, sizeof sig->frames[0].name, "%s",
           failure->frame);
  sig->n_frames = n + 1;
}

/* If no rule matches and there is no stack, take the text from the line that
 * most probably describes the failure (words.h). */
static void take_words(const struct cul_rules *rules,
                       const struct cul_bytes texts[2],
                       const struct cul_prints *others,
                       struct cul_signature *sig) {
  struct cul_words words;
  if (sig->text[0] || sig->n_frames || sig->kind == CUL_KIND_TIMEOUT ||
      sig->kind == CUL_KIND_MEMORY ||
      !cul_words_rank(rules, texts, others, &words, 1) ||
      (sig->kind == CUL_KIND_SIGNAL &&
       !sig->signal && /* in a log: the signal is unknown */
       words.weight < CUL_WEIGHT_PLAIN))
    return;
  memcpy(sig->text, words.text, sizeof sig->text);
  memcpy(sig->raw, words.raw, sizeof sig->raw);
  sig->weight = words.weight;
  if (words.line)
    snprintf(sig->spot, sizeof sig->spot, "%s:%u", words.file, words.line);
  sig->words = true;
}

static void
take_matches(const struct cul_rules *rules, const struct cul_record *record,
             const struct cul_bytes texts[2], const struct cul_matches *found,
             const struct cul_prints *others, struct cul_signature *sig) {
  int signal = cul_record_signal(record);
  if (found->failure.rule) {
    take_failure(&found->failure, signal, record, sig);
    take_line(texts[found->failure.source], &found->failure, sig);
    cul_place_read(texts, &found->failure, sig);
  } else {
    take_end(record, signal, sig);
  }
  sig->signal = signal;
  if (sig->kind == CUL_KIND_NONE)
    return;
  set_field(sig->pass, sizeof sig->pass, &found->pass.text);
  set_field(sig->input, sizeof sig->input, &found->input.text);
  if (!found->failure.rule ||
      !(found->failure.rule->native || sig->kind == CUL_KIND_INFRASTRUCTURE))
    take_frames(rules, texts, &found->failure, sig);
  take_named_frame(&found->failure, sig);
  take_words(rules, texts, others, sig);
}

static void read_texts(const struct cul_rules *rules,
                       const struct cul_record *record,
                       const struct cul_bytes texts[2],
                       const struct cul_prints *others,
                       struct cul_signature *sig) {
  struct cul_match_scope asked = {
      .min_rank = cul_record_signal(record) ? RANK_OF_DEATH : 0,
      .exited_zero = record->end == CUL_EXITED && record->status == 0,
      .errors = true};
  struct cul_matches found = {0};
  cul_match_texts(rules, texts, &asked, &found);
  take_matches(rules, record, texts, &found, others, sig);
  if (sig->kind != CUL_KIND_NONE)
    cul_errors_read(rules, texts, &found, sig);
  cul_matches_release(&found);
}

bool cul_signature_is_silent(const struct cul_signature *sig) {
  if (sig->kind != CUL_KIND_SIGNAL && sig->kind != CUL_KIND_TIMEOUT)
    return false;
  return !sig->text[0] || (sig->kind == CUL_KIND_SIGNAL && !sig->signal &&
                           sig->words && sig->weight < CUL_WEIGHT_TELLING);
}

static bool has_message(const struct cul_signature *sig) {
  return sig->text[0] && !cul_signature_is_silent(sig);
}

/* The first helper function on the stack, for failures without a message whose
 * stack has no relevant frame; NULL: there is none. */
static const struct cul_frame *helper_of(const struct cul_signature *sig) {
  for (size_t i = 0; i < sig->n_frames && !has_message(sig); i++)
    if (sig->frames[i].role == CUL_FRAME_HELPER && sig->frames[i].name[0])
      return &sig->frames[i];
  return NULL;
}

/* Append " in PROGRAM" for a crash in a log about which nothing else is known.
 * The program is the first word of sig->input, or the second if the first is a
 * function. */
static void program_of(const struct cul_signature *sig, char *out,
                       size_t size) {
  const char *word = sig->input;
  size_t len = strcspn(word, " ");
  const char *next = word + len + strspn(word + len, " ");
  size_t next_len = strcspn(next, " ");
  if (sig->kind != CUL_KIND_SIGNAL || sig->signal || has_message(sig) || !len)
    return;
  if (next_len && *next != '-' && !memchr(next, '.', next_len)) {
    word = next;
    len = next_len;
  }
  snprintf(out, size, " in %.*s", (int)len, word);
}

/* Does the log lack the innermost frames, so that it only shows drivers that
 * called the failing function? */
static bool lacks_innermost(const struct cul_signature *sig) {
  for (size_t i = 0; i < sig->n_frames && !has_message(sig); i++)
    if (sig->frames[i].role == CUL_FRAME_OUTER)
      return true;
  return false;
}

/* Where the failure occurred: the first relevant frame, preferably one with a
 * name. */
static void place_of(const struct cul_rules *rules,
                     const struct cul_signature *sig, char *out, size_t size) {
  const struct cul_frame *frame;
  bool generic;
  out[0] = '\0';
  if (!cul_frames_relevant(sig, false, &frame, 1))
    frame = helper_of(sig);
  if (!frame) {
    program_of(sig, out, size);
    if (lacks_innermost(sig))
      snprintf(out + strlen(out), size - strlen(out),
               ": the log lacks the innermost frames");
    return;
  }
  if (frame->name[0]) {
    const char *place = cul_frame_place(rules, sig, frame, &generic);
    snprintf(out, size, "%s%s", place[0] ? " in " : "", place);
    return;
  }
  snprintf(out, size, " in %s", frame->module);
  if (cul_frames_relevant(sig, true, &frame, 1))
    snprintf(out + strlen(out), size - strlen(out), " under %s", frame->name);
}

/* The next string between two of these quotes at or after s, with them; empty:
 * there is none. */
static struct cul_bytes next_quoted(const char *s, char quote) {
  const char *open = strchr(s, quote),
             *close = open ? strchr(open + 1, quote) : NULL;
  return close ? (struct cul_bytes){open, (size_t)(close + 1 - open)}
               : (struct cul_bytes){NULL, 0};
}

static size_t count_quoted(const char *s, char quote) {
  struct cul_bytes at;
  size_t n = 0;
  for (; (at = next_quoted(s, quote)).len; n++)
    s = at.data + at.len;
  return n;
}

/* Is it a name or a type in quotes, and no sentence, path or text of a file? */
static bool is_quoted_name(struct cul_bytes quoted) {
  enum { LONG = 64 };
  bool word = false;
  if (quoted.len > LONG)
    return false;
  for (size_t i = 1; i + 1 < quoted.len; i++) {
    char c = quoted.data[i];
    word = word || isalpha((unsigned char)c) || c == '_';
    if (!isalnum((unsigned char)c) && !strchr("_ :<>,*&()[].$;{}+-=!~", c))
      return false;
  }
  return word || quoted.len == 3; /* "(", a token of the language */
}

/* Append s, with the names between two of these quotes as in raw, where s has S
 * instead. */
static void restore_names(const char *s, const char *raw, char quote,
                          struct cul_buf *out) {
  struct cul_bytes at, printed;
  if (count_quoted(s, quote) != count_quoted(raw, quote)) {
    cul_buf_adds(out, s);
    return;
  }
  while ((at = next_quoted(s, quote)).len) {
    const char *end = at.data + at.len;
    printed = next_quoted(raw, quote);
    cul_buf_add(out, s, (size_t)(at.data - s));
    if (at.len == 3 && at.data[1] == 'S' && is_quoted_name(printed))
      at = printed;
    cul_buf_add(out, at.data, at.len);
    s = end;
    raw = printed.data + printed.len;
  }
  cul_buf_adds(out, s);
}

/* Append the text for a title.  It shows the names in quotes as printed, which
 * the compared text replaces by "S": people search for them. */
static void title_text(const struct cul_signature *sig, struct cul_buf *out) {
  struct cul_buf half = {0};
  restore_names(sig->text, sig->raw, '"', &half);
  restore_names(cul_buf_str(&half), sig->raw, '\'', out);
  cul_buf_release(&half);
}

/* Has the field lost the end of what it was set to? */
static bool is_full(const char *field, size_t size) {
  enum { CHARACTER = 3 }; /* most bytes of a cut one */
  return strlen(field) + CHARACTER >= size - 1;
}

/* The "(file, function)" at the end of a text that is too long for a title; "":
 * there is none, or no room for it. */
static const char *title_place(const char *text) {
  size_t n = strlen(text);
  const char *open =
      n > TITLE_TEXT && text[n - 1] == ')' ? memrchr(text, '(', n - 1) : NULL;
  return open && open[-1] == ' ' && !memchr(open, ')', strlen(open) - 1) &&
                 strlen(open) < TITLE_TEXT / 2
             ? open - 1
             : "";
}

/* If the text is too long for a title, and is a chain, "A failed: B failed: C",
 * drop its parts that say only that something failed, but not the last one. */
static void drop_hollow_parts(const struct cul_rules *rules,
                              struct cul_buf *text) {
  static const char mark[] = ": ";
  for (size_t at = 0; text->len > TITLE_TEXT && at < text->len;) {
    struct cul_bytes part = {text->data + at, text->len - at};
    const char *end = memmem(part.data, part.len, mark, sizeof mark - 1);
    if (!end)
      return;
    part.len = (size_t)(end - part.data);
    if (cul_line_find(rules, CUL_LINE_HOLLOW, part).len) {
      const char *rest = end + sizeof mark - 1;
      size_t n = text->len - (size_t)(rest - text->data);
      memmove(text->data + at, rest, n + 1);
      text->len = at + n;
    } else {
      at += part.len + sizeof mark - 1;
    }
  }
}

static void make_title(const struct cul_rules *rules,
                       struct cul_signature *sig) {
  char place[320], cause[64];
  CUL_OWNED(cul_buf) said = {0};
  struct cul_buf title = {0};
  const char *file;
  title_text(sig, &said);
  drop_hollow_parts(rules, &said);
  file = title_place(cul_buf_str(&said));
  place_of(rules, sig, place, sizeof place);
  if (sig->kind == CUL_KIND_SIGNAL && sig->status)
    snprintf(cause, sizeof cause, "crash (%s)", cul_signal_name(sig->status));
  else if (sig->kind == CUL_KIND_SIGNAL)
    snprintf(cause, sizeof cause, "crash");
  else if (sig->kind == CUL_KIND_EXIT && !sig->status)
    snprintf(cause, sizeof cause, sig->words ? "guess" : "not understood");
  else if (sig->kind == CUL_KIND_EXIT)
    snprintf(cause, sizeof cause, "exit status %d", sig->status);
  else
    snprintf(cause, sizeof cause, "%s%s",
             cul_kind_name(cul_signature_label(sig)),
             sig->guess ? " (guess)" : "");
  cul_buf_adds(&title, cause);
  if (has_message(sig)) {
    cul_buf_adds(&title, ": ");
    cul_brief((struct cul_bytes){said.data, said.len - strlen(file)},
              TITLE_TEXT - strlen(file), is_full(sig->text, sizeof sig->text),
              &title);
    cul_buf_adds(&title, file);
  }
  cul_buf_adds(&title, place);
  set_field(sig->title, sizeof sig->title, &title);
  cul_buf_release(&title);
}

/* Hangs of different pace are different failures: an endless loop is not a lost
 * wake-up. */
static const char *pace_words(enum cul_pace pace) {
  switch (pace) {
  case CUL_PACE_SPINNING:
    return "spinning";
  case CUL_PACE_WAITING:
    return "waiting";
  case CUL_PACE_UNKNOWN:
  case CUL_PACE_MIXED:
    break;
  }
  return "";
}

void cul_signature_read(const struct cul_rules *rules,
                        const struct cul_record *record,
                        struct cul_signature *out) {
  cul_signature_read_beside(rules, record, NULL, out);
}

void cul_signature_read_beside(const struct cul_rules *rules,
                               const struct cul_record *record,
                               const struct cul_prints *others,
                               struct cul_signature *out) {
  struct cul_buf copies[2] = {{0}};
  memset(out, 0, sizeof *out);
  if (record->end == CUL_DEADLINE) {
    out->kind = CUL_KIND_TIMEOUT;
    snprintf(out->text, sizeof out->text, "%s", pace_words(record->pace));
  } else if (record->end == CUL_NOT_STARTED || record->end == CUL_MACHINE) {
    out->kind = CUL_KIND_EXIT;
    out->status = record->status;
  } else {
    struct cul_bytes texts[2] = {plain_text(&record->err, &copies[0]),
                                 plain_text(&record->out, &copies[1])};
    read_texts(rules, record, texts, others, out);
  }
  make_title(rules, out);
  cul_signature_seal(rules, out);
  cul_buf_release(&copies[0]);
  cul_buf_release(&copies[1]);
}

void cul_prints_add(const struct cul_rules *rules, struct cul_prints *prints,
                    const struct cul_record *record) {
  struct cul_buf copies[2] = {{0}};
  struct cul_bytes texts[2] = {plain_text(&record->err, &copies[0]),
                               plain_text(&record->out, &copies[1])};
  cul_prints_add_texts(rules, prints, texts);
  cul_buf_release(&copies[0]);
  cul_buf_release(&copies[1]);
}

bool cul_rejection_read(const struct cul_rules *rules,
                        const struct cul_record *record, char *out, size_t n) {
  struct cul_buf copies[2] = {{0}};
  struct cul_bytes texts[2] = {plain_text(&record->err, &copies[0]),
                               plain_text(&record->out, &copies[1])};
  struct cul_bytes line = cul_line_find(rules, CUL_LINE_REJECTED, texts[0]);
  if (line.len == 0)
    line = cul_line_find(rules, CUL_LINE_REJECTED, texts[1]);
  snprintf(out, n, "%.*s", (int)line.len, line.len ? line.data : "");
  cul_buf_release(&copies[0]);
  cul_buf_release(&copies[1]);
  return out[0] != '\0';
}

bool cul_signature_tells_input(const struct cul_rules *rules,
                               const struct cul_signature *sig) {
  size_t len = strcspn(sig->input, " ");
  const char *program = sig->input + len;
  char name[200];
  program += strspn(program, " ");
  if (!len || *program == '-' || !strchr(program, ' ') ||
      len >= sizeof name) /* not "FUNCTION PROGRAM OPTION..." */
    return false;
  snprintf(name, sizeof name, "%.*s", (int)len, sig->input);
  return !cul_list_has(&rules->lists[CUL_LIST_DEFAULT], name, false);
}

/* The kind of failure that the words of the line suggest, or CUL_KIND_NONE. */
static enum cul_kind suggested_kind(const struct cul_rules *rules,
                                    struct cul_bytes line) {
  for (size_t i = 0; i < rules->n_lines; i++)
    if (rules->lines[i].kind == CUL_LINE_GUESS &&
        cul_line_matches(rules, &rules->lines[i], line, NULL))
      return rules->lines[i].suggests;
  return CUL_KIND_NONE;
}

/* Running out of memory, deadlines, device errors and wrong numbers keep their
 * kind, whether an exception, a logger or a compiler reports them.  Returns
 * that kind, or CUL_KIND_NONE if the message reports none of them. */
static enum cul_kind reported_kind(const struct cul_rules *rules,
                                   enum cul_kind kind, const char *raw) {
  if (kind != CUL_KIND_DIAGNOSTIC && kind != CUL_KIND_EXCEPTION)
    return CUL_KIND_NONE;
  kind = suggested_kind(rules, (struct cul_bytes){raw, strlen(raw)});
  return kind == CUL_KIND_MEMORY || kind == CUL_KIND_TIMEOUT ||
                 kind == CUL_KIND_DEVICE || kind == CUL_KIND_MISMATCH
             ? kind
             : CUL_KIND_NONE;
}

static void take_reported_kind(const struct cul_rules *rules,
                               struct cul_signature *sig) {
  enum cul_kind kind = reported_kind(rules, sig->kind, sig->raw);
  if (!sig->words && sig->cause == CUL_KIND_NONE && kind != CUL_KIND_NONE)
    sig->kind = kind;
}

/* Guess the kind from a line that no rule knows: what its words suggest, an
 * exception if it names the class of one, or a diagnostic if a tool reports an
 * error. */
static void guess_kind(const struct cul_rules *rules,
                       struct cul_signature *sig) {
  struct cul_bytes line = {sig->raw, strlen(sig->raw)};
  enum cul_kind kind = suggested_kind(rules, line);
  if (kind != CUL_KIND_NONE)
    sig->kind = kind;
  else if (cul_line_find(rules, CUL_LINE_RAISED, line).len)
    sig->kind = CUL_KIND_EXCEPTION;
  else if (cul_line_find(rules, CUL_LINE_TELLING, line).len)
    sig->kind = CUL_KIND_DIAGNOSTIC;
  else
    return;
  sig->guess = true;
}

/* The next line with words after offset `at`, without its indentation; empty:
 * it belongs to a traceback, or there is none in the next lines. */
static struct cul_bytes next_words(struct cul_bytes text, size_t at) {
  enum { NEAR = 3 };
  const char *next = text.data + at, *end = text.data + text.len;
  struct cul_bytes line = {0};
  for (int i = 0; i < NEAR; i++) {
    const char *nl = memchr(next, '\n', (size_t)(end - next));
    if (!nl)
      break;
    next = nl + 1;
    nl = memchr(next, '\n', (size_t)(end - next));
    line = (struct cul_bytes){next, (size_t)((nl ? nl : end) - next)};
    if (cul_bytes_start(line, "E  ")) /* the mark of pytest */
      line = (struct cul_bytes){line.data + 1, line.len - 1};
    while (line.len && (*line.data == ' ' || *line.data == '\t'))
      line = (struct cul_bytes){line.data + 1, line.len - 1};
    if (cul_has_words(line))
      return cul_bytes_start(line, "Traceback ") ||
                     cul_bytes_start(line, "File ")
                 ? (struct cul_bytes){0}
                 : line;
  }
  return (struct cul_bytes){0};
}

/* Does the message only announce the next line, because it ends in a colon or
 * is a code in brackets? */
static bool announces(const char *text, size_t n) {
  size_t i = 1;
  if (n && text[n - 1] == ':')
    return true;
  while (i + 1 < n && (isalnum((unsigned char)text[i]) || text[i] == '-'))
    i++;
  return n > 2 && text[0] == '[' && i + 1 == n && text[i] == ']';
}

/* If the message only announces the next line, append that.
 * end: the end of the message in text; unused for a guess (sig->words), whose
 * end is unknown. */
static void join_heading(const struct cul_rules *rules, struct cul_bytes text,
                         size_t end, struct cul_signature *sig) {
  size_t n = strlen(sig->raw);
  const char *at = memmem(text.data, text.len, sig->raw, n);
  struct cul_buf raw = {0}, plain = {0};
  struct cul_bytes next;
  while (n > 0 && sig->raw[n - 1] == ' ')
    n--;
  if ((!sig->words && sig->kind != CUL_KIND_EXCEPTION &&
       sig->kind != CUL_KIND_DIAGNOSTIC) ||
      !announces(sig->raw, n) || (sig->words && !at))
    return;
  next = next_words(text, sig->words ? (size_t)(at - text.data) : end);
  if (!next.len)
    return;
  cul_buf_addf(&raw, "%.*s ", (int)n, sig->raw);
  cul_buf_add(&raw, next.data,
              next.len < sizeof sig->raw ? next.len : sizeof sig->raw);
  cul_normalise(rules, sig->words ? CUL_KIND_DIAGNOSTIC : sig->kind,
                cul_buf_str(&raw), raw.len, &plain);
  set_field(sig->raw, sizeof sig->raw, &raw);
  set_field(sig->text, sizeof sig->text, &plain);
  cul_buf_release(&raw);
  cul_buf_release(&plain);
}

/* If a guessed line has the form in which compilers or loggers report errors,
 * take only the reported message; otherwise guess its kind. */
static void take_report(const struct cul_rules *rules,
                        struct cul_signature *sig) {
  struct cul_bytes line = {sig->raw, strlen(sig->raw)}, groups[2];
  for (size_t i = 0; i < rules->n_lines && sig->words; i++) {
    struct cul_buf raw = {0}, text = {0};
    if (rules->lines[i].kind != CUL_LINE_REPORT ||
        !cul_line_matches(rules, &rules->lines[i], line, groups))
      continue;
    sig->kind = suggested_kind(rules, groups[0]);
    if (sig->kind == CUL_KIND_NONE)
      sig->kind = CUL_KIND_DIAGNOSTIC;
    cul_buf_add(&raw, groups[0].data, groups[0].len);
    cul_normalise(rules, CUL_KIND_DIAGNOSTIC, cul_buf_str(&raw), raw.len,
                  &text);
    set_field(sig->raw, sizeof sig->raw, &raw);
    set_field(sig->text, sizeof sig->text, &text);
    cul_buf_release(&raw);
    cul_buf_release(&text);
    return;
  }
  if (sig->words)
    guess_kind(rules, sig);
}

void cul_signature_guess(const struct cul_rules *rules, const char *raw,
                         const char *text, struct cul_signature *sig) {
  snprintf(sig->raw, sizeof sig->raw, "%s", raw);
  snprintf(sig->text, sizeof sig->text, "%s", text);
  sig->words = true;
  sig->kind = CUL_KIND_EXIT;
  sig->guess = false;
  take_report(rules, sig);
  make_title(rules, sig);
  cul_signature_seal(rules, sig);
}

/* Can an error that the process printed before explain this death? */
static bool may_be_explained(const struct cul_rule *death) {
  switch (death->kind) {
  case CUL_KIND_ASSERTION:
  case CUL_KIND_FATAL:
  case CUL_KIND_ABORT:
  case CUL_KIND_UNREACHABLE:
  case CUL_KIND_EXCEPTION:
    return death->rank >= RANK_OF_DEATH;
  case CUL_KIND_SIGNAL:
    return true;
  default:
    return false;
  }
}

static size_t line_of(struct cul_bytes text, size_t at) {
  const char *nl = at ? memrchr(text.data, '\n', at) : NULL;
  return nl ? (size_t)(nl - text.data) + 1 : 0;
}

/* Is the message at that offset a compiler's error about source code (the next
 * line may show it)?  A compiler continues after such an error and may crash
 * for another reason. */
static bool is_source_error(const struct cul_rules *rules,
                            struct cul_bytes text, size_t at) {
  size_t start = line_of(text, at);
  const char *nl = memchr(text.data + start, '\n', text.len - start);
  size_t end;
  if (nl) /* include the next line */
    nl = memchr(nl + 1, '\n', text.len - (size_t)(nl + 1 - text.data));
  end = nl ? (size_t)(nl - text.data) : text.len;
  return cul_line_find(rules, CUL_LINE_SOURCE,
                       (struct cul_bytes){text.data + start, end - start})
             .len > 0;
}

/* If a compiler's error explains the assertion or crash after it, make the
 * error the failure, and move the crash to *then.  Returns whether it did. */
static bool put_cause_first(const struct cul_rules *rules,
                            struct cul_bytes text, struct cul_matches *found,
                            struct cul_match *then) {
  const struct cul_match *death = &found->failure, *cause = &found->cause;
  if (!death->rule || !cause->rule || cause->rule == death->rule ||
      !may_be_explained(death->rule) || cause->start >= death->start ||
      death->start - cause->start > NEAR_END ||
      is_source_error(rules, text, cause->start))
    return false;
  *then = found->failure;
  found->failure = found->cause;
  found->cause = (struct cul_match){0};
  if (then->raw.len &&
      strstr(cul_buf_str(&found->failure.raw), cul_buf_str(&then->raw))) {
    /* Both have the same message: the error ends the process. */
    found->failure.rule = then->rule;
    return true;
  }
  return true;
}

/* Can a process continue after this message and die of the signal later?  An
 * uncaught exception calls abort, so SIGABRT comes from it. */
static bool may_survive(const struct cul_rule *message, int signal) {
  if (message->rank >= RANK_OF_DEATH)
    return false;
  return message->kind == CUL_KIND_DIAGNOSTIC ||
         message->kind == CUL_KIND_VERIFIER ||
         (message->kind == CUL_KIND_EXCEPTION &&
          signal != cul_signal_number("SIGABRT"));
}

/* Does the message show how a process died?  Wrong numbers, network errors and
 * diagnostics also occur in runs that succeed. */
static bool is_fatal(const struct cul_rule *message) {
  return message && !may_survive(message, 0) &&
         message->kind != CUL_KIND_MISMATCH &&
         message->kind != CUL_KIND_INFRASTRUCTURE;
}

/* Whoever started the process ends it so, as of a group of which one failed. */
static bool is_from_outside(int signal) {
  return signal == cul_signal_number("SIGKILL") ||
         signal == cul_signal_number("SIGTERM");
}

/* Does an exception say what failed? */
static bool is_told_failure(const struct cul_match *message) {
  return message->rule->kind == CUL_KIND_EXCEPTION && !message->hollow &&
         message->rule->rank >= RANK_OF_REPORT;
}

/* If the process can survive the best message, and a shell, a harness or a
 * signal handler reports a signal after it, set *then to this signal.  Lists of
 * failed tests follow all reports, so the distance does not matter for their
 * rank. */
static void end_with_signal(struct cul_matches *found, struct cul_match *then) {
  const struct cul_match *message = &found->failure, *end = &found->end;
  bool itself =
      end->rule && end->start >= message->start &&
      end->start < message->end; /* it reports the death of a child process */
  if (then->rule || !message->rule || !end->rule ||
      !may_survive(message->rule, itself ? 0 : end->rule->status))
    return;
  if (itself) {
    *then = found->end;
    found->end = (struct cul_match){0};
    return;
  }
  if (message->rule->rank >= RANK_OF_REPORT &&
      (end->start < message->end || end->start - message->end > NEAR_END))
    return;
  if (is_told_failure(message) && is_from_outside(end->rule->status))
    return;
  *then = found->end;
  found->end = (struct cul_match){0};
}

/* Does the exception quote the message, as when it contains the output of a
 * compiler after a line that ends in a colon? */
static bool is_quoted_by(struct cul_bytes text, const struct cul_said *said,
                         size_t at) {
  enum { MOST = 1 << 10 };
  if (at > text.len || said->start >= at || at - said->start > MOST)
    return false;
  while (at > said->start && strchr("\r\n\t ", text.data[at - 1]))
    at--;
  return at > said->start && text.data[at - 1] == ':';
}

/* Is the message part of the output that a harness shows after the exception,
 * although it was printed earlier? */
static bool is_shown_behind(const struct cul_rules *rules,
                            struct cul_bytes text, const struct cul_said *said,
                            size_t at) {
  if (said->start >= at || at > text.len || at - said->start > NEAR_END)
    return false;
  text = (struct cul_bytes){text.data + said->start, at - said->start};
  return cul_line_find(rules, CUL_LINE_OUTPUT, text).len > 0;
}

/* If an exception follows or quotes a compiler's error, set *then to it. */
static void end_with_exception(const struct cul_rules *rules,
                               struct cul_bytes text,
                               const struct cul_matches *found,
                               struct cul_match *then) {
  const struct cul_match *message = &found->failure;
  if (then->rule || !message->rule || !may_survive(message->rule, 0) ||
      message->rule->kind == CUL_KIND_EXCEPTION)
    return;
  for (size_t i = 0; i < found->n_said; i++) {
    const struct cul_said *said = &found->said[i];
    bool behind =
        said->start >= message->end && said->start - message->end <= NEAR_END;
    if (said->rule->kind != CUL_KIND_EXCEPTION ||
        (!behind && !is_quoted_by(text, said, line_of(text, message->start)) &&
         !is_shown_behind(rules, text, said, message->start)))
      continue;
    *then = (struct cul_match){.rule = said->rule, .start = said->start};
    cul_buf_adds(&then->raw, said->raw);
    cul_normalise(rules, said->rule->kind, said->raw, strlen(said->raw),
                  &then->text);
    return;
  }
}

/* If *then is a crash, which has no message, give it the text "crash
 * (SIGNAL)". */
static void name_crash(const struct cul_matches *found,
                       struct cul_match *then) {
  int signal = then->rule ? then->rule->status : 0;
  if (!then->rule || then->rule->kind != CUL_KIND_SIGNAL)
    return;
  if (!signal && found->end.rule)
    signal = found->end.rule->status;
  cul_buf_clear(&then->raw);
  cul_buf_clear(&then->text);
  cul_buf_adds(&then->raw, "crash");
  if (signal)
    cul_buf_addf(&then->raw, " (%s)", cul_signal_name(signal));
  cul_buf_add(&then->text, then->raw.data, then->raw.len);
}

/* Is abort() among the innermost frames? */
static bool is_aborted(const struct cul_signature *sig) {
  for (size_t i = 0; i < sig->n_frames && sig->frames[i].role == CUL_FRAME_TRAP;
       i++)
    if (!strcmp(sig->frames[i].name, "abort") ||
        !strcmp(sig->frames[i].name, "__GI_abort"))
      return true;
  return false;
}

/* Set the kind from how the run ended (*then, or the message itself); the kind
 * of the message becomes the cause.  A run that is out of memory or loses a
 * device can end in any way, so its kind is that of the message.
 *
 * The signal of a crash may be known only from a shell or harness.  It is used
 * only if there is a stack: otherwise logs with and without that line would
 * count as two failures. */
static void take_ending(const struct cul_rules *rules,
                        const struct cul_matches *found,
                        const struct cul_match *then,
                        struct cul_signature *sig) {
  const struct cul_rule *end = then->rule ? then->rule : found->failure.rule;
  enum cul_kind told = reported_kind(rules, sig->kind, sig->raw);
  sig->status = 0;
  if (!end)
    return;
  if (told == CUL_KIND_MEMORY || told == CUL_KIND_DEVICE) {
    sig->kind = told;
    return;
  }
  if (end->kind == CUL_KIND_EXCEPTION && end->rank < RANK_OF_DEATH)
    end = found->failure.rule; /* it only repeats the message */
  if (end->kind != sig->kind) {
    sig->cause = sig->kind;
    sig->kind = end->kind;
  }
  if (end->kind != CUL_KIND_SIGNAL)
    return;
  sig->status = end->status;
  if (!end->status && found->end.rule && sig->n_frames)
    sig->status = found->end.rule->status;
}

/* An asynchronous error is reported at an arbitrary later call.  So keep only
 * one frame: the outermost function, skipping names on the list of default
 * names, which shows the work that met the error. */
static void keep_outermost(const struct cul_rules *rules, struct cul_bytes text,
                           struct cul_signature *sig) {
  struct cul_frame work;
  bool found = false;
  sig->late = true;
  sig->n_frames = sig->n_anchors = 0;
  (void)cul_frames_read(rules, text, true, sig);
  for (size_t i = sig->n_frames; i-- > 0;) {
    const struct cul_frame *frame = &sig->frames[i];
    if (frame->role != CUL_FRAME_RELEVANT)
      continue;
    work = found ? work : *frame;
    found = true;
    if (!cul_list_has(&rules->lists[CUL_LIST_DEFAULT], frame->name, false)) {
      work = *frame;
      break;
    }
  }
  sig->n_frames = found;
  if (found)
    sig->frames[0] = work;
}

/* Append the error code of the device runtime, from a line near the message, to
 * the title, because people search for it. */
static void add_code(const struct cul_rules *rules, struct cul_bytes text,
                     size_t at, struct cul_signature *sig) {
  enum { NEAR = 1 << 13 };
  size_t from = line_of(text, at > NEAR ? at - NEAR : 0);
  size_t left = text.len - from, n = strlen(sig->title);
  struct cul_bytes code[2];
  struct cul_bytes line = {text.data + from, left < 2 * NEAR ? left : 2 * NEAR};
  if (sig->kind != CUL_KIND_DEVICE && sig->kind != CUL_KIND_TIMEOUT)
    return;
  line = cul_line_find(rules, CUL_LINE_CODE, line);
  for (size_t i = 0; i < rules->n_lines && line.len; i++)
    if (rules->lines[i].kind == CUL_LINE_CODE &&
        cul_line_matches(rules, &rules->lines[i], line, code) && code[0].len &&
        !memmem(sig->title, n, code[0].data, code[0].len)) {
      snprintf(sig->title + n, sizeof sig->title - n, " (error code %.*s)",
               (int)code[0].len, code[0].data);
      return;
    }
}

/* The words of a line, behind what loggers and pytest write before them; the
 * line may be cut within that. */
static const char *words_of(const char *line) {
  const char *close = line + strcspn(line, "[]");
  line = *close == ']' ? close + 1 : line;
  for (;;) {
    line += strspn(line, " \t*#");
    if (!strncmp(line, "E   ", 4))
      line += 4;
    else if (*line == '[' && (close = strchr(line, ']')) != NULL)
      line = close + 1;
    else
      return line;
  }
}

/* Is the line a heading, or a table that dots fill? */
static bool is_filled(const char *line) {
  for (; line[0]; line++)
    if (ispunct((unsigned char)line[0]) && line[1] == line[0] &&
        line[2] == line[0] && line[3] == line[0])
      return true;
  return false;
}

/* Does the line begin as a sentence does, and not as a row of results? */
static bool is_sentence(const char *line) {
  return isalpha((unsigned char)line[0]) && islower((unsigned char)line[1]);
}

/* Does the text say enough without the line?  It does if it quotes a sentence
 * of the line, or if the line is little more than the text. */
static bool says_enough(const struct cul_rule *rule, const char *text,
                        const char *line) {
  enum { LONG = 24, SENTENCE = 32 };
  const char *behind = strstr(text, ": ");
  size_t n = strlen(text), most = strlen(line);
  if (n >= SENTENCE && strchr(rule->text, '$'))
    return true;
  if (n && !strncasecmp(line, text, n < LONG ? n : LONG))
    return true;
  return (2 * n > most && strcasestr(line, text)) ||
         (behind && 2 * strlen(behind) > most && strcasestr(line, behind + 2));
}

/* If the text is in words of the rule's, append the line as printed to the
 * title, because people search for its words.  Those of a crash say how it was
 * reported. */
static void add_line(const struct cul_match *match, struct cul_signature *sig) {
  enum { MOST = 110 };
  const char *words = words_of(cul_buf_str(&match->line));
  size_t length = strlen(words), end = length, n = strlen(sig->title);
  struct cul_buf line = {0};
  if (!match->rule || !match->of_rule || match->rule->kind == CUL_KIND_SIGNAL ||
      is_filled(words) || (!sig->text[0] && !is_sentence(words)))
    return;
  if (length > MOST) {
    for (end = MOST; end > MOST / 2 && words[end] != ' ';)
      end--;
    while (end > 0 && ((unsigned char)words[end] & 0xC0) == 0x80)
      end--; /* not within a character */
  }
  add_without_paths((struct cul_bytes){words, end}, &line);
  while (line.len && strchr(" *", line.data[line.len - 1]))
    line.data[--line.len] = '\0';
  if (line.len && !strcasestr(sig->title, cul_buf_str(&line)) &&
      !says_enough(match->rule, sig->text, cul_buf_str(&line)))
    snprintf(sig->title + n, sizeof sig->title - n, " (%s%s)",
             cul_buf_str(&line), end < length ? "..." : "");
  cul_buf_release(&line);
}

bool cul_names_test(const char *test) {
  return *test && strncmp(test, "ERROR ", 6) != 0;
}

bool cul_signature_name_test(const struct cul_rules *rules, const char *test,
                             struct cul_signature *sig) {
  const struct cul_frame *frame;
  struct cul_buf title = {0};
  char place[320];
  const char *at;
  bool generic;
  if (!cul_names_test(test) || !cul_frames_relevant(sig, true, &frame, 1))
    return false;
  (void)cul_frame_place(rules, sig, frame, &generic);
  place_of(rules, sig, place, sizeof place);
  at = place[0] ? strstr(sig->title, place) : NULL;
  if (!generic || (place[0] && !at))
    return false;
  at = at ? at : sig->title + strlen(sig->title);
  cul_buf_addf(&title, "%.*s in %s%s", (int)(at - sig->title), sig->title, test,
               at + strlen(place[0] && *at ? place : ""));
  set_field(sig->title, sizeof sig->title, &title);
  cul_buf_release(&title);
  return true;
}

/* ---- messages after the failure ---- */

/* Sorted by line; on one line, the message of the highest rank first. */
struct later_message {
  size_t line;
  const struct cul_said *said;
};

static int compare_later(const void *a, const void *b) {
  const struct later_message *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return y->said->rule->rank - x->said->rule->rank;
}

static bool is_listed(const struct cul_signature *sig, const char *raw,
                      const char *text) {
  bool told = !raw[0] || !strcmp(text, sig->text);
  for (size_t i = 0; i < sig->errors.n; i++)
    told = told || !strcmp(text, sig->errors.lines[i].text) ||
           !strcmp(raw, sig->errors.lines[i].raw);
  return told;
}

/* Add the messages on the lines after the failure to sig->errors, each once and
 * by its best rule: exceptions raised because of it, reports of signal
 * handlers. */
static void add_later_messages(const struct cul_rules *rules,
                               struct cul_bytes text,
                               const struct cul_matches *found,
                               struct cul_signature *sig) {
  enum { MOST = 4 };
  size_t end = found->failure.end, n = 0, shown[MOST], n_shown = 0;
  struct later_message *later = cul_xcalloc(found->n_said + 1, sizeof *later);
  for (size_t i = 0; i < found->n_said; i++)
    if (found->said[i].rule->rank >= RANK_OF_REPORT &&
        found->said[i].start >= end &&
        line_of(text, found->said[i].start) > found->failure.start)
      later[n++] = (struct later_message){line_of(text, found->said[i].start),
                                          &found->said[i]};
  qsort(later, n, sizeof *later, compare_later);
  for (size_t i = 0; i < n && n_shown < MOST; i++)
    if (i == 0 || later[i].line != later[i - 1].line)
      shown[n_shown++] = i;
  while (n_shown-- > 0) { /* cul_errors_follow inserts at the front */
    const struct cul_said *said = later[shown[n_shown]].said;
    struct cul_buf plain = {0};
    cul_normalise(rules, said->rule->kind, said->raw, strlen(said->raw),
                  &plain);
    if (!is_listed(sig, said->raw, cul_buf_str(&plain)))
      cul_errors_follow(sig, said->raw, cul_buf_str(&plain));
    cul_buf_release(&plain);
  }
  free(later);
}

/* Do the lines of the match contain that line? */
static bool has_line(struct cul_bytes text, const struct cul_match *match,
                     const char *line) {
  size_t start = line_of(text, match->start);
  return memmem(text.data + start, match->end - start, line, strlen(line)) !=
         NULL;
}

/* If the best match only shows that a step of a build failed, and a line of the
 * output describes a failure, drop the match so that the line is guessed. */
static bool drop_step(const struct cul_rules *rules,
                      const struct cul_bytes texts[2],
                      struct cul_matches *found) {
  const struct cul_rule *rule = found->failure.rule;
  struct cul_words words;
  if (!rule ||
      (!found->failure.hollow &&
       (rule->kind != CUL_KIND_DIAGNOSTIC || rule->rank >= RANK_OF_STEP)) ||
      !cul_words_rank(rules, texts, NULL, &words, 1) ||
      words.weight < CUL_WEIGHT_TELLING ||
      strstr(words.raw, cul_buf_str(&found->failure.raw)) ||
      has_line(texts[found->failure.source], &found->failure, words.raw))
    return false;
  cul_buf_release(&found->failure.raw);
  cul_buf_release(&found->failure.text);
  cul_buf_release(&found->failure.line);
  found->failure = (struct cul_match){0};
  return true;
}

/* Append the name of a server, with N for the number of one of several: digits
 * at the end of a word of the name. */
static void add_server(struct cul_bytes name, struct cul_buf *out) {
  for (size_t i = 0; i < name.len;) {
    size_t end = i;
    while (end < name.len && isalpha((unsigned char)name.data[end]))
      end++;
    cul_buf_add(out, name.data + i, end - i);
    if (end - i > 2 && end < name.len &&
        isdigit((unsigned char)name.data[end])) {
      cul_buf_addc(out, 'N');
      while (end < name.len && isdigit((unsigned char)name.data[end]))
        end++;
    } else if (end < name.len) {
      cul_buf_addc(out, name.data[end++]);
    }
    i = end;
  }
}

/* Append the server that a failure of the network is about to its text:
 * failures of two servers are two. */
static void add_peer(const struct cul_rules *rules,
                     const struct cul_match *match, struct cul_bytes text,
                     struct cul_signature *sig) {
  size_t start, n = strlen(sig->text);
  struct cul_bytes line, peer[2];
  const char *nl;
  if (sig->kind != CUL_KIND_INFRASTRUCTURE || !match->rule)
    return;
  start = line_of(text, match->start);
  line = (struct cul_bytes){text.data + start, text.len - start};
  nl = memchr(line.data, '\n', line.len);
  line.len = nl ? (size_t)(nl - line.data) : line.len;
  line = cul_line_find(rules, CUL_LINE_PEER, line);
  for (size_t i = 0; i < rules->n_lines && line.len; i++)
    if (rules->lines[i].kind == CUL_LINE_PEER &&
        cul_line_matches(rules, &rules->lines[i], line, peer) &&
        !memmem(sig->text, n, peer[0].data, peer[0].len)) {
      struct cul_buf name = {0};
      add_server(peer[0], &name);
      snprintf(sig->text + n, sizeof sig->text - n, ": %s", cul_buf_str(&name));
      cul_buf_release(&name);
      return;
    }
}

void cul_signature_read_log(const struct cul_rules *rules,
                            struct cul_bytes text,
                            struct cul_log_failure *out) {
  const struct cul_record record = {.end = CUL_EXITED, .status = 1};
  const struct cul_bytes texts[2] = {text, {NULL, 0}};
  const struct cul_match_scope asked = {.log = true, .errors = true};
  struct cul_matches found = {0};
  struct cul_match then = {0};
  struct cul_signature *sig = &out->sig;
  bool step, of_test, hollow;
  memset(out, 0, sizeof *out);
  cul_match_texts(rules, texts, &asked, &found);
  of_test = found.failure.rule && found.failure.rule->of_test;
  hollow = found.failure.hollow;
  step = drop_step(rules, texts, &found);
  if (!put_cause_first(rules, text, &found, &then))
    end_with_signal(&found, &then);
  end_with_exception(rules, text, &found, &then);
  name_crash(&found, &then);
  take_matches(rules, &record, texts, &found, NULL, sig);
  cul_errors_read(rules, texts, &found, sig);
  sig->errors.known = false; /* for display only, not for comparison */
  sig->errors.lead = 0;
  if (found.failure.rule)
    add_later_messages(rules, text, &found, sig);
  if (then.rule &&
      !is_listed(sig, cul_buf_str(&then.raw), cul_buf_str(&then.text)))
    cul_errors_follow(sig, cul_buf_str(&then.raw), cul_buf_str(&then.text));
  cul_buf_release(&then.raw);
  cul_buf_release(&then.text);
  cul_buf_release(&then.line);
  out->found = found.failure.rule || sig->n_frames || step;
  out->late = found.failure.rule && found.failure.rule->late;
  if (out->late)
    keep_outermost(rules, text, sig);
  out->of_test =
      (step && of_test) || (found.failure.rule && found.failure.rule->of_test);
  out->hollow = hollow || (found.failure.rule &&
                           found.failure.rule->kind == CUL_KIND_EXCEPTION &&
                           found.failure.rule->rank < RANK_OF_REPORT);
  out->deadly =
      is_fatal(then.rule) || found.end.rule || is_fatal(found.failure.rule);
  out->any_exit = found.failure.rule && found.failure.rule->any_exit;
  out->at = found.failure.rule ? found.failure.start : 0;
  if (!found.failure.rule) /* the end of the run is unknown */
    sig->kind = sig->n_frames ? CUL_KIND_SIGNAL : CUL_KIND_EXIT;
  take_ending(rules, &found, &then, sig);
  add_peer(rules, &found.failure, text, sig);
  join_heading(rules, text, found.failure.end, sig);
  take_reported_kind(rules, sig);
  if (sig->kind == CUL_KIND_EXIT)
    take_report(rules, sig);
  if (sig->kind == CUL_KIND_SIGNAL && !sig->status && is_aborted(sig))
    sig->status = cul_signal_number("SIGABRT");
  make_title(rules, sig);
  add_line(&found.failure, sig);
  add_code(rules, text, out->at, sig);
  cul_signature_seal(rules, sig);
  cul_matches_release(&found);
}
