/* The unchanging parts of index.html: its style and its script. */
#ifndef CUL_TRIAGE_REPORT_PAGE_H
#define CUL_TRIAGE_REPORT_PAGE_H

extern const char *const cul_page_head;
extern const char *const cul_page_filters;
extern const char *const cul_page_foot;

#endif
