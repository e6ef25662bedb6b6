/* The values of each pass against golden intermediates, by name: the first pass
 * after which one differs.
 *
 * A directory holds one directory for each snapshot of the IR, in order:
 * 00_frontend, 01_after_InlineFunctions, ...; each of them the tensor files of
 * the values that the IR computes there, named after the values (what
 * `culprit --print script:run_pypto` writes), or a file ERROR that says why
 * there are none.  Passes rename values: golden x is any x, x__ssa_v1, x_2,
 * x_ssa_v1 or x_inline3__rv_v0 of its shape; of several the one that is
 * nearest. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "compare_kind.h"

enum { MOST_PASSES = 4096 };

/* What is known of one golden tensor. */
struct course {
  size_t seen; /* passes that have it */
  size_t
      agreed;  /* the last pass, before it differs, that has it; or SIZE_MAX */
  size_t last; /* the last pass that has it */
  size_t off;  /* the first pass in which it differs; or SIZE_MAX */
  struct cul_tensor got; /* of that pass, or of the last one; owned */
};

struct passes {
  char **names; /* heap; in order */
  size_t n;
  size_t unknown; /* passes without values */
  char **sources; /* heap; names of the values of the first one that has any */
  size_t n_sources;
  const struct cul_tensors *want;
  struct course *courses; /* heap; one for each of want */
};

/* ---- names ---- */

static size_t digits(const char *text) {
  size_t n = 0;
  while (isdigit((unsigned char)text[n]))
    n++;
  return n;
}

/* The number that a snapshot's name begins with; -1: it is none. */
static long number_of(const char *name) {
  size_t n = digits(name);
  return n >= 2 && n < 9 && name[n] == '_' && name[n + 1]
             ? strtol(name, NULL, 10)
             : -1;
}

/* "_2", at the end of a name. */
static bool is_counter(const char *text) {
  return *text == '_' && text[1] && !text[1 + digits(text + 1)];
}

/* "_ssa_v1": a role and a version, and perhaps a counter. */
static bool is_role(const char *text) {
  size_t n =
      *text == '_' ? 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
  if (n < 2 || text[n] != '_' || text[n + 1] != 'v' || !digits(text + n + 2))
    return false;
  text += n + 2 + digits(text + n + 2);
  return *text == '\0' || is_counter(text);
}

/* What passes append to the name of a value.  NULL: it is another name. */
static const char *suffix_of(const char *name, const char *value) {
  static const char inlined[] = "_inline";
  size_t n = strlen(value), number;
  if (strncmp(name, value, n) != 0)
    return NULL;
  name += n;
  while (strncmp(name, inlined, sizeof inlined - 1) == 0 &&
         (number = digits(name + sizeof inlined - 1)))
    name += sizeof inlined - 1 + number;
  return *name == '\0' || strncmp(name, "__", 2) == 0 || is_counter(name) ||
                 is_role(name)
             ? name
             : NULL;
}

static bool has(char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

/* Is it a version of the golden value?  x_1 is none of x where the program has
 * both. */
static bool is_version(const struct passes *passes, const char *name,
                       const char *value) {
  const char *suffix = suffix_of(name, value);
  return suffix && !(is_counter(suffix) &&
                     has(passes->sources, passes->n_sources, name) &&
                     has(passes->sources, passes->n_sources, value));
}

/* ---- snapshots ---- */

static int by_number(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  long m = number_of(x), n = number_of(y);
  return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

/* Is it below dir, as a directory (or as a file)? */
static bool is_there(const char *dir, const char *name, bool directory) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  struct stat st;
  bool found = stat(path, &st) == 0 && !S_ISDIR(st.st_mode) == !directory;
  free(path);
  return found;
}

/* List the directories of snapshots.  None: it is no such directory. */
static int list_passes(const char *dir, struct passes *out,
                       struct cul_err *err) {
  DIR *stream = opendir(dir);
  const struct dirent *entry;
  int rc = 0;
  out->names = cul_xcalloc(MOST_PASSES, sizeof *out->names);
  while (stream && rc == 0 && (entry = readdir(stream))) {
    if (number_of(entry->d_name) < 0 || !is_there(dir, entry->d_name, true))
      continue;
    if (out->n == MOST_PASSES)
      rc = cul_fail(err, CUL_EUSAGE, "move some of them away",
                    "%s: more than %d passes", dir, MOST_PASSES);
    else
      out->names[out->n++] = cul_xstrdup(entry->d_name);
  }
  if (stream)
    closedir(stream);
  qsort(out->names, out->n, sizeof *out->names, by_number);
  return rc;
}

static int refuse_dump(const char *dir, struct cul_err *err) {
  static const char *const places[] = {"00_frontend.py",
                                       "passes_dump/00_frontend.py"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(places); i++)
    if (is_there(dir, places[i], false))
      return cul_fail(err, CUL_EUSAGE,
                      "culprit --print script:run_pypto >run_pypto.py; python "
                      "run_pypto.py BUILD --out values (a Python that has "
                      "pypto); culprit compare values GOLDEN",
                      "%s contains the IR after each pass, but no values", dir);
  return 0;
}

/* ---- values ---- */

/* The value of that name and shape that is nearest to the golden one; NULL:
 * there is none.  *off: does it differ? */
static const struct cul_tensor *nearest(const struct passes *passes,
                                        const struct cul_tensors *values,
                                        const struct cul_tensor *want,
                                        const struct cul_tolerance_conf *conf,
                                        bool *off) {
  const struct cul_tensor *best = NULL;
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < values->n && least; i++) {
    const struct cul_tensor *got = &values->items[i];
    struct cul_tolerance tolerance = cul_tolerance_of(conf, got, want);
    struct cul_difference difference = {0};
    if (!is_version(passes, got->name, want->name) || got->rank != want->rank ||
        memcmp(got->dims, want->dims, got->rank * sizeof *got->dims) != 0)
      continue;
    cul_tensor_compare(got, want, &tolerance, &difference);
    if (difference.class != CUL_ERR_SHAPE && difference.n_fail < least) {
      least = difference.n_fail;
      best = got;
    }
    cul_difference_release(&difference);
  }
  *off = least > 0;
  return best;
}

