/* Choosing the form: see forms.h. */
#include "forms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../pipeline/reproducer.h"
#include "../../pipeline/section.h"
#include "../../systems/printers.h"
#include "../subject/text/lang.h"
#include "trivial.h"

/* ---- the generic form ---- */

/* The output of a tool that was asked to print the generic form. */
struct generic_asked {
  struct cul_buf text; /* the module in generic form, with its resources */
  char *read;          /* the file from which the tool printed it; heap */
  int rc;              /* 0: it printed something; else err */
  struct cul_err err;  /* the reason in the tool's words */
};

/* The argv for --opt-tool 'CMD @@', which a shell runs as it was typed. */
static char **typed_argv(const char *typed) {
  char **argv = cul_xcalloc(4, sizeof *argv);
  argv[0] = "bash";
  argv[1] = "-c";
  argv[2] = (char *)typed;
  return argv;
}

/* The tool under test, as identified in its first run.  Borrows from target and
 * from dir, which is cul_program_dir(). */
static struct cul_system_tool generic_tool(const struct cul_target *target,
                                           const char *dir) {
  const struct cul_identity *identity = &target->tool.identity;
  return (struct cul_system_tool){
      .program = identity->wrapper ? identity->wrapper : identity->program,
      .files = cul_buf_str(&identity->files),
      .program_dir = dir};
}

char **cul_form_opt_tool(const struct cul_target *target, const char *typed) {
  CUL_HEAP char *dir = cul_program_dir();
  const struct cul_system_tool tool = generic_tool(target, dir);
  return typed ? typed_argv(typed) : cul_system_generic_argv(&tool);
}

