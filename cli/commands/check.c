/* culprit check: runs the command and describes its failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "../../reducer/forms/vendor.h"
#include "../../runners/sandbox/sandbox.h"
#include "../command.h"
#include "../defaults.h"
#include "../options.h"

struct options {
  struct cul_target_options target;
  const char *json, *explain_op;
  bool quiet;
  const struct cul_defaults *defaults;
};

static const struct cul_opt opts[] = {
    {.name = "target",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct options, target),
     .table = cul_target_opts},
    {.name = "form",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct options, target),
     .table = cul_form_opts},
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, json),
     .writes = true,
     .value = "FILE",
     .help = "write the findings as JSON; - is standard output"},
    {.name = "explain-op",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, explain_op),
     .value = "NAME",
     .help = "print what is known about operations with this name, such as "
             "tosa.transpose, and the source of this knowledge"},
    {.name = NULL}};

/* The number of the original's runs that showed the failure. */
static int count_same(const struct cul_target *target) {
  const struct cul_verdict *verdict = &target->original.verdict;
  return verdict->answer == CUL_SAME ||
                 (verdict->answer == CUL_UNRESOLVED && verdict->confidence < 1)
             ? (int)cul_judged_rate(&target->original).fails
             : 0;
}

static json_t *findings(const struct cul_target *target,
                        const struct cul_chosen_form *form) {
  const struct cul_verdict *verdict = &target->original.verdict;
  struct cul_buf text = {0};
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "command", cul_report_command(target));
  json_object_set_new(out, "environment",
                      cul_report_environment(&target->conf->environment,
                                             target->tool.environment));
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "answer",
                      json_string(cul_answer_name(verdict->answer)));
  json_object_set_new(out, "why", cul_report_string(verdict->why));
  json_object_set_new(out, "signature", cul_report_signature(&verdict->sig));
  json_object_set_new(out, "flake",
                      json_pack("{s:i, s:i}", "fails", count_same(target),
                                "runs",
                                (int)cul_judged_rate(&target->original).runs));
  json_object_set_new(out, "form",
                      form->worker ? json_string(cul_form_name(form->form))
                                   : json_null());
  json_object_set_new(out, "located", json_boolean(form->located));
  target->probe.oracle->describe(target->probe.oracle_self, &text);
  json_object_set_new(out, "preserves", cul_report_string(cul_buf_str(&text)));
  cul_buf_release(&text);
  return out;
}

/* The files of this directory that the tool reads: elsewhere, it lacks them. */
static void print_beside(const struct cul_identity *identity, FILE *out) {
  char *here = getcwd(NULL, 0);
  struct cul_buf names = {0};
  size_t n = 0;
  enum { MOST = 8 };
  if (here)
    cul_identity_below(identity, here, &names);
  for (const char *at = cul_buf_str(&names); *at; n++) {
    size_t len = strcspn(at, "\n");
    if (n < MOST)
      cul_say(out, "%s%.*s", n ? ", " : "           reads here: ", (int)len,
              at);
    at += len + 1;
  }
  if (n > MOST)
    cul_say(out, " and %zu more", n - MOST);
  if (n)
    fputc('\n', out);
  cul_buf_release(&names);
  free(here);
}

static void print_tool(const struct cul_identity *identity, FILE *out) {
  cul_say(out, "tool:      %s\n",
          identity->program ? identity->program : "(unknown)");
  if (identity->wrapper)
    cul_say(out, "           a wrapper: it runs %s\n", identity->wrapper);
  if (identity->why)
    cul_say(out,
            "           culprit does not know all of its files (%s): it keeps "
            "results for this job only\n",
            identity->why);
  else
    cul_say(out,
            "           identified by %zu file%s: results are valid until one "
            "of them changes\n",
            identity->n_files, cul_s(identity->n_files));
  for (const char *at = cul_buf_str(&identity->unseen); *at;) {
    size_t n = strcspn(at, "\n");
    cul_say(out, "           not seen: %.*s\n", (int)n, at);
    at += n + (at[n] == '\n');
  }
}

static void print_defaults(const struct cul_defaults *defaults, FILE *out) {
  for (size_t i = 0; i < defaults->n; i++)
    cul_say(out, "default:   %s (%s:%zu)\n", defaults->items[i].word,
            defaults->items[i].file, defaults->items[i].line);
}

static json_t *report_defaults(const struct cul_defaults *defaults) {
  json_t *list = json_array();
  for (size_t i = 0; i < defaults->n; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "option",
                        cul_report_string(defaults->items[i].word));
    json_object_set_new(one, "file",
                        cul_report_string(defaults->items[i].file));
    json_object_set_new(one, "line",
                        json_integer((json_int_t)defaults->items[i].line));
    json_array_append_new(list, one);
  }
  return list;
}

