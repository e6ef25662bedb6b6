/* A text for people, written once and shown as what reads it: Markdown of an
 * issue tracker, plain text of a mail, a terminal, the body of an HTML document
 * (document.h).
 *
 * Words are our own; what others wrote goes in as code or as lines, never as
 * words.  Neither is markup, a mention or a reference of the tracker, and both
 * are made visible (visible.h). */
#ifndef CUL_BASE_PAGE_PAGE_H
#define CUL_BASE_PAGE_PAGE_H

#include "../buf.h"

enum cul_page_style {
  CUL_PAGE_GITHUB,
  CUL_PAGE_GITLAB,
  CUL_PAGE_TEXT,
  CUL_PAGE_TERMINAL, /* as text; headings are noted, to be shown bold */
  CUL_PAGE_HTML,     /* what it is in stands in document.h */
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
  /* Beside the lines of the next text that is shown, one line each; NULL:
   * nothing.  Borrowed; CUL_PAGE_TERMINAL and CUL_PAGE_HTML show it. */
  char *const *beside;
  size_t n_beside;
  size_t shown; /* bytes of lines in CUL_PAGE_HTML, which are limited */
};

/* Bytes of lines in CUL_PAGE_HTML: of one text, of all; what is more is left
 * out, and that is said.  Marked, they are ten times as large. */
enum { CUL_PAGE_MOST_LINES = 96 << 10, CUL_PAGE_MOST_SHOWN = 160 << 10 };

void cul_page_init(struct cul_page *page, enum cul_page_style style,
                   size_t width);
void cul_page_release(struct cul_page *page);

/* A part begins and ends; words and code stand in between, code of a blank or
 * more characters within quotes where there is no other mark. */
void cul_page_begin(struct cul_page *page, enum cul_page_part part);
void cul_page_words(struct cul_page *page, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_page_code(struct cul_page *page, const char *text);
/* A sentence with code between backquotes, as cul_difference_describe makes it;
 * it may be of others: what does not stand between two is shown as words. */
void cul_page_quoted(struct cul_page *page, const char *text);
/* "[name]" of a title: letters, digits, '.', '-' and '_' of the name. */
void cul_page_tag(struct cul_page *page, const char *name);
void cul_page_end(struct cul_page *page);

/* Lines as they are, what stands beside them before each; tag: the language, as
 * fences of Markdown name it ("diff" as cul_diff makes it), or "". */
void cul_page_lines(struct cul_page *page, const char *tag,
                    struct cul_bytes text);

/* What is long is folded where that can be; begins with a line of our words. */
void cul_page_fold(struct cul_page *page, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_page_unfold(struct cul_page *page);

/* Append a page that was written before, as it is. */
void cul_page_append(struct cul_page *page, struct cul_bytes text);
/* Ends the list, if the last thing written was an item of one: before what is
 * appended to `out` by hand. */
void cul_page_settle(struct cul_page *page);

#endif
