/* Bisecting lock files: see freeze.h. */
#include "freeze.h"

#include <ctype.h>
#include <stdlib.h>

#include "../../base/files/file.h"
#include "../../probe/target/findings.h"
#include "../install/pip.h"
#include "../matrix/cells.h"
#include "../report/leave.h"
#include "../search/sets.h"

/* ---- lists ---- */

static int fail_line(const char *file, size_t number, const char *line,
                     const char *advice, struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE, advice,
                  "%s line %zu: \"%.80s\" is not a package with its version",
                  file, number, line);
}

/* The statement of a line, without comments, hashes and continuation marks;
 * heap. */
static char *statement_of(const char *line, size_t len) {
  size_t n = 0;
  while (n < len && isspace((unsigned char)line[n]))
    n++;
  line += n;
  len -= n;
  for (n = 0; n < len; n++) {
    bool blank = n == 0 || isspace((unsigned char)line[n - 1]);
    if (line[n] == '\\' || (line[n] == '#' && blank) ||
        (blank && n + 6 <= len && memcmp(line + n, "--hash", 6) == 0))
      break;
  }
  while (n > 0 && isspace((unsigned char)line[n - 1]))
    n--;
  return cul_xstrndup(line, n);
}

/* The name of a package after PEP 503: lower case, with "-" between words;
 * heap.  *rest: the text after it. */
static char *name_of(const char *statement, const char **rest) {
  struct cul_buf name = {0};
  for (; *statement; statement++) {
    bool between = strchr("-_.", *statement) != NULL;
    if (!between && !isalnum((unsigned char)*statement))
      break;
    if (!between)
      cul_buf_addc(&name, (char)tolower((unsigned char)*statement));
    else if (name.len > 0 && name.data[name.len - 1] != '-')
      cul_buf_addc(&name, '-');
  }
  *rest = statement;
  return cul_buf_take(&name);
}

static bool names_version(const char *statement) {
  return strstr(statement, "==") || strstr(statement, " @ ");
}

static int add_line(const char *file, size_t number, char *statement,
                    struct cul_freeze_list *out, struct cul_err *err) {
  struct cul_freeze_entry entry = {.text = cul_xstrdup(statement)};
  entry.name = name_of(entry.text, &entry.rest);
  out->entries =
      cul_xreallocarray(out->entries, out->n + 1, sizeof *out->entries);
  out->entries[out->n++] = entry;
  if (strncmp(statement, "-e", 2) == 0 || strncmp(statement, "--e", 3) == 0)
    return fail_line(
        file, number, statement,
        "an editable install has no version: write NAME @ URL, or "
        "remove the line from both files and use --with for the package",
        err);
  if (statement[0] == '-')
    return fail_line(file, number, statement,
                     "leave it out, and give it to culprit: --index-url, "
                     "--find-links",
                     err);
  if (!*entry.name || !names_version(statement))
    return fail_line(file, number, statement,
                     "give what pip freeze prints: NAME==VERSION, one a line",
                     err);
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct cul_freeze_entry *)a)->name,
                ((const struct cul_freeze_entry *)b)->name);
}

int cul_freeze_read(const char *file, const char *text,
                    struct cul_freeze_list *out, struct cul_err *err) {
  size_t number = 0;
  int rc = 0;
  *out = (struct cul_freeze_list){0};
  while (*text && rc == 0) {
    size_t len = strcspn(text, "\n");
    char *statement = statement_of(text, len);
    number++;
    if (*statement)
      rc = add_line(file, number, statement, out, err);
    free(statement);
    text += len + (text[len] != '\0');
  }
  if (out->n)
    qsort(out->entries, out->n, sizeof *out->entries, by_name);
  for (size_t i = 0; i + 1 < out->n && rc == 0; i++)
    if (strcmp(out->entries[i].name, out->entries[i + 1].name) == 0)
      rc = cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "%s: %s appears twice", file, out->entries[i].name);
  return rc;
}