static void print_sandbox(const struct cul_target *target, FILE *out) {
  struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  struct cul_buf text = {0};
  cul_sandbox_ask(sandbox); /* if all runs are stored, none asked */
  cul_sandbox_describe(sandbox, &text);
  cul_say(out, "sandbox:   %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

/* Print the form; the size is that of the file, in every form. */
static void print_form(const struct cul_chosen_form *form,
                       const struct cul_form_conf *conf,
                       const struct cul_target *target, FILE *out) {
  struct cul_buf advice = {0};
  struct cul_bytes file = cul_target_subject_given(&target->subject);
  struct cul_bytes why = cul_form_refusal(form, target->conf->input);
  if (!form->worker)
    return;
  cul_say(out, "form:      %s%s, %llu %s, %zu byte%s\n",
          cul_form_name(form->form), form->located ? " with locations" : "",
          (unsigned long long)form->size.ops,
          cul_form_unit(form->form, form->size.ops), file.len, cul_s(file.len));
  if (why.len)
    cul_say(out, "           not %.*s\n", (int)why.len, why.data);
  if (cul_form_advice(form, conf, &advice))
    cul_say(out, "note:      %s\n", cul_buf_str(&advice));
  cul_buf_release(&advice);
}

/* Does no run show a failure or the absence of one? */
static bool is_open(const struct cul_judged *original) {
  const struct cul_verdict *verdict = &original->verdict;
  bool ended = original->n && original->records[0].end == CUL_LIMIT;
  return (verdict->sig.kind == CUL_KIND_NONE || ended) &&
         (verdict->answer == CUL_BROKEN || verdict->answer == CUL_UNRESOLVED);
}

static void print_findings(const struct cul_target *target,
                           const struct cul_chosen_form *form,
                           const struct cul_form_conf *conf, FILE *out) {
  uint32_t runs = cul_judged_rate(&target->original).runs;
  struct cul_buf text = {0};
  if (target->note)
    cul_say(out, "note:      %s\n", target->note);
  if (target->found)
    cul_say(out, "note:      %s\n", target->found);
  if (target->script.contract || is_open(&target->original) ||
      ((target->oracle_conf.mismatch.wanted || cul_target_whole(target)) &&
       target->original.verdict.answer != CUL_SAME))
    cul_buf_addf(&text, "answer:    %s\n", target->original.verdict.why);
  else
    cul_signature_describe(&target->original.verdict.sig, &text);
  cul_say_text(out, cul_buf_str(&text));
  if (cul_target_whole(target))
    cul_say(out, "runs:      %zu\n", target->original.n);
  else
    cul_say(out, "seen:      in %d of %u run%s\n", count_same(target), runs,
            cul_s(runs));
  print_tool(&target->tool.identity, out);
  if (!target->tool.command.hosts)
    print_beside(&target->tool.identity, out);
  print_sandbox(target, out);
  print_form(form, conf, target, out);
  if (target->original.verdict.answer != CUL_SAME || !form->worker) {
    cul_buf_release(&text);
    return; /* nothing to preserve */
  }
  cul_buf_clear(&text);
  cul_report_preserved(target, &text);
  cul_say_text(out, cul_buf_str(&text));
  cul_buf_release(&text);
}

/* Print the source of the facts about operations. */
static void print_source(const struct cul_vendor *vendor,
                         const struct cul_asked *asked, FILE *out) {
  struct cul_vendor_counts counts = {0};
  char *name = vendor ? cul_vendor_name(vendor) : NULL;
  const char *refusal = vendor ? cul_vendor_refusal(vendor) : NULL;
  if (vendor)
    cul_vendor_count(vendor, &counts);
  if (!vendor)
    cul_say(out, "asked:     libMLIR's verifier, %llu questions\n",
            (unsigned long long)asked->questions);
  else if (name)
    cul_say(out,
            "asked:     %s\n           %llu questions, %llu of them answered "
            "before, %llu start%s, %.2f s\n",
            name, (unsigned long long)counts.questions,
            (unsigned long long)counts.cached,
            (unsigned long long)counts.starts, cul_s(counts.starts),
            (double)counts.us / 1e6);
  if (refusal)
    cul_say(out,
            "           no answer: %s; culprit uses only the facts that the "
            "input shows\n",
            refusal);
  free(name);
}

/* Print what is known about the operations of one name in the input. */
static int explain_op(struct cul_target *target,
                      const struct cul_form_conf *conf,
                      const struct cul_chosen_form *form, const char *op,
                      FILE *out, struct cul_err *err) {
  struct cul_vendor *vendor = form->form == CUL_FORM_OPAQUE
                                  ? cul_vendor_new(target, conf->opt_tool)
                                  : NULL;
  struct cul_buf text = {0}, none = {0};
  struct cul_asked asked;
  int rc = vendor ? cul_vendor_teach(vendor, form->worker, UINT32_MAX, err) : 0;
  if (rc == 0)
    rc = cul_worker_ask(form->worker, UINT32_MAX, 60 * 1000, &none, err);
  if (rc == 0)
    rc = cul_worker_explain(form->worker, op, &asked, &text, err);
  if (rc == 0 && text.len == 0)
    cul_buf_addf(&text,
                 "nothing is known about %s: no operation of this name in the "
                 "input has attributes\n",
                 op);
  if (rc == 0) {
    print_source(vendor, &asked, out);
    cul_say_text(out, cul_buf_str(&text));
  }
  cul_vendor_free(vendor);
  cul_buf_release(&text);
  cul_buf_release(&none);
  return rc;
}

/* Check that the failure depends on the input.  *idle: the error that it does
 * not, which is reported last, after what was observed. */
static int check_cause(struct cul_target *target, struct cul_err *idle,
                       struct cul_err *err) {
  int rc = 0;
  if (target->original.verdict.answer == CUL_SAME)
    rc = cul_target_demand_cause(target, idle);
  if (rc == 0 || rc == CUL_ENOFAIL)
    return 0;
  *err = *idle;
  return rc;
}

static int check(const struct options *options,
                 const struct cul_target_conf *conf,
                 const struct cul_form_conf *form_conf, struct cul_err *err) {
  struct cul_target target;
  struct cul_workers workers;
  struct cul_chosen_form form = {0};
  FILE *out;
  struct cul_err idle = {0}, later = {0};
  int rc = cul_target_open(&target, conf, err);
  cul_workers_init(&workers, NULL);
  workers.environment = target.tool.environment;
  workers.input = &target.subject.text;
  workers.patience = cul_probe_patience(&target.probe);
  if (rc == 0)
    rc = cul_target_recall(&target, err);
  if (rc == 0)
    rc = cul_target_classify(&target, err);
  if (rc == 0)
    rc = check_cause(&target, &idle, err);
  if (rc == 0 && idle.code == 0 && target.original.verdict.answer == CUL_SAME)
    rc = cul_form_choose(&workers, &target, form_conf, &form, err);
  if (rc == 0 || (rc == CUL_EBUDGET && target.classified)) {
    json_t *json = findings(&target, &form);
    json_object_set_new(json, "defaults", report_defaults(options->defaults));
    int written;
    cul_status_make_way();
    out = cul_text_stream(options->json, options->quiet);
    print_findings(&target, &form, form_conf, out);
    print_defaults(options->defaults, out);
    if (rc == 0 && options->explain_op && form.worker)
      rc = explain_op(&target, form_conf, &form, options->explain_op, out, err);
    cul_text_close(out);
    written = cul_write_json(options->json, json, rc ? &later : err);
    rc = rc ? rc : written;
    json_decref(json);
  } else {
    rc = cul_options_in_vain(rc, err);
  }
  if (rc == 0)
    rc = cul_target_demand_failure(&target, err);
  if (rc == 0 && idle.code) {
    *err = idle;
    rc = idle.code;
  }
  cul_chosen_form_release(&form);
  cul_workers_release(&workers);
  cul_target_release(&target);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet, .defaults = line->defaults};
  struct cul_target_conf conf;
  struct cul_form_conf form;
  const char *input = NULL;
  struct cul_operands operands = {.items = &input, .max = 1};
  int rc;
  cul_target_options_init(&options.target);
  rc = cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit check FILE -- CMD @@",
                  "no input file is given");
  if (rc == 0)
    rc = cul_target_options_apply(
        &options.target, input, line->argv + operands.after, &conf, &form, err);
  if (rc == 0) {
    conf.cache.results[0] = options.json;
    conf.oracle.quotes = conf.oracle.match != NULL;
    rc = check(&options, &conf, &form, err);
  }
  cul_run_options_release(&options.target.workers.run);
  return rc;
}

const struct cul_cli_command cul_cli_check = {
    .name = "check",
    .usage = "FILE [options] -- CMD @@",
    .group = "One failure",
    .summary = "run the command and describe its failure",
    .brief = "a description of the failure",
    .examples =
        {{"culprit check m.mlir -- mlir-opt --cse @@",
          "describe the failure and what reduce would preserve"},
         {"culprit check m.mlir --json - -q -- mlir-opt --cse @@",
          "the same as JSON"},
         {"culprit check m.mlir --mismatch --ref './right @@' -- ./wrong @@",
          "check whether two commands compute the same numbers"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
