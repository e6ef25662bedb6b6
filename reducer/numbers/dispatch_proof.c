/* Replace a dispatch by the reference's: see dispatch_proof.h. */
#include "dispatch_proof.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../oracles/numbers/numbers.h"
#include "../../pipeline/shell_text.h"
#include "dispatch_text.h"
#include "dispatch_values.h"

void cul_dispatch_proof_release(struct cul_dispatch_proof *proof) {
  free(proof->executable);
  free(proof->why);
  free(proof->unmixed);
  cul_mlir_words_release(&proof->next);
  cul_buf_release(&proof->text);
}

/* ---- the command's output ---- */

/* Judge a run of the command as the input was judged, by the oracle that found
 * the failure, with the other runs of the input.  Those of the command with
 * filled memory are of the unchanged command: the run stands for its own.
 * *right: nothing but rounding differs from the reference.  Errors: EUSAGE (it
 * cannot tell). */
static int judge_output(const struct cul_divergence_job *job,
                        const struct cul_record *record, bool *right,
                        struct cul_err *err) {
  const struct cul_target *target = job->target;
  const struct cul_judged *original = &target->original;
  struct cul_record *records; /* borrow what they hold */
  struct cul_wants more = {.n = 0};
  struct cul_verdict verdict = {0};
  void *self = NULL;
  size_t n = 0;
  int rc = target->oracle->open(&target->oracle_conf, &self, err);
  if (rc < 0)
    return rc;
  records = cul_xreallocarray(NULL, original->n + 2, sizeof *records);
  records[n] = *record;
  records[n++].role = CUL_ROLE_SUSPECT;
  records[n] = *record;
  records[n++].role = CUL_ROLE_SUSPECT_POISON;
  for (size_t i = 0; i < original->n; i++)
    if (!cul_role_is_suspect(original->records[i].role))
      records[n++] = original->records[i];
  rc = target->oracle->learn(self, records, n, &more, &verdict, err);
  free(records);
  target->oracle->close(self);
  *right = verdict.answer == CUL_PASSES;
  if (rc == 0 && verdict.answer != CUL_SAME && !*right)
    rc = cul_fail(err, CUL_EUSAGE, "", "%.190s",
                  *verdict.why ? verdict.why
                               : "to judge the output needs another run");
  return rc;
}

/* The same for a run with a replacement.  Errors: EUSAGE (it fails). */
static int judge_replaced(const struct cul_divergence_job *job,
                          const struct cul_record *record, bool *right,
                          struct cul_err *err) {
  CUL_OWNED(cul_buf) message = {0};
  const char *said;
  if (record->end == CUL_EXITED && record->status == 0)
    return judge_output(job, record, right, err);
  cul_dispatch_add_message(record, &message);
  said = strstr(cul_buf_str(&message), "error: ");
  said = said ? said : cul_buf_str(&message);
  return cul_fail(err, CUL_EUSAGE, "", "the command fails with it%s%.300s",
                  *said ? ": " : "", said);
}

/* The number of other dispatches that diverge. */
static size_t count_others(const struct cul_dispatch_sides *sides,
                           const struct cul_dispatch_part *part) {
  size_t n = 0;
  for (size_t i = 0; i < sides->pairs.n; i++)
    n += i != part->step && sides->pairs.steps[i].state == CUL_STEP_WRONG;
  return n;
}

/* ---- the executable of the reference ---- */

/* Add a flag that puts an executable of the file into the command's module. */
static void add_substitution(const struct cul_dispatch_sides *sides,
                             size_t step, const char *path,
                             struct cul_mlir_words *names,
                             struct cul_buf *out) {
  char *name = cul_dispatch_executable(sides->suspect.trace.events[step].name);
  CUL_HEAP char *flag = cul_xasprintf(
      "--iree-hal-substitute-executable-object=%s=%s", name, path);
  if (cul_mlir_words_have(names, name)) {
    free(name);
  } else {
    cul_buf_addc(out, ' ');
    cul_shell_quote(flag, out);
    cul_mlir_words_add(names, name);
  }
}

/* Has iree-compile replaced all of these? */
static bool all_replaced(const struct cul_mlir_words *names, const char *log) {
  bool all = true;
  for (size_t i = 0; i < names->n && all; i++) {
    CUL_HEAP char *mark =
        cul_xasprintf("`%s` substituted with", names->items[i]);
    all = strstr(log, mark) != NULL;
  }
  return all;
}

