/* Text for people in several formats: see page.h. */
#include "page.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../visible.h"
#include "highlight.h"
#include "markup.h"

void cul_page_init(struct cul_page *page, enum cul_page_style style,
                   size_t width) {
  *page = (struct cul_page){.style = style, .width = width};
}

void cul_page_release(struct cul_page *page) {
  cul_buf_release(&page->out);
  cul_buf_release(&page->text);
  free(page->headings);
  *page = (struct cul_page){0};
}

static bool is_markdown(const struct cul_page *page) {
  return page->style == CUL_PAGE_GITHUB || page->style == CUL_PAGE_GITLAB;
}

static bool is_html(const struct cul_page *page) {
  return page->style == CUL_PAGE_HTML;
}

/* Separate from the last block by an empty line, unless both are list items. */
static void part_from_last(struct cul_page *page, bool item) {
  if (is_html(page) && item != page->in_list)
    cul_buf_adds(&page->out, item ? "<ul>\n" : "</ul>\n");
  else if (!is_html(page) && page->out.len && !(item && page->in_list))
    cul_buf_addc(&page->out, '\n');
  page->in_list = item;
}

void cul_page_begin(struct cul_page *page, enum cul_page_part part) {
  page->part = part;
  cul_buf_clear(&page->text);
}

/* Would a tracker notify a user, or link an issue, at this word? */
static bool is_reference(const char *word, size_t n) {
  if (memchr(word, '@', n))
    return true;
  for (size_t i = 0; i + 1 < n; i++)
    if (strchr("#!", word[i]) && isdigit((unsigned char)word[i + 1]))
      return true;
  return false;
}

/* The length of the next word with the blanks before it, in bytes. */
static size_t word_length(const char *text) {
  size_t blanks = strspn(text, " \t\n");
  return blanks + strcspn(text + blanks, " \t\n");
}

static void add_markdown_words(struct cul_page *page, const char *text) {
  while (*text) {
    size_t n = word_length(text), blanks = strspn(text, " \t\n");
    char *word = cul_xstrndup(text + blanks, n - blanks);
    if (blanks)
      cul_buf_addc(&page->text, ' ');
    if (is_reference(word, n - blanks))
      cul_markdown_code(word, &page->text);
    else
      cul_markdown_words(word, &page->text);
    free(word);
    text += n;
  }
}

static void add_html_line(struct cul_page *page, const char *text) {
  struct cul_buf line = {0};
  cul_visible_line(text, &line);
  cul_html_text(cul_buf_str(&line), &page->text);
  cul_buf_release(&line);
}

static void add_words(struct cul_page *page, const char *text) {
  if (is_markdown(page))
    add_markdown_words(page, text);
  else if (is_html(page))
    add_html_line(page, text);
  else
    cul_visible_line(text, &page->text);
}

void cul_page_words(struct cul_page *page, const char *fmt, ...) {
  va_list args;
  char *text;
  va_start(args, fmt);
  text = cul_xvasprintf(fmt, args);
  va_end(args);
  add_words(page, text);
  free(text);
}

/* In plain prose: would text run into the words around it? */
static bool needs_quotes(const struct cul_page *page, const char *text) {
  return page->part == CUL_PAGE_PARAGRAPH &&
         (!*text || strpbrk(text, " \t\n,;"));
}

void cul_page_code(struct cul_page *page, const char *text) {
  bool quotes = !is_markdown(page) && needs_quotes(page, text);
  /* GitLab shows the title of an issue literally. */
  if (page->style == CUL_PAGE_GITLAB && page->part == CUL_PAGE_TITLE) {
    add_markdown_words(page, text);
    return;
  }
  if (is_markdown(page)) {
    cul_markdown_code(text, &page->text);
    return;
  }
  if (is_html(page)) {
    cul_buf_adds(&page->text, "<code>");
    add_html_line(page, text);
    cul_buf_adds(&page->text, "</code>");
    return;
  }
  cul_buf_adds(&page->text, quotes ? "`" : "");
  cul_visible_line(text, &page->text);
  cul_buf_adds(&page->text, quotes ? "`" : "");
}

void cul_page_quoted(struct cul_page *page, const char *text) {
  while (*text) {
    size_t n = strcspn(text, "`");
    const char *end = text[n] ? strchr(text + n + 1, '`') : NULL;
    char *words = cul_xstrndup(text, n);
    add_words(page, words);
    free(words);
    text += n;
    if (end && end > text + 1) {
      char *code = cul_xstrndup(text + 1, (size_t)(end - text - 1));
      cul_page_code(page, code);
      free(code);
      text = end + 1;
    } else if (*text) {
      text++; /* an unpaired backquote */
    }
  }
}

void cul_page_tag(struct cul_page *page, const char *name) {
  cul_buf_addc(&page->text, '[');
  for (; *name; name++)
    if (isalnum((unsigned char)*name) || strchr(".-_", *name))
      cul_buf_addc(&page->text, *name);
  cul_buf_addc(&page->text, ']');
}

