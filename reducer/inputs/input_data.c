/* Reduction of input data: see input_data.h. */
#include "input_data.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/files/outputs.h"
#include "../../base/tensor/tensor.h"
#include "../search/search.h"

/* ---- input moves ---- */

static void input_data_begin(struct cul_input_data *data);
static int input_files_write(const struct cul_input_data *data,
                             struct cul_err *err);

static const char *const fill_names[] = {"drawn", "zeros", "ones", "index"};

/* Begin with the arguments that the engine prints as text.  kind: NULL =
 * "integers".  Returns NULL, with err or without, if they cannot be read or
 * there are none. */
static struct cul_input_data *
input_data_new(const char *kind, struct cul_bytes text, struct cul_err *err) {
  struct cul_input_data *data = cul_xcalloc(1, sizeof *data);
  data->kind = cul_xstrdup(kind ? kind : "integers");
  if (cul_tensors_parse_text(text, NULL, &data->drawn, err) < 0 ||
      data->drawn.n == 0) {
    cul_input_data_free(data);
    return NULL;
  }
  data->n = data->drawn.n;
  input_data_begin(data);
  return data;
}

static void input_data_begin(struct cul_input_data *data) {
  data->args = cul_xcalloc(data->n, sizeof *data->args);
  for (size_t a = 0; a < data->n; a++) {
    const struct cul_tensor *drawn = &data->drawn.items[a];
    struct cul_input_argument *one = &data->args[a];
    one->fixed = drawn->rank == 0 && drawn->dtype == CUL_INDEX;
    one->n = drawn->n;
    one->kept = cul_xmalloc(drawn->n + 1);
    memset(one->kept, 1, drawn->n + 1);
  }
}

void cul_input_data_free(struct cul_input_data *data) {
  if (!data)
    return;
  for (size_t a = 0; a < data->n && data->args; a++)
    free(data->args[a].kept);
  for (size_t i = 0; i < data->n_moves; i++) {
    cul_buf_release(&data->moves[i].suspect);
    cul_buf_release(&data->moves[i].reference);
  }
  for (size_t a = 0; a < data->drawn.n && data->files; a++)
    free(data->files[a]);
  free(data->files);
  free(data->dir);
  free(data->args);
  free(data->kind);
  cul_tensors_release(&data->drawn);
  cul_buf_release(&data->text);
  free(data);
}

static uint64_t count_kept(const struct cul_input_argument *one) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < one->n && one->fill != CUL_INPUT_ZEROS; i++)
    kept += one->kept[i];
  return kept;
}

static uint64_t count_all(const struct cul_input_data *data) {
  uint64_t all = 0;
  for (size_t a = 0; a < data->n; a++)
    all += data->args[a].fixed ? 0 : count_kept(&data->args[a]);
  return all;
}

static void add_spans(const struct cul_input_argument *one,
                      struct cul_buf *out) {
  char before = '@';
  for (uint64_t i = 0, end; i < one->n; i = end + 1) {
    for (end = i; end < one->n && one->kept[end];)
      end++;
    if (end == i)
      continue;
    cul_buf_addf(out, "%c%llu", before, (unsigned long long)i);
    if (end > i + 1)
      cul_buf_addf(out, "-%llu", (unsigned long long)(end - 1));
    before = '+';
  }
}

static void write_recipe(const struct cul_input_data *data,
                         struct cul_buf *out) {
  cul_buf_adds(out, data->kind);
  for (size_t a = 0; a < data->n; a++) {
    const struct cul_input_argument *one = &data->args[a];
    uint64_t kept = count_kept(one);
    if (one->fixed || (one->fill == CUL_INPUT_DRAWN && kept == one->n))
      continue;
    cul_buf_addf(out, ",%zu=%s", a,
                 fill_names[kept ? one->fill : CUL_INPUT_ZEROS]);
    if (kept && kept < one->n)
      add_spans(one, out);
  }
}

/* Make all roles run with the current data: the engine by a recipe
 * (engines/plan/recipe.h), commands by files. */
static int input_apply(struct cul_reduce *job, struct cul_err *err) {
  CUL_OWNED(cul_buf) recipe = {0};
  int rc = 0;
  write_recipe(job->inputs, &recipe);
  if (!job->inputs->files) {
    cul_target_set_values(&job->target, cul_buf_str(&recipe));
  } else {
    rc = input_files_write(job->inputs, err);
    cul_target_set_inputs(&job->target, job->inputs->dir, cul_buf_str(&recipe));
  }
  return rc;
}

