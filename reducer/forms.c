/* Choosing the form: see forms.h. */
#include "forms.h"

#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../base/status.h"
#include "../pipeline/reproducer.h"
#include "../pipeline/section.h"
#include "../systems/systems.h"
#include "trivial.h"

static const uint64_t parse_limit_ms = 120 * 1000;

void cul_chosen_form_release(struct cul_chosen_form *chosen) {
  cul_workshop_close(chosen->shop);
  cul_buf_release(&chosen->text);
  cul_buf_release(&chosen->tried);
  free(chosen->read);
  free(chosen->unprinted);
  free(chosen->unlike);
  *chosen = (struct cul_chosen_form){0};
}

static int read_identity(struct cul_child *child, struct cul_chosen_form *out,
                         struct cul_err *err) {
  cul_buf_clear(&out->text);
  return cul_child_text(child, &out->text, err);
}

static int identity_once(struct cul_workshops *shops, enum cul_form form,
                         bool check, struct cul_bytes input,
                         struct cul_chosen_form *out, struct cul_err *err) {
  struct cul_child *child = NULL;
  struct cul_child_built built;
  int rc = cul_workshop_open(shops, form, check, input, parse_limit_ms,
                             &out->shop, err);
  if (rc < 0)
    return rc;
  rc = cul_workshop_begin(out->shop, NULL, 0, &child, err);
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
    cul_workshop_close(out->shop);
    out->shop = NULL;
    return rc;
  }
  out->form = form;
  out->check = check;
  out->digest = built.digest;
  out->size = built.size;
  return 0;
}

int cul_form_identity(struct cul_workshops *shops, enum cul_form form,
                      bool check, struct cul_bytes input,
                      struct cul_chosen_form *out, struct cul_err *err) {
  enum { MOST = 3 }; /* that are killed without a word */
  int rc = CUL_ELOST;
  for (int i = 0; i < MOST && rc == CUL_ELOST; i++)
    rc = identity_once(shops, form, check, input, out, err);
  return rc == CUL_ELOST ? err->code = CUL_ECHILD : rc;
}

/* --opt-tool 'CMD @@' as an argv: it runs under a shell, as it was typed. */
static char **typed_argv(const char *typed) {
  char **argv = cul_xcalloc(4, sizeof *argv);
  argv[0] = "bash";
  argv[1] = "-c";
  argv[2] = (char *)typed;
  return argv;
}

char **cul_form_opt_tool(const struct cul_target *target, const char *typed) {
  const struct cul_identity *identity = &target->identity;
  char *dir = cul_program_dir();
  const struct cul_system_tool tool = {
      .program = identity->wrapper ? identity->wrapper : identity->program,
      .files = cul_buf_str(&identity->files),
      .program_dir = dir};
  char **argv = typed ? typed_argv(typed) : cul_system_generic_argv(&tool);
  free(dir);
  return argv;
}

