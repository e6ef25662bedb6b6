/* See plugin_call.h. */
#include "plugin_call.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { STACK = 64 << 10, DEADLY = 7 };

static const int deadly[DEADLY] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                                   SIGILL,  SIGTRAP, SIGALRM};

/* Where the call in progress is left: a handler has no argument for it. */
static sigjmp_buf *way_out;

static void leave(int signal) { siglongjmp(*way_out, signal); }

struct caught {
  struct sigaction old[DEADLY];
  stack_t old_stack;
  void *stack;
};

static void catch_all(struct caught *caught) {
  struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
  stack_t stack = {.ss_size = STACK};
  stack.ss_sp = caught->stack = cul_xcalloc(1, STACK);
  sigemptyset(&action.sa_mask);
  sigaltstack(&stack, &caught->old_stack);
  for (int i = 0; i < DEADLY; i++)
    sigaction(deadly[i], &action, &caught->old[i]);
}

static void let_go(struct caught *caught) {
  for (int i = 0; i < DEADLY; i++)
    sigaction(deadly[i], &caught->old[i], NULL);
  sigaltstack(&caught->old_stack, NULL);
  free(caught->stack);
}

static void set_alarm(uint64_t ms) {
  struct itimerval timer = {.it_value = {.tv_sec = (time_t)(ms / 1000),
                                         .tv_usec = (int)(ms % 1000) * 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

int cul_plugin_call(void (*body)(void *what), void *what, uint64_t wall_ms) {
  struct caught caught;
  sigjmp_buf here;
  int signal;
  catch_all(&caught);
  way_out = &here;
  signal = sigsetjmp(here, 1);
  if (signal == 0) {
    set_alarm(wall_ms);
    body(what);
  }
  set_alarm(0);
  way_out = NULL;
  let_go(&caught);
  return signal;
}

static bool ends(const char *text, size_t size) {
  return memchr(text, '\0', size) != NULL;
}

static const char *wrong_signature(const struct cul_signature *sig) {
  if (!ends(sig->title, sizeof sig->title) ||
      !ends(sig->text, sizeof sig->text) || !ends(sig->raw, sizeof sig->raw) ||
      !ends(sig->pass, sizeof sig->pass) ||
      !ends(sig->input, sizeof sig->input) ||
      !ends(sig->file, sizeof sig->file) || !ends(sig->rule, sizeof sig->rule))
    return "a text of its signature has no end";
  if (sig->n_frames > CUL_SIG_MAX_FRAMES ||
      sig->n_anchors > CUL_SIG_MAX_ANCHORS)
    return "its signature has more frames than there is room for";
  return NULL;
}

static const char *wrong_wants(const struct cul_wants *more) {
  if (more->n > CUL_MAX_WANTS)
    return "it wants more runs than there is room for";
  for (size_t i = 0; i < more->n; i++)
    if ((unsigned)more->want[i].role >= CUL_N_ROLES ||
        !(more->want[i].wall_factor >= 0) || isinf(more->want[i].wall_factor))
      return "it wants a run that there is none of";
  return NULL;
}

static const char *wrong_verdict(const struct cul_verdict *verdict) {
  if ((unsigned)verdict->answer > CUL_BROKEN)
    return "it gave no answer of enum cul_answer";
  if (!(verdict->confidence >= 0 && verdict->confidence <= 1))
    return "its confidence is not between 0 and 1";
  if (!ends(verdict->why, sizeof verdict->why))
    return "its reason has no end (why: a 0 is missing)";
  return wrong_signature(&verdict->sig);
}

int cul_plugin_check(const char *path, const char *call, int rc,
                     const struct cul_wants *more,
                     const struct cul_verdict *verdict, struct cul_err *err) {
  const char *wrong = NULL;
  if (rc > 0 || rc < CUL_EDIFFER)
    wrong = "it returned what is no enum cul_code";
  else if (rc < 0 && (!ends(err->what, sizeof err->what) ||
                      !ends(err->advice, sizeof err->advice)))
    wrong = "the text of its error has no end";
  else if (rc < 0 && !err->what[0])
    wrong = "it failed and did not say why (cul_fail)";
  else if (rc == 0)
    wrong = wrong_wants(more);
  if (!wrong && rc == 0)
    wrong = wrong_verdict(verdict);
  if (!wrong)
    return rc;
  return cul_fail(err, CUL_EENV, "fix the plugin: see oracles/oracle.h",
                  "--oracle %s: %s: %s", path, call, wrong);
}