static void keep(struct course *course, const struct cul_tensor *value) {
  struct cul_tensors old = {&course->got, 1};
  size_t size = (size_t)value->n * cul_dtype_info(value->dtype)->size;
  free(old.items->name);
  free(old.items->data);
  course->got = *value;
  course->got.name = cul_xstrdup(value->name);
  course->got.data = cul_xmalloc(size + 1);
  if (size)
    memcpy(course->got.data, value->data, size);
  course->got.text = NULL;
}

static void name_sources(struct passes *passes,
                         const struct cul_tensors *values) {
  if (passes->sources)
    return;
  passes->sources = cul_xcalloc(values->n + 1, sizeof *passes->sources);
  for (size_t i = 0; i < values->n; i++)
    passes->sources[passes->n_sources++] = cul_xstrdup(values->items[i].name);
}

static void follow(struct passes *passes, size_t pass,
                   const struct cul_tensors *values,
                   const struct cul_tolerance_conf *conf) {
  for (size_t i = 0; i < passes->want->n; i++) {
    struct course *course = &passes->courses[i];
    bool off;
    const struct cul_tensor *value =
        nearest(passes, values, &passes->want->items[i], conf, &off);
    if (!value)
      continue;
    course->seen++;
    course->last = pass;
    if (course->off != SIZE_MAX)
      continue;
    keep(course, value);
    if (off)
      course->off = pass;
    else
      course->agreed = pass;
  }
}

/* Say in a line why the pass has no values. */
static void tell_error(const char *dir, const char *name, struct cul_buf *out) {
  char *path = cul_xasprintf("%s/%s/ERROR", dir, name);
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  if (cul_file_read(path, 1 << 16, &text, &ignored) < 0)
    cul_buf_adds(&text, "it contains no tensor files");
  cul_buf_addf(out, "%s: no values: %.*s\n", name,
               (int)strcspn(cul_buf_str(&text), "\n"), cul_buf_str(&text));
  cul_buf_release(&text);
  free(path);
}

static int read_pass(struct passes *passes, const char *dir, size_t pass,
                     const struct cul_tolerance_conf *conf,
                     struct cul_buf *steps, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", dir, passes->names[pass]);
  struct cul_tensors values = {0};
  int rc = 0;
  if (is_there(path, "ERROR", false)) {
    tell_error(dir, passes->names[pass], steps);
    passes->unknown++;
  } else {
    rc = cul_tensors_load(path, NULL, &values, err);
    if (rc == 0) {
      name_sources(passes, &values);
      follow(passes, pass, &values, conf);
    }
  }
  cul_tensors_release(&values);
  free(path);
  return rc;
}

/* ---- words ---- */

static void tell_one(const struct passes *passes, size_t i,
                     struct cul_buf *out) {
  const struct course *course = &passes->courses[i];
  const char *name = passes->want->items[i].name;
  const char *shown = *name ? name : "golden";
  if (!course->seen) {
    cul_buf_addf(out, "%s: no pass has a value of its name and shape\n", shown);
    return;
  }
  cul_buf_addf(out, "%s: ", shown);
  if (course->off == SIZE_MAX)
    cul_buf_addf(out, "agrees after each pass that has it, %zu of %zu",
                 course->seen, passes->n);
  else if (course->agreed == SIZE_MAX)
    cul_buf_addf(out, "differs in %s, the first pass that has it",
                 passes->names[course->off]);
  else
    cul_buf_addf(out, "agrees in %s, differs in %s",
                 passes->names[course->agreed], passes->names[course->off]);
  if (course->off != SIZE_MAX && strcmp(course->got.name, name) != 0)
    cul_buf_addf(out, " (%s)", course->got.name);
  if (course->off != SIZE_MAX && course->agreed != SIZE_MAX &&
      course->off - course->agreed > 1)
    cul_buf_addf(out, ", unknown for %zu between",
                 course->off - course->agreed - 1);
  if (course->last + 1 < passes->n)
    cul_buf_addf(out, "; gone after %s", passes->names[course->last]);
  cul_buf_addc(out, '\n');
}

