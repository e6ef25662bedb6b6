/* Ask the verifier of the tool under test: see vendor.h. */
#include "vendor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../opmodel/batch.h"
#include "forms.h"

enum {
  MOST_STARTS = 200, /* of the tool, in one job */
  MOST_ALONE = 60,   /* questions to a tool that answers one per start */
  MOST_ROUNDS = 16,
  START_MS = 20 * 1000, /* time of one start */
  MOST_MS = 60 * 1000   /* time of all starts */
};

struct cul_vendor {
  struct cul_target *target;
  char **argv;                /* one block; NULL: there is none */
  char **split;               /* argv with --split-input-file; one block */
  struct cul_digest identity; /* zero: answers are not stored */
  const char *refusal;
  bool alone;  /* it answers one question per start */
  bool missed; /* see cul_vendor_missed */
  uint64_t made_us;
  unsigned asked_alone;
  struct cul_vendor_counts counts;
};

/* argv with --split-input-file before "@@"; one block. */
static char **with_option(char *const *argv) {
  static const char option[] = "--split-input-file";
  size_t n = 0, size = sizeof option + 1;
  char **out, *text;
  for (; argv[n]; n++)
    size += strlen(argv[n]) + 1;
  out = cul_xmalloc((n + 2) * sizeof *out + size);
  text = (char *)(out + n + 2);
  n = 0;
  for (; *argv; argv++) {
    const char *at = strstr(*argv, "@@");
    out[n++] = text;
    if (at == *argv) { /* "@@" is a word */
      text = stpcpy(text, option) + 1;
      out[n++] = text;
    } else if (at) {
      text = mempcpy(text, *argv, (size_t)(at - *argv));
      text = stpcpy(stpcpy(text, option), " ");
    }
    text = stpcpy(text, at ? at : *argv) + 1;
  }
  out[n] = NULL;
  return out;
}

/* ---- identity ---- */

/* Hash the program or file that the word names, before or after "=". */
static void add_file(struct cul_vendor *v, struct cul_hasher *h,
                     const char *word) {
  const char *value = strchr(word, '=');
  CUL_HEAP char *path = cul_find_program(word);
  struct cul_err ignored = {0};
  struct cul_digest digest;
  struct stat st;
  if (!path)
    path = cul_xstrdup(value ? value + 1 : word);
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
      cul_cache_file_digest(v->target->cache, path, &digest, &ignored) == 0)
    cul_hasher_add(h, &digest, sizeof digest);
}

static void add_words(struct cul_vendor *v, struct cul_hasher *h,
                      const char *text) {
  CUL_HEAP char *words = cul_xstrdup(text);
  char *save = NULL;
  for (char *word = strtok_r(words, " \t\n'\"", &save); word;
       word = strtok_r(NULL, " \t\n'\"", &save))
    add_file(v, h, word);
}

static struct cul_digest identify(struct cul_vendor *v) {
  const struct cul_digest *tool = &v->target->tool.identity.digest;
  struct cul_hasher *h;
  if (cul_digest_is_zero(tool))
    return *tool;
  h = cul_hasher_new();
  cul_hasher_field(h, CULPRIT_VERSION);
  cul_hasher_add(h, tool, sizeof *tool);
  for (char *const *word = v->argv; *word; word++) {
    cul_hasher_field(h, *word);
    add_words(v, h, *word);
  }
  return cul_hasher_finish(h);
}

struct cul_vendor *cul_vendor_new(struct cul_target *target,
                                  const char *typed) {
  struct cul_vendor *v = cul_xcalloc(1, sizeof *v);
  v->target = target;
  v->made_us = cul_now_us() ^ (uint64_t)getpid() << 40;
  v->argv = cul_form_opt_tool(target, typed);
  if (v->argv) {
    v->split = with_option(v->argv);
    v->identity = identify(v);
  } else {
    v->refusal = "culprit knows no tool that prints the generic form";
  }
  return v;
}

void cul_vendor_free(struct cul_vendor *v) {
  if (!v)
    return;
  free(v->argv);
  free(v->split);
  free(v);
}

/* ---- one start ---- */

static bool may_start(struct cul_vendor *v) {
  if (v->refusal)
    return false;
  if (v->counts.starts < MOST_STARTS && v->counts.us < MOST_MS * 1000)
    return true;
  v->missed = true;
  return false;
}

/* Run the tool on the text.  Errors are only those that end the job: a spent
 * budget, an interrupt, or a machine that refuses the run. */
