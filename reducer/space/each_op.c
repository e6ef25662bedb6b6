/* Every operation as a separate test: see each_op.h. */
#include "each_op.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../probe/repro_lines.h"
#include "../../probe/target/findings.h"
#include "space.h"

/* A test: operations whose text on their own is the same. */
struct op_test {
  struct cul_digest text;
  size_t count;             /* operations of the module */
  enum cul_answer answer;   /* SAME: fails as the module does */
  struct cul_signature sig; /* SAME, OTHER */
  char *op;                 /* its line; heap */
  char *file;               /* if it fails: name below conf->out; heap */
};

struct job {
  const struct cul_each_op_conf *conf;
  struct cul_target target;
  struct cul_workers workers;
  struct cul_chosen_form form;
  struct cul_edit_space space;
  bool space_open;
  uint32_t next, asked;  /* sites: to ask, and asked last */
  uint64_t ticket, told; /* counted from 1 */
  uint32_t *again;       /* sites whose text was lost, n_again */
  size_t n_again;
  unsigned char *lost;            /* how often, by site */
  uint64_t held[CUL_MAX_WORKERS]; /* tickets that failed: to be given up */
  size_t n_held;
  struct op_test *tests;
  size_t n_tests, n_failing;
  struct cul_err late; /* of a callback that cannot return one */
};

/* --- the search: each site alone, nothing is accepted ---------------------*/

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct job *job = self;
  (void)again_us;
  while (job->next < job->space.lists[0].n_sites &&
         job->space.lists[0].sites[job->next].weight == 0)
    job->next++; /* terminators */
  if (job->n_again > 0)
    job->asked = job->again[--job->n_again];
  else if (job->next < job->space.lists[0].n_sites)
    job->asked = job->next++;
  else
    return false;
  *point = (struct cul_point){&job->asked, 1};
  *ticket = ++job->ticket;
  return true;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct job *job = self;
  job->told++;
  if (verdict->answer == CUL_SAME)
    job->held[job->n_held++] = ticket;
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct job *job = self;
  size_t n = job->n_held < max ? job->n_held : max;
  memcpy(tickets, job->held + job->n_held - n, n * sizeof *tickets);
  job->n_held -= n;
  return n;
}

static uint64_t accepted(void *self) {
  (void)self;
  return 0;
}

static bool finished(void *self) {
  const struct job *job = self;
  return job->next >= job->space.lists[0].n_sites && job->n_again == 0 &&
         job->told == job->ticket;
}

/* --- results --------------------------------------------------------------*/

/* Does the line belong to something around an operation: a module, a function
 * of any dialect, a block, an alias? */
static bool is_around(const char *line, size_t n) {
  static const char *const ends[] = {"module", "func"};
  size_t quoted = n && line[0] == '"', name;
  if (n == 0 || strchr("#!}^", line[0]))
    return true;
  name = strcspn(line + quoted, " \"({\n");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++) {
    size_t len = strlen(ends[i]);
    if (name >= len && memcmp(line + quoted + name - len, ends[i], len) == 0)
      return true;
  }
  return false;
}

/* The line of the test's operation, on the heap.  NULL: there are several
 * operations besides the terminator, because the site was a function. */
static char *line_of(const struct cul_buf *text) {
  char *line = NULL;
  size_t column = 0, siblings = 0;
  for (const char *at = cul_buf_str(text); *at;) {
    size_t n = strcspn(at, "\n"), blank = strspn(at, " ");
    bool around = blank >= n || is_around(at + blank, n - blank);
    if (!around && !line) {
      line = cul_xstrndup(at + blank, n - blank);
      column = blank;
    }
    siblings += !around && blank == column;
    at += n + (at[n] == '\n');
  }
  if (siblings <= 2)
    return line;
  free(line);
  return NULL;
}

static struct op_test *find_test(struct job *job,
                                 const struct cul_digest *text) {
  for (size_t i = 0; i < job->n_tests; i++)
    if (cul_digest_equal(&job->tests[i].text, text))
      return &job->tests[i];
  return NULL;
}

static void keep_file(struct job *job, struct op_test *test,
                      const struct cul_buf *text) {
  char *path;
  test->file = cul_xasprintf("op-%03zu%s", ++job->n_failing,
                             cul_repro_case_extension(job->conf->target.input));
  path = cul_xasprintf("%s/%s", job->conf->out, test->file);
  if (job->late.code == 0)
    (void)!cul_file_replace(path, text->data, text->len, 0666, &job->late);
  free(path);
}