/* ---- moves ---- */

/* Append " [1, 2]"; nothing for a scalar. */
static void add_index(const struct cul_tensor *tensor, uint64_t i,
                      struct cul_buf *out) {
  uint64_t index[CUL_TENSOR_MAX_RANK];
  cul_tensor_index(tensor, i, index);
  for (size_t d = 0; d < tensor->rank; d++)
    cul_buf_addf(out, "%s%llu", d ? ", " : " [", (unsigned long long)index[d]);
  cul_buf_adds(out, tensor->rank ? "]" : "");
}

static bool equal_at(const struct cul_tensor *a, const struct cul_tensor *b,
                     uint64_t i) {
  for (unsigned part = 0; part < cul_tensor_parts(a); part++) {
    cul_number x = cul_tensor_get(a, i, part), y = cul_tensor_get(b, i, part);
    if (x != y && (x == x || y == y))
      return false;
  }
  return true;
}

/* Append the elements that differ between two runs of the same command. */
static void add_changed(const struct cul_tensors *a,
                        const struct cul_tensors *b, struct cul_buf *out) {
  enum { MOST = 8 };
  uint64_t n = 0;
  for (size_t t = 0; t < a->n && t < b->n; t++) {
    const struct cul_tensor *x = &a->items[t], *y = &b->items[t];
    for (uint64_t i = 0; i < x->n && x->n == y->n; i++) {
      if (equal_at(x, y, i) || n++ >= MOST)
        continue;
      cul_buf_addf(out, "%sresult %zu", n > 1 ? ", " : "", t);
      add_index(x, i, out);
    }
  }
  if (n > MOST)
    cul_buf_addf(out, " and %llu more", (unsigned long long)(n - MOST));
}

/* The results of the suspect and the reference for the current data. */
struct outputs {
  struct cul_tensors suspect, reference;
};

static void release(struct outputs *outputs) {
  cul_tensors_release(&outputs->suspect);
  cul_tensors_release(&outputs->reference);
}

/* Read the results as the oracle does: the files, else the printed text. */
static void read_record(const struct cul_record *record,
                        struct cul_tensors *out) {
  struct cul_bytes files = cul_buf_bytes(&record->outputs);
  struct cul_output_file file;
  struct cul_err ignored = {0};
  size_t at = 0;
  while (cul_outputs_next(files, &at, &file))
    if (cul_tensors_knows(file.name) &&
        cul_tensors_parse(file.bytes, file.name, NULL, out, &ignored) < 0)
      return;
  if (out->n == 0 && cul_tensors_parse_text(cul_buf_bytes(&record->out), NULL,
                                            out, &ignored) < 0)
    cul_tensors_release(out);
}

static int compute(struct cul_reduce *job, struct outputs *out,
                   struct cul_err *err) {
  CUL_OWNED(cul_judged) judged = {0};
  int rc = input_apply(job, err);
  *out = (struct outputs){0};
  if (rc == 0)
    rc = cul_target_judge(&job->target, cul_buf_bytes(&job->outcome.text),
                          false, &judged, err);
  for (size_t i = 0; i < judged.n && rc == 0; i++) {
    const struct cul_record *record = &judged.records[i];
    struct cul_tensors *to = record->role == CUL_ROLE_SUSPECT ? &out->suspect
                             : record->role == CUL_ROLE_REFERENCE
                                 ? &out->reference
                                 : NULL;
    if (to && to->n == 0 && record->end == CUL_EXITED && !record->truncated)
      read_record(record, to);
  }
  return rc;
}

static int find_move(struct cul_reduce *job, const struct outputs *base,
                     size_t arg, uint64_t i, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  struct cul_input_move *move = &data->moves[data->n_moves++];
  struct outputs without;
  int rc;
  *move = (struct cul_input_move){.arg = arg, .i = i};
  data->args[arg].kept[i] = false;
  rc = compute(job, &without, err);
  data->args[arg].kept[i] = true;
  add_changed(&base->suspect, &without.suspect, &move->suspect);
  add_changed(&base->reference, &without.reference, &move->reference);
  release(&without);
  return rc;
}

/* If few elements are kept, set each to 0 in turn, and note which results of
 * suspect and reference change.  Errors: those of runs. */