/* Run the command with the reference's executables of the part or (proof->all)
 * of all that diverge; path: the file that holds them. */
static int run_replaced(struct cul_dispatch_sides *sides,
                        const struct cul_dispatch_part *part, const char *path,
                        struct cul_dispatch_proof *proof, struct cul_err *err) {
  static const char unlinked[] = "--iree-hal-link-executables";
  struct cul_dispatch_side *side = &sides->suspect;
  bool linked = false; /* the command has a flag for linking */
  CUL_OWNED(cul_buf) head = {0};
  CUL_OWNED(cul_mlir_words) names = {0};
  CUL_OWNED(cul_record) record = {0};
  int rc;
  cul_buf_adds(&head, "more=(");
  add_substitution(sides, part->step, path, &names, &head);
  for (size_t i = 0; i < sides->pairs.n && proof->all; i++)
    if (sides->pairs.steps[i].state == CUL_STEP_WRONG)
      add_substitution(sides, i, path, &names, &head);
  /* iree-compile would link executables of different targets into different
   * libraries, and the module would not find them there */
  for (size_t i = 0; i < side->words[CUL_IREE_COMPILE].n; i++)
    linked = linked ||
             cul_mlir_starts(side->words[CUL_IREE_COMPILE].items[i], unlinked);
  cul_buf_addf(&head, "%s )\n",
               linked ? "" : " --iree-hal-link-executables=false");
  proof->runs++;
  rc = cul_dispatch_run_stood_in(sides->job, &sides->suspect,
                                 cul_buf_str(&head), &record, err);
  if (rc == 0)
    rc = judge_replaced(sides->job, &record, &proof->right, err);
  if (rc == 0 && !all_replaced(&names, cul_buf_str(&record.err)))
    rc = cul_fail(err, CUL_EUSAGE, "", "iree-compile replaces no %s",
                  names.items[0]);
  proof->tried = rc == 0;
  return rc;
}

/* Append the formats of executables to which a module is compiled, each once
 * and on a line of its own, such as: "llvm-cpu", "embedded-elf-x86_64" */
static void add_formats(const struct cul_buf *flow, struct cul_buf *out) {
  static const char mark[] = "#hal.executable.target<";
  const char *at = cul_buf_str(flow);
  while ((at = strstr(at, mark))) {
    CUL_OWNED(cul_buf) one = {0};
    size_t n;
    at += strlen(mark);
    n = strcspn(at, ",>");
    if (at[n] == ',')
      n += 1 + strcspn(at + n + 1, ",>");
    cul_buf_addf(&one, "%.*s\n", (int)n, at);
    if (!strstr(cul_buf_str(out), cul_buf_str(&one)))
      cul_buf_adds(out, cul_buf_str(&one));
  }
}

/* Compile the command's module at phase "flow" to executables, with the
 * reference's tools and for the reference's target. */
static int make_executables(struct cul_dispatch_sides *sides,
                            const struct cul_dispatch_part *part,
                            struct cul_dispatch_proof *proof,
                            struct cul_err *err) {
  struct cul_dispatch_side *got = &sides->suspect, *want = &sides->reference;
  CUL_OWNED(cul_buf) module = {0}, script = {0}, a = {0}, b = {0};
  CUL_OWNED(cul_record) record = {0};
  if (cul_dispatch_flow(sides->job, got, err) < 0 ||
      cul_dispatch_flow(sides->job, want, err) < 0)
    return err->code;
  add_formats(&got->flow, &a);
  add_formats(&want->flow, &b);
  cul_dispatch_text_retarget(&got->flow, &want->flow, &module);
  if (strcmp(cul_buf_str(&a), cul_buf_str(&b)) != 0)
    return cul_fail(err, CUL_EUSAGE, "",
                    "the back ends differ: %.*s, and %.*s of the reference",
                    (int)strcspn(cul_buf_str(&a), "\n"), cul_buf_str(&a),
                    (int)strcspn(cul_buf_str(&b), "\n"), cul_buf_str(&b));
  if (part->agreed &&
      strcmp(cul_buf_str(&module), cul_buf_str(&got->flow)) == 0)
    return cul_fail(err, CUL_EUSAGE, "",
                    "the reference's tools compute the same from its text");
  cul_dispatch_add_compile(want, &script);
  cul_buf_adds(&script, " --compile-from=flow --compile-to=executable-targets "
                        "\"$1\" -o -");
  proof->runs++;
  if (cul_dispatch_script(sides->job, want, &script, &module, &record, err) < 0)
    return err->code;
  if (record.truncated)
    return cul_fail(err, CUL_EUSAGE, "", "its text is longer than %d MiB",
                    CUL_DISPATCH_MOST_MIB);
  cul_buf_add(&proof->text, record.out.data, record.out.len);
  return 0;
}