/* May this be the first line of a printed module? */
static bool starts_module(struct cul_bytes line) {
  static const char *const starts[] = {
      "\"", "#", "!", "//", "module", "builtin.module", "{-#"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(starts); i++)
    if (line.len >= strlen(starts[i]) &&
        memcmp(line.data, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* The printed module without the warnings that a wrapper or an interpreter
 * prints before it; everything if no module is recognized. */
static struct cul_bytes without_preface(struct cul_bytes text) {
  for (struct cul_bytes at = text; at.len;) {
    const char *feed = memchr(at.data, '\n', at.len);
    size_t n = feed ? (size_t)(feed - at.data) + 1 : at.len;
    if (starts_module(at))
      return at;
    at.data += n;
    at.len -= n;
  }
  return text;
}

/* Append the input for the tool, with the pipeline of a crash reproducer made
 * empty: some tools would run it without being asked (mlir-opt up to 16), and
 * fail. */
static void add_passive(struct cul_bytes input, struct cul_buf *out) {
  static const char none[] = "builtin.module()";
  struct cul_reproducer repro;
  if (cul_reproducer_find(input, &repro))
    cul_reproducer_replace(input, &repro,
                           (struct cul_bytes){none, sizeof none - 1}, out);
  else
    cul_buf_add(out, input.data, input.len);
}

int cul_form_print(struct cul_target *target, const char *const *argv,
                   struct cul_bytes text, uint64_t wall_ms,
                   struct cul_record *record, char **path,
                   struct cul_err *err) {
  struct cul_command command = {.argv = argv,
                                .delivery = CUL_BY_PLACEHOLDER,
                                .cwd = ".",
                                .environment = target->tool.environment};
  struct cul_request request = {.role = "opt-tool",
                                .cmd = &command,
                                .wall_ms = wall_ms,
                                .out_bytes = (uint64_t)1 << 30};
  CUL_OWNED(cul_placed) placed = {0};
  CUL_HEAP char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  if (cul_target_place(target, CUL_SLOT_OTHER, &placed, err) < 0 ||
      cul_placed_fill(&placed, text, err) < 0 ||
      cul_probe_wait(&target->probe, target->probe.runner, &placed.art,
                     &request, tmp, record, err) < 0)
    return err->code;
  if (path)
    *path = cul_xstrdup(placed.path);
  return 0;
}

static const uint64_t parse_limit_ms = 120 * 1000;

/* Run the tool on the input and take the generic form from its output. */
static int ask_opt_tool(struct cul_target *target, const char *const *argv,
                        struct cul_bytes input, struct generic_asked *out,
                        struct cul_err *err) {
  CUL_OWNED(cul_record) record = {0};
  CUL_OWNED(cul_buf) asked = {0};
  CUL_HEAP char *path = NULL;
  int rc;
  add_passive(input, &asked);
  rc = cul_form_print(target, argv, cul_buf_bytes(&asked), parse_limit_ms,
                      &record, &path, err);
  if (rc == 0 && (record.end != CUL_EXITED || record.status != 0))
    rc = cul_fail(
        err, CUL_EUSAGE, "", "%s does not print the generic form: %.*s",
        argv[1] && strcmp(argv[1], "-c") == 0 ? "--opt-tool" : argv[0],
        (int)strcspn(cul_buf_str(&record.err), "\n"), cul_buf_str(&record.err));
  if (rc == 0) {
    struct cul_bytes printed =
        without_preface((struct cul_bytes){record.out.data, record.out.len});
    cul_buf_add(&out->text, printed.data, printed.len);
    out->read = path;
    path = NULL;
  }
  return rc;
}

/* If the tool printed the section of a reproducer, put the pipeline of the
 * input back. */
static void keep_passes(struct cul_bytes input, struct cul_buf *generic) {
  struct cul_reproducer old, printed;
  struct cul_buf out = {0};
  if (!cul_reproducer_find(input, &old) ||
      !cul_reproducer_find(cul_buf_bytes(generic), &printed))
    return;
  cul_reproducer_replace(cul_buf_bytes(generic), &printed, old.pipeline, &out);
  cul_buf_release(generic);
  *generic = out;
}

/* Append the input's {-# #-} section, which contains the weights, if the tool
 * did not print it: a module printed in local scope lacks it. */
static void keep_section(struct cul_bytes input, struct cul_buf *generic) {
  struct cul_bytes printed = cul_buf_bytes(generic);
  size_t start = cul_section_find(input, 0, "{-#");
  size_t end = cul_section_find(input, start, "#-}");
  keep_passes(input, generic);
  printed = cul_buf_bytes(generic);
  if (end == input.len || cul_section_find(printed, 0, "{-#") < printed.len)
    return;
  cul_buf_addc(generic, '\n');
  cul_buf_add(generic, input.data + start, end + 3 - start);
  cul_buf_addc(generic, '\n');
}

/* Run argv on the input, with "@@" for its file.  out: {0}; release it. */
static void generic_ask(struct cul_target *target, const char *const *argv,
                        struct cul_bytes input, struct generic_asked *out) {
  out->rc = ask_opt_tool(target, argv, input, out, &out->err);
  if (out->rc == 0)
    keep_section(input, &out->text);
}

static void generic_asked_release(struct generic_asked *asked) {
  cul_buf_release(&asked->text);
  free(asked->read);
}

/* ---- the form of the input ---- */

/* A worker that dies within this time is started again. */
static const uint64_t soon_us = 5 * 1000 * 1000;

void cul_chosen_form_release(struct cul_chosen_form *chosen) {
  cul_worker_close(chosen->worker);
  cul_pieces_release(&chosen->text);
  cul_buf_release(&chosen->tried);
  free(chosen->read);
  free(chosen->unprinted);
  free(chosen->unlike);
  *chosen = (struct cul_chosen_form){0};
}

static int read_identity(struct cul_child *child, struct cul_chosen_form *out,
                         struct cul_err *err) {
  cul_pieces_release(&out->text);
  return cul_child_pieces(child, &out->text, err);
}

struct cul_reading cul_form_reading(const struct cul_chosen_form *chosen) {
  return (struct cul_reading){.form = chosen->form,
                              .check = chosen->check,
                              .located = chosen->located,
                              .language = chosen->language};
}

static int identity_once(struct cul_workers *workers, struct cul_reading how,
                         struct cul_bytes input, struct cul_chosen_form *out,
                         struct cul_err *err) {
  struct cul_child *child = NULL;
  struct cul_child_built built;
  int rc;
  how.language = cul_lang_number(cul_lang_guess(input.data, input.len));
  rc = cul_worker_open(workers, how, input, parse_limit_ms, &out->worker, err);
  if (rc < 0)
    return rc;
  rc = cul_worker_begin(out->worker, NULL, 0, &child, err);
  if (rc == 0)
    rc = cul_child_wait(child, parse_limit_ms, err);
  if (rc == 0)
    rc = cul_child_built(child, &built, err);
  if (rc == 0 && !built.valid)
    rc = cul_fail(err, CUL_EUSAGE, "", "does not verify: %s", built.why);
  if (rc == 0)
    rc = read_identity(child, out, err);
  cul_child_drop(child);
  if (rc < 0) {
    cul_worker_close(out->worker);
    out->worker = NULL;
    return rc;
  }
  out->form = how.form;
  out->check = how.check;
  out->located = how.located;
  out->language = how.language;
  out->digest = built.digest;
  out->size = built.size;
  return 0;
}

int cul_form_identity(struct cul_workers *workers, struct cul_reading how,
                      struct cul_bytes input, struct cul_chosen_form *out,
                      struct cul_err *err) {
  enum { MOST_LOST = 3, MOST_DEAD = 2 };
  int lost = 0, dead = 0, rc;
  /* Try again: a worker that dies once, perhaps for lack of memory, does not
   * prove that the form is wrong, nor does one that was killed. */
  do {
    uint64_t start_us = cul_now_us();
    rc = identity_once(workers, how, input, out, err);
    lost += rc == CUL_ELOST;
    dead += rc == CUL_ECHILD;
    if (rc == CUL_ECHILD && cul_now_us() - start_us > soon_us)
      break;
  } while ((rc == CUL_ELOST && lost < MOST_LOST) ||
           (rc == CUL_ECHILD && dead < MOST_DEAD));
  if (rc != CUL_ELOST)
    return rc;
  snprintf(err->advice, sizeof err->advice,
           "allow more memory, or give fewer workers (-j), and run the same "
           "command again; --form text does without that process");
  return err->code = CUL_EENV;
}

/* Is the identity candidate another print of the input that was classified? */
static bool is_of_input(const struct cul_target *target,
                        const struct cul_form_conf *conf) {
  return !conf->again.data && !target->subject.given.bytes.data &&
         target->original.verdict.answer == CUL_SAME;
}

/* Judge the identity candidate.  conf: of its first judgement; with_trivial:
 * run the trivial subjects on idle workers too, so that their records are in
 * the cache when they are needed.  NULL: it is judged once more. */
static int judge_identity(struct cul_target *target,
                          const struct cul_form_conf *conf,
                          const struct cul_chosen_form *form,
                          struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_buf trivial[CUL_MAX_TRIVIAL] = {0};
  struct cul_text texts[CUL_MAX_TRIVIAL + 1] = {0};
  struct cul_judged judged[CUL_MAX_TRIVIAL + 1] = {0};
  size_t n = 0;
  int rc;
  if (conf && conf->with_trivial && target->cache && target->probe.workers > 1)
    n = cul_trivial_texts(target, form->form, trivial);
  texts[0].pieces = &form->text;
  texts[0].known = conf && is_of_input(target, conf) ? &target->original : NULL;
  for (size_t i = 0; i < n; i++)
    texts[i + 1].bytes = cul_buf_bytes(&trivial[i]);
  rc = cul_target_judge_all(target, texts, n + 1, CUL_UNTIL_SAME_AGAIN, judged,
                            err);
  *verdict = judged[0].verdict;
  if (rc == 0 && cul_judged_is_lost(&judged[0]))
    rc = cul_judged_fail(&judged[0], err);
  for (size_t i = 0; i <= n; i++)
    cul_judged_release(&judged[i]);
  for (size_t i = 0; i < n; i++)
    cul_buf_release(&trivial[i]);
  return rc;
}

/* Judge the identity candidate in fixed heaps too, if the failure is a memory
 * fault that depends on every byte. */
static int judge_in_heaps(struct cul_target *target,
                          const struct cul_chosen_form *form,
                          struct cul_verdict *verdict, struct cul_err *err) {
  bool found;
  int rc = cul_target_seek_layouts(target,
                                   cul_target_subject_given(&target->subject),
                                   (struct cul_bytes){0}, &found, err);
  return rc == 0 && found ? judge_identity(target, NULL, form, verdict, err)
                          : rc;
}

/* If the candidate shows another failure, test whether it is the sought one at
 * another place. */
static int judge_elsewhere(struct cul_target *target,
                           const struct cul_chosen_form *form,
                           struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_buf text = {0};
  bool found = false;
  int rc = 0;
  if (verdict->answer == CUL_OTHER) {
    cul_pieces_copy(&form->text, &text);
    rc = cul_target_seek_place(target, &verdict->sig, cul_buf_bytes(&text),
                               &found, err);
    cul_buf_release(&text);
  }
  if (rc < 0 || !found)
    return rc ? rc : judge_in_heaps(target, form, verdict, err);
  return judge_identity(target, NULL, form, verdict, err);
}

/* If the candidate does not show the failure, run it once more.  If it then
 * fails, the failure is flaky: measure its rate. */
static int judge_again(struct cul_target *target,
                       const struct cul_chosen_form *form,
                       struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_text text = {.pieces = &form->text, .run_flags = CUL_RUN_NO_CACHE};
  CUL_OWNED(cul_judged) judged = {0};
  bool fails;
  int rc;
  if (verdict->answer == CUL_SAME || cul_target_whole(target) ||
      target->probe.deadline.fixed || cul_target_flaky(target, NULL))
    return 0;
  rc = cul_target_judge_all(target, &text, 1, CUL_UNTIL_END, &judged, err);
  fails = judged.verdict.answer == CUL_SAME;
  if (rc == 0 && cul_judged_is_lost(&judged))
    rc = cul_judged_fail(&judged, err);
  if (rc == 0 && !fails)
    return judge_elsewhere(target, form, verdict, err);
  if (rc < 0)
    return rc;
  if (cul_target_doubt(target, err) < 0 ||
      cul_target_demand_failure(target, err) < 0)
    return err->code;
  return judge_identity(target, NULL, form, verdict, err);
}

/* May the form have dropped locations of the input? */
static bool may_locate(struct cul_bytes input, enum cul_form form) {
  return (form == CUL_FORM_NATIVE || form == CUL_FORM_GENERIC ||
          form == CUL_FORM_OPAQUE) &&
         memmem(input.data, input.len, "loc(", 4);
}

/* Try the identity candidate printed with locations, which some verifiers
 * check.  If it shows the failure, it replaces *out. */
static int try_located(struct cul_workers *workers, struct cul_target *target,
                       struct cul_bytes input, struct cul_chosen_form *out,
                       struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_reading how = cul_form_reading(out);
  CUL_OWNED(cul_chosen_form) located = {0};
  struct cul_verdict other = {0};
  int rc;
  how.located = true;
  rc = cul_form_identity(workers, how, input, &located, err);
  if (rc == 0)
    rc = judge_identity(target, NULL, &located, &other, err);
  if (rc == 0 && other.answer == CUL_SAME) {
    *verdict = other;
    cul_worker_close(out->worker);
    out->worker = located.worker;
    located.worker = NULL;
    cul_pieces_release(&out->text);
    out->text = located.text;
    located.text = (struct cul_pieces){0};
    out->digest = located.digest;
    out->size = located.size;
    out->located = true;
  }
  return rc == CUL_EUSAGE || rc == CUL_ECHILD ? 0 : rc;
}

/* Does the identity candidate of this form show the same failure? */
static int try_form(struct cul_workers *workers, struct cul_target *target,
                    const struct cul_form_conf *conf, enum cul_form form,
                    struct cul_bytes input, struct cul_chosen_form *out,
                    struct cul_err *err) {
  struct cul_verdict verdict = {0};
  struct cul_reading how = {.form = form, .check = true};
  int rc = cul_form_identity(workers, how, input, out, err);
  how.check = false;
  if (rc == CUL_EUSAGE && form != CUL_FORM_TEXT)
    rc = cul_form_identity(workers, how, input, out, err);
  if (rc < 0)
    return rc;
  target->oracle_conf.quotes =
      target->oracle_conf.match && form > CUL_FORM_OPAQUE;
  rc = judge_identity(target, conf, out, &verdict, err);
  if (rc == 0 && verdict.answer != CUL_SAME && may_locate(input, form))
    rc = try_located(workers, target, input, out, &verdict, err);
  if (rc == 0 && !conf->again.data)
    rc = judge_again(target, out, &verdict, err);
  if (rc == 0 && verdict.answer != CUL_SAME) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "printed again, it no longer shows the failure (%s)",
                  verdict.why);
    free(out->unlike);
    out->unlike = cul_xasprintf("%s: %s", cul_form_name(form), err->what);
  }
  if (rc < 0) {
    cul_worker_close(out->worker);
    out->worker = NULL;
  }
  return rc;
}

static bool may_try_next(int rc) {
  return rc == CUL_EUSAGE || rc == CUL_ECHILD;
}

/* The text to read: a result of the job, or the input. */
static struct cul_bytes text_of(const struct cul_target *target,
                                const struct cul_form_conf *conf) {
  return conf->again.data ? conf->again : target->subject.text.bytes;
}

static void ask(struct cul_target *target, const struct cul_form_conf *conf,
                const char *const *argv, struct cul_chosen_form *out,
                struct generic_asked *asked) {
  free(out->read);
  out->read = NULL;
  generic_ask(target, argv, text_of(target, conf), asked);
  out->read = asked->read;
  asked->read = NULL;
}

/* Did the run not come to its end: refused by the machine, or cut off by
 * --max-time or the user?  Then nothing is known about the input. */
static bool has_no_answer(const struct generic_asked *asked,
                          struct cul_err *err) {
  bool none = asked->rc < 0 && !may_try_next(asked->rc);
  if (none)
    *err = asked->err;
  return none;
}

/* Try the opaque form of the printed text. */
static int try_printed(struct cul_workers *workers, struct cul_target *target,
                       const struct cul_form_conf *conf,
                       struct generic_asked *asked, struct cul_chosen_form *out,
                       struct cul_err *err) {
  if (has_no_answer(asked, err))
    return asked->rc;
  if (asked->rc == 0 && !cul_printer_is_generic(cul_buf_bytes(&asked->text)))
    return cul_fail(err, CUL_EUSAGE, "", "its output is not in generic form");
  return asked->rc ? CUL_EUSAGE
                   : try_form(workers, target, conf, CUL_FORM_OPAQUE,
                              cul_buf_bytes(&asked->text), out, err);
}

/* Try all usual ways to print the generic form until the printed text shows the
 * failure: the tool's name may be unknown, or its options may have other names.
 * EUSAGE: none worked; out->unprinted is the first message. */
static int try_printers(struct cul_workers *workers, struct cul_target *target,
                        const struct cul_form_conf *conf,
                        struct cul_chosen_form *out, struct cul_err *err) {
  enum { MOST = 3 }; /* attempts that fail for another reason than an option */
  CUL_HEAP char *dir = cul_program_dir();
  const struct cul_system_tool tool = generic_tool(target, dir);
  CUL_HEAP char *program = cul_printer_find(&tool);
  char **argv = NULL;
  char *unlike = out->unlike;
  int rc = CUL_EUSAGE, failed = 0;
  out->unlike = NULL;
  for (size_t way = 0; program && failed < MOST && may_try_next(rc) &&
                       (argv = cul_printer_argv(program, way));
       way++) {
    const char *const *words = (const char *const *)argv;
    CUL_OWNED(generic_asked) asked = {0};
    ask(target, conf, words, out, &asked);
    rc = try_printed(workers, target, conf, &asked, out, err);
    failed += asked.rc && !cul_printer_blames(words, asked.err.what);
    if (asked.rc && !out->unprinted)
      out->unprinted = cul_xstrdup(asked.err.what);
    free(argv);
  }
  /* Attempts before a successful one are not reported. */
  if (rc == 0 || !out->unlike) {
    free(out->unlike);
    out->unlike = unlike;
  } else {
    free(unlike);
  }
  if (program && rc < 0 && !out->unprinted)
    out->unprinted =
        cul_xasprintf("%s does not print the generic form", program);
  if (rc == 0) {
    free(out->unprinted);
    out->unprinted = NULL;
  }
  return rc;
}

/* Is it LLVM IR, as text or as bitcode, by its name? */
static bool is_llvm(const char *path) {
  return cul_text_ends(path, ".ll") || cul_text_ends(path, ".bc");
}

static bool is_of_name(char byte) {
  return isalnum((unsigned char)byte) || byte == '_' || byte == '$' ||
         byte == '.';
}

/* The text behind blanks and MLIR comments. */
static struct cul_bytes behind_comments(struct cul_bytes text) {
  const char *at = text.data, *end = at + text.len;
  while (at < end && (isspace((unsigned char)*at) || *at == '/')) {
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    if (*at == '/' && (end - at < 2 || at[1] != '/' || !feed))
      break;
    at = *at == '/' ? feed : at + 1;
  }
  return (struct cul_bytes){at, (size_t)(end - at)};
}

/* The number of bytes of the name at the start of the text.  0: none; or the
 * text ends with it, or goes on with a byte of no text, as bytecode does. */
static size_t name_of(struct cul_bytes text) {
  size_t n = 0;
  while (n < text.len && is_of_name(text.data[n]))
    n++;
  return n < text.len && isascii((unsigned char)text.data[n]) && text.data[n]
             ? n
             : 0;
}

/* Does it begin with the name of an operation of a dialect, or builtin's? */
static bool begins_with_operation(struct cul_bytes text) {
  struct cul_bytes word = {text.data, name_of(text)};
  return memchr(word.data, '.', word.len) ||
         cul_bytes_among(word, " module func unrealized_conversion_cast ");
}

/* Does it begin with "#name =" or "!name =", and not with a comment or tag? */
static bool begins_with_alias(struct cul_bytes text) {
  size_t at = 1 + name_of((struct cul_bytes){text.data + 1, text.len - 1});
  if (at == 1)
    return false;
  while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t'))
    at++;
  return at < text.len && text.data[at] == '=';
}

/* Is it sure that no MLIR parser accepts the text, and does nobody need the
 * parser's message?  MLIR text starts with the name of an operation, which has
 * a dialect unless that is builtin, a result, an alias, or metadata; most other
 * texts start with another word, or a comment of their own. */
static bool is_foreign(const struct cul_form_conf *conf, const char *path,
                       struct cul_bytes text) {
  struct cul_bytes rest = behind_comments(text);
  if (conf->forced || cul_text_ends(path, ".mlir") || is_llvm(path) ||
      rest.len == 0)
    return false;
  if (isalpha((unsigned char)*rest.data) || *rest.data == '_')
    return name_of(rest) > 0 && !begins_with_operation(rest);
  if (*rest.data == '#' || *rest.data == '!')
    return !begins_with_alias(rest);
  return *rest.data && strchr("[-(<@*;$&=|~`'0123456789", *rest.data);
}

static int fail_foreign(struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE, "",
                  "the text does not begin like an operation");
}