static int input_moves_find(struct cul_reduce *job, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  struct outputs base;
  int rc;
  if (count_all(data) > CUL_INPUT_MOST_MOVES)
    return 0;
  rc = compute(job, &base, err);
  for (size_t a = 0; a < data->n; a++)
    for (uint64_t i = 0; i < data->args[a].n && rc == 0; i++)
      if (!data->args[a].fixed && data->args[a].fill != CUL_INPUT_ZEROS &&
          data->args[a].kept[i])
        rc = find_move(job, &base, a, i, err);
  release(&base);
  if (rc == 0) /* make the roles use all kept elements again */
    rc = compute(job, &base, err);
  release(&base);
  return rc;
}

/* ---- in words ---- */

static void name_argument(const struct cul_input_data *data, size_t a,
                          struct cul_buf *out) {
  if (data->files)
    cul_buf_adds(out, data->files[a]);
  else
    cul_buf_addf(out, "argument %zu", a);
}

static void describe_argument(const struct cul_input_data *data, size_t a,
                              struct cul_buf *out) {
  const char *const words[] = {data->files ? "as given" : "as drawn", "0", "1",
                               "1 and its own number"};
  const struct cul_input_argument *one = &data->args[a];
  uint64_t kept = count_kept(one);
  name_argument(data, a, out);
  cul_buf_adds(out, ", ");
  cul_tensor_type(&data->drawn.items[a], out);
  if (one->fixed)
    cul_buf_adds(out, ": an extent");
  else if (kept == 0)
    cul_buf_adds(out, ": 0");
  else if (kept == one->n)
    cul_buf_addf(out, ": each element %s", words[one->fill]);
  else
    cul_buf_addf(out, ": %llu of %llu elements %s, the others 0",
                 (unsigned long long)kept, (unsigned long long)one->n,
                 words[one->fill]);
}

static json_t *argument_json(const struct cul_input_data *data, size_t a) {
  const struct cul_input_argument *one = &data->args[a];
  CUL_OWNED(cul_buf) type = {0}, words = {0};
  uint64_t kept = count_kept(one);
  cul_tensor_type(&data->drawn.items[a], &type);
  describe_argument(data, a, &words);
  return json_pack("{s:s, s:s, s:I, s:I, s:s}", "type", cul_buf_str(&type),
                   "values", fill_names[kept ? one->fill : CUL_INPUT_ZEROS],
                   "kept", (json_int_t)kept, "of", (json_int_t)one->n, "words",
                   cul_buf_str(&words));
}

static void name_element(const struct cul_input_data *data,
                         const struct cul_input_move *move,
                         struct cul_buf *out) {
  name_argument(data, move->arg, out);
  add_index(&data->drawn.items[move->arg], move->i, out);
}

json_t *cul_input_data_json(const struct cul_reduce *job) {
  const struct cul_input_data *data = job->inputs;
  CUL_OWNED(cul_buf) recipe = {0};
  json_t *arguments = json_array(), *moves = json_array();
  if (!data) {
    json_decref(arguments);
    json_decref(moves);
    return json_null();
  }
  write_recipe(data, &recipe);
  for (size_t a = 0; a < data->n; a++)
    json_array_append_new(arguments, argument_json(data, a));
  for (size_t i = 0; i < data->n_moves; i++) {
    CUL_OWNED(cul_buf) name = {0};
    name_element(data, &data->moves[i], &name);
    json_array_append_new(
        moves, json_pack("{s:s, s:s, s:s}", "element", cul_buf_str(&name),
                         "suspect", cul_buf_str(&data->moves[i].suspect),
                         "reference", cul_buf_str(&data->moves[i].reference)));
  }
  return json_pack("{s:s, s:b, s:I, s:o, s:o, s:s}", "recipe",
                   cul_buf_str(&recipe), "files", data->files != NULL, "tests",
                   (json_int_t)data->tests, "arguments", arguments, "moves",
                   moves, "values", cul_buf_str(&data->text));
}

/* ---- input files ---- */

static bool is_npy(const char *name) {
  size_t n = strlen(name);
  return n > 4 && strcmp(name + n - 4, ".npy") == 0;
}

static int put(const struct cul_input_data *data, const char *name,
               struct cul_bytes bytes, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", data->dir, name);
  return cul_held_put(data->place, path, bytes, 0600, err);
}