/* Run the command with the reference's executable of the part; if the output is
 * still wrong, with those of all dispatches that diverge. */
static int confirm_by_executable(struct cul_dispatch_sides *sides,
                                 const struct cul_dispatch_part *part,
                                 struct cul_dispatch_proof *proof,
                                 struct cul_err *err) {
  CUL_HEAP char *path = NULL;
  int rc = make_executables(sides, part, proof, err);
  if (rc < 0)
    return rc;
  path = cul_xasprintf("%s/executables.mlir", sides->suspect.dir);
  rc = cul_held_put(&sides->job->target->place.held, path,
                    cul_buf_bytes(&proof->text), 0600, err);
  if (rc == 0)
    rc = run_replaced(sides, part, path, proof, err);
  if (rc == 0 && !proof->right && proof->others) {
    CUL_HEAP char *ignored = NULL;
    proof->all = true;
    rc = cul_dispatch_excuse(run_replaced(sides, part, path, proof, err),
                             &ignored, err);
    proof->all = proof->right;
    proof->tried = true;
  }
  return rc;
}

/* ---- its values ---- */

/* The values that the dispatch should compute: the results of its module with
 * the reference's tools, if they differ from the suspect's; else those of the
 * reference's dispatch, which may divide the work differently.  Where rounding
 * has changed its inputs, they are those of the reference's trace, because
 * right results of these inputs need not make the output right. */
static const struct cul_tensors *
right_values(const struct cul_dispatch_sides *sides,
             const struct cul_dispatch_part *part) {
  if (part->late)
    return &sides->reference.trace.events[sides->pairs.steps[part->step].want]
                .outputs;
  return part->mended.n == part->got.n && part->mended.n && !part->agreed
             ? &part->mended
             : &part->want;
}

/* Does the dispatch run once, in the function's own block? */
static bool runs_once(const struct cul_buf *flow, const struct cul_trace *trace,
                      size_t step, const struct cul_dispatch_site *site) {
  const char *name = trace->events[step].name, *at;
  const char *text = cul_buf_str(flow), *function = text;
  CUL_OWNED(cul_dispatch_site) next = {0};
  struct cul_err ignored = {0};
  size_t n = 0;
  bool once;
  for (size_t i = 0; i < trace->n; i++)
    n += strcmp(trace->events[i].name, name) == 0;
  for (at = text; (at = strstr(at, "\n  util.")) && at < site->line; at++)
    function = at + 1;
  /* cul_dispatch_site_find returns the last site for any larger number: if
   * there are n sites, those of n - 2 and n - 1 differ */
  once = cul_dispatch_site_find(flow, name, n - 1, &next, &ignored) == 0;
  if (once && n > 1) {
    CUL_OWNED(cul_dispatch_site) before = {0};
    once = cul_dispatch_site_find(flow, name, n - 2, &before, &ignored) == 0 &&
           before.line != next.line;
  }
  return once && cul_mlir_starts(site->line, "    %") &&
         cul_mlir_starts(function, "  util.func ");
}

/* A dispatch, the nth of its name, and the values to put in its place. */
struct mended {
  const char *name; /* borrowed from a trace */
  size_t nth;
  const struct cul_tensors *values; /* borrowed */
};
enum { MOST_MENDED = 5 };

/* Can these values be put in the place of the step's dispatch in the module
 * flow?  Errors: EUSAGE (they cannot). */
