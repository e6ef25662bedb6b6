/* Bundles of commits: see bundle.h. */
#include "bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/page/plot.h"
#include "../../issue/issue.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/repro_lines.h"
#include "../../probe/target/findings.h"
#include "../report/fields.h"
#include "page.h"
#include "report.h"

/* The job whose bundle is written. */
struct bundle {
  const struct cul_commits_conf *conf;
  const struct cul_bisection *bisection;
  const struct cul_moves *moves;
};

/* ---- the script ---- */

/* Append text with placeholders as shell variables. */
static void add_words(const char *text, bool quote, struct cul_buf *out) {
  static const struct {
    const char *name, *value;
  } known[] = {{"@{dir}", "\"$PWD\""}, {"@{commit}", "\"$CULPRIT_COMMIT\""}};
  struct cul_buf plain = {0};
  while (*text) {
    size_t k = 0;
    while (k < 2 && strncmp(text, known[k].name, strlen(known[k].name)) != 0)
      k++;
    if (k == 2) {
      cul_buf_addc(&plain, *text++);
      continue;
    }
    if (plain.len && quote)
      cul_shell_quote(cul_buf_str(&plain), out);
    else
      cul_buf_add(out, plain.data, plain.len);
    cul_buf_clear(&plain);
    cul_buf_adds(out, known[k].value);
    text += strlen(known[k].name);
  }
  if (plain.len && quote)
    cul_shell_quote(cul_buf_str(&plain), out);
  else
    cul_buf_add(out, plain.data, plain.len);
  cul_buf_release(&plain);
}

/* Leave submodules empty without which the culprit or a parent was built. */
static void skip_missing(const struct bundle *of, struct cul_buf *out) {
  const struct cul_range *range = &of->bisection->range;
  const struct cul_dag *dag = &range->dag;
  struct cul_bisect_answer answer;
  cul_bisector_answer(of->bisection->strategy.bisector, &answer);
  for (size_t i = 0; i < of->bisection->shared->lacking->n; i++) {
    const char *path = of->bisection->shared->lacking->items[i].path;
    uint32_t c = answer.culprit;
    bool lacks = cul_lacking_has(of->bisection->shared->lacking, range,
                                 range->points[c], path);
    for (uint32_t k = dag->first[c]; k < dag->first[c + 1]; k++)
      lacks |= cul_lacking_has(of->bisection->shared->lacking, range,
                               range->points[dag->parents[k]], path);
    if (lacks) {
      char *setting =
          cul_xasprintf("submodule.%s.update=none",
                        of->bisection->shared->lacking->items[i].name);
      cul_buf_adds(out, "-c ");
      cul_shell_quote(setting, out);
      cul_buf_addc(out, ' ');
      free(setting);
    }
  }
  free(answer.suspects);
}

static void add_head(const struct bundle *of, struct cul_buf *out) {
  char *repo = realpath(of->conf->repo, NULL);
  cul_buf_adds(out, "#!/bin/bash\n"
                    "# Builds and runs the culprit and its parents: exits 0 if "
                    "the culprit shows.\n"
                    "# repro.sh [REPOSITORY]\n"
                    "# With these set, git would change another repository.\n"
                    "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE "
                    "GIT_OBJECT_DIRECTORY \\\n"
                    "  GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR "
                    "GIT_NAMESPACE GIT_PREFIX\n"
                    "set -u\nmoved=\nrepo=${1:-");
  cul_shell_quote(repo ? repo : of->conf->repo, out);
  cul_buf_adds(out,
               "}\nwork=$(mktemp -d) || exit 2\nlog=$work/log\n"
               "trap 'rm -rf \"$work\"' EXIT\n"
               "export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}\n");
  cul_shell_environment(&of->conf->environment,
                        of->bisection->shared->sandboxes->tests, out);
  cul_buf_adds(out,
               "\n# The files of a commit, built, in the working directory.\n"
               "make_commit() {\n"
               "  dir=$work/$1${moved:+-moved}\n"
               "  git clone -q --no-checkout \"$repo\" \"$dir\" &&\n"
               "    cd \"$dir\" && git checkout -q \"$1\" &&\n"
               "    eval \"${moved:-:}\" &&\n"
               "    git -c protocol.file.allow=always ");
  skip_missing(of, out);
  cul_buf_adds(out, "submodule -q update --init --recursive || exit 2\n"
                    "  export CULPRIT_COMMIT=$1\n");
  if (of->conf->build) {
    cul_buf_adds(out, "  {\n    ");
    add_words(of->conf->build, false, out);
    cul_buf_adds(out, "\n  } >\"$log\" 2>&1 || { cat \"$log\"; exit 2; }\n");
  }
  cul_buf_adds(out, "}\n\n");
  free(repo);
}