/* NULL: the text is no test of a single operation. */
static struct op_test *add_test(struct job *job, const struct cul_buf *text,
                                const struct cul_digest *digest,
                                const struct cul_verdict *verdict) {
  char *line = line_of(text);
  struct op_test *test;
  if (!line)
    return NULL;
  job->tests =
      cul_xreallocarray(job->tests, job->n_tests + 1, sizeof *job->tests);
  test = &job->tests[job->n_tests++];
  *test = (struct op_test){.text = *digest,
                           .answer = verdict->answer,
                           .sig = verdict->sig,
                           .op = line};
  if (verdict->answer == CUL_SAME ||
      (verdict->answer == CUL_OTHER && verdict->sig.kind != CUL_KIND_NONE))
    keep_file(job, test, text);
  return test;
}

/* Ask for the site again: the child that held its text was killed, or died. */
static void ask_again(struct job *job, uint32_t site) {
  enum { MOST_LOST = 3 };
  if (job->lost[site]++ < MOST_LOST)
    job->again[job->n_again++] = site;
}

/* Fail if runs were lost: that is no answer. */
static void watch_lost(struct job *job, const struct cul_verdict *verdict) {
  if (verdict->answer != CUL_UNRESOLVED || !job->target.probe.lost ||
      job->late.code != 0)
    return;
  cul_fail(&job->late, CUL_EENV,
           "see that nothing ends culprit's own processes (a lack of memory, "
           "the tool itself), and run the same command again",
           "no result for an operation alone: %s", verdict->why);
}

static void judged(void *self, int slot, uint64_t ticket,
                   const struct cul_point *point, const struct cul_built *built,
                   const struct cul_verdict *verdict) {
  struct job *job = self;
  struct cul_edit_slot *held = &job->space.slots[slot];
  struct cul_buf text = {0};
  struct cul_err err = {0};
  struct cul_digest digest;
  struct op_test *test;
  (void)ticket;
  (void)built;
  if (verdict->answer == CUL_INVALID || !held->child)
    return;
  watch_lost(job, verdict);
  if (cul_child_text(held->child, &text, &err) != 0) {
    cul_buf_release(&text);
    ask_again(job, point->ids[0]);
    return;
  }
  digest = cul_digest_of(text.data, text.len);
  test = find_test(job, &digest);
  if (!test)
    test = add_test(job, &text, &digest, verdict);
  if (test)
    test->count++;
  cul_buf_release(&text);
}

static int by_answer(const void *a, const void *b) {
  const struct op_test *x = a, *y = b;
  if (x->answer != y->answer)
    return x->answer == CUL_SAME ? -1 : y->answer == CUL_SAME ? 1 : 0;
  return x->file && y->file ? strcmp(x->file, y->file) : !x->file - !y->file;
}

static void print_tests(struct job *job, FILE *text) {
  size_t ops = 0, same = 0;
  cul_status_make_way();
  for (size_t i = 0; i < job->n_tests; i++) {
    const struct op_test *test = &job->tests[i];
    ops += test->count;
    same += test->answer == CUL_SAME;
    if (test->file)
      cul_say(
          text, "%s  %s/%s: %zu of the module\n  %.160s\n  %s\n",
          test->answer == CUL_SAME ? "fails alike:    " : "fails otherwise:",
          job->conf->out, test->file, test->count, test->op, test->sig.title);
  }
  cul_say(text,
          "%zu operation%s, %zu different; %zu %s as the module does, %zu in "
          "another way\n",
          ops, cul_s(ops), job->n_tests, same, same == 1 ? "fails" : "fail",
          job->n_failing - same);
  if (job->n_failing == 0 && finished(job))
    cul_say(text, "None fails alone: it takes several, `culprit extract` "
                  "without --each-op finds which.\n");
}

