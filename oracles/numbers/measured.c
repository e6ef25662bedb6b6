/* The common part of the measuring oracles: see measured.h. */
#include "measured.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/outputs.h"
#include "../../base/profile/profile.h"
#include "../common/pattern.h"
#include "../common/settle.h"
#include "paired.h"

/* A bound below this many sigma of the noise is too near to "no difference":
 * two equal commands would exceed it in more than 9 of 100 pairs. */
static const double clear_of_noise = 1.5;
static const double usual_share = 0.5;

enum manner {
  RATIO,  /* log(suspect / reference) */
  PLAIN,  /* the suspect's number */
  GROWTH, /* (suspect - reference) per iteration */
};

struct measured {
  const struct cul_rules *rules;
  const struct cul_measured_conf *conf;
  const struct cul_quantity *quantity;
  const struct cul_gauge *gauge; /* NULL: the number that `by` finds */
  struct cul_measured_by by;
  struct cul_pattern *pattern; /* finds a printed number; or NULL */
  enum manner manner;
  double above; /* --above as a value; 0 for RATIO and GROWTH without it */
  bool learnt;
  int status[2]; /* exit status of suspect and reference on the input */
  struct cul_interval seen; /* values on the input */
  double bound, noise;      /* bound for candidates; sigma of a value */
};

/* The numbers of the runs so far; side 0: the suspect, 1: the reference. */
struct sheet {
  double side[2][CUL_PAIRS_LAST + 1], values[CUL_PAIRS_LAST + 1];
  size_t runs[2], n;
};

static bool has_reference(const struct measured *m) {
  return m->manner != PLAIN;
}

/* A number of a pattern, or of a metric that the user names, has no unit. */
static bool has_unit(const struct measured *m) {
  return m->gauge || (m->by.file && !m->by.metric);
}

/* Parse a number with an optional unit; `plain`: the unit if there is none. */
static bool parse_amount(const char *text, const struct cul_unit *units,
                         double plain, double *out) {
  char *end;
  *out = strtod(text, &end);
  if (end == text || !isfinite(*out) || *out <= 0)
    return false;
  if (!*end) {
    *out *= plain;
    return true;
  }
  for (const struct cul_unit *unit = units; unit->name; unit++)
    if (strcasecmp(end, unit->name) == 0) {
      *out *= unit->size;
      return true;
    }
  return false;
}

static int parse_above(struct measured *m, struct cul_err *err) {
  static const struct cul_unit times[] = {{"x", 1}, {"times", 1}, {NULL, 0}};
  static const struct cul_unit none[] = {{NULL, 0}};
  const struct cul_unit *units = has_unit(m) ? m->quantity->units : none;
  const char *text = m->conf->above;
  double plain = 1;
  if (!text)
    return 0;
  for (const struct cul_unit *unit = units; unit->name; unit++)
    if (strcmp(unit->name, "s") == 0)
      plain = unit->size;
  if (m->manner == RATIO && parse_amount(text, times, 1, &m->above) &&
      m->above > 1) {
    m->above = log(m->above);
    return 0;
  }
  if (m->manner == RATIO)
    return cul_fail(err, CUL_EUSAGE,
                    "give a factor above 1, relative to the reference: 1.5",
                    "--above: \"%s\" is not a factor above 1", text);
  if (parse_amount(text, units, plain, &m->above))
    return 0;
  return cul_fail(err, CUL_EUSAGE, "give a number with its unit: 300ms, 1.5GiB",
                  "--above: \"%s\" is not an amount of the measured quantity",
                  text);
}

static const struct cul_gauge *find_gauge(const struct cul_quantity *quantity,
                                          const char *by) {
  const struct cul_gauge *gauge = quantity->gauges;
  if (!by)
    return gauge;
  while (gauge->by && strcmp(gauge->by, by) != 0)
    gauge++;
  return gauge->by ? gauge : NULL;
}

/* Read "profile[METRIC]:FILE:PATH" or "hatchet[METRIC]:PATH"; false: by is
 * neither. */
static bool parse_profile(const char *by, struct cul_measured_by *out) {
  bool hatchet = by && strncmp(by, "hatchet", 7) == 0;
  const char *at = by, *stop;
  if (!hatchet && !(by && strncmp(by, "profile", 7) == 0))
    return false;
  at += 7;
  stop = *at == '[' ? strstr(at, "]:") : NULL;
  if (stop) {
    out->metric = cul_xstrndup(at + 1, (size_t)(stop - at - 1));
    at = stop + 1;
  }
  if (*at++ != ':') {
    free(out->metric);
    out->metric = NULL;
    return false;
  }
  stop = hatchet ? NULL : strchr(at, ':');
  out->file = hatchet
                  ? cul_xstrdup("*.hatchet")
                  : cul_xstrndup(at, stop ? (size_t)(stop - at) : strlen(at));
  out->path = hatchet ? at : stop ? stop + 1 : "";
  return true;
}

