/* --oracle FILE.so: loads the shared object, checks that it was compiled
 * against these headers, and forwards every call.  Misbehaviour of the plugin
 * is an error that names it: the job ends, and its best result is on disk. */
#include "plugin.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "../base/err.h"
#include "../base/visible.h"
#include "oracle.h"

#define CUL_ORACLE_PLUGIN_SYMBOL "culprit_oracle"

/* ---- call ---- */

/* Calls functions of a user's shared object. A crash, or a call that does not
 * return, becomes an error. */

enum { STACK = 64 << 10, DEADLY = 7 };

static const int deadly[DEADLY] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                                   SIGILL,  SIGTRAP, SIGALRM};

/* The way out of the current call.  It is a global, because a signal handler
 * has no argument for it. */
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
    return "a text of its signature is not terminated";
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
      return "it requests an invalid run";
  return NULL;
}

static const char *wrong_verdict(const struct cul_verdict *verdict) {
  if ((unsigned)verdict->answer > CUL_BROKEN)
    return "it gave no answer of enum cul_answer";
  if (!(verdict->confidence >= 0 && verdict->confidence <= 1))
    return "its confidence is not between 0 and 1";
  if (!ends(verdict->why, sizeof verdict->why))
    return "its reason is not terminated (why: a 0 is missing)";
  return wrong_signature(&verdict->sig);
}

/* Check what a plugin returned. rc: its return value; path: the shared object;
 * call: its function. Returns rc if all is well, else EENV with the reason. */
