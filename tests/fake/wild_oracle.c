/* A plugin of --oracle that goes wrong in its call number $WILD_AT of judge
 * (or, where $WILD_IN says so, of learn), in the way that $WILD names.  Until
 * then: the failure is an exit status other than 0. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracles/common/settle.h"
#include "oracles/plugin.h"

static int calls;

static int deeper(volatile int *under) {
  volatile int here[1024] = {0};
  here[0] = *under + 1;
  return here[0] > 0 ? deeper(here) + here[0] : 0; /* no end that is met */
}

static void hang(void) {
  const char *mark = getenv("WILD_MARK");
  if (mark && write(2, mark, strlen(mark)) < 0)
    return;
  for (;;)
    pause();
}

static bool is(const char *way) {
  const char *wild = getenv("WILD");
  return wild && strcmp(wild, way) == 0;
}

static int go_wild(struct cul_wants *more, struct cul_verdict *verdict) {
  int deep = 0;
  if (is("abort"))
    abort();
  if (is("null"))
    raise(SIGSEGV);
  if (is("deep"))
    return deeper(&deep);
  if (is("hang"))
    hang();
  if (is("answer"))
    verdict->answer = (enum cul_answer)77;
  if (is("nan"))
    verdict->confidence = NAN;
  if (is("why"))
    memset(verdict->why, 'x', sizeof verdict->why);
  if (is("wants"))
    more->n = 1000;
  if (is("silent"))
    *verdict = (struct cul_verdict){.answer = (enum cul_answer) - 1};
  return is("code") ? 3 : is("fails") ? CUL_EENV : 0;
}

static int judge_in(const char *call, const struct cul_record *record,
                    struct cul_wants *more, struct cul_verdict *verdict) {
  const char *in = getenv("WILD_IN"), *at = getenv("WILD_AT");
  more->n = 0;
  if (!cul_settle_run(record, verdict))
    cul_verdict_set(verdict, record->status ? CUL_SAME : CUL_PASSES, 1,
                    "exit status %d", record->status);
  if (strcmp(in ? in : "judge", call) != 0 || ++calls < (at ? atoi(at) : 1))
    return 0;
  return go_wild(more, verdict);
}

static int open_wild(const struct cul_oracle_conf *conf, void **self,
                     struct cul_err *err) {
  (void)conf;
  (void)err;
  *self = NULL;
  return 0;
}

static int learn(void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  (void)self;
  (void)err;
  return judge_in("learn", &records[n - 1], more, verdict);
}

static int judge(const void *self, const struct cul_record *records, size_t n,
                 struct cul_wants *more, struct cul_verdict *verdict,
                 struct cul_err *err) {
  (void)self;
  (void)err;
  return judge_in("judge", &records[n - 1], more, verdict);
}

static void describe(const void *self, struct cul_buf *out) {
  (void)self;
  cul_buf_adds(out, "a wild failure");
}

static void close_wild(void *self) { (void)self; }

static const struct cul_oracle wild = {.abi = CUL_ORACLE_ABI,
                                       .name = "wild",
                                       .summary = "goes wrong",
                                       .open = open_wild,
                                       .learn = learn,
                                       .judge = judge,
                                       .describe = describe,
                                       .close = close_wild};
CUL_ORACLE_PLUGIN(wild);