static json_t *report_of(const struct job *job) {
  json_t *tests = json_array();
  for (size_t i = 0; i < job->n_tests; i++) {
    const struct op_test *test = &job->tests[i];
    json_t *json = json_pack(
        "{s:o, s:I, s:s}", "op", cul_report_string(test->op), "count",
        (json_int_t)test->count, "answer", cul_answer_name(test->answer));
    if (test->file) {
      json_object_set_new(json, "file", json_string(test->file));
      json_object_set_new(json, "title", cul_report_string(test->sig.title));
    }
    json_array_append_new(tests, json);
  }
  return json_pack("{s:s, s:o, s:o}", "culprit_version", CULPRIT_VERSION,
                   "title",
                   cul_report_string(job->target.original.verdict.sig.title),
                   "tests", tests);
}

/* --- the job --------------------------------------------------------------*/

/* List the sites of the mutation that keeps one run of operations. */
static int list_sites(struct job *job, struct cul_err *err) {
  size_t n = cul_edit_space_mutations(&job->space);
  for (size_t m = 0; m < n; m++)
    if (strcmp(cul_edit_space_mutation(&job->space, m)->name,
               "outline-segment") == 0)
      return cul_edit_space_list(&job->space, (uint32_t)m, err);
  return cul_fail(err, CUL_EUSAGE,
                  "give --opt-tool 'CMD @@', which prints the module's generic "
                  "form, or leave --each-op out",
                  "--each-op: %s is not parsed as MLIR (form %s)",
                  job->conf->target.input, cul_form_name(job->form.form));
}

static int run_tests(struct job *job, struct cul_err *err) {
  struct cul_asker asker = {job, ask, tell, stale, accepted, finished, NULL};
  struct cul_space view = cul_edit_space_view(&job->space);
  size_t n = job->space.lists[0].n_sites;
  int rc;
  job->again = cul_xcalloc(n + 1, sizeof *job->again);
  job->lost = cul_xcalloc(n + 1, sizeof *job->lost);
  view.key = NULL; /* an answer alone would come without its text */
  job->space.may_grow = true;
  job->target.probe.watcher =
      (struct cul_watcher){.self = job, .judged = judged};
  rc = cul_probe_run(&job->target.probe, &view, &asker, err);
  job->target.probe.watcher = (struct cul_watcher){0};
  if (rc == 0 && job->late.code != 0) {
    *err = job->late;
    rc = err->code;
  }
  return rc;
}

static int open_module(struct job *job, struct cul_err *err) {
  int rc = cul_target_classify(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_cause(&job->target, err);
  if (rc == 0)
    rc = cul_form_choose(&job->workers, &job->target, &job->conf->form,
                         &job->form, err);
  if (rc < 0)
    return rc;
  cul_edit_space_init(&job->space, &job->target, job->form.worker,
                      &job->form.digest);
  job->form.worker = NULL;
  job->space_open = true;
  return list_sites(job, err);
}

static void release(struct job *job) {
  for (size_t i = 0; i < job->n_tests; i++) {
    free(job->tests[i].op);
    free(job->tests[i].file);
  }
  free(job->tests);
  free(job->again);
  free(job->lost);
  if (job->space_open)
    cul_edit_space_release(&job->space);
  cul_chosen_form_release(&job->form);
  cul_workers_release(&job->workers);
  cul_target_release(&job->target);
}

int cul_each_op(const struct cul_each_op_conf *conf, FILE *text,
                json_t **report, struct cul_err *err) {
  struct job *job = cul_xcalloc(1, sizeof *job);
  bool known = false;
  int rc;
  job->conf = conf;
  cul_workers_init(&job->workers, NULL);
  rc = cul_target_open(&job->target, &conf->target, err);
  job->target.probe.traced.samples.wanted = true;
  job->workers.environment = job->target.tool.environment;
  job->workers.input = &job->target.subject.text;
  job->workers.patience = cul_probe_patience(&job->target.probe);
  if (rc == 0)
    rc = cul_mkdirs(conf->out, 0777, err);
  if (rc == 0)
    rc = open_module(job, err);
  if (rc == 0) {
    rc = run_tests(job, err);
    known = rc == 0 || cul_is_cut(rc);
  }
  if (known) {
    qsort(job->tests, job->n_tests, sizeof *job->tests, by_answer);
    print_tests(job, text);
    *report = report_of(job);
    json_object_set_new(*report, "result",
                        json_string(rc == 0             ? "done"
                                    : rc == CUL_EBUDGET ? "budget"
                                                        : "interrupted"));
  }
  release(job);
  free(job);
  return rc;
}