/* Try the opaque form on the known tool's output, or on the input itself, which
 * may be generic already.  *again: other ways to print may help. */
static int try_known(struct cul_workers *workers, struct cul_target *target,
                     const struct cul_form_conf *conf, char **argv, bool *again,
                     struct cul_chosen_form *out, struct cul_err *err) {
  const char *const *words = (const char *const *)argv;
  CUL_OWNED(generic_asked) asked = {.rc = CUL_EUSAGE};
  struct cul_bytes text;
  int rc;
  *again = false;
  if (argv)
    ask(target, conf, words, out, &asked);
  if (has_no_answer(&asked, err))
    return asked.rc;
  if (argv && asked.rc < 0) {
    free(out->unprinted);
    out->unprinted = cul_xstrdup(asked.err.what);
  }
  text = asked.rc == 0 ? cul_buf_bytes(&asked.text) : text_of(target, conf);
  if (asked.rc < 0 && is_foreign(conf, target->subject.path, text))
    rc = fail_foreign(err);
  else
    rc = try_form(workers, target, conf, CUL_FORM_OPAQUE, text, out, err);
  if (argv && asked.rc < 0 && may_try_next(rc))
    memcpy(err->what, asked.err.what, sizeof err->what);
  *again = !argv || asked.rc == 0 || cul_printer_blames(words, asked.err.what);
  return rc;
}

