/* culprit init: writes a script that defines what is preserved, to be read and
 * edited. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/repro_lines.h"
#include "../../probe/target/findings.h"
#include "../../reducer/finish/repro.h"
#include "../command.h"
#include "../options.h"

struct options {
  struct cul_target_options target;
  const char *output;
  bool config, force, quiet;
  const struct cul_command_line *line;
};

static const struct cul_opt opts[] = {
    {.name = "output",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, output),
     .writes = true,
     .value = "SCRIPT",
     .help = "the script (default: FILE.test.sh in the current directory)"},
    {.name = "config",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, config),
     .help = "write .culprit beside FILE instead, with the options given here "
             "as defaults for the program, and a limit for its runs"},
    {.name = "force",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, force),
     .help = "replace an existing file"},
    {.name = "target",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct options, target),
     .table = cul_target_opts},
    {.name = NULL}};

/* Does a word name a file relative to the directory in which culprit was
 * started? */
static bool is_nearby(const char *const *argv) {
  for (size_t i = 0; argv[i]; i++)
    if (argv[i][0] != '/' && (i > 0 || strchr(argv[i], '/')) &&
        access(argv[i], F_OK) == 0)
      return true;
  return false;
}

static void add_comment(const char *what, const char *text,
                        struct cul_buf *out) {
  cul_buf_addf(out, "# %s", what);
  cul_shell_comment(text, out);
  cul_buf_addc(out, '\n');
}

/* The limit of a run of the script: longer than the limit that it gives the
 * tool. */
static double script_limit_s(const struct cul_target *target) {
  return (double)(target->probe.request.wall_ms / 500 + 10);
}

static void add_head(const struct cul_target *target, const char *path,
                     struct cul_buf *out) {
  struct cul_buf preserved = {0}, words = {0};
  const char *input = target->conf->input;
  cul_report_preserved(target, &preserved);
  cul_buf_adds(out, "#!/bin/sh\n"
                    "# Exits 0 if the file that is its last argument fails in "
                    "the sought way,\n# otherwise 1.\n#\n");
  add_comment("input:     ", input, out);
  add_comment("failure:   ", target->original.verdict.sig.title, out);
  for (const char *at = cul_buf_str(&preserved); *at;) {
    char *line = cul_xstrndup(at, strcspn(at, "\n"));
    add_comment("", line, out);
    at += strlen(line) + (at[strlen(line)] == '\n');
    free(line);
  }
  cul_buf_adds(&words, "culprit reduce ");
  cul_shell_quote(input, &words);
  cul_buf_addf(&words, " --script %s", strchr(path, '/') ? "" : "./");
  cul_shell_quote(path, &words);
  if (target->original.verdict.sig.kind == CUL_KIND_TIMEOUT)
    cul_buf_addf(&words, " --timeout %.0f", script_limit_s(target));
  add_comment("use:       ", cul_buf_str(&words), out);
  cul_buf_adds(out,
               "#\n# It judges by exit status and text alone; culprit without "
               "it compares stacks,\n# too, knows other failures apart, and "
               "runs what is flaky more often.\n\n");
  cul_buf_release(&preserved);
  cul_buf_release(&words);
}

static void add_run(const struct cul_target *target, struct cul_buf *out) {
  const struct cul_command *command = cul_target_command(target);
  char *here = is_nearby(command->argv) ? getcwd(NULL, 0) : NULL;
  cul_buf_adds(out, "for repro; do :; done\n"
                    "case $repro in /*) ;; *) repro=$PWD/$repro ;; esac\n"
                    "log=$(mktemp) || exit 2\ntrap 'rm -f \"$log\"' EXIT\n");
  if (here) {
    cul_buf_adds(out, "# The command was started in this directory.\ncd ");
    cul_shell_quote(here, out);
    cul_buf_adds(out, " || exit 2\n");
  }
  free(here);
  cul_shell_environment(&target->conf->environment, target->tool.environment,
                        out);
  cul_buf_addf(out,
               "\n# The limit of a run, in seconds: one that takes longer ends "
               "with 124.\ntimeout -k 1 %.3f",
               (double)target->probe.request.wall_ms / 1000);
  cul_repro_role(command, NULL, out);
  cul_buf_adds(
      out,
      " >\"$log\" 2>&1\nstatus=$?\n\n"
      "# The failure: each line exits if the run lacks a property of it.\n");
}

