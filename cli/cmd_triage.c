/* culprit triage: failure logs go in, a short list of bugs comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../triage/report.h"
#include "command.h"

enum { MOST_INPUTS = 4096, MOST_PROBLEMS = 10 };

struct options {
  const char *output, *db;
  bool quiet;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {{.name = "output",
                                       .letter = 'o',
                                       .type = CUL_OPT_STRING,
                                       .offset = FIELD(output),
                                       .value = "DIR",
                                       .help = "write the reports there"},
                                      {.name = "quiet",
                                       .letter = 'q',
                                       .type = CUL_OPT_FLAG,
                                       .offset = FIELD(quiet),
                                       .help = "print nothing but errors"},
                                      {.name = NULL}};

static void print_problems(const struct cul_triage *t) {
  for (size_t i = 0; i < t->n_problems && i < MOST_PROBLEMS; i++)
    fprintf(stderr, "culprit: not read: %s: %s\n", t->problems[i].name,
            t->problems[i].why);
  if (t->n_problems > MOST_PROBLEMS)
    fprintf(stderr, "culprit: not read: %zu more\n",
            t->n_problems - MOST_PROBLEMS);
}

static void print_summary(const struct cul_triage *t) {
  struct cul_buf text = {0};
  cul_triage_summary(t, &text);
  fputs(cul_buf_str(&text), stdout);
  if (t->conf->output)
    printf("report: %s\n", t->conf->output);
  cul_buf_release(&text);
}

static int triage(const struct options *options,
                  const struct cul_triage_conf *conf, struct cul_err *err) {
  struct cul_triage t;
  int rc = cul_triage_read(&t, conf, err);
  print_problems(&t);
  if (rc == 0) {
    cul_triage_group(&t, NULL, 0);
    cul_triage_order(&t, 1);
    rc = cul_triage_write(&t, err);
  }
  if (rc == 0 && !options->quiet)
    print_summary(&t);
  cul_triage_release(&t);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {0};
  const char **inputs = cul_xcalloc(MOST_INPUTS, sizeof *inputs);
  struct cul_operands operands = {.items = inputs, .max = MOST_INPUTS};
  struct cul_triage_conf conf = {.interrupted = &cul_interrupted};
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE,
                  "culprit triage DIR|LOG|LIST.jsonl... -o REPORT",
                  "no log is given");
  conf.inputs = inputs;
  conf.n_inputs = (size_t)operands.n;
  conf.output = options.output;
  conf.db = options.db;
  if (rc == 0)
    rc = triage(&options, &conf, err);
  free(inputs);
  return rc;
}

const struct cul_cli_command cul_cli_triage = {
    .name = "triage",
    .usage = "DIR|LOG|LIST.jsonl... [-o REPORT] [options]",
    .summary = "sort failure logs into bugs",
    .opts = opts,
    .run = run};
