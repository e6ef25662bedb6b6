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
  cul_buf_release(&proof->text);
}

/* ---- the command's output ---- */

/* Have two runs printed the same numbers, but for rounding? */
static bool prints_alike(const struct cul_divergence_job *job,
                         const struct cul_record *a,
                         const struct cul_record *b) {
  struct cul_numbers got = {0}, want = {0};
  struct cul_err ignored = {0};
  char what[200];
  bool alike = cul_numbers_read(a, &got, &ignored) == 0 &&
               cul_numbers_read(b, &want, &ignored) == 0 && got.tensors.n > 0 &&
               got.tensors.n == want.tensors.n;
  for (size_t i = 0; i < got.tensors.n && alike; i++)
    alike = !cul_dispatch_differ(job, &got.tensors.items[i],
                                 &want.tensors.items[i], what, sizeof what);
  cul_numbers_release(&got);
  cul_numbers_release(&want);
  return alike;
}

/* Compare the output of a run of the command with that of the reference when
 * the failure was classified. */
static int judge_output(const struct cul_divergence_job *job,
                        const struct cul_record *record, bool *right,
                        struct cul_err *err) {
  const struct cul_judged *original = &job->target->original;
  const struct cul_record *want = NULL;
  struct cul_buf message = {0};
  const char *said;
  bool told = false;
  int rc = 0;
  for (size_t i = 0; i < original->n && !want; i++)
    if (original->records[i].role == CUL_ROLE_REFERENCE)
      want = &original->records[i];
  for (size_t i = 0; i < original->n && want && !told; i++)
    told = original->records[i].role == CUL_ROLE_SUSPECT &&
           !prints_alike(job, &original->records[i], want);
  if (record->end != CUL_EXITED || record->status) {
    cul_dispatch_add_message(cul_buf_str(&record->err), &message);
    said = strstr(cul_buf_str(&message), "error: ");
    said = said ? said : cul_buf_str(&message);
    rc = cul_fail(err, CUL_EUSAGE, "", "the command fails with it%s%.300s",
                  *said ? ": " : "", said);
    cul_buf_release(&message);
  } else if (!told) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "rounding explains what differs in the output");
  } else {
    *right = prints_alike(job, record, want);
  }
  return rc;
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
  char *flag = cul_xasprintf("--iree-hal-substitute-executable-object=%s=%s",
                             name, path);
  if (cul_mlir_words_have(names, name)) {
    free(name);
  } else {
    cul_buf_addc(out, ' ');
    cul_shell_quote(flag, out);
    cul_mlir_words_add(names, name);
  }
  free(flag);
}