/* Try the opaque form, which parses generic text: on the output of the opt
 * tool, else on the input itself; then on the output of the tool under test
 * with other options. */
static int try_opaque(struct cul_workers *workers, struct cul_target *target,
                      const struct cul_form_conf *conf,
                      struct cul_chosen_form *out, struct cul_err *err) {
  CUL_HEAP char **argv = cul_form_opt_tool(target, conf->opt_tool);
  struct cul_err other = {0};
  bool again;
  int rc = try_known(workers, target, conf, argv, &again, out, err), found;
  if (may_try_next(rc) && again && !conf->opt_tool) {
    found = try_printers(workers, target, conf, out, &other);
    if (!may_try_next(found)) {
      rc = found;
      *err = other;
    }
  }
  if (rc < 0) {
    free(out->read);
    out->read = NULL;
  }
  return rc;
}

/* The last line of tried that begins with form; the first line if there is none
 * or form is NULL. */
static struct cul_bytes line_of(const char *tried, const char *form) {
  const char *found = NULL;
  for (const char *at = tried; *at && form; at += strcspn(at, "\n") + 1)
    if (strncmp(at, form, strlen(form)) == 0)
      found = at;
  if (!found)
    found = tried;
  return (struct cul_bytes){found, strcspn(found, "\n")};
}

