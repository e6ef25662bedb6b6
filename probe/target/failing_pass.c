/* Finds the failing pass and the IR right before it: with one run if the tool
 * writes a crash reproducer, else with a binary search over prefixes of the
 * pipeline, O(log n) runs.  Each run is judged like a candidate's: a failure
 * other than the sought one does not count.
 *
 * A result is accepted only if the pass alone shows the failure on that IR,
 * under the command with nothing added. */
#include "failing_pass.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"

void cul_pass_cut_release(struct cul_pass_cut *cut) {
  free(cut->pass);
  free(cut->note);
  *cut = (struct cul_pass_cut){0};
}

struct finder {
  struct cul_target *target;
  struct cul_pass_cut *cut;
  struct cul_passes passes;
  struct cul_buf help;
  struct cul_err *err;
};

static uint64_t runs_of(const struct cul_target *target) {
  const struct cul_counts *counts = &target->probe.counts;
  return counts->executed + counts->cached;
}

/* Is the time or the number of runs spent?  This is no error here: the
 * search that follows reports it. */
static bool is_spent(const struct finder *f) {
  return cul_probe_is_spent(&f->target->probe);
}

static struct cul_bytes text_of(const struct finder *f) {
  return f->target->subject.text.bytes;
}

static char *name_of(const struct finder *f, size_t pass) {
  struct cul_bytes name = cul_passes_name(&f->passes, pass);
  return cul_xstrndup(name.data, name.len);
}