static int check_mended(const struct cul_buf *flow,
                        const struct cul_trace *trace, size_t step,
                        const struct mended *mended, struct cul_err *err) {
  /* the text of the module has two digits for each byte */
  static const size_t most_bytes = (size_t)64 << 20;
  const struct cul_tensors *values = mended->values;
  CUL_OWNED(cul_dispatch_site) site = {0};
  size_t bytes = 0;
  for (size_t i = 0; i < values->n; i++)
    bytes += values->items[i].n * cul_dtype_info(values->items[i].dtype)->size;
  if (values->n == 0 || bytes > most_bytes)
    return cul_fail(err, CUL_EUSAGE, "", "%s",
                    bytes > most_bytes ? "its values are more than 64 MiB"
                                       : "its values are not known");
  if (cul_dispatch_site_find(flow, mended->name, mended->nth, &site, err) < 0)
    return err->code;
  if (!runs_once(flow, trace, step, &site))
    return cul_fail(err, CUL_EUSAGE, "",
                    "it runs more than once, or in a region");
  if (site.results.n != values->n)
    return cul_fail(err, CUL_EUSAGE, "",
                    "the reference returns a different number of values");
  return 0;
}

/* Run the command on the module flow with the values of these dispatches, which
 * are in the order of the trace. */
static int run_mended(struct cul_dispatch_sides *sides,
                      const struct cul_buf *flow, const struct mended *mended,
                      size_t n, struct cul_record *record,
                      struct cul_err *err) {
  struct cul_dispatch_side *side = &sides->suspect;
  CUL_HEAP char *path = cul_xasprintf("%s/values.mlir", side->dir);
  CUL_OWNED(cul_buf) module = {0}, head = {0};
  cul_buf_add(&module, flow->data, flow->len);
  while (n-- > 0) { /* the last first, so that nth stays true for the others */
    CUL_OWNED(cul_dispatch_site) site = {0};
    CUL_OWNED(cul_buf) old = module;
    module = (struct cul_buf){0};
    if (cul_dispatch_site_find(&old, mended[n].name, mended[n].nth, &site,
                               err) < 0 ||
        cul_dispatch_text_replace(&old, &site, mended[n].values, &module, err) <
            0)
      return err->code;
  }
  if (cul_held_put(&sides->job->target->place.held, path,
                   cul_buf_bytes(&module), 0600, err) < 0)
    return err->code;
  cul_buf_adds(&head, "more=(--compile-from=flow)\ninstead=");
  cul_shell_quote(path, &head);
  cul_buf_addc(&head, '\n');
  return cul_dispatch_run_stood_in(sides->job, side, cul_buf_str(&head), record,
                                   err);
}

/* Read the trace of a run, and pair its dispatches with the reference's.
 * Errors: EUSAGE (there is none); those of runs. */
static int pair_again(struct cul_dispatch_sides *sides,
                      const struct cul_record *record, struct cul_trace *trace,
                      struct cul_trace_pairs *pairs, struct cul_err *err) {
  struct cul_divergence_job *job = sides->job;
  struct cul_tolerance_conf conf = job->target->oracle_conf.mismatch.tolerance;
  const struct cul_patience patience = cul_probe_patience(&job->target->probe);
  CUL_HEAP char *path = cul_xasprintf("%s/trace.log", sides->suspect.dir);
  bool found = false;
  conf.rounding = true;
  if (cul_held_put(&job->target->place.held, path, cul_buf_bytes(&record->err),
                   0600, err) < 0 ||
      cul_trace_load(path, &patience, trace, &found, err) < 0)
    return err->code;
  if (!found)
    return cul_fail(err, CUL_EUSAGE, "", "the command prints no trace");
  return cul_trace_pair(trace, &sides->reference.trace, &conf, &patience, pairs,
                        err);
}

/* Find the first dispatch of the trace that is wrong and behind the last mended
 * one, and add it to mended.  Errors: EUSAGE (there is none). */
static int add_next(const struct cul_dispatch_sides *sides,
                    const struct cul_buf *flow, const struct cul_trace *trace,
                    const struct cul_trace_pairs *pairs, struct mended *mended,
                    size_t n, struct cul_err *err) {
  bool behind = false;
  for (size_t i = 0; i < trace->n; i++) {
    const struct cul_step *step = &pairs->steps[i];
    size_t nth = cul_dispatch_nth(trace, i);
    if (behind && step->state == CUL_STEP_WRONG && step->want != SIZE_MAX) {
      const struct cul_trace *want = &sides->reference.trace;
      mended[n] = (struct mended){trace->events[i].name, nth,
                                  &want->events[step->want].outputs};
      return check_mended(flow, trace, i, &mended[n], err);
    }
    behind = behind || (nth == mended[n - 1].nth &&
                        strcmp(trace->events[i].name, mended[n - 1].name) == 0);
  }
  return cul_fail(err, CUL_EUSAGE, "", "no other dispatch diverges then");
}