/* Has iree-compile replaced all of these? */
static bool all_replaced(const struct cul_mlir_words *names, const char *log) {
  bool all = true;
  for (size_t i = 0; i < names->n && all; i++) {
    char *mark = cul_xasprintf("`%s` substituted with", names->items[i]);
    all = strstr(log, mark) != NULL;
    free(mark);
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
  struct cul_buf head = {0};
  struct cul_mlir_words names = {0};
  struct cul_record record = {0};
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
    rc = judge_output(sides->job, &record, &proof->right, err);
  if (rc == 0 && !all_replaced(&names, cul_buf_str(&record.err)))
    rc = cul_fail(err, CUL_EUSAGE, "", "iree-compile replaces no %s",
                  names.items[0]);
  proof->tried = rc == 0;
  cul_record_release(&record);
  cul_buf_release(&head);
  cul_mlir_words_release(&names);
  return rc;
}

/* Compile the command's module at phase "flow" to executables, with the
 * reference's tools and for the reference's target. */
static int make_executables(struct cul_dispatch_sides *sides,
                            const struct cul_dispatch_part *part,
                            struct cul_dispatch_proof *proof,
                            struct cul_err *err) {
  struct cul_dispatch_side *got = &sides->suspect, *want = &sides->reference;
  struct cul_buf module = {0}, script = {0}, a = {0}, b = {0};
  struct cul_record record = {0};
  int rc = cul_dispatch_flow(sides->job, got, err);
  if (rc == 0)
    rc = cul_dispatch_flow(sides->job, want, err);
  if (rc < 0)
    return rc;
  cul_dispatch_text_formats(&got->flow, &a);
  cul_dispatch_text_formats(&want->flow, &b);
  cul_dispatch_text_retarget(&got->flow, &want->flow, &module);
  if (strcmp(cul_buf_str(&a), cul_buf_str(&b)) != 0)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the back ends differ: %.*s, and %.*s of the reference",
                  (int)strcspn(cul_buf_str(&a), "\n"), cul_buf_str(&a),
                  (int)strcspn(cul_buf_str(&b), "\n"), cul_buf_str(&b));
  else if (part->agreed &&
           strcmp(cul_buf_str(&module), cul_buf_str(&got->flow)) == 0)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the reference's tools compute the same from its text");
  cul_dispatch_add_compile(want, &script);
  cul_buf_adds(&script, " --compile-from=flow --compile-to=executable-targets "
                        "\"$1\" -o -");
  if (rc == 0) {
    proof->runs++;
    rc = cul_dispatch_script(sides->job, want, &script, &module, &record, err);
  }
  if (rc == 0 && record.truncated)
    rc = cul_fail(err, CUL_EUSAGE, "", "its text is longer than %d MiB",
                  CUL_DISPATCH_MOST_MIB);
  if (rc == 0)
    cul_buf_add(&proof->text, record.out.data, record.out.len);
  cul_record_release(&record);
  cul_buf_release(&module);
  cul_buf_release(&script);
  cul_buf_release(&a);
  cul_buf_release(&b);
  return rc;
}

/* Run the command with the reference's executable of the part; if the output is
 * still wrong, with those of all dispatches that diverge. */
static int confirm_by_executable(struct cul_dispatch_sides *sides,
                                 const struct cul_dispatch_part *part,
                                 struct cul_dispatch_proof *proof,
                                 struct cul_err *err) {
  char *path;
  int rc = make_executables(sides, part, proof, err);
  if (rc < 0)
    return rc;
  path = cul_xasprintf("%s/executables.mlir", sides->suspect.dir);
  rc = cul_held_put(&sides->job->target->place.held, path,
                    cul_buf_bytes(&proof->text), 0600, err);
  if (rc == 0)
    rc = run_replaced(sides, part, path, proof, err);
  if (rc == 0 && !proof->right && proof->others) {
    char *ignored = NULL;
    proof->all = true;
    rc = cul_dispatch_excuse(run_replaced(sides, part, path, proof, err),
                             &ignored, err);
    proof->all = proof->right;
    proof->tried = true;
    free(ignored);
  }
  free(path);
  return rc;
}

/* ---- its values ---- */

/* The values that the dispatch should compute: the results of its module with
 * the reference's tools, if they differ from the suspect's; else those of the
 * reference's dispatch, which may divide the work differently. */
static const struct cul_tensors *
right_values(const struct cul_dispatch_part *part) {
  return part->mended.n == part->got.n && part->mended.n && !part->agreed
             ? &part->mended
             : &part->want;
}

/* Does the dispatch run once, in the function's own block? */
static bool runs_once(const struct cul_dispatch_side *side, size_t step,
                      const struct cul_dispatch_site *site) {
  const char *name = side->trace.events[step].name, *at;
  const char *text = cul_buf_str(&side->flow), *function = text;
  struct cul_dispatch_site next = {0};
  struct cul_err ignored = {0};
  size_t n = 0;
  bool once;
  for (size_t i = 0; i < side->trace.n; i++)
    n += strcmp(side->trace.events[i].name, name) == 0;
  for (at = text; (at = strstr(at, "\n  util.")) && at < site->line; at++)
    function = at + 1;
  /* cul_dispatch_site_find returns the last site for any larger number: if
   * there are n sites, those of n - 2 and n - 1 differ */
  once = cul_dispatch_site_find(&side->flow, name, n - 1, &next, &ignored) == 0;
  if (once && n > 1) {
    struct cul_dispatch_site before = {0};
    once = cul_dispatch_site_find(&side->flow, name, n - 2, &before,
                                  &ignored) == 0 &&
           before.line != next.line;
    cul_dispatch_site_release(&before);
  }
  cul_dispatch_site_release(&next);
  return once && cul_mlir_starts(site->line, "    %") &&
         cul_mlir_starts(function, "  util.func ");
}