static int open_by(struct measured *m, struct cul_err *err) {
  const struct cul_unit *unit = m->quantity->units;
  m->gauge = find_gauge(m->quantity, m->conf->by);
  m->by.printed = m->gauge ? m->gauge->printed : m->conf->by;
  m->by.size = 1;
  if (!m->gauge && parse_profile(m->conf->by, &m->by)) {
    m->by.printed = NULL;
    while (unit->size > 1)
      unit++;
    if (strcmp(unit->name, "us") == 0 && !m->by.metric)
      m->by.size = 1e3;
    if (!*m->by.file)
      return cul_fail(err, CUL_EUSAGE,
                      "name the file that the command writes into @{out}, or -",
                      "--by: \"%s\" names no profile", m->conf->by);
  }
  return m->by.printed ? cul_pattern_new("by", m->by.printed, &m->pattern, err)
                       : 0;
}

int cul_measured_open(const struct cul_rules *rules,
                      const struct cul_measured_conf *conf,
                      const struct cul_quantity *quantity, void **self,
                      struct cul_err *err) {
  struct measured *m = cul_xcalloc(1, sizeof *m);
  int rc;
  m->rules = rules;
  m->conf = conf;
  m->quantity = quantity;
  m->manner = conf->iterations ? GROWTH : conf->reference ? RATIO : PLAIN;
  rc = open_by(m, err);
  if (rc == 0)
    rc = parse_above(m, err);
  if (rc < 0)
    cul_measured_close(m);
  else
    *self = m;
  return rc;
}

void cul_measured_close(void *self) {
  struct measured *m = self;
  cul_pattern_free(m->pattern);
  free(m->by.file);
  free(m->by.metric);
  free(m);
}

/* ---- values in words ---- */

static void add_amount(const struct measured *m, double amount,
                       struct cul_buf *out) {
  const struct cul_unit *unit = m->quantity->units;
  while (unit->size > 1 && fabs(amount) < unit->size)
    unit++;
  if (has_unit(m))
    cul_buf_addf(out, fabs(amount) < 100 * unit->size ? "%.3g %s" : "%.0f %s",
                 amount / unit->size, unit->name);
  else
    cul_buf_addf(out, "%.4g", amount);
}

static void add_value(const struct measured *m, double value,
                      struct cul_buf *out) {
  if (m->manner == RATIO)
    cul_buf_addf(out, "%.3g", exp(value));
  else
    add_amount(m, value, out);
}

/* Append "processor time", "time in layer;kernel". */
static void add_noun(const struct measured *m, struct cul_buf *out) {
  const struct cul_measured_by *by = &m->by;
  bool bytes = strcmp(m->quantity->metric, "bytes") == 0;
  if (by->file)
    cul_buf_addf(out, "%s in %s",
                 by->metric ? by->metric
                 : bytes    ? "memory"
                            : "time",
                 *by->path ? by->path : "the profile");
  else
    cul_buf_adds(out, m->gauge ? m->gauge->noun : "printed number");
}

/* Append "3.1 times the reference's processor time". */
static void add_what(const struct measured *m, double value,
                     struct cul_buf *out) {
  add_value(m, value, out);
  cul_buf_adds(out, m->manner == RATIO ? " times the reference's " : " of ");
  add_noun(m, out);
  cul_buf_adds(out, m->manner == GROWTH ? " per iteration" : "");
}

static void add_range(const struct measured *m,
                      const struct cul_interval *interval,
                      struct cul_buf *out) {
  cul_buf_adds(out, " (");
  add_value(m, interval->low, out);
  cul_buf_adds(out, " to ");
  add_value(m, interval->high, out);
  cul_buf_adds(out, ")");
}

/* ---- records ---- */

/* The profile among what a run wrote; false: there is none. */
static bool find_profile(const struct measured *m,
                         const struct cul_record *record,
                         struct cul_bytes *out) {
  struct cul_bytes files = cul_buf_bytes(&record->outputs);
  struct cul_output_file file;
  size_t at = 0;
  bool found = strcmp(m->by.file, "-") == 0, any = false;
  *out = cul_buf_bytes(&record->out);
  while (!found && cul_outputs_next(files, &at, &file))
    if (fnmatch(m->by.file, file.name, 0) == 0) {
      *out = file.bytes;
      any = true;
    }
  return found || any;
}