static int start(struct cul_vendor *v, const struct cul_buf *text,
                 struct cul_record *record, struct cul_err *err) {
  uint64_t begun = cul_now_us();
  int rc = cul_form_print(v->target,
                          (const char *const *)(v->alone ? v->argv : v->split),
                          cul_buf_bytes(text), START_MS, record, NULL, err);
  if (v->counts.starts++ == 0)
    v->counts.first_us = begun;
  v->counts.us += cul_now_us() - begun;
  v->missed |= rc == 0 && record->end == CUL_DEADLINE;
  if (rc == 0 || rc == CUL_EENV || cul_is_cut(rc))
    return rc;
  v->refusal = "it cannot be started";
  return 0;
}

/* ---- one question per start ---- */

static int ask_one(struct cul_vendor *v, struct cul_bytes body, uint8_t *answer,
                   struct cul_err *err) {
  CUL_OWNED(cul_record) record = {0};
  CUL_OWNED(cul_buf) text = {0};
  int rc;
  *answer = CUL_UNKNOWN;
  if (!may_start(v))
    return 0;
  cul_batch_write_one(body, &text);
  rc = start(v, &text, &record, err);
  if (rc == 0 && !v->refusal && record.end == CUL_EXITED)
    *answer = record.status == 0 && cul_batch_has_one((struct cul_bytes){
                                        record.out.data, record.out.len})
                  ? CUL_ACCEPTED
                  : CUL_REFUSED;
  return rc;
}

/* Does the tool accept a valid operation and refuse an invalid one? */
static int try_it(struct cul_vendor *v, struct cul_err *err) {
  uint8_t good, bad = CUL_UNKNOWN;
  int rc = ask_one(v, cul_batch_known(true), &good, err);
  if (rc == 0)
    rc = ask_one(v, cul_batch_known(false), &bad, err);
  if (rc == 0 && good != CUL_ACCEPTED)
    v->refusal = "it prints nothing in generic form";
  else if (rc == 0 && bad != CUL_REFUSED)
    v->refusal = "no verifier accepts its output";
  return rc;
}

static int ask_alone(struct cul_vendor *v, const struct cul_batch *batch,
                     const size_t *which, size_t n, uint8_t *answers,
                     struct cul_err *err) {
  int rc = v->asked_alone ? 0 : try_it(v, err);
  for (size_t i = 0; i < n && rc == 0; i++)
    if (v->asked_alone++ < MOST_ALONE)
      rc = ask_one(v, batch->texts[which[i]], &answers[which[i]], err);
  return rc;
}

/* ---- many questions per start ---- */

/* Move the questions that were not accepted to the front; returns their
 * number. */
static size_t left_of(size_t *which, size_t n, const uint8_t *answers) {
  size_t left = 0;
  for (size_t i = 0; i < n; i++)
    if (answers[which[i]] != CUL_ACCEPTED)
      which[left++] = which[i];
  return left;
}

static int ask_many(struct cul_vendor *v, const struct cul_batch *batch,
                    size_t *which, size_t n, uint8_t *answers,
                    struct cul_err *err);

/* The tool died of one question, or took too long.  The questions that it
 * printed before are accepted: ask the others in two halves. */
static int ask_halves(struct cul_vendor *v, const struct cul_batch *batch,
                      size_t *which, size_t n, uint8_t *answers,
                      struct cul_err *err) {
  size_t left = left_of(which, n, answers);
  for (size_t i = 0; i < left; i++)
    answers[which[i]] = CUL_UNKNOWN;
  if (n == 1)
    return 0;
  if (ask_many(v, batch, which, left / 2, answers, err) < 0)
    return err->code;
  return ask_many(v, batch, which + left / 2, left - left / 2, answers, err);
}

static int ask_many(struct cul_vendor *v, const struct cul_batch *batch,
                    size_t *which, size_t n, uint8_t *answers,
                    struct cul_err *err) {
  struct cul_record record = {0};
  enum cul_batch_sense sense = CUL_BATCH_SILENT;
  struct cul_buf text = {0};
  bool ended;
  int rc;
  if (n == 0 || !may_start(v))
    return 0;
  cul_batch_write(batch, which, n, &text);
  rc = start(v, &text, &record, err);
  cul_buf_release(&text);
  if (rc == 0 && !v->refusal)
    sense = cul_batch_read((struct cul_bytes){record.out.data, record.out.len},
                           which, n, answers);
  ended = record.end == CUL_EXITED;
  cul_record_release(&record);
  if (rc < 0 || v->refusal)
    return rc;
  if (sense == CUL_BATCH_BLIND)
    v->refusal = "no verifier accepts its output";
  else if (!ended)
    rc = ask_halves(v, batch, which, n, answers, err);
  else
    v->alone = sense == CUL_BATCH_SILENT; /* it does not know the option */
  return rc;
}

