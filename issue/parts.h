/* Parts of the issue text that several files of this folder share. */
#ifndef CUL_ISSUE_PARTS_H
#define CUL_ISSUE_PARTS_H

#include "fields.h"
#include "issue.h"

/* ---- parts of the text (case.c) ---- */

/* How the job ended, where it was cut. */
void cul_issue_end(const json_t *report, struct cul_page *page);
void cul_issue_show_case(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_show_command(const struct cul_issue *issue,
                            struct cul_page *page);
void cul_issue_show_script(const struct cul_issue *issue,
                           struct cul_page *page);
/* The scripts that the command runs, those that are short. */
void cul_issue_show_runs(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_messages(const json_t *signature, struct cul_page *page);
/* From what to what, in how many runs. */
void cul_issue_reduction(const json_t *report, struct cul_page *page);

/* ---- the document: of CUL_PAGE_HTML alone (document.c,
 * history.c, bisection.c) ---- */

void cul_issue_document(const struct cul_issue *issue, struct cul_page *page);
/* How a reduction went; nothing of another job. */
void cul_issue_history(const json_t *report, struct cul_page *page);
/* What a bisection of commits, or one over cells, saw; nothing of another
 * job. */
void cul_issue_bisection(const json_t *report, struct cul_page *page);
/* Seconds and runs by kind. */
void cul_issue_costs(const json_t *report, struct cul_page *page);

/* ---- the command (command.c) ---- */

/* The tool as it is called by its users: the file's name, without a version
 * behind it; "" of a script, a shell or an interpreter, which is no tool of
 * anybody.  Heap. */
char *cul_issue_tool(const json_t *report);
/* Did culprit's own MLIR run a pipeline (--passes)? */
bool cul_issue_is_own(const json_t *report);
/* The options that the tool is given, as a shell has them; appended. */
void cul_issue_options(const json_t *report, struct cul_buf *out);
/* The pass of the command's pipeline, where it has only one; heap, or NULL. */
char *cul_issue_only_pass(const json_t *report);
/* The command on the case of this name, one line that can be pasted. */
void cul_issue_command(const json_t *report, const char *name,
                       struct cul_buf *out);
/* Text as the line of a shell where every @@ is the case. */
void cul_issue_role(const char *text, const char *name, struct cul_buf *out);
/* The language of a case, as Markdown's fences name it; "". */
const char *cul_issue_language(const json_t *report, const char *name);

/* ---- the failure (title.c, stack.c) ---- */

void cul_issue_title(const struct cul_issue *issue, struct cul_page *page);
/* Does the title hold the whole message? */
bool cul_issue_title_tells(const json_t *signature);
/* The frames that tell where it failed; all of them, folded. */
void cul_issue_stack(const json_t *signature, struct cul_page *page);
void cul_issue_whole_stack(const json_t *signature, struct cul_page *page);

/* ---- what else is known (facts.c) ---- */

void cul_issue_facts(const struct cul_issue *issue, struct cul_page *page);
/* The parts of these: versions, findings and rates as a list; what passes; what
 * has to be said of numbers and memory. */
void cul_issue_known(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_neighbour(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_remarks(const struct cul_issue *issue, struct cul_page *page);
/* A place in a file, without the directories of that machine. */
void cul_issue_place(const char *text, struct cul_page *page);
/* The inputs of wrong numbers, folded. */
void cul_issue_inputs(const json_t *report, struct cul_page *page);
/* At the end, folded. */
void cul_issue_details(const struct cul_issue *issue, struct cul_page *page);

#endif