/* Add the file's tensor to the arguments; copy any other file. */
static int take(struct cul_input_data *data, const struct cul_output_file *file,
                struct cul_err *err) {
  CUL_OWNED(cul_tensors) read = {0};
  struct cul_err ignored = {0};
  if (!is_npy(file->name) ||
      cul_tensors_parse(file->bytes, file->name, NULL, &read, &ignored) < 0 ||
      read.n != 1) {
    return put(data, file->name, file->bytes, err);
  }
  data->files =
      cul_xreallocarray(data->files, data->drawn.n + 1, sizeof *data->files);
  data->files[data->drawn.n] = cul_xstrdup(file->name);
  cul_tensors_move(&data->drawn, &read, "");
  return 0;
}

/* Begin with the .npy files of directory `from`.  The simplified ones will be
 * written to `to`, a directory in place; all other files are copied there.
 * *out: unchanged if there is nothing to simplify.  Errors: EENV. */
static int input_files_read(const char *from, const struct cul_held *place,
                            const char *to, struct cul_input_data **out,
                            struct cul_err *err) {
  struct cul_input_data *data = cul_xcalloc(1, sizeof *data);
  CUL_OWNED(cul_buf) bytes = {0};
  struct cul_output_file file;
  size_t at = 0;
  bool whole = cul_outputs_collect(from, &bytes) == 0;
  int rc = cul_held_ready(place, to, 0700, err);
  data->place = place;
  data->kind = cul_xstrdup("given");
  data->dir = cul_xstrdup(to);
  while (rc == 0 && whole &&
         cul_outputs_next(cul_buf_bytes(&bytes), &at, &file))
    rc = take(data, &file, err);
  data->n = data->drawn.n;
  if (rc < 0 || data->n == 0) {
    cul_input_data_free(data);
    return rc;
  }
  input_data_begin(data);
  *out = data;
  return 0;
}

static cul_number value_of(const struct cul_input_argument *one,
                           const struct cul_tensor *drawn, uint64_t i,
                           unsigned part) {
  if (one->fill == CUL_INPUT_ZEROS || !one->kept[i])
    return 0;
  if (one->fill == CUL_INPUT_DRAWN)
    return cul_tensor_get(drawn, i, part);
  if (part)
    return 0;
  /* numbers that every float type can represent */
  return one->fill == CUL_INPUT_ONES ? 1 : (cul_number)(1 + i % 8);
}

static int write_argument(const struct cul_input_data *data, size_t a,
                          struct cul_err *err) {
  const struct cul_tensor *drawn = &data->drawn.items[a];
  CUL_OWNED(cul_tensors) made = {0};
  struct cul_tensor *tensor;
  CUL_OWNED(cul_buf) bytes = {0};
  int rc = cul_tensors_add(&made, "", drawn->dtype, drawn->rank, drawn->dims,
                           &tensor, err);
  for (uint64_t i = 0; rc == 0 && i < drawn->n; i++)
    for (unsigned part = 0; part < cul_tensor_parts(drawn); part++)
      cul_tensor_set(tensor, i, part, value_of(&data->args[a], drawn, i, part));
  if (rc == 0)
    cul_tensor_write_npy(tensor, &bytes);
  return rc ? rc : put(data, data->files[a], cul_buf_bytes(&bytes), err);
}

static int input_files_write(const struct cul_input_data *data,
                             struct cul_err *err) {
  int rc = 0;
  for (size_t a = 0; a < data->n && rc == 0; a++)
    rc = write_argument(data, a, err);
  return rc;
}

/* ---- input data ---- */

enum {
  MOST_TESTS = 64,       /* judgements; most take two runs */
  MOST_ELEMENTS = 65536, /* of all arguments; with more, no subsets are tried */
};

/* Judge the current data.  *same: the failure shows. */
static int judge(struct cul_reduce *job, bool *same, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  CUL_OWNED(cul_judged) judged = {0};
  int rc = input_apply(job, err);
  data->tests++;
  if (rc == 0)
    rc = cul_target_judge(&job->target, cul_buf_bytes(&job->outcome.text),
                          false, &judged, err);
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  return rc;
}

static bool may_go_on(const struct cul_reduce *job) {
  return job->inputs->tests < MOST_TESTS &&
         !cul_probe_is_spent(&job->target.probe);
}

/* ---- whole arguments ---- */