static int plugin_check(const char *path, const char *call, int rc,
                        const struct cul_wants *more,
                        const struct cul_verdict *verdict,
                        struct cul_err *err) {
  const char *wrong = NULL;
  if (rc > 0 || rc < CUL_EDIFFER)
    wrong = "it returned a value outside enum cul_code";
  else if (rc < 0 && (!ends(err->what, sizeof err->what) ||
                      !ends(err->advice, sizeof err->advice)))
    wrong = "the text of its error is not terminated";
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

/* ---- plugin ---- */

struct plugin {
  void *library;
  const struct cul_oracle *oracle;
  const char *path; /* borrowed from the command line */
  void *self;       /* self of the oracle */
  uint64_t wall_ms; /* for each call */
  bool left; /* a call was interrupted: the plugin is not called any more */
  struct cul_buf said; /* output of its describe */
};

/* A call of a plugin function: its arguments and results. */
struct call {
  struct plugin *plugin;
  const struct cul_oracle_conf *conf;
  const struct cul_record *records;
  size_t n;
  struct cul_wants *more;
  struct cul_verdict *verdict;
  struct cul_buf *out;
  struct cul_err *err;
  volatile int rc;
};

static bool plugin_wanted(const struct cul_oracle_conf *conf) {
  return conf->plugin != NULL;
}

static bool sizes_agree(const struct cul_oracle_plugin *p) {
  return p->size == sizeof *p && p->abi == CUL_ORACLE_ABI &&
         p->oracle_size == sizeof(struct cul_oracle) &&
         p->conf_size == sizeof(struct cul_oracle_conf) &&
         p->record_size == sizeof(struct cul_record) &&
         p->verdict_size == sizeof(struct cul_verdict) &&
         p->wants_size == sizeof(struct cul_wants);
}

static bool is_whole(const struct cul_oracle *o) {
  return o && o->abi == CUL_ORACLE_ABI && o->name && o->open && o->learn &&
         o->judge && o->describe && o->close;
}

static int check(const char *path, const struct cul_oracle_plugin *found,
                 struct cul_err *err) {
  if (!found)
    return cul_fail(err, CUL_EUSAGE,
                    "end it in CUL_ORACLE_PLUGIN(NAME), see oracles/plugin.h",
                    "--oracle %s: not an oracle: it has no symbol %s", path,
                    CUL_ORACLE_PLUGIN_SYMBOL);
  if (found->abi != CUL_ORACLE_ABI)
    return cul_fail(err, CUL_EUSAGE,
                    "compile it again with the headers of this culprit",
                    "--oracle %s: it was made for ABI %u of oracles, this "
                    "culprit has %d",
                    path, found->abi, CUL_ORACLE_ABI);
  if (!sizes_agree(found))
    return cul_fail(err, CUL_EUSAGE,
                    "compile it again with the headers of this culprit",
                    "--oracle %s: it was compiled for another culprit: "
                    "structs have other sizes",
                    path);
  if (!is_whole(found->oracle))
    return cul_fail(err, CUL_EUSAGE,
                    "fill name, open, learn, judge, describe and close",
                    "--oracle %s: its descriptor lacks a member", path);
  return 0;
}

static int load(const char *path, struct plugin *plugin, struct cul_err *err) {
  const struct cul_oracle_plugin *found;
  char *full = realpath(path, NULL);
  int rc;
  if (!full)
    return cul_fail(err, CUL_EUSAGE, "check the name of the shared object",
                    "--oracle: cannot find %s", path);
  plugin->library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  free(full);
  if (!plugin->library)
    return cul_fail(err, CUL_EUSAGE,
                    "build it with: cc -shared -fPIC -I CULPRIT -o FILE.so "
                    "FILE.c",
                    "--oracle %s: cannot be loaded: %s", path, dlerror());
  found = dlsym(plugin->library, CUL_ORACLE_PLUGIN_SYMBOL);
  rc = check(path, found, err);
  if (rc == 0)
    plugin->oracle = found->oracle;
  return rc;
}

static void unload(struct plugin *plugin) {
  if (plugin->library && !plugin->left)
    dlclose(plugin->library);
  cul_buf_release(&plugin->said);
  free(plugin);
}

static int call(struct call *what, const char *name, void (*body)(void *),
                struct cul_err *err) {
  struct plugin *plugin = what->plugin;
  int signal = cul_plugin_call(body, what, plugin->wall_ms);
  if (signal == 0)
    return what->rc;
  plugin->left = true;
  if (signal == SIGALRM)
    return cul_fail(err, CUL_EENV,
                    "fix the plugin, or give it more time: --timeout SECONDS",
                    "--oracle %s: its %s has not returned after %g s",
                    plugin->path, name, (double)plugin->wall_ms / 1000);
  return cul_fail(err, CUL_EENV,
                  "fix the plugin: a debugger shows where, "
                  "gdb --args culprit ...",
                  "--oracle %s: its %s died of %s", plugin->path, name,
                  cul_signal_name(signal));
}

static void call_open(void *what) {
  struct call *c = what;
  c->rc = c->plugin->oracle->open(c->conf, &c->plugin->self, c->err);
}

static int plugin_open(const struct cul_oracle_conf *conf, void **self,
                       struct cul_err *err) {
  struct plugin *plugin = cul_xcalloc(1, sizeof *plugin);
  struct call what = {.plugin = plugin, .conf = conf, .err = err};
  int rc;
  plugin->path = conf->plugin;
  plugin->wall_ms = conf->timeout_ms;
  rc = load(conf->plugin, plugin, err);
  if (rc == 0)
    rc = call(&what, "open", call_open, err);
  if (rc < 0)
    unload(plugin);
  else
    *self = plugin;
  return rc;
}

/* Start with an invalid answer: it shows if the plugin does not set one. */
static int judge_by(struct call *what, const char *name, void (*body)(void *),
                    struct cul_err *err) {
  int rc;
  *err = (struct cul_err){0};
  *what->more = (struct cul_wants){0};
  *what->verdict = (struct cul_verdict){.answer = (enum cul_answer) - 1};
  rc = call(what, name, body, err);
  if (what->plugin->left)
    return rc;
  if (what->more->n > 0 && what->verdict->answer == (enum cul_answer) - 1)
    what->verdict->answer = CUL_UNRESOLVED;
  return plugin_check(what->plugin->path, name, rc, what->more, what->verdict,
                      err);
}

static void call_learn(void *what) {
  struct call *c = what;
  c->rc = c->plugin->oracle->learn(c->plugin->self, c->records, c->n, c->more,
                                   c->verdict, c->err);
}

static int plugin_learn(void *self, const struct cul_record *records, size_t n,
                        struct cul_wants *more, struct cul_verdict *verdict,
                        struct cul_err *err) {
  struct call what = {.plugin = self,
                      .records = records,
                      .n = n,
                      .more = more,
                      .verdict = verdict,
                      .err = err};
  return judge_by(&what, "learn", call_learn, err);
}

static void call_judge(void *what) {
  struct call *c = what;
  c->rc = c->plugin->oracle->judge(c->plugin->self, c->records, c->n, c->more,
                                   c->verdict, c->err);
}

static int plugin_judge(const void *self, const struct cul_record *records,
                        size_t n, struct cul_wants *more,
                        struct cul_verdict *verdict, struct cul_err *err) {
  struct call what = {.plugin = (struct plugin *)self,
                      .records = records,
                      .n = n,
                      .more = more,
                      .verdict = verdict,
                      .err = err};
  return judge_by(&what, "judge", call_judge, err);
}

static void call_describe(void *what) {
  struct call *c = what;
  c->plugin->oracle->describe(c->plugin->self, c->out);
}

/* describe cannot report an error: a failure is part of the text. For a plugin
 * that is not called any more, the last text is used. */
static void plugin_describe(const void *self, struct cul_buf *out) {
  struct plugin *plugin = (struct plugin *)self;
  struct call what = {.plugin = plugin, .out = &plugin->said};
  struct cul_err err = {0};
  if (!plugin->left) {
    cul_buf_clear(&plugin->said);
    if (call(&what, "describe", call_describe, &err) < 0)
      cul_buf_addf(&plugin->said, "(%s)", err.what);
  }
  cul_buf_addf(out, "%s: ", plugin->oracle->name);
  cul_buf_add(out, plugin->said.data, plugin->said.len);
}

static void call_close(void *what) {
  struct call *c = what;
  c->plugin->oracle->close(c->plugin->self);
}

static void plugin_close(void *self) {
  struct call what = {.plugin = self};
  struct cul_err err = {0};
  if (!what.plugin->left && call(&what, "close", call_close, &err) < 0)
    cul_say(stderr, "culprit: %s\n", err.what);
  unload(self);
}

const struct cul_oracle cul_oracle_plugin = {
    .abi = CUL_ORACLE_ABI,
    .name = "plugin",
    .summary = "an oracle of your own, from a shared object",
    .wanted = plugin_wanted,
    .open = plugin_open,
    .learn = plugin_learn,
    .judge = plugin_judge,
    .describe = plugin_describe,
    .close = plugin_close,
};
