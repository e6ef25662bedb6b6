/* The bundle of a bisection: see leave.h. */
#include "leave.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../issue/issue.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/repro_lines.h"
#include "../../probe/target/findings.h"
#include "../../probe/target/scripts.h"
#include "../../probe/target/start_lines.h"

static const char *extension(const struct cul_target *target) {
  return cul_repro_case_extension(target->conf->name ? target->conf->name
                                                     : target->conf->input);
}

int cul_leave_file(const char *dir, const char *name, struct cul_bytes text,
                   struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", dir, name);
  size_t n = strlen(name);
  bool script = n > 3 && strcmp(name + n - 3, ".sh") == 0;
  int rc = cul_mkdirs(dir, 0777, err);
  if (rc == 0)
    rc = cul_file_write(path, text.data, text.len, script ? 0777 : 0666, err);
  free(path);
  return rc;
}

static bool has_delivery(const struct cul_target *target,
                         enum cul_delivery one) {
  return target->tool.command.delivery == one ||
         target->tool.command.delivery == CUL_BY_ALL;
}

/* The commands of the bundle, for cul_scripts_named. */
struct commands {
  const char *const *argv[3];
};

static struct commands commands_of(const struct cul_leave *leave) {
  struct commands out = {{0}};
  size_t n = 0;
  if (leave->fails)
    out.argv[n++] = leave->fails;
  if (leave->passes)
    out.argv[n++] = leave->passes;
  return out;
}

void cul_leave_function(const struct cul_leave *leave, const char *name,
                        const char *const *argv, struct cul_buf *out) {
  const struct cul_target *target = leave->target;
  const struct cul_judged *original = &target->original;
  const struct commands commands = commands_of(leave);
  char **scripts = cul_scripts_named(target, commands.argv);
  struct cul_repro_end end = {.signal = leave->sig->signal};
  cul_buf_addf(out, "%s() (\n%s ", name,
               leave->before_fails ? leave->before_fails : "");
  if (leave->sig->kind == CUL_KIND_TIMEOUT)
    cul_buf_addf(out, " timeout %g",
                 (double)target->probe.request.wall_ms / 1000);
  else
    cul_buf_adds(out, " env");
  cul_shell_program(argv, (const char *const *)scripts, out);
  cul_scripts_free(scripts);
  if (has_delivery(target, CUL_BY_ARGUMENT))
    cul_buf_adds(out, " \"$repro\"");
  if (has_delivery(target, CUL_BY_STDIN))
    cul_buf_adds(out, " <\"$repro\"");
  cul_buf_adds(out, " >\"$log\" 2>&1\n  status=$?\n");
  cul_repro_missing(leave->conf, leave->sig, original->records, original->n,
                    out);
  cul_repro_tests(leave->conf, leave->sig, &end, out);
  cul_buf_adds(out, "  exit 0\n)\n");
}

void cul_leave_start(const struct cul_leave *leave, struct cul_buf *out) {
  const struct commands commands = commands_of(leave);
  cul_variables_lines(leave->target, &leave->variables, out);
  cul_start_lines(leave->target, commands.argv, out);
}

static void write_script(const struct cul_leave *leave, struct cul_buf *out) {
  struct cul_leave other = *leave;
  cul_buf_addf(out,
               "#!/bin/sh\n# Exits 0 if the failure shows%s, 1 if not, 2 if "
               "that is unknown.\n"
               "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
               "repro=$here/repro%s\nlog=$(mktemp) || exit 2\n"
               "trap 'rm -f \"$log\"' EXIT\n",
               leave->passes ? " and the other case passes" : "",
               extension(leave->target));
  cul_leave_start(leave, out);
  if (leave->first)
    cul_buf_adds(out, leave->first);
  cul_leave_function(leave, "fails", leave->fails, out);
  other.before_fails = leave->before_passes;
  if (leave->passes)
    cul_leave_function(&other, "other_fails", leave->passes, out);
  cul_buf_adds(out, "fails || exit\n");
  if (leave->passes)
    cul_buf_adds(out, "other_fails\ncase $? in\n0) exit 1 ;;\n1) ;;\n"
                      "*) exit 2 ;;\nesac\n");
  cul_buf_adds(out, "exit 0\n");
}

void cul_leave_result(json_t *report, int code) {
  json_object_set_new(report, "result",
                      json_string(code == CUL_EBUDGET ? "budget"
                                  : code == CUL_EINTR ? "interrupted"
                                                      : "done"));
}