/* ---- plain text ---- */

/* The width of UTF-8 text in columns: its code points. */
static size_t columns(const char *text, size_t n) {
  size_t out = 0;
  for (size_t i = 0; i < n; i++)
    out += ((unsigned char)text[i] & 0xc0) != 0x80;
  return out;
}

/* Fill lines with words; a word longer than a line is not split. */
static void wrap(struct cul_page *page, const char *first, const char *indent) {
  const char *text = cul_buf_str(&page->text);
  size_t at = columns(first, strlen(first));
  bool begun = false;
  cul_buf_adds(&page->out, first);
  while (*(text += strspn(text, " "))) {
    size_t n = strcspn(text, " "), wide = columns(text, n);
    if (begun && page->width && at + 1 + wide > page->width) {
      cul_buf_addf(&page->out, "\n%s", indent);
      at = strlen(indent);
    } else if (begun) {
      cul_buf_addc(&page->out, ' ');
      at++;
    }
    cul_buf_add(&page->out, text, n);
    at += wide;
    text += n;
    begun = true;
  }
}

static void note_heading(struct cul_page *page, size_t from) {
  page->headings = cul_xreallocarray(page->headings, page->n_headings + 1,
                                     sizeof *page->headings);
  page->headings[page->n_headings++] =
      (struct cul_page_range){from, page->out.len};
}

static void end_plain(struct cul_page *page) {
  bool item = page->part == CUL_PAGE_ITEM;
  bool heading = page->part == CUL_PAGE_TITLE || page->part == CUL_PAGE_HEADING;
  size_t from = page->out.len;
  wrap(page, item ? "- " : "", item ? "  " : "");
  if (heading && page->style == CUL_PAGE_TERMINAL)
    note_heading(page, from);
  cul_buf_addc(&page->out, '\n');
}

static void end_markdown(struct cul_page *page) {
  static const char *const marks[] = {[CUL_PAGE_TITLE] = "# ",
                                      [CUL_PAGE_HEADING] = "## ",
                                      [CUL_PAGE_PARAGRAPH] = "",
                                      [CUL_PAGE_ITEM] = "- ",
                                      [CUL_PAGE_CELL] = ""};
  cul_buf_adds(&page->out, marks[page->part]);
  cul_buf_add(&page->out, page->text.data, page->text.len);
  cul_buf_addc(&page->out, '\n');
}

static void end_html(struct cul_page *page) {
  static const char *const tags[] = {[CUL_PAGE_TITLE] = "h1",
                                     [CUL_PAGE_HEADING] = "h2",
                                     [CUL_PAGE_PARAGRAPH] = "p",
                                     [CUL_PAGE_ITEM] = "li",
                                     [CUL_PAGE_CELL] = "td"};
  cul_buf_addf(&page->out, "<%s>", tags[page->part]);
  cul_buf_add(&page->out, page->text.data, page->text.len);
  cul_buf_addf(&page->out, "</%s>\n", tags[page->part]);
}

void cul_page_end(struct cul_page *page) {
  part_from_last(page, page->part == CUL_PAGE_ITEM);
  if (is_markdown(page))
    end_markdown(page);
  else if (is_html(page))
    end_html(page);
  else
    end_plain(page);
}

/* ---- lines ---- */

/* The width of the widest text beside a line, in columns. */
static size_t columns_beside(const struct cul_page *page) {
  size_t wide = 0;
  for (size_t i = 0; i < page->n_beside; i++) {
    const char *one = page->beside[i];
    size_t n = one ? columns(one, strlen(one)) : 0;
    wide = n > wide ? n : wide;
  }
  return wide;
}

/* Append the text beside line i, right-aligned in `wide` columns. */
static void add_beside(const struct cul_page *page, size_t i, size_t wide,
                       struct cul_buf *out) {
  const char *text = i < page->n_beside ? page->beside[i] : NULL;
  size_t own = text ? columns(text, strlen(text)) : 0;
  cul_buf_addf(out, "%*s%s", (int)(wide - own), "", text ? text : "");
}

/* Lines to be copied are not wrapped; the indent sets them apart. */
static void add_indented(struct cul_page *page, struct cul_bytes text) {
  bool beside = page->beside && page->style == CUL_PAGE_TERMINAL;
  size_t wide = columns_beside(page);
  struct cul_buf seen = {0};
  const char *at;
  cul_visible_add(text, &seen);
  at = cul_buf_str(&seen);
  for (size_t i = 0; *at; i++) {
    size_t n = strcspn(at, "\n");
    cul_buf_adds(&page->out, n || beside ? "    " : "");
    if (beside) {
      add_beside(page, i, wide, &page->out);
      cul_buf_adds(&page->out, n ? " | " : " |");
    }
    cul_buf_add(&page->out, at, n);
    cul_buf_addc(&page->out, '\n');
    at += n + (at[n] == '\n');
  }
  cul_buf_release(&seen);
}

