/* A worker on the command line: applies one mutation once and prints the
 * result, or lists its sites, or prints the table of mutations. For tests and
 * people. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CUL_WORKER_MLIR
#include <llvm-c/Core.h>
#endif

#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/options/opt.h"
#include "../../base/visible.h"
#include "../opmodel/batch.h"
#include "command.h"
#include "trials.h"

/* ---- verifier ---- */

/* A worker on the command line asks a verifier itself, which is otherwise the
 * task of the main program (reducer/forms/vendor.h). The tool must read many
 * modules in one run and must not crash. */

/* command with "@@" replaced by path; heap. */
static char *with_path(const char *command, const char *path) {
  const char *at = strstr(command, "@@");
  return at ? cul_xasprintf("%.*s%s%s", (int)(at - command), command, path,
                            at + 2)
            : cul_xasprintf("%s %s", command, path);
}

/* Run line in a shell with `out` as standard output, and wait for its end. */
static void run_shell(const char *line, int out) {
  pid_t pid = fork();
  if (pid == 0) {
    if (dup2(out, STDOUT_FILENO) >= 0)
      execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
}

/* Append the output of the command when it reads text. */
static int verify_run(const char *command, const struct cul_buf *text,
                      struct cul_buf *printed, struct cul_err *err) {
  int in = memfd_create("questions", MFD_CLOEXEC);
  int out = memfd_create("answers", MFD_CLOEXEC), rc;
  /* A wrapper script may close what it inherits. */
  char *path = cul_xasprintf("/proc/%d/fd/%d", (int)getpid(), in);
  char *line = with_path(command, path);
  if (in < 0 || out < 0 || cul_write_all(in, text->data, text->len) < 0) {
    rc = cul_fail(err, CUL_EENV, "", "cannot run %s: %s", command,
                  strerror(errno));
  } else {
    run_shell(line, out);
    free(path);
    path = cul_xasprintf("/proc/self/fd/%d", out);
    rc = cul_file_read(path, 0, printed, err);
  }
  if (in >= 0)
    close(in);
  if (out >= 0)
    close(out);
  free(line);
  free(path);
  return rc;
}
/* One round of questions; *more: there were any. */
static int ask(struct cul_session *session, const char *command, bool *more,
               struct cul_err *err) {
  struct cul_buf message = {0}, text = {0}, printed = {0};
  struct cul_batch batch;
  size_t *which, n = 0;
  uint8_t *answers;
  int rc = 0;
  session->kind->model->questions(session->subject, NULL, &message);
  if (message.len == 0)
    session->kind->model->questions(session->subject, cul_session_wants_all,
                                    &message);
  cul_batch_init(&batch, cul_buf_bytes(&message));
  which = cul_xreallocarray(NULL, batch.n + 1, sizeof *which);
  answers = cul_xcalloc(batch.n + 1, 1);
  for (size_t i = 0; i < batch.n; i++)
    if (batch.texts[i].len)
      which[n++] = i;
  *more = batch.n > 0;
  if (*more) {
    cul_batch_write(&batch, which, n, &text);
    rc = verify_run(command, &text, &printed, err);
    if (rc == 0 && cul_batch_read(cul_buf_bytes(&printed), which, n, answers) !=
                       CUL_BATCH_GOOD)
      rc = cul_fail(err, CUL_EUSAGE, "it must read --split-input-file",
                    "%s does not print the modules that it accepts", command);
    session->kind->model->told(
        session->subject, (struct cul_bytes){(const char *)answers, batch.n});
  }
  free(which);
  free(answers);
  cul_batch_release(&batch);
  cul_buf_release(&message);
  cul_buf_release(&text);
  cul_buf_release(&printed);
  return rc;
}

/* Learn the requirements of operations from command, a shell command that reads
 * "@@". Errors: EENV; EUSAGE: it does not print the modules that it accepts. */
static int session_teach(struct cul_session *session, const char *command,
                         struct cul_err *err) {
  bool more = session->kind->model != NULL;
  int rc = 0;
  while (rc == 0 && more)
    rc = ask(session, command, &more, err);
  return rc;
}

/* ---- apply ---- */

struct options {
  const char *apply, *form, *only, *try, *keep, *verifier, *plugin;
  int64_t most, seed;
  bool sites, list, print, no_check, located, help;
};

static const struct cul_opt table[] = {
    {.name = "apply",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, apply),
     .value = "MUTATION",
     .help = "apply the mutation to FILE and print the result"},
    {.name = "only",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, only),
     .value = "LIST",
     .help = "apply at these sites only, as in 0,3-5"},
    {.name = "sites",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, sites),
     .help = "list the sites of the mutation, apply nothing"},
    {.name = "print",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, print),
     .help = "print FILE as it is read and written, without an edit"},
    {.name = "try",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, try),
     .value = "MUTATION",
     .help = "try the mutation (or all) at many sites, and count the outcomes"},
    {.name = "most",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, most),
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "with --try: at most N sites of each (default 50)"},
    {.name = "keep",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, keep),
     .value = "DIR",
     .help = "with --try: keep every result there, valid or not"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, seed),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "with --try: random sites, drawn from this seed"},
    {.name = "form",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, form),
     .value = "FORM",
     .help = "how FILE is read: native, native-generic, opaque, text"},
    {.name = "verifier",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, verifier),
     .value = "'CMD @@'",
     .help = "opaque: learn the requirements of operations from this tool, "
             "which prints the valid modules of a split file"},
    {.name = "mutation",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, plugin),
     .value = "FILE.so",
     .help = "texts: with the mutation of this plugin"},
    {.name = "no-check",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, no_check),
     .help = "print results that are not valid, too"},
    {.name = "located",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, located),
     .help = "print locations, too"},
    {.name = "list",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, list),
     .help = "list the mutations as JSON lines"},
    {.name = "help",
     .letter = 'h',
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, help),
     .help = "print this help"},
    {.name = NULL},
};