void cul_freeze_list_release(struct cul_freeze_list *list) {
  for (size_t i = 0; i < list->n; i++) {
    free(list->entries[i].name);
    free(list->entries[i].text);
  }
  free(list->entries);
  *list = (struct cul_freeze_list){0};
}

/* ---- the job ---- */

/* Runs of each choice before it has an answer. */
enum { RUNS = 3 };
static const size_t most_file = 16 << 20;
/* Differences named in a choice's name, at most. */
enum { MOST_NAMED = 3 };

/* A package that only one list has, or that both have differently. */
struct difference {
  const char *name;
  const char *good, *bad; /* requirements; NULL: the list lacks it */
};

struct job {
  const struct cul_freeze_conf *conf;
  struct cul_freeze_list good, bad;
  struct difference *differences;
  size_t n;
  uint64_t *hashes;    /* of each difference */
  const char **common; /* requirements of both lists */
  size_t n_common;
  struct cul_axis axis; /* its values are choices, named; the first is the good
                           list, the second the bad one */
  struct cul_axes axes;
  bool **choices; /* by value and difference: as in the bad list? */
  struct cul_installs installs;
  struct cul_pip_way way;
  struct cul_cells cells;
  struct cul_sets sets;
};

/* ---- the lists ---- */

static int read_list(const char *file, struct cul_freeze_list *out,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_file_read(file, most_file, &text, err);
  if (rc == 0)
    rc = cul_freeze_read(file, cul_buf_str(&text), out, err);
  cul_buf_release(&text);
  return rc;
}

static void add_difference(struct job *job, const struct cul_freeze_entry *good,
                           const struct cul_freeze_entry *bad) {
  struct cul_digest digest;
  const char *name = good ? good->name : bad->name;
  if (good && bad && strcmp(good->rest, bad->rest) == 0) {
    job->common[job->n_common++] = good->text;
    return;
  }
  digest = cul_digest_of(name, strlen(name));
  job->hashes[job->n] = digest.w[0];
  job->differences[job->n++] = (struct difference){
      name, good ? good->text : NULL, bad ? bad->text : NULL};
}

/* Find the differences; both lists are sorted. */
static int compare_lists(struct job *job, struct cul_err *err) {
  size_t most = job->good.n + job->bad.n + 1, g = 0, b = 0;
  job->differences = cul_xcalloc(most, sizeof *job->differences);
  job->hashes = cul_xcalloc(most, sizeof *job->hashes);
  job->common = cul_xcalloc(most, sizeof *job->common);
  while (g < job->good.n || b < job->bad.n) {
    const struct cul_freeze_entry *good =
        g < job->good.n ? &job->good.entries[g] : NULL;
    const struct cul_freeze_entry *bad =
        b < job->bad.n ? &job->bad.entries[b] : NULL;
    int diff = !good ? 1 : !bad ? -1 : strcmp(good->name, bad->name);
    add_difference(job, diff <= 0 ? good : NULL, diff >= 0 ? bad : NULL);
    g += diff <= 0;
    b += diff >= 0;
  }
  return job->n ? 0
                : cul_fail(err, CUL_EUSAGE, "give two that differ",
                           "%s and %s name the same packages", job->conf->good,
                           job->conf->bad);
}

/* ---- choices ---- */

/* "good but numpy==2.0" */
static char *name_choice(const struct job *job, const bool *on) {
  struct cul_buf name = {0};
  size_t n = 0;
  for (size_t i = 0; i < job->n; i++)
    n += on[i];
  cul_buf_adds(&name, n == job->n ? "the bad list" : "the good list");
  if (n > MOST_NAMED && n < job->n)
    cul_buf_addf(&name, " with %zu of %zu differences", n, job->n);
  for (size_t i = 0; i < job->n && n <= MOST_NAMED && n < job->n; i++)
    if (on[i] && job->differences[i].bad)
      cul_buf_addf(&name, " with %s", job->differences[i].bad);
    else if (on[i])
      cul_buf_addf(&name, " without %s", job->differences[i].name);
  return cul_buf_take(&name);
}