/* Does this subject show the failure under this command? */
static int shows(struct finder *f, char *const *argv, struct cul_bytes text,
                 bool *same) {
  struct cul_judged judged = {0};
  int rc = cul_target_judge_under(f->target, argv, text, &judged, f->err);
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

/* Replace the target's text and command, so that these are reduced.  argv:
 * taken over on success. */
static int adopt(struct finder *f, char **argv, struct cul_bytes text) {
  int rc = cul_target_subject_replace(&f->target->subject, text, f->err);
  if (rc < 0)
    return rc;
  cul_target_replace_command(f->target, argv);
  f->cut->text = true;
  return 0;
}

/* Run the passes of range on module, and adopt both if they show the failure.
 */
static int try_range(struct finder *f, struct cul_bytes module,
                     const struct cul_pass_range *range, bool *same) {
  char **argv = cul_passes_argv(&f->passes, range);
  struct cul_buf text = {0};
  int rc;
  cul_passes_text(&f->passes, module, range, &text);
  rc = shows(f, argv, cul_buf_bytes(&text), same);
  if (*same) {
    rc = adopt(f, argv, cul_buf_bytes(&text));
    if (rc == 0)
      argv = NULL;
  }
  cul_buf_release(&text);
  free(argv);
  return rc;
}

/* ---- by the tool's own reproducer ---- */

/* The only pass of a reproducer's pipeline.  False: it has several, because the
 * crash was on another thread, or the tool writes no local reproducers. */
static bool only_pass(struct cul_bytes pipeline, struct cul_bytes *name) {
  struct cul_pipeline list;
  size_t n = 0;
  if (!cul_pipeline_read(pipeline, &list))
    return false;
  for (uint32_t i = 0; i < list.n; i++)
    if (list.items[i].kind == CUL_PIPE_PASS) {
      *name = cul_pipeline_name(&list, i);
      n++;
    }
  cul_pipeline_release(&list);
  return n == 1;
}

/* The first pass of the command with this name (n: there is none), and how
 * many have it. */
static size_t find_pass(const struct finder *f, struct cul_bytes name,
                        size_t *count) {
  size_t first = f->passes.n;
  *count = 0;
  for (size_t i = f->passes.n; i-- > 0;) {
    struct cul_bytes at = cul_passes_name(&f->passes, i);
    if (at.len != name.len || memcmp(at.data, name.data, at.len) != 0)
      continue;
    first = i;
    ++*count;
  }
  return first;
}

/* Try the pass at `at` alone.  only: no other pass of the command has its name.
 * If it is then the first pass, the IR before it is the subject, not module;
 * if it is the command's only pass, no run is needed. */
static int try_own(struct finder *f, struct cul_bytes module, size_t at,
                   bool only, bool *same) {
  struct cul_pass_range range = {.from = at, .to = at + 1};
  bool first = at == 0 && only;
  int rc = 0;
  *same = first && f->passes.n == 1;
  if (!*same)
    rc = try_range(f, first ? text_of(f) : module, &range, same);
  f->cut->text &= !first;
  return rc;
}

/* Try the whole reproducer: its pipeline replaces the command's. */
static int try_whole(struct finder *f, const struct cul_reproducer *repro,
                     struct cul_bytes text, bool *same) {
  static const char *const less[] = {"pass-pipeline", "passes", NULL};
  bool shell = f->passes.args.append_at != 0;
  char *pipeline = cul_xasprintf(
      "--pass-pipeline=%.*s", (int)repro->pipeline.len, repro->pipeline.data);
  struct cul_buf quoted = {0}, module = {0};
  const char *more[] = {pipeline, NULL};
  struct cul_pass_range none = {.less = less, .more = more};
  char **argv;
  int rc;
  if (shell) {
    cul_shell_quote(pipeline, &quoted);
    more[0] = cul_buf_str(&quoted);
  }
  if (f->passes.section)
    none = (struct cul_pass_range){.from = 0, .to = 0};
  argv = cul_passes_argv(&f->passes, &none);
  cul_buf_add(&module, text.data,
              f->passes.section ? text.len
                                : (size_t)(repro->section.data - text.data));
  rc = shows(f, argv, cul_buf_bytes(&module), same);
  if (*same) {
    rc = adopt(f, argv, cul_buf_bytes(&module));
    if (rc == 0)
      argv = NULL;
  }
  free(argv);
  free(pipeline);
  cul_buf_release(&quoted);
  cul_buf_release(&module);
  return rc;
}

/* Try the pass as the user's command spells it, because the user knows that
 * text; if it does not show the failure, try the whole reproducer. */
static int use_reproducer(struct finder *f, struct cul_bytes text,
                          bool *found) {
  struct cul_reproducer repro;
  struct cul_bytes name = {0}, module;
  size_t at, count;
  bool same = false;
  int rc = 0;
  *found =
      cul_reproducer_find(text, &repro) && only_pass(repro.pipeline, &name);
  if (!*found)
    return 0;
  module =
      (struct cul_bytes){text.data, (size_t)(repro.section.data - text.data)};
  at = find_pass(f, name, &count);
  if (at < f->passes.n)
    rc = try_own(f, module, at, count == 1, &same);
  if (rc == 0 && !same)
    rc = try_whole(f, &repro, text, &same);
  f->cut->how = "reproducer";
  f->cut->pass = cul_xstrndup(name.data, name.len);
  if (rc == 0 && !same)
    f->cut->note = cul_xasprintf(
        "%s fails, but not alone on the IR before it: state of earlier passes "
        "matters, so the pipeline is kept and cut like other arguments",
        f->cut->pass);
  return rc;
}

static int by_reproducer(struct finder *f, bool *found) {
  struct cul_buf text = {0};
  int rc =
      cul_pass_tool_reproduce(f->target, &f->passes, text_of(f), &text, f->err);
  *found = false;
  if (rc == 0 && text.len)
    rc = use_reproducer(f, cul_buf_bytes(&text), found);
  cul_buf_release(&text);
  return rc;
}

/* ---- by prefixes ---- */

/* The state of the binary search: the first `passes` passes show no failure,
 * the first `fails` do; ir is the output of the first `clean` passes. */
struct halving {
  size_t passes, fails, clean;
  struct cul_buf ir;
};

static int halve(struct finder *f, struct halving *h) {
  size_t middle = h->passes + (h->fails - h->passes) / 2;
  struct cul_buf ir = {0};
  bool same = false;
  int rc = cul_pass_tool_prefix(
      f->target, &f->passes, text_of(f),
      &(struct cul_pass_prefix){.n = middle, .ir = &ir, .same = &same}, f->err);
  if (same) {
    h->fails = middle;
  } else {
    h->passes = middle;
    if (ir.len) {
      cul_buf_release(&h->ir);
      h->clean = middle;
      h->ir = ir;
      ir = (struct cul_buf){0};
    }
  }
  cul_buf_release(&ir);
  return rc;
}

/* Adopt the first n passes on the unchanged subject, if they show the failure.
 */
static int keep_prefix(struct finder *f, size_t n, bool *same) {
  struct cul_pass_range range = {.to = n};
  int rc = try_range(f, text_of(f), &range, same);
  f->cut->text = false; /* only the pipeline section of the text may differ */
  return rc;
}

static int by_prefixes(struct finder *f) {
  struct halving h = {.fails = f->passes.n};
  bool same = false;
  int rc = 0;
  while (rc == 0 && h.fails - h.passes > 1 && !is_spent(f))
    rc = halve(f, &h);
  f->cut->passes = h.passes;
  f->cut->fails = h.fails;
  if (h.fails - h.passes > 1) {
    cul_buf_release(&h.ir);
    return rc;
  }
  if (rc == 0 && h.clean > 0)
    rc = try_range(f, cul_buf_bytes(&h.ir),
                   &(struct cul_pass_range){.from = h.clean, .to = h.fails},
                   &same);
  if (rc == 0 && !same && h.clean > 0)
    f->cut->note =
        cul_xasprintf("alone on the output of the passes before it, it does "
                      "not fail, because it depends on state; so the pipeline "
                      "is kept and reduced like other arguments");
  if (rc == 0 && !same)
    rc = keep_prefix(f, h.fails, &same);
  if (rc == 0 && same) {
    f->cut->how = "prefixes";
    f->cut->pass = name_of(f, h.fails - 1);
  }
  cul_buf_release(&h.ir);
  return rc;
}

/* ---- both ---- */

static int find(struct finder *f) {
  bool timeout = f->target->original.verdict.sig.kind == CUL_KIND_TIMEOUT;
  bool found = false;
  int rc =
      cul_pass_tool_passes(f->target, text_of(f), &f->help, &f->passes, f->err);
  f->cut->given = f->passes.n;
  if (rc < 0 || f->passes.n == 0 || !f->passes.args.simple || is_spent(f))
    return rc;
  if (!timeout) /* a killed tool writes no reproducer */
    rc = by_reproducer(f, &found);
  if (rc == 0 && !found && f->passes.n > 1)
    rc = by_prefixes(f);
  return rc;
}

int cul_failing_pass_find(struct cul_target *target, struct cul_pass_cut *cut,
                          struct cul_err *err) {
  struct finder f = {.target = target, .cut = cut, .err = err};
  uint64_t before = runs_of(target);
  int rc = find(&f);
  cut->runs = runs_of(target) - before;
  cul_passes_release(&f.passes);
  cul_buf_release(&f.help);
  return rc;
}