static void print_help(void) {
  struct cul_buf text = {0};
  cul_opt_help(table, 80, &text);
  printf("usage: culprit-worker-KIND --apply MUTATION FILE\n"
         "Without arguments: serve culprit on descriptor 3.\n\n%s",
         cul_buf_str(&text));
  cul_buf_release(&text);
}

/* Print a string of JSON; a plugin may have any text. */
static void print_string(const char *text) {
  struct cul_buf escaped = {0}, out = {0};
  for (; *text; text++)
    if (*text == '\n' || *text == '\t')
      cul_buf_adds(&escaped, *text == '\n' ? "\\n" : "\\t");
    else if (*text == '"' || *text == '\\')
      cul_buf_addf(&escaped, "\\%c", *text);
    else
      cul_buf_addc(&escaped, *text);
  cul_visible_json(cul_buf_str(&escaped), &out);
  printf("\"%s\"", cul_buf_str(&out));
  cul_buf_release(&escaped);
  cul_buf_release(&out);
}

static void print_mutation(const struct cul_mutation *m) {
  static const struct {
    uint32_t bit;
    const char *name;
  } kinds[] = {{CUL_SUBJECT_NATIVE, "native"},
               {CUL_SUBJECT_OPAQUE, "opaque"},
               {CUL_SUBJECT_MLIR_TEXT, "mlir-text"},
               {CUL_SUBJECT_TEXT, "text"}},
    flags[] = {{CUL_MUT_RANGE, "range"},      {CUL_MUT_ONCE, "once"},
               {CUL_MUT_GROWS, "grows"},      {CUL_MUT_LAST, "last"},
               {CUL_MUT_COMMAND, "command"},  {CUL_MUT_NUMBERS, "numbers"},
               {CUL_MUT_CHAIN, "chain"},      {CUL_MUT_LARGE, "large"},
               {CUL_MUT_LIKELY, "likely"},    {CUL_MUT_ASKS, "asks"},
               {CUL_MUT_REWRITES, "rewrites"}};
  static const char *const phases[] = {"cut", "delta", "fine", "grow"};
  const char *comma = "";
  printf("{\"name\": ");
  print_string(m->name);
  printf(", \"summary\": ");
  print_string(m->summary);
  printf(", \"kinds\": [");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds); i++)
    if (m->kinds & kinds[i].bit)
      printf("%s\"%s\"", comma, kinds[i].name), comma = ", ";
  printf("], \"phase\": \"%s\", \"flags\": [", phases[m->phase]);
  comma = "";
  for (size_t i = 0; i < CUL_ARRAY_SIZE(flags); i++)
    if (m->flags & flags[i].bit)
      printf("%s\"%s\"", comma, flags[i].name), comma = ", ";
  printf("]}\n");
}