/* The output is still wrong with the values of the first of mended: put those
 * of the next dispatch in place that diverges then, until the output is
 * right. */
static int mend_next(struct cul_dispatch_sides *sides, struct mended *mended,
                     struct cul_dispatch_proof *proof, struct cul_err *err) {
  static const char flags[] =
      "--iree-flow-trace-dispatch-tensors --compile-to=flow";
  struct cul_trace traces[MOST_MENDED] = {{.n = 0}};
  CUL_OWNED(cul_buf) flow = {0};
  int rc = cul_dispatch_print(sides->job, &sides->suspect, flags, &flow, err);
  for (size_t n = 1; rc == 0 && !proof->right && n <= MOST_MENDED; n++) {
    CUL_OWNED(cul_record) record = {0};
    CUL_OWNED(cul_trace_pairs) pairs = {0};
    struct cul_trace *trace = &traces[n - 1];
    proof->runs++;
    rc = run_mended(sides, &flow, mended, n, &record, err);
    if (rc == 0)
      rc = judge_replaced(sides->job, &record, &proof->right, err);
    if (rc < 0 || proof->right || n == MOST_MENDED)
      break;
    rc = pair_again(sides, &record, trace, &pairs, err);
    if (rc == 0)
      rc = add_next(sides, &flow, trace, &pairs, mended, n, err);
    if (rc == 0)
      cul_mlir_words_add(&proof->next, cul_dispatch_executable(mended[n].name));
  }
  for (size_t i = 0; i < MOST_MENDED; i++)
    cul_trace_release(&traces[i]);
  return rc;
}

/* Run the command with the right values in place of the dispatch and, if it is
 * wrong by itself, of the next ones that diverge. */
static int confirm_by_values(struct cul_dispatch_sides *sides,
                             const struct cul_dispatch_part *part,
                             struct cul_dispatch_proof *proof,
                             struct cul_err *err) {
  struct cul_dispatch_side *side = &sides->suspect;
  struct mended mended[MOST_MENDED] = {{.values = right_values(sides, part)}};
  CUL_OWNED(cul_record) record = {0};
  CUL_HEAP char *ignored = NULL;
  if (part->fault)
    return cul_fail(err, CUL_EUSAGE, "", "its values are not known");
  mended[0].name = side->trace.events[part->step].name;
  mended[0].nth = cul_dispatch_nth(&side->trace, part->step);
  if (cul_dispatch_flow(sides->job, side, err) < 0 ||
      check_mended(&side->flow, &side->trace, part->step, &mended[0], err) < 0)
    return err->code;
  proof->runs++;
  if (run_mended(sides, &side->flow, mended, 1, &record, err) < 0 ||
      judge_replaced(sides->job, &record, &proof->right, err) < 0)
    return err->code;
  proof->tried = proof->values = true;
  if (proof->right || !part->alone || part->agreed)
    return 0;
  return cul_dispatch_excuse(mend_next(sides, mended, proof, err), &ignored,
                             err);
}

/* ---- its executable, for another back end ---- */

/* The formats of a module's executables, the first one: "vmvx",
 * "vmvx-bytecode-fb"; heap. */
static char *format_of(const struct cul_buf *flow) {
  CUL_OWNED(cul_buf) formats = {0};
  add_formats(flow, &formats);
  return cul_xstrndup(cul_buf_str(&formats),
                      strcspn(cul_buf_str(&formats), "\n"));
}

/* The executable targets of the module's only device, between the brackets of
 * #hal.device.target<"local", [...]>; empty: it has another form.  *before: the
 * text from "#hal" to the bracket. */
static struct cul_bytes targets_of(const struct cul_buf *flow,
                                   struct cul_bytes *before) {
  static const char mark[] = "#hal.device.target<";
  const char *at = strstr(cul_buf_str(flow), mark), *from;
  struct cul_bytes out = {0};
  size_t n;
  if (!at || strstr(at + 1, mark))
    return out;
  n = strcspn(at, "[\n");
  from = at + n;
  *before = (struct cul_bytes){at, n};
  if (*from == '[')
    out = (struct cul_bytes){
        from + 1, (size_t)(cul_mlir_behind_brackets(from) - from) - 2};
  return out;
}