/* Mark changed lines by their signs. */
static void add_html_diff(const char *text, struct cul_buf *out) {
  while (*text) {
    size_t n = strcspn(text, "\n");
    char *line = cul_xstrndup(text, n);
    const char *class = *line == '+' ? "more" : *line == '-' ? "less" : NULL;
    if (class)
      cul_buf_addf(out, "<span class=\"%s\">", class);
    cul_html_text(line, out);
    cul_buf_adds(out, class ? "</span>\n" : "\n");
    free(line);
    text += n + (text[n] == '\n');
  }
}

/* How many of the first bytes may be shown: whole lines, if there are any. */
static size_t shown_length(const struct cul_page *page, struct cul_bytes text) {
  size_t room = CUL_PAGE_MOST_SHOWN - page->shown, n;
  const char *end;
  room = room < CUL_PAGE_MOST_LINES ? room : CUL_PAGE_MOST_LINES;
  if (text.len <= room)
    return text.len;
  for (n = room; n > 0 && ((unsigned char)text.data[n] & 0xc0) == 0x80; n--)
    ;
  end = memrchr(text.data, '\n', n);
  return end ? (size_t)(end - text.data) + 1 : n;
}

static size_t count_lines(const char *text, size_t n) {
  size_t lines = n > 0 && text[n - 1] != '\n';
  for (size_t i = 0; i < n; i++)
    lines += text[i] == '\n';
  return lines;
}

/* Append the highlighted text, each line after the text beside it. */
static void add_beside_html(struct cul_page *page, const char *marked) {
  size_t wide = columns_beside(page);
  for (size_t i = 0; *marked; i++) {
    size_t n = strcspn(marked, "\n");
    struct cul_buf beside = {0};
    add_beside(page, i, wide, &beside);
    cul_buf_adds(&page->out, "<span class=\"at\">");
    cul_html_text(cul_buf_str(&beside), &page->out);
    cul_buf_adds(&page->out, "</span>");
    n += marked[n] == '\n';
    cul_buf_add(&page->out, marked, n);
    marked += n;
    cul_buf_release(&beside);
  }
}

static void add_html_lines(struct cul_page *page, const char *tag,
                           struct cul_bytes text) {
  struct cul_buf seen = {0}, marked = {0};
  size_t n = shown_length(page, text);
  page->shown += n;
  cul_visible_add((struct cul_bytes){text.data, n}, &seen);
  cul_buf_adds(&page->out, "<pre>");
  if (strcmp(tag, "diff") == 0)
    add_html_diff(cul_buf_str(&seen), &page->out);
  else
    cul_highlight(tag, cul_buf_str(&seen), page->beside ? &marked : &page->out);
  add_beside_html(page, cul_buf_str(&marked));
  cul_buf_adds(&page->out, "</pre>\n");
  cul_buf_release(&seen);
  cul_buf_release(&marked);
  if (n < text.len)
    cul_buf_addf(
        &page->out,
        "<p class=\"cut\">Not shown: %zu more line%s, %zu bytes.</p>\n",
        count_lines(text.data + n, text.len - n),
        cul_s(count_lines(text.data + n, text.len - n)), text.len - n);
}

void cul_page_lines(struct cul_page *page, const char *tag,
                    struct cul_bytes text) {
  part_from_last(page, false);
  if (is_markdown(page))
    cul_markdown_lines(tag, text, &page->out);
  else if (is_html(page))
    add_html_lines(page, tag, text);
  else
    add_indented(page, text);
  page->beside = NULL;
  page->n_beside = 0;
}

/* ---- folds ---- */

void cul_page_fold(struct cul_page *page, const char *fmt, ...) {
  va_list args;
  char *text;
  va_start(args, fmt);
  text = cul_xvasprintf(fmt, args);
  va_end(args);
  if (is_markdown(page) || is_html(page)) {
    part_from_last(page, false);
    cul_buf_adds(&page->out, "<details><summary>");
    cul_html_text(text, &page->out);
    cul_buf_adds(&page->out, "</summary>\n");
  } else {
    cul_page_begin(page, CUL_PAGE_HEADING);
    cul_page_words(page, "%s:", text);
    cul_page_end(page);
  }
  free(text);
}

void cul_page_unfold(struct cul_page *page) {
  if (!is_markdown(page) && !is_html(page))
    return;
  part_from_last(page, false);
  cul_buf_adds(&page->out, "</details>\n");
}

void cul_page_append(struct cul_page *page, struct cul_bytes text) {
  if (!text.len)
    return;
  part_from_last(page, false);
  cul_buf_add(&page->out, text.data, text.len);
}

void cul_page_settle(struct cul_page *page) { part_from_last(page, false); }