/* Run the command with the right values in place of the dispatch. */
static int confirm_by_values(struct cul_dispatch_sides *sides,
                             const struct cul_dispatch_part *part,
                             struct cul_dispatch_proof *proof,
                             struct cul_err *err) {
  /* the text of the module has two digits for each byte */
  static const size_t most_bytes = (size_t)64 << 20;
  const struct cul_tensors *values = right_values(part);
  struct cul_dispatch_side *side = &sides->suspect;
  struct cul_buf module = {0}, head = {0};
  struct cul_record record = {0};
  struct cul_dispatch_site site = {0};
  char *path = NULL;
  size_t bytes = 0;
  int rc = 0;
  for (size_t i = 0; i < values->n; i++)
    bytes += values->items[i].n * cul_dtype_info(values->items[i].dtype)->size;
  if (part->fault || values->n == 0 || bytes > most_bytes)
    return cul_fail(err, CUL_EUSAGE, "", "%s",
                    bytes > most_bytes ? "its values are more than 64 MiB"
                                       : "its values are not known");
  rc = cul_dispatch_flow(sides->job, side, err);
  if (rc == 0)
    rc = cul_dispatch_site_find(
        &side->flow, side->trace.events[part->step].name,
        cul_dispatch_nth(&side->trace, part->step), &site, err);
  if (rc == 0 && !runs_once(side, part->step, &site))
    rc =
        cul_fail(err, CUL_EUSAGE, "", "it runs more than once, or in a region");
  if (rc == 0 && site.results.n != values->n)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the reference has another number of results");
  if (rc == 0)
    rc = cul_dispatch_text_replace(&side->flow, &site, values, &module, err);
  path = cul_xasprintf("%s/values.mlir", side->dir);
  if (rc == 0)
    rc = cul_held_put(&sides->job->target->place.held, path,
                      cul_buf_bytes(&module), 0600, err);
  cul_buf_adds(&head, "more=(--compile-from=flow)\ninstead=");
  cul_shell_quote(path, &head);
  cul_buf_addc(&head, '\n');
  if (rc == 0) {
    proof->runs++;
    rc = cul_dispatch_run_stood_in(sides->job, side, cul_buf_str(&head),
                                   &record, err);
  }
  if (rc == 0)
    rc = judge_output(sides->job, &record, &proof->right, err);
  if (rc == 0)
    proof->tried = proof->values = true;
  cul_record_release(&record);
  cul_buf_release(&module);
  cul_buf_release(&head);
  cul_dispatch_site_release(&site);
  free(path);
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
  struct cul_buf text = {0};
  char *name =
      cul_dispatch_executable(sides->suspect.trace.events[part->step].name);
  int rc = 0;
  if (proof->right && !proof->values) {
    cul_buf_adds(&text, "// The output is right with iree-compile "
                        "--iree-hal-link-executables=false "
                        "--iree-hal-substitute-executable-object=");
    cul_shell_comment(name, &text);
    cul_buf_addf(&text, "=FILE%s\n",
                 proof->all ? ", and the same of all that diverge" : "");
    cul_buf_add(&text, proof->text.data, proof->text.len);
    rc = cul_divergence_put(job, "executables.mlir", &text, 0666, err);
  } else {
    char *path = cul_xasprintf("%s/executables.mlir", job->conf->out);
    (void)cul_held_unlink(&job->out, path);
    free(path);
  }
  free(name);
  cul_buf_release(&text);
  return rc;
}