/* Test whether the failure shows in one of several runs. */
static void add_test(const struct bundle *of, bool flaky, struct cul_buf *out) {
  const char *const *arg = of->conf->argv;
  uint32_t runs = flaky ? of->conf->search.confirm : 1;
  /* Another build may end in another way. */
  struct cul_repro_end end = {
      .signal = of->bisection->shared->sought->signature.signal};
  double seconds = (double)of->bisection->tester.probe.request.wall_ms / 1000;
  cul_buf_adds(out, "shows() (\n");
  cul_repro_missing(&of->bisection->shared->sought->conf,
                    &of->bisection->shared->sought->signature, NULL, 0, out);
  cul_repro_tests(&of->bisection->shared->sought->conf,
                  &of->bisection->shared->sought->signature, &end, out);
  cul_buf_addf(out,
               "exit 0\n)\n\nfails() (\n  make_commit \"$1\"\n"
               "  for i in $(seq %u); do\n    timeout %g",
               runs, seconds);
  for (; *arg; arg++) {
    cul_buf_addc(out, ' ');
    add_words(*arg, true, out);
  }
  cul_buf_adds(out,
               " >\"$log\" 2>&1 </dev/null\n    status=$?\n"
               "    shows\n    shown=$?\n"
               "    [ $shown -eq 1 ] || exit $shown\n  done\n  exit 1\n)\n\n");
}

/* with: what is different in it, as a shell text says it; "" nothing. */
static void add_check(const char *commit, const char *with, bool fails,
                      struct cul_buf *out) {
  cul_buf_addf(out,
               "fails %s\nshown=$?\n[ $shown -le 1 ] || exit 2\n"
               "[ $shown -eq %d ] || { echo '%.12s'%s' does not %s'; "
               "exit 1; }\necho '%.12s'%s' %s'\n",
               commit, !fails, commit, with, fails ? "fail" : "pass", commit,
               with, fails ? "fails" : "passes");
}

/* Build the parent with only the move to blame. */
static void add_moved(const struct bundle *of, const json_t *report,
                      struct cul_buf *out) {
  const json_t *moved = json_object_get(report, "moved"), *one, *parent;
  struct cul_buf text = {0}, paths = {0}, with = {0};
  char hex[CUL_COMMIT_HEX];
  size_t i;
  size_t n = json_array_size(json_object_get(moved, "blamed"));
  if (n == 0 || (n == of->moves->n && !of->moves->others))
    return;
  if (of->moves->modules)
    cul_buf_addf(&text, "git checkout -q %s -- .gitmodules; ",
                 json_string_value(json_object_get(report, "culprit")));
  json_array_foreach(json_object_get(moved, "blamed"), i,
                     one) for (size_t k = 0; k < of->moves->n; k++) {
    const struct cul_moved *move = &of->moves->items[k];
    char old[CUL_COMMIT_HEX];
    if ((size_t)json_integer_value(one) != k)
      continue;
    if (move->pattern)
      cul_buf_addf(&text, "sed -i s/%s/%s/ -- ",
                   cul_commit_hex(&move->old, old),
                   cul_commit_hex(&move->new, hex));
    else
      cul_buf_addf(&text, "git update-index --cacheinfo 160000,%s,",
                   cul_commit_hex(&move->new, hex));
    cul_shell_quote(move->path, &text);
    cul_buf_adds(&text, "; ");
    cul_buf_addf(&paths, "%s%s", paths.len ? ", " : " with the move of ",
                 move->path);
  }
  cul_buf_adds(out,
               "# The parent with only the move that is to blame.\nmoved=");
  cul_shell_quote(cul_buf_str(&text), out);
  cul_buf_adds(out, ":\n");
  cul_shell_quote(cul_buf_str(&paths), &with);
  cul_buf_release(&paths);
  parent = json_array_get(json_object_get(report, "parents"), 0);
  add_check(json_string_value(parent), cul_buf_str(&with), !of->conf->find_fix,
            out);
  cul_buf_release(&with);
  cul_buf_release(&text);
}

