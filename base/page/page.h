/* A text for people, written once and rendered in one of several formats:
 * Markdown for an issue tracker, plain text for mail, a terminal, the body of
 * an HTML document (document.h).
 *
 * Words are culprit's own text.  Foreign text is added as code or as lines,
 * never as words: neither is read as markup, as a mention or as a reference by
 * the tracker, and control characters in both are made visible (visible.h). */
#ifndef CUL_BASE_PAGE_PAGE_H
#define CUL_BASE_PAGE_PAGE_H

#include "../buf.h"

enum cul_page_style {
  CUL_PAGE_GITHUB,
  CUL_PAGE_GITLAB,
  CUL_PAGE_TEXT,
  CUL_PAGE_TERMINAL, /* as text; records headings, to be shown bold */
  CUL_PAGE_HTML,     /* the body; document.h writes what surrounds it */
};

enum cul_page_part {
  CUL_PAGE_TITLE,
  CUL_PAGE_HEADING,
  CUL_PAGE_PARAGRAPH,
  CUL_PAGE_ITEM, /* of a list */
  CUL_PAGE_CELL, /* of a table (document.h) */
};

struct cul_page_range {
  size_t from, to; /* bytes */
};

struct cul_page {
  enum cul_page_style style;
  size_t width;       /* columns of plain text that prose is wrapped at */
  struct cul_buf out; /* the page so far */
  struct cul_page_range *headings; /* CUL_PAGE_TERMINAL */
  size_t n_headings;
  /* of the open part */
  enum cul_page_part part;
  struct cul_buf text;
  bool in_list; /* the last thing written was an item */
  /* Notes beside the lines of the next text shown, one per line; NULL: none.
   * Borrowed; CUL_PAGE_TERMINAL and CUL_PAGE_HTML show it. */
  char *const *beside;
  size_t n_beside;
  size_t shown; /* bytes of lines shown so far; CUL_PAGE_HTML limits them */
};

/* Limits of lines in CUL_PAGE_HTML, bytes: of one text, of all together.  The
 * rest is left out, with a notice.  Highlighting makes lines ten times as
 * large. */
enum { CUL_PAGE_MOST_LINES = 96 << 10, CUL_PAGE_MOST_SHOWN = 160 << 10 };

void cul_page_init(struct cul_page *page, enum cul_page_style style,
                   size_t width);
void cul_page_release(struct cul_page *page);

/* Begin and end a part; words and code come between.  Where the format cannot
 * mark code, code that contains a blank is put in quotes. */
void cul_page_begin(struct cul_page *page, enum cul_page_part part);
void cul_page_words(struct cul_page *page, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_page_code(struct cul_page *page, const char *text);
/* A sentence with code between backquotes, as cul_difference_describe makes it.
 * It may contain foreign text: all outside of backquotes is shown as words. */
void cul_page_quoted(struct cul_page *page, const char *text);
/* "[name]" for a title: letters, digits, '.', '-' and '_' of the name. */
void cul_page_tag(struct cul_page *page, const char *name);
void cul_page_end(struct cul_page *page);

/* Lines, shown literally, each after its note from `beside`.  tag: the language
 * as the fences of Markdown name it, or ""; "diff": the output of cul_diff. */
void cul_page_lines(struct cul_page *page, const char *tag,
                    struct cul_bytes text);

/* Begin and end a long section that is collapsed where the format allows it;
 * fmt: its summary line, culprit's own text. */
void cul_page_fold(struct cul_page *page, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_page_unfold(struct cul_page *page);

/* Append a page that is already rendered. */
void cul_page_append(struct cul_page *page, struct cul_bytes text);
/* End the list if the last thing written was an item.  Call it before appending
 * to `out` directly. */
void cul_page_settle(struct cul_page *page);

#endif
