/* HTML documents: see document.h. */
#include "document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "markup.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--dim:#59636e;"
    "--line:#d1d9e0;--soft:#f4f6f8;--mark:#0b62b8;--more:#116329;"
    "--more-soft:#dafbe1;--less:#a40e26;--less-soft:#ffebe9;--v:#0a5ba8;"
    "--s:#8a4b08;--q:#0a6b2e;--o:#6f2da8;--t:#0a6c74;--n:#a4460b;"
    "--h1:#fbdfa6;--h2:#f8ad55;--h3:#ea742a;--h4:#bb3a1a;--h5:#701010;"
    "--h6:#8d3fd0}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#0f1318;--ink:#e3e8ee;"
    "--dim:#98a3b0;--line:#39424d;--soft:#1a2028;--mark:#68b0f5;"
    "--more:#7ee29a;--more-soft:#12301d;--less:#ff9c96;--less-soft:#3b1718;"
    "--v:#7cc0ff;--s:#f0b072;--q:#86d99c;--o:#cfa5f7;--t:#6fd0d8;"
    "--n:#f5a877;--h1:#53300f;--h2:#8f4f12;--h3:#cf7419;--h4:#f4a93c;"
    "--h5:#ffe79a;--h6:#c08cff}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;padding:1.2rem 1rem "
    "3rem;max-width:1200px;background:var(--paper);color:var(--ink);"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.35rem;line-height:1.3;margin:0 0 .8rem}\n"
    "h2{font-size:1.05rem;margin:2rem 0 .5rem;padding-bottom:.2rem;"
    "border-bottom:1px solid var(--line)}\n"
    "p,ul{margin:.5rem 0}ul{padding-left:1.2rem}\n"
    "code,pre,td{unicode-bidi:isolate}\n"
    "code,pre{font-family:ui-monospace,monospace;font-size:.86em}\n"
    "code{background:var(--soft);padding:.05em .25em;border-radius:.2em}\n"
    "h1 code{font-size:.92em}td code{background:none;padding:0}\n"
    "pre{background:var(--soft);border:1px solid var(--line);"
    "border-radius:.3rem;padding:.6rem .8rem;margin:.5rem 0;overflow:auto;"
    "max-height:36rem;overflow-wrap:normal}\n"
    ".cut,figcaption{color:var(--dim);font-size:.85rem}\n"
    ".v{color:var(--v)}.s{color:var(--s)}.q{color:var(--q)}"
    ".c{color:var(--dim)}.o{color:var(--o);font-weight:600}"
    ".t{color:var(--t)}.n{color:var(--n)}\n"
    ".more{color:var(--more);background:var(--more-soft)}"
    ".less{color:var(--less);background:var(--less-soft)}\n"
    ".at{color:var(--dim);user-select:none;margin-right:.6em;"
    "padding-right:.6em;border-right:1px solid var(--line)}\n"
    "summary{cursor:pointer;margin:.5rem 0}details details{margin-left:1rem}\n"
    ".wide{overflow-x:auto;max-height:36rem;overflow-y:auto}\n"
    "table{border-collapse:collapse;font-size:.86rem}\n"
    "th{text-align:left;position:sticky;top:0;background:var(--paper);"
    "overflow-wrap:normal}\n"
    "td,th{vertical-align:top;padding:.15rem .9rem .15rem .2rem;"
    "overflow-wrap:break-word}\n"
    "tr+tr>td{border-top:1px solid var(--line)}\n"
    ".name{white-space:nowrap}"
    ".r{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    ".plots{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(320px,100%),1fr))}\n"
    ".pair{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(520px,100%),1fr))}\n"
    "figure{margin:.5rem 0;max-width:580px}"
    "svg{display:block;width:100%;height:auto}\n"
    "figure.broad{max-width:820px}\n"
    ".map{background:var(--soft);outline:1px solid var(--line)}"
    ".h1{fill:var(--h1);background:var(--h1)}"
    ".h2{fill:var(--h2);background:var(--h2)}"
    ".h3{fill:var(--h3);background:var(--h3)}"
    ".h4{fill:var(--h4);background:var(--h4)}"
    ".h5{fill:var(--h5);background:var(--h5)}"
    ".h6{fill:var(--h6);background:var(--h6)}\n"
    ".key span{display:inline-block;margin:0 .3rem}"
    ".key i{display:inline-block;width:.9em;height:.9em;margin-right:.3em;"
    "vertical-align:-.1em}"
    ".key i,.bars span{print-color-adjust:exact}\n"
    ".bars{width:7rem;min-width:4rem}.bars span{display:block;height:.7rem;"
    "margin-top:.3rem;min-width:1px;background:var(--mark)}\n"
    "@media(max-width:600px){body{padding:.8rem .7rem 2rem}"
    "td,th{padding-right:.6rem}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--dim:#444;--line:#bbb;"
    "--soft:#fff;--mark:#0b62b8;--more:#116329;--less:#a40e26;--v:#0a5ba8;"
    "--s:#8a4b08;--q:#0a6b2e;--o:#6f2da8;--t:#0a6c74;--n:#a4460b;"
    "--more-soft:#fff;--less-soft:#fff;--h1:#fbdfa6;--h2:#f8ad55;"
    "--h3:#ea742a;--h4:#bb3a1a;--h5:#701010;--h6:#8d3fd0}"
    "body{max-width:none;padding:0;font-size:10pt}"
    "pre,.wide{max-height:none;overflow:visible}pre{white-space:pre-wrap;"
    "overflow-wrap:anywhere}th{position:static}td{overflow-wrap:anywhere}"
    ".name{white-space:normal}"
    "details:not(.long):not([open])::details-content{content-visibility:"
    "visible;"
    "block-size:auto}h2{break-after:avoid}figure,tr{break-inside:avoid}}\n"
    "</style>\n";