/* The sum over the call path; false: there is none, and err has the reason. */
static bool sum_path(const struct measured *m, const struct cul_profile *p,
                     double *out, struct cul_err *err) {
  const char *name = m->by.metric ? m->by.metric : m->quantity->metric;
  bool *inside;
  size_t metric;
  if (cul_profile_choose(p, name, &metric, err) < 0)
    return false;
  inside = cul_xcalloc(p->n_nodes, sizeof *inside);
  *out = 0;
  if (cul_profile_under(p, m->by.path, inside) == 0 && *m->by.path)
    cul_fail(err, CUL_EUSAGE, "", "it has no call path \"%s\"", m->by.path);
  for (size_t i = 0; i < p->n_figures; i++)
    if (p->figures[i].metric == metric && inside[p->figures[i].node])
      *out += cul_profile_value(p, &p->figures[i]);
  *out /= m->by.size;
  free(inside);
  return err->code == 0;
}

/* The number from a profile; false: there is none, and verdict has the reason.
 */
static bool read_profile(const struct measured *m,
                         const struct cul_record *record, const char *who,
                         double *out, struct cul_verdict *verdict) {
  struct cul_profile profile = {0};
  struct cul_err err = {0};
  struct cul_bytes bytes;
  bool found = false;
  if (!find_profile(m, record, &bytes)) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "cannot measure: the %s writes no %s into @{out}", who,
                    m->by.file);
    return false;
  }
  if (strcmp(m->by.file, "-") == 0 && record->truncated)
    cul_fail(&err, CUL_EUSAGE, "", "more output than is kept");
  else if (cul_profile_read(bytes, "profile", &profile, &found, &err) == 0 &&
           !found)
    cul_fail(&err, CUL_EUSAGE, "", "of no known format");
  if (err.code == 0)
    sum_path(m, &profile, out, &err);
  cul_profile_release(&profile);
  if (err.code)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "cannot measure: the %s's profile: %.120s", who, err.what);
  return err.code == 0;
}

static bool read_number(const struct measured *m,
                        const struct cul_record *record, double *out) {
  if (!m->pattern) {
    *out = m->gauge->read(record);
    return true;
  }
  return cul_pattern_number(m->pattern, cul_buf_bytes(&record->out), out) ||
         cul_pattern_number(m->pattern, cul_buf_bytes(&record->err), out);
}

/* Report that the command ended differently than on the input. */
static void say_other_end(const struct measured *m,
                          const struct cul_record *record,
                          struct cul_verdict *verdict) {
  bool failed = record->end != CUL_EXITED || record->status != 0;
  cul_signature_read(m->rules, record, &verdict->sig);
  if (failed)
    cul_verdict_set(verdict, CUL_OTHER, 1, "the command fails: %.150s",
                    verdict->sig.title);
  else
    cul_verdict_set(verdict, CUL_PASSES, 1, "exit status %d", record->status);
}

/* Read the number of one run; false: verdict contains the reason why there is
 * none. */
static bool take(const struct measured *m, const struct cul_record *record,
                 double *out, struct cul_verdict *verdict) {
  int side = record->role == CUL_ROLE_SUSPECT ? 0 : 1;
  const char *who = side ? "reference" : "command";
  if (cul_settle_run(record, verdict))
    return false;
  if (record->end != CUL_EXITED || record->status != m->status[side]) {
    say_other_end(m, record, verdict);
    if (side)
      cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                      "the reference ends differently than on the input");
    return false;
  }
  if (m->by.file && !read_profile(m, record, who, out, verdict))
    return false;
  if ((m->by.file || read_number(m, record, out)) &&
      (m->manner != RATIO || *out > 0))
    return true;
  cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                  m->pattern ? "the %s prints no number that --by matches"
                             : "the %s takes too little to be measured",
                  who);
  return false;
}

static double value_of(const struct measured *m, double suspect,
                       double reference) {
  if (m->manner == RATIO)
    return log(suspect / reference);
  return m->manner == PLAIN
             ? suspect
             : (suspect - reference) / (double)m->conf->iterations;
}

/* Read all runs; the first `skip` pairs do not count. False: verdict contains
 * the answer of a run without a number. */