static void print_number(const char *name, uint32_t number) {
  if (number == CUL_SITE_NONE)
    printf(" %s=none", name);
  else
    printf(" %s=%u", name, number);
}

static void print_sites(const struct cul_sites *sites) {
  for (size_t i = 0; i < sites->n; i++) {
    printf("%zu weight=%u", i, sites->items[i].weight);
    print_number("parent", sites->items[i].parent);
    print_number("group", sites->items[i].group);
    printf("\n");
  }
}

/* Parse "N" or "N-M" at the front of *list. */
static int parse_range(const char **list, uint32_t *first, uint32_t *last,
                       struct cul_err *err) {
  char *end;
  *first = *last = (uint32_t)strtoul(*list, &end, 10);
  if (end != *list && *end == '-') {
    const char *second = end + 1;
    *last = (uint32_t)strtoul(second, &end, 10);
    if (end == second)
      end = (char *)*list;
  }
  if (end == *list || (*end && *end != ','))
    return cul_fail(err, CUL_EUSAGE, "give numbers and ranges: 0,3-5",
                    "--only: bad list \"%s\"", *list);
  *list = *end ? end + 1 : end;
  return 0;
}

static void add_edit(struct cul_buf *edits, uint32_t mutation, uint32_t site) {
  struct cul_edit edit = {.mutation = mutation, .site = site};
  cul_buf_add(edits, &edit, sizeof edit);
}

/* Add edits for the sites in `only`; NULL: for all n sites. */
static int choose(const char *only, uint32_t mutation, size_t n,
                  struct cul_buf *edits, struct cul_err *err) {
  uint32_t first, last;
  if (!only)
    for (size_t i = 0; i < n; i++)
      add_edit(edits, mutation, (uint32_t)i);
  while (only && *only) {
    if (parse_range(&only, &first, &last, err) < 0)
      return err->code;
    if (last >= n)
      return cul_fail(err, CUL_EUSAGE, "--sites lists them",
                      "no site %u: there are %zu of this mutation", last, n);
    for (uint32_t i = first; i <= last; i++)
      add_edit(edits, mutation, i);
  }
  return 0;
}

static int print_subject(struct cul_session *session, bool check,
                         struct cul_err *err) {
  struct cul_pieces text = {0};
  struct cul_size size;
  char why[160] = "";
  if (!session->kind->valid(session->subject, why, sizeof why) && check)
    return cul_fail(err, CUL_EUSAGE, "", "invalid result: %s", why);
  cul_session_write(session, false, &text, &size);
  cul_pieces_flatten(&text);
  fwrite(text.own.data, 1, text.own.len, stdout);
  cul_pieces_release(&text);
  return 0;
}