static int try_fill(struct cul_reduce *job, struct cul_input_argument *one,
                    enum cul_input_fill fill, bool *same, struct cul_err *err) {
  enum cul_input_fill old = one->fill;
  int rc;
  *same = false;
  if (one->fixed || one->fill == fill || !may_go_on(job))
    return 0;
  one->fill = fill;
  rc = judge(job, same, err);
  if (!*same)
    one->fill = old;
  return rc;
}

/* Try zeros for all arguments at once; if that fails, for each one. */
static int try_zeros(struct cul_reduce *job, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  bool same = false;
  int rc;
  for (size_t i = 0; i < data->n; i++)
    data->args[i].fill =
        data->args[i].fixed ? CUL_INPUT_DRAWN : CUL_INPUT_ZEROS;
  rc = judge(job, &same, err);
  for (size_t i = 0; i < data->n && !same; i++)
    data->args[i].fill = CUL_INPUT_DRAWN;
  for (size_t i = 0; i < data->n && !same && data->n > 1 && rc == 0; i++) {
    bool zero;
    rc = try_fill(job, &data->args[i], CUL_INPUT_ZEROS, &zero, err);
  }
  return rc;
}

/* Try ones for the elements that are not 0; if that fails, 1 plus their
 * number. */
static int try_simple(struct cul_reduce *job, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  int rc = 0;
  for (size_t i = 0; i < data->n && rc == 0; i++) {
    bool same = false;
    if (data->args[i].fill != CUL_INPUT_ZEROS)
      rc = try_fill(job, &data->args[i], CUL_INPUT_ONES, &same, err);
    if (rc == 0 && !same && data->args[i].fill == CUL_INPUT_DRAWN)
      rc = try_fill(job, &data->args[i], CUL_INPUT_INDEX, &same, err);
  }
  return rc;
}

/* ---- elements ---- */

/* The elements of all arguments that are not 0. */
struct elements {
  struct element {
    uint32_t arg;
    uint64_t i;
  } *items; /* heap */
  size_t n;
};

static struct elements list_elements(const struct cul_input_data *data) {
  struct elements all = {0};
  for (size_t a = 0; a < data->n; a++)
    all.n += data->args[a].n;
  all.items = cul_xcalloc(all.n + 1, sizeof *all.items);
  all.n = 0;
  for (size_t a = 0; a < data->n; a++)
    for (uint64_t i = 0; i < data->args[a].n; i++)
      if (data->args[a].fill != CUL_INPUT_ZEROS && !data->args[a].fixed &&
          data->args[a].kept[i])
        all.items[all.n++] = (struct element){(uint32_t)a, i};
  return all;
}

/* Keep all elements but those of the set. */
static void keep_others(struct cul_input_data *data, const struct elements *all,
                        const struct cul_set *set) {
  for (size_t k = 0, at = 0; k < all->n; k++) {
    bool gone = at < set->n && set->ids[at] == k;
    data->args[all->items[k].arg].kept[all->items[k].i] = !gone;
    at += gone;
  }
}

/* Judge the data without the elements of the set.  *same: the failure shows.
 * Without all of them, which try_zeros has judged, it does not. */
static int try_without(struct cul_reduce *job, const struct elements *all,
                       const struct cul_set *set, bool *same,
                       struct cul_err *err) {
  *same = false;
  if (set->n == all->n)
    return 0;
  keep_others(job->inputs, all, set);
  return judge(job, same, err);
}

static int search_elements(struct cul_reduce *job, const struct elements *all,
                           struct cul_err *err) {
  CUL_HEAP struct cul_item *items = cul_xcalloc(all->n, sizeof *items);
  struct cul_search *search;
  CUL_OWNED(cul_set) set = {0};
  uint64_t ticket;
  int rc = 0;
  for (size_t k = 0; k < all->n; k++)
    items[k] = (struct cul_item){.weight = 1, .parent = CUL_NO_ITEM};
  search = cul_search_new(cul_search_rule_find("ddmin"), items, all->n, 1, 0);
  while (rc == 0 && may_go_on(job) && cul_search_ask(search, &set, &ticket)) {
    bool same;
    rc = try_without(job, all, &set, &same, err);
    cul_search_tell(search, ticket, same);
  }
  keep_others(job->inputs, all, cul_search_state(search));
  cul_search_free(search);
  return rc;
}

