/* Profiles against profiles: which call path became slower.
 *
 * A path differs where its value changed by more than the threshold and by more
 * than its spread explains: the samples of both sides (repetitions, events of
 * one name, runs given by --again) tell the variance, and a change within the
 * 99 % interval of Student's t is none (B. L. Welch, 1947, with the number of
 * samples less two as the degrees of freedom). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "../../base/profile/profile.h"
#include "../../base/profile/reader.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "../../runners/preload/names.h"
#include "compare_kind.h"

enum {
  MOST_FRAMES = 64,
  MOST_RUNS = 64,
  MOST_PRINTED = 20,
  MOST_REPORTED = 1000
};

/* Unless the threshold is 0 or an amount, a path that changes by less than this
 * share of the whole profile is none. */
static const double least_share = 0.001;
static const double usual_threshold = 0.05;

enum side { GOT, WANT };

enum kind {
  SAME,
  SPREAD,
  REGRESSED,
  IMPROVED,
  APPEARED,
  VANISHED,
  UNMEASURED, /* as its failure says */
  MEASURED,   /* before, it was not */
  N_KINDS
};
static const char *const kinds[] = {
    "same",     "within the spread", "regressed",    "improved",
    "appeared", "vanished",          "not measured", "not measured before"};

/* How the samples of a side make its value. */
enum manner { SUM, MEAN };

/* The samples of one path on one side. */
struct samples {
  double n, mean, squares; /* squares: NaN: unknown */
  double count;            /* of calls, objects; 0: not told */
};

struct row {
  uint32_t node; /* of `all` */
  struct samples side[2];
  const char *failure[2];       /* borrowed; NULL: it was measured */
  double before, after, spread; /* spread: NaN: unknown */
  enum kind kind;
};

struct profiles {
  const struct cul_compare_job *job;
  struct cul_profile runs[MOST_RUNS + 2]; /* got, want, again ... */
  struct stat files[MOST_RUNS + 2];
  size_t n_runs;
  struct cul_profile all; /* the paths of all runs */
  struct row *rows;       /* by node of `all`; then sorted */
  size_t n_rows;
  struct cul_profile_metric metric; /* borrows its name */
  enum manner manner;
  double threshold, total[2], change; /* change: all changes, up and down */
  bool amount; /* the threshold is an amount, not a share */
  size_t n_kind[N_KINDS];
  uint32_t place; /* where most of the change lies, of `all`; 0: nowhere */
  double place_change;
};

static const char *part(const struct profiles *p) {
  return p->runs[0].format->part;
}

static double value_of(const struct profiles *p, const struct samples *s) {
  return p->manner == SUM ? s->n * s->mean : s->mean;
}

/* ---- reading ---- */

/* Pipes are not read: they are for the reader of tensors. */
static int load(const char *path, struct stat *st, struct cul_profile *out,
                bool *found, struct cul_err *err) {
  struct cul_buf bytes = {0};
  int rc;
  *found = false;
  if (stat(path, st) < 0 || !S_ISREG(st->st_mode) ||
      (uint64_t)st->st_size > CUL_PROFILE_MAX_BYTES)
    return 0;
  rc = cul_file_read(path, 0, &bytes, err);
  if (rc == 0)
    rc = cul_profile_read(cul_buf_bytes(&bytes), path, out, found, err);
  cul_buf_release(&bytes);
  return rc;
}

static int load_another(struct profiles *p, const char *path,
                        struct cul_err *err) {
  const struct cul_profile_format *format = p->runs[0].format;
  struct cul_profile *to = &p->runs[p->n_runs];
  bool found = false;
  if (load(path, &p->files[p->n_runs], to, &found, err) < 0)
    return err->code;
  if (found)
    p->n_runs++;
  if (found && to->format == format)
    return 0;
  return cul_fail(err, CUL_EUSAGE, "give two profiles of one format",
                  "%s is a %s, %s is %s%s", p->job->paths[0], format->noun,
                  path, found ? "a " : "none", found ? to->format->noun : "");
}