/* The value of the axis for this choice; added if it is new. */
static uint32_t value_of(struct job *job, const bool *on) {
  uint32_t n = job->axis.n;
  for (uint32_t v = 0; v < n; v++)
    if (memcmp(job->choices[v], on, job->n * sizeof *on) == 0)
      return v;
  job->choices = cul_xreallocarray(job->choices, n + 1, sizeof *job->choices);
  job->choices[n] = cul_xcalloc(job->n, sizeof *on);
  memcpy(job->choices[n], on, job->n * sizeof *on);
  job->axis.values =
      cul_xreallocarray(job->axis.values, n + 1, sizeof *job->axis.values);
  job->axis.values[n] = name_choice(job, on);
  return job->axis.n++;
}

static char **requirements(void *self, const uint32_t *at) {
  const struct job *job = self;
  const bool *on = job->choices[at[0]];
  const char *const *with = job->conf->with;
  size_t n = 0, most = job->n_common + job->n + 1;
  char **out;
  for (const char *const *w = with; *w; w++)
    most++;
  out = cul_xcalloc(most, sizeof *out);
  for (size_t i = 0; i < job->n; i++) {
    const char *text =
        on[i] ? job->differences[i].bad : job->differences[i].good;
    if (text)
      out[n++] = (char *)text;
  }
  for (size_t i = 0; i < job->n_common; i++)
    out[n++] = (char *)job->common[i];
  for (; *with; with++)
    out[n++] = (char *)*with;
  return out;
}

static int fails(void *self, const bool *on, bool *out, struct cul_err *err) {
  struct job *job = self;
  uint32_t value = value_of(job, on);
  enum cul_answer state = CUL_UNRESOLVED;
  int rc = cul_cells_state_at(&job->cells, &value, RUNS, &state, err);
  *out = state == CUL_SAME;
  return rc;
}

/* ---- the report ---- */

static json_t *text_or_null(const char *text) {
  return text ? cul_report_string(text) : json_null();
}

static json_t *set_of(const struct job *job, const struct cul_set *set) {
  json_t *out = json_array();
  for (size_t i = 0; i < set->n; i++) {
    const struct difference *one = &job->differences[set->items[i]];
    json_array_append_new(out, json_pack("{s:o, s:o, s:o}", "name",
                                         cul_report_string(one->name), "good",
                                         text_or_null(one->good), "bad",
                                         text_or_null(one->bad)));
  }
  return out;
}

static json_int_t untestable(const struct job *job) {
  json_int_t n = 0;
  for (size_t i = 0; i < job->cells.n; i++) {
    enum cul_answer state = cul_cell_state(job->cells.cells[i]);
    n += state != CUL_SAME && state != CUL_PASSES;
  }
  return n;
}

static json_t *report_of(const struct job *job) {
  json_t *out = cul_cells_report(&job->cells, "freeze"), *sets = json_array();
  for (size_t i = 0; i < job->sets.n; i++)
    json_array_append_new(sets, set_of(job, &job->sets.sets[i]));
  json_object_set_new(out, "sets", sets);
  json_object_set_new(out, "of", json_integer((json_int_t)job->n));
  json_object_set_new(out, "more",
                      json_boolean(job->sets.end == CUL_SETS_MORE));
  json_object_set_new(out, "untestable", json_integer(untestable(job)));
  return out;
}

/* Write the bundle: only the first set from the bad list. */
static int leave(struct job *job, const json_t *report, struct cul_err *err) {
  const struct cul_cell *bad = cul_cells_first(&job->cells, CUL_SAME);
  const struct cul_leave_report told = {report, cul_freeze_say};
  uint32_t cell, value;
  bool *on = cul_xcalloc(job->n, sizeof *on);
  int rc = 0;
  for (size_t i = 0; job->sets.n && i < job->sets.sets[0].n; i++)
    on[job->sets.sets[0].items[i]] = true;
  value = value_of(job, on);
  if (job->sets.n)
    rc = cul_cells_at(&job->cells, &value, &cell, err);
  if (job->sets.n && rc == 0)
    bad = job->cells.cells[cell];
  if (rc == 0)
    rc = cul_cells_leave_bundle(&job->cells, job->conf->bundle, bad,
                                cul_cells_first(&job->cells, CUL_PASSES), &told,
                                err);
  free(on);
  return rc;
}