/* Does a line of printed MLIR start like this? */
static bool starts_module(struct cul_bytes line) {
  static const char *const starts[] = {
      "\"", "#", "!", "//", "module", "builtin.module", "{-#"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(starts); i++)
    if (line.len >= strlen(starts[i]) &&
        memcmp(line.data, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* What was printed without what a wrapper or an interpreter says before it:
 * warnings.  All of it where no module is seen. */
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

/* What the tool is asked to print: a crash reproducer without its passes.
 * Some tools run them unasked (mlir-opt up to 16), and fail. */
static void add_passive(struct cul_bytes input, struct cul_buf *out) {
  static const char none[] = "builtin.module()";
  struct cul_reproducer repro;
  if (cul_reproducer_find(input, &repro))
    cul_reproducer_replace(input, &repro,
                           (struct cul_bytes){none, sizeof none - 1}, out);
  else
    cul_buf_add(out, input.data, input.len);
}

/* The generic form of the input, from the vendor's own tool. */
static int ask_opt_tool(struct cul_target *target, const char *const *argv,
                        struct cul_buf *out, char **read, struct cul_err *err) {
  struct cul_command command = {.argv = argv,
                                .delivery = CUL_BY_PLACEHOLDER,
                                .cwd = ".",
                                .environment = target->environment};
  struct cul_request request = {.role = "opt-tool",
                                .cmd = &command,
                                .wall_ms = parse_limit_ms,
                                .out_bytes = (uint64_t)1 << 30};
  struct cul_record record = {0};
  struct cul_placed placed = {0};
  struct cul_buf asked = {0};
  char *tmp = cul_xasprintf("%s/t%03d", target->dir, CUL_SLOT_OTHER);
  int rc;
  add_passive(cul_buf_bytes(&target->text), &asked);
  rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_buf_bytes(&asked), err);
  if (rc == 0)
    rc = cul_probe_wait(&target->probe, target->probe.runner, &placed.art,
                        &request, tmp, &record, err);
  if (rc == 0 && (record.end != CUL_EXITED || record.status != 0))
    rc = cul_fail(
        err, CUL_EUSAGE, "", "%s does not print the generic form: %.*s",
        argv[1] && strcmp(argv[1], "-c") == 0 ? "--opt-tool" : argv[0],
        (int)strcspn(cul_buf_str(&record.err), "\n"), cul_buf_str(&record.err));
  if (rc == 0) {
    struct cul_bytes printed =
        without_preface((struct cul_bytes){record.out.data, record.out.len});
    cul_buf_add(out, printed.data, printed.len);
    *read = cul_xstrdup(placed.path);
  }
  cul_record_release(&record);
  cul_placed_release(&placed);
  cul_buf_release(&asked);
  free(tmp);
  return rc;
}

/* The identity candidate, and as workers are idle the trivial subjects: their
 * records are in the cache when they are asked for. */
static int judge_identity(struct cul_target *target, bool with_trivial,
                          const struct cul_chosen_form *form,
                          struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_buf trivial[CUL_MAX_TRIVIAL] = {0};
  struct cul_text texts[CUL_MAX_TRIVIAL + 1] = {0};
  struct cul_judged judged[CUL_MAX_TRIVIAL + 1] = {0};
  size_t n = 0;
  int rc;
  if (with_trivial && target->cache && target->probe.workers > 1)
    n = cul_trivial_texts(target, form->form, trivial);
  texts[0].bytes = cul_buf_bytes(&form->text);
  for (size_t i = 0; i < n; i++)
    texts[i + 1].bytes = cul_buf_bytes(&trivial[i]);
  rc = cul_target_judge_all(target, texts, n + 1, CUL_UNTIL_SAME_AGAIN, judged,
                            err);
  *verdict = judged[0].verdict;
  for (size_t i = 0; i <= n; i++)
    cul_judged_release(&judged[i]);
  for (size_t i = 0; i < n; i++)
    cul_buf_release(&trivial[i]);
  return rc;
}

/* Is it a fault of memory that comes and goes with every byte? */
static int judge_in_heaps(struct cul_target *target,
                          const struct cul_chosen_form *form,
                          struct cul_verdict *verdict, struct cul_err *err) {
  bool found;
  int rc = cul_target_seek_layouts(target, cul_target_given(target),
                                   (struct cul_bytes){0}, &found, err);
  return rc == 0 && found ? judge_identity(target, false, form, verdict, err)
                          : rc;
}

/* It shows another failure; is that the same one in another place? */
static int judge_elsewhere(struct cul_target *target,
                           const struct cul_chosen_form *form,
                           struct cul_verdict *verdict, struct cul_err *err) {
  bool found = false;
  int rc = 0;
  if (verdict->answer == CUL_OTHER)
    rc = cul_target_seek_place(target, &verdict->sig,
                               cul_buf_bytes(&form->text), &found, err);
  if (rc < 0 || !found)
    return rc ? rc : judge_in_heaps(target, form, verdict, err);
  return judge_identity(target, false, form, verdict, err);
}

/* It does not show the failure; does a fresh run?  Then chance decides, and it
 * is measured how often. */
static int judge_again(struct cul_target *target,
                       const struct cul_chosen_form *form,
                       struct cul_verdict *verdict, struct cul_err *err) {
  struct cul_text text = {cul_buf_bytes(&form->text), CUL_RUN_NO_CACHE};
  struct cul_judged judged = {0};
  bool fails;
  int rc;
  if (verdict->answer == CUL_SAME || cul_target_whole(target) ||
      target->probe.fixed_deadline || cul_target_flaky(target, NULL))
    return 0;
  rc = cul_target_judge_all(target, &text, 1, CUL_UNTIL_END, &judged, err);
  fails = judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  if (rc == 0 && !fails)
    return judge_elsewhere(target, form, verdict, err);
  if (rc < 0)
    return rc;
  rc = cul_target_doubt(target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(target, err);
  return rc ? rc : judge_identity(target, false, form, verdict, err);
}

/* Does the identity candidate of this form show the same failure? */
static int try_form(struct cul_workshops *shops, struct cul_target *target,
                    enum cul_form form, struct cul_bytes input,
                    bool with_trivial, struct cul_chosen_form *out,
                    struct cul_err *err) {
  struct cul_verdict verdict = {0};
  int rc = cul_form_identity(shops, form, true, input, out, err);
  if (rc == CUL_EUSAGE && form != CUL_FORM_TEXT)
    rc = cul_form_identity(shops, form, false, input, out, err);
  if (rc < 0)
    return rc;
  rc = judge_identity(target, with_trivial, out, &verdict, err);
  if (rc == 0)
    rc = judge_again(target, out, &verdict, err);
  if (rc == 0 && verdict.answer != CUL_SAME) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "printed again, it no longer shows the failure (%s)",
                  verdict.why);
    free(out->unlike);
    out->unlike = cul_xasprintf("%s: %s", cul_form_name(form), err->what);
  }
  if (rc < 0) {
    cul_workshop_close(out->shop);
    out->shop = NULL;
  }
  return rc;
}

static bool may_try_next(int rc) {
  return rc == CUL_EUSAGE || rc == CUL_ECHILD;
}

/* Where the tool printed the section, it is the one without passes. */
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

/* Printed in local scope a module loses its {-# #-} section: weights. */
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

/* The opaque form reads generic text: what the opt tool prints, else the input
 * itself, which may be in that form already. */
static int try_opaque(struct cul_workshops *shops, struct cul_target *target,
                      const struct cul_form_conf *conf,
                      struct cul_chosen_form *out, struct cul_err *err) {
  char **argv = cul_form_opt_tool(target, conf->opt_tool);
  struct cul_buf generic = {0};
  struct cul_err unprinted = {0};
  int asked = argv ? ask_opt_tool(target, (const char *const *)argv, &generic,
                                  &out->read, &unprinted)
                   : CUL_EUSAGE;
  struct cul_bytes text;
  int rc;
  if (argv && asked < 0) {
    free(out->unprinted);
    out->unprinted = cul_xstrdup(unprinted.what);
  }
  if (asked == 0)
    keep_section(cul_buf_bytes(&target->text), &generic);
  text = cul_buf_bytes(asked == 0 ? &generic : &target->text);
  rc = try_form(shops, target, CUL_FORM_OPAQUE, text, conf->with_trivial, out,
                err);
  if (argv && asked < 0 && may_try_next(rc))
    memcpy(err->what, unprinted.what, sizeof err->what);
  if (rc < 0) {
    free(out->read);
    out->read = NULL;
  }
  cul_buf_release(&generic);
  free(argv);
  return rc;
}

/* MLIR knows no byte order mark; who takes a file with one takes it without. */
static struct cul_bytes without_mark(struct cul_bytes text) {
  static const char mark[] = "\xef\xbb\xbf";
  size_t n = sizeof mark - 1;
  if (text.len <= n || memcmp(text.data, mark, n) != 0)
    return text;
  return (struct cul_bytes){text.data + n, text.len - n};
}

/* LLVM IR, as text or as bitcode. */
static bool is_llvm(const char *path) {
  return cul_text_ends(path, ".ll") || cul_text_ends(path, ".bc");
}

/* The line of tried that begins so; the first one where there is none. */
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

static int try_with_input(struct cul_workshops *shops,
                          struct cul_target *target,
                          const struct cul_form_conf *conf, enum cul_form form,
                          struct cul_chosen_form *out, struct cul_err *err) {
  struct cul_bytes text = cul_buf_bytes(&target->text);
  if (form == CUL_FORM_OPAQUE)
    return try_opaque(shops, target, conf, out, err);
  return try_form(shops, target, form,
                  form == CUL_FORM_TEXT ? text : without_mark(text),
                  conf->with_trivial, out, err);
}

/* Python is no MLIR, whatever its tool can print: nothing is asked, nor said
 * of it. */
static bool is_python(const char *path) { return cul_text_ends(path, ".py"); }

enum cul_form cul_form_first(const struct cul_form_conf *conf,
                             const char *input) {
  if (conf->forced)
    return conf->form;
  if (is_llvm(input))
    return CUL_FORM_LLVM;
  return is_python(input) ? CUL_FORM_TEXT : CUL_FORM_NATIVE;
}

/* The form to try when form was refused: LLVM IR is no MLIR, nor is other
 * input LLVM IR. */
static int form_after(int form, const char *input) {
  if (is_llvm(input))
    return CUL_FORM_TEXT;
  return form + 1 == CUL_FORM_LLVM ? form + 2 : form + 1;
}

int cul_form_choose(struct cul_workshops *shops, struct cul_target *target,
                    const struct cul_form_conf *conf,
                    struct cul_chosen_form *out, struct cul_err *err) {
  int first = (int)cul_form_first(conf, target->input);
  int last = conf->forced ? first : CUL_N_FORMS - 1;
  int rc = 0;
  *out = (struct cul_chosen_form){0};
  for (int form = first; form <= last;
       form = form == last ? last + 1 : form_after(form, target->input)) {
    rc = try_with_input(shops, target, conf, (enum cul_form)form, out, err);
    if (rc == 0 || !may_try_next(rc))
      return rc;
    cul_buf_addf(&out->tried, "%s: %s\n", cul_form_name((enum cul_form)form),
                 err->what);
  }
  return cul_fail_in(err, "form %s cannot be used",
                     cul_form_name(conf->forced ? conf->form : CUL_FORM_TEXT));
}