/* ---- stored answers ---- */

static struct cul_digest key_of(const struct cul_vendor *v,
                                const struct cul_digest *question) {
  struct cul_digest both[2] = {v->identity, *question};
  return cul_digest_of(both, sizeof both);
}

static const char space[] = "opmodel";

static bool recall(const struct cul_vendor *v, const struct cul_digest *name,
                   uint8_t *answer) {
  struct cul_digest key = key_of(v, name);
  CUL_OWNED(cul_buf) body = {0};
  struct cul_err ignored = {0};
  bool found = false;
  if (cul_digest_is_zero(&v->identity) ||
      cul_cache_memo_get(v->target->cache, space, &key, &body, &found,
                         &ignored) < 0 ||
      body.len != 1)
    found = false;
  if (found)
    *answer = (uint8_t)body.data[0];
  return found && *answer <= CUL_ACCEPTED;
}

static void keep(const struct cul_vendor *v, const struct cul_digest *name,
                 uint8_t answer) {
  struct cul_digest key = key_of(v, name);
  struct cul_err ignored = {0};
  if (!cul_digest_is_zero(&v->identity) && answer != CUL_UNKNOWN)
    (void)!cul_cache_memo_put(v->target->cache, space, &key, &answer, 1,
                              &ignored);
}

/* Answer the questions from the store, and ask the tool about the others.
 * Questions without a text cannot be asked. */
static int answer_all(struct cul_vendor *v, const struct cul_batch *batch,
                      uint8_t *answers, struct cul_err *err) {
  CUL_HEAP size_t *which = cul_xreallocarray(NULL, batch->n + 1, sizeof *which);
  size_t n = 0, asked;
  int rc = 0;
  for (size_t i = 0; i < batch->n; i++) {
    bool known =
        batch->texts[i].len && recall(v, &batch->names[i], &answers[i]);
    v->counts.cached += known;
    if (batch->texts[i].len && !known)
      which[n++] = i;
  }
  asked = n;
  if (!v->alone)
    rc = ask_many(v, batch, which, n, answers, err);
  if (rc == 0 && v->alone && asked)
    rc = ask_alone(v, batch, which, n, answers, err);
  for (size_t i = 0; i < asked && rc == 0; i++)
    keep(v, &batch->names[which[i]], answers[which[i]]);
  v->counts.questions += batch->n;
  for (size_t i = 0; i < batch->n; i++)
    v->counts.unknown += answers[i] == CUL_UNKNOWN;
  return rc;
}

int cul_vendor_teach(struct cul_vendor *v, struct cul_worker *worker,
                     uint32_t mutation, struct cul_err *err) {
  int rc = 0;
  if (!v || cul_worker_is_live(worker))
    return 0;
  for (int round = 0; round < MOST_ROUNDS && !v->refusal && rc == 0; round++) {
    CUL_OWNED(cul_buf) message = {0};
    CUL_OWNED(cul_batch) batch = {0};
    CUL_HEAP uint8_t *answers = NULL;
    size_t n;
    rc = cul_worker_ask(worker, mutation, MOST_MS, &message, err);
    cul_batch_init(&batch, cul_buf_bytes(&message));
    n = batch.n;
    answers = cul_xcalloc(n + 1, 1);
    if (rc == 0 && n)
      rc = answer_all(v, &batch, answers, err);
    if (rc == 0 && n)
      rc = cul_worker_tell(worker, (struct cul_bytes){(const char *)answers, n},
                           err);
    if (n == 0)
      break;
  }
  return rc;
}

/* ---- results ---- */

void cul_vendor_count(const struct cul_vendor *v,
                      struct cul_vendor_counts *out) {
  *out = v->counts;
}

char *cul_vendor_name(const struct cul_vendor *v) {
  struct cul_buf text = {0};
  for (char *const *word = v->argv; word && *word; word++)
    cul_buf_addf(&text, "%s%s", text.len ? " " : "", *word);
  return v->argv ? cul_buf_take(&text) : NULL;
}

const char *cul_vendor_refusal(const struct cul_vendor *v) {
  return v->refusal;
}

uint64_t cul_vendor_missed(const struct cul_vendor *v) {
  return v && v->missed ? v->made_us : 0;
}