struct cul_bytes cul_form_refusal(const struct cul_chosen_form *chosen,
                                  const char *input) {
  const char *tried = cul_buf_str(&chosen->tried);
  if (chosen->form == CUL_FORM_TEXT && !cul_text_ends(input, ".mlir") &&
      !is_llvm(input))
    return (struct cul_bytes){NULL, 0};
  if (chosen->unlike)
    return (struct cul_bytes){chosen->unlike, strlen(chosen->unlike)};
  return line_of(tried, chosen->unprinted && chosen->form == CUL_FORM_MLIR_TEXT
                            ? cul_form_name(CUL_FORM_OPAQUE)
                            : NULL);
}

bool cul_form_advice(const struct cul_chosen_form *chosen,
                     const struct cul_form_conf *conf, struct cul_buf *out) {
  bool nameable = !conf->opt_tool;
  /* No printer is needed for input that does not look like MLIR. */
  if (chosen->form != CUL_FORM_MLIR_TEXT || (!chosen->unprinted && !nameable))
    return false;
  cul_buf_adds(out, chosen->unprinted
                        ? chosen->unprinted
                        : "culprit knows no tool that prints the generic form");
  if (nameable)
    cul_buf_adds(out, "; name a printer with --opt-tool 'CMD @@'");
  return true;
}