static void add_tests(const struct cul_target *target, struct cul_buf *out) {
  const struct cul_judged *original = &target->original;
  struct cul_signature sig = original->verdict.sig;
  struct cul_repro_end end =
      cul_repro_end_of(&sig, original->records, original->n);
  sig.n_frames = 0; /* the tool alone may not print them */
  cul_repro_tests(&target->oracle_conf, &sig, &end, out);
  cul_buf_adds(out, "exit 0\n");
}

/* Check that the script finds the input as interesting as culprit did without
 * it. */
static int prove(const struct cul_target *given, const char *path,
                 struct cul_err *err) {
  struct cul_target_conf conf = *given->conf;
  struct cul_target target;
  static const char *const none[] = {NULL};
  char *script = cul_xasprintf("%s%s", strchr(path, '/') ? "" : "./", path);
  int rc;
  conf.argv = none;
  conf.script = script;
  conf.timeout_s = script_limit_s(given);
  conf.oracle =
      (struct cul_oracle_conf){.exit_code = -1, .script.wanted = true};
  rc = cul_target_open(&target, &conf, err);
  if (rc == 0)
    rc = cul_target_recall(&target, err);
  if (rc == 0)
    rc = cul_target_classify(&target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&target, err);
  if (rc == 0)
    rc = cul_target_demand_cause(&target, err);
  cul_target_release(&target);
  free(script);
  return rc ? cul_fail_in(err, "by %s", path) : 0;
}

static int write_script(const struct options *options,
                        const struct cul_target *target, const char *path,
                        struct cul_err *err) {
  struct cul_buf text = {0};
  int rc;
  add_head(target, path, &text);
  add_run(target, &text);
  add_tests(target, &text);
  rc = cul_file_write(path, text.data, text.len, 0777, err);
  cul_buf_release(&text);
  if (rc == 0)
    rc = prove(target, path, err);
  if (rc == 0 && !options->quiet) {
    cul_status_make_way();
    cul_say(stdout,
            "failure:   %s\nscript:    %s: the input is interesting, "
            "an empty one is not\n",
            target->original.verdict.sig.title, path);
  }
  return rc;
}

