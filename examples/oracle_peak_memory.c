/* A plugin for --oracle: the tool needs too much memory.
 *
 *   culprit reduce model.mlir --oracle oracle_peak_memory.so -- CMD @@
 *
 * The failure is a peak of resident memory above half of that of the
 * original.  Build: cc -shared -fPIC -I CULPRIT -o oracle_peak_memory.so
 * oracle_peak_memory.c */
#include <stdlib.h>

#include "oracles/common/settle.h"
#include "oracles/plugin.h"

struct peak {
  uint64_t original, limit; /* bytes */
};

static int open_peak(const struct cul_oracle_conf *conf, void **self,
                     struct cul_err *err) {
  (void)conf;
  (void)err;
  *self = cul_xcalloc(1, sizeof(struct peak));
  return 0;
}

static void judge_record(const void *self, const struct cul_record *record,
                         struct cul_verdict *verdict) {
  const struct peak *peak = self;
  unsigned long long mib = record->rss_bytes >> 20;
  if (cul_settle_run(record, verdict))
    return;
  if (record->rss_bytes > peak->limit)
    cul_verdict_set(verdict, CUL_SAME, 1, "peak memory %llu MiB", mib);
  else
    cul_verdict_set(verdict, CUL_PASSES, 1, "peak memory only %llu MiB", mib);
}

/* The smallest peak of the runs on the original is what is to be halved. */
static int learn(void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  struct peak *peak = self;
  (void)err;
  peak->original = records[0].rss_bytes;
  for (size_t i = 1; i < n; i++)
    if (records[i].rss_bytes < peak->original)
      peak->original = records[i].rss_bytes;
  peak->limit = peak->original / 2;
  cul_learn_by(judge_record, self, records, n, more, verdict);
  return 0;
}

static int judge(const void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  (void)err;
  more->n = 0;
  judge_record(self, &records[n - 1], verdict);
  return 0;
}

static void describe(const void *self, struct cul_buf *out) {
  const struct peak *peak = self;
  cul_buf_addf(out, "more than %llu MiB, half of the original's %llu",
               (unsigned long long)peak->limit >> 20,
               (unsigned long long)peak->original >> 20);
}

static const struct cul_oracle oracle = {.abi = CUL_ORACLE_ABI,
                                         .name = "peak-memory",
                                         .summary = "too much memory",
                                         .open = open_peak,
                                         .learn = learn,
                                         .judge = judge,
                                         .describe = describe,
                                         .close = free};

CUL_ORACLE_PLUGIN(oracle);