static int try_with_input(struct cul_workers *workers,
                          struct cul_target *target,
                          const struct cul_form_conf *conf, enum cul_form form,
                          struct cul_chosen_form *out, struct cul_err *err) {
  struct cul_bytes text = text_of(target, conf);
  bool foreign;
  int rc;
  if (form == CUL_FORM_OPAQUE)
    return try_opaque(workers, target, conf, out, err);
  foreign = is_foreign(conf, target->subject.path, text);
  if (form < CUL_FORM_LLVM && foreign)
    return fail_foreign(err);
  /* MLIR's parser refuses a byte order mark */
  rc = try_form(workers, target, conf, form,
                form == CUL_FORM_TEXT ? text : cul_bytes_behind_mark(text), out,
                err);
  /* MLIR behind the lines of a log has operations; the implicit module is one
   */
  if (rc < 0 || form != CUL_FORM_MLIR_TEXT || !foreign || out->size.ops > 1)
    return rc;
  cul_worker_close(out->worker);
  out->worker = NULL;
  return fail_foreign(err);
}

/* Python is not MLIR: no tool is asked to print it, and no form is reported as
 * refused. */
static bool is_python(const char *path) { return cul_text_ends(path, ".py"); }

enum cul_form cul_form_first(const struct cul_form_conf *conf,
                             const char *input, struct cul_bytes text) {
  if (conf->forced)
    return conf->form;
  if (is_foreign(conf, input, text))
    return CUL_FORM_TEXT;
  if (is_llvm(input))
    return CUL_FORM_LLVM;
  return is_python(input) ? CUL_FORM_TEXT : CUL_FORM_NATIVE;
}