static int load_all(struct profiles *p, bool *mine, struct cul_err *err) {
  const struct cul_strings *again = p->job->again;
  int rc = load(p->job->paths[0], &p->files[0], &p->runs[0], mine, err);
  if (rc < 0 || !*mine)
    return rc;
  p->n_runs = 1;
  if (p->job->tensor_options)
    return cul_fail(err, CUL_EUSAGE, "give --threshold, --metric or --json",
                    "%s is a %s; tolerances, --type, --heatmap and --html "
                    "apply only to tensors",
                    p->job->paths[0], p->runs[0].format->noun);
  if (again->n > MOST_RUNS)
    return cul_fail(err, CUL_EUSAGE, "give fewer", "--again: more than %d runs",
                    MOST_RUNS);
  rc = load_another(p, p->job->paths[1], err);
  for (size_t i = 0; i < again->n && rc == 0; i++)
    rc = load_another(p, again->items[i], err);
  return rc;
}

/* "5%", "10us", "4KiB", "3". */
static int parse_threshold(struct profiles *p, struct cul_err *err) {
  const char *text = p->job->conf->threshold;
  enum cul_profile_class class = CUL_PROFILE_OTHER;
  char *end;
  double size = 1;
  p->threshold = usual_threshold;
  if (!text)
    return 0;
  p->threshold = strtod(text, &end);
  end += strspn(end, " ");
  p->amount = strcmp(end, "%") != 0;
  if (p->amount && *end)
    size = cul_profile_unit((struct cul_bytes){end, strlen(end)}, &class);
  p->threshold *= p->amount ? size : 0.01;
  if (*text && end > text && isfinite(p->threshold) && p->threshold >= 0 &&
      (!p->amount || !*end || class == p->metric.class))
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "give a share (5%) or an amount of the metric (10us, 4KiB)",
                  "--threshold: \"%s\" is neither", text);
}

/* ---- names of addresses ---- */

/* A return address of a run that has no name. */
struct address {
  uint32_t module, node;
  uint64_t at;
};