static bool read_sheet(const struct measured *m,
                       const struct cul_record *records, size_t n, size_t skip,
                       struct sheet *sheet, struct cul_verdict *verdict) {
  size_t pairs;
  *sheet = (struct sheet){0};
  for (size_t i = 0; i < n; i++) {
    int side = records[i].role == CUL_ROLE_SUSPECT ? 0 : 1;
    double number;
    if (sheet->runs[side] == CUL_ARRAY_SIZE(sheet->side[side]))
      continue;
    if (!take(m, &records[i], &number, verdict))
      return false;
    sheet->side[side][sheet->runs[side]++] = number;
  }
  pairs = sheet->runs[0];
  if (has_reference(m) && sheet->runs[1] < pairs)
    pairs = sheet->runs[1];
  for (size_t i = skip; i < pairs; i++)
    sheet->values[sheet->n++] =
        value_of(m, sheet->side[0][i], sheet->side[1][i]);
  return true;
}

/* Request the missing runs for this many pairs, in the order A B B A A B B A
 * ... */
static void ask(const struct measured *m, const struct sheet *sheet,
                size_t pairs, struct cul_wants *more) {
  size_t per = has_reference(m) ? 2 : 1;
  size_t at = sheet->runs[0] + sheet->runs[1];
  for (more->n = 0; at < per * pairs && more->n < CUL_MAX_WANTS; at++) {
    size_t pair = at / per;
    bool reference = per == 2 && (at % 2) != (pair % 2);
    more->want[more->n++] = (struct cul_want){
        .role = reference ? CUL_ROLE_REFERENCE : CUL_ROLE_SUSPECT,
        .attempt = (uint32_t)pair};
  }
}

/* ---- learn and judge ---- */

/* Set "slower: ..." as title and reason. */
static void say(const struct measured *m, struct cul_verdict *verdict,
                enum cul_answer answer, const struct cul_buf *what) {
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
  if (answer == CUL_SAME) {
    verdict->sig.kind = m->quantity->kind;
    snprintf(verdict->sig.title, sizeof verdict->sig.title, "%s: %.200s",
             m->quantity->name, cul_buf_str(what));
  }
  cul_verdict_set(verdict, answer, 1, "%.190s", cul_buf_str(what));
}

static double share(const struct measured *m) {
  return m->conf->keep >= 0 ? m->conf->keep : usual_share;
}

/* The bound for candidates. */
static double bound_of(const struct measured *m, double middle) {
  double kept = m->manner == RATIO ? log(1 + share(m) * (exp(middle) - 1))
                                   : share(m) * middle;
  if (m->manner == PLAIN && m->conf->keep < 0)
    return m->above;
  return kept > m->above ? kept : m->above;
}

/* Sigma of the value of a pair of equal commands. */
static double noise_of(const struct measured *m, const struct sheet *sheet) {
  double numbers[CUL_PAIRS_LAST + 1];
  size_t n = sheet->runs[has_reference(m)];
  for (size_t i = 0; i < n; i++) {
    double number = sheet->side[has_reference(m)][i];
    numbers[i] = m->manner == RATIO ? log(number) : number;
  }
  return cul_paired_noise(numbers + 1, n - 1) /
         (m->manner == GROWTH ? (double)m->conf->iterations : 1);
}

/* Decide after all pairs of the input are measured. */
static void settle(struct measured *m, const struct sheet *sheet,
                   struct cul_verdict *verdict) {
  struct cul_buf what = {0};
  bool above = m->seen.low > m->above;
  m->noise = noise_of(m, sheet);
  m->bound = bound_of(m, m->seen.middle);
  add_what(m, m->seen.middle, &what);
  add_range(m, &m->seen, &what);
  if (above && has_reference(m) && m->bound < clear_of_noise * m->noise) {
    cul_buf_adds(&what, ", which is within the noise of this machine: runs of "
                        "the reference differ by ");
    add_value(m, m->noise, &what);
    say(m, verdict, CUL_UNRESOLVED, &what);
  } else if (above) {
    m->learnt = true;
    say(m, verdict, CUL_SAME, &what);
  } else {
    cul_buf_adds(&what, ", not surely above ");
    add_value(m, m->above, &what);
    say(m, verdict, CUL_PASSES, &what);
  }
  cul_buf_release(&what);
}

/* Store the exit statuses on the input: those of the first runs. */
static void learn_ends(struct measured *m, const struct cul_record *records,
                       size_t n) {
  for (size_t i = n; i-- > 0;)
    if (records[i].end == CUL_EXITED)
      m->status[records[i].role == CUL_ROLE_SUSPECT ? 0 : 1] =
          records[i].status;
}