/* Append the module with the executable targets of the other one beside its
 * own.  False: their devices differ, or names stand for the targets. */
static bool add_both_targets(const struct cul_buf *flow,
                             const struct cul_buf *other, struct cul_buf *out) {
  struct cul_bytes device = {0}, same = {0};
  struct cul_bytes own = targets_of(flow, &device),
                   more = targets_of(other, &same);
  const char *text = cul_buf_str(flow);
  size_t end = (size_t)(own.data + own.len - text);
  if (!own.len || !more.len || device.len != same.len ||
      memcmp(device.data, same.data, device.len) != 0 ||
      !cul_mlir_starts(own.data, "#hal.executable.target<") ||
      !cul_mlir_starts(more.data, "#hal.executable.target<"))
    return false;
  cul_buf_add(out, text, end);
  cul_buf_addf(out, ", %.*s", (int)more.len, more.data);
  cul_buf_add(out, text + end, flow->len - end);
  return true;
}

/* The lines of a module at phase "executable-targets". */
static const char executable_line[] = "  hal.executable private @";
static const char variant_line[] = "    hal.executable.variant ";
static const char variant_end[] = "    }\n";

/* The name of the executable whose line this is; heap. */
static char *executable_of(const char *line) {
  const char *name = line + strlen(executable_line);
  return cul_xstrndup(name, strcspn(name, " \n"));
}

/* Is it the line of a variant of this format? */
static bool is_variant(const char *line, const char *format) {
  size_t n = strcspn(line, "\n");
  CUL_HEAP char *mark = cul_xasprintf("target(<%s", format);
  return cul_mlir_starts(line, variant_line) &&
         memmem(line, n, mark, strlen(mark)) != NULL;
}

/* The position behind the variant that begins at `at`. */
static const char *behind_variant(const char *at) {
  const char *line = at;
  while (*line && !cul_mlir_starts(line, variant_end))
    line = strchrnul(line, '\n'), line += *line == '\n';
  return *line ? line + strlen(variant_end) : line;
}

/* The variant of this format of an executable; empty: there is none. */
static struct cul_bytes find_variant(const struct cul_buf *text,
                                     const char *executable,
                                     const char *format) {
  CUL_HEAP char *mark =
      cul_xasprintf("\n%s%s {\n", executable_line, executable);
  const char *at = strstr(cul_buf_str(text), mark);
  at = at ? at + strlen(mark) : "";
  while (cul_mlir_starts(at, variant_line) && !is_variant(at, format))
    at = behind_variant(at);
  return (struct cul_bytes){at, cul_mlir_starts(at, variant_line)
                                    ? (size_t)(behind_variant(at) - at)
                                    : 0};
}

/* The name of a variant that begins here: "vmvx_bytecode_fb"; heap. */
static char *variant_name(struct cul_bytes variant) {
  const char *name = memchr(variant.data, '@', variant.len);
  name = name ? name + 1 : "";
  return cul_xstrndup(name, strcspn(name, " \n"));
}

/* A module that has each executable in two formats. */
struct both {
  const struct cul_buf *own, *other; /* compiled by the tools of both sides */
  const char *format[2];             /* own, and the reference's */
  char *variant[2];                  /* the names of these; heap */
};

/* Append a line that dispatches without the entry points of the format that is
 * not kept: "{@d::@vmvx::@f, @d::@elf::@f}". */
static void add_entries(const struct both *both, const char *line, size_t n,
                        const struct cul_mlir_words *replaced,
                        struct cul_buf *out) {
  const char *list = strstr(line, "{@") + 1, *end = strchrnul(list, '}');
  CUL_OWNED(cul_mlir_words) entries = {0};
  const char *comma = "";
  cul_mlir_words_split(list, end, &entries);
  cul_buf_add(out, line, (size_t)(list - line));
  for (size_t i = 0; i < entries.n; i++) {
    const char *entry = entries.items[i] + 1;
    CUL_HEAP char *name = cul_dispatch_executable(entry);
    bool other = cul_mlir_words_have(replaced, name);
    CUL_HEAP char *mark = cul_xasprintf("::@%s::", both->variant[other]);
    if (strstr(entry, mark)) {
      cul_buf_addf(out, "%s@%s", comma, entry);
      comma = ", ";
    }
  }
  cul_buf_add(out, end, n - (size_t)(end - line));
}