static int by_module(const void *a, const void *b) {
  const struct address *x = a, *y = b;
  if (x->module != y->module)
    return x->module < y->module ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Is the module's file what the process ran?  It must be older than the
 * profile.  Its path is foreign: nothing else than a plain file is opened. */
static bool is_there(const struct profiles *p, const char *path,
                     const struct stat *profile) {
  struct stat st;
  if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
    return false;
  if (st.st_mtim.tv_sec < profile->st_mtim.tv_sec ||
      (st.st_mtim.tv_sec == profile->st_mtim.tv_sec &&
       st.st_mtim.tv_nsec <= profile->st_mtim.tv_nsec))
    return true;
  cul_say(p->job->out,
          "no names of %s: it was written after the profile that has its "
          "addresses\n",
          path);
  return false;
}

/* Names of up to MOST_FRAMES addresses of one module; heap. */
static void name_some(const struct cul_profile_module *module,
                      const struct address *some, size_t n, char **names) {
  struct cul_where frames[MOST_FRAMES];
  char readable[sizeof frames[0].name];
  for (size_t i = 0; i < n; i++) /* the call is before the return address */
    frames[i] = (struct cul_where){
        .address = some[i].at - 1, .path = module->path, .base = module->base};
  cul_where_name(frames, n);
  for (size_t i = 0; i < n; i++) {
    cul_where_readable(frames[i].name, readable, sizeof readable);
    if (*readable)
      names[some[i].node] = cul_xstrdup(readable);
  }
}

/* The names of all addresses of one module, in groups of neighbours. */
static void name_all(const struct cul_profile_module *module,
                     const struct address *all, size_t n, char **names) {
  for (size_t i = 0; i < n; i += MOST_FRAMES)
    name_some(module, &all[i], n - i < MOST_FRAMES ? n - i : MOST_FRAMES,
              names);
}

/* The names of the addresses of a run, by node; heap, as each of them; NULL
 * where there is none. */
static char **names_of(const struct profiles *p, size_t run) {
  const struct cul_profile *profile = &p->runs[run];
  char **names = cul_xcalloc(profile->n_nodes, sizeof *names);
  struct address *all = cul_xcalloc(profile->n_nodes, sizeof *all);
  size_t n = 0;
  for (size_t i = 0; i < profile->n_nodes; i++)
    if (profile->nodes[i].module)
      all[n++] = (struct address){profile->nodes[i].module - 1, (uint32_t)i,
                                  profile->nodes[i].address};
  qsort(all, n, sizeof *all, by_module);
  for (size_t i = 0, end; i < n; i = end) {
    const struct cul_profile_module *module = &profile->modules[all[i].module];
    for (end = i; end < n && all[end].module == all[i].module;)
      end++;
    if (is_there(p, module->path, &p->files[run]))
      name_all(module, &all[i], end - i, names);
  }
  free(all);
  return names;
}

/* ---- rows ---- */

static void add_sample(struct samples *s, double n, double mean,
                       double squares) {
  double apart = mean - s->mean, both = s->n + n;
  if (n <= 0)
    return;
  s->squares += squares + apart * apart * s->n * (n / both);
  s->mean += apart * (n / both);
  s->n = both;
}

static size_t count_metric(const struct cul_profile *run) {
  size_t i = 0;
  while (i < run->n_metrics && run->metrics[i].class != CUL_PROFILE_COUNT)
    i++;
  return i;
}

/* Where the nodes of a run are in `all`; heap. */
static uint32_t *places_of(struct profiles *p, size_t run) {
  const struct cul_profile *profile = &p->runs[run];
  uint32_t *places = cul_xcalloc(profile->n_nodes, sizeof *places);
  char **names = names_of(p, run);
  for (size_t i = 1; i < profile->n_nodes; i++) {
    const struct cul_profile_node *node = &profile->nodes[i];
    const char *name = names[i] ? names[i] : node->name;
    places[i] = cul_profile_child(&p->all, places[node->parent],
                                  (struct cul_bytes){name, strlen(name)});
    free(names[i]);
  }
  free(names);
  if (p->n_rows < p->all.n_nodes)
    p->rows = cul_xreallocarray(p->rows, p->all.n_nodes, sizeof *p->rows);
  for (; p->n_rows < p->all.n_nodes; p->n_rows++)
    p->rows[p->n_rows] = (struct row){.node = (uint32_t)p->n_rows};
  return places;
}

/* Add what one run has.  one: the run is one sample of each path. */
static int add_run(struct profiles *p, size_t number, enum side side, bool one,
                   struct cul_err *err) {
  const struct cul_profile *run = &p->runs[number];
  size_t metric, count = count_metric(run);
  uint32_t *places;
  if (cul_profile_choose(run, p->metric.name, &metric, err) < 0)
    return err->code;
  places = places_of(p, number);
  for (size_t i = 0; i < run->n_figures; i++) {
    const struct cul_profile_figure *figure = &run->figures[i];
    struct samples *to = &p->rows[places[figure->node]].side[side];
    if (figure->metric == count)
      to->count += cul_profile_value(run, figure);
    if (figure->metric != metric)
      continue;
    if (count == run->n_metrics)
      to->count += figure->n;
    if (one)
      add_sample(to, 1, cul_profile_value(run, figure), 0);
    else
      add_sample(to, figure->n, figure->mean, figure->squares);
  }
  for (size_t i = 0; i < run->n_nodes; i++)
    if (run->nodes[i].failure)
      p->rows[places[i]].failure[side] = run->nodes[i].failure;
  free(places);
  return 0;
}

/* With --again the runs of got are samples. */
static void settle_runs(struct profiles *p) {
  double runs = (double)p->n_runs - 1;
  for (size_t i = 0; i < p->n_rows; i++) {
    struct samples *got = &p->rows[i].side[GOT];
    got->count /= runs;
    if (got->n > 0 && !p->metric.mean) /* a run without it is a sample of 0 */
      add_sample(got, runs - got->n, 0, 0);
  }
  p->manner = MEAN;
}

/* Forget the rows that --under leaves out. */
static int keep_under(struct profiles *p, struct cul_err *err) {
  const char *under = p->job->conf->under;
  bool *inside = cul_xcalloc(p->all.n_nodes, sizeof *inside), any = !under;
  cul_profile_under(&p->all, under ? under : "", inside);
  for (size_t i = 0; i < p->n_rows; i++) {
    struct row *row = &p->rows[i];
    if (!inside[i])
      *row = (struct row){.node = row->node};
    any = any || row->side[GOT].n > 0 || row->side[WANT].n > 0 ||
          row->failure[GOT] || row->failure[WANT];
  }
  free(inside);
  return any ? 0
             : cul_fail(err, CUL_EUSAGE,
                        "give frames of a path as compare prints it, from one "
                        "\";\" to another",
                        "--under: no %s ends with or lies below \"%s\"",
                        part(p), under);
}

static int make_rows(struct profiles *p, struct cul_err *err) {
  bool several = p->n_runs > 2;
  int rc;
  cul_profile_child(&p->all, 0, (struct cul_bytes){"", 0});
  rc = add_run(p, 0, GOT, several, err);
  if (rc == 0)
    rc = add_run(p, 1, WANT, several, err);
  for (size_t i = 2; i < p->n_runs && rc == 0; i++)
    rc = add_run(p, i, GOT, true, err);
  if (rc == 0 && p->all.full)
    rc = cul_fail(err, CUL_EUSAGE, "profile a shorter run",
                  "more than %zu call paths together", CUL_PROFILE_MAX_NODES);
  if (several)
    settle_runs(p);
  return rc < 0 ? rc : keep_under(p, err);
}

/* ---- judging ---- */

/* Two-sided quantiles of Student's t at 99 %. */
static double student(double freedom) {
  static const double table[] = {63.66, 9.925, 5.841, 4.604, 4.032,
                                 3.707, 3.499, 3.355, 3.250, 3.169};
  size_t i = (size_t)freedom;
  if (i >= 1 && i <= CUL_ARRAY_SIZE(table))
    return table[i - 1];
  /* the first terms of its expansion in 1 / freedom */
  return 2.5758 * (1 + (2.5758 * 2.5758 + 1) / (4 * freedom)) +
         6.2 / (freedom * freedom);
}

static bool knows_variance(const struct samples *s) {
  return s->n > 1 && isfinite(s->squares);
}

/* The variance of the side's value, whose samples have this one. */
static double variance(const struct profiles *p, const struct samples *s,
                       double each) {
  if (s->n <= 0)
    return 0;
  return p->manner == SUM ? each * s->n : each / s->n;
}

/* Half of the interval in which the difference lies; NaN: unknown. */
static double spread_of(const struct profiles *p, const struct row *row) {
  double each[2], freedom = 0;
  bool known[2];
  for (int side = 0; side < 2; side++) {
    const struct samples *s = &row->side[side];
    known[side] = knows_variance(s);
    each[side] = known[side] ? s->squares / (s->n - 1) : 0;
    freedom += known[side] ? s->n - 1 : 0;
  }
  if (!known[GOT] && !known[WANT])
    return NAN;
  for (int side = 0; side < 2; side++) /* one side tells of the other */
    if (!known[side])
      each[side] = each[!side];
  return student(freedom) * sqrt(variance(p, &row->side[GOT], each[GOT]) +
                                 variance(p, &row->side[WANT], each[WANT]));
}

static bool above_threshold(const struct profiles *p, const struct row *row) {
  double change = fabs(row->after - row->before);
  double whole = fmax(fabs(p->total[GOT]), fabs(p->total[WANT]));
  if (p->amount || p->threshold <= 0)
    return change > p->threshold;
  return change > p->threshold * fabs(row->before) &&
         (p->runs[0].format->apart || !isfinite(whole) ||
          change > least_share * whole);
}

static enum kind judge(const struct profiles *p, struct row *row) {
  double change = row->after - row->before;
  row->spread = spread_of(p, row);
  if (row->failure[GOT] || row->failure[WANT])
    return !row->failure[WANT]  ? UNMEASURED
           : !row->failure[GOT] ? MEASURED
                                : SAME;
  if (!above_threshold(p, row))
    return SAME;
  if (row->side[WANT].n <= 0)
    return APPEARED;
  if (row->side[GOT].n <= 0)
    return VANISHED;
  if (isfinite(row->spread) && fabs(change) <= row->spread)
    return SPREAD;
  return (change > 0) != p->metric.more_is_better ? REGRESSED : IMPROVED;
}

static bool differs(const struct row *row) { return row->kind >= REGRESSED; }

/* The worse first, then by size. */
static bool is_worse(const struct row *row) {
  return row->kind == REGRESSED || row->kind == APPEARED ||
         row->kind == UNMEASURED;
}

/* How much it changed; 0 where a side was not measured. */
static double change_of(const struct row *row) {
  return row->failure[GOT] || row->failure[WANT] ? 0 : row->after - row->before;
}

static int by_weight(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  double p = fabs(change_of(x)), q = fabs(change_of(y));
  if (differs(x) != differs(y))
    return differs(x) ? -1 : 1;
  if (is_worse(x) != is_worse(y))
    return is_worse(x) ? -1 : 1;
  if (p != q)
    return p > q ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* May values of different paths be added? */
static bool is_additive(const struct profiles *p) {
  return !p->metric.mean || p->metric.class == CUL_PROFILE_TIME ||
         p->metric.class == CUL_PROFILE_BYTES;
}

/* Find the deepest node that has, with what lies below it, more than half of
 * the change of the whole.  The rows are still in the order of their nodes. */
static void find_place(struct profiles *p) {
  double *below = cul_xcalloc(p->n_rows, sizeof *below);
  for (size_t i = p->n_rows; i-- > 0;) {
    below[i] += change_of(&p->rows[i]);
    if (i)
      below[p->all.nodes[i].parent] += below[i];
  }
  for (size_t i = 1; i < p->n_rows; i++) /* parents precede their children */
    if (p->all.nodes[i].parent == p->place && below[i] * below[0] > 0 &&
        fabs(below[i]) > fabs(below[0]) / 2)
      p->place = (uint32_t)i;
  p->place_change = below[p->place];
  free(below);
}

static void judge_all(struct profiles *p) {
  size_t n = 0;
  for (size_t i = 0; i < p->n_rows; i++) {
    struct row *row = &p->rows[i];
    row->after = value_of(p, &row->side[GOT]);
    row->before = value_of(p, &row->side[WANT]);
    if (!row->failure[GOT] && !row->failure[WANT]) {
      p->total[GOT] += row->after;
      p->total[WANT] += row->before;
    }
    p->change += fabs(change_of(row));
    n += row->side[GOT].n > 0 || row->side[WANT].n > 0;
  }
  if (!is_additive(p) && n > 1)
    p->total[GOT] = p->total[WANT] = NAN;
  for (size_t i = 0; i < p->n_rows; i++) {
    p->rows[i].kind = judge(p, &p->rows[i]);
    p->n_kind[p->rows[i].kind]++;
  }
  if (p->n_rows && is_additive(p))
    find_place(p);
  if (p->n_rows)
    qsort(p->rows, p->n_rows, sizeof *p->rows, by_weight);
}

/* ---- text ---- */

/* Append "1.25 ms"; sign: "+1.25 ms". */
static void add_amount(const struct profiles *p, double value, bool sign,
                       struct cul_buf *out) {
  static const struct {
    const char *name;
    double size;
  } units[2][4] = {
      {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}},
      {{"GiB", 1073741824}, {"MiB", 1048576}, {"KiB", 1024}, {"B", 1}}};
  size_t of = p->metric.class == CUL_PROFILE_BYTES, unit = 0;
  cul_buf_adds(out, sign && value >= 0 ? "+" : "");
  if (p->metric.class != CUL_PROFILE_BYTES &&
      p->metric.class != CUL_PROFILE_TIME) {
    cul_buf_addf(out, "%.6g", value);
    return;
  }
  while (unit < 3 && fabs(value) < units[of][unit].size)
    unit++;
  value /= units[of][unit].size;
  cul_buf_addf(out, fabs(value) < 1000 ? "%.3g %s" : "%.0f %s", value,
               units[of][unit].name);
}

/* Append ", +650 us (2.63 times)". */
static void add_change(const struct profiles *p, double before, double after,
                       struct cul_buf *out) {
  add_amount(p, after - before, true, out);
  if (before > 0 && after > 0)
    cul_buf_addf(out, " (%.3g times)", after / before);
}

static void add_path(const struct profiles *p, uint32_t node,
                     struct cul_buf *out) {
  uint32_t frames[CUL_PROFILE_MAX_DEPTH + 1];
  size_t n = 0;
  for (; node && n < CUL_ARRAY_SIZE(frames); node = p->all.nodes[node].parent)
    frames[n++] = node;
  if (n == 0)
    cul_buf_adds(out, "(above all)");
  for (size_t i = n; i-- > 0;)
    cul_buf_addf(out, "%s%s", p->all.nodes[frames[i]].name, i ? ";" : "");
}

static double share_of(const struct profiles *p, const struct row *row) {
  return p->change > 0 ? fabs(change_of(row)) / p->change : 0;
}

static void print_side(const struct profiles *p, const char *label,
                       const struct row *row, enum side side) {
  const struct samples *s = &row->side[side];
  struct cul_buf text = {0};
  if (row->failure[side])
    cul_buf_adds(&text, row->failure[side]);
  else
    add_amount(p, side == GOT ? row->after : row->before, false, &text);
  if (!row->failure[side] && s->count > 0 &&
      p->metric.class != CUL_PROFILE_COUNT)
    cul_buf_addf(&text, ", count %.6g", s->count);
  cul_say(p->job->out, "  %-9s %s\n", label, cul_buf_str(&text));
  cul_buf_release(&text);
}

/* The first row, in lines. */
static void print_row(const struct profiles *p, const struct row *row) {
  struct cul_buf text = {0};
  add_path(p, row->node, &text);
  cul_say(p->job->out, "%s: %s\n", kinds[row->kind], cul_buf_str(&text));
  print_side(p, "before:", row, WANT);
  print_side(p, "after:", row, GOT);
  cul_buf_clear(&text);
  if (row->kind >= UNMEASURED) {
    cul_buf_release(&text);
    return;
  }
  add_change(p, row->before, row->after, &text);
  if (is_additive(p))
    cul_buf_addf(&text, ", %.3g %% of all change", 100 * share_of(p, row));
  if (isfinite(row->spread)) {
    cul_buf_adds(&text, "; spread ");
    add_amount(p, row->spread, false, &text);
  }
  cul_say(p->job->out, "  %-9s %s\n", "change:", cul_buf_str(&text));
  cul_buf_release(&text);
}

/* Another one, in one line. */
static void print_brief(const struct profiles *p, const struct row *row) {
  struct cul_buf text = {0}, path = {0};
  bool measured = row->kind < UNMEASURED;
  add_path(p, row->node, &path);
  if (measured)
    add_change(p, row->before, row->after, &text);
  else
    cul_buf_adds(&text, row->failure[row->kind == UNMEASURED ? GOT : WANT]);
  if (measured && is_additive(p))
    cul_buf_addf(&text, ", %.3g %%", 100 * share_of(p, row));
  if (measured && p->metric.class != CUL_PROFILE_COUNT &&
      row->side[WANT].count != row->side[GOT].count)
    cul_buf_addf(&text, ", count %.6g, now %.6g", row->side[WANT].count,
                 row->side[GOT].count);
  cul_say(p->job->out, "%s: %s: %s\n", kinds[row->kind], cul_buf_str(&path),
          cul_buf_str(&text));
  cul_buf_release(&text);
  cul_buf_release(&path);
}

static double explained(const struct profiles *p, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += share_of(p, &p->rows[i]);
  return sum;
}

static size_t n_different(const struct profiles *p) {
  size_t n = 0;
  for (size_t kind = REGRESSED; kind < N_KINDS; kind++)
    n += p->n_kind[kind];
  return n;
}

static void print_head(const struct profiles *p) {
  struct cul_buf text = {0};
  if (isfinite(p->total[GOT])) {
    cul_buf_adds(&text, ": ");
    add_amount(p, p->total[WANT], false, &text);
    cul_buf_adds(&text, " before, ");
    add_amount(p, p->total[GOT], false, &text);
    cul_buf_adds(&text, " after, ");
    add_change(p, p->total[WANT], p->total[GOT], &text);
  }
  cul_say(p->job->out, "%s, %s%s\n", p->runs[0].format->noun, p->metric.name,
          cul_buf_str(&text));
  cul_buf_release(&text);
}

static void print_threshold(const struct profiles *p, struct cul_buf *out) {
  if (p->amount)
    add_amount(p, p->threshold, false, out);
  else
    cul_buf_addf(out, "%.3g %%", 100 * p->threshold);
}

static bool tells_place(const struct profiles *p) {
  return p->place && n_different(p) && p->rows[0].node != p->place;
}

static void print_place(const struct profiles *p) {
  struct cul_buf text = {0};
  add_path(p, p->place, &text);
  cul_buf_adds(&text, ": ");
  add_amount(p, p->place_change, true, &text);
  cul_buf_adds(&text, " of ");
  add_amount(p, p->total[GOT] - p->total[WANT], true, &text);
  cul_say(p->job->out, "mostly below: %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

static void print(const struct profiles *p) {
  size_t n = n_different(p), shown = n < MOST_PRINTED ? n : MOST_PRINTED;
  uint64_t skipped = 0;
  struct cul_buf text = {0};
  print_head(p);
  for (size_t i = 0; i < shown; i++)
    (i ? print_brief : print_row)(p, &p->rows[i]);
  if (n > shown)
    cul_say(p->job->out, "and %zu more (--json has them)\n", n - shown);
  if (tells_place(p))
    print_place(p);
  print_threshold(p, &text);
  if (n == 0)
    cul_say(p->job->out, "equal within %s\n", cul_buf_str(&text));
  else if (is_additive(p) && p->change > 0)
    cul_say(p->job->out, "explained: %.3g %% of all change, by %zu %s%s\n",
            100 * explained(p, n), n, part(p), cul_s(n));
  if (p->n_kind[SPREAD])
    cul_say(p->job->out,
            "within the spread: %zu that changed by more than %s\n",
            p->n_kind[SPREAD], cul_buf_str(&text));
  for (size_t i = 0; i < p->n_runs; i++)
    skipped += p->runs[i].skipped;
  if (skipped)
    cul_say(p->job->out, "left out: %llu lines or events without a value\n",
            (unsigned long long)skipped);
  cul_buf_release(&text);
}

/* ---- JSON ---- */

static json_t *number(double value) {
  /* JSON has no infinity; null: no such number */
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *path_of(const struct profiles *p, uint32_t node) {
  json_t *path = json_array();
  for (; node; node = p->all.nodes[node].parent)
    json_array_insert_new(path, 0, cul_report_string(p->all.nodes[node].name));
  return path;
}

static json_t *describe(const struct profiles *p, const struct row *row) {
  const char *failure = row->failure[row->kind == MEASURED ? WANT : GOT];
  return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
                   path_of(p, row->node), "change", kinds[row->kind], "failure",
                   failure ? cul_report_string(failure) : json_null(), "before",
                   number(row->failure[WANT] ? NAN : row->before), "after",
                   number(row->failure[GOT] ? NAN : row->after), "spread",
                   number(row->spread), "count_before",
                   number(row->side[WANT].count), "count_after",
                   number(row->side[GOT].count), "share",
                   number(is_additive(p) ? share_of(p, row) : NAN));
}

static json_t *report_of(const struct profiles *p) {
  size_t n = n_different(p);
  json_t *paths = json_array(), *metrics = json_array();
  for (size_t i = 0; i < n && i < MOST_REPORTED; i++)
    json_array_append_new(paths, describe(p, &p->rows[i]));
  for (size_t i = 0; i < p->runs[0].n_metrics; i++)
    json_array_append_new(metrics,
                          cul_report_string(p->runs[0].metrics[i].name));
  return json_pack(
      "{s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "equal",
      n == 0, "format", p->runs[0].format->name, "metric",
      cul_report_string(p->metric.name), "before", number(p->total[WANT]),
      "after", number(p->total[GOT]), "explained",
      number(is_additive(p) && n ? explained(p, n) : NAN), "paths", paths,
      "different", (json_int_t)n, "within_spread",
      (json_int_t)p->n_kind[SPREAD], "mostly_below",
      tells_place(p) ? path_of(p, p->place) : json_null(), "metrics", metrics);
}

/* ---- the whole ---- */

static int compare(struct profiles *p, struct cul_err *err) {
  size_t metric;
  int rc = cul_profile_choose(&p->runs[0], p->job->conf->metric, &metric, err);
  if (rc < 0)
    return rc;
  p->metric = p->runs[0].metrics[metric];
  p->manner = p->metric.mean ? MEAN : SUM;
  rc = parse_threshold(p, err);
  if (rc == 0)
    rc = make_rows(p, err);
  if (rc == 0)
    judge_all(p);
  return rc;
}

static int run(const struct cul_compare_job *job, bool *mine, json_t **report,
               struct cul_err *err) {
  struct profiles *p = cul_xcalloc(1, sizeof *p);
  int rc;
  p->job = job;
  rc = load_all(p, mine, err);
  if (rc == 0 && *mine)
    rc = compare(p, err);
  if (rc == 0 && *mine) {
    print(p);
    *report = report_of(p);
    rc = n_different(p) ? CUL_EDIFFER : 0;
  }
  for (size_t i = 0; i < p->n_runs; i++)
    cul_profile_release(&p->runs[i]);
  cul_profile_release(&p->all);
  free(p->rows);
  free(p);
  return rc;
}

const struct cul_compare_kind cul_compare_profiles = {.run = run};
