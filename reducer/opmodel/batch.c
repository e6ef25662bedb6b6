/* Questions as a file: see batch.h. */
#include "batch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "culprit_question_";

/* The bodies of the two modules before the questions. */
static const char *const known[] = {
    "  %0 = \"builtin.unrealized_conversion_cast\"() : () -> i32\n",
    "  \"builtin.unrealized_conversion_cast\"() : () -> ()\n"};
enum { MUST_PASS, MUST_FAIL, N_KNOWN };

void cul_batch_init(struct cul_batch *batch, struct cul_bytes message) {
  struct cul_question question;
  size_t at = 0;
  *batch = (struct cul_batch){0};
  while (message.len - at >= sizeof question) {
    memcpy(&question, message.data + at, sizeof question);
    at += sizeof question;
    if (question.len > message.len - at)
      break;
    batch->names =
        cul_xreallocarray(batch->names, batch->n + 1, sizeof *batch->names);
    batch->texts =
        cul_xreallocarray(batch->texts, batch->n + 1, sizeof *batch->texts);
    batch->names[batch->n] = question.name;
    batch->texts[batch->n++] =
        (struct cul_bytes){message.data + at, question.len};
    at += question.len;
  }
}

void cul_batch_release(struct cul_batch *batch) {
  free(batch->names);
  free(batch->texts);
  *batch = (struct cul_batch){0};
}

struct cul_bytes cul_batch_known(bool good) {
  const char *body = known[good ? MUST_PASS : MUST_FAIL];
  return (struct cul_bytes){body, strlen(body)};
}

static void add(struct cul_bytes body, size_t number, struct cul_buf *out) {
  if (number > 0)
    cul_buf_adds(out, "// -----\n");
  cul_buf_adds(out, "\"builtin.module\"() ({\n");
  cul_buf_add(out, body.data, body.len);
  cul_buf_addf(out, "}) {sym_name = \"%s%zu\"} : () -> ()\n", mark, number);
}

void cul_batch_write(const struct cul_batch *batch, const size_t *which,
                     size_t n, struct cul_buf *out) {
  for (size_t i = 0; i < N_KNOWN; i++)
    add(cul_batch_known(i == MUST_PASS), i, out);
  for (size_t i = 0; i < n; i++)
    add(batch->texts[which[i]], N_KNOWN + i, out);
}

/* Find which of n modules were printed, by their names; heap. */
static bool *find_names(struct cul_bytes printed, size_t n) {
  bool *seen = cul_xcalloc(n + 1, sizeof *seen);
  const char *at = printed.data, *end = printed.data + printed.len;
  while (at && (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
    size_t number = 0;
    for (at += sizeof mark - 1;
         at < end && isdigit((unsigned char)*at) && number <= n; at++)
      number = 10 * number + (size_t)(*at - '0');
    if (number < n)
      seen[number] = true;
  }
  return seen;
}

enum cul_batch_sense cul_batch_read(struct cul_bytes printed,
                                    const size_t *which, size_t n,
                                    uint8_t *answers) {
  CUL_HEAP bool *seen = find_names(printed, N_KNOWN + n);
  enum cul_batch_sense sense = !seen[MUST_PASS]  ? CUL_BATCH_SILENT
                               : seen[MUST_FAIL] ? CUL_BATCH_BLIND
                                                 : CUL_BATCH_GOOD;
  for (size_t i = 0; i < n && sense == CUL_BATCH_GOOD; i++)
    answers[which[i]] = seen[N_KNOWN + i] ? CUL_ACCEPTED : CUL_REFUSED;
  return sense;
}

void cul_batch_write_one(struct cul_bytes body, struct cul_buf *out) {
  add(body, 0, out);
}

bool cul_batch_has_one(struct cul_bytes printed) {
  CUL_HEAP bool *seen = find_names(printed, 1);
  bool has = seen[0];
  return has;
}