/* The form to try after form was refused.  LLVM IR is tried only as such and as
 * text; other input is never tried as LLVM IR. */
static int form_after(int form, const char *input) {
  if (is_llvm(input))
    return CUL_FORM_TEXT;
  return form + 1 == CUL_FORM_LLVM ? form + 2 : form + 1;
}

int cul_form_choose(struct cul_workers *workers, struct cul_target *target,
                    const struct cul_form_conf *conf,
                    struct cul_chosen_form *out, struct cul_err *err) {
  int first = (int)cul_form_first(conf, target->subject.path,
                                  (struct cul_bytes){NULL, 0});
  int end = conf->forced       ? first + 1
            : conf->again.data ? (int)conf->below
                               : CUL_N_FORMS;
  int rc = CUL_EUSAGE;
  *out = (struct cul_chosen_form){0};
  for (int form = first; form < end;
       form = conf->forced ? end : form_after(form, target->subject.path)) {
    rc = try_with_input(workers, target, conf, (enum cul_form)form, out, err);
    if (rc == 0 || !may_try_next(rc))
      return rc;
    cul_buf_addf(&out->tried, "%s: %s\n", cul_form_name((enum cul_form)form),
                 err->what);
  }
  if (conf->again.data)
    return CUL_EUSAGE;
  return cul_fail_in(err, "form %s cannot be used",
                     cul_form_name(conf->forced ? conf->form : CUL_FORM_TEXT));
}