/* Append a value in quotes. */
static void add_quoted(const char *text, struct cul_buf *out) {
  cul_buf_addc(out, '"');
  for (; *text; text++)
    if (*text == '\n')
      cul_buf_adds(out, "\\n");
    else
      cul_buf_addf(out, "%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
  cul_buf_addc(out, '"');
}

struct settings {
  struct cul_buf text;
  struct cul_buf left_out; /* options not allowed in a project's file */
};

static void add_setting(void *self, const struct cul_opt *opt,
                        const char *value) {
  struct settings *out = self;
  if (!opt->shared &&
      !(opt->group && strcmp(opt->group, CUL_GROUP_OUTPUT) == 0))
    cul_buf_addf(&out->left_out, "%s--%s", out->left_out.len ? ", " : "",
                 opt->name);
  if (!opt->shared)
    return;
  cul_buf_addf(&out->text, "\t%s", opt->name);
  if (value) {
    cul_buf_adds(&out->text, " = ");
    add_quoted(value, &out->text);
  }
  cul_buf_addc(&out->text, '\n');
}

/* The time of ten runs as long as the longest, at least 10 s. */
static unsigned long long limit_s(const struct cul_judged *original) {
  enum { FACTOR = 10, LEAST = 10 };
  uint64_t longest_us = 0, seconds;
  for (size_t i = 0; i < original->n; i++)
    if (original->records[i].wall_us > longest_us)
      longest_us = original->records[i].wall_us;
  seconds = (longest_us * FACTOR + 999999) / 1000000;
  return seconds < LEAST ? LEAST : seconds;
}

static int write_config(const struct options *options,
                        const struct cul_target *target, const char *path,
                        struct cul_err *err) {
  const char *tool = cul_basename(cul_target_command(target)->argv[0]);
  struct settings settings = {0};
  struct cul_buf *text = &settings.text;
  int rc;
  add_comment("Defaults of culprit for this program (docs/defaults.md).  Of ",
              target->conf->input, text);
  add_comment("", target->original.verdict.sig.title, text);
  cul_buf_adds(text, "[tool ");
  add_quoted(tool, text);
  cul_buf_adds(text, "]\n");
  if (options->target.workers.run.timeout <= 0)
    cul_buf_addf(text,
                 "\t# ten times what its longest run took, or 10 s\n"
                 "\ttimeout = %llu\n",
                 limit_s(&target->original));
  cul_opt_each_given(opts, options->line->argc, options->line->argv,
                     add_setting, &settings);
  rc = cul_file_write(path, text->data, text->len, 0644, err);
  if (rc == 0 && !options->quiet) {
    cul_status_make_way();
    cul_say(stdout, "failure:   %s\ndefaults:  %s\n",
            target->original.verdict.sig.title, path);
    if (settings.left_out.len > 0)
      cul_say(stdout,
              "left out:  %s: give them with the command, or in "
              "$XDG_CONFIG_HOME/culprit/config\n",
              cul_buf_str(&settings.left_out));
  }
  cul_buf_release(text);
  cul_buf_release(&settings.left_out);
  return rc;
}

static int init(const struct options *options,
                const struct cul_target_conf *conf, const char *path,
                struct cul_err *err) {
  struct cul_target target;
  int rc = cul_target_open(&target, conf, err);
  if (rc == 0)
    rc = cul_target_recall(&target, err);
  if (rc == 0)
    rc = cul_target_classify(&target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&target, err);
  if (rc == 0)
    rc = cul_target_demand_cause(&target, err);
  rc = rc ? cul_options_in_vain(rc, err)
          : (options->config ? write_config : write_script)(options, &target,
                                                            path, err);
  cul_target_release(&target);
  return rc;
}

/* Refuse options from which no script can be made. */
static int check(const struct options *options, const char *input,
                 const char *path, struct cul_err *err) {
  const struct cul_target_options *target = &options->target;
  struct stat st, in;
  int rc = cul_options_demand_single(target, err);
  if (rc < 0)
    return rc;
  if (target->script || target->plugin || target->mismatch || target->passes)
    return cul_fail(err, CUL_EUSAGE, "give the command: init FILE -- CMD @@",
                    "--%s cannot be expressed in a script",
                    target->script     ? "script"
                    : target->plugin   ? "oracle"
                    : target->mismatch ? "mismatch"
                                       : "passes");
  if (options->config && options->output)
    return cul_fail(
        err, CUL_EUSAGE, "leave -o out",
        "-o is for a script, but --config writes .culprit beside the input");
  if (stat(path, &st) == 0 && stat(input, &in) == 0 && st.st_dev == in.st_dev &&
      st.st_ino == in.st_ino)
    return cul_fail(err, CUL_EUSAGE, "name another file: -o SCRIPT",
                    "%s is the input itself, which the script would replace",
                    path);
  if (!options->force && lstat(path, &st) == 0)
    return cul_fail(err, CUL_EUSAGE,
                    options->config ? "edit it, or replace it with --force"
                                    : "--force replaces it; -o names another",
                    "%s already exists", path);
  return cul_file_check_later(path, false, err);
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet, .line = line};
  struct cul_target_conf conf;
  struct cul_form_conf form;
  const char *input = NULL;
  struct cul_operands operands = {.items = &input, .max = 1};
  char *path = NULL;
  int rc;
  cul_target_options_init(&options.target);
  rc = cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit init FILE -- CMD @@",
                  "no input file is given");
  if (rc == 0) {
    path = options.config
               ? cul_xasprintf("%.*s.culprit",
                               (int)(cul_basename(input) - input), input)
           : options.output ? cul_xstrdup(options.output)
                            : cul_xasprintf("%s.test.sh", cul_basename(input));
    rc = check(&options, input, path, err);
  }
  if (rc == 0)
    rc = cul_target_options_apply(
        &options.target, input, line->argv + operands.after, &conf, &form, err);
  if (rc == 0)
    rc = init(&options, &conf, path, err);
  free(path);
  cul_run_options_release(&options.target.workers.run);
  return rc;
}

const struct cul_cli_command cul_cli_init = {
    .name = "init",
    .usage = "FILE [-o SCRIPT | --config] [options] -- CMD @@",
    .group = "One failure",
    .summary = "write a test script for the failure, which you can edit",
    .brief = "a test script for the failure",
    .examples = {{"culprit init m.mlir -- mlir-opt --cse @@",
                  "write m.mlir.test.sh, which tests whether a file fails as "
                  "m.mlir does"},
                 {"culprit init m.mlir -o t.sh --force -- mlir-opt --cse @@",
                  "write t.sh, even if it exists"},
                 {"culprit reduce m.mlir --script ./m.mlir.test.sh",
                  "reduce with the script, edited or not"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