/* Append the module with the reference's variant of the replaced executables,
 * and its own variant of all others.  False: one has no such variant. */
static bool add_mixed(const struct both *both,
                      const struct cul_mlir_words *replaced,
                      struct cul_buf *out) {
  static const char dispatch[] = "stream.cmd.dispatch {@";
  CUL_HEAP char *name = NULL;
  for (const char *at = cul_buf_str(both->own); *at;) {
    size_t n = strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    if (cul_mlir_starts(at, executable_line)) {
      free(name);
      name = executable_of(at);
    }
    if (name && cul_mlir_starts(at, variant_line)) {
      bool other = cul_mlir_words_have(replaced, name);
      struct cul_bytes variant = find_variant(other ? both->other : both->own,
                                              name, both->format[other]);
      if (!variant.len)
        return false;
      cul_buf_add(out, variant.data, variant.len);
      while (cul_mlir_starts(at, variant_line))
        at = behind_variant(at);
      continue;
    }
    if (memmem(at, n, dispatch, strlen(dispatch)))
      add_entries(both, at, n, replaced, out);
    else
      cul_buf_add(out, at, n);
    at += n;
  }
  return true;
}

/* Run the command on its module with the reference's executables of these. */
static int run_mixed(struct cul_dispatch_sides *sides, const struct both *both,
                     const struct cul_mlir_words *replaced,
                     struct cul_dispatch_proof *proof, struct cul_err *err) {
  struct cul_dispatch_side *side = &sides->suspect;
  CUL_HEAP char *path = cul_xasprintf("%s/mixed.mlir", side->dir);
  CUL_OWNED(cul_buf) head = {0};
  CUL_OWNED(cul_record) record = {0};
  cul_buf_release(&proof->text);
  if (!add_mixed(both, replaced, &proof->text))
    return cul_fail(err, CUL_EUSAGE, "",
                    "iree-compile made no executable of the dispatch for "
                    "both back ends");
  if (cul_held_put(&sides->job->target->place.held, path,
                   cul_buf_bytes(&proof->text), 0600, err) < 0)
    return err->code;
  cul_buf_adds(&head, "more=(--compile-from=executable-targets)\ninstead=");
  cul_shell_quote(path, &head);
  cul_buf_addc(&head, '\n');
  proof->runs++;
  if (cul_dispatch_run_stood_in(sides->job, side, cul_buf_str(&head), &record,
                                err) < 0)
    return err->code;
  return judge_replaced(sides->job, &record, &proof->right, err);
}

/* Append the executables of a module, compiled by the tools of a side. */
static int compile_both(struct cul_dispatch_sides *sides,
                        const struct cul_dispatch_side *side,
                        const struct cul_buf *module, struct cul_buf *out,
                        struct cul_dispatch_proof *proof, struct cul_err *err) {
  CUL_OWNED(cul_buf) script = {0};
  CUL_OWNED(cul_record) record = {0};
  cul_dispatch_add_compile(side, &script);
  cul_buf_adds(&script, " --compile-from=flow --compile-to=executable-targets "
                        "\"$1\" -o -");
  proof->runs++;
  if (cul_dispatch_script(sides->job, side, &script, module, &record, err) < 0)
    return err->code;
  if (record.truncated)
    return cul_fail(err, CUL_EUSAGE, "", "its text is longer than %d MiB",
                    CUL_DISPATCH_MOST_MIB);
  cul_buf_add(out, record.out.data, record.out.len);
  return 0;
}

/* Run the command with the reference's executable of the dispatch beside its
 * own ones for another back end of the same device; if the output is still
 * wrong, with those of all dispatches that diverge. */