/* ---- from end to end ---- */

static int find_sets(struct job *job, struct cul_err *err) {
  const struct cul_set_space space = {.n = job->n,
                                      .hashes = job->hashes,
                                      .most = job->conf->all ? 0 : 1,
                                      .self = job,
                                      .fails = fails};
  static const uint32_t good = 0, bad = 1;
  int rc = cul_cells_check_ends(&job->cells, &bad, &good, RUNS, err);
  return rc ? rc : cul_sets_find(&space, &job->sets, err);
}

static int finish(struct job *job, int rc, json_t **report,
                  struct cul_err *err) {
  struct cul_err later = {0};
  if (rc < 0 && (!cul_is_cut(rc) || !job->cells.learnt))
    return rc;
  *report = report_of(job);
  cul_leave_result(*report, rc);
  if (rc < 0)
    return cul_leave_code(rc, leave(job, *report, &later), &later, err);
  if (job->sets.end == CUL_SETS_NEVER || job->sets.end == CUL_SETS_ALWAYS)
    return cul_fail(err, CUL_EFLAKY,
                    "fix what varies, or use --match for the failure",
                    "the results for the two lists changed between runs");
  return leave(job, *report, err);
}

static int open_job(struct job *job, struct cul_err *err) {
  const struct cul_freeze_conf *conf = job->conf;
  const struct cul_installs_conf installs = {.target = &conf->target,
                                             .way = &cul_pip_way,
                                             .self = &job->way,
                                             .n_axes = 1,
                                             .envs = conf->envs,
                                             .most_bytes = conf->most_bytes};
  struct cul_pip_conf pip = conf->pip;
  bool *on;
  int rc = read_list(conf->good, &job->good, err);
  if (rc == 0)
    rc = read_list(conf->bad, &job->bad, err);
  if (rc == 0)
    rc = compare_lists(job, err);
  if (rc < 0)
    return rc;
  job->axis.name = cul_xstrdup("packages");
  job->axis.equals = ": ";
  job->axes = (struct cul_axes){&job->axis, 1};
  on = cul_xcalloc(job->n, sizeof *on);
  value_of(job, on);
  memset(on, true, job->n * sizeof *on);
  value_of(job, on);
  free(on);
  rc = cul_installs_open(&job->installs, &installs, err);
  job->way.self = job;
  job->way.requirements = requirements;
  pip.scripts = &job->installs.scripts;
  pip.no_deps = true;
  return rc ? rc : cul_pip_open(&job->way.pip, &pip, err);
}

static int run(struct job *job, json_t **report, struct cul_err *err) {
  const struct cul_installer installer = cul_installs_installer(&job->installs);
  struct cul_cells_conf conf = {.target = job->conf->target,
                                .given = &job->axes,
                                .installer = &installer};
  int rc;
  conf.target.environment.hosts = job->installs.hosts;
  rc = cul_cells_open(&job->cells, &conf, err);
  if (rc == 0)
    rc = finish(job, find_sets(job, err), report, err);
  cul_cells_release(&job->cells);
  return rc;
}

static void release(struct job *job) {
  for (uint32_t v = 0; v < job->axis.n; v++) {
    free(job->choices[v]);
    free(job->axis.values[v]);
  }
  free(job->choices);
  free(job->axis.values);
  free(job->axis.name);
  free(job->differences);
  free(job->hashes);
  free(job->common);
  cul_sets_release(&job->sets);
  cul_freeze_list_release(&job->good);
  cul_freeze_list_release(&job->bad);
  cul_pip_release(&job->way.pip);
  cul_installs_release(&job->installs);
}

int cul_freeze_run(const struct cul_freeze_conf *conf, json_t **report,
                   struct cul_err *err) {
  struct job job = {.conf = conf, .installs.scripts.place.keeper = -1};
  int rc = open_job(&job, err);
  *report = NULL;
  if (rc == 0)
    rc = run(&job, report, err);
  release(&job);
  return rc;
}