/* The first pass in which a golden tensor differs; SIZE_MAX: none. */
static size_t first_off(const struct passes *passes) {
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < passes->want->n; i++)
    if (passes->courses[i].off < first)
      first = passes->courses[i].off;
  return first;
}

static void tell(const struct passes *passes, size_t first,
                 struct cul_buf *out) {
  size_t n = 0;
  if (first == SIZE_MAX)
    cul_buf_addf(out, "no value differs in the %zu pass%s with values\n",
                 passes->n - passes->unknown,
                 passes->n - passes->unknown == 1 ? "" : "es");
  for (size_t i = 0; i < passes->want->n && first != SIZE_MAX; i++)
    if (passes->courses[i].off == first) {
      if (n++ == 0)
        cul_buf_addf(out, "first pass after which a value differs: %s: ",
                     passes->names[first]);
      else
        cul_buf_adds(out, ", ");
      cul_buf_adds(out, passes->want->items[i].name);
    }
  if (n)
    cul_buf_addc(out, '\n');
  for (size_t i = 0; i < passes->want->n; i++)
    tell_one(passes, i, out);
}

/* ---- the whole ---- */

/* Move a tensor to the end of a list, under this name. */
static void move(struct cul_tensors *to, struct cul_tensor *tensor,
                 const char *name) {
  struct cul_tensors one = {cul_xcalloc(1, sizeof *one.items), 1};
  one.items[0] = *tensor;
  free(one.items[0].name);
  one.items[0].name = cul_xstrdup(name);
  *tensor = (struct cul_tensor){0};
  cul_tensors_move(to, &one, "");
}

/* What is compared: the values that differ in the first pass where any does;
 * where none does, all. */
static void choose(struct passes *passes, size_t first,
                   struct cul_tensors *golden, struct cul_compare_passed *out) {
  for (size_t i = 0; i < golden->n; i++) {
    struct course *course = &passes->courses[i];
    char *name = cul_xstrdup(golden->items[i].name);
    if (course->off == first) {
      if (course->seen)
        move(&out->got, &course->got, name);
      move(&out->want, &golden->items[i], name);
    }
    free(name);
  }
}

static int read_all(struct passes *passes, const char *const *paths,
                    const struct cul_tolerance_conf *conf,
                    const struct cul_patience *patience,
                    struct cul_compare_passed *out, struct cul_err *err) {
  struct cul_tensors golden = {0};
  size_t first;
  int rc = cul_tensors_load(paths[1], NULL, &golden, err);
  passes->want = &golden;
  passes->courses = cul_xcalloc(golden.n + 1, sizeof *passes->courses);
  for (size_t i = 0; i < golden.n; i++)
    passes->courses[i].off = passes->courses[i].agreed = SIZE_MAX;
  for (size_t i = 0; i < passes->n && rc == 0; i++) {
    rc = cul_patience_left(patience, err);
    if (rc == 0)
      rc = read_pass(passes, paths[0], i, conf, &out->words, err);
  }
  first = first_off(passes);
  if (rc == 0) {
    tell(passes, first, &out->words);
    if (first != SIZE_MAX)
      out->first = cul_xstrdup(passes->names[first]);
    choose(passes, first, &golden, out);
  }
  for (size_t i = 0; i < golden.n; i++) {
    free(passes->courses[i].got.name);
    free(passes->courses[i].got.data);
  }
  free(passes->courses);
  cul_tensors_release(&golden);
  return rc;
}

static int follow_passes(const char *const *paths,
                         const struct cul_tolerance_conf *conf,
                         const struct cul_patience *patience, bool *mine,
                         struct cul_compare_passed *out, struct cul_err *err) {
  struct passes passes = {0};
  int rc = list_passes(paths[0], &passes, err);
  *mine = rc == 0 && passes.n && number_of(passes.names[0]) == 0;
  if (*mine)
    rc = read_all(&passes, paths, conf, patience, out, err);
  for (size_t i = 0; i < passes.n; i++)
    free(passes.names[i]);
  for (size_t i = 0; i < passes.n_sources; i++)
    free(passes.sources[i]);
  free(passes.sources);
  free(passes.names);
  return rc;
}

const struct cul_compare_passes cul_compare_passes = {.follow = follow_passes,
                                                      .refuse = refuse_dump};