static void write_script(const struct bundle *of, const json_t *report,
                         struct cul_buf *out) {
  const json_t *boundary = json_object_get(report, "boundary"), *parent;
  bool fix = of->conf->find_fix;
  size_t i;
  add_head(of, out);
  add_test(of, json_is_true(json_object_get(report, "flaky")), out);
  add_check(cul_field_text(json_object_get(boundary, "culprit"), "commit"), "",
            !fix, out);
  json_array_foreach(json_object_get(boundary, "parents"), i, parent)
      add_check(cul_field_text(parent, "commit"), "", fix, out);
  add_moved(of, report, out);
}

/* ---- all of it ---- */

static int put_picture(const struct bundle *of, struct cul_err *err) {
  struct cul_buf text = {0};
  char *marks = cul_commits_marks(of->bisection);
  const struct cul_plot plot = {
      .mass = cul_bisector_posterior(of->bisection->strategy.bisector),
      .marks = marks,
      .n = of->bisection->range.dag.n};
  int rc;
  cul_plot_svg(&plot, &text);
  rc = cul_archive_put(of->bisection->shared->archive, "posterior.svg",
                       cul_buf_bytes(&text), 0666, err);
  cul_buf_release(&text);
  free(marks);
  return rc;
}

int cul_commits_bundle(const struct cul_commits_conf *conf,
                       const struct cul_bisection *bisection,
                       const struct cul_moves *moves, const json_t *report,
                       struct cul_err *err) {
  const struct bundle bundle = {conf, bisection, moves}, *of = &bundle;
  struct cul_issue issue = {.report = report};
  struct cul_buf text = {0}, more = {0};
  struct cul_page page;
  char *json;
  int rc;
  if (!of->bisection->shared->archive->dir)
    return 0;
  json = cul_report_text(report);
  rc = cul_archive_put(of->bisection->shared->archive, "report.json",
                       (struct cul_bytes){json, strlen(json)}, 0666, err);
  cul_page_init(&page, CUL_PAGE_GITHUB, 0);
  cul_commits_page(report, &more);
  issue.more = cul_buf_bytes(&more);
  cul_issue_write(&issue, &page);
  if (!cul_field_certain(report, json_object_get(report, "boundary")))
    cul_buf_adds(&page.out, "![posterior](posterior.svg)\n");
  if (rc == 0)
    rc = cul_archive_put(of->bisection->shared->archive, "report.md",
                         cul_buf_bytes(&page.out), 0666, err);
  cul_page_release(&page);
  cul_page_init(&page, CUL_PAGE_HTML, 0);
  cul_issue_write(&issue, &page);
  if (rc == 0)
    rc = cul_archive_put(of->bisection->shared->archive, "report.html",
                         cul_buf_bytes(&page.out), 0666, err);
  cul_page_release(&page);
  cul_buf_release(&more);
  if (rc == 0)
    rc = put_picture(of, err);
  cul_buf_clear(&text);
  if (rc == 0 && json_is_object(json_object_get(report, "boundary"))) {
    write_script(of, report, &text);
    rc = cul_archive_put(of->bisection->shared->archive, "repro.sh",
                         cul_buf_bytes(&text), 0777, err);
  }
  cul_buf_release(&text);
  free(json);
  return rc;
}