static int apply(struct cul_session *session, const struct options *options,
                 struct cul_err *err) {
  uint32_t m = 0;
  size_t n, applied = 0;
  struct cul_buf edits = {0};
  int rc;
  while (m < session->n_mutations &&
         strcmp(session->mutations[m]->name, options->apply) != 0)
    m++;
  if (m == session->n_mutations)
    return cul_fail(err, CUL_EUSAGE, "--list names them",
                    "no mutation %s for this form", options->apply);
  if (cul_session_list(session, m, err) < 0)
    return err->code;
  n = session->sites[m].n;
  if (options->sites) {
    print_sites(&session->sites[m]);
    return 0;
  }
  rc = choose(options->only, m, n, &edits, err);
  if (rc == 0)
    rc = cul_session_apply(session, (const struct cul_edit *)edits.data,
                           edits.len / sizeof(struct cul_edit), &applied, err);
  if (rc == 0)
    fprintf(stderr, "applied %zu of %zu\n", applied,
            edits.len / sizeof(struct cul_edit));
  cul_buf_release(&edits);
  return rc < 0 ? rc : print_subject(session, !options->no_check, err);
}

static int open_file(struct cul_session *session, const struct options *options,
                     const char *path, enum cul_form *out,
                     struct cul_err *err) {
  enum cul_form form = CUL_FORM_TEXT;
  struct cul_buf text = {0};
  int rc;
  if (!cul_subject_kind_for(form))
    form = CUL_FORM_NATIVE;
  if (options->form && !cul_form_parse(options->form, &form))
    return cul_fail(err, CUL_EUSAGE, "see --help", "no form %s", options->form);
  if (!cul_subject_kind_for(form))
    return cul_fail(err, CUL_EUSAGE, "use the other culprit-worker program",
                    "form %s is not in this one", options->form);
  *out = form;
  rc = cul_file_read(path, 0, &text, err);
  if (rc == 0)
    rc =
        cul_session_open(session,
                         (struct cul_reading){form, .check = !options->no_check,
                                              .located = options->located},
                         cul_buf_bytes(&text), false, err);
  cul_buf_release(&text);
  return rc;
}

static int run(const struct options *options, const char *path,
               struct cul_err *err) {
  struct cul_session session = {0};
  enum cul_form form = CUL_FORM_TEXT;
  int rc =
      options->plugin ? cul_session_plug(&session, options->plugin, err) : 0;
  if (rc < 0)
    return rc;
  if (options->list) {
    for (size_t i = 0; cul_mutations[i]; i++)
      print_mutation(cul_mutations[i]);
    if (session.plugin)
      print_mutation(session.plugin);
    return 0;
  }
  if (!path || !(options->apply || options->print || options->try))
    return cul_fail(err, CUL_EUSAGE, "see --help",
                    "give --list, or FILE with --apply, --try or --print");
  rc = open_file(&session, options, path, &form, err);
  if (rc == 0 && options->verifier)
    rc = session_teach(&session, options->verifier, err);
  if (rc == 0 && options->try)
    rc = cul_session_try(&session,
                         &(struct cul_trial_conf){
                             .form = form,
                             .name = options->try,
                             .most = (size_t)options->most,
                             .keep = options->keep,
                             .seed = (uint64_t)options->seed,
                         },
                         err);
  else if (rc == 0)
    rc = options->apply ? apply(&session, options, err)
                        : print_subject(&session, !options->no_check, err);
  cul_session_release(&session);
  return rc;
}

int cul_session_command(int argc, char **argv) {
  struct options options = {.most = 50};
  const char *path = NULL;
  struct cul_operands operands = {.items = &path, .max = 1};
  int rc;
  struct cul_err err = {0};
#ifdef CUL_WORKER_MLIR
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    printf("LLVM version %u.%u.%u\n", major, minor, patch);
    return 0;
  }
#endif
  rc = cul_opt_parse(table, &options, argc, argv, &operands, &err);
  if (rc == 0 && options.help) {
    print_help();
    return 0;
  }
  if (rc == 0)
    rc = run(&options, path, &err);
  if (rc < 0)
    fprintf(stderr, "error: %s%s%s\n", err.what, err.advice[0] ? "; " : "",
            err.advice);
  return cul_exit_status(rc);
}