static int try_elements(struct cul_reduce *job, struct cul_err *err) {
  struct elements all = list_elements(job->inputs);
  int rc = all.n <= MOST_ELEMENTS ? search_elements(job, &all, err) : 0;
  free(all.items);
  for (size_t a = 0; a < job->inputs->n; a++) {
    struct cul_input_argument *one = &job->inputs->args[a];
    if (!memchr(one->kept, 1, one->n))
      one->fill = CUL_INPUT_ZEROS;
  }
  return rc;
}

/* ---- the whole ---- */

/* Do all commands read the input files?  A reference that does not read them
 * would give wrong answers for other inputs. */
static bool is_of_files(const struct cul_reduce *job) {
  const struct cul_target_conf *conf = &job->conf->target;
  bool suspect = false;
  for (const char *const *arg = conf->argv; arg && *arg; arg++)
    suspect = suspect || strstr(*arg, "@{inputs}");
  return conf->inputs.dir && suspect && conf->ref.command &&
         strstr(conf->ref.command, "@{inputs}") &&
         (!conf->ref.control || strstr(conf->ref.control, "@{inputs}"));
}

static bool may_begin(const struct cul_reduce *job) {
  return (job->target.engine.argv || is_of_files(job)) &&
         job->target.oracle_conf.mismatch.wanted &&
         !job->conf->reduce_command && !cul_target_flaky(&job->target, NULL) &&
         !cul_probe_is_spent(&job->target.probe);
}

/* Restore the inputs that the user gave. */
static void restore(struct cul_reduce *job) {
  cul_input_data_free(job->inputs);
  job->inputs = NULL;
  if (job->target.engine.argv)
    cul_target_set_values(&job->target, NULL);
  else
    cul_target_set_inputs(&job->target, NULL, NULL);
}

/* The engine prints argument 0 as "result[0]: ...": rename it. */
static void name_arguments(struct cul_buf *text) {
  static const char was[] = "result[";
  struct cul_buf out = {0};
  for (const char *at = cul_buf_str(text); *at;) {
    size_t n = strcspn(at, "\n") + 1;
    bool named = strncmp(at, was, sizeof was - 1) == 0;
    cul_buf_adds(&out, named ? "argument[" : "");
    at += named ? sizeof was - 1 : 0;
    n -= named ? sizeof was - 1 : 0;
    cul_buf_add(&out, at, strnlen(at, n));
    at += strnlen(at, n);
  }
  cul_buf_release(text);
  *text = out;
}

/* Judge the final recipe once more.  *same: it still shows the failure. */
static int settle(struct cul_reduce *job, bool *same, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  int rc;
  cul_buf_clear(&data->text);
  rc = judge(job, same, err);
  if (rc == 0 && *same && !data->files)
    rc = cul_target_show_inputs(&job->target, cul_buf_bytes(&job->outcome.text),
                                &data->text, err);
  name_arguments(&data->text);
  return rc;
}

static int simplify(struct cul_reduce *job, struct cul_err *err) {
  bool same = false;
  int rc = try_zeros(job, err);
  if (rc == 0)
    rc = try_elements(job, err);
  if (rc == 0)
    rc = try_simple(job, err);
  if (rc == 0)
    rc = settle(job, &same, err);
  if (rc == 0 && same)
    rc = input_moves_find(job, err);
  if (rc < 0 || !same)
    restore(job);
  return rc;
}

static int read_files(struct cul_reduce *job, struct cul_err *err) {
  CUL_HEAP char *to = cul_xasprintf("%s/inputs", job->target.dir);
  return input_files_read(job->target.inputs.dir, &job->target.place.held, to,
                          &job->inputs, err);
}

static int read_engine(struct cul_reduce *job, struct cul_err *err) {
  CUL_OWNED(cul_buf) text = {0};
  struct cul_err ignored = {0};
  if (cul_target_show_inputs(&job->target, cul_buf_bytes(&job->outcome.text),
                             &text, err) < 0)
    return err->code;
  job->inputs = input_data_new(job->conf->target.inputs.values,
                               cul_buf_bytes(&text), &ignored);
  return 0;
}

int cul_input_data_reduce(struct cul_reduce *job, struct cul_err *err) {
  int rc;
  if (!may_begin(job))
    return 0;
  restore(job);
  rc = job->target.engine.argv ? read_engine(job, err) : read_files(job, err);
  return rc == 0 && job->inputs ? simplify(job, err) : rc;
}