static int confirm_by_mixture(struct cul_dispatch_sides *sides,
                              const struct cul_dispatch_part *part,
                              struct cul_dispatch_proof *proof,
                              struct cul_err *err) {
  struct cul_dispatch_side *got = &sides->suspect, *want = &sides->reference;
  const struct cul_trace *trace = &got->trace;
  CUL_OWNED(cul_buf) module = {0}, own = {0}, other = {0};
  CUL_OWNED(cul_mlir_words) replaced = {0};
  CUL_HEAP char *a = NULL, *b = NULL, *va = NULL, *vb = NULL;
  struct both both = {.own = &own, .other = &other};
  int rc;
  if (cul_dispatch_flow(sides->job, got, err) < 0 ||
      cul_dispatch_flow(sides->job, want, err) < 0)
    return err->code;
  both.format[0] = a = format_of(&got->flow);
  both.format[1] = b = format_of(&want->flow);
  if (strcmp(a, b) == 0 || !add_both_targets(&got->flow, &want->flow, &module))
    return cul_fail(err, CUL_EUSAGE, "", "no device runs both");
  if (compile_both(sides, got, &module, &own, proof, err) < 0 ||
      compile_both(sides, want, &module, &other, proof, err) < 0)
    return err->code;
  cul_mlir_words_add(&replaced,
                     cul_dispatch_executable(trace->events[part->step].name));
  both.variant[0] = va = variant_name(find_variant(&own, replaced.items[0], a));
  both.variant[1] = vb = variant_name(find_variant(&own, replaced.items[0], b));
  rc = run_mixed(sides, &both, &replaced, proof, err);
  if (rc == 0 && !proof->right && proof->others) {
    for (size_t i = 0; i < sides->pairs.n; i++)
      if (sides->pairs.steps[i].state == CUL_STEP_WRONG)
        cul_mlir_words_add(&replaced,
                           cul_dispatch_executable(trace->events[i].name));
    rc = run_mixed(sides, &both, &replaced, proof, err);
    proof->all = rc == 0 && proof->right;
  }
  proof->tried = proof->mixed = rc == 0;
  return rc;
}

/* ---- both ---- */

int cul_dispatch_confirm(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_proof *proof,
                         struct cul_err *err) {
  int rc;
  proof->others = count_others(sides, part);
  rc = cul_dispatch_excuse(confirm_by_executable(sides, part, proof, err),
                           &proof->executable, err);
  if (proof->tried && !proof->right)
    proof->executable = cul_xstrdup("the output is still wrong with it");
  if (rc == 0 && !proof->right && proof->runs < 3)
    rc = cul_dispatch_excuse(confirm_by_values(sides, part, proof, err),
                             &proof->why, err);
  if (rc == 0 && !proof->tried)
    rc = cul_dispatch_excuse(confirm_by_mixture(sides, part, proof, err),
                             &proof->unmixed, err);
  /* the proof is optional: report the dispatch without it */
  if (rc == CUL_EBUDGET || rc == CUL_EENV) {
    proof->why = proof->why ? proof->why : cul_xstrdup(err->what);
    *err = (struct cul_err){0};
    rc = 0;
  }
  return rc;
}

int cul_dispatch_proof_write(struct cul_dispatch_sides *sides,
                             const struct cul_dispatch_part *part,
                             const struct cul_dispatch_proof *proof,
                             struct cul_err *err) {
  struct cul_divergence_job *job = sides->job;
  CUL_OWNED(cul_buf) text = {0};
  CUL_HEAP char *name =
      cul_dispatch_executable(sides->suspect.trace.events[part->step].name);
  int rc = 0;
  if (proof->right && proof->mixed) {
    cul_buf_adds(&text, "// The output is right with iree-compile "
                        "--compile-from=executable-targets and this module\n");
    cul_buf_add(&text, proof->text.data, proof->text.len);
    rc = cul_divergence_put(job, "executables.mlir", &text, 0666, err);
  } else if (proof->right && !proof->values) {
    cul_buf_adds(&text, "// The output is right with iree-compile "
                        "--iree-hal-link-executables=false "
                        "--iree-hal-substitute-executable-object=");
    cul_shell_comment(name, &text);
    cul_buf_addf(&text, "=FILE%s\n",
                 proof->all ? ", and the same of all that diverge" : "");
    cul_buf_add(&text, proof->text.data, proof->text.len);
    rc = cul_divergence_put(job, "executables.mlir", &text, 0666, err);
  } else {
    CUL_HEAP char *path = cul_xasprintf("%s/executables.mlir", job->conf->out);
    (void)cul_held_unlink(&job->out, path);
  }
  return rc;
}
