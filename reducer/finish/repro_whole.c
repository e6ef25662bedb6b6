/* repro.sh of failures that many runs tell together: see repro.h. */
#include <string.h>

#include "../../oracles/numbers/measured.h"
#include "../../oracles/numbers/varied.h"
#include "../../pipeline/shell_text.h"
#include "repro.h"

enum { PAIRS = 7, RUNS = 60 };

static void add_functions(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_command *reference =
      job->target.probe.roles[CUL_ROLE_REFERENCE].cmd;
  cul_buf_adds(out, "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$log\" \"$work\"' EXIT\n"
                    "suspect() {\n  $with env");
  cul_repro_command(job, out);
  cul_buf_adds(out, "\n}\nreference() {\n");
  if (reference) {
    cul_buf_adds(out, "  $with env");
    cul_repro_role(reference, out);
    cul_buf_adds(out, "\n}\n");
  } else {
    cul_buf_adds(out, "  :\n}\n");
  }
}

static void add_need(const char *program, struct cul_buf *out) {
  cul_buf_addf(out,
               "command -v %s >/dev/null || {\n"
               "  echo 'this needs %s, or: culprit replay' \"$here\" >&2\n"
               "  exit 125\n}\n",
               program, program);
}

/* What may differ is left out. */
static void add_filter(const char *ignore, struct cul_buf *out) {
  const char *pattern;
  if (ignore)
    add_need("perl", out);
  cul_buf_adds(out, "filter() {\n  cat \"$1\"");
  for (size_t i = 0; (pattern = cul_varied_ignored(ignore, i)); i++) {
    cul_buf_adds(out, " |\n    perl -pe 'BEGIN { $r = shift } s/$r/?/g' ");
    cul_shell_quote(pattern, out);
  }
  cul_buf_adds(out, "\n}\n");
}

/* Until two runs differ. */
static void add_varied(const struct cul_reduce *job, struct cul_buf *out) {
  add_filter(job->target.oracle_conf.ignore, out);
  cul_buf_addf(out,
               "with=\nn=0\nwhile [ $n -lt %d ]; do\n"
               "  out=$work/out\n  seen=$work/seen$n\n"
               "  rm -rf \"$out\"\n  mkdir \"$out\" \"$seen\"\n"
               "  suspect >\"$log\" 2>/dev/null\n"
               "  filter \"$log\" >\"$seen/.printed\"\n"
               "  for file in \"$out\"/*; do\n"
               "    [ -f \"$file\" ] && filter \"$file\" "
               ">\"$seen/${file##*/}\"\n  done\n"
               "  diff -r \"$work/seen0\" \"$seen\" || exit 0\n"
               "  n=$((n + 1))\ndone\nexit 1\n",
               RUNS);
}

/* measure COMMAND prints a number. */
static void add_gauge(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  const char *by = conf->by ? conf->by : conf->memory ? "rss" : "cpu";
  const char *printed =
      cul_measured_printed(cul_repeat_inner(job->target.probe.oracle_self));
  if (printed)
    add_need("perl", out);
  else if (strcmp(by, "rss") == 0)
    add_need("/usr/bin/time", out);
  cul_buf_adds(out, "out=$work/out\nwith=\nmeasure() {\n  rm -rf \"$out\"\n"
                    "  mkdir \"$out\"\n");
  if (printed) {
    cul_buf_adds(out, "  $1 >\"$log\" 2>&1\n  perl -0777 -ne 'BEGIN { $r = "
                      "shift } /$r/m and print $1 // $&' ");
    cul_shell_quote(printed, out);
    cul_buf_adds(out, " \"$log\"\n");
  } else if (strcmp(by, "rss") == 0) {
    cul_buf_adds(out, "  with=\"/usr/bin/time -f %M -o $work/rss\"\n"
                      "  $1 >\"$log\" 2>&1\n"
                      "  awk 'END { print $1 * 1024 + 0 }' \"$work/rss\"\n");
  } else if (strcmp(by, "wall") == 0) {
    cul_buf_adds(out, "  from=$(date +%s%N)\n  $1 >\"$log\" 2>&1\n"
                      "  echo $((($(date +%s%N) - from) / 1000))\n");
  } else {
    cul_buf_adds(out,
                 "  times >\"$work/from\"\n  $1 >\"$log\" 2>&1\n"
                 "  times >\"$work/to\"\n"
                 "  awk 'function s(x, p) { split(x, p, \"m\"); "
                 "return p[1] * 60 + p[2] }\n"
                 "    FNR == 2 { n = s($1) + s($2) - n }\n"
                 "    END { print n * 1e6 }' \"$work/from\" \"$work/to\"\n");
  }
  cul_buf_adds(out, "}\n");
}

static void add_measured(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_target *target = &job->target;
  double factor, more;
  cul_measured_line(cul_repeat_inner(target->probe.oracle_self), &factor,
                    &more);
  add_gauge(job, out);
  cul_buf_addf(out,
               "n=0\nabove=0\nwhile [ $n -lt %d ]; do\n"
               "  a=$(measure suspect)\n  b=%s\n"
               "  echo \"$a against $b\"\n"
               "  above=$((above + $(awk \"BEGIN { print ($a > %g * $b + "
               "%g) }\")))\n  n=$((n + 1))\ndone\n"
               "[ $above -gt %d ]\n",
               PAIRS,
               target->probe.roles[CUL_ROLE_REFERENCE].name
                   ? "$(measure reference)"
                   : "0",
               factor, more, PAIRS / 2);
}

void cul_repro_whole(const struct cul_reduce *job, struct cul_buf *out) {
  add_functions(job, out);
  if (job->target.oracle_conf.nondeterminism)
    add_varied(job, out);
  else
    add_measured(job, out);
}
