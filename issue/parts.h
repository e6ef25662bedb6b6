/* Parts of the issue text that several files of this folder share. */
#ifndef CUL_ISSUE_PARTS_H
#define CUL_ISSUE_PARTS_H

#include "fields.h"
#include "issue.h"

/* ---- parts of the text (case.c) ---- */

/* State how the job ended, if it was cut short. */
void cul_issue_end(const json_t *report, struct cul_page *page);
void cul_issue_show_case(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_show_command(const struct cul_issue *issue,
                            struct cul_page *page);
void cul_issue_show_script(const struct cul_issue *issue,
                           struct cul_page *page);
/* The scripts that the command runs, if they are short. */
void cul_issue_show_runs(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_messages(const json_t *signature, struct cul_page *page);
/* The size before and after, and the number of runs. */
void cul_issue_reduction(const json_t *report, struct cul_page *page);

/* ---- the document: only for CUL_PAGE_HTML (document.c) ---- */

void cul_issue_document(const struct cul_issue *issue, struct cul_page *page);

/* ---- the command (command.c) ---- */

/* The name by which users call the tool: its file name without the version at
 * its end; "" for a script, a shell or an interpreter.  Heap. */
char *cul_issue_tool(const json_t *report);
/* Did culprit's own MLIR run a pipeline (--passes)? */
bool cul_issue_is_own(const json_t *report);
/* Append the options of the tool, quoted for a shell. */
void cul_issue_options(const json_t *report, struct cul_buf *out);
/* The pass of the command's pipeline, if it has only one; heap, or NULL. */
char *cul_issue_only_pass(const json_t *report);
/* The command on the case of this name, one line that can be pasted. */
void cul_issue_command(const json_t *report, const char *name,
                       struct cul_buf *out);
/* Write text as a shell line in which the case replaces every @@. */
void cul_issue_role(const char *text, const char *name, struct cul_buf *out);
/* The language of a case for a Markdown fence, or "". */
const char *cul_issue_language(const json_t *report, const char *name);

/* ---- the failure (title.c, stack.c) ---- */

void cul_issue_title(const struct cul_issue *issue, struct cul_page *page);
/* Does the title contain the whole message? */
bool cul_issue_title_tells(const json_t *signature);
/* The frames that identify the failing place; then the whole stack, folded. */
void cul_issue_stack(const json_t *signature, struct cul_page *page);
void cul_issue_whole_stack(const json_t *signature, struct cul_page *page);

/* ---- further facts (facts.c) ---- */

/* A list of versions, findings and rates; the passing neighbour; remarks about
 * numbers and memory. */
void cul_issue_known(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_neighbour(const struct cul_issue *issue, struct cul_page *page);
void cul_issue_remarks(const struct cul_issue *issue, struct cul_page *page);
/* A place in a file, without the directories of that machine. */
void cul_issue_place(const char *text, struct cul_page *page);
/* The inputs of wrong numbers, folded. */
void cul_issue_inputs(const json_t *report, struct cul_page *page);

#endif