/* Is a command missing? It would take no time and measure nothing. */
static bool is_missing(const struct measured *m, struct cul_verdict *verdict) {
  for (int side = 0; side < 2; side++)
    if (m->status[side] == 126 || m->status[side] == 127) {
      cul_verdict_set(verdict, CUL_BROKEN, 1, "the %s ends with status %d",
                      side ? "reference" : "command", m->status[side]);
      return true;
    }
  return false;
}

int cul_measured_learn(void *self, const struct cul_record *records, size_t n,
                       struct cul_wants *more, struct cul_verdict *verdict,
                       struct cul_err *err) {
  struct measured *m = self;
  struct sheet sheet;
  (void)err;
  more->n = 0;
  learn_ends(m, records, n);
  if (is_missing(m, verdict) || !read_sheet(m, records, n, 1, &sheet, verdict))
    return 0;
  if (sheet.n < CUL_PAIRS_FIRST) {
    ask(m, &sheet, 1 + CUL_PAIRS_FIRST, more);
    return 0;
  }
  m->seen = cul_paired_interval(sheet.values, sheet.n);
  if (sheet.n < CUL_PAIRS_LAST && m->seen.low <= m->above &&
      m->seen.high > m->above)
    ask(m, &sheet, 1 + CUL_PAIRS_LAST, more);
  else
    settle(m, &sheet, verdict);
  return 0;
}

/* The median, which for a few pairs is the value of one of them. */
static double middle_of(const struct sheet *sheet) {
  for (size_t i = 0; i < sheet->n; i++) {
    size_t less = 0, more = 0;
    for (size_t j = 0; j < sheet->n; j++) {
      less += sheet->values[j] < sheet->values[i];
      more += sheet->values[j] > sheet->values[i];
    }
    if (less <= sheet->n / 2 && more <= sheet->n / 2)
      return sheet->values[i];
  }
  return sheet->values[0];
}

int cul_measured_judge(const void *self, const struct cul_record *records,
                       size_t n, struct cul_wants *more,
                       struct cul_verdict *verdict, struct cul_err *err) {
  const struct measured *m = self;
  struct cul_buf what = {0};
  struct sheet sheet;
  size_t least = 0;
  enum cul_paired_answer answer;
  (void)err;
  more->n = 0;
  if (!read_sheet(m, records, n, 0, &sheet, verdict))
    return 0;
  answer = cul_paired_decide(sheet.values, sheet.n, m->bound, &least);
  if (answer == CUL_PAIRED_MORE) {
    ask(m, &sheet, sheet.n + least, more);
    return 0;
  }
  add_what(m, middle_of(&sheet), &what);
  cul_buf_addf(&what,
               answer == CUL_PAIRED_NEAR ? ", on the bound in %zu pair%s"
                                         : " (%zu pair%s)",
               sheet.n, cul_s(sheet.n));
  say(m, verdict,
      answer == CUL_PAIRED_ABOVE   ? CUL_SAME
      : answer == CUL_PAIRED_BELOW ? CUL_PASSES
                                   : CUL_UNRESOLVED,
      &what);
  cul_buf_release(&what);
  return 0;
}

void cul_measured_describe(const void *self, struct cul_buf *out) {
  const struct measured *m = self;
  if (!m->learnt) {
    cul_buf_adds(out, "more ");
    add_noun(m, out);
    cul_buf_adds(out, " than asked for");
    return;
  }
  cul_buf_adds(out, "more than ");
  add_what(m, m->bound, out);
  cul_buf_adds(out, ", of ");
  add_value(m, m->seen.middle, out);
  add_range(m, &m->seen, out);
  cul_buf_addf(out, " now; runs of %s differ by ",
               has_reference(m) ? "the reference" : "the command");
  if (m->manner == RATIO)
    cul_buf_addf(out, "%.2g %%", 100 * (exp(m->noise) - 1));
  else
    add_value(m, m->noise, out);
}

const struct cul_measured_by *cul_measured_by(const void *self) {
  const struct measured *m = self;
  return &m->by;
}

void cul_measured_line(const void *self, double *factor, double *more) {
  const struct measured *m = self;
  *factor = m->manner == RATIO ? exp(m->bound) : m->manner == GROWTH;
  *more = m->manner == RATIO   ? 0
          : m->manner == PLAIN ? m->bound
                               : m->bound * (double)m->conf->iterations;
}