void cul_document_begin(struct cul_page *page, const char *title) {
  cul_buf_adds(&page->out, head);
  cul_buf_adds(&page->out, "<title>");
  cul_html_text(title, &page->out);
  cul_buf_adds(&page->out, "</title>\n");
  cul_buf_adds(&page->out, style);
  cul_buf_adds(&page->out, "</head><body>\n");
}

void cul_document_end(struct cul_page *page) {
  cul_page_settle(page);
  cul_buf_adds(&page->out, "</body></html>\n");
}

void cul_document_table(struct cul_page *page, const char *const *columns,
                        uint32_t numbers) {
  cul_page_settle(page);
  cul_buf_adds(&page->out, "<div class=\"wide\"><table>\n");
  if (!*columns)
    return;
  cul_buf_adds(&page->out, "<tr>");
  for (; *columns; columns++, numbers >>= 1) {
    cul_buf_adds(&page->out, numbers & 1 ? "<th class=\"r\">" : "<th>");
    cul_html_text(*columns, &page->out);
    cul_buf_adds(&page->out, "</th>");
  }
  cul_buf_adds(&page->out, "</tr>\n");
}

void cul_document_row(struct cul_page *page) {
  cul_buf_adds(&page->out, "<tr>\n");
}

void cul_document_cell(struct cul_page *page, const char *text) {
  cul_page_begin(page, CUL_PAGE_CELL);
  if (*text)
    cul_page_code(page, text);
  cul_page_end(page);
}

void cul_document_number(struct cul_page *page, const char *fmt, ...) {
  va_list args;
  char *text;
  va_start(args, fmt);
  text = cul_xvasprintf(fmt, args);
  va_end(args);
  cul_buf_adds(&page->out, "<td class=\"r\">");
  cul_html_text(text, &page->out);
  cul_buf_adds(&page->out, "</td>\n");
  free(text);
}

void cul_document_table_end(struct cul_page *page) {
  cul_buf_adds(&page->out, "</table></div>\n");
}