int cul_leave_several(const char *noun, size_t n, struct cul_err *err) {
  return cul_fail(
      err, CUL_ESEVERAL,
      "the report says what to make testable, and whether some were "
      "not tried (bisect commits --exhaust tries them); run the "
      "same command again then",
      "the %s is one of %zu: what would tell them apart was not, "
      "or cannot be, tested",
      noun, n);
}

int cul_leave_code(int rc, int left, const struct cul_err *later,
                   struct cul_err *err) {
  if (left < 0)
    *err = *later;
  return left < 0 ? left : rc;
}

static int write_page(const char *dir, const char *name,
                      const struct cul_issue *issue, enum cul_page_style style,
                      struct cul_err *err) {
  struct cul_page page;
  int rc;
  cul_page_init(&page, style, 0);
  cul_issue_write(issue, &page);
  rc = cul_leave_file(dir, name, cul_buf_bytes(&page.out), err);
  cul_page_release(&page);
  return rc;
}

/* Write the issue text; repro: the case beside it, or empty. */
static int write_pages(const struct cul_leave *leave, struct cul_bytes repro,
                       struct cul_err *err) {
  char *name = cul_issue_case_name(leave->report.json);
  struct cul_issue issue = {.report = leave->report.json,
                            .name = repro.len ? name : NULL,
                            .repro = repro};
  struct cul_buf told = {0};
  int rc;
  leave->report.say(leave->report.json, &told);
  issue.told = cul_buf_bytes(&told);
  rc = write_page(leave->dir, "report.md", &issue, CUL_PAGE_GITHUB, err);
  if (rc == 0)
    rc = write_page(leave->dir, "report.html", &issue, CUL_PAGE_HTML, err);
  cul_buf_release(&told);
  free(name);
  return rc;
}

static int put_script(const char *dir, const char *word, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/script-%s", dir, cul_basename(word));
  CUL_OWNED(cul_buf) text = {0};
  int rc = cul_file_read(word, 0, &text, err);
  return rc ? rc
            : cul_file_write(path, text.data, text.len,
                             access(word, X_OK) == 0 ? 0777 : 0666, err);
}

static int put_scripts(const struct cul_leave *leave, struct cul_err *err) {
  const struct commands commands = commands_of(leave);
  char **words = cul_scripts_named(leave->target, commands.argv);
  int rc = 0;
  for (size_t i = 0; words[i] && rc == 0; i++)
    rc = put_script(leave->dir, words[i], err);
  cul_scripts_free(words);
  return rc;
}

int cul_leave_reports(const struct cul_leave *leave, struct cul_bytes repro,
                      struct cul_err *err) {
  char *json = cul_report_text(leave->report.json);
  int rc = cul_leave_file(leave->dir, "report.json",
                          (struct cul_bytes){json, strlen(json)}, err);
  if (rc == 0)
    rc = write_pages(leave, repro, err);
  free(json);
  return rc ? rc : put_scripts(leave, err);
}

int cul_leave_find(struct cul_leave *leave, struct cul_target *target,
                   const struct cul_variables_runs *runs, struct cul_err *err) {
  struct cul_err cut = {0};
  int rc = leave->dir && leave->fails
               ? cul_variables_find(target, runs, &leave->variables, &cut)
               : 0;
  if (cul_is_cut(rc))
    rc = 0;
  if (rc < 0)
    *err = cut;
  return rc;
}

int cul_leave_bundle(const struct cul_leave *leave, struct cul_err *err) {
  struct cul_buf script = {0};
  char *name;
  int rc;
  if (!leave->dir)
    return 0;
  rc = cul_leave_reports(leave,
                         leave->fails
                             ? cul_target_subject_given(&leave->target->subject)
                             : (struct cul_bytes){NULL, 0},
                         err);
  if (rc < 0 || !leave->fails)
    return rc;
  name = cul_xasprintf("repro%s", extension(leave->target));
  rc = cul_leave_file(leave->dir, name,
                      cul_target_subject_given(&leave->target->subject), err);
  free(name);
  write_script(leave, &script);
  if (rc == 0)
    rc = cul_leave_file(leave->dir, "repro.sh", cul_buf_bytes(&script), err);
  cul_buf_release(&script);
  return rc;
}
